//! One view of the nodes, built.

use std::sync::Arc;

use crate::graph::Mask;
use crate::views::spec::Transform;
use gage_linalg::{AnyTall, LocalReducer, Real, Tall};

use super::log_columns::LogColumns;
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
    /// For a view that is the logarithm of another.
    pub(crate) logarithm: Option<Arc<LogColumns>>,
}

impl View {
    /// Whether links take part in this view (as rows, or by smoothing).
    pub fn uses_links(&self) -> bool {
        self.uses_links
    }

    /// Columns of the block that the view is made from, if its own are others.
    pub(crate) fn source_columns(&self) -> Option<usize> {
        Some(self.logarithm.as_ref()?.source.as_ref()?.all)
    }

    /// What lengths of the view's rows must be multiplied by to be in the units of the data.
    pub(crate) fn data_scale(&self) -> f64 {
        // Every other transform, and the logarithm, divides the scale of the data away.
        if self.recipe.transform == Transform::Raw && self.logarithm.is_none() {
            self.recipe.scale
        } else {
            1.0
        }
    }

    /// What the products of the rows of new nodes need: loadings of the columns of the block that
    /// the view is made from, and a table of what the neighbours of a node give to it. `loadings`
    /// are those of the columns of the view.
    pub(crate) fn new_row_tables<T: Real>(
        &self,
        loadings: Tall<T>,
    ) -> (Option<AnyTall>, Option<AnyTall>) {
        let Some(logarithm) = &self.logarithm else {
            let neighbours = neighbour_table(&self.operator, &loadings);
            let own = self.operator.base.is_some().then(|| AnyTall::from(loadings));
            return (own, neighbours);
        };
        // The logarithm of a mean over neighbours is taken for the mean of their logarithms.
        let neighbours = self.recipe.propagation.as_ref().map(|_| {
            let workspace = loadings.workspace();
            let mut out = Tall::<T>::zeros_in(workspace, self.operator.local_rows, loadings.cols());
            self.operator.apply(logarithm.spread, (&loadings).into(), &mut out, &LocalReducer);
            AnyTall::from(out)
        });
        (logarithm.source_loadings(&loadings).map(AnyTall::from), neighbours)
    }

    /// Nodes this view observes; `None` when all.
    pub fn observed(&self) -> Option<&Mask> {
        self.observed.as_ref()
    }

    /// Number of columns of the view's matrix.
    pub fn cols(&self) -> usize {
        self.operator.cols.all()
    }
}

/// `(sum_{t>=1} a_t P^(t-1)) M L` for a smoothed view.
fn neighbour_table<T: Real>(operator: &Operator, loadings: &Tall<T>) -> Option<AnyTall> {
    let propagation = operator.propagation.as_ref()?;
    let mut shifted = operator.clone();
    let mut later = propagation.clone();
    later.coefficients = propagation.coefficients.iter().skip(1).copied().collect();
    shifted.propagation = Some(later);
    shifted.row_scale = None;
    let mut out = Tall::<T>::zeros_in(loadings.workspace(), shifted.local_rows, loadings.cols());
    shifted.apply(1.0, loadings.into(), &mut out, &LocalReducer);
    Some(AnyTall::from(out))
}
