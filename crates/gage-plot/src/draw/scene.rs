//! What a map shows, independent of how it is drawn.

use gage_core::Labels;

use super::palette::{Mark, Rgb, SCALE, look};
use super::values::ranges;
use crate::layout::Point;

/// Points in the unit square with their classes, and where class names stand.
#[derive(Clone, Debug)]
pub struct Scene {
    pub(crate) title: String,
    /// In `[0, 1]^2`, y downwards.
    pub points: Vec<Point>,
    /// Class of every point.
    pub(crate) classes: Vec<Option<u32>>,
    pub(crate) class_names: Vec<String>,
    /// Members of every class.
    pub(crate) sizes: Vec<usize>,
    /// Id of every point.
    pub(crate) names: Vec<String>,
    /// Whether the classes are ranges of numbers, in their order.
    pub(crate) ordered: bool,
}

impl Scene {
    /// A scene of laid-out nodes. A node with several classes shows the first.
    pub fn new(
        title: String,
        points: &[Point],
        names: Vec<String>,
        labels: Option<&Labels>,
    ) -> Scene {
        let classes: Vec<Option<u32>> = (0..points.len())
            .map(|node| labels.and_then(|labels| labels.of(node).first().copied()))
            .collect();
        let class_names = labels.map_or_else(Vec::new, |labels| labels.class_names().to_vec());
        let mut sizes = vec![0; class_names.len()];
        classes.iter().flatten().for_each(|&class| sizes[class as usize] += 1);
        let points = in_unit_square(points);
        Scene { title, points, classes, class_names, sizes, names, ordered: false }
    }

    /// A scene of nodes coloured by a number each: by ranges that hold about as many nodes each.
    /// Nodes without a number, or with one that is not finite, have no range.
    ///
    /// ```
    /// use gage_plot::Scene;
    /// let points: Vec<[f32; 2]> = (0..100).map(|at| [at as f32, 0.0]).collect();
    /// let names = (0..100).map(|at| at.to_string()).collect();
    /// let ages: Vec<Option<f64>> = (0..100).map(|at| Some(18.0 + at as f64)).collect();
    /// let scene = Scene::of_values("ages".to_owned(), &points, names, &ages);
    /// assert_eq!(scene.by_size().len(), 8);
    /// ```
    pub fn of_values(
        title: String,
        points: &[Point],
        names: Vec<String>,
        values: &[Option<f64>],
    ) -> Scene {
        let labels = ranges(values, SCALE.len());
        Scene { ordered: true, ..Scene::new(title, points, names, Some(&labels)) }
    }

    /// Colour and mark of a class.
    pub(crate) fn look(&self, class: Option<u32>) -> (Rgb, Mark) {
        match class.filter(|_| self.ordered) {
            // Few ranges that are there are spread over all colours.
            Some(range) => {
                let last = self.class_names.len().saturating_sub(1).max(1);
                (SCALE[range as usize * (SCALE.len() - 1) / last], Mark::Circle)
            }
            None => look(class),
        }
    }

    /// Classes with members, largest first.
    pub fn by_size(&self) -> Vec<u32> {
        let mut order: Vec<u32> =
            (0..self.sizes.len() as u32).filter(|&class| self.sizes[class as usize] > 0).collect();
        order.sort_by_key(|&class| (std::cmp::Reverse(self.sizes[class as usize]), class));
        order
    }

    /// Where the name of each class stands: the middle of its densest place. Only for the largest
    /// classes, so that the names can be read.
    pub(crate) fn name_places(&self) -> Vec<(u32, Point)> {
        const MOST: usize = 32;
        // Ranges of numbers have no place of their own.
        let most = if self.ordered { 0 } else { MOST };
        let largest = self.by_size().into_iter().take(most);
        largest.filter_map(|class| Some((class, self.densest(class)?))).collect()
    }

    fn densest(&self, class: u32) -> Option<Point> {
        const CELLS: usize = 20;
        let cell = |x: f32| ((x * CELLS as f32) as usize).min(CELLS - 1);
        let members =
            || self.points.iter().zip(&self.classes).filter(|entry| *entry.1 == Some(class));
        let mut counts = vec![0usize; CELLS * CELLS];
        members().for_each(|(point, _)| counts[cell(point[1]) * CELLS + cell(point[0])] += 1);
        let around = |at: usize| -> usize {
            let (x, y) = (at % CELLS, at / CELLS);
            let mut sum = 0;
            for row in y.saturating_sub(1)..=(y + 1).min(CELLS - 1) {
                for col in x.saturating_sub(1)..=(x + 1).min(CELLS - 1) {
                    sum += counts[row * CELLS + col];
                }
            }
            // The middle cell counts once more, so that of equal neighbourhoods the fuller middle
            // wins.
            sum + counts[at]
        };
        let best = (0..counts.len()).max_by_key(|&at| (around(at), std::cmp::Reverse(at)))?;
        let (x, y) = (best % CELLS, best / CELLS);
        let near =
            |point: &Point| cell(point[0]).abs_diff(x) <= 1 && cell(point[1]).abs_diff(y) <= 1;
        let (mut sum, mut count) = ([0.0f64; 2], 0.0f64);
        for (point, _) in members().filter(|(point, _)| near(point)) {
            sum = [sum[0] + f64::from(point[0]), sum[1] + f64::from(point[1])];
            count += 1.0;
        }
        (count > 0.0).then(|| sum.map(|sum| (sum / count) as f32))
    }
}

/// Scales points into the unit square, keeping their proportions. A few far-off points are brought
/// to the edge rather than letting them shrink the picture.
fn in_unit_square(points: &[Point]) -> Vec<Point> {
    const ROOM: f32 = 0.03;
    let range = |axis: usize| -> (f32, f32) {
        let mut values: Vec<f32> =
            points.iter().map(|point| point[axis]).filter(|x| x.is_finite()).collect();
        values.sort_by(f32::total_cmp);
        let (Some(&least), Some(&most)) = (values.first(), values.last()) else {
            return (0.0, 1.0);
        };
        let cut = values.len() / 500;
        let (low, high) = (values[cut], values[values.len() - 1 - cut]);
        let margin = 0.15 * (high - low);
        (least.max(low - margin), most.min(high + margin))
    };
    let ranges = [range(0), range(1)];
    let size = ranges.iter().map(|(low, high)| high - low).fold(1e-6, f32::max);
    let place = |point: &Point, axis: usize| -> f32 {
        let (low, high) = ranges[axis];
        let value = if point[axis].is_finite() { point[axis].clamp(low, high) } else { low };
        let unit = 0.5 + (value - 0.5 * (low + high)) / size;
        ROOM + (1.0 - 2.0 * ROOM) * unit.clamp(0.0, 1.0)
    };
    points.iter().map(|point| [place(point, 0), place(point, 1)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_fill_the_square_and_outliers_stay_inside() {
        let mut points: Vec<Point> =
            (0..2000).map(|i| [i as f32 / 100.0, (i % 10) as f32]).collect();
        points.push([1e6, 0.0]);
        points.push([f32::NAN, 3.0]);
        let placed = in_unit_square(&points);
        assert!(placed.iter().flatten().all(|x| (0.0..=1.0).contains(x)));
        let widest = placed[..2000].iter().map(|p| p[0]).fold(0.0, f32::max);
        assert!(widest > 0.7, "{widest}");
    }

    #[test]
    fn class_names_stand_where_the_class_is() {
        let points: Vec<Point> =
            (0..100).map(|i| [(i % 2) as f32, (i / 10) as f32 / 50.0]).collect();
        let labels = Labels::from_numbers(&(0..100).map(|i| i % 2).collect::<Vec<_>>());
        let names = (0..100).map(|i: i32| i.to_string()).collect();
        let scene = Scene::new("t".into(), &points, names, Some(&labels));
        let places = scene.name_places();
        assert_eq!(places.len(), 2);
        assert!(places[0].1[0] < 0.2 && places[1].1[0] > 0.8);
    }

    #[test]
    fn nothing_to_show_is_no_error() {
        let scene = Scene::new("t".into(), &[], Vec::new(), None);
        assert!(scene.name_places().is_empty());
    }
}
