//! Regularised logistic regression for one class, by Newton's method.
//!
//! Minimises `f(w) = |w|^2 / 2 + C sum_i log(1 + exp(-y_i x_i^T w))` with `y_i = +-1`. The Hessian
//! is `H = I + C X^T D X` with `D_i = s_i (1 - s_i)`, `s_i` the logistic function of `x_i^T w`.
//! Each Newton system is solved by conjugate gradients, preconditioned with the Cholesky factor of
//! an earlier Hessian. At `w = 0` every `D_i` is 1/4, so the first factor serves all classes of a
//! split; a class makes one of its own only when its Hessian has moved so far that many steps are
//! needed.

use faer::{Mat, MatRef};

use super::design::Design;
use gage_linalg::Real;
use gage_linalg::small::PsdSolver;

/// Sufficient decrease required of a step, as a share of what the slope promises.
const ARMIJO: f64 = 0.01;

/// Halvings of a step before giving up.
const MAX_HALVINGS: usize = 40;

/// When to stop.
#[derive(Clone, Copy)]
pub(super) struct Stop {
    /// Bound on the length of the gradient relative to that at `w = 0`.
    pub(super) relative_gradient: f64,
    /// Largest number of Newton steps.
    pub(super) max_iterations: usize,
}

/// The minimiser and how it was reached.
pub(super) struct Solution {
    pub(super) weights: Vec<f64>,
    pub(super) iterations: usize,
    pub(super) relative_gradient: f64,
}

/// Factor of the Hessian at `w = 0`, shared by all classes.
pub(super) fn initial_factor<T: Real>(design: &Design<'_, T>, c: f64) -> PsdSolver {
    factor(design, &vec![0.25; design.rows()], c)
}

fn factor<T: Real>(design: &Design<'_, T>, d: &[f64], c: f64) -> PsdSolver {
    let mut hessian = design.gram(d);
    for col in 0..hessian.ncols() {
        for row in 0..hessian.nrows() {
            hessian[(row, col)] = c * hessian[(row, col)] + f64::from(u8::from(row == col));
        }
    }
    PsdSolver::new(hessian.as_ref())
}

/// Fits one class; `positive` has one flag per row of `design`.
pub(super) fn minimise<T: Real>(
    design: &Design<'_, T>,
    positive: &[bool],
    c: f64,
    initial: &PsdSolver,
    stop: Stop,
) -> Solution {
    let width = design.width();
    // Beyond this many conjugate-gradient steps a fresh factor (n p^2 flops, but fast ones) is the
    // cheaper way.
    let patience = (width / 64).max(4);
    let mut weights = vec![0.0; width];
    let mut margins = vec![0.0; design.rows()];
    let mut own: Option<PsdSolver> = None;
    let mut stale = false;
    let mut start_norm = 0.0;
    let mut iterations = 0;
    loop {
        let (gradient, d) = derivatives(design, positive, c, &weights, &margins);
        let norm = dot(&gradient, &gradient).sqrt();
        if iterations == 0 {
            start_norm = norm;
        }
        let relative_gradient = if start_norm > 0.0 { norm / start_norm } else { 0.0 };
        let done = relative_gradient <= stop.relative_gradient;
        if done || iterations == stop.max_iterations {
            return Solution { weights, iterations, relative_gradient };
        }
        if stale {
            own = Some(factor(design, &d, c));
        }
        // Loose far from the minimum, tight near it: keeps the convergence superlinear.
        let accuracy = relative_gradient.sqrt().min(0.1);
        let preconditioner = own.as_ref().unwrap_or(initial);
        let (step, count) =
            newton_step(design, &d, c, &gradient, preconditioner, patience, accuracy);
        stale = count > patience / 2;
        let along = design.times(&step);
        let Some(length) = line_search(positive, c, &weights, &margins, &step, &along, &gradient)
        else {
            // The decrease left is below rounding.
            return Solution { weights, iterations, relative_gradient };
        };
        add_scaled(&mut weights, length, &step);
        add_scaled(&mut margins, length, &along);
        iterations += 1;
    }
}

/// Gradient and the diagonal of `D`.
fn derivatives<T: Real>(
    design: &Design<'_, T>,
    positive: &[bool],
    c: f64,
    weights: &[f64],
    margins: &[f64],
) -> (Vec<f64>, Vec<f64>) {
    let mut pull = Vec::with_capacity(margins.len());
    let mut d = Vec::with_capacity(margins.len());
    for (&margin, &positive) in margins.iter().zip(positive) {
        // exp of a negative number only: cannot overflow.
        let small = (-margin.abs()).exp();
        let far = small / (1.0 + small);
        let near = 1.0 / (1.0 + small);
        d.push(far * near);
        pull.push(match (positive, margin > 0.0) {
            (true, true) => -c * far,
            (true, false) => -c * near,
            (false, true) => c * near,
            (false, false) => c * far,
        });
    }
    let mut gradient = design.transposed_times(&pull);
    add_scaled(&mut gradient, 1.0, weights);
    (gradient, d)
}

/// Solves `H s = -g` to `accuracy` (in the norm of the preconditioner) or for at most `patience`
/// steps; also says how many were used. Any prefix of conjugate gradients gives a direction of
/// descent.
fn newton_step<T: Real>(
    design: &Design<'_, T>,
    d: &[f64],
    c: f64,
    gradient: &[f64],
    preconditioner: &PsdSolver,
    patience: usize,
    accuracy: f64,
) -> (Vec<f64>, usize) {
    let mut step = vec![0.0; gradient.len()];
    let mut residual: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut solved = precondition(preconditioner, &residual);
    let mut direction = solved.clone();
    let mut energy = dot(&residual, &solved);
    let target = energy * accuracy * accuracy;
    for count in 1..=patience {
        let mut product = design.curvature_times(d, &direction);
        for (product, &direction) in product.iter_mut().zip(&direction) {
            *product = c * *product + direction;
        }
        let curvature = dot(&direction, &product);
        if !(curvature > 0.0 && energy > 0.0) {
            return (step, count);
        }
        let length = energy / curvature;
        add_scaled(&mut step, length, &direction);
        add_scaled(&mut residual, -length, &product);
        solved = precondition(preconditioner, &residual);
        let next = dot(&residual, &solved);
        if next <= target {
            return (step, count);
        }
        let ratio = next / energy;
        for (direction, &solved) in direction.iter_mut().zip(&solved) {
            *direction = solved + ratio * *direction;
        }
        energy = next;
    }
    (step, patience)
}

fn precondition(preconditioner: &PsdSolver, v: &[f64]) -> Vec<f64> {
    let solved: Mat<f64> = preconditioner.solve(MatRef::from_column_major_slice(v, v.len(), 1));
    solved.col(0).iter().copied().collect()
}

/// Length of the step, 1 or a power of 1/2, that lowers the objective enough; `None` when none
/// does.
fn line_search(
    positive: &[bool],
    c: f64,
    weights: &[f64],
    margins: &[f64],
    step: &[f64],
    along: &[f64],
    gradient: &[f64],
) -> Option<f64> {
    let slope = dot(gradient, step);
    if slope.is_nan() || slope >= 0.0 {
        return None;
    }
    let (cross, square) = (dot(weights, step), dot(step, step));
    let loss = |length: f64| -> f64 {
        let rows = margins.iter().zip(along).zip(positive);
        rows.map(|((margin, along), &positive)| {
            let margin = margin + length * along;
            softplus(if positive { -margin } else { margin })
        })
        .sum()
    };
    let start = c * loss(0.0);
    let rounding = 4.0 * f64::EPSILON * (start + dot(weights, weights));
    let mut length = 1.0;
    for _ in 0..MAX_HALVINGS {
        let change = c * loss(length) - start + length * (cross + 0.5 * length * square);
        if change <= ARMIJO * length * slope + rounding {
            return Some(length);
        }
        length *= 0.5;
    }
    None
}

/// `log(1 + exp(x))` without overflow.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add_scaled(a: &mut [f64], factor: f64, b: &[f64]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a += factor * b;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{clouds, random};
    use gage_linalg::Tall;

    fn solve(embedding: &Tall<f64>, positive: &[bool], c: f64) -> (Solution, f64) {
        let rows: Vec<u32> = (0..embedding.rows() as u32).collect();
        let design = Design::new(embedding, &rows);
        let stop = Stop { relative_gradient: 1e-9, max_iterations: 100 };
        let solution = minimise(&design, positive, c, &initial_factor(&design, c), stop);
        let margins = design.times(&solution.weights);
        let (gradient, _) = derivatives(&design, positive, c, &solution.weights, &margins);
        let start =
            derivatives(&design, positive, c, &vec![0.0; design.width()], &vec![0.0; rows.len()]).0;
        let ratio = (dot(&gradient, &gradient) / dot(&start, &start)).sqrt();
        (solution, ratio)
    }

    #[test]
    fn the_gradient_vanishes_at_the_solution() {
        // From nearly no data term to nearly separable and badly scaled.
        for (distance, c) in [(0.5, 1e-6), (0.5, 1.0), (4.0, 1.0), (4.0, 1e6), (1e4, 1.0)] {
            let (embedding, numbers) = clouds(400, 20, 3, distance, 5);
            let positive: Vec<bool> = numbers.iter().map(|&class| class == 0).collect();
            let (solution, ratio) = solve(&embedding, &positive, c);
            assert!(ratio < 1e-8, "distance {distance}, C {c}: gradient {ratio}");
            assert!(solution.iterations < 60, "{} iterations", solution.iterations);
        }
    }

    #[test]
    fn repeated_and_empty_columns_do_no_harm() {
        let base = random(100, 3, 8);
        let embedding = Tall::from_rows(100, 8, |row, out: &mut [f64]| {
            for copy in 0..2 {
                out[3 * copy..3 * copy + 3].copy_from_slice(base.row(row));
            }
        });
        let positive: Vec<bool> = (0..100).map(|row| base.row(row)[0] > 0.3).collect();
        let (solution, ratio) = solve(&embedding, &positive, 10.0);
        assert!(ratio < 1e-8);
        // By symmetry equal columns get equal weights, empty ones none.
        assert!((solution.weights[0] - solution.weights[3]).abs() < 1e-6);
        assert!(solution.weights[6].abs() < 1e-12);
    }

    #[test]
    fn one_sided_labels_have_a_minimiser() {
        let embedding = random(50, 4, 9);
        let (solution, ratio) = solve(&embedding, &[true; 50], 1.0);
        assert!(ratio < 1e-8 && solution.weights[4] > 0.0);
    }
}
