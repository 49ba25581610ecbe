//! Gram matrices that are formed after all.
//!
//! A product with `X` is two passes over `Y`, each of them a walk through scattered rows. For few nodes with many attributes
//! each, `X` is small enough to be kept, and one product of dense matrices takes less time than the two passes. Its norm
//! comes for free: what an exact norm costs is the work of forming `X`.

use rayon::prelude::*;

use crate::linalg::{SparseMatrix, Tall};

use super::centred::CentredGram;
use super::norm::{exact_limit, square_lengths, unit};
use super::operator::{Factor, Stored};
use super::symmetric_product::SymmetricProduct;
use super::view::View;

/// How many times faster multiply-adds of dense matrices are than those of sparse ones (300 and 60 Gflop/s on two cores with
/// AVX-512, Wikipedia's words).
const DENSE_SPEED: f64 = 5.0;

/// Nodes at most: a matrix of 64 MiB.
const MOST_NODES: usize = 4096;

/// The matrix of a view whose Gram matrix is better formed, and its transpose.
fn worth_forming(view: &View) -> Option<(&Factor, &SparseMatrix, &SparseMatrix)> {
    let operator = &view.operator;
    let base = operator.base.as_ref()?;
    let Stored::Sparse { matrix, transposed } = &base.stored else { return None };
    let plain = operator.propagation.is_none()
        && operator.row_scale.is_none()
        && base.shift.is_none()
        && view.observed.is_none();
    let transposed = transposed.as_deref().unwrap_or(matrix);
    let (nodes, passes) = (matrix.rows(), 2.0 * matrix.entries() as f64);
    let cheap = square_lengths(transposed) <= exact_limit(matrix);
    let faster = (nodes as f64).powi(2) < DENSE_SPEED * passes;
    (plain && nodes <= MOST_NODES && cheap && faster).then_some((base, matrix, transposed))
}

/// Bytes that forming the Gram matrix of a view takes, if it is formed.
pub(crate) fn formed_bytes(view: &View) -> usize {
    worth_forming(view).map_or(0, |(_, matrix, _)| 2 * size_of::<f32>() * matrix.rows().pow(2))
}

/// `X = J Y Y^T J` of a view, if it is better formed than multiplied by in two passes, and its squared norm.
///
/// `X_ij = H_ij - h_i - h_j + h` with `H = Y Y^T`, `h_i` the mean of its row `i`, which is `y_i . m`, and `h` the mean of these.
pub(crate) fn formed_gram(view: &View, op: &CentredGram<'_>) -> Option<(Tall<f32>, f64)> {
    let (base, matrix, transposed) = worth_forming(view)?;
    let nodes = matrix.rows();
    if op.local_rows() != nodes || op.partial() {
        return None;
    }
    let left: Vec<f64> = (0..nodes).map(|i| unit(&base.left, i)).collect();
    let right: Vec<f64> = (0..matrix.cols()).map(|j| unit(&base.right, j)).collect();
    let mean = op.mean();
    let means: Vec<f64> = (0..nodes)
        .map(|i| {
            let terms = matrix.row(i).map(|(j, v)| v * right[j as usize] * mean[j as usize]);
            left[i] * terms.sum::<f64>()
        })
        .collect();
    let whole = means.iter().sum::<f64>() / nodes.max(1) as f64;
    let product = SymmetricProduct::new(matrix, transposed, &left, &right);
    let (lower, squared) = product.lower(|i, j, value| value - means[i] - means[j] + whole);
    let all = mirrored(&lower);
    // Numbers at the ends of the range would not have survived single precision.
    (squared.is_normal() && (1e-30..1e30).contains(&squared)).then_some((all, squared))
}

/// The symmetric matrix with this lower triangle. A few rows at a time, so that columns are read in pieces.
fn mirrored(lower: &Tall<f32>) -> Tall<f32> {
    const ROWS: usize = 64;
    let nodes = lower.rows();
    let mut all = Tall::unspecified(nodes, nodes);
    let chunks = all.data_mut().par_chunks_mut(ROWS * nodes.max(1)).enumerate();
    chunks.for_each(|(chunk, rows)| {
        let first = chunk * ROWS;
        rows.copy_from_slice(&lower.data()[first * nodes..first * nodes + rows.len()]);
        for j in first + 1..nodes {
            let above = &lower.row(j)[first..j.min(first + rows.len() / nodes)];
            for (row, &value) in rows.chunks_exact_mut(nodes).zip(above) {
                row[j] = value;
            }
        }
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Block, Graph, Nodes};
    use crate::linalg::{LocalReducer, Precision, SparseMatrix};
    use crate::params::{Dimension, FitParams};
    use crate::views::{Preset, Views};

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

    #[test]
    fn a_formed_matrix_is_the_centred_gram_matrix() {
        let (graph, preset) = (graph(150, 60), Preset::named("paper").unwrap());
        let specs = preset.specs_for(&graph, crate::Directed::Out);
        let views = Views::build(&graph, &specs, Precision::F32).unwrap();
        let view = &views.views()[1];
        assert!(formed_bytes(&views.views()[0]) == 0 && formed_bytes(view) > 0);
        let op = CentredGram::new(&view.operator, None, &LocalReducer);
        let (formed, squared) = formed_gram(view, &op).unwrap();
        let unit = Tall::<f64>::from_rows(150, 150, |row, out| out[row] = 1.0);
        let b = op.project(&unit, &LocalReducer);
        let mut x = Tall::<f64>::zeros(150, 150);
        op.expand_into(1.0, &b, &mut x, &LocalReducer);
        let norm: f64 = x.data().iter().map(|x| x * x).sum();
        assert!((norm - squared).abs() < 1e-6 * norm);
        for (x, formed) in x.data().iter().zip(formed.data()) {
            assert!((x - f64::from(*formed)).abs() < 1e-6 * norm.sqrt(), "{x} {formed}");
        }
    }

    #[test]
    fn a_fit_is_the_same_whether_gram_matrices_are_formed_or_not() {
        let graph = graph(1100, 400);
        let specs = Preset::named("paper").unwrap().specs_for(&graph, crate::Directed::Out);
        let views = Views::build(&graph, &specs, Precision::F32).unwrap();
        assert!(formed_bytes(&views.views()[1]) > 0, "there is something to be formed");
        let fit = |precision: Precision| {
            let dimension = Dimension::Fixed(12);
            let preset = Preset::named("paper").unwrap();
            let params = FitParams { dimension, precision, preset, ..FitParams::default() };
            crate::fit(&graph, params.check().unwrap()).unwrap()
        };
        // Only in single precision are they formed.
        let (formed, plain) = (fit(Precision::F32), fit(Precision::F64));
        let (a, b) = (formed.info().relative_loss, plain.info().relative_loss);
        assert!((a - b).abs() < 1e-4 * b, "{a} {b}");
        for (a, b) in formed.views().iter().zip(plain.views()) {
            assert!((a.gram_norm - b.gram_norm).abs() < 1e-6 * b.gram_norm);
            assert!((a.relative_loss - b.relative_loss).abs() < 1e-3 * b.relative_loss);
        }
    }
}
