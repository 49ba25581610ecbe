//! Distances between rows in single precision, and the nearest of them.

/// Numbers added side by side; the compiler makes vector instructions of it.
const LANES: usize = 16;

/// Squared distance of two rows of the same length.
#[inline]
pub(crate) fn squared_distance(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0f32; LANES];
    let (left, right) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f32 =
        left.remainder().iter().zip(right.remainder()).map(|(x, y)| (x - y) * (x - y)).sum();
    for (x, y) in left.zip(right) {
        for lane in 0..LANES {
            let difference = x[lane] - y[lane];
            sums[lane] += difference * difference;
        }
    }
    sums.iter().sum::<f32>() + rest
}

/// The nearest few of many, by distance and then by number.
#[derive(Clone, Debug)]
pub(crate) struct Nearest {
    wanted: usize,
    /// At most twice as many as wanted; cut back when full.
    found: Vec<(f32, u32)>,
    /// Nothing farther than this can be among the wanted.
    limit: f32,
}

impl Nearest {
    pub(crate) fn new(wanted: usize) -> Nearest {
        // Sizes come from users and files: nothing is allocated from them alone.
        Nearest { wanted, found: Vec::new(), limit: f32::INFINITY }
    }

    #[inline]
    pub(crate) fn offer(&mut self, distance: f32, number: u32) {
        if distance <= self.limit {
            self.found.push((distance, number));
            if self.found.len() >= self.wanted.max(8).saturating_mul(2) {
                self.cut();
            }
        }
    }

    fn cut(&mut self) {
        if self.found.len() > self.wanted {
            if self.wanted > 0 {
                self.found.select_nth_unstable_by(self.wanted - 1, by_distance);
                self.limit = self.found[self.wanted - 1].0;
            }
            self.found.truncate(self.wanted);
        }
    }

    /// All of both.
    pub(crate) fn join(mut self, other: Nearest) -> Nearest {
        other.found.into_iter().for_each(|(distance, number)| self.offer(distance, number));
        self
    }

    /// The wanted ones, nearest first.
    pub(crate) fn sorted(mut self) -> Vec<(f32, u32)> {
        self.cut();
        self.found.sort_unstable_by(by_distance);
        self.found
    }
}

fn by_distance(a: &(f32, u32), b: &(f32, u32)) -> std::cmp::Ordering {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_of_any_length() {
        for length in [0, 1, 15, 16, 17, 40] {
            let a: Vec<f32> = (0..length).map(|i| i as f32).collect();
            let b: Vec<f32> = (0..length).map(|i| i as f32 + 2.0).collect();
            assert_eq!(squared_distance(&a, &b), 4.0 * length as f32);
        }
    }

    #[test]
    fn the_nearest_are_those_of_a_sort_whatever_the_order() {
        let offers: Vec<(f32, u32)> = (0..500u32).map(|i| ((i * 7919 % 83) as f32, i)).collect();
        let mut expected = offers.clone();
        expected.sort_by(by_distance);
        for wanted in [0, 1, 7, 100, 499, 500, 1000] {
            for reverse in [false, true] {
                let mut nearest = Nearest::new(wanted);
                let mut offer = |at: usize| nearest.offer(offers[at].0, offers[at].1);
                if reverse {
                    (0..500).rev().for_each(&mut offer)
                } else {
                    (0..500).for_each(&mut offer)
                }
                let found = nearest.sorted();
                assert_eq!(found, expected[..wanted.min(500)], "{wanted} {reverse}");
            }
        }
    }
}
