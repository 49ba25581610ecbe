//! From blocks and specifications to operators.

use std::collections::HashMap;
use std::sync::Arc;

use crate::graph::{Block, BlockKind, Graph, Mask, Matrix};
use crate::views::ViewError;
use crate::views::operator::{Factor, Operator, Recipe, Stored, View};
use crate::views::spec::{Direction, Source, Transform, ViewSpec};
use gage_linalg::workers::{Partition, transposed_rows};
use gage_linalg::{Precision, Reducer, SparseMatrix, Workspace};

use crate::views::spec::is_weight;

use super::log_affinity::log_affinity;
use super::observed::{block_mask, smoothed_observation};
use super::totals::{OwnRows, Totals, own_rows};

/// The key of a matrix: block, direction, transform, and whether anything is done to it after.
type BaseKey = (String, Direction, Transform, bool);

/// The matrix of a view before smoothing.
struct SourceMatrix {
    /// `None` is the identity.
    base: Option<Factor>,
    recipe: Recipe,
    observed: Option<Mask>,
    columns_are_nodes: bool,
}

/// Builds views; matrices and transposes are shared between them.
pub(crate) struct Builder<'a> {
    graph: &'a Graph,
    pub(crate) precision: Precision,
    pub(crate) workspace: Workspace,
    pub(crate) reducer: &'a dyn Reducer,
    /// Who owns which nodes.
    rows: Partition,
    transposes: HashMap<String, Arc<SparseMatrix>>,
    /// Rows of this worker with their needed columns, by the name of the matrix.
    own: HashMap<String, OwnRows>,
    /// Matrices built so far, with the recipes for rows of new nodes.
    bases: Vec<(BaseKey, Factor, Recipe)>,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(
        graph: &'a Graph,
        precision: Precision,
        reducer: &'a dyn Reducer,
        workspace: &Workspace,
    ) -> Builder<'a> {
        let workspace = workspace.clone();
        let rows = Partition::gathered(graph.nodes().len(), reducer);
        let (transposes, own, bases) = (HashMap::new(), HashMap::new(), Vec::new());
        Builder { graph, precision, workspace, reducer, rows, transposes, own, bases }
    }

    /// Who owns which nodes.
    pub(crate) fn rows(&self) -> &Partition {
        &self.rows
    }

    /// The rows of this worker of a matrix, shared between views.
    pub(crate) fn own_rows(&mut self, key: &str, matrix: &Matrix, cols: Partition) -> OwnRows {
        if let Some(known) = self.own.get(key) {
            return known.clone();
        }
        let own = own_rows(matrix, cols, self.reducer);
        if !self.reducer.is_single() {
            self.own.insert(key.to_owned(), own.clone());
        }
        own
    }

    pub(crate) fn view(&mut self, spec: &ViewSpec) -> Result<View, ViewError> {
        let (what, value) = ("share", spec.share);
        if !(value.is_finite() && value >= 0.0) {
            return Err(ViewError::BadNumber { view: spec.name.clone(), what, value });
        }
        if !is_weight(spec.weight) {
            return Err(ViewError::Weight { view: spec.name.clone(), value: spec.weight });
        }
        let nodes = self.graph.nodes().len();
        let totals = Totals { halo: None, reducer: self.reducer };
        let SourceMatrix { base, mut recipe, mut observed, columns_are_nodes } =
            self.source(spec)?;
        let mut uses_links = base.is_some() && columns_are_nodes;
        let mut row_scale = None;
        let propagation = match &spec.propagate {
            None => None,
            Some(propagate) => {
                uses_links = true;
                let propagation = self.propagation(spec, propagate, &mut recipe)?;
                let links = self.graph.block(&propagate.block).and_then(block_mask);
                let links = totals.agreed(links, nodes);
                (row_scale, observed) = smoothed_observation(
                    &propagation,
                    observed,
                    links.as_ref(),
                    (&self.rows, self.reducer),
                );
                Some(propagation)
            }
        };
        let seen = observed.as_ref().map_or(nodes, Mask::count);
        if totals.sum(seen as f64) == 0.0 {
            return Err(ViewError::NothingObserved { view: spec.name.clone() });
        }
        let cols = base.as_ref().map_or_else(|| self.rows.clone(), Factor::columns);
        let operator = Operator {
            workspace: self.workspace.clone(),
            propagation,
            base,
            row_scale,
            local_rows: nodes,
            cols,
        };
        let (operator, logarithm) = match spec.log_affinity {
            None => (operator, None),
            Some(_) if !self.reducer.is_single() => {
                let what = "the logarithm of a view";
                return Err(ViewError::Workers { view: spec.name.clone(), what });
            }
            Some(log) => {
                recipe.logarithm = true;
                let (made, columns) =
                    log_affinity(operator, log, observed.as_ref(), self.precision);
                (made, Some(Arc::new(columns)))
            }
        };
        Ok(View {
            name: spec.name.clone(),
            weight: spec.weight,
            share: spec.share,
            uses_links,
            columns_are_nodes,
            observed,
            operator,
            recipe,
            logarithm,
        })
    }

    /// The source of a view; a matrix that was built for another view is shared.
    fn source(&mut self, spec: &ViewSpec) -> Result<SourceMatrix, ViewError> {
        let mut recipe = Recipe {
            block: None,
            direction: spec.direction,
            transform: spec.transform,
            scale: 1.0,
            right: None,
            shift: None,
            propagation: None,
            logarithm: false,
        };
        let name = match &spec.source {
            Source::Identity if spec.propagate.is_none() => {
                return Err(ViewError::BareIdentity { view: spec.name.clone() });
            }
            Source::Identity => {
                return Ok(SourceMatrix {
                    base: None,
                    recipe,
                    observed: None,
                    columns_are_nodes: true,
                });
            }
            Source::Block(name) => name,
        };
        let block = self.block(spec, name)?;
        recipe.block = Some(name.clone());
        let columns_are_nodes = matches!(block.kind, BlockKind::Links { .. });
        let totals = Totals { halo: None, reducer: self.reducer };
        let observed = totals.agreed(block_mask(block), self.graph.nodes().len());
        let linear = spec.propagate.is_none() && spec.log_affinity.is_none();
        let key = (name.clone(), spec.direction, spec.transform, !linear);
        let known = self.bases.iter().find(|(known, ..)| *known == key);
        let base = if let Some((_, base, known)) = known {
            recipe = known.clone();
            base.clone()
        } else {
            let base = self.base(spec, block, observed.as_ref(), &mut recipe)?;
            self.bases.push((key, base.clone(), recipe.clone()));
            base
        };
        Ok(SourceMatrix { base: Some(base), recipe, observed, columns_are_nodes })
    }

    fn block(&self, spec: &ViewSpec, name: &str) -> Result<&'a Block, ViewError> {
        self.graph.block(name).ok_or_else(|| ViewError::MissingBlock {
            view: spec.name.clone(),
            block: name.to_owned(),
            present: self
                .graph
                .blocks()
                .iter()
                .map(|b| b.name.as_str())
                .collect::<Vec<_>>()
                .join(", "),
        })
    }

    /// The sparse matrix of links in the given direction.
    pub(crate) fn links(
        &mut self,
        spec: &ViewSpec,
        name: &str,
        direction: Direction,
        what: &'static str,
    ) -> Result<SparseMatrix, ViewError> {
        let block = self.block(spec, name)?;
        match (&block.kind, &block.matrix) {
            (BlockKind::Links { directed }, Matrix::Sparse(matrix)) => {
                if *directed && direction == Direction::In {
                    let matrix = matrix.clone();
                    Ok((*self.reversed(name, &matrix)).clone())
                } else {
                    Ok(matrix.clone())
                }
            }
            _ => Err(ViewError::NotLinks { view: spec.name.clone(), block: name.to_owned(), what }),
        }
    }

    /// One transpose per block, shared between views.
    fn transposed(&mut self, name: &str, matrix: &SparseMatrix) -> Arc<SparseMatrix> {
        Arc::clone(self.transposes.entry(name.to_owned()).or_insert_with(|| {
            matrix.known_transpose().unwrap_or_else(|| Arc::new(matrix.transposed()))
        }))
    }

    /// The own rows of the transpose of links.
    fn reversed(&mut self, name: &str, links: &SparseMatrix) -> Arc<SparseMatrix> {
        if self.reducer.is_single() {
            return self.transposed(name, links);
        }
        let key = format!("{name} reversed");
        let (rows, reducer) = (&self.rows, self.reducer);
        let made = || Arc::new(transposed_rows(links, rows, rows, reducer));
        Arc::clone(self.transposes.entry(key).or_insert_with(made))
    }

    pub(crate) fn stored_sparse(
        &mut self,
        name: &str,
        matrix: SparseMatrix,
        symmetric: bool,
    ) -> Stored {
        let transposed = (!symmetric).then(|| self.transposed(name, &matrix));
        Stored::Sparse { matrix, transposed }
    }
}
