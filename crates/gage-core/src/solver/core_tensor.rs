//! The core tensor: the Gram matrix of every view, projected onto the basis.

use std::sync::OnceLock;

use faer::{Mat, MatRef, Side};
use rayon::prelude::*;

use gage_linalg::Workspace;
use gage_linalg::small::{norm_squared, symmetric_eigen_in};

/// `S_k = V^T X_k V` for an orthonormal basis `V` of `p` columns: `K` symmetric positive
/// semi-definite `p x p` slabs.
///
/// `||X_k||^2 - ||S_k||^2` is what the basis leaves out of view `k`; from here on nothing touches
/// the data.
#[derive(Clone, Debug)]
pub(crate) struct CoreTensor {
    pub(crate) slabs: Vec<Mat<f64>>,
    /// Loss weights `w_k` of the (unit-norm) views.
    pub(crate) weights: Vec<f64>,
    /// Where work on the core is counted.
    pub(crate) workspace: Workspace,
    directions: OnceLock<(Vec<f64>, Mat<f64>)>,
}

/// Factors of the core: `S_k ~ U diag(c_k) U^T` with `U` of size `p x F`.
#[derive(Clone, Debug)]
pub(crate) struct CoreFactors {
    pub(crate) u: Mat<f64>,
    pub(crate) c: Vec<Vec<f64>>,
}

impl CoreTensor {
    pub(crate) fn new(
        slabs: Vec<Mat<f64>>,
        weights: Vec<f64>,
        workspace: &Workspace,
    ) -> CoreTensor {
        let workspace = workspace.clone();
        CoreTensor { slabs, weights, workspace, directions: OnceLock::new() }
    }

    /// Width of the basis.
    pub(crate) fn width(&self) -> usize {
        self.slabs.first().map_or(0, Mat::ncols)
    }

    /// `sum_k w_k^2 ||S_k||^2`.
    pub(crate) fn energy(&self) -> f64 {
        self.slabs.iter().zip(&self.weights).map(|(s, w)| w * w * norm_squared(s.as_ref())).sum()
    }

    /// `sum_k w_k^2 S_k^2`, whose eigenvalues measure the energy of each direction of the basis.
    pub(crate) fn importance(&self) -> Mat<f64> {
        self.sum_of_squares(&self.slabs)
    }

    /// `sum_k w_k^2 A_k A_k^T` of a matrix for every view, added in the order of the views.
    fn sum_of_squares(&self, of_views: &[Mat<f64>]) -> Mat<f64> {
        let flops = of_views.iter().map(|a| 2 * a.nrows().pow(2) * a.ncols()).sum();
        let parts: Vec<Mat<f64>> = self
            .workspace
            .count_small(flops, || of_views.par_iter().map(|a| a * a.transpose()).collect());
        let mut sum = Mat::zeros(self.width(), self.width());
        for (part, weight) in parts.into_iter().zip(&self.weights) {
            sum += faer::Scale(weight * weight) * part;
        }
        sum
    }

    /// All `S_k U`.
    pub(crate) fn times(&self, u: &Mat<f64>) -> Vec<Mat<f64>> {
        self.workspace.count_small(self.times_flops(u), || self.times_uncounted(u))
    }

    /// As [`times`](Self::times), inside something that is counted.
    pub(crate) fn times_uncounted(&self, u: &Mat<f64>) -> Vec<Mat<f64>> {
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
        let slabs = self.workspace.count_small(flops, seen);
        CoreTensor::new(slabs, self.weights.clone(), &self.workspace)
    }

    /// Eigenvalues and eigenvectors of [`importance`](Self::importance), the most important first.
    /// Computed once.
    pub(crate) fn directions(&self) -> (&[f64], &Mat<f64>) {
        let compute = || symmetric_eigen_in(&self.workspace, self.importance().as_ref());
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

    /// The `f`-dimensional subspace that captures most of the tensor: maximises
    /// `E(W) = sum_k w_k^2 ||W^T S_k W||^2`.
    ///
    /// Starts from the dominant eigenvectors of [`importance`](Self::importance) and continues with
    ///
    /// ```text
    /// W <- orth( G - s W ),      G = sum_k w_k^2 S_k W (W^T S_k W)
    /// ```
    ///
    /// `G` is a quarter of the gradient of `E`, which is convex, so a step with `s = 0` never
    /// captures less. The shift by half the smallest eigenvalue of `W^T G` makes a step worth two
    /// to four of those, and worth one with the exact eigenvectors of `sum_k w_k^2 S_k W W^T S_k`
    /// (higher-order orthogonal iteration) at a third of its time.
    pub(crate) fn dominant_subspace(&self, f: usize) -> Mat<f64> {
        let f = f.min(self.width());
        let mut w = self.directions().1.subcols(0, f).to_owned();
        if f == self.width() || self.slabs.len() < 2 {
            return w;
        }
        let all = self.energy();
        let mut at = self.ascent(&w);
        let smallest =
            |a: &Mat<f64>| a.self_adjoint_eigenvalues(Side::Lower).ok()?.first().copied();
        let mut shift = 0.5 * smallest(&symmetric(&(w.transpose() * &at.gradient))).unwrap_or(0.0);
        for _ in 0..SUBSPACE_STEPS {
            let next = (&at.gradient - faer::Scale(shift) * &w).qr().compute_thin_Q();
            let there = self.ascent(&next);
            let (gain, left) = (there.energy - at.energy, all - at.energy);
            if gain > 0.0 {
                (w, at) = (next, there);
            } else if shift == 0.0 {
                break;
            } else {
                // Too far: `E` is convex, `E` less a multiple of the square need not be.
                shift = 0.0;
            }
            if (0.0..1e-4 * left).contains(&gain) {
                break;
            }
        }
        w
    }

    /// The energy that is seen through `w`, and a quarter of its gradient.
    fn ascent(&self, w: &Mat<f64>) -> Ascent {
        let (p, q) = (w.nrows(), w.ncols());
        let part = |(slab, weight): (&Mat<f64>, &f64)| {
            let product = slab * w;
            let inner = w.transpose() * &product;
            let square = weight * weight;
            (faer::Scale(square) * (product * &inner), square * norm_squared(inner.as_ref()))
        };
        let views = self.slabs.par_iter().zip(&self.weights);
        let parts: Vec<(Mat<f64>, f64)> = self
            .workspace
            .count_small(2 * self.slabs.len() * p * q * (p + 2 * q), || views.map(part).collect());
        let mut sum = Ascent { gradient: Mat::zeros(p, q), energy: 0.0 };
        for (gradient, energy) in parts {
            sum.gradient += gradient;
            sum.energy += energy;
        }
        sum
    }
}

/// Steps towards the dominant subspace at most.
const SUBSPACE_STEPS: usize = 8;

struct Ascent {
    gradient: Mat<f64>,
    energy: f64,
}

/// Bisection for the smallest number from 1 to `most` that is good enough, if `most` is (quality
/// grows with the number, up to sampling noise).
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

#[cfg(test)]
mod tests {
    use super::*;
    use gage_linalg::random::fill_normal;
    use gage_linalg::small::symmetric_eigen;

    /// Slabs of falling energy, each in directions of its own.
    fn random_core(p: usize, views: usize) -> CoreTensor {
        let slab = |k: usize| {
            let mut values = vec![0.0; p * p];
            fill_normal(7, k as u64, &mut values);
            let b = Mat::from_fn(p, p, |i, j| values[i * p + j] * 0.9f64.powi(j as i32));
            &b * b.transpose()
        };
        let weights = (0..views).map(|k| 1.0 / (1 + k) as f64).collect();
        CoreTensor::new((0..views).map(slab).collect(), weights, &Workspace::default())
    }

    /// Higher-order orthogonal iteration to the end: eigenvectors of `sum_k w_k^2 S_k W W^T S_k`.
    fn by_eigenvectors(core: &CoreTensor, f: usize) -> Mat<f64> {
        let mut w = core.directions().1.subcols(0, f).to_owned();
        for _ in 0..300 {
            let products: Vec<Mat<f64>> = core.slabs.iter().map(|slab| slab * &w).collect();
            w = symmetric_eigen(core.sum_of_squares(&products).as_ref()).1.subcols(0, f).to_owned();
        }
        w
    }

    #[test]
    fn the_dominant_subspace_holds_as_much_as_one_found_by_eigenvectors() {
        for (p, f, views) in [(30, 12, 2), (40, 10, 4), (12, 11, 3)] {
            let core = random_core(p, views);
            let w = core.dominant_subspace(f);
            let identity = Mat::<f64>::identity(f, f);
            assert!(norm_squared((w.transpose() * &w - identity).as_ref()).sqrt() < 1e-12);
            let energy = |w: &Mat<f64>| core.compressed(w.as_ref()).energy();
            let first = core.energy_within(core.directions().1, f);
            let (found, best) = (energy(&w), energy(&by_eigenvectors(&core, f)));
            let left = core.energy() - best;
            assert!(found > first && best - found < 5e-3 * left, "{first} {found} {best} {left}");
        }
    }

    #[test]
    fn more_columns_than_there_is_energy_for_are_still_orthonormal() {
        let mut core = random_core(9, 2);
        for slab in &mut core.slabs {
            let direction = slab.subcols(0, 1).to_owned();
            *slab = &direction * direction.transpose();
        }
        let w = core.dominant_subspace(5);
        let identity = Mat::<f64>::identity(5, 5);
        assert!(norm_squared((w.transpose() * &w - identity).as_ref()).sqrt() < 1e-12);
        assert!(core.compressed(w.as_ref()).energy() > (1.0 - 1e-12) * core.energy());
    }
}
