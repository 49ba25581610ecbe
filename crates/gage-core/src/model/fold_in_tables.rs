//! Tables for the fold-in of new nodes.

use faer::Mat;

use crate::cost::{Cost, ProblemSize};
use crate::solver::{Context, FullFactors, Problem, Quality};
use crate::views::Recipe;
use gage_linalg::random::fill_signs;
use gage_linalg::{AnyTall, Real, Tall};

use super::partial_rows_cost::partial_rows_cost;
use super::partial_table::PartialRows;
use super::row_products::RowTableRef;

/// The fold-in table of one view.
#[derive(Clone, Debug)]
pub(crate) struct ViewTable {
    pub(crate) recipe: Recipe,
    /// Loadings `L_k = Y_k^T J_k U`, for the part of a row from its own block; `None` for powers of
    /// links.
    pub(crate) loadings: Option<AnyTall>,
    /// Table of the neighbours: `(sum_{t>=1} a_t P^(t-1)) M L_k`.
    pub(crate) neighbours: Option<AnyTall>,
    /// `mean_k L_k`.
    pub(crate) offset: Vec<f64>,
    /// Mean of `U` over the observed nodes.
    pub(crate) mean_factor: Vec<f64>,
    /// `w_k^2 C_k G_k C_k`.
    pub(crate) normal: Mat<f64>,
    /// `w_k^2 c_k`.
    pub(crate) weighted: Vec<f64>,
    /// Scale of the view's rows.
    pub(crate) unit: f64,
    /// `w_k^2 loss_k / n_k^2`, the noise of the view.
    pub(crate) noise: f64,
    /// Mean squared norm of the residual of a row.
    pub(crate) residual: f64,
}

/// The fold-in tables of a fit.
#[derive(Clone, Debug)]
pub(crate) struct FoldInTables {
    pub(crate) views: Vec<ViewTable>,
    /// Mean square of each column.
    pub(crate) spread: Vec<f64>,
    pub(crate) ridge: f64,
    /// For nodes that have only some of the blocks; empty in models of older versions.
    pub(crate) partial: Vec<PartialRows>,
}

impl ViewTable {
    /// The part that products of new rows need.
    pub(super) fn row_table(&self) -> RowTableRef<'_> {
        let (loadings, neighbours) = (self.loadings.as_ref(), self.neighbours.as_ref());
        RowTableRef { recipe: &self.recipe, loadings, neighbours }
    }

    /// Adds the products of a node, as they enter the right-hand side of its row, not centred.
    pub(super) fn add_products(&self, products: &[f64], out: &mut [f64]) {
        for ((out, product), weight) in out.iter_mut().zip(products).zip(&self.weighted) {
            *out += weight * self.unit * product;
        }
    }
}

impl FoldInTables {
    /// The blocks that take part in the views.
    pub(crate) fn blocks(&self) -> Vec<String> {
        let mut blocks: Vec<String> = Vec::new();
        for table in &self.views {
            for name in table.recipe.blocks() {
                if !blocks.iter().any(|known| known == name) {
                    blocks.push(name.to_owned());
                }
            }
        }
        blocks
    }

    /// Computes the tables on one worker and takes over the projections. Smoothed views cost one
    /// more smoothing.
    pub(crate) fn new<T: Real>(
        problem: &Problem<'_>,
        factors: &mut FullFactors<T>,
        quality: &Quality,
        ridge: f64,
        ctx: &Context<'_>,
    ) -> FoldInTables {
        let Quality { losses, spread, normals } = quality;
        let projections = std::mem::take(&mut factors.projections);
        let views = problem
            .views
            .views()
            .iter()
            .zip(projections)
            .enumerate()
            .map(|(k, (view, loadings))| {
                let op = &problem.ops[k];
                let weight = problem.weights[k].powi(2);
                let mean = op.mean();
                let offset = gage_linalg::kernel::weighted_row_sum(&loadings, &mean);
                let n = op.observed().max(1.0);
                let kept: f64 = factors.c[k].iter().sum();
                // The norm is an estimate; where the model is exact it would only add noise.
                let residual = if losses[k] > 1e-6 {
                    (mean_square_length(problem, k, ctx) - kept / n).max(0.0)
                } else {
                    0.0
                };
                let (loadings, neighbours) = view.new_row_tables(loadings);
                ViewTable {
                    residual,
                    recipe: view.recipe.clone(),
                    neighbours,
                    loadings,
                    offset,
                    mean_factor: op.mean_over_observed(&factors.u, ctx.reducer),
                    normal: normals[k].clone(),
                    weighted: factors.c[k].iter().map(|c| weight * c).collect(),
                    unit: op.unit,
                    noise: weight * losses[k].max(0.0) / (n * n),
                }
            })
            .collect();
        FoldInTables { views, spread: spread.clone(), ridge, partial: Vec::new() }
    }
}

/// Bytes and columns of passes of the tables, after a basis of so many columns.
pub(crate) fn tables_cost(size: &ProblemSize, width: usize) -> Cost {
    // The factors and the tables; loadings stay in the memory of the projections.
    let kept =
        size.block(size.nodes, size.columns) * (1 + size.smoothed_views) + size.projections(width);
    let probes = size_of::<f64>() * LENGTH_PROBES * 2 * size.nodes;
    let smoothing = if size.smoothed_views > 0 { size.scratch(size.columns) } else { 0 };
    let (partial, folds) = partial_rows_cost(size);
    Cost {
        bytes: kept + (probes + smoothing).max(partial),
        // One more smoothing, and narrow probes; then one pass for each fold, which multiplies by
        // half a pass and smooths. None of them counts as a pass.
        pass_columns: (1 + folds) * size.columns + LENGTH_PROBES,
        ..Cost::default()
    }
}

/// Random sign vectors that estimate row norms.
const LENGTH_PROBES: usize = 64;

/// Mean squared norm `tr(X_k) / n_k` of the centred rows of a view, from random signs: one narrow
/// pass.
fn mean_square_length(problem: &Problem<'_>, k: usize, ctx: &Context<'_>) -> f64 {
    let (op, keys) = (&problem.ops[k], problem.views.node_keys());
    let signs =
        Tall::<f64>::from_rows_in(ctx.workspace, op.local_rows(), LENGTH_PROBES, |row, out| {
            fill_signs(0x7ace ^ k as u64, keys[row], out);
        });
    let projected = op.project(&signs, ctx.reducer);
    let square: f64 = projected.data().iter().map(|x| x * x).sum();
    square / (LENGTH_PROBES as f64 * op.observed().max(1.0))
}
