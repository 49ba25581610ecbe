//! Joint diagonalisation of the slabs by a definite pencil.
//!
//! For two positive semi-definite slabs let `T = a_1 S_1 + a_2 S_2 = L L^T` on its range and `L^+
//! (a_1 S_1) L^+T = Q diag(mu) Q^T`. Then with `U = L Q`
//!
//! ```text
//! S_1 = U diag(mu / a_1) U^T,      S_2 = U diag((1 - mu) / a_2) U^T,      0 <= mu <= 1
//! ```
//!
//! exactly: real and non-negative, also for singular slabs. The paper takes the eigenvectors
//! of `S_2 S_1^-1` instead, which breaks down when `S_1` is singular and may turn complex. For
//! other numbers of slabs the pencil is one slab (or a combination) against the sum of all. The
//! best of several choices is kept, and least squares improve it.

use std::sync::Arc;

use faer::Mat;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use gage_linalg::small::{column_products, norm_squared, symmetric_eigen, symmetric_eigen_in};

use super::core_tensor::{CoreFactors, CoreTensor, symmetric};
use super::line_search::ViewTerms;
use super::nnls::Nnls;

/// Eigenvalues closer than this (they lie in [0, 1]) are taken as equal: their axes are not
/// determined by the pencil and are chosen orthogonal instead.
const TIE: f64 = 1e-9;

/// What the pencil found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PencilInfo {
    /// Number of dimensions with any energy; further columns are zero.
    pub rank: usize,
    /// Relative loss on the compressed tensor after the pencil.
    pub relative_loss: f64,
    /// Number of axes whose eigenvalue equals another one to rounding: only their span is
    /// determined.
    pub tied_axes: usize,
}

/// Factorises the core with `f` columns: compresses it to its best `f`-dimensional subspace and
/// solves the pencil there.
pub(crate) fn pencil(core: &CoreTensor, f: usize) -> (CoreFactors, PencilInfo) {
    let subspace = core.dominant_subspace(f);
    let small = core.compressed(subspace.as_ref());
    let traces: Vec<f64> = small.slabs.iter().map(trace).collect();
    let largest = traces.iter().copied().fold(0.0, f64::max);
    let scale: Vec<f64> = traces
        .iter()
        .map(|&t| if t > 1e-300 && t > 1e-30 * largest { 1.0 / t } else { 0.0 })
        .collect();
    let whitener = Whitener::new(&small, &scale);
    let solutions: Vec<(f64, Solution)> = combinations(small.slabs.len())
        .par_iter()
        .map(|mix| solve(&small, &scale, mix, &whitener))
        .map(|solution| (loss_of(&small, &solution), solution))
        .collect();
    // The first of the best.
    let best = solutions.into_iter().min_by(|a, b| a.0.total_cmp(&b.0));
    let (loss, solution) = best.unwrap_or_else(|| {
        let empty = CoreFactors { u: Mat::zeros(small.width(), 0), c: Vec::new() };
        (0.0, Solution { factors: empty, tied: 0 })
    });
    let total = small.energy();
    let info = PencilInfo {
        rank: solution.factors.u.ncols(),
        relative_loss: if total > 0.0 { (loss / total).max(0.0) } else { 0.0 },
        tied_axes: solution.tied,
    };
    let u = &subspace * &solution.factors.u;
    (CoreFactors { u, c: solution.factors.c }, info)
}

struct Solution {
    factors: CoreFactors,
    tied: usize,
}

fn trace(m: &Mat<f64>) -> f64 {
    (0..m.ncols()).map(|i| m[(i, i)]).sum()
}

/// Slabs that are paired with the sum of all: the first of two; for more, each in turn and a
/// ramp over all.
fn combinations(k: usize) -> Vec<Vec<f64>> {
    if k <= 2 {
        return vec![(0..k).map(|i| f64::from(u8::from(i == 0))).collect()];
    }
    let mut all: Vec<Vec<f64>> =
        (0..k).map(|one| (0..k).map(|i| f64::from(u8::from(i == one))).collect()).collect();
    all.push((0..k).map(|i| i as f64 / (k - 1) as f64).collect());
    // A ramp in golden-ratio steps tells apart slabs that the straight one cannot.
    all.push((0..k).map(|i| (i as f64 * 0.618_033_988_749_895).fract()).collect());
    all
}

/// `T = sum_k a_k S_k = L L^T` on its range, and the inverse of `L` there: the same whatever is
/// paired with it.
struct Whitener {
    root: Mat<f64>,
    inverse: Mat<f64>,
}

impl Whitener {
    fn new(core: &CoreTensor, scale: &[f64]) -> Whitener {
        let f = core.width();
        let total = combined(core, scale.iter().copied());
        let (values, vectors) = symmetric_eigen_in(&core.workspace, total.as_ref());
        let top = values.first().copied().unwrap_or(0.0);
        let rank = values.iter().take_while(|&&v| v > 0.0 && v > 1e-13 * top * f as f64).count();
        Whitener {
            root: Mat::from_fn(f, rank, |i, j| vectors[(i, j)] * values[j].sqrt()),
            inverse: Mat::from_fn(f, rank, |i, j| vectors[(i, j)] / values[j].sqrt()),
        }
    }
}

/// `sum_k a_k S_k`.
fn combined(core: &CoreTensor, factors: impl Iterator<Item = f64>) -> Mat<f64> {
    let mut sum = Mat::<f64>::zeros(core.width(), core.width());
    for (slab, factor) in core.slabs.iter().zip(factors) {
        sum += faer::Scale(factor) * slab;
    }
    sum
}

fn solve(core: &CoreTensor, scale: &[f64], mix: &[f64], whitener: &Whitener) -> Solution {
    let part = combined(core, scale.iter().zip(mix).map(|(a, share)| a * share));
    let Whitener { root, inverse } = whitener;
    let whitened = symmetric(&(inverse.transpose() * &part * inverse));
    let (mu, rotation) = symmetric_eigen_in(&core.workspace, whitened.as_ref());
    let mut u = root * &rotation;
    let tied = separate_ties(&mu, &mut u);
    let norms = normalise(&mut u);
    let c = if core.slabs.len() <= 2 {
        // The closed form: exact, where least squares would lose digits on nearly parallel columns.
        let shares = [
            mu.iter().map(|m| m.clamp(0.0, 1.0)).collect::<Vec<_>>(),
            mu.iter().map(|m| (1.0 - m).clamp(0.0, 1.0)).collect(),
        ];
        scale
            .iter()
            .zip(shares)
            .map(|(&a, share)| {
                let unit = if a > 0.0 { 1.0 / a } else { 0.0 };
                share.iter().zip(&norms).map(|(share, norm)| unit * share * norm * norm).collect()
            })
            .collect()
    } else {
        coefficients(core, &u)
    };
    Solution { factors: CoreFactors { u, c }, tied }
}

/// Within groups of equal eigenvalues, turns the columns so that they are orthogonal. Returns how
/// many are tied.
fn separate_ties(mu: &[f64], u: &mut Mat<f64>) -> usize {
    let mut tied = 0;
    let mut first = 0;
    while first < mu.len() {
        let mut end = first + 1;
        while end < mu.len() && (mu[end - 1] - mu[end]).abs() < TIE {
            end += 1;
        }
        if end - first > 1 {
            tied += end - first;
            let block = u.subcols(first, end - first).to_owned();
            let (_, turn) = symmetric_eigen((block.transpose() * &block).as_ref());
            let turned = &block * turn;
            u.subcols_mut(first, end - first).copy_from(turned);
        }
        first = end;
    }
    tied
}

/// Scales the columns to length one and returns the lengths they had.
fn normalise(u: &mut Mat<f64>) -> Vec<f64> {
    let lengths: Vec<f64> = (0..u.ncols()).map(|j| norm_squared(u.subcols(j, 1)).sqrt()).collect();
    for (j, length) in lengths.iter().enumerate().filter(|(_, length)| **length > 0.0) {
        for i in 0..u.nrows() {
            u[(i, j)] /= length;
        }
    }
    lengths
}

/// Non-negative least squares for every slab, given unit columns `u`.
fn coefficients(core: &CoreTensor, u: &Mat<f64>) -> Vec<Vec<f64>> {
    let gram = u.transpose() * u;
    let nnls = Nnls::new(Mat::from_fn(gram.nrows(), gram.ncols(), |i, j| gram[(i, j)].powi(2)));
    core.slabs.iter().map(|slab| nnls.solve(&diagonal_energy(slab, u), None)).collect()
}

/// `diag(U^T S U)`.
pub(crate) fn diagonal_energy(slab: &Mat<f64>, u: &Mat<f64>) -> Vec<f64> {
    column_products(u, &(slab * u))
}

fn loss_of(core: &CoreTensor, solution: &Solution) -> f64 {
    let u = &solution.factors.u;
    let gram = Arc::new(u.transpose() * u);
    core.slabs
        .iter()
        .zip(&core.weights)
        .zip(&solution.factors.c)
        .map(|((slab, weight), c)| {
            let terms = ViewTerms { energy: diagonal_energy(slab, u), gram: gram.clone() };
            weight * weight * (norm_squared(slab.as_ref()) + terms.loss(c))
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gage_linalg::random::fill_normal;

    fn planted(p: usize, f: usize, c: &[Vec<f64>]) -> CoreTensor {
        let mut values = vec![0.0; p * f];
        fill_normal(5, 0, &mut values);
        let u = Mat::from_fn(p, f, |i, j| values[i * f + j]);
        let slabs =
            c.iter().map(|c| Mat::from_fn(p, f, |i, j| u[(i, j)] * c[j]) * u.transpose()).collect();
        CoreTensor::new(slabs, vec![1.0; c.len()], &gage_linalg::Workspace::default())
    }

    #[test]
    fn two_exact_slabs_are_fitted_exactly() {
        let core = planted(9, 4, &[vec![1.0, 2.0, 3.0, 0.0], vec![4.0, 1.0, 0.5, 2.0]]);
        let (factors, info) = pencil(&core, 6);
        assert_eq!(info.rank, 4);
        assert!(info.relative_loss < 1e-20, "{}", info.relative_loss);
        assert!(factors.c.iter().flatten().all(|&c| c >= 0.0));
    }

    #[test]
    fn a_zero_slab_and_a_single_slab_are_fine() {
        let single = planted(8, 3, &[vec![3.0, 2.0, 1.0]]);
        let (factors, info) = pencil(&single, 3);
        assert!(info.relative_loss < 1e-20);
        // One slab determines only the span; the axes chosen are orthogonal.
        let gram = factors.u.transpose() * &factors.u;
        assert!(norm_squared((gram - Mat::<f64>::identity(3, 3)).as_ref()) < 1e-20);
        let with_zero = planted(8, 3, &[vec![0.0; 3], vec![3.0, 2.0, 1.0]]);
        let (factors, info) = pencil(&with_zero, 3);
        assert!(info.relative_loss < 1e-20);
        assert!(factors.c[0].iter().all(|&c| c == 0.0));
    }
}
