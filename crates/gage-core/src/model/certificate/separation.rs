//! How far apart the axes are.

/// For every column `f` of `C` (one row per view): the sine of the smallest angle to another
/// column. Columns without energy and single columns have separation 1.
pub(crate) fn axis_separation(c: &[Vec<f64>]) -> Vec<f64> {
    let columns = c.first().map_or(0, Vec::len);
    let unit: Vec<Option<Vec<f64>>> = (0..columns)
        .map(|f| {
            let column: Vec<f64> = c.iter().map(|view| view[f]).collect();
            let length = column.iter().map(|x| x * x).sum::<f64>().sqrt();
            (length > 0.0).then(|| column.iter().map(|x| x / length).collect())
        })
        .collect();
    (0..columns)
        .map(|f| {
            let Some(own) = &unit[f] else { return 1.0 };
            unit.iter()
                .enumerate()
                .filter(|(g, _)| *g != f)
                .filter_map(|(_, other)| other.as_ref())
                .map(|other| sine(own, other))
                .fold(1.0, f64::min)
        })
        .collect()
}

/// Sine of the angle between unit vectors, accurate for small angles.
fn sine(a: &[f64], b: &[f64]) -> f64 {
    let chord: f64 = a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>();
    (chord * (1.0 - chord / 4.0)).max(0.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_axes_are_not_separated_and_orthogonal_ones_fully() {
        assert_eq!(axis_separation(&[vec![1.0, 2.0], vec![1.0, 2.0]]), [0.0, 0.0]);
        let apart = axis_separation(&[vec![1.0, 0.0, 0.0], vec![0.0, 3.0, 0.0]]);
        assert!((apart[0] - 1.0).abs() < 1e-12 && (apart[1] - 1.0).abs() < 1e-12);
        assert_eq!(apart[2], 1.0);
        let close = axis_separation(&[vec![1.0, 1.0], vec![0.0, 1e-9]]);
        assert!((close[0] - 1e-9).abs() < 1e-15);
    }
}
