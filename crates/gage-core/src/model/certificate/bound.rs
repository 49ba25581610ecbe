//! The loss of a view, and a lower bound of it.

use crate::error::Error;
use crate::params::{BasisParams, CertificateParams};
use crate::solver::{
    BasisTask, Checkpointer, Context, Problem, energies_of, find_basis, sampled_gram, view_terms,
};
use crate::views::Views;
use gage_linalg::small::symmetric_eigen_in;
use gage_linalg::{Real, Tall};

/// `||X - U diag(c) U^T||^2 / ||X||^2` of one view; one pass.
pub(crate) fn loss<T: Real>(
    problem: &Problem<'_>,
    k: usize,
    u: &Tall<T>,
    c: &[f64],
    ctx: &Context<'_>,
) -> f64 {
    if problem.energies[k] == 0.0 {
        return 0.0;
    }
    let ops = std::slice::from_ref(&problem.ops[k]);
    let projection = ops[0].project(u, ctx.reducer);
    let terms = view_terms(ops, u, &energies_of(&[projection], ctx.reducer), ctx.reducer);
    ((problem.energies[k] + terms[0].loss(c)) / problem.energies[k]).max(0.0)
}

/// `1 - sum_{f<=F} l_f^2 / ||X||^2` over the dominant eigenvalues `l_f` of one view's Gram matrix
/// (Eckart-Young).
///
/// For few nodes all eigenvalues are computed. For many, Ritz values of a basis for this view alone
/// are used. They are at most the eigenvalues, so the bound may be too large, never too small.
pub(crate) fn least_loss(
    problem: &Problem<'_>,
    k: usize,
    columns: usize,
    params: &CertificateParams,
    ctx: &Context<'_>,
) -> Result<(f64, bool), Error> {
    if problem.energies[k] == 0.0 {
        return Ok((0.0, true));
    }
    let nodes = problem.views.nodes();
    let kept = |values: &[f64]| values.iter().take(columns).map(|l| l * l).sum::<f64>();
    if nodes <= params.exact_bound_nodes {
        let everyone: Vec<usize> = (0..nodes).collect();
        let gram = sampled_gram(&problem.ops[k], &everyone, (problem.views.rows(), ctx.reducer));
        let (values, _) = symmetric_eigen_in(ctx.workspace, gram.as_ref());
        return Ok(((1.0 - kept(&values) / problem.energies[k]).max(0.0), true));
    }
    let single: Views = problem.views.only(k);
    let energy = problem.energies[k];
    let task = BasisTask {
        views: &single,
        ops: std::slice::from_ref(&problem.ops[k]),
        weights: &[1.0],
        total: energy,
        dimension: columns.min(nodes),
        share: None,
        params: &BasisParams::default(),
        seed: params.seed,
    };
    let (basis, _) = find_basis::<f32>(&task, None, &Checkpointer::NONE, ctx)?;
    let (values, _) = symmetric_eigen_in(ctx.workspace, basis.core_tensor().slabs[0].as_ref());
    Ok(((1.0 - kept(&values) / energy).max(0.0), false))
}
