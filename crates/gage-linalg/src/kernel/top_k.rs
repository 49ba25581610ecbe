//! The smallest few of many keyed entries.

use std::cmp::Ordering;

use crate::tall::Real;

/// The `k` entries with the smallest keys, by key and then by number, whatever the order of the
/// offers. A key that is not a number is never taken.
///
/// ```
/// use gage_linalg::kernel::TopK;
/// let mut nearest = TopK::new(2);
/// [(3.0, 0), (1.0, 1), (1.0, 2), (2.0, 3)].map(|(key, number)| nearest.offer(key, number));
/// assert_eq!(nearest.into_sorted(), [(1.0f64, 1), (1.0, 2)]);
/// ```
#[derive(Clone, Debug)]
pub struct TopK<T> {
    k: usize,
    /// At most about twice `k` entries; cut back when full.
    entries: Vec<(T, u32)>,
    /// No larger key can be among the `k`.
    limit: T,
}

impl<T: Real> TopK<T> {
    /// Nothing yet. `k` may come from users and files, so nothing is allocated for it.
    pub fn new(k: usize) -> TopK<T> {
        TopK { k, entries: Vec::new(), limit: T::from_f64(f64::INFINITY) }
    }

    /// Takes an entry if it may be among the `k`.
    #[inline]
    pub fn offer(&mut self, key: T, number: u32) {
        if key <= self.limit {
            self.entries.push((key, number));
            if self.entries.len() >= self.k.max(8).saturating_mul(2) {
                self.cut();
            }
        }
    }

    fn cut(&mut self) {
        if self.entries.len() > self.k {
            if self.k > 0 {
                self.entries.select_nth_unstable_by(self.k - 1, by_key);
                self.limit = self.entries[self.k - 1].0;
            }
            self.entries.truncate(self.k);
        }
    }

    /// The smallest entries of both.
    pub fn merge(mut self, other: TopK<T>) -> TopK<T> {
        other.entries.into_iter().for_each(|(key, number)| self.offer(key, number));
        self
    }

    /// The `k` entries, smallest key first.
    pub fn into_sorted(mut self) -> Vec<(T, u32)> {
        self.cut();
        self.entries.sort_unstable_by(by_key);
        self.entries
    }
}

fn by_key<T: Real>(a: &(T, u32), b: &(T, u32)) -> Ordering {
    a.0.to_f64().total_cmp(&b.0.to_f64()).then(a.1.cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_those_of_a_sort_whatever_the_order_and_the_parts() {
        let offers: Vec<(f32, u32)> = (0..500u32).map(|i| ((i * 7919 % 83) as f32, i)).collect();
        let mut expected = offers.clone();
        expected.sort_by(by_key);
        for k in [0, 1, 7, 100, 499, 500, 1000] {
            let top = |offers: &mut dyn Iterator<Item = &(f32, u32)>| {
                let mut top = TopK::new(k);
                offers.for_each(|&(key, number)| top.offer(key, number));
                top
            };
            let (forward, backward) = (top(&mut offers.iter()), top(&mut offers.iter().rev()));
            let (head, tail) = offers.split_at(123);
            let merged = top(&mut tail.iter()).merge(top(&mut head.iter()));
            for found in [forward, backward, merged] {
                assert_eq!(found.into_sorted(), expected[..k.min(500)], "{k}");
            }
        }
    }

    #[test]
    fn a_key_that_is_not_a_number_is_never_taken() {
        let mut top = TopK::new(3);
        [f64::NAN, f64::INFINITY, 1.0].into_iter().zip(0..).for_each(|(key, i)| top.offer(key, i));
        assert_eq!(top.into_sorted(), [(1.0, 2), (f64::INFINITY, 1)]);
    }
}
