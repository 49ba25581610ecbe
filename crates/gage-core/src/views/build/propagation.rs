//! Normalised adjacencies, and smoothing over them.

use std::sync::Arc;

use crate::views::ViewError;
use crate::views::operator::{Diagonal, Factor, Propagation, PropagationRecipe, Recipe};
use crate::views::spec::{Direction, Propagate, Transform, ViewSpec};
use gage_linalg::SparseMatrix;

use super::builder::Builder;
use super::diagonals::{degrees, inverse_or_zero, symmetrised};

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
        let both =
            matches!(propagate.transform, Transform::Symmetric { .. }) && !links.is_symmetric();
        if both {
            links = symmetrised(&links)?;
            key = format!("{name} both ways");
        }
        let step =
            self.normalised(&key, links, propagate.direction, propagate.transform, self_loops);
        recipe.propagation = Some(PropagationRecipe {
            block: name.clone(),
            direction: propagate.direction,
            transform: propagate.transform,
            coefficients: coefficients.clone(),
            node_factors: step.right.clone(),
        });
        Ok(Propagation { step, coefficients })
    }

    /// A normalised adjacency as a matrix between diagonal factors.
    pub(crate) fn normalised(
        &mut self,
        name: &str,
        links: SparseMatrix,
        direction: Direction,
        transform: Transform,
        self_loops: f64,
    ) -> Factor {
        let degree = degrees(&links, self_loops);
        let symmetric = links.is_symmetric();
        let (left, right): (Diagonal, Diagonal) = match transform {
            Transform::Symmetric { .. } => {
                let rows: Arc<[f64]> = degree.iter().map(|&d| inverse_or_zero(d.sqrt())).collect();
                let columns = if symmetric {
                    Arc::clone(&rows)
                } else {
                    let degree = degrees(&links.transposed(), self_loops);
                    degree.iter().map(|&d| inverse_or_zero(d.sqrt())).collect()
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
                        * right.as_ref().map_or(1.0, |right| right[i])
                })
                .collect()
        });
        let key = if direction == Direction::Out {
            name.to_owned()
        } else {
            format!("{name} {direction:?}")
        };
        let stored = self.stored_sparse(&key, links, symmetric);
        Factor { stored, left, right, shift }
    }
}
