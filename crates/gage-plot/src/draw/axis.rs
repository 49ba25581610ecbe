//! Axes of a chart: scales, spans and round ticks.

/// How places become lengths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    #[default]
    Linear,
    /// By powers of two, for places above zero such as numbers of columns; ticks stand at the
    /// places themselves.
    Log2,
}

/// Where the axes are, and what they span.
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
    pub(super) x: (f64, f64),
    pub(super) y: (f64, f64),
    pub(super) scale: Scale,
}

impl Frame {
    pub(super) fn across(&self, x: f64) -> f64 {
        let place = |x: f64| match self.scale {
            Scale::Linear => x,
            Scale::Log2 => x.max(f64::MIN_POSITIVE).log2(),
        };
        let (low, high) = (place(self.x.0), place(self.x.1));
        self.left + (place(x) - low) / (high - low) * (self.right - self.left)
    }

    pub(super) fn up(&self, y: f64) -> f64 {
        let y = y.clamp(self.y.0, self.y.1);
        self.bottom - (y - self.y.0) / (self.y.1 - self.y.0) * (self.bottom - self.top)
    }
}

/// The span of finite numbers, never empty.
pub(super) fn span(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .filter(|value| value.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    match low < high {
        true => (low, high),
        false if low.is_finite() => (low - 0.5, low + 0.5),
        false => (0.0, 1.0),
    }
}

/// A round step (1, 2 or 5 times a power of ten) that divides a span into about `count` parts.
pub(super) fn round_step((low, high): (f64, f64), count: f64) -> f64 {
    let rough = ((high - low) / count).max(f64::MIN_POSITIVE);
    let power = 10f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|f| f * power >= 0.999 * rough);
    factor.unwrap_or(10.0) * power
}

/// Round numbers within a span.
pub(super) fn ticks(ends: (f64, f64), count: f64) -> Vec<f64> {
    let step = round_step(ends, count);
    let first = (ends.0 / step - 1e-9).ceil() as i64;
    let last = (ends.1 / step + 1e-9).floor() as i64;
    (first..=last).map(|at| at as f64 * step).collect()
}

/// A number with as many digits as its step needs.
pub(super) fn number(value: f64, step: f64) -> String {
    let digits = (-step.log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{value:.digits$}").replace("-0.0", "0.0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within() {
        let close = |found: Vec<f64>, expected: &[f64]| {
            assert_eq!(found.len(), expected.len(), "{found:?}");
            found.iter().zip(expected).for_each(|(a, b)| assert!((a - b).abs() < 1e-12));
        };
        close(ticks((0.0, 1.0), 10.0), &[0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]);
        close(ticks((0.48, 0.83), 6.0), &[0.5, 0.6, 0.7, 0.8]);
        close(ticks((-3.0, 250.0), 6.0), &[0.0, 50.0, 100.0, 150.0, 200.0, 250.0]);
        assert_eq!(number(0.30000000000000004, 0.1), "0.3");
        assert_eq!(number(250.0, 50.0), "250");
    }
}
