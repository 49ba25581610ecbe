//! Planted problems, real data, and dense brute force.

use std::path::Path;

use faer::Mat;
use gage_embed::io::{DatasetSpec, load};
use gage_embed::views::ViewSpec;
use gage_embed::*;
pub use gage_testing::Random;

/// The data set embedded in `gage-debian`.
pub fn debian() -> Graph {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gage-debian/data/debian");
    load(&DatasetSpec::at(folder)).expect("a readable data set").graph
}

/// A real data set, if it is there.
pub fn dataset(name: &str) -> Option<Graph> {
    let path = gage_testing::dataset(name)?;
    Some(load(&DatasetSpec::at(path)).expect("a readable data set").graph)
}

pub fn matrix(rows: usize, cols: usize, numbers: &mut Random) -> Mat<f64> {
    let mut values = Vec::with_capacity(rows * cols);
    for _ in 0..rows * cols {
        // A sum of uniform numbers: roughly normal.
        values.push(numbers.symmetric() + numbers.symmetric() + numbers.symmetric());
    }
    Mat::from_fn(rows, cols, |i, j| values[i * cols + j])
}

/// Planted views: `Y_k = U diag(sqrt(c_k)) R_k` with orthonormal rows `R_k`, so
/// `Y_k Y_k^T = U diag(c_k) U^T` exactly.
pub struct Planted {
    pub views: Vec<Mat<f64>>,
}

pub fn planted(nodes: usize, rank: usize, views: usize, seed: u64) -> Planted {
    let mut numbers = Random::new(seed);
    let u = matrix(nodes, rank, &mut numbers);
    let views = (0..views)
        .map(|_| {
            let wide = matrix(rank + 5, rank, &mut numbers);
            let rotation = wide.qr().compute_thin_Q();
            let scaled = Mat::from_fn(nodes, rank, |i, f| u[(i, f)]);
            let c: Vec<f64> = (0..rank).map(|_| 0.3 + (numbers.symmetric() + 1.0)).collect();
            Mat::from_fn(nodes, rank, |i, f| scaled[(i, f)] * c[f].sqrt()) * rotation.transpose()
        })
        .collect();
    Planted { views }
}

pub fn dense(m: &Mat<f64>) -> DenseMatrix {
    let flat = (0..m.nrows()).flat_map(|i| (0..m.ncols()).map(move |j| (i, j)));
    DenseMatrix::from_f64(m.nrows(), m.ncols(), flat.map(|ij| m[ij]).collect()).unwrap()
}

/// A graph with one dense block per matrix, each observing the given nodes.
pub fn graph_of(views: &[Mat<f64>], masks: Option<&[Vec<bool>]>) -> Graph {
    let mut graph = Graph::new(Nodes::numbered(views[0].nrows()));
    for (k, view) in views.iter().enumerate() {
        let mut block = Block::attributes(&format!("view{k}"), dense(view));
        if let Some(masks) = masks {
            block = block.observing(masks[k].clone());
        }
        graph = graph.with_block(block).unwrap();
    }
    graph
}

/// The published model in double precision, with every further block as one more raw view.
pub fn params(dimension: usize) -> FitParams {
    let mut preset = Preset::named("paper").unwrap();
    preset.further_attributes = Some(ViewSpec::raw(""));
    FitParams {
        preset,
        dimension: Dimension::Fixed(dimension),
        precision: Precision::F64,
        ..FitParams::default()
    }
}

pub fn fitted(graph: &Graph, params: FitParams) -> Model {
    fit(graph, params.check().unwrap()).unwrap()
}

/// `||y_i - y_j||^2` by the model of view `k`, in the units of the data.
pub fn model_distance(model: &Model, k: usize, i: usize, j: usize) -> f64 {
    let (a, b) = (model.factors().row_f64(i), model.factors().row_f64(j));
    let view = &model.views()[k];
    let sum: f64 = (0..a.len()).map(|f| view.coefficients[f] * (a[f] - b[f]).powi(2)).sum();
    sum * view.distance_unit()
}

pub fn true_distance(y: &Mat<f64>, i: usize, j: usize) -> f64 {
    (0..y.ncols()).map(|c| (y[(i, c)] - y[(j, c)]).powi(2)).sum()
}

/// Largest error of any squared distance of view `k`, relative to the largest distance.
pub fn worst_distance(model: &Model, k: usize, y: &Mat<f64>) -> f64 {
    let n = y.nrows();
    let (mut worst, mut largest) = (0.0f64, 0.0f64);
    for i in 0..n {
        for j in 0..i {
            let truth = true_distance(y, i, j);
            worst = worst.max((model_distance(model, k, i, j) - truth).abs());
            largest = largest.max(truth);
        }
    }
    worst / largest
}

/// Largest difference between two tables of numbers relative to the largest number.
pub fn difference(a: &AnyTall, b: &AnyTall) -> f64 {
    assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()));
    let (mut worst, mut largest) = (0.0f64, 0.0f64);
    for row in 0..a.rows() {
        for (x, y) in a.row_f64(row).iter().zip(b.row_f64(row)) {
            worst = worst.max((x - y).abs());
            largest = largest.max(x.abs());
        }
    }
    worst / largest
}

/// The centred Gram matrix of a block, formed densely.
pub fn dense_gram(graph: &Graph, block: &str) -> Mat<f64> {
    let matrix = &graph.block(block).unwrap().matrix;
    let n = matrix.rows();
    let Matrix::Sparse(sparse) = matrix else { panic!("sparse block expected") };
    let transposed = sparse.transposed();
    let mut gram = Mat::<f64>::zeros(n, n);
    let mut row = vec![0.0; n];
    for i in 0..n {
        row.fill(0.0);
        for (c, value) in sparse.row(i) {
            for (j, other) in transposed.row(c as usize) {
                row[j as usize] += value * other;
            }
        }
        (0..n).for_each(|j| gram[(j, i)] = row[j]);
    }
    let means: Vec<f64> = (0..n).map(|j| gram.col(j).iter().sum::<f64>() / n as f64).collect();
    let grand = means.iter().sum::<f64>() / n as f64;
    Mat::from_fn(n, n, |i, j| gram[(i, j)] - means[i] - means[j] + grand)
}

/// Share of right answers of a logistic regression trained on `train` rows of one table, asked
/// about `test` rows of another (or the same) table.
pub fn accuracy(
    fitted: &AnyTall,
    labels: &Labels,
    train: &[u32],
    asked: &AnyTall,
    asked_labels: &Labels,
    test: &[u32],
) -> f64 {
    use gage_embed::eval::{Logistic, LogisticParams};
    let model = Logistic::fit(&fitted.to_f64(), labels, train, &LogisticParams::default()).unwrap();
    let predicted = model.predict(&asked.to_f64(), test).unwrap();
    let right = test
        .iter()
        .zip(&predicted)
        .filter(|(node, class)| asked_labels.of(**node as usize).contains(class));
    right.count() as f64 / test.len() as f64
}
