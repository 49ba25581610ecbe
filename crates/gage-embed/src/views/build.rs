//! From blocks and specifications to operators.

use std::collections::HashMap;
use std::sync::Arc;

use crate::graph::{Block, BlockKind, Graph, Mask, Matrix};
use crate::linalg::{DenseMatrix, LocalReducer, Precision, Real, Reducer, SparseMatrix, Tall};

use super::diagonals::{
    column_moments, degrees, inverse_document_frequencies, inverse_or_zero, inverse_row_lengths,
    largest_entry, symmetrised,
};
use super::error::ViewError;
use super::observed::{block_mask, masked, smoothed_observation};
use super::operator::{Diagonal, Factor, Operator, Propagation, Stored};
use super::recipe::{PropagationRecipe, Recipe};
use super::restrict::restrict;
use super::spec::{Direction, Propagate, Source, Transform, ViewSpec};

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
}

impl View {
    /// Whether links take part in this view (as rows, or by smoothing).
    pub fn uses_links(&self) -> bool {
        self.uses_links
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

/// The views of one graph.
#[derive(Clone, Debug)]
pub struct Views {
    nodes: usize,
    views: Vec<View>,
    blind: Vec<usize>,
    /// One number per node that belongs to its id.
    node_keys: Vec<u64>,
}

impl Views {
    /// Builds one view per specification, in order.
    pub fn build(
        graph: &Graph,
        specs: &[ViewSpec],
        precision: Precision,
    ) -> Result<Views, ViewError> {
        Views::build_rows(graph, specs, precision, &LocalReducer)
    }

    /// As [`build`](Views::build), keeping only the rows of this worker.
    pub fn build_rows(
        graph: &Graph,
        specs: &[ViewSpec],
        precision: Precision,
        reducer: &dyn Reducer,
    ) -> Result<Views, ViewError> {
        if specs.is_empty() {
            return Err(ViewError::NoView { blocks: graph.blocks().len() });
        }
        let mut builder = Builder { graph, precision, transposes: HashMap::new() };
        let mut views = Vec::with_capacity(specs.len());
        for spec in specs {
            views.push(builder.view(spec)?);
        }
        let nodes = graph.nodes().len();
        let blind = (0..nodes)
            .filter(|&node| {
                views.iter().all(|v| v.observed.as_ref().is_some_and(|m| !m.contains(node)))
            })
            .collect();
        let local = reducer.local_rows(nodes);
        if local != (0..nodes) {
            for view in &mut views {
                restrict(view, local.clone())?;
            }
        }
        let node_keys = (0..nodes).map(|node| graph.nodes().key(node)).collect();
        Ok(Views { nodes, views, blind, node_keys })
    }

    /// The views.
    pub fn views(&self) -> &[View] {
        &self.views
    }

    /// Number of nodes over all workers.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// One number per node (of all workers) that belongs to its id, not to its position.
    pub(crate) fn node_keys(&self) -> &[u64] {
        &self.node_keys
    }

    /// One view alone.
    pub(crate) fn only(&self, k: usize) -> Views {
        Views { views: vec![self.views[k].clone()], ..self.clone() }
    }

    /// Bytes kept beyond the caller's blocks; transposes shared between views count once.
    pub(crate) fn extra_bytes(&self) -> usize {
        let mut seen = std::collections::HashSet::new();
        let views = self.views.iter().map(|view| view.operator.extra_bytes(&mut seen));
        views.sum::<usize>() + 8 * self.node_keys.len()
    }

    /// Nodes that no view observes: their rows cannot be computed and are flagged.
    pub fn blind_nodes(&self) -> &[usize] {
        &self.blind
    }
}

struct Builder<'a> {
    graph: &'a Graph,
    precision: Precision,
    transposes: HashMap<String, Arc<SparseMatrix>>,
}

impl<'a> Builder<'a> {
    fn view(&mut self, spec: &ViewSpec) -> Result<View, ViewError> {
        for (what, value) in [("weight", spec.weight), ("share", spec.share)] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(ViewError::BadNumber { view: spec.name.clone(), what, value });
            }
        }
        let nodes = self.graph.nodes().len();
        let mut recipe = Recipe {
            block: None,
            direction: spec.direction,
            transform: spec.transform,
            scale: 1.0,
            right: None,
            shift: None,
            propagation: None,
        };
        let mut observed: Option<Mask> = None;
        let mut uses_links = false;
        let base = match &spec.source {
            Source::Identity if spec.propagate.is_none() => {
                return Err(ViewError::BareIdentity { view: spec.name.clone() });
            }
            Source::Identity => None,
            Source::Block(name) => {
                let block = self.block(spec, name)?;
                recipe.block = Some(name.clone());
                uses_links = matches!(block.kind, BlockKind::Links { .. });
                observed = block_mask(block);
                Some(self.base(spec, block, observed.as_ref(), &mut recipe)?)
            }
        };
        let mut row_scale = None;
        let propagation = match &spec.propagate {
            None => None,
            Some(propagate) => {
                uses_links = true;
                let propagation = self.propagation(spec, propagate, &mut recipe)?;
                let links = self.graph.block(&propagate.block).and_then(block_mask);
                (row_scale, observed) =
                    smoothed_observation(&propagation, observed, links.as_ref(), nodes);
                Some(propagation)
            }
        };
        if observed.as_ref().is_some_and(|mask| mask.count() == 0) || nodes == 0 {
            return Err(ViewError::NothingObserved { view: spec.name.clone() });
        }
        let cols = base.as_ref().map_or(nodes, Factor::cols);
        let columns_are_nodes = match &spec.source {
            Source::Identity => true,
            Source::Block(name) => self
                .graph
                .block(name)
                .is_some_and(|block| matches!(block.kind, BlockKind::Links { .. })),
        };
        Ok(View {
            name: spec.name.clone(),
            weight: spec.weight,
            share: spec.share,
            uses_links,
            columns_are_nodes,
            observed,
            operator: Operator { propagation, base, row_scale, local_rows: nodes, cols },
            recipe,
        })
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

    /// The sparse matrix of links in the wanted direction.
    fn links(
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
                    Ok((*self.transposed(name, &matrix)).clone())
                } else {
                    Ok(matrix.clone())
                }
            }
            _ => Err(ViewError::NotLinks { view: spec.name.clone(), block: name.to_owned(), what }),
        }
    }

    /// One transpose per block, shared between views.
    fn transposed(&mut self, name: &str, matrix: &SparseMatrix) -> Arc<SparseMatrix> {
        Arc::clone(
            self.transposes.entry(name.to_owned()).or_insert_with(|| Arc::new(matrix.transposed())),
        )
    }

    fn stored_sparse(&mut self, name: &str, matrix: SparseMatrix, symmetric: bool) -> Stored {
        let transposed = (!symmetric).then(|| self.transposed(name, &matrix));
        Stored::Sparse { matrix, transposed }
    }

    fn base(
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
            let mut factor =
                self.normalised(&block.name, links, spec.direction, spec.transform, self_loops);
            recipe.right.clone_from(&factor.right);
            factor.left = masked(factor.left, observed);
            if factor.shift.is_some() {
                factor.shift = masked(factor.shift, observed);
            }
            return Ok(factor);
        }
        let scale = working_scale(&block.matrix, observed);
        recipe.scale = scale;
        let weights: Option<Vec<f64>> = match spec.transform {
            Transform::TfIdf => Some(inverse_document_frequencies(&block.matrix, observed)),
            Transform::Standardised => {
                let (mean, deviation) = column_moments(&block.matrix, observed, scale);
                let factors = mean.iter().zip(deviation).map(|(mean, deviation)| {
                    // A column that varies by rounding error only is constant.
                    if deviation > 1e-12 * mean.abs() { scale / deviation } else { 0.0 }
                });
                Some(factors.collect())
            }
            _ => None,
        };
        // Column factors that bring numbers of any size to the working scale.
        let right: Diagonal = match weights {
            Some(weights) => Some(weights.iter().map(|w| w / scale).collect()),
            None if scale != 1.0 => Some(vec![1.0 / scale; block.matrix.cols()].into()),
            None => None,
        };
        let left: Diagonal = match spec.transform {
            Transform::RowL2 | Transform::TfIdf => {
                Some(inverse_row_lengths(&block.matrix, right.as_deref(), observed).into())
            }
            _ => None,
        };
        recipe.right.clone_from(&right);
        let mut factor_right = right;
        let stored = match &block.matrix {
            Matrix::Sparse(_) if matches!(block.kind, BlockKind::Links { .. }) => {
                let links = self.links(spec, &block.name, spec.direction, "a view of links")?;
                let symmetric = links.is_symmetric();
                let key = match spec.direction {
                    Direction::Out => block.name.clone(),
                    Direction::In => format!("{} {:?}", block.name, spec.direction),
                };
                self.stored_sparse(&key, links, symmetric)
            }
            Matrix::Sparse(matrix) => self.stored_sparse(&block.name, matrix.clone(), false),
            Matrix::Dense(dense) => {
                check_dense(block, dense)?;
                let (mean, _) = column_moments(&block.matrix, observed, scale);
                // Columns far from zero lose digits unless their mean goes first; a shift changes no distance as long
                // as rows are not rescaled or smoothed.
                let centre = left.is_none() && spec.propagate.is_none();
                if centre {
                    recipe.shift = Some(mean.clone().into());
                }
                // Stored numbers are on the working scale already.
                factor_right = factor_right.map(|right| right.iter().map(|r| r * scale).collect());
                self.dense(dense, &mean, centre, observed, scale)
            }
        };
        Ok(Factor { stored, left: masked(left, observed), right: factor_right, shift: None })
    }

    /// A dense block with missing entries at the column mean, and the mean subtracted if wanted.
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
        ) -> Arc<Tall<T>> {
            Arc::new(Tall::from_rows(dense.rows(), dense.cols(), |row, out| {
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
            Precision::F32 => Stored::DenseF32(convert(dense, mean, centre, observed, scale)),
            Precision::F64 => Stored::DenseF64(convert(dense, mean, centre, observed, scale)),
        }
    }

    fn propagation(
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

    /// Links between the diagonal factors of a normalisation.
    fn normalised(
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

/// The largest absolute value, where it is so large or small that powers of it would leave the range of numbers; else 1.
fn working_scale(matrix: &Matrix, observed: Option<&Mask>) -> f64 {
    let largest = largest_entry(matrix, observed);
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
