//! Random numbers that depend on what they belong to (seed, purpose, item), never on when or on which thread.

use gage_linalg::random::mix;

/// A stream of numbers for one item.
#[derive(Clone, Debug)]
pub struct Stream(gage_linalg::random::Stream);

impl Stream {
    /// The stream of `item` for one purpose under one seed.
    #[inline]
    pub fn new(seed: u64, purpose: u64, item: u64) -> Stream {
        Stream(gage_linalg::random::Stream::new(mix(seed ^ mix(purpose)) ^ item))
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number in `[0, 1)`.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A whole number below `bound`, which is positive.
    #[inline]
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_uniform() {
        let mut stream = Stream::new(1, 2, 3);
        let mut counts = [0; 7];
        let mut sum = 0.0;
        for _ in 0..70_000 {
            counts[stream.below(7)] += 1;
            sum += stream.unit();
        }
        // Five standard errors.
        assert!(counts.iter().all(|&count: &i32| (count - 10_000).abs() < 470), "{counts:?}");
        assert!((sum / 70_000.0 - 0.5).abs() < 0.0055);
    }
}
