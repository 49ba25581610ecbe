//! Labels that are numbers, and ranges of numbers as classes.

use gage_core::Labels;

use super::palette::DISTINCT_CLASSES;

/// The numbers that labels are, one for each node; nothing if some label is no number or some node
/// has several.
pub fn numbers(labels: &Labels) -> Option<Vec<Option<f64>>> {
    let parsed: Vec<Option<f64>> =
        labels.class_names().iter().map(|name| name.trim().parse().ok()).collect();
    let number = |node: usize| match labels.of(node) {
        [] => Some(None),
        [class] => parsed[*class as usize].map(Some),
        _ => None,
    };
    (0..labels.len()).map(number).collect()
}

/// Whether numbers are read as such rather than as names of classes: they have fractions, or there
/// are more of them than classes that look different.
pub fn are_a_scale(numbers: &[Option<f64>]) -> bool {
    let mut distinct: Vec<f64> = numbers.iter().flatten().copied().collect();
    distinct.sort_by(f64::total_cmp);
    distinct.dedup();
    distinct.len() > DISTINCT_CLASSES || distinct.iter().any(|value| value.fract() != 0.0)
}

/// Classes that are ranges of the values, with about as many members each and at most `most`.
/// Equal values are in one range; values that are not finite are in none.
pub(super) fn ranges(values: &[Option<f64>], most: usize) -> Labels {
    let finite = |value: &Option<f64>| value.filter(|value| value.is_finite());
    let mut sorted: Vec<f64> = values.iter().filter_map(finite).collect();
    sorted.sort_by(f64::total_cmp);
    // The least value of every range.
    let mut starts: Vec<f64> =
        (0..most).filter_map(|at| sorted.get(at * sorted.len() / most.max(1)).copied()).collect();
    starts.dedup();
    let range = |value: f64| starts.partition_point(|&start| start <= value).saturating_sub(1);
    let names = (0..starts.len()).map(|at| {
        let next = starts.get(at + 1).copied();
        let last = sorted.partition_point(|&value| next.is_none_or(|next| value < next));
        let (low, high) = (text(starts[at]), text(sorted[last.saturating_sub(1)]));
        if low == high { low } else { format!("{low} to {high}") }
    });
    let list = |value: &Option<f64>| finite(value).map(|value| range(value) as u32);
    let lists = values.iter().map(|value| list(value).into_iter().collect());
    Labels::from_lists(names.collect(), lists)
}

/// A number with at most four significant digits behind its integer part.
fn text(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return format!("{value}");
    }
    let digits = (3.0 - value.abs().log10().floor()).clamp(0.0, 12.0) as usize;
    let rounded = format!("{value:.digits$}");
    if rounded.contains('.') {
        return rounded.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    rounded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(values: impl IntoIterator<Item = f64>) -> Vec<Option<f64>> {
        values.into_iter().map(Some).collect()
    }

    #[test]
    fn ranges_hold_about_as_many_each_and_equal_values_stay_together() {
        let labels = ranges(&some((0..80).map(f64::from)), 8);
        assert_eq!(labels.class_names()[..2], ["0 to 9", "10 to 19"]);
        assert!((0..80).all(|at| labels.of(at) == [at as u32 / 10]));
        // Nine tenths are one value.
        let labels = ranges(&some((0..100).map(|at| f64::from((at - 90i32).max(0)))), 8);
        assert_eq!(labels.class_names(), ["0 to 9"]);
        let labels = ranges(&some([3.0, 1.5, 3.0, 1.5]), 8);
        assert_eq!(labels.class_names(), ["1.5", "3"]);
        assert_eq!([labels.of(0), labels.of(1)], [[1], [0]]);
    }

    #[test]
    fn labels_are_numbers_if_all_of_them_are() {
        let few = Labels::from_numbers(&[0, 1, -1]);
        let found = numbers(&few).unwrap();
        assert_eq!(found, [Some(0.0), Some(1.0), None]);
        assert!(!are_a_scale(&found));
        assert!(are_a_scale(&some([1.0, 1.5])) && are_a_scale(&some((0..49).map(f64::from))));
        assert!(!are_a_scale(&some((0..48).map(f64::from))));
        assert!(numbers(&Labels::from_names(&[Some("1"), Some("b")])).is_none());
    }

    #[test]
    fn what_is_no_number_has_no_range() {
        let labels = ranges(&[Some(f64::NAN), None, Some(2.0), Some(f64::INFINITY)], 8);
        assert!([0, 1, 3].iter().all(|&at| labels.of(at).is_empty()));
        assert_eq!(labels.of(2), [0]);
        assert_eq!(ranges(&[], 8).class_names().len(), 0);
        assert_eq!(ranges(&[None], 8).len(), 1);
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [text(0.123_456), text(1234.567), text(-2.0), text(0.5)],
            ["0.1235", "1235", "-2", "0.5"]
        );
    }
}
