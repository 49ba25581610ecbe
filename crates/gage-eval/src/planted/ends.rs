//! Target nodes of links, sampled by class in proportion to their weights.

use gage_linalg::random::Stream;

/// Expected degrees relative to their mean, in the order of the classes, summed up.
pub(super) struct Ends {
    /// Nodes class by class.
    order: Vec<u32>,
    /// Sum of the weights before each position of `order`, and in all at the end.
    sums: Vec<f64>,
    /// For equal steps of the sum, the position they fall on: a search starts there.
    guide: Vec<u32>,
    /// First position of each class, and the number of nodes at the end.
    first: Vec<usize>,
}

impl Ends {
    pub(super) fn new(classes: &[u16], count: usize, weights: &[f32]) -> Ends {
        let mut first = vec![0usize; count + 1];
        classes.iter().for_each(|&class| first[class as usize + 1] += 1);
        for class in 0..count {
            first[class + 1] += first[class];
        }
        let (mut next, mut order) = (first.clone(), vec![0u32; classes.len()]);
        for (node, &class) in classes.iter().enumerate() {
            order[next[class as usize]] = node as u32;
            next[class as usize] += 1;
        }
        let mut sums = Vec::with_capacity(order.len() + 1);
        let mut sum = 0.0;
        for &node in &order {
            sums.push(sum);
            sum += f64::from(weights[node as usize]);
        }
        sums.push(sum);
        let steps = order.len();
        let mut guide = Vec::with_capacity(steps + 1);
        let mut position = 0;
        for step in 0..=steps {
            let goal = sum * step as f64 / steps as f64;
            while position + 1 < order.len() && sums[position + 1] <= goal {
                position += 1;
            }
            guide.push(position as u32);
        }
        Ends { order, sums, guide, first }
    }

    /// The node at a position of the sum, searched within the positions `low..high`.
    fn at(&self, mass: f64, low: usize, high: usize) -> u32 {
        let total = self.sums[self.order.len()];
        let step = (mass / total * self.order.len() as f64) as usize;
        // Rounding may put the guide one step too far.
        let step = step.saturating_sub(1).min(self.order.len());
        let mut position = (self.guide[step] as usize).clamp(low, high - 1);
        while position + 1 < high && self.sums[position + 1] <= mass {
            position += 1;
        }
        self.order[position]
    }

    /// A node of a class, or of any other class, in proportion to its weight.
    pub(super) fn draw(&self, class: u16, inside: bool, stream: &mut Stream) -> u32 {
        let (low, high) = (self.first[class as usize], self.first[class as usize + 1]);
        let (before, after) = (self.sums[low], self.sums[high]);
        let (own, nodes) = (after - before, self.order.len());
        let rest = self.sums[nodes] - own;
        if inside || rest <= 0.0 {
            return self.at(before + stream.unit() * own, low, high);
        }
        let mass = stream.unit() * rest;
        if mass < before {
            self.at(mass, 0, low)
        } else {
            self.at(mass + own, high.min(nodes - 1), nodes)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_drawn_by_weight_and_class() {
        let classes = [0, 1, 0, 1, 1, 0];
        let weights = [1.0, 2.0, 3.0, 0.5, 0.5, 1.0];
        let ends = Ends::new(&classes, 2, &weights);
        let mut stream = Stream::keyed(0, 0, 0);
        let mut hits = [[0.0f64; 6]; 2];
        for draw in 0..200_000 {
            hits[draw % 2][ends.draw(0, draw % 2 == 0, &mut stream) as usize] += 1e-5;
        }
        let expected =
            [[0.2, 0.0, 0.6, 0.0, 0.0, 0.2], [0.0, 2.0 / 3.0, 0.0, 1.0 / 6.0, 1.0 / 6.0, 0.0]];
        for (hits, expected) in hits.iter().flatten().zip(expected.iter().flatten()) {
            assert!((hits - expected).abs() < 0.01, "{hits} {expected}");
        }
    }
}
