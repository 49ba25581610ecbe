//! The minimum of a polynomial of degree four, in closed form.

/// The `h` with the smallest value of `a_0 + a_1 h + ... + a_4 h^4`, and that value less `a_0`.
pub(crate) fn minimise(a: &[f64; 5]) -> (f64, f64) {
    let gain = |h: f64| h * (a[1] + h * (a[2] + h * (a[3] + h * a[4])));
    let slope = |h: f64| a[1] + h * (2.0 * a[2] + h * (3.0 * a[3] + h * 4.0 * a[4]));
    let mut best = (0.0, 0.0);
    for h in cubic_roots(4.0 * a[4], 3.0 * a[3], 2.0 * a[2], a[1]) {
        // One Newton step cleans up the closed form's rounding.
        let curvature = 2.0 * a[2] + h * (6.0 * a[3] + h * 12.0 * a[4]);
        let polished = if curvature > 0.0 { h - slope(h) / curvature } else { h };
        for candidate in [h, polished] {
            if candidate.is_finite() && gain(candidate) < best.1 {
                best = (candidate, gain(candidate));
            }
        }
    }
    best
}

/// Real roots of `a x^3 + b x^2 + c x + d`.
fn cubic_roots(a: f64, b: f64, c: f64, d: f64) -> Vec<f64> {
    let scale = a.abs().max(b.abs()).max(c.abs()).max(d.abs());
    if scale == 0.0 || !scale.is_finite() {
        return Vec::new();
    }
    let (a, b, c, d) = (a / scale, b / scale, c / scale, d / scale);
    if a.abs() < 1e-14 {
        return quadratic_roots(b, c, d);
    }
    let (b, c, d) = (b / a, c / a, d / a);
    let shift = b / 3.0;
    let p = c - b * b / 3.0;
    let q = 2.0 * b.powi(3) / 27.0 - b * c / 3.0 + d;
    let discriminant = (q / 2.0).powi(2) + (p / 3.0).powi(3);
    if discriminant > 0.0 {
        let root = discriminant.sqrt();
        // The larger of the two terms, the other from their product: no cancellation.
        let u = if q > 0.0 { (-q / 2.0 - root).cbrt() } else { (-q / 2.0 + root).cbrt() };
        let v = if u == 0.0 { 0.0 } else { -p / (3.0 * u) };
        return vec![u + v - shift];
    }
    let radius = (-p / 3.0).max(0.0).sqrt();
    if radius == 0.0 {
        return vec![-shift];
    }
    let angle = (-q / (2.0 * radius.powi(3))).clamp(-1.0, 1.0).acos();
    (0..3)
        .map(|k| {
            2.0 * radius * ((angle - std::f64::consts::TAU * f64::from(k)) / 3.0).cos() - shift
        })
        .collect()
}

fn quadratic_roots(a: f64, b: f64, c: f64) -> Vec<f64> {
    if a.abs() < 1e-14 {
        return if b == 0.0 { Vec::new() } else { vec![-c / b] };
    }
    let discriminant = b * b - 4.0 * a * c;
    if discriminant < 0.0 {
        return Vec::new();
    }
    let q = -0.5 * (b + b.signum() * discriminant.sqrt());
    let mut roots = vec![q / a];
    if q != 0.0 {
        roots.push(c / q);
    }
    roots
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// No point of a fine grid is better than the reported minimum.
        #[test]
        fn finds_the_global_minimum(
            a1 in -5.0..5.0f64, a2 in -5.0..5.0f64, a3 in -5.0..5.0f64, a4 in 0.1..5.0f64,
        ) {
            let a = [0.0, a1, a2, a3, a4];
            let (_, gain) = minimise(&a);
            for step in -4000..4000 {
                let h = f64::from(step) * 0.01;
                let value = h * (a1 + h * (a2 + h * (a3 + h * a4)));
                prop_assert!(gain <= value + 1e-9);
            }
        }
    }
}
