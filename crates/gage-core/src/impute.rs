//! Imputation of missing entries of dense blocks, from the model.
//!
//! A dense block `Y` with missing entries is first filled with column means and fitted together
//! with all other views. Then every column is regressed on `U`; the regression, shrunk against its
//! own noise, predicts the missing entries, and the model is fitted again. So a missing entry is
//! filled from the node's other attributes *and* from its links.

use faer::Mat;

use crate::error::Error;
use crate::graph::{Block, Graph, Matrix};
use crate::solver::{FitCheckpoint, ImputationRound};
use crate::views::{Source, ViewSpec};
use gage_linalg::small::{PsdSolver, symmetric_eigen};
use gage_linalg::{AnyTall, DenseMatrix, Reducer, Tall};

/// Estimates that change by less than this share of the spread of the data have settled.
const SETTLED: f64 = 1e-3;

/// The state of the rounds of imputation.
pub(crate) struct Imputation<'a> {
    graph: &'a Graph,
    missing: Missing,
    /// Rounds after the first fit, at most.
    most: usize,
    round: ImputationRound,
    filled: Option<Graph>,
}

impl<'a> Imputation<'a> {
    /// From the beginning, or from the round a checkpoint belongs to.
    pub(crate) fn new(
        graph: &'a Graph,
        specs: &[ViewSpec],
        most: usize,
        checkpoint: Option<&mut FitCheckpoint>,
        reducer: &dyn Reducer,
    ) -> Result<Imputation<'a>, Error> {
        let missing = Missing::find(graph, specs);
        let gaps = reducer.sum(missing.count() as f64);
        if !reducer.is_single() && gaps > 0.0 && most > 0 {
            return Err(Error::Workers { what: "estimating missing entries".to_owned() });
        }
        let most = if missing.is_empty() { 0 } else { most };
        let round = match checkpoint {
            Some(checkpoint) if most > 0 => {
                checkpoint.round(&missing.sizes()).map_err(|reason| Error::State { reason })?
            }
            _ => ImputationRound::default(),
        };
        let filled = match round.number {
            0 => None,
            _ => Some(missing.filled(graph, &round.estimates)?),
        };
        Ok(Imputation { graph, missing, most, round, filled })
    }

    pub(crate) fn round(&self) -> &ImputationRound {
        &self.round
    }

    /// The graph with estimates, unless the data are fitted as they came.
    pub(crate) fn filled(&self) -> Option<&Graph> {
        self.filled.as_ref()
    }

    /// Whether no further round is needed.
    pub(crate) fn settled(&self) -> bool {
        let settled = self.round.change.is_some_and(|change| change < SETTLED);
        settled || self.round.number >= self.most
    }

    /// Entries that were estimated, and how much they changed in the last round.
    pub(crate) fn info(&self) -> Option<(usize, f64)> {
        let change = self.round.change.unwrap_or(f64::INFINITY);
        (self.most > 0).then(|| (self.missing.count(), change))
    }

    /// The graph with new estimates.
    pub(crate) fn refill(&mut self, u: &AnyTall) -> Result<&Graph, Error> {
        let before = self.filled.as_ref().unwrap_or(self.graph);
        let (filled, change) = refill(self.graph, before, &self.missing, u)?;
        self.round = ImputationRound {
            number: self.round.number + 1,
            change: Some(change),
            estimates: self.missing.estimates(&filled),
        };
        Ok(self.filled.insert(filled))
    }
}

/// Where entries are missing: per block, the flat positions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Missing {
    blocks: Vec<(String, Vec<usize>)>,
}

impl Missing {
    /// Missing entries in rows that are not missing altogether, in blocks that some view uses.
    pub(crate) fn find(graph: &Graph, specs: &[ViewSpec]) -> Missing {
        let used = |name: &str| {
            specs.iter().any(|spec| matches!(&spec.source, Source::Block(block) if block == name))
        };
        let mut blocks = Vec::new();
        for block in graph.blocks().iter().filter(|block| used(&block.name)) {
            let Matrix::Dense(dense) = &block.matrix else { continue };
            let mut positions = Vec::new();
            for row in (0..dense.rows()).filter(|&row| observed(block, row)) {
                let gaps = (0..dense.cols()).filter(|&col| dense.get(row, col).is_nan());
                let gaps: Vec<usize> = gaps.map(|col| row * dense.cols() + col).collect();
                if gaps.len() < dense.cols() {
                    positions.extend(gaps);
                }
            }
            if !positions.is_empty() {
                blocks.push((block.name.clone(), positions));
            }
        }
        Missing { blocks }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Numbers of missing entries per block.
    pub(crate) fn sizes(&self) -> Vec<usize> {
        self.blocks.iter().map(|(_, positions)| positions.len()).collect()
    }

    /// The estimates at the missing positions of a filled graph, per block.
    pub(crate) fn estimates(&self, filled: &Graph) -> Vec<Vec<f64>> {
        let of = |(name, positions): &(String, Vec<usize>)| match &filled.block(name)?.matrix {
            Matrix::Dense(dense) => {
                let cols = dense.cols();
                Some(positions.iter().map(|&at| dense.get(at / cols, at % cols)).collect())
            }
            Matrix::Sparse(_) => None,
        };
        self.blocks.iter().map(|block| of(block).unwrap_or_default()).collect()
    }

    /// The graph with these estimates at the missing positions: the inverse of
    /// [`estimates`](Missing::estimates).
    pub(crate) fn filled(&self, graph: &Graph, estimates: &[Vec<f64>]) -> Result<Graph, Error> {
        let mut out = Graph::new(graph.nodes().clone());
        for block in graph.blocks() {
            let mut block = block.clone();
            let known = self.blocks.iter().position(|(name, _)| *name == block.name);
            if let (Some(at_block), Matrix::Dense(dense)) = (known, &block.matrix) {
                let (rows, cols) = (dense.rows(), dense.cols());
                let mut values: Vec<f64> =
                    (0..rows * cols).map(|at| dense.get(at / cols, at % cols)).collect();
                for (&at, &value) in self.blocks[at_block].1.iter().zip(&estimates[at_block]) {
                    values[at] = value;
                }
                if let Some(dense) = DenseMatrix::from_f64(rows, cols, values) {
                    block.matrix = Matrix::Dense(dense);
                }
            }
            out = out.with_block(block)?;
        }
        Ok(out)
    }

    pub(crate) fn count(&self) -> usize {
        self.blocks.iter().map(|(_, positions)| positions.len()).sum()
    }
}

fn observed(block: &Block, row: usize) -> bool {
    block.observed.as_ref().is_none_or(|mask| mask.contains(row))
}

/// The graph with missing entries predicted from `u`, and how much they changed relative to the
/// spread of the data. `original` has the gaps, `filled` the values of the round before (or gaps
/// still).
pub(crate) fn refill(
    original: &Graph,
    filled: &Graph,
    missing: &Missing,
    u: &AnyTall,
) -> Result<(Graph, f64), Error> {
    let all = u.to_f64();
    let mut out = Graph::new(original.nodes().clone());
    let (mut change, mut missing_total, mut spread) = (0.0, 0usize, 0.0);
    for block in filled.blocks() {
        let mut block = block.clone();
        let positions = missing.blocks.iter().find(|(name, _)| *name == block.name);
        if let (Some((_, positions)), Matrix::Dense(dense)) = (positions, &block.matrix) {
            let (values, delta, variance) = predict(dense, &block, positions, &all);
            change += delta;
            spread += variance * positions.len() as f64;
            missing_total += positions.len();
            if let Some(dense) = DenseMatrix::from_f64(dense.rows(), dense.cols(), values) {
                block.matrix = Matrix::Dense(dense);
            }
        }
        out = out.with_block(block)?;
    }
    let relative = if missing_total > 0 && spread > 0.0 { (change / spread).sqrt() } else { 0.0 };
    Ok((out, relative))
}

/// New values of a dense block, the summed squared change at the missing positions, and the mean
/// column variance.
fn predict(
    dense: &DenseMatrix,
    block: &Block,
    missing: &[usize],
    u: &Tall<f64>,
) -> (Vec<f64>, f64, f64) {
    let (rows, cols) = (dense.rows(), dense.cols());
    let seen: Vec<usize> = (0..rows)
        .filter(|&row| observed(block, row) && (0..cols).any(|c| !dense.get(row, c).is_nan()))
        .collect();
    let mut is_missing = vec![false; rows * cols];
    missing.iter().for_each(|&at| is_missing[at] = true);
    let mean = column_means(dense, &seen, &is_missing);
    let value = |row: usize, col: usize| {
        let value = dense.get(row, col);
        if value.is_nan() { mean[col] } else { value }
    };
    let target = Mat::from_fn(seen.len(), cols, |i, j| value(seen[i], j) - mean[j]);
    let prediction = regression(&target, &seen, u);
    let mut values = Vec::with_capacity(rows * cols);
    for row in 0..rows {
        values.extend((0..cols).map(|col| dense.get(row, col)));
    }
    let mut change = 0.0;
    for (i, &row) in seen.iter().enumerate() {
        for col in (0..cols).filter(|&col| is_missing[row * cols + col]) {
            let new = mean[col] + prediction[(i, col)];
            change += (new - value(row, col)).powi(2);
            values[row * cols + col] = new;
        }
    }
    let n = seen.len().max(1) as f64;
    let variance = target.squared_norm_l2() / (n * cols.max(1) as f64);
    (values, change, variance)
}

/// Means of the columns over the entries that are not missing.
fn column_means(dense: &DenseMatrix, seen: &[usize], is_missing: &[bool]) -> Vec<f64> {
    let cols = dense.cols();
    let mut mean = vec![0.0; cols];
    let mut present = vec![0.0; cols];
    for &row in seen {
        for col in (0..cols).filter(|&col| !is_missing[row * cols + col]) {
            mean[col] += dense.get(row, col);
            present[col] += 1.0;
        }
    }
    mean.iter_mut().zip(&present).for_each(|(m, n)| *m /= f64::max(*n, 1.0));
    mean
}

/// Every column of `target` regressed on the centred rows of `u`, shrunk against its noise.
fn regression(target: &Mat<f64>, seen: &[usize], u: &Tall<f64>) -> Mat<f64> {
    let (n, f) = (seen.len().max(1) as f64, u.cols());
    let mut centre = vec![0.0; f];
    for &row in seen {
        centre.iter_mut().zip(u.row(row)).for_each(|(c, x)| *c += x / n);
    }
    let centred = Mat::from_fn(seen.len(), f, |i, j| u.row(seen[i])[j] - centre[j]);
    let gram = centred.transpose() * &centred;
    let coefficients = PsdSolver::new(gram.as_ref()).solve((centred.transpose() * target).as_ref());
    shrunk(&centred, &coefficients, target)
}

/// The fitted values `U b` with every principal direction shrunk by the noise it must contain: a
/// direction with energy `e` of which `s^2 d` is noise (residual variance `s^2`, `d` columns) keeps
/// the factor `1 - s^2 d / e`.
fn shrunk(u: &Mat<f64>, b: &Mat<f64>, target: &Mat<f64>) -> Mat<f64> {
    let fitted = u * b;
    let (n, d, f) = (target.nrows() as f64, target.ncols() as f64, u.ncols() as f64);
    let residual = (&fitted - target).squared_norm_l2() / (d * (n - f).max(1.0));
    // Principal directions of the fitted values inside the column space of U.
    let gram = u.transpose() * u;
    let (values, vectors) = symmetric_eigen(gram.as_ref());
    let top = values.first().copied().unwrap_or(0.0);
    let rank = values.iter().take_while(|&&v| v > 1e-12 * top).count();
    let root = Mat::from_fn(gram.nrows(), rank, |i, j| vectors[(i, j)] * values[j].sqrt());
    let inside = root.transpose() * b;
    let (energy, axes) = symmetric_eigen((&inside * inside.transpose()).as_ref());
    let keep: Vec<f64> = energy
        .iter()
        .map(|&e| if e > 0.0 { (1.0 - residual * d / e).max(0.0) } else { 0.0 })
        .collect();
    let scaled = Mat::from_fn(axes.nrows(), axes.ncols(), |i, j| axes[(i, j)] * keep[j]);
    let shrunk = scaled * (axes.transpose() * inside);
    let unroot = Mat::from_fn(gram.nrows(), rank, |i, j| vectors[(i, j)] / values[j].sqrt());
    u * (unroot * shrunk)
}
