//! One view of the nodes, built.

use std::sync::Arc;

use crate::graph::Mask;
use crate::views::spec::Transform;

use super::recipe::Recipe;
use super::view_operator::Operator;

/// One view of the nodes: an operator with one row per node.
#[derive(Clone, Debug)]
pub struct View {
    /// Name.
    pub name: String,
    /// Weight in the loss.
    pub weight: f64,
    /// Share in the embedding, as specified.
    pub share: f64,
    pub(crate) uses_links: bool,
    pub(crate) columns_are_nodes: bool,
    pub(crate) observed: Option<Mask>,
    pub(crate) operator: Operator,
    pub(crate) recipe: Recipe,
    /// The view with the rows of all workers, if this one holds the rows of one.
    pub(crate) whole: Option<Arc<View>>,
}

impl View {
    /// Whether links take part in this view (as rows, or by smoothing).
    pub fn uses_links(&self) -> bool {
        self.uses_links
    }

    /// The view with the rows of all workers.
    pub(crate) fn whole(&self) -> &View {
        self.whole.as_deref().unwrap_or(self)
    }

    /// What lengths of the view's rows must be multiplied by to be in the units of the data.
    pub(crate) fn data_scale(&self) -> f64 {
        // Every other transform divides the scale of the data away.
        if self.recipe.transform == Transform::Raw { self.recipe.scale } else { 1.0 }
    }

    /// Nodes this view observes; `None` when all.
    pub fn observed(&self) -> Option<&Mask> {
        self.observed.as_ref()
    }

    /// Number of columns of the view's matrix.
    pub fn cols(&self) -> usize {
        self.operator.cols
    }
}
