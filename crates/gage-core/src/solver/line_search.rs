//! Exact line search.
//!
//! Along `U + h D` with `C` fixed, the loss of view `k` is a polynomial of degree four in `h`,
//! because
//!
//! ```text
//! ||X - U C U^T||^2 = ||X||^2 - 2 sum_f c_f (U^T X U)_ff + c^T ((U^T J U) * (U^T J U)) c
//! ```
//!
//! (`*` entrywise) and both `U^T X U` and `U^T J U` are quadratic in `h`. So the best step is a
//! root of a cubic.

use std::sync::Arc;

use faer::Mat;

use gage_linalg::small::triple_product;

/// What one view contributes to the loss at `U`: `diag(U^T X U)` and the centred Gram matrix `U^T J
/// U`.
#[derive(Clone, Debug)]
pub(crate) struct ViewTerms {
    pub(crate) energy: Vec<f64>,
    /// Shared between views that observe the same nodes.
    pub(crate) gram: Arc<Mat<f64>>,
}

impl ViewTerms {
    /// `-2 c . energy + c^T (gram * gram) c`: the loss without its constant `||X||^2`.
    pub(crate) fn loss(&self, c: &[f64]) -> f64 {
        let linear: f64 = c.iter().zip(&self.energy).map(|(c, e)| c * e).sum();
        quadratic(&self.gram, &self.gram, c) - 2.0 * linear
    }

    /// `gram * gram`, the normal matrix of the coefficients.
    pub(crate) fn normal(&self) -> Mat<f64> {
        Mat::from_fn(self.gram.nrows(), self.gram.ncols(), |i, j| self.gram[(i, j)].powi(2))
    }
}

/// The same for a direction `D`: `diag(D^T X U)`, `diag(D^T X D)`, and how the Gram matrix changes.
#[derive(Clone, Debug)]
pub(crate) struct DirectionTerms {
    pub(crate) mixed_energy: Vec<f64>,
    pub(crate) energy: Vec<f64>,
    /// Shared wherever the Gram matrix is.
    pub(crate) gram: Arc<GramAlong>,
}

/// The Gram matrix at `U + h D` is that at `U` plus `h G_1 + h^2 G_2`.
#[derive(Debug)]
pub(crate) struct GramAlong {
    /// `G_1 = U^T J D + D^T J U`.
    mixed: Mat<f64>,
    /// `G_2 = D^T J D`.
    own: Mat<f64>,
}

impl GramAlong {
    /// From `U^T J D` and `D^T J D`.
    pub(crate) fn new(mixed: &Mat<f64>, own: Mat<f64>) -> GramAlong {
        GramAlong { mixed: mixed + mixed.transpose(), own }
    }
}

/// `sum_fg c_f c_g a_fg b_fg`.
fn quadratic(a: &Mat<f64>, b: &Mat<f64>, c: &[f64]) -> f64 {
    let column = |(g, c_g)| c_g * triple_product(a.col_as_slice(g), b.col_as_slice(g), c);
    c.iter().enumerate().map(column).sum()
}

/// The views by their Gram matrix: what depends on that alone is done once for all that share it.
pub(crate) fn sharing(terms: &[ViewTerms]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (k, view) in terms.iter().enumerate() {
        let same = |group: &&mut Vec<usize>| Arc::ptr_eq(&terms[group[0]].gram, &view.gram);
        match groups.iter_mut().find(same) {
            Some(group) => group.push(k),
            None => groups.push(vec![k]),
        }
    }
    groups
}

/// `sum_k w_k^2 c_k c_k^T` over some views.
fn pairs(views: &[usize], c: &[Vec<f64>], weights: &[f64]) -> Mat<f64> {
    let f = views.first().map_or(0, |&k| c[k].len());
    let mut sum = Mat::zeros(f, f);
    for &k in views {
        for (column, c_g) in sum.col_iter_mut().zip(&c[k]) {
            let factor = weights[k] * weights[k] * c_g;
            column.iter_mut().zip(&c[k]).for_each(|(sum, c_f)| *sum += factor * c_f);
        }
    }
    sum
}

/// `sum_k w_k^2 C_k G_k C_k`: the normal matrix of a row that all views see.
pub(crate) fn row_normal(terms: &[ViewTerms], c: &[Vec<f64>], weights: &[f64]) -> Mat<f64> {
    let f = c.first().map_or(0, Vec::len);
    let mut sum = Mat::zeros(f, f);
    for views in sharing(terms) {
        let (pairs, gram) = (pairs(&views, c, weights), &terms[views[0]].gram);
        for ((sum, pairs), gram) in sum.col_iter_mut().zip(pairs.col_iter()).zip(gram.col_iter()) {
            let entries = sum.iter_mut().zip(pairs.iter().zip(gram.iter()));
            entries.for_each(|(sum, (pair, gram)): (&mut f64, _)| *sum += pair * gram);
        }
    }
    sum
}

/// `w^2 C G C` for one view: its part of the normal matrix of a row.
pub(crate) fn view_normal(
    k: usize,
    terms: &[ViewTerms],
    c: &[Vec<f64>],
    weights: &[f64],
) -> Mat<f64> {
    row_normal(&terms[k..=k], &c[k..=k], &weights[k..=k])
}

/// Coefficients of `h^0 .. h^4` of the loss (without its constant) of all views.
pub(crate) fn quartic(
    terms: &[ViewTerms],
    along: &[DirectionTerms],
    c: &[Vec<f64>],
    weights: &[f64],
) -> [f64; 5] {
    let mut sums = [0.0; 5];
    // All products of two of `G_0`, `G_1` and `G_2` in one walk.
    for views in sharing(terms) {
        let pairs = pairs(&views, c, weights);
        let (at, along) = (&terms[views[0]].gram, &along[views[0]].gram);
        for g in 0..pairs.ncols() {
            let grams = [&**at, &along.mixed, &along.own].map(|gram| gram.col_as_slice(g));
            let entries = pairs.col_as_slice(g).iter().zip(grams[0]).zip(grams[1]).zip(grams[2]);
            for (((pair, a0), a1), a2) in entries {
                sums[0] += pair * a0 * a0;
                sums[1] += 2.0 * pair * a0 * a1;
                sums[2] += pair * (a1 * a1 + 2.0 * a0 * a2);
                sums[3] += 2.0 * pair * a1 * a2;
                sums[4] += pair * a2 * a2;
            }
        }
    }
    for (k, (at, along)) in terms.iter().zip(along).enumerate() {
        let weight = weights[k] * weights[k];
        let linear = |e: &[f64]| weight * c[k].iter().zip(e).map(|(c, e)| c * e).sum::<f64>();
        sums[0] -= 2.0 * linear(&at.energy);
        sums[1] -= 4.0 * linear(&along.mixed_energy);
        sums[2] -= 2.0 * linear(&along.energy);
    }
    sums
}

/// The terms at `U + h D`, from those at `U` and along `D`.
pub(crate) fn advanced(terms: &[ViewTerms], along: &[DirectionTerms], h: f64) -> Vec<ViewTerms> {
    let mut moved = terms.to_vec();
    for views in sharing(terms) {
        let (at, along) = (&terms[views[0]].gram, &along[views[0]].gram);
        let gram = Mat::from_fn(at.nrows(), at.ncols(), |i, j| {
            at[(i, j)] + h * (along.mixed[(i, j)] + h * along.own[(i, j)])
        });
        let gram = Arc::new(gram);
        views.into_iter().for_each(|k| moved[k].gram = Arc::clone(&gram));
    }
    for (moved, along) in moved.iter_mut().zip(along) {
        let along = along.mixed_energy.iter().zip(&along.energy);
        for (energy, (mixed, own)) in moved.energy.iter_mut().zip(along) {
            *energy += h * (2.0 * mixed + h * own);
        }
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;
    use gage_linalg::random::fill_normal;

    fn random(rows: usize, cols: usize, seed: u64) -> Mat<f64> {
        let mut values = vec![0.0; rows * cols];
        fill_normal(seed, 0, &mut values);
        Mat::from_fn(rows, cols, |i, j| values[i * cols + j])
    }

    /// Three views of five columns, of which the first and the last see the same nodes.
    #[test]
    fn views_that_share_a_gram_matrix_are_counted_like_any_others() {
        const NODES: [usize; 3] = [9, 6, 9];
        let (u, d) = (random(9, 5, 1), random(9, 5, 2));
        let weights = [1.0, 0.7, 0.4];
        let c: Vec<Vec<f64>> =
            (0..3).map(|k| (0..5).map(|f| f64::from((3 * k + f) % 4)).collect()).collect();
        let data: Vec<Mat<f64>> = (0..3u64).map(|k| random(NODES[k as usize], 4, 3 + k)).collect();
        let seen = |k: usize, a: &Mat<f64>| a.subrows(0, NODES[k]).to_owned();
        let energy = |k: usize, a: &Mat<f64>, b: &Mat<f64>| -> Vec<f64> {
            let (a, b) = (data[k].transpose() * seen(k, a), data[k].transpose() * seen(k, b));
            (0..5).map(|f| (0..4).map(|i| a[(i, f)] * b[(i, f)]).sum()).collect()
        };
        let cross = |k: usize, a: &Mat<f64>, b: &Mat<f64>| seen(k, a).transpose() * seen(k, b);
        let terms_at = |a: &Mat<f64>| -> Vec<ViewTerms> {
            let grams = [Arc::new(cross(0, a, a)), Arc::new(cross(1, a, a))];
            let gram = |k: usize| Arc::clone(&grams[k % 2]);
            (0..3).map(|k| ViewTerms { energy: energy(k, a, a), gram: gram(k) }).collect()
        };
        let along = |k| Arc::new(GramAlong::new(&cross(k, &u, &d), cross(k, &d, &d)));
        let grams = [along(0), along(1)];
        let along: Vec<DirectionTerms> = (0..3)
            .map(|k| DirectionTerms {
                mixed_energy: energy(k, &u, &d),
                energy: energy(k, &d, &d),
                gram: Arc::clone(&grams[k % 2]),
            })
            .collect();
        let terms = terms_at(&u);
        assert_eq!(sharing(&terms), [vec![0, 2], vec![1]]);
        let loss = |terms: &[ViewTerms]| -> f64 {
            (0..3).map(|k| weights[k] * weights[k] * terms[k].loss(&c[k])).sum()
        };
        let polynomial = quartic(&terms, &along, &c, &weights);
        for h in [0.0, 0.3, -1.7] {
            let mut moved = u.clone();
            moved += faer::Scale(h) * &d;
            let wanted = loss(&terms_at(&moved));
            let found = polynomial.iter().rev().fold(0.0, |sum, a| sum * h + a);
            let size = 1.0 + wanted.abs();
            assert!((found - wanted).abs() < 1e-9 * size, "{h}: {found} {wanted}");
            assert!((loss(&advanced(&terms, &along, h)) - wanted).abs() < 1e-9 * size);
        }
        let (all, of_one) =
            (row_normal(&terms, &c, &weights), |k| view_normal(k, &terms, &c, &weights));
        let sum = of_one(0) + of_one(1) + of_one(2);
        for (i, j) in (0..5).flat_map(|i| (0..5).map(move |j| (i, j))) {
            let part =
                |k: usize| weights[k] * weights[k] * c[k][i] * c[k][j] * terms[k].gram[(i, j)];
            let wanted: f64 = (0..3).map(part).sum();
            assert!((all[(i, j)] - wanted).abs() < 1e-12 * (1.0 + wanted.abs()));
            assert!((sum[(i, j)] - wanted).abs() < 1e-12 * (1.0 + wanted.abs()));
        }
    }
}
