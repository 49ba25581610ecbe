//! The core tensor: every view seen through the basis.

use std::sync::OnceLock;

use faer::{Mat, MatRef};
use rayon::prelude::*;

use crate::linalg::meter::metered_small;
use crate::linalg::small::{norm_squared, symmetric_eigen};

/// `S_k = V^T X_k V` for an orthonormal basis `V` of `p` columns: `K` symmetric positive semi-definite `p x p` slabs.
///
/// `||X_k||^2 - ||S_k||^2` is what the basis leaves out of view `k`; from here on nothing touches the data.
#[derive(Clone, Debug)]
pub(crate) struct CoreTensor {
    pub(crate) slabs: Vec<Mat<f64>>,
    /// Loss weights `w_k` of the (unit-norm) views.
    pub(crate) weights: Vec<f64>,
    directions: OnceLock<(Vec<f64>, Mat<f64>)>,
}

/// Factors of the core: `S_k ~ U diag(c_k) U^T` with `U` of size `p x F`.
#[derive(Clone, Debug)]
pub(crate) struct CoreFactors {
    pub(crate) u: Mat<f64>,
    pub(crate) c: Vec<Vec<f64>>,
}

impl CoreTensor {
    pub(crate) fn new(slabs: Vec<Mat<f64>>, weights: Vec<f64>) -> CoreTensor {
        CoreTensor { slabs, weights, directions: OnceLock::new() }
    }

    /// Width of the basis.
    pub(crate) fn width(&self) -> usize {
        self.slabs.first().map_or(0, Mat::ncols)
    }

    /// `sum_k w_k^2 ||S_k||^2`.
    pub(crate) fn energy(&self) -> f64 {
        self.slabs.iter().zip(&self.weights).map(|(s, w)| w * w * norm_squared(s.as_ref())).sum()
    }

    /// `sum_k w_k^2 S_k^2`, whose eigenvalues say how much each direction of the basis matters.
    pub(crate) fn importance(&self) -> Mat<f64> {
        self.sum_of_squares(&self.slabs)
    }

    /// `sum_k w_k^2 A_k A_k^T` of a matrix for every view, added in the order of the views.
    fn sum_of_squares(&self, of_views: &[Mat<f64>]) -> Mat<f64> {
        let flops = of_views.iter().map(|a| 2 * a.nrows().pow(2) * a.ncols()).sum();
        let parts: Vec<Mat<f64>> =
            metered_small(flops, || of_views.par_iter().map(|a| a * a.transpose()).collect());
        let mut sum = Mat::zeros(self.width(), self.width());
        for (part, weight) in parts.into_iter().zip(&self.weights) {
            sum += faer::Scale(weight * weight) * part;
        }
        sum
    }

    /// All `S_k U`.
    pub(crate) fn times(&self, u: &Mat<f64>) -> Vec<Mat<f64>> {
        metered_small(self.times_flops(u), || self.times_unmetered(u))
    }

    /// The same as a part of something that is metered.
    pub(crate) fn times_unmetered(&self, u: &Mat<f64>) -> Vec<Mat<f64>> {
        self.slabs.par_iter().map(|slab| slab * u).collect()
    }

    /// Operations of [`times`](Self::times).
    pub(crate) fn times_flops(&self, u: &Mat<f64>) -> usize {
        2 * self.slabs.len() * u.nrows().pow(2) * u.ncols()
    }

    /// The tensor seen through `p x q` orthonormal columns.
    pub(crate) fn compressed(&self, w: MatRef<'_, f64>) -> CoreTensor {
        let (p, q) = (w.nrows(), w.ncols());
        let flops = 2 * self.slabs.len() * p * q * (p + q);
        let seen = || self.slabs.par_iter().map(|s| symmetric(&(w.transpose() * s * w))).collect();
        CoreTensor::new(metered_small(flops, seen), self.weights.clone())
    }

    /// Eigenvalues and eigenvectors of [`importance`](Self::importance), the most important first. Computed once.
    pub(crate) fn directions(&self) -> (&[f64], &Mat<f64>) {
        let compute = || symmetric_eigen(self.importance().as_ref());
        let (values, vectors) = self.directions.get_or_init(compute);
        (values, vectors)
    }

    /// Energy in the first `f` of some orthonormal directions.
    pub(crate) fn energy_within(&self, directions: &Mat<f64>, f: usize) -> f64 {
        self.compressed(directions.subcols(0, f.min(directions.ncols()))).energy()
    }

    /// The fewest of some directions that hold this much energy, if all together do.
    pub(crate) fn enough(&self, directions: &Mat<f64>, energy: f64) -> Option<usize> {
        fewest(directions.ncols(), |f| self.energy_within(directions, f) >= energy)
    }

    /// The `f`-dimensional subspace that captures most of the tensor: maximises `sum_k w_k^2 ||W^T S_k W||^2`.
    ///
    /// Starts from the dominant eigenvectors of [`importance`](Self::importance) and improves them by orthogonal
    /// iteration on `sum_k w_k^2 S_k W W^T S_k` (higher-order orthogonal iteration of a symmetric tensor).
    pub(crate) fn dominant_subspace(&self, f: usize) -> Mat<f64> {
        let f = f.min(self.width());
        let mut w = self.directions().1.subcols(0, f).to_owned();
        if f == self.width() || self.slabs.len() < 2 {
            return w;
        }
        // `S_k W`, and the energy seen through `W`.
        let seen = |w: &Mat<f64>| -> (Vec<Mat<f64>>, f64) {
            let through = |slab: &Mat<f64>| {
                let product = slab * w;
                let energy = norm_squared((w.transpose() * &product).as_ref());
                (product, energy)
            };
            let (p, q) = (w.nrows(), w.ncols());
            let (products, energies): (Vec<_>, Vec<f64>) =
                metered_small(2 * self.slabs.len() * p * q * (p + q), || {
                    self.slabs.par_iter().map(through).unzip()
                });
            let energy = energies.iter().zip(&self.weights).map(|(e, weight)| weight * weight * e);
            (products, energy.sum())
        };
        let (mut products, mut captured) = seen(&w);
        for _ in 0..8 {
            let m = self.sum_of_squares(&products);
            let (_, vectors) = symmetric_eigen(m.as_ref());
            let next = vectors.subcols(0, f).to_owned();
            let (next_products, energy) = seen(&next);
            let (gain, left) = (energy - captured, self.energy() - captured);
            if gain <= 0.0 {
                break;
            }
            (w, products, captured) = (next, next_products, energy);
            if gain < 1e-4 * left {
                break;
            }
        }
        w
    }
}

/// Bisection for the smallest number from 1 to `most` that is good enough, if `most` is (quality grows with the number,
/// up to sampling noise).
pub(crate) fn fewest(most: usize, good: impl Fn(usize) -> bool) -> Option<usize> {
    if most == 0 || !good(most) {
        return None;
    }
    let (mut low, mut high) = (1, most);
    while low < high {
        let middle = (low + high) / 2;
        if good(middle) { high = middle } else { low = middle + 1 }
    }
    Some(low)
}

/// The symmetric part, which rounding may have disturbed.
pub(crate) fn symmetric(a: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| 0.5 * (a[(i, j)] + a[(j, i)]))
}
