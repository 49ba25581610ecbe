//! Factors for all nodes, whichever views they have.
//!
//! Complete data: basis, core, pencil, least squares on the core. Missing rows: the same on the nodes that have every
//! view, then the others are folded in relative to the mean of those nodes, which recovers exact data exactly. When too
//! few nodes are complete: the same on everything with empty rows where a view is missing, then one solve of every row
//! from the views it really has.

use std::sync::atomic::Ordering;

use faer::Mat;

use crate::error::Error;
use crate::params::{CheckedParams, Dimension};
use crate::progress::Stage;
use crate::views::CentredGram;
use gage_linalg::kernel::{
    add_scaled, column_sums, subtract_row, times_small, times_small_in_place,
};
use gage_linalg::{Real, Tall};

use super::als::{CoreAlsParams, core_als};
use super::basis::{BasisSoFar, BasisTask, Compressed, basis};
use super::context::Context;
use super::core_tensor::CoreFactors;
use super::dimension::choose;
use super::factors::FullFactors;
use super::info::StartInfo;
use super::line_search::{ViewTerms, view_normal};
use super::pencil::{diagonal_energy, pencil};
use super::problem::Problem;
use super::refine::{energies_of, residual, view_terms};
use super::rows::{RowPatterns, RowSystem};

/// Complete nodes are enough to start from when there are this many per column of the model.
const COMPLETE_PER_COLUMN: usize = 2;

/// Finds factors for every node, from the beginning or from where an earlier run stood in the basis.
pub(crate) fn start<T: Real>(
    problem: &Problem<'_>,
    params: &CheckedParams,
    earlier: Option<BasisSoFar<T>>,
    ctx: &Context<'_>,
) -> Result<(FullFactors<T>, StartInfo), Error> {
    let Some(complete) = problem.complete_nodes() else {
        return on_observed(problem, params, earlier, ctx);
    };
    let mut count = [complete.count() as f64];
    ctx.reducer.sum_f64(&mut count);
    let most = params.dimension.most();
    if count[0] as usize >= COMPLETE_PER_COLUMN * most.max(2) {
        let inner = problem.restricted(&complete, params.seed, ctx.reducer);
        if inner.energies.iter().zip(&problem.energies).all(|(e, whole)| *e > 0.0 || *whole == 0.0)
        {
            let (factors, mut info) = on_observed::<T>(&inner, params, earlier, ctx)?;
            info.complete_nodes = Some(count[0] as usize);
            info.inner_passes = inner.passes();
            ctx.done.fetch_add(inner.passes_done(), Ordering::Relaxed);
            let factors = fold_in_rest(problem, &inner, factors, params.missing_ridge, ctx)?;
            return Ok((factors, info));
        }
    }
    let (factors, info) = on_observed(problem, params, earlier, ctx)?;
    let factors = solve_rows(problem, factors, params.missing_ridge, ctx)?;
    Ok((factors, info))
}

/// Basis, dimension, pencil and core least squares over the nodes the problem observes.
fn on_observed<T: Real>(
    problem: &Problem<'_>,
    params: &CheckedParams,
    earlier: Option<BasisSoFar<T>>,
    ctx: &Context<'_>,
) -> Result<(FullFactors<T>, StartInfo), Error> {
    let task = BasisTask {
        views: problem.views,
        ops: &problem.ops,
        weights: &problem.weights,
        total: problem.total(),
        dimension: params.dimension.most(),
        share: match params.dimension {
            Dimension::Energy { share, .. } => Some(share),
            _ => None,
        },
        params: &params.basis,
        seed: params.seed,
    };
    let (compressed, basis_info) = basis::<T>(&task, earlier, ctx)?;
    let chosen = choose(problem, &compressed, params.dimension, params.seed, ctx)?;
    let Compressed { block, transform, mut projections, core } = compressed;
    let (factors, pencil_info) = pencil(&core, chosen.columns);
    let als = CoreAlsParams { max_sweeps: params.core_sweeps, tolerance: 1e-5 };
    let (CoreFactors { u, c }, als_info) = core_als(&core, factors, als);
    ctx.tick(Stage::Factors, basis_info.passes, als_info.loss_history.last().copied())?;
    // Columns beyond the rank are zero, not noise.
    let u = padded(&u, chosen.columns);
    let c = c.into_iter().map(|mut c| {
        c.resize(chosen.columns, 0.0);
        c
    });
    let energies = core.slabs.iter().map(|slab| diagonal_energy(slab, &u)).collect();
    let u = &transform * &u;
    // Given back before the factors are made, so that these can lie in their memory.
    if !keeps_projections(problem, params) {
        projections.clear();
    }
    let all = times_small(&block, u.as_ref());
    drop(block);
    let seen = problem.ops.iter().zip(projections);
    let projections = seen.map(|(op, b)| match op.explicit_as::<T>() {
        Some(_) => op.project(&all, ctx.reducer),
        None => times_small_in_place(b, u.as_ref()),
    });
    let projections = projections.collect();
    let factors = FullFactors { c: c.collect(), energies, projections, u: all };
    let info = StartInfo {
        basis: basis_info,
        dimension: chosen,
        pencil: pencil_info,
        core_als: als_info,
        complete_nodes: None,
        inner_passes: 0,
    };
    Ok((factors, info))
}

/// Whether anything after the start needs the projections of the factors.
pub(crate) fn keeps_projections(problem: &Problem<'_>, params: &CheckedParams) -> bool {
    params.loadings || params.refine.is_some() || problem.ops.iter().any(CentredGram::partial)
}

fn padded(u: &Mat<f64>, columns: usize) -> Mat<f64> {
    Mat::from_fn(u.nrows(), columns, |i, j| if j < u.ncols() { u[(i, j)] } else { 0.0 })
}

/// The diagonal prior for rows that lack views: the noise `w_k^2 loss_k / n_k^2` of the views a node does have, over the
/// spread `|u_f|^2 / n` of each column. It vanishes on exact data.
pub(crate) fn row_prior<'p>(
    problem: &'p Problem<'_>,
    losses: &'p [f64],
    spread: &'p [f64],
    strength: f64,
) -> impl Fn(&[bool]) -> Vec<f64> + 'p {
    move |pattern: &[bool]| {
        let seen: Vec<usize> = (0..pattern.len()).filter(|&k| pattern[k]).collect();
        if seen.len() == pattern.len() || seen.is_empty() {
            return vec![0.0; spread.len()];
        }
        let noise = seen
            .iter()
            .map(|&k| {
                let n = problem.ops[k].observed();
                problem.weights[k].powi(2) * losses[k].max(0.0) / (n * n)
            })
            .sum::<f64>()
            / seen.len() as f64;
        spread.iter().map(|&v| if v > 0.0 { strength * noise / v } else { 0.0 }).collect()
    }
}

/// How well factors fit, and what solving rows with them takes.
pub(crate) struct Quality {
    /// Absolute loss of every view.
    pub(crate) losses: Vec<f64>,
    /// Mean square of every column over the observed nodes.
    pub(crate) spread: Vec<f64>,
    /// `w_k^2 C_k G_k C_k` of every view.
    pub(crate) normals: Vec<Mat<f64>>,
}

/// Measures factors.
pub(crate) fn quality<T: Real>(
    problem: &Problem<'_>,
    factors: &FullFactors<T>,
    ctx: &Context<'_>,
) -> Quality {
    let terms = view_terms(&problem.ops, &factors.u, &factors.energies, ctx.reducer);
    quality_of(problem, factors, &terms)
}

fn quality_of<T: Real>(
    problem: &Problem<'_>,
    factors: &FullFactors<T>,
    terms: &[ViewTerms],
) -> Quality {
    let losses = terms
        .iter()
        .zip(&factors.c)
        .zip(&problem.energies)
        .map(|((terms, c), energy)| energy + terms.loss(c))
        .collect();
    let count = problem.ops.iter().map(|op| op.observed()).fold(0.0, f64::max);
    let spread = (0..factors.u.cols())
        .map(|f| terms.iter().map(|t| t.gram[(f, f)]).fold(0.0, f64::max) / count.max(1.0))
        .collect();
    let normals =
        (0..terms.len()).map(|k| view_normal(k, terms, &factors.c, &problem.weights)).collect();
    Quality { losses, spread, normals }
}

/// Rows of the nodes that `inner` leaves out, from whichever views they have; one pass.
fn fold_in_rest<T: Real>(
    problem: &Problem<'_>,
    inner: &Problem<'_>,
    mut factors: FullFactors<T>,
    ridge: f64,
    ctx: &Context<'_>,
) -> Result<FullFactors<T>, Error> {
    let Quality { losses, spread, normals } = quality(inner, &factors, ctx);
    let f = factors.u.cols();
    let mut rhs = Tall::<T>::zeros_in(ctx.workspace, factors.u.rows(), f);
    for (k, op) in problem.ops.iter().enumerate() {
        let factor = problem.weights[k].powi(2);
        let scaled =
            Tall::<T>::from_rows_in(ctx.workspace, factors.projections[k].rows(), f, |row, out| {
                for ((out, b), c) in
                    out.iter_mut().zip(factors.projections[k].row(row)).zip(&factors.c[k])
                {
                    *out = T::from_f64(factor * b.to_f64() * c);
                }
            });
        op.expand_uncentred(1.0, (&scaled).into(), &mut rhs, ctx.reducer);
        // Relative to the mean of the complete nodes, which is where the fitted rows are centred.
        let mean = inner.ops[k].mean_of_expansion((&scaled).into());
        subtract_row(&mut rhs, &mean, |row| op.observes(row));
    }
    ctx.tick(Stage::MissingRows, 0, None)?;
    let patterns = RowPatterns::new(&problem.ops, factors.u.rows());
    let prior = row_prior(inner, &losses, &spread, ridge);
    let solved = RowSystem::new(&patterns, &normals, prior).solve(&rhs);
    factors.u.par_update_rows(|row, values| {
        if !patterns.of(row).iter().all(|&seen| seen) {
            values.copy_from_slice(solved.row(row));
        }
    });
    centre_and_project(problem, factors, &patterns, ctx)
}

/// One solve of every row from the views it has, starting from rows where missing counted as zero.
fn solve_rows<T: Real>(
    problem: &Problem<'_>,
    mut factors: FullFactors<T>,
    ridge: f64,
    ctx: &Context<'_>,
) -> Result<FullFactors<T>, Error> {
    let patterns = RowPatterns::new(&problem.ops, factors.u.rows());
    let terms = view_terms(&problem.ops, &factors.u, &factors.energies, ctx.reducer);
    let Quality { losses, spread, normals } = quality_of(problem, &factors, &terms);
    let gradient =
        residual(&problem.ops, &problem.weights, &factors, &terms, &patterns, ctx.reducer);
    ctx.tick(Stage::MissingRows, 0, None)?;
    let prior = row_prior(problem, &losses, &spread, ridge);
    let step = RowSystem::new(&patterns, &normals, prior).solve(&gradient);
    add_scaled(&mut factors.u, 1.0, &step);
    centre_and_project(problem, factors, &patterns, ctx)
}

/// Centres the rows over all nodes that have any view (the model does not see a common shift) and projects again.
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
    factors.energies = energies_of(&factors.projections);
    ctx.tick(Stage::MissingRows, 0, None)?;
    Ok(factors)
}
