//! Estimates the distance to convergence by extrapolating the gains of the iterations.

/// What further iterations will gain, if every gain is as much less than the one before as `ratio`
/// says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Convergence {
    /// What all further iterations would capture.
    pub(super) remaining_gain: f64,
    /// A gain over the one before.
    ratio: f64,
}

impl Convergence {
    /// After an iteration that captured this much, where it was `before` it and something else
    /// before that (the last but one of `earlier`).
    ///
    /// Gain ratios grow between iterations, so the last ratio `r` is extrapolated with
    /// `max(r, min(2r, 1/3))`, or `max(r, 1/3)` after the second iteration. The first ratio of all
    /// is that of a random block and carries no information.
    pub(super) fn estimate(earlier: &[f64], before: f64, captured: f64) -> Convergence {
        let unknown = Convergence { remaining_gain: f64::INFINITY, ratio: 1.0 };
        let Some(at) = earlier.len().checked_sub(2) else { return unknown };
        let gain = captured - before;
        let ratio = gain / (before - earlier[at]);
        if gain <= 0.0 {
            return Convergence { remaining_gain: 0.0, ratio: 0.0 };
        }
        if ratio > 0.0 && ratio < 1.0 {
            let grown = if at == 0 { 1.0 } else { 2.0 * ratio };
            let ratio = ratio.max(grown.min(1.0 / 3.0));
            Convergence { remaining_gain: gain * ratio / (1.0 - ratio), ratio }
        } else {
            unknown
        }
    }

    /// Iterations until less than `enough` is left to gain.
    pub(super) fn iterations(&self, enough: f64) -> usize {
        if self.remaining_gain < enough {
            return 0;
        }
        // Infinitely many become as many as there are.
        let more = (self.remaining_gain / enough).ln() / self.ratio.ln().abs();
        more.ceil().max(1.0) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gains that fall by these ratios: what is expected still to come after every one of them,
    /// over what does come.
    fn expected_over_true(ratios: &[f64]) -> Vec<f64> {
        let mut gains = vec![1.0];
        ratios.iter().for_each(|ratio| gains.push(gains[gains.len() - 1] * ratio));
        let mut energies = vec![0.0];
        let mut found = Vec::new();
        for (at, gain) in gains.iter().enumerate() {
            let before = energies[at];
            let to_come: f64 = gains[at + 1..].iter().sum();
            found.push(
                Convergence::estimate(&energies, before, before + gain).remaining_gain / to_come,
            );
            energies.push(before + gain);
        }
        found
    }

    /// Ratios of the gains as they were seen, Wikipedia and WordNet.
    #[test]
    fn what_is_still_remaining_gain_is_not_underestimated() {
        for ratios in [[0.029, 0.107, 0.158, 0.223, 0.215], [0.080, 0.164, 0.254, 0.298, 0.331]] {
            let found = expected_over_true(&ratios);
            assert!(found[0].is_infinite(), "two gains are needed");
            assert!(found[1..4].iter().all(|&f| (1.0..5.0).contains(&f)), "{found:?}");
            // Twice the ratio is closer than a third.
            assert!(found[2] < 2.0, "{found:?}");
        }
    }

    #[test]
    fn nothing_is_expected_where_nothing_was_gained() {
        let nothing = Convergence::estimate(&[0.5, 0.6], 0.6, 0.6);
        assert_eq!((nothing.remaining_gain, nothing.iterations(1e-9)), (0.0, 0));
        assert_eq!(Convergence::estimate(&[0.5, 0.6], 0.6, 0.8).remaining_gain, f64::INFINITY);
    }

    /// By the definition: so many further gains are the first after which less than that is
    /// left.
    #[test]
    fn iterations_are_counted_until_enough_is_left() {
        let convergence = Convergence::estimate(&[0.0, 0.5, 0.6], 0.6, 0.62);
        for enough in [0.5, 0.02, 0.013, 1e-3, 1e-6] {
            let mut left = convergence.remaining_gain;
            let mut count = 0;
            while left >= enough {
                left *= convergence.ratio;
                count += 1;
            }
            assert_eq!(convergence.iterations(enough), count, "{enough}");
        }
        assert_eq!(convergence.iterations(0.0), usize::MAX);
        assert_eq!(Convergence::estimate(&[], 0.0, 0.5).iterations(0.1), usize::MAX);
        assert!(Convergence::estimate(&[0.5, 0.6], 0.6, 0.6).iterations(0.0) >= 1);
    }
}
