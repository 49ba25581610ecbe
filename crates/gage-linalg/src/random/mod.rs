//! Random numbers that depend on *what* they belong to, not on when they are drawn.
//!
//! A number is a hash of (seed, key, position). So the same node id or column gets the same numbers
//! whatever the order of the nodes or the number of threads.

use crate::tall::Real;

/// Mixes the bits of `x` (the finaliser of SplitMix64): a hash of small numbers, and the base of
/// all random numbers here.
#[inline]
pub fn mix(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Hash of a byte string (FNV-1a, then mixed).
pub fn hash_bytes(bytes: &[u8]) -> u64 {
    let fnv = bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325u64, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    mix(fnv)
}

/// Fills `out` with independent standard normal numbers that depend only on `seed`, `key` and the
/// position.
pub fn fill_normal<T: Real>(seed: u64, key: u64, out: &mut [T]) {
    let base = mix(seed ^ mix(key));
    for (pair, chunk) in out.chunks_mut(2).enumerate() {
        let a = mix(base.wrapping_add(2 * pair as u64));
        let b = mix(base.wrapping_add(2 * pair as u64 + 1));
        // Box-Muller; the radius argument lies in (0, 1].
        let radius = (-2.0 * (((a >> 11) + 1) as f64 / (1u64 << 53) as f64).ln()).sqrt();
        let angle = std::f64::consts::TAU * ((b >> 11) as f64 / (1u64 << 53) as f64);
        chunk[0] = T::from_f64(radius * angle.cos());
        if let Some(second) = chunk.get_mut(1) {
            *second = T::from_f64(radius * angle.sin());
        }
    }
}

/// Fills `out` with random signs that depend only on `seed`, `key` and the position.
pub fn fill_signs<T: Real>(seed: u64, key: u64, out: &mut [T]) {
    let base = mix(seed ^ mix(key));
    for (word, chunk) in out.chunks_mut(64).enumerate() {
        let bits = mix(base.wrapping_add(word as u64));
        for (bit, value) in chunk.iter_mut().enumerate() {
            *value = T::from_f64(if bits >> bit & 1 == 1 { 1.0 } else { -1.0 });
        }
    }
}

/// A small sequential generator for sampling (pairs of nodes, splits).
///
/// ```
/// use gage_linalg::random::Stream;
/// let (mut a, mut b) = (Stream::new(7), Stream::new(7));
/// assert_eq!(a.below(100), b.below(100));
/// ```
#[derive(Clone, Debug)]
pub struct Stream {
    state: u64,
}

impl Stream {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Stream { state: mix(seed) }
    }

    /// The stream of one item for one purpose: its numbers depend on what they belong to, never on
    /// when or on which thread they are drawn.
    #[inline]
    pub fn keyed(seed: u64, purpose: u64, item: u64) -> Self {
        Stream::new(mix(seed ^ mix(purpose)) ^ item)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.state)
    }

    /// A whole number below `bound` (which is positive), without noticeable bias for bounds up to
    /// 2^32.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// A number in `[0, 1)`.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// One of the two whole numbers around `expected`, at random so that it is their mean.
    pub fn round(&mut self, expected: f64) -> usize {
        expected.floor() as usize + usize::from(self.unit() < expected.fract())
    }

    /// Puts a random sample of `count` of the `items`, in random order, at their front.
    pub fn sample_to_front<T>(&mut self, items: &mut [T], count: usize) {
        for at in 0..count.min(items.len()) {
            items.swap(at, at + self.below(items.len() - at));
        }
    }

    /// Puts `items` into random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_numbers_have_the_right_moments() {
        let mut values = vec![0.0; 100_000];
        fill_normal(7, 42, &mut values);
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|v| v * v).sum::<f64>() / n;
        let fourth = values.iter().map(|v| v.powi(4)).sum::<f64>() / n;
        // Five standard errors of each moment.
        assert!(mean.abs() < 5.0 / n.sqrt(), "mean {mean}");
        assert!((variance - 1.0).abs() < 5.0 * (2.0 / n).sqrt(), "variance {variance}");
        assert!((fourth - 3.0).abs() < 5.0 * (96.0 / n).sqrt(), "fourth moment {fourth}");
    }

    #[test]
    fn prefix_does_not_depend_on_length() {
        let (mut short, mut long) = (vec![0.0; 5], vec![0.0; 50]);
        fill_normal(1, 2, &mut short);
        fill_normal(1, 2, &mut long);
        assert_eq!(short[..4], long[..4]);
    }

    #[test]
    fn numbers_are_uniform() {
        let mut stream = Stream::keyed(1, 2, 3);
        let mut counts = [0; 7];
        let (mut sum, mut rounded) = (0.0, 0);
        for _ in 0..70_000 {
            counts[stream.below(7)] += 1;
            sum += stream.unit();
            rounded += stream.round(2.25);
        }
        // Five standard errors.
        assert!(counts.iter().all(|&count: &i32| (count - 10_000).abs() < 470), "{counts:?}");
        assert!((sum / 70_000.0 - 0.5).abs() < 0.0055);
        assert!((rounded as f64 / 70_000.0 - 2.25).abs() < 0.0083);
    }

    #[test]
    fn shuffle_keeps_every_item() {
        let mut items: Vec<usize> = (0..100).collect();
        Stream::new(3).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
