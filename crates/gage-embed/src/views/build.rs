//! From blocks and specifications to operators.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::graph::{Block, BlockKind, Graph, Mask, Matrix};
use crate::linalg::{
    DenseMatrix, LocalReducer, Precision, Real, Reducer, SparseError, SparseMatrix, Tall,
};

use super::diagonals::{
    column_moments, degrees, inverse_document_frequencies, inverse_or_zero, inverse_row_lengths,
    symmetrised,
};
use super::operator::{Factor, Operator, Propagation, Stored};
use super::spec::{Directed, Direction, Preset, Propagate, Source, Transform, ViewSpec};

/// Why a graph and a list of specifications give no views.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ViewError {
    /// No view at all.
    #[error("no view: a fit needs at least one; the graph has {blocks} blocks")]
    NoView {
        /// number of blocks in the graph
        blocks: usize,
    },
    /// A specification names a block the graph does not have.
    #[error(
        "view `{view}` needs block `{block}`, which the graph does not have (it has: {present})"
    )]
    MissingBlock {
        /// name of the view
        view: String,
        /// name of the block
        block: String,
        /// blocks there are
        present: String,
    },
    /// Links are needed where attributes stand.
    #[error("view `{view}`: block `{block}` is not links (N x N, sparse), but {what} needs links")]
    NotLinks {
        /// name of the view
        view: String,
        /// name of the block
        block: String,
        /// what needs them
        what: &'static str,
    },
    /// Weights and shares must be finite and not negative.
    #[error("view `{view}`: {what} must be a finite number of at least 0, found {value}")]
    BadNumber {
        /// name of the view
        view: String,
        /// weight, share, coefficient
        what: &'static str,
        /// what was given
        value: f64,
    },
    /// A dense block holds an infinite number.
    #[error(
        "block `{block}`, row {row}, column {column}: {value} is not finite (use NaN for a missing entry)"
    )]
    Infinite {
        /// name of the block
        block: String,
        /// row
        row: usize,
        /// column
        column: usize,
        /// the value
        value: f64,
    },
    /// A view without rows: no node is observed.
    #[error("view `{view}` observes no node")]
    NothingObserved {
        /// name of the view
        view: String,
    },
    /// A view's identity source without propagation describes nothing.
    #[error("view `{view}`: an identity source needs a propagation")]
    BareIdentity {
        /// name of the view
        view: String,
    },
    /// Building a derived matrix failed.
    #[error(transparent)]
    Sparse(#[from] SparseError),
}

/// How rows of new nodes are treated as the rows of the fitted nodes were.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Recipe {
    pub(crate) block: Option<String>,
    pub(crate) direction: Direction,
    pub(crate) transform: Transform,
    /// Column factors (idf, inverse standard deviation).
    #[serde(skip)]
    pub(crate) right: Option<Arc<[f64]>>,
    /// Column means that were subtracted from dense rows.
    #[serde(skip)]
    pub(crate) shift: Option<Arc<[f64]>>,
    pub(crate) propagation: Option<PropagationRecipe>,
}

/// The propagation part of a [`Recipe`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PropagationRecipe {
    pub(crate) block: String,
    pub(crate) direction: Direction,
    pub(crate) transform: Transform,
    pub(crate) coefficients: Vec<f64>,
    /// `1 / sqrt(degree)` of the fitted nodes, for a symmetric normalisation.
    #[serde(skip)]
    pub(crate) node_factors: Option<Arc<[f64]>>,
}

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

impl Preset {
    /// The views this preset makes of a graph: its own views whose blocks exist, then one view for every further
    /// block; directed links are treated as `directed` says.
    pub fn specs_for(&self, graph: &Graph, directed: Directed) -> Vec<ViewSpec> {
        let own = self.views.iter().filter(|spec| {
            let source = match &spec.source {
                Source::Block(block) => graph.block(block).is_some(),
                Source::Identity => true,
            };
            source && spec.propagate.as_ref().is_none_or(|p| graph.block(&p.block).is_some())
        });
        let mut specs: Vec<ViewSpec> = own.cloned().collect();
        for block in graph.blocks() {
            let named = |spec: &ViewSpec| spec.source == Source::Block(block.name.clone());
            if self.views.iter().any(named) {
                continue;
            }
            let pattern = match block.kind {
                BlockKind::Links { .. } => &self.further_links,
                BlockKind::Attributes => &self.further_attributes,
            };
            specs.push(ViewSpec {
                name: block.name.clone(),
                source: Source::Block(block.name.clone()),
                ..pattern.clone()
            });
        }
        specs.into_iter().flat_map(|spec| direct(spec, graph, directed)).collect()
    }
}

/// Applies a wish about directions to one specification.
fn direct(spec: ViewSpec, graph: &Graph, directed: Directed) -> Vec<ViewSpec> {
    let Source::Block(block) = &spec.source else { return vec![spec] };
    let is_directed =
        graph.block(block).is_some_and(|block| block.kind == BlockKind::Links { directed: true });
    let turned = |direction, suffix: &str| ViewSpec {
        direction,
        name: format!("{}{suffix}", spec.name),
        ..spec.clone()
    };
    match directed {
        _ if !is_directed => vec![spec],
        Directed::AsGiven => vec![spec],
        Directed::Out => vec![turned(Direction::Out, "")],
        Directed::In => vec![turned(Direction::In, "")],
        Directed::Both => vec![turned(Direction::Out, "-out"), turned(Direction::In, "-in")],
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
        let right: Option<Arc<[f64]>> = match spec.transform {
            Transform::TfIdf => Some(inverse_document_frequencies(&block.matrix, observed).into()),
            Transform::Standardised => {
                let (mean, deviation) = column_moments(&block.matrix, observed);
                let factors = mean.iter().zip(deviation).map(|(mean, deviation)| {
                    // A column that varies by rounding error only is constant.
                    if deviation > 1e-12 * mean.abs() { 1.0 / deviation } else { 0.0 }
                });
                Some(factors.collect())
            }
            _ => None,
        };
        let left: Option<Arc<[f64]>> = match spec.transform {
            Transform::RowL2 | Transform::TfIdf => {
                Some(inverse_row_lengths(&block.matrix, right.as_deref(), observed).into())
            }
            _ => None,
        };
        let stored = match &block.matrix {
            Matrix::Sparse(_) if matches!(block.kind, BlockKind::Links { .. }) => {
                let links = self.links(spec, &block.name, spec.direction, "a view of links")?;
                let symmetric = links.is_symmetric();
                let key = format!("{} {:?}", block.name, spec.direction);
                let key = if spec.direction == Direction::Out { block.name.clone() } else { key };
                self.stored_sparse(&key, links, symmetric)
            }
            Matrix::Sparse(matrix) => self.stored_sparse(&block.name, matrix.clone(), false),
            Matrix::Dense(dense) => {
                check_dense(block, dense)?;
                let (mean, _) = column_moments(&block.matrix, observed);
                // Columns far from zero lose digits unless their mean goes first; a shift changes no distance as long
                // as rows are not rescaled or smoothed.
                let centre = left.is_none() && spec.propagate.is_none();
                if centre {
                    recipe.shift = Some(mean.clone().into());
                }
                self.dense(dense, &mean, centre, observed)
            }
        };
        recipe.right.clone_from(&right);
        Ok(Factor { stored, left: masked(left, observed), right, shift: None })
    }

    /// A dense block with missing entries at the column mean, and the mean subtracted if wanted.
    fn dense(
        &self,
        dense: &DenseMatrix,
        mean: &[f64],
        centre: bool,
        observed: Option<&Mask>,
    ) -> Stored {
        fn convert<T: Real>(
            dense: &DenseMatrix,
            mean: &[f64],
            centre: bool,
            observed: Option<&Mask>,
        ) -> Arc<Tall<T>> {
            Arc::new(Tall::from_rows(dense.rows(), dense.cols(), |row, out| {
                if observed.is_some_and(|mask| !mask.contains(row)) {
                    return;
                }
                for (col, out) in out.iter_mut().enumerate() {
                    let value = dense.get(row, col);
                    let value = if value.is_nan() { mean[col] } else { value };
                    *out = T::from_f64(if centre { value - mean[col] } else { value });
                }
            }))
        }
        match self.precision {
            Precision::F32 => Stored::DenseF32(convert(dense, mean, centre, observed)),
            Precision::F64 => Stored::DenseF64(convert(dense, mean, centre, observed)),
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
        let (left, right): (Option<Arc<[f64]>>, Option<Arc<[f64]>>) = match transform {
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
        let shift: Option<Arc<[f64]>> = (self_loops != 0.0).then(|| {
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

/// Observed nodes of a block: its mask, less the rows of a dense matrix that are missing throughout.
fn block_mask(block: &Block) -> Option<Mask> {
    let Matrix::Dense(dense) = &block.matrix else { return block.observed.clone() };
    let known = |row: usize| {
        dense.cols() == 0 || (0..dense.cols()).any(|col| !dense.get(row, col).is_nan())
    };
    let flags: Vec<bool> = (0..dense.rows())
        .map(|row| block.observed.as_ref().is_none_or(|mask| mask.contains(row)) && known(row))
        .collect();
    let mask = Mask::new(flags);
    (block.observed.is_some() || mask.count() < mask.len()).then_some(mask)
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

/// Row factors with zeros outside the observed nodes, so that unobserved rows are zero rows.
fn masked(left: Option<Arc<[f64]>>, mask: Option<&Mask>) -> Option<Arc<[f64]>> {
    let Some(mask) = mask else { return left };
    Some(
        (0..mask.len())
            .map(|row| {
                let factor = left.as_ref().map_or(1.0, |left| left[row]);
                if mask.contains(row) { factor } else { 0.0 }
            })
            .collect(),
    )
}

/// Smoothing reads observed rows only: `y_i = sum_j p_ij m_j a_j * (sum_j p_ij) / (sum_j p_ij m_j)`, so a node whose own
/// row is missing is described by the neighbours that have one, and a node with no such neighbour is missing.
fn smoothed_observation(
    propagation: &Propagation,
    rows: Option<Mask>,
    links: Option<&Mask>,
    nodes: usize,
) -> (Option<Arc<[f64]>>, Option<Mask>) {
    if rows.is_none() && links.is_none() {
        return (None, None);
    }
    let operator = Operator {
        propagation: Some(propagation.clone()),
        base: None,
        row_scale: None,
        local_rows: nodes,
        cols: nodes,
    };
    let reached = |mask: Option<&Mask>| {
        let start = Tall::<f64>::from_rows(nodes, 1, |row, out| {
            out[0] = f64::from(mask.is_none_or(|mask| mask.contains(row)));
        });
        let mut out = Tall::<f64>::zeros(nodes, 1);
        operator.apply(1.0, &start, &mut out, &LocalReducer);
        out
    };
    let (all, known) = (reached(None), reached(rows.as_ref()));
    let scale: Vec<f64> = (0..nodes)
        .map(|node| {
            let linked = links.is_none_or(|mask| mask.contains(node));
            let (all, known) = (all.row(node)[0], known.row(node)[0]);
            if linked && known > 1e-12 * all { all / known } else { 0.0 }
        })
        .collect();
    // A node nothing flows to at all (isolated, no self-loop) has a known, empty row.
    let observed = (0..nodes)
        .map(|node| {
            let linked = links.is_none_or(|mask| mask.contains(node));
            let own = rows.as_ref().is_none_or(|mask| mask.contains(node));
            linked && (scale[node] > 0.0 || (all.row(node)[0] == 0.0 && own))
        })
        .collect();
    (Some(scale.into()), Some(Mask::new(observed)))
}

/// Keeps the rows of one worker.
fn restrict(view: &mut View, rows: Range<usize>) -> Result<(), ViewError> {
    let slice = |d: &Option<Arc<[f64]>>| d.as_ref().map(|d| Arc::from(&d[rows.clone()]));
    let factor = |factor: &Factor| -> Result<Factor, ViewError> {
        let stored = match &factor.stored {
            Stored::Sparse { matrix, .. } => {
                let matrix = with_shift(matrix, factor)?;
                let numbers: Vec<u32> = rows.clone().map(|row| row as u32).collect();
                let matrix = matrix.select_rows(&numbers)?;
                let transposed = Some(Arc::new(matrix.transposed()));
                Stored::Sparse { matrix, transposed }
            }
            Stored::DenseF32(tall) => Stored::DenseF32(Arc::new(tall_rows(tall, &rows))),
            Stored::DenseF64(tall) => Stored::DenseF64(Arc::new(tall_rows(tall, &rows))),
        };
        Ok(Factor { stored, left: slice(&factor.left), right: factor.right.clone(), shift: None })
    };
    let operator = &mut view.operator;
    if let Some(base) = &operator.base {
        operator.base = Some(factor(base)?);
    }
    if let Some(propagation) = &operator.propagation {
        let step = factor(&propagation.step)?;
        operator.propagation =
            Some(Propagation { step, coefficients: propagation.coefficients.clone() });
    }
    operator.row_scale = slice(&operator.row_scale);
    operator.local_rows = rows.len();
    if let Some(mask) = &view.observed {
        view.observed = Some(Mask::new(mask.as_slice()[rows].to_vec()));
    }
    Ok(())
}

fn tall_rows<T: Real>(tall: &Tall<T>, rows: &Range<usize>) -> Tall<T> {
    Tall::from_rows(rows.len(), tall.cols(), |row, out| {
        out.copy_from_slice(tall.row(rows.start + row));
    })
}

/// The matrix with a diagonal shift written into its entries (a shift refers to rows of a complete block).
fn with_shift(matrix: &SparseMatrix, factor: &Factor) -> Result<SparseMatrix, SparseError> {
    let Some(shift) = &factor.shift else { return Ok(matrix.clone()) };
    let mut entries = Vec::with_capacity(matrix.entries() + shift.len());
    for row in 0..matrix.rows() {
        entries.extend(matrix.row(row).map(|(col, value)| (row as u32, col, value)));
        let around = factor.left.as_ref().map_or(1.0, |left| left[row])
            * factor.right.as_ref().map_or(1.0, |right| right[row]);
        if around != 0.0 {
            entries.push((row as u32, row as u32, shift[row] / around));
        }
    }
    SparseMatrix::from_triplets(matrix.rows(), matrix.cols(), &entries)
}
