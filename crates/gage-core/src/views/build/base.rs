//! The matrix of a view with its transform as diagonal factors.

use std::sync::Arc;

use crate::graph::{Block, BlockKind, Mask, Matrix};
use crate::views::ViewError;
use crate::views::operator::{Diagonal, Factor, Recipe, Stored};
use crate::views::spec::{Direction, Transform, ViewSpec};
use gage_linalg::workers::Partition;
use gage_linalg::{DenseMatrix, Precision, Real, Tall, Workspace};

use super::builder::Builder;
use super::diagonals::{
    column_moments, inverse_document_frequencies, inverse_row_lengths, inverse_row_sums,
    largest_entry,
};
use super::observed::masked;
use super::totals::{OwnRows, Totals, is_symmetric};

impl Builder<'_> {
    /// The matrix of a view, with its transform.
    pub(crate) fn base(
        &mut self,
        spec: &ViewSpec,
        block: &Block,
        observed: Option<&Mask>,
        recipe: &mut Recipe,
    ) -> Result<Factor, ViewError> {
        if let Transform::Symmetric { self_loops } | Transform::RowStochastic { self_loops } =
            spec.transform
        {
            let links = self.links(spec, &block.name, spec.direction, "this transform")?;
            let normalisation = (spec.transform, self_loops);
            let factor =
                self.normalised(&block.name, links, spec.direction, normalisation, observed);
            recipe.right.clone_from(&factor.right);
            return Ok(factor);
        }
        let (own, symmetric) = self.own_source(spec, block)?;
        let matrix = &own.matrix;
        let halo = own.columns.as_ref().map(|(halo, _)| &**halo);
        let totals = Totals { halo, reducer: self.reducer };
        let scale = working_scale(matrix, observed, &totals);
        recipe.scale = scale;
        let mut right = column_factors(matrix, spec.transform, observed, scale, &totals);
        let left: Diagonal = match spec.transform {
            Transform::RowL2 | Transform::TfIdf | Transform::RootIdf => {
                Some(inverse_row_lengths(matrix, right.as_deref(), observed).into())
            }
            Transform::RowL1 => Some(inverse_row_sums(matrix, right.as_deref(), observed).into()),
            _ => None,
        };
        recipe.right.clone_from(&right);
        let stored = match matrix {
            Matrix::Sparse(matrix) => {
                let key = self.source_key(spec, block);
                self.stored_sparse(&key, matrix.clone(), symmetric)
            }
            Matrix::Dense(dense) => {
                check_dense(block, dense)?;
                let (mean, _) = column_moments(matrix, observed, scale, &totals);
                // Columns far from zero lose digits unless their mean is subtracted first. The
                // shift changes no distance as long as rows are not rescaled or smoothed.
                let linear = spec.propagate.is_none() && spec.log_affinity.is_none();
                let centre = left.is_none() && linear;
                if centre {
                    recipe.shift = Some(mean.clone().into());
                }
                // The stored entries are on the working scale already.
                right = right.map(|right| right.iter().map(|r| r * scale).collect());
                self.dense(dense, &mean, centre, observed, scale)
            }
        };
        let factor = Factor::whole(stored, masked(left, observed), right);
        Ok(factor.spread_over(own.columns, self.reducer))
    }

    /// The name under which the matrix of a source is shared.
    fn source_key(&self, spec: &ViewSpec, block: &Block) -> String {
        match (block.kind, spec.direction) {
            (BlockKind::Links { directed: true }, Direction::In) => {
                format!("{} {:?}", block.name, spec.direction)
            }
            _ => block.name.clone(),
        }
    }

    /// The own rows of a source, and whether the whole is symmetric.
    fn own_source(&mut self, spec: &ViewSpec, block: &Block) -> Result<(OwnRows, bool), ViewError> {
        let key = self.source_key(spec, block);
        match (&block.kind, &block.matrix) {
            (BlockKind::Links { .. }, Matrix::Sparse(_)) => {
                let links = self.links(spec, &block.name, spec.direction, "a view of links")?;
                let symmetric = is_symmetric(&links, self.rows(), self.reducer);
                let cols = self.rows().clone();
                Ok((self.own_rows(&key, &links.into(), cols), symmetric))
            }
            _ => {
                let cols = Partition::even(block.matrix.cols(), self.reducer);
                Ok((self.own_rows(&key, &block.matrix, cols), false))
            }
        }
    }

    /// A dense block with missing entries replaced by the column mean, optionally centred.
    fn dense(
        &self,
        dense: &DenseMatrix,
        mean: &[f64],
        centre: bool,
        observed: Option<&Mask>,
        scale: f64,
    ) -> Stored {
        fn convert<T: Real>(
            dense: &DenseMatrix,
            mean: &[f64],
            centre: bool,
            observed: Option<&Mask>,
            scale: f64,
            workspace: &Workspace,
        ) -> Arc<Tall<T>> {
            Arc::new(Tall::from_rows_in(workspace, dense.rows(), dense.cols(), |row, out| {
                if observed.is_some_and(|mask| !mask.contains(row)) {
                    return;
                }
                for (col, out) in out.iter_mut().enumerate() {
                    let value = dense.get(row, col);
                    let value = if value.is_nan() { mean[col] } else { value };
                    let value = if centre { value - mean[col] } else { value };
                    *out = T::from_f64(value / scale);
                }
            }))
        }
        match self.precision {
            Precision::F32 => {
                Stored::DenseF32(convert(dense, mean, centre, observed, scale, &self.workspace))
            }
            Precision::F64 => {
                Stored::DenseF64(convert(dense, mean, centre, observed, scale, &self.workspace))
            }
        }
    }
}

/// Column factors of a transform, which include the working scale.
fn column_factors(
    matrix: &Matrix,
    transform: Transform,
    observed: Option<&Mask>,
    scale: f64,
    totals: &Totals<'_>,
) -> Diagonal {
    let idf = || inverse_document_frequencies(matrix, observed, totals);
    let weights: Option<Vec<f64>> = match transform {
        Transform::TfIdf => Some(idf()),
        Transform::RootIdf => Some(idf().into_iter().map(f64::sqrt).collect()),
        Transform::Standardised => {
            let (mean, deviation) = column_moments(matrix, observed, scale, totals);
            let factors = mean.iter().zip(deviation).map(|(mean, deviation)| {
                // A column that varies by rounding error only is constant.
                if deviation > 1e-12 * mean.abs() { scale / deviation } else { 0.0 }
            });
            Some(factors.collect())
        }
        _ => None,
    };
    match weights {
        Some(weights) => Some(weights.iter().map(|w| w / scale).collect()),
        None if scale != 1.0 => Some(vec![1.0 / scale; matrix.cols()].into()),
        None => None,
    }
}

/// The largest absolute value, if its powers could overflow or underflow; else 1.
fn working_scale(matrix: &Matrix, observed: Option<&Mask>, totals: &Totals<'_>) -> f64 {
    let largest = largest_entry(matrix, observed, totals);
    if largest == 0.0 || (1e-12..=1e12).contains(&largest) {
        1.0
    } else {
        largest.clamp(1e-300, 1e300)
    }
}

fn check_dense(block: &Block, dense: &DenseMatrix) -> Result<(), ViewError> {
    for row in 0..dense.rows() {
        for column in 0..dense.cols() {
            let value = dense.get(row, column);
            if value.is_infinite() {
                return Err(ViewError::Infinite { block: block.name.clone(), row, column, value });
            }
        }
    }
    Ok(())
}
