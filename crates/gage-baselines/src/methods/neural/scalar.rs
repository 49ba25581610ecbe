//! Elementwise functions of the losses, fast enough to be evaluated for every pair of nodes.

use gage_linalg::Real;

/// Numbers a network is trained in.
pub(super) trait Scalar: Real {
    /// `exp(x)` for `x <= 0`, to working precision.
    fn exp_of_negative(self) -> Self;
}

impl Scalar for f64 {
    #[inline(always)]
    fn exp_of_negative(self) -> f64 {
        self.exp()
    }
}

impl Scalar for f32 {
    /// `2^(n + f)` with `n` whole and `|f| <= 1/2`: the exponent bits give `2^n`, a Taylor
    /// polynomial of degree 6 gives `2^f` to 3e-7, and rounding the argument adds 6e-8 times its
    /// size. Without calls or branches, so that the compiler vectorises the loops over pairs of
    /// nodes; the library's `exp` took two thirds of an epoch.
    #[inline(always)]
    fn exp_of_negative(self) -> f32 {
        let x = (self * std::f32::consts::LOG2_E).max(-126.0);
        // Adding 1.5 * 2^23 rounds to the nearest whole number, which the low bits then hold.
        let shifted = x + 12_582_912.0;
        let whole = shifted - 12_582_912.0;
        let f = (x - whole) * std::f32::consts::LN_2;
        let tail = 1.0 / 24.0 + f * (1.0 / 120.0 + f * (1.0 / 720.0));
        let power = 1.0 + f * (1.0 + f * (0.5 + f * (1.0 / 6.0 + f * tail)));
        let exponent = shifted.to_bits().wrapping_add(127) & 0xff;
        power * f32::from_bits(exponent << 23)
    }
}

/// `1 / (1 + exp(-x))`.
#[inline(always)]
pub(super) fn sigmoid<T: Scalar>(x: T) -> T {
    let e = (if x < T::ZERO { x } else { T::ZERO - x }).exp_of_negative();
    let of_size = T::from_f64(1.0 / (1.0 + e.to_f64()));
    if x < T::ZERO { e * of_size } else { of_size }
}

/// `ln(1 + exp(x))`, without overflow.
pub(super) fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fast_exponential_agrees_with_the_library() {
        for step in 0..200_000 {
            let x = -(step as f32) * 4.3e-4;
            let (fast, exact) = (f64::from(x.exp_of_negative()), f64::from(x).exp());
            // The polynomial; the rounding of the argument and of the factor log2(e).
            let bound = (3e-7 + 8e-8 * f64::from(-x)) * exact + 1.2e-38;
            assert!((fast - exact).abs() <= bound, "{x}: {fast} and {exact}");
        }
        assert!((-1e30f32).exp_of_negative() < 1e-37);
    }

    #[test]
    fn sigmoid_and_softplus_hold_at_both_ends() {
        for x in [-700.0, -3.0, 0.0, 0.5, 30.0, 700.0f64] {
            assert!((sigmoid(x) - 1.0 / (1.0 + (-x).exp())).abs() < 1e-15);
            assert!((softplus(x) - softplus(-x) - x).abs() < 1e-12 * x.abs().max(1.0));
        }
        assert!((f64::from(sigmoid(2.0f32)) - 0.880_797_077_977_882).abs() < 1e-6);
    }
}
