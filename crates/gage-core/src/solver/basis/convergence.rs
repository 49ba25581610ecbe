//! What further iterations will bring, judged by those that were made.

/// Gains to come, if every one is as much less than the one before as this says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Forecast {
    /// What all further iterations would capture.
    pub(super) to_gain: f64,
    /// A gain over the one before.
    ratio: f64,
}

impl Forecast {
    /// After an iteration that captured this much, where it was `before` it and something else before that (the last but one of all).
    ///
    /// Ratios grow from the first iterations to the later ones, so that is not the last one: it is a third or, from the third
    /// iteration on, twice the last if that is less. (The first of all ratios is that of a random start and says nothing.)
    pub(super) fn new(earlier: &[f64], before: f64, captured: f64) -> Forecast {
        let unknown = Forecast { to_gain: f64::INFINITY, ratio: 1.0 };
        let Some(at) = earlier.len().checked_sub(2) else { return unknown };
        let gain = captured - before;
        let ratio = gain / (before - earlier[at]);
        if gain <= 0.0 {
            return Forecast { to_gain: 0.0, ratio: 0.0 };
        }
        if ratio > 0.0 && ratio < 1.0 {
            let grown = if at == 0 { 1.0 } else { 2.0 * ratio };
            let ratio = ratio.max(grown.min(1.0 / 3.0));
            Forecast { to_gain: gain * ratio / (1.0 - ratio), ratio }
        } else {
            unknown
        }
    }

    /// Iterations until less than `enough` is left to gain.
    pub(super) fn iterations(&self, enough: f64) -> usize {
        if self.to_gain < enough {
            return 0;
        }
        // Infinitely many become as many as there are.
        let more = (self.to_gain / enough).ln() / self.ratio.ln().abs();
        more.ceil().max(1.0) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gains that fall by these ratios; what is expected still to come after every one of them, over what does come.
    fn expected_over_true(ratios: &[f64]) -> Vec<f64> {
        let mut gains = vec![1.0];
        ratios.iter().for_each(|ratio| gains.push(gains[gains.len() - 1] * ratio));
        let mut energies = vec![0.0];
        let mut found = Vec::new();
        for (at, gain) in gains.iter().enumerate() {
            let before = energies[at];
            let to_come: f64 = gains[at + 1..].iter().sum();
            found.push(Forecast::new(&energies, before, before + gain).to_gain / to_come);
            energies.push(before + gain);
        }
        found
    }

    /// Ratios of the gains as they were seen, Wikipedia and WordNet.
    #[test]
    fn what_is_still_to_gain_is_not_underestimated() {
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
        let nothing = Forecast::new(&[0.5, 0.6], 0.6, 0.6);
        assert_eq!((nothing.to_gain, nothing.iterations(1e-9)), (0.0, 0));
        assert_eq!(Forecast::new(&[0.5, 0.6], 0.6, 0.8).to_gain, f64::INFINITY);
    }

    /// By the definition: so many further gains are the first after which less than that is left.
    #[test]
    fn iterations_are_counted_until_enough_is_left() {
        let forecast = Forecast::new(&[0.0, 0.5, 0.6], 0.6, 0.62);
        for enough in [0.5, 0.02, 0.013, 1e-3, 1e-6] {
            let mut left = forecast.to_gain;
            let mut count = 0;
            while left >= enough {
                left *= forecast.ratio;
                count += 1;
            }
            assert_eq!(forecast.iterations(enough), count, "{enough}");
        }
        assert_eq!(forecast.iterations(0.0), usize::MAX);
        assert_eq!(Forecast::new(&[], 0.0, 0.5).iterations(0.1), usize::MAX);
        assert!(Forecast::new(&[0.5, 0.6], 0.6, 0.6).iterations(0.0) >= 1);
    }
}
