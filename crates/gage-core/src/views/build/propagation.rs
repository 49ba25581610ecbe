//! Normalised adjacencies, and smoothing over them.

use std::sync::Arc;

use crate::graph::{Mask, Matrix};
use crate::views::ViewError;
use crate::views::operator::{Diagonal, Factor, Propagation, PropagationRecipe, Recipe};
use crate::views::spec::{Direction, Propagate, Transform, ViewSpec};
use gage_linalg::workers::{Halo, transposed_rows};
use gage_linalg::{SparseError, SparseMatrix};

use super::builder::Builder;
use super::diagonals::{degrees, inverse_or_zero, symmetrised};
use super::observed::masked;
use super::totals::is_symmetric;

impl Builder<'_> {
    /// The propagation polynomial of a view.
    pub(crate) fn propagation(
        &mut self,
        spec: &ViewSpec,
        propagate: &Propagate,
        recipe: &mut Recipe,
    ) -> Result<Propagation, ViewError> {
        let coefficients = propagate.steps.coefficients();
        if let Some(&value) = coefficients.iter().find(|a| !(a.is_finite() && **a >= 0.0)) {
            let view = spec.name.clone();
            return Err(ViewError::BadNumber { view, what: "a propagation coefficient", value });
        }
        let name = &propagate.block;
        let mut links = self.links(spec, name, propagate.direction, "propagation")?;
        let self_loops = match propagate.transform {
            Transform::Symmetric { self_loops } | Transform::RowStochastic { self_loops } => {
                self_loops
            }
            _ => 0.0,
        };
        let mut key = name.clone();
        let both = matches!(propagate.transform, Transform::Symmetric { .. })
            && !is_symmetric(&links, self.rows(), self.reducer);
        if both {
            let (rows, reducer) = (self.rows(), self.reducer);
            links = if reducer.is_single() {
                symmetrised(&links)?
            } else {
                sum(&links, &transposed_rows(&links, rows, rows, reducer))?.with_symmetry(true)
            };
            key = format!("{name} both ways");
        }
        let normalisation = (propagate.transform, self_loops);
        let step = self.normalised(&key, links, propagate.direction, normalisation, None);
        recipe.propagation = Some(PropagationRecipe {
            block: name.clone(),
            direction: propagate.direction,
            transform: propagate.transform,
            coefficients: coefficients.clone(),
            node_factors: step.right.clone(),
        });
        Ok(Propagation { step, coefficients })
    }

    /// A normalised adjacency as a matrix between diagonal factors, with zeros for rows that are
    /// not observed.
    pub(crate) fn normalised(
        &mut self,
        name: &str,
        links: SparseMatrix,
        direction: Direction,
        (transform, self_loops): (Transform, f64),
        observed: Option<&Mask>,
    ) -> Factor {
        let symmetric = is_symmetric(&links, self.rows(), self.reducer);
        let key = if direction == Direction::Out {
            name.to_owned()
        } else {
            format!("{name} {direction:?}")
        };
        let degree = degrees(&links, self_loops);
        let cols = self.rows().clone();
        let own = self.own_rows(&key, &links.into(), cols);
        let Matrix::Sparse(links) = own.matrix else { unreachable!("links are sparse") };
        let halo = own.columns.as_ref().map(|(halo, _)| &**halo);
        let inverse_roots = |degrees: &[f64]| -> Arc<[f64]> {
            degrees.iter().map(|&d| inverse_or_zero(d.sqrt())).collect()
        };
        // Right factors of own columns; those of needed ones follow.
        let (left, right_own): (Diagonal, Diagonal) = match transform {
            Transform::Symmetric { .. } => {
                let rows = inverse_roots(&degree);
                let columns = if symmetric {
                    Arc::clone(&rows)
                } else {
                    inverse_roots(&self.column_degrees(&links, halo, self_loops))
                };
                (Some(rows), Some(columns))
            }
            Transform::RowStochastic { .. } => {
                (Some(degree.iter().map(|&d| inverse_or_zero(d)).collect()), None)
            }
            _ => (None, None),
        };
        let shift: Diagonal = (self_loops != 0.0).then(|| {
            (0..degree.len())
                .map(|i| {
                    self_loops
                        * left.as_ref().map_or(1.0, |left| left[i])
                        * right_own.as_ref().map_or(1.0, |right| right[i])
                })
                .collect()
        });
        let right = match halo {
            Some(halo) => right_own.map(|own| halo.gather_column(&own, self.reducer).into()),
            None => right_own,
        };
        let stored = self.stored_sparse(&key, links, symmetric);
        let shift = if shift.is_some() { masked(shift, observed) } else { None };
        let factor = Factor { shift, ..Factor::whole(stored, masked(left, observed), right) };
        factor.spread_over(own.columns, self.reducer)
    }

    /// Degrees of the own columns of links that are not symmetric.
    fn column_degrees(
        &self,
        links: &SparseMatrix,
        halo: Option<&Halo>,
        self_loops: f64,
    ) -> Vec<f64> {
        let Some(halo) = halo else { return degrees(&links.transposed(), self_loops) };
        let partial = degrees(&links.transposed(), 0.0);
        let totals = halo.own_totals(&partial, self.reducer);
        totals.into_iter().map(|degree| degree + self_loops).collect()
    }
}

/// The sum of two matrices of one size.
fn sum(a: &SparseMatrix, b: &SparseMatrix) -> Result<SparseMatrix, SparseError> {
    let mut entries = Vec::with_capacity(a.nnz() + b.nnz());
    for row in 0..a.rows() {
        entries.extend(a.row(row).chain(b.row(row)).map(|(col, value)| (row as u32, col, value)));
    }
    SparseMatrix::from_triplets(a.rows(), a.cols(), &entries)
}
