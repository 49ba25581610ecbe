//! Random numbers that depend on what they belong to (seed, purpose, item), never on when or on which thread.

pub(crate) use gage_embed::linalg::mix;

/// A stream of numbers for one item.
#[derive(Clone, Debug)]
pub(crate) struct Stream(u64);

impl Stream {
    /// The stream of `item` for one purpose under one seed.
    #[inline]
    pub(crate) fn new(seed: u64, purpose: u64, item: u64) -> Stream {
        Stream(mix(mix(seed ^ mix(purpose)) ^ item))
    }

    /// 64 random bits.
    #[inline]
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number in `[0, 1)`.
    #[inline]
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A whole number below `bound`, which is positive.
    #[inline]
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
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
