//! From factors of the core to factors of all nodes the basis has.

use faer::Mat;

use crate::cost::{Cost, ProblemSize};
use crate::params::{CheckedParams, FitParams};
use crate::views::CentredGram;
use gage_linalg::Real;
use gage_linalg::kernel::{times_small, times_small_in_place};

use super::basis::Basis;
use super::context::Context;
use super::core_tensor::CoreFactors;
use super::factors::FullFactors;
use super::pencil::diagonal_energy;
use super::problem::Problem;

/// `V U` for core factors `U`, made as wide as the model: columns beyond the rank are zero, not
/// noise.
pub(crate) fn expand<T: Real>(
    problem: &Problem<'_>,
    basis: Basis<T>,
    core_factors: CoreFactors,
    columns: usize,
    params: &CheckedParams,
    ctx: &Context<'_>,
) -> FullFactors<T> {
    let CoreFactors { u, mut c } = core_factors;
    let u = padded(&u, columns);
    c.iter_mut().for_each(|c| c.resize(columns, 0.0));
    let slabs = &basis.core_tensor().slabs;
    let energies = slabs.iter().map(|slab| diagonal_energy(slab, &u)).collect();
    let Basis { block, transform, mut projections, .. } = basis;
    let small = &transform * &u;
    // Given back before the factors are made, so that these can lie in their memory.
    if !keeps_projections(problem, params) {
        projections.clear();
    }
    let u = times_small(&block, small.as_ref());
    drop(block);
    let projected = problem.ops.iter().zip(projections);
    let projections = projected.map(|(op, b)| match op.explicit_as::<T>() {
        Some(_) => op.project(&u, ctx.reducer),
        None => times_small_in_place(b, small.as_ref()),
    });
    FullFactors { c, energies, projections: projections.collect(), u }
}

/// Bytes and multiply-adds of [`expand`].
pub(crate) fn expand_cost(size: &ProblemSize, width: usize, params: &FitParams) -> Cost {
    let columns = size.columns;
    // The block and the factors and, where something needs them, the projections and products made
    // of them one after the other (a product may lie in the larger memory of the one before it).
    let needed = params.loadings || params.refine.is_some();
    let kept = if needed { size.projections(width) + size.largest_projection(columns) } else { 0 };
    let square = (columns * columns) as f64;
    Cost {
        bytes: size.block(size.nodes, width) + kept + size.block(size.nodes, columns),
        update_flops: size.tall_rows() as f64 * (width * columns) as f64,
        // Of the canonical form and of the loss.
        gram_flops: size.nodes as f64 * square,
        ..Cost::default()
    }
}

/// Whether anything after the core needs the projections of the factors.
pub(crate) fn keeps_projections(problem: &Problem<'_>, params: &CheckedParams) -> bool {
    params.loadings || params.refine.is_some() || problem.ops.iter().any(CentredGram::partial)
}

fn padded(u: &Mat<f64>, columns: usize) -> Mat<f64> {
    Mat::from_fn(u.nrows(), columns, |i, j| if j < u.ncols() { u[(i, j)] } else { 0.0 })
}
