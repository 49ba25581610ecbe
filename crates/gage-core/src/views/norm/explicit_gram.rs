//! Explicit Gram matrices for few nodes with many attributes.
//!
//! A product with `X` is two passes over `Y` with scattered accesses. For few nodes with many
//! nonzeros each, `X` fits into memory and one dense product is faster than the two passes. Its
//! norm costs nothing extra.

use std::sync::Arc;

use rayon::prelude::*;

use crate::views::operator::{Factor, Operator, Stored, View};
use gage_linalg::kernel::{symmetrize_from_lower, transpose_into, unrolled_sum};
use gage_linalg::memory::Kernel;
use gage_linalg::{Reducer, SparseMatrix, Tall, Workspace};

use super::centring::centre_row;
use super::exact::{exact_limit, exact_side, unit};
use super::lower_product::lower_product;
use super::symmetric_product::square_lengths;

/// Ratio of the rates of dense and sparse multiply-adds (300 and 60 Gflop/s on two cores with
/// AVX-512, Wikipedia words).
const DENSE_SPEED: f64 = 5.0;

/// Nodes at most; the matrix then takes 64 MiB.
const MOST_NODES: usize = 4096;

/// Columns per smoothing task.
const BAND: usize = 64;

/// A centred Gram matrix and its squared Frobenius norm.
#[derive(Clone, Debug)]
pub(crate) struct ExplicitGram {
    pub(crate) gram: Arc<Tall<f32>>,
    pub(crate) squared: f64,
}

/// Computes explicit Gram matrices; views of the same attributes share one.
pub(crate) struct GramBuilder<'a> {
    /// Total number of columns that each view is multiplied by.
    columns: f64,
    unsmoothed: Vec<UnsmoothedGram<'a>>,
}

/// The centred Gram matrix `C` of unsmoothed attributes, and `g` with `Y Y^T = C + g 1^T + 1 g^T`.
struct UnsmoothedGram<'a> {
    base: &'a Factor,
    formed: ExplicitGram,
    outer: Vec<f64>,
}

/// The matrix of a view and its transpose, if the explicit Gram matrix is cheaper.
fn worth_building(view: &View, columns: f64) -> Option<(&Factor, &SparseMatrix, &SparseMatrix)> {
    let operator = &view.operator;
    let base = operator.base.as_ref()?;
    let Stored::Sparse { matrix, transposed } = &base.stored else { return None };
    let transposed = transposed.as_deref().unwrap_or(matrix);
    let nodes = matrix.rows();
    let cheap = square_lengths(transposed) <= exact_limit(matrix);
    // Smoothing a Gram matrix from both sides costs as much as smoothing `2 n` columns.
    let smoothing = operator.smoothing_work();
    let cheaper = is_cheaper(nodes as f64, (smoothing, operator.work()), columns);
    let whole = base.shift.is_none() && view.observed.is_none() && base.needed.is_none();
    (whole && nodes <= MOST_NODES && cheap && cheaper).then_some((base, matrix, transposed))
}

/// Whether forming and multiplying by a Gram matrix takes less than the passes.
fn is_cheaper(nodes: f64, (smoothing, work): (f64, f64), columns: f64) -> bool {
    let formed = nodes.powi(2) * columns / DENSE_SPEED + 2.0 * smoothing * nodes;
    formed < 2.0 * work * columns
}

/// Peak bytes of computing the explicit Gram matrices.
pub(crate) fn explicit_gram_bytes(views: &[View], columns: f64) -> usize {
    let formed = views.iter().filter(|view| worth_building(view, columns).is_some());
    // Each result is kept. The scratch is the dense columns, or for smoothing two more matrices.
    let blocks = |view: &View| match view.operator.propagation {
        Some(_) => 2,
        None => 1,
    };
    let matrices = formed.clone().count() + formed.clone().map(blocks).max().unwrap_or(0);
    let nodes = formed.map(|view| view.operator.local_rows).max().unwrap_or(0);
    matrices * size_of::<f32>() * nodes.pow(2)
}

impl<'a> GramBuilder<'a> {
    /// For views that are multiplied by this many columns in total.
    pub(crate) fn new(columns: f64) -> GramBuilder<'a> {
        GramBuilder { columns, unsmoothed: Vec::new() }
    }

    /// Whether one process would form the Gram matrix of a view that several workers hold.
    pub(crate) fn would_build(&self, view: &View, reducer: &dyn Reducer) -> bool {
        let operator = &view.operator;
        let Some(base) = operator.base.as_ref().filter(|_| !reducer.is_single()) else {
            return false;
        };
        let by_columns = exact_side(base, reducer).is_some();
        let complete = view.observed.as_ref().is_none_or(|mask| mask.count() == mask.len());
        let mut sums = [
            operator.local_rows as f64,
            operator.smoothing_work(),
            operator.work(),
            f64::from(u8::from(!complete)),
        ];
        reducer.sum_f64(&mut sums);
        let [nodes, smoothing, work, incomplete] = sums;
        let whole = base.shift.is_none() && incomplete == 0.0;
        let cheaper = is_cheaper(nodes, (smoothing, work), self.columns);
        whole && by_columns && nodes <= MOST_NODES as f64 && cheaper
    }

    /// `X = J Y Y^T J` of a view with all rows, if it is cheaper than the two passes.
    pub(crate) fn build(&mut self, view: &'a View) -> Option<ExplicitGram> {
        let (base, matrix, transposed) = worth_building(view, self.columns)?;
        let known = self.unsmoothed.iter().position(|known| known.base.is_same(base));
        let at = known.unwrap_or_else(|| {
            self.unsmoothed.push(unsmoothed(base, (matrix, transposed), &view.operator.workspace));
            self.unsmoothed.len() - 1
        });
        let operator = &view.operator;
        let formed = if operator.propagation.is_none() && operator.row_scale.is_none() {
            self.unsmoothed[at].formed.clone()
        } else {
            smoothed(&self.unsmoothed[at], operator)
        };
        // Values near the limits of single precision are left to the operator.
        let fits = formed.squared.is_normal() && (1e-30..1e30).contains(&formed.squared);
        fits.then_some(formed)
    }
}

/// `X_ij = H_ij - h_i - h_j + h` with `H = Y Y^T`, the row means `h_i = y_i . m` for the mean row
/// `m` of `Y`, and their mean `h`; so `g_i = h_i - h / 2`.
fn unsmoothed<'a>(
    base: &'a Factor,
    (matrix, transposed): (&SparseMatrix, &SparseMatrix),
    workspace: &Workspace,
) -> UnsmoothedGram<'a> {
    let nodes = matrix.rows();
    let left: Vec<f64> = (0..nodes).map(|i| unit(&base.left, i)).collect();
    let right: Vec<f64> = (0..matrix.cols()).map(|j| unit(&base.right, j)).collect();
    let times = |matrix: &SparseMatrix, row: usize, by: &[f64]| -> f64 {
        matrix.row(row).map(|(at, value)| value * by[at as usize]).sum()
    };
    let mean = (0..matrix.cols())
        .into_par_iter()
        .map(|j| right[j].powi(2) * times(transposed, j, &left) / nodes.max(1) as f64);
    let mean: Vec<f64> = mean.collect();
    let along = (0..nodes).into_par_iter().map(|i| left[i] * times(matrix, i, &mean));
    let mut outer: Vec<f64> = along.collect();
    let half = 0.5 * outer.iter().sum::<f64>() / nodes.max(1) as f64;
    outer.iter_mut().for_each(|g| *g -= half);
    let centred = |i: usize, j: usize, value: f64| left[i] * left[j] * value - outer[i] - outer[j];
    let (mut gram, squared) = lower_product((matrix, transposed), &right, centred, workspace);
    symmetrize_from_lower(&mut gram);
    let formed = ExplicitGram { gram: Arc::new(gram), squared };
    UnsmoothedGram { base, formed, outer }
}

/// The Gram matrix of `Y' = S Y`, with a smoothing `S` of the nodes, from that of `Y`:
///
/// `Y' Y'^T = S C S^T + r q^T + q r^T` with `r = S g` and `q = S 1`. Centring subtracts the means
/// of `r` and `q`, and the row and column means of `S C S^T`.
fn smoothed(plain: &UnsmoothedGram<'_>, operator: &Operator) -> ExplicitGram {
    let nodes = plain.outer.len();
    let once = smooth_transposed(operator, &plain.formed.gram);
    let mut gram = smooth_transposed(operator, &once);
    drop(once);
    let workspace = &operator.workspace;
    let vectors = Tall::<f64>::from_rows_in(workspace, nodes, 2, |row, out| {
        out.copy_from_slice(&[plain.outer[row], 1.0]);
    });
    let smooth = operator.smoothed(&vectors);
    let mean_of = |values: &[f64]| values.iter().sum::<f64>() / nodes.max(1) as f64;
    let centred = |column: usize| -> Vec<f64> {
        let values: Vec<f64> = smooth.data().iter().skip(column).step_by(2).copied().collect();
        let mean = mean_of(&values);
        values.into_iter().map(|value| value - mean).collect()
    };
    let (r, q) = (centred(0), centred(1));
    let row_mean = |row| unrolled_sum(gram.row(row), |x| x) / nodes as f64;
    let mut means: Vec<f64> = (0..nodes).into_par_iter().map(row_mean).collect();
    let half = 0.5 * mean_of(&means);
    means.iter_mut().for_each(|mean| *mean -= half);
    let rows = gram.data_mut().par_chunks_exact_mut(nodes.max(1)).enumerate();
    let squares =
        rows.map(|(i, row)| centre_row(row, (means[i], &means), [(r[i], &q), (q[i], &r)]));
    let squares: Vec<f64> = squares.collect();
    ExplicitGram { gram: Arc::new(gram), squared: squares.iter().sum() }
}

/// `(S x)^T` by bands of columns, which stay in the cache of a core.
fn smooth_transposed(operator: &Operator, x: &Tall<f32>) -> Tall<f32> {
    let nodes = x.rows();
    let mut out = Tall::uninit_in(x.workspace(), nodes, nodes);
    let work = operator.smoothing_work() as usize * nodes;
    let bytes = size_of::<f32>() * (work + 2 * nodes * nodes);
    x.workspace().count(Kernel::Spmm, 2 * work as u64, bytes as u64, || {
        let bands = out.data_mut().par_chunks_mut(BAND * nodes.max(1)).enumerate();
        bands.for_each(|(band, out)| {
            let columns = band * BAND..band * BAND + out.len() / nodes;
            let mut x_band = Tall::uninit_in(x.workspace(), nodes, columns.len());
            for row in 0..nodes {
                x_band.row_mut(row).copy_from_slice(&x.row(row)[columns.clone()]);
            }
            transpose_into(&operator.smoothed(&x_band), out);
        });
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Block, Graph, Nodes};
    use crate::params::{Dimension, FitParams};
    use crate::views::{CentredGram, Preset, Views};
    use gage_linalg::{LocalReducer, Precision, SparseMatrix};

    /// Nodes whose attributes follow a few groups, one in three filled.
    fn graph(nodes: u32, columns: u32) -> Graph {
        let words: Vec<(u32, u32, f64)> = (0..nodes)
            .flat_map(|i| (0..columns).map(move |j| (i, j)))
            .filter(|&(i, j)| (i * 7919 + j * 104_729) % 97 < 20 + 4 * ((i % 9 + j % 5) % 7))
            .map(|(i, j)| (i, j, f64::from(1 + (i * j) % 5)))
            .collect();
        let links: Vec<(u32, u32, f64)> = (0..nodes)
            .flat_map(|i| [(i, (i + 9) % nodes, 1.0), ((i + 9) % nodes, i, 1.0)])
            .collect();
        let matrix = |columns: u32, entries: &[(u32, u32, f64)]| {
            SparseMatrix::from_triplets(nodes as usize, columns as usize, entries).unwrap()
        };
        Graph::new(Nodes::numbered(nodes as usize))
            .with_block(Block::links("links", matrix(nodes, &links), false))
            .unwrap()
            .with_block(Block::attributes("attributes", matrix(columns, &words)))
            .unwrap()
    }

    /// Columns that make explicit Gram matrices cheaper.
    const COLUMNS: f64 = 1e3;

    #[test]
    fn a_formed_matrix_is_the_centred_gram_matrix() {
        let graph = graph(150, 60);
        for preset in ["paper", "balanced"] {
            let preset = Preset::named(preset).unwrap();
            let specs = preset.specs_for(&graph, crate::views::DirectedViews::Out);
            let views = Views::build(&graph, &specs, Precision::F32).unwrap();
            let mut builder = GramBuilder::new(COLUMNS);
            let mut formed = Vec::new();
            for view in views.views() {
                let op = CentredGram::new(&view.operator, None, &LocalReducer);
                let Some(ExplicitGram { gram, squared }) = builder.build(view) else {
                    continue;
                };
                formed.push(view.name.as_str());
                let unit = Tall::<f64>::from_rows(150, 150, |row, out| out[row] = 1.0);
                let b = op.project(&unit, &LocalReducer);
                let mut x = Tall::<f64>::zeros(150, 150);
                op.expand_into(1.0, &b, &mut x, &LocalReducer);
                let norm: f64 = x.data().iter().map(|x| x * x).sum();
                assert!((norm - squared).abs() < 1e-6 * norm);
                for (x, formed) in x.data().iter().zip(gram.data()) {
                    assert!((x - f64::from(*formed)).abs() < 1e-6 * norm.sqrt(), "{x} {formed}");
                }
            }
            let smooth = preset.name == "balanced";
            assert!(formed.contains(&"attributes") && formed.contains(&"smoothed") == smooth);
            assert!(!formed.contains(&"links"));
            // Views of the same attributes share them.
            assert_eq!(builder.unsmoothed.len(), 1);
        }
    }

    #[test]
    fn a_fit_is_the_same_whether_gram_matrices_are_formed_or_not() {
        let graph = graph(1100, 400);
        let specs =
            Preset::named("paper").unwrap().specs_for(&graph, crate::views::DirectedViews::Out);
        let views = Views::build(&graph, &specs, Precision::F32).unwrap();
        assert!(explicit_gram_bytes(views.views(), 60.0) > 0, "there is something to be formed");
        let fit = |precision: Precision| {
            let dimension = Dimension::Fixed(12);
            let preset = Preset::named("paper").unwrap();
            let params = FitParams { dimension, precision, preset, ..FitParams::default() };
            crate::fit(&graph, params.check().unwrap()).unwrap()
        };
        // Explicit Gram matrices are used in single precision only.
        let (formed, plain) = (fit(Precision::F32), fit(Precision::F64));
        let (a, b) = (formed.info().relative_loss, plain.info().relative_loss);
        assert!((a - b).abs() < 1e-4 * b, "{a} {b}");
        for (a, b) in formed.views().iter().zip(plain.views()) {
            assert!((a.gram_norm - b.gram_norm).abs() < 1e-6 * b.gram_norm);
            assert!((a.relative_loss - b.relative_loss).abs() < 1e-3 * b.relative_loss);
        }
    }
}
