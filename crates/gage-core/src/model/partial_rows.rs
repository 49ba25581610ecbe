//! Rows of new nodes that have only some of the blocks of the fitted graph.
//!
//! Let `r_P = sum_k w_k^2 c_k * (y_k L_k)` be the part of the right-hand side of a row that the
//! blocks `P` give, and `m_P` the mean row of a node's neighbours by the links in `P`. With all
//! blocks the row is the least-squares solution. With fewer, views share columns with views that
//! are missing, and that solution is far too long. So the fit learns for each combination of blocks
//! how `z_P = (r_P, m_P)` relates to the rows, by a regression on fitted nodes
//! (`row_regression.rs`).
//!
//! A fitted row has a part in its own loadings, a new one has not. Therefore `z_P,i` is computed as
//! if node `i` were new: with loadings of the graph without the nodes of its fold. Nothing here
//! depends on what a view is: a view only has to say the products of new rows, and if it cannot,
//! the mean rows of neighbours are left. Cost for each fold: one pass over the views, and `n p^2`
//! for each combination with `p` inputs.

use crate::error::Error;
use crate::graph::{Block, BlockKind, Graph};
use crate::views::{ViewSpec, Views};
use gage_linalg::kernel::{column_sums, subtract_row};
use gage_linalg::random::mix;
use gage_linalg::{AnyTall, AnyTallRef, LocalReducer, Precision, Real, Tall};

use super::fitted_model::Model;
use super::fold_in_tables::FoldInTables;
use super::lambda::Lambda;
use super::left_out::{induced, new_blocks, observed};
use super::neighbour_rows::add_mean_of_neighbours;
use super::new_nodes::NewNodes;
use super::partial_rows_cost::{ALL_COMBINATIONS, FOLDS, MAX_NONZEROS, fold_count, wanted};
use super::partial_table::PartialRows;
use super::row_products::{RowTable, row_products};
use super::row_regression::RowRegression;

impl Model {
    /// Learns the tables for nodes that have only some of the blocks.
    pub(crate) fn learn_partial_rows<T: Real>(
        &mut self,
        graph: &Graph,
        specs: &[ViewSpec],
    ) -> Result<(), Error> {
        let factors = self.column_factors(&Lambda::Preset)?;
        let squared_factors = factors.iter().map(|factor| factor * factor).collect();
        let Some(tables) = &mut self.tables else { return Ok(()) };
        let Some(u) = self.factors.as_ref().downcast::<T>() else { return Ok(()) };
        let precision = self.params.precision;
        tables.partial = Training { graph, specs, precision, tables, squared_factors }.run(u)?;
        Ok(())
    }
}

/// What the tables are computed from.
struct Training<'a> {
    graph: &'a Graph,
    specs: &'a [ViewSpec],
    precision: Precision,
    tables: &'a FoldInTables,
    /// Squared column factors of the embedding, by which lengths are measured.
    squared_factors: Vec<f64>,
}

impl Training<'_> {
    /// A table for each combination of blocks; none where the views are reproduced exactly, because
    /// least squares are exact there.
    fn run<T: Real>(&self, u: &Tall<T>) -> Result<Vec<PartialRows>, Error> {
        let blocks = self.tables.blocks();
        let mut combinations = combinations(&blocks);
        if !self.tables.linear() {
            combinations.push(blocks);
        }
        let nonzeros: usize = self.graph.blocks().iter().map(|block| block.matrix.nnz()).sum();
        if combinations.is_empty()
            || self.tables.exact()
            || u.cols() == 0
            || nonzeros > MAX_NONZEROS
        {
            return Ok(Vec::new());
        }
        let mut samples: Vec<Sample> = combinations.iter().map(|_| Sample::default()).collect();
        let nodes = self.graph.nodes();
        let wanted = wanted(u.cols());
        let folds = fold_count(nodes.len(), wanted) as u64;
        for fold in 0..FOLDS as u64 {
            if samples.iter().all(|sample| sample.nodes.len() >= wanted) {
                break;
            }
            let (left_out, kept): (Vec<u32>, Vec<u32>) = (0..nodes.len() as u32)
                .partition(|&node| mix(nodes.key(node as usize)) % folds == fold);
            if left_out.is_empty() || kept.len() < 2 {
                continue;
            }
            let Some(tables) = self.tables_of(&kept, u)? else { continue };
            let rows = Tall::<T>::from_rows_in(u.workspace(), kept.len(), u.cols(), |row, out| {
                out.copy_from_slice(u.row(kept[row] as usize));
            });
            for (blocks, sample) in combinations.iter().zip(&mut samples) {
                self.add(sample, blocks, (&tables, &rows), (&left_out, &kept), wanted)?;
            }
        }
        let learnt = combinations.into_iter().zip(&samples);
        Ok(learnt.filter_map(|(blocks, sample)| self.learn(blocks, sample, u)).collect())
    }

    /// Loadings of the graph of the kept nodes; `None` if a view observes none of them.
    fn tables_of<T: Real>(
        &self,
        kept: &[u32],
        u: &Tall<T>,
    ) -> Result<Option<Vec<RowTable>>, Error> {
        let graph = induced(self.graph, kept)?;
        // In the workspace of the fit, so that its limit of memory holds here too.
        let workspace = u.workspace();
        let views = Views::build_rows(&graph, self.specs, self.precision, &LocalReducer, workspace);
        let Ok(views) = views else { return Ok(None) };
        let mut rows = Tall::<T>::from_rows_in(workspace, kept.len(), u.cols(), |row, out| {
            out.copy_from_slice(u.row(kept[row] as usize));
        });
        let mut mean = column_sums(&rows, |_| true, &LocalReducer);
        mean.iter_mut().for_each(|sum| *sum /= kept.len() as f64);
        subtract_row(&mut rows, &mean, |_| true);
        // As many nodes as in the fit would make loadings longer by this.
        let scale = u.rows() as f64 / kept.len() as f64;
        let tables = views.views().iter().zip(&self.tables.views).map(|(view, fitted)| {
            let operator = &view.operator;
            let factor = scale * fitted.unit;
            let loadings = operator.apply_transposed(factor, &rows, None, &LocalReducer);
            let (loadings, neighbours) = view.new_row_tables(loadings);
            RowTable { recipe: view.recipe.clone(), neighbours, loadings }
        });
        Ok(Some(tables.collect()))
    }

    /// Adds the inputs of nodes that were left out and have these blocks, up to the number wanted.
    fn add<T: Real>(
        &self,
        sample: &mut Sample,
        blocks: &[String],
        (tables, rows): (&[RowTable], &Tall<T>),
        (left_out, kept): (&[u32], &[u32]),
        wanted: usize,
    ) -> Result<(), Error> {
        let of_graph: Vec<&Block> =
            blocks.iter().filter_map(|name| self.graph.block(name)).collect();
        let has = |node: &&u32| of_graph.iter().all(|block| observed(block, **node as usize));
        let mut nodes: Vec<u32> = left_out.iter().filter(has).copied().collect();
        // Evenly over all of them, because files are often sorted by what nodes are.
        let (found, missing) = (nodes.len(), wanted.saturating_sub(sample.nodes.len()));
        if found > missing {
            nodes = (0..missing).map(|at| nodes[at * found / missing]).collect();
        }
        let mut new = NewNodes { count: nodes.len(), blocks: Vec::new() };
        for block in of_graph {
            new.blocks.extend(new_blocks(block, &nodes, kept)?);
        }
        let products = self.tables.combined(tables, &new);
        let links = self.links_of(blocks);
        for node in 0..new.count {
            sample.inputs.extend(inputs_of(products.row(node), rows.into(), &new, (&links, node)));
        }
        sample.nodes.extend(nodes);
        Ok(())
    }

    /// The regression of one combination.
    fn learn<T: Real>(
        &self,
        blocks: Vec<String>,
        sample: &Sample,
        u: &Tall<T>,
    ) -> Option<PartialRows> {
        let (count, columns) = (sample.nodes.len(), u.cols());
        if count < 2 {
            return None;
        }
        let width = sample.inputs.len() / count;
        let inputs = Tall::<f64>::from_rows(count, width, |row, out| {
            out.copy_from_slice(&sample.inputs[row * width..(row + 1) * width]);
        });
        let rows = Tall::<f64>::from_rows(count, columns, |row, out| {
            let values = u.row(sample.nodes[row] as usize);
            out.iter_mut().zip(values).for_each(|(out, value)| *out = value.to_f64());
        });
        let RowRegression { weights, intercept } =
            RowRegression::new(inputs, rows, &self.squared_factors);
        let weights = Tall::<T>::from_rows(width, columns, |f, out: &mut [T]| {
            out.iter_mut().enumerate().for_each(|(g, out)| *out = T::from_f64(weights[(f, g)]));
        });
        let neighbours = self.links_of(&blocks);
        Some(PartialRows { blocks, neighbours, weights: AnyTall::from(weights), intercept })
    }

    /// Those of some blocks that are links.
    fn links_of(&self, blocks: &[String]) -> Vec<String> {
        let links = |name: &&String| {
            let kind = self.graph.block(name).map(|block| block.kind);
            matches!(kind, Some(BlockKind::Links { .. }))
        };
        blocks.iter().filter(links).cloned().collect()
    }
}

/// The inputs of the regression for one new node: its products and, with links, the mean row of its
/// neighbours.
pub(super) fn inputs_of(
    products: &[f64],
    rows: AnyTallRef<'_>,
    new: &NewNodes,
    (links, node): (&[String], usize),
) -> Vec<f64> {
    let columns = products.len();
    let mut inputs = products.to_vec();
    if !links.is_empty() {
        inputs.resize(2 * columns, 0.0);
        add_mean_of_neighbours(rows, new, (links, node), &mut inputs[columns..]);
    }
    inputs
}

/// Nodes to learn from, and their inputs.
#[derive(Default)]
struct Sample {
    nodes: Vec<u32>,
    inputs: Vec<f64>,
}

impl FoldInTables {
    /// `sum_k w_k^2 c_k * (y_k L_k)` of new nodes, with the loadings of `tables`.
    fn combined(&self, tables: &[RowTable], new: &NewNodes) -> Tall<f64> {
        let columns = self.spread.len();
        let mut sum = Tall::<f64>::zeros(new.count, columns);
        for (table, fitted) in tables.iter().zip(&self.views) {
            let Some((products, _)) = row_products(table.as_ref(), new, columns) else { continue };
            for node in 0..new.count {
                fitted.add_products(products.row(node), sum.row_mut(node));
            }
        }
        sum
    }
}

/// Combinations of blocks that a node may have without having them all.
fn combinations(blocks: &[String]) -> Vec<Vec<String>> {
    let count = blocks.len();
    if count < 2 {
        return Vec::new();
    }
    if count <= ALL_COMBINATIONS {
        let subsets = 1..(1usize << count) - 1;
        let chosen = |set: usize| (0..count).filter(move |at| set >> at & 1 == 1);
        return subsets.map(|set| chosen(set).map(|at| blocks[at].clone()).collect()).collect();
    }
    let alone = blocks.iter().map(|block| vec![block.clone()]);
    let but_one = (0..count).map(|out| {
        (0..count).filter(|&at| at != out).map(|at| blocks[at].clone()).collect::<Vec<String>>()
    });
    alone.chain(but_one).collect()
}
