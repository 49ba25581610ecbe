//! Rows of nodes that lack views.
//!
//! When enough nodes have every view, the model is found on these, and the others are folded in
//! relative to their mean, which recovers exact data exactly. When too few have, it is found on all
//! nodes with empty rows where a view is missing, and then every row is solved once from the views
//! it really has.

use crate::error::Error;
use crate::graph::Mask;
use crate::params::CheckedParams;
use crate::progress::Stage;
use gage_linalg::kernel::{add_scaled, column_sums, subtract_row};
use gage_linalg::{Real, Tall};

use super::context::Context;
use super::factors::FullFactors;
use super::gradient::{negative_gradient, scaled_columns};
use super::problem::Problem;
use super::quality::{Quality, quality, quality_of, row_prior};
use super::rows::{RowPatterns, RowSystem};
use super::view_terms::{energies_of, view_terms};

/// Complete nodes are enough to find a model on when there are this many per column of it.
const COMPLETE_PER_COLUMN: usize = 2;

/// The problem of the nodes that have every view, unless all have or too few.
pub(crate) fn on_complete_nodes<'a>(
    problem: &Problem<'a>,
    complete: Option<&'a Mask>,
    params: &CheckedParams,
    ctx: &Context<'_>,
) -> Option<Problem<'a>> {
    let complete = complete?;
    let mut count = [complete.count() as f64];
    ctx.reducer.sum_f64(&mut count);
    if (count[0] as usize) < COMPLETE_PER_COLUMN * params.dimension.most().max(2) {
        return None;
    }
    let inner = problem.restricted(complete, params.seed, ctx.reducer);
    let mut energies = inner.energies.iter().zip(&problem.energies);
    energies.all(|(inner, whole)| *inner > 0.0 || *whole == 0.0).then_some(inner)
}

/// Rows of all nodes from factors that were found on complete nodes (`inner`), or on all nodes as
/// if they were complete.
pub(crate) fn solve_incomplete_rows<T: Real>(
    problem: &Problem<'_>,
    inner: Option<&Problem<'_>>,
    factors: FullFactors<T>,
    ridge: f64,
    ctx: &Context<'_>,
) -> Result<FullFactors<T>, Error> {
    let patterns = RowPatterns::new(&problem.ops, factors.u.rows());
    let factors = match inner {
        Some(inner) => fold_in_others(problem, inner, factors, &patterns, ridge, ctx)?,
        None => solve_all(problem, factors, &patterns, ridge, ctx)?,
    };
    centre_and_project(problem, factors, &patterns, ctx)
}

/// Rows of the nodes that `inner` leaves out, from whichever views they have; one pass.
fn fold_in_others<T: Real>(
    problem: &Problem<'_>,
    inner: &Problem<'_>,
    mut factors: FullFactors<T>,
    patterns: &RowPatterns,
    ridge: f64,
    ctx: &Context<'_>,
) -> Result<FullFactors<T>, Error> {
    let Quality { losses, spread, normals } = quality(inner, &factors, ctx);
    let mut rhs = Tall::<T>::zeros_in(ctx.workspace, factors.u.rows(), factors.u.cols());
    for (k, op) in problem.ops.iter().enumerate() {
        let factor = problem.weights[k].powi(2);
        let scaled = scaled_columns(&factors.projections[k], &factors.c[k], factor);
        op.expand_uncentred(1.0, (&scaled).into(), &mut rhs, ctx.reducer);
        // Relative to the mean of the complete nodes, which is where the fitted rows are centred.
        let mean = inner.ops[k].mean_of_expansion((&scaled).into(), ctx.reducer);
        subtract_row(&mut rhs, &mean, |row| op.observes(row));
    }
    ctx.report(Stage::MissingRows, 0, None)?;
    let prior = row_prior(inner, &losses, &spread, ridge);
    let solved = RowSystem::new(patterns, &normals, prior).solve(&rhs);
    factors.u.par_update_rows(|row, values| {
        if !patterns.of(row).iter().all(|&seen| seen) {
            values.copy_from_slice(solved.row(row));
        }
    });
    Ok(factors)
}

/// One solve of every row from the views it has, after rows where missing counted as zero.
fn solve_all<T: Real>(
    problem: &Problem<'_>,
    mut factors: FullFactors<T>,
    patterns: &RowPatterns,
    ridge: f64,
    ctx: &Context<'_>,
) -> Result<FullFactors<T>, Error> {
    let terms = view_terms(&problem.ops, &factors.u, &factors.energies, ctx.reducer);
    let Quality { losses, spread, normals } = quality_of(problem, &factors, &terms);
    let gradient = negative_gradient(problem, &factors, &terms, patterns, ctx.reducer);
    ctx.report(Stage::MissingRows, 0, None)?;
    let prior = row_prior(problem, &losses, &spread, ridge);
    let step = RowSystem::new(patterns, &normals, prior).solve(&gradient);
    add_scaled(&mut factors.u, 1.0, &step);
    Ok(factors)
}

/// Centres the rows over all nodes that have any view (the model does not see a common shift) and
/// projects again.
fn centre_and_project<T: Real>(
    problem: &Problem<'_>,
    mut factors: FullFactors<T>,
    patterns: &RowPatterns,
    ctx: &Context<'_>,
) -> Result<FullFactors<T>, Error> {
    let seen = |row: usize| patterns.of(row).iter().any(|&seen| seen);
    let mut count = [(0..factors.u.rows()).filter(|&row| seen(row)).count() as f64];
    ctx.reducer.sum_f64(&mut count);
    let mut mean = column_sums(&factors.u, seen, ctx.reducer);
    mean.iter_mut().for_each(|m| *m /= count[0].max(1.0));
    subtract_row(&mut factors.u, &mean, seen);
    factors.u.par_update_rows(|row, values| {
        if !seen(row) {
            values.fill(T::ZERO);
        }
    });
    for (op, projection) in problem.ops.iter().zip(&mut factors.projections) {
        *projection = op.project(&factors.u, ctx.reducer);
    }
    factors.energies = energies_of(&factors.projections, ctx.reducer);
    ctx.report(Stage::MissingRows, 0, None)?;
    Ok(factors)
}
