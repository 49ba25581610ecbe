//! Alternating least squares at full size: the paper's Algorithm 2, kept symmetric.
//!
//! The same iteration as on the core (see [`als`](super::als)), now over all rows of `U`, with every view centred over
//! its own nodes: the model of view `k` is `(J_k U) C_k (J_k U)^T`, so the gradient of row `i` is
//!
//! ```text
//! sum_{k: i in O_k} w_k^2 [ (u_i - m_k) C_k G_k C_k - (X_k U C_k)_i ],     G_k = U^T J_k U,   m_k = mean of U over O_k
//! ```
//!
//! and the direction solves it with the matrix of the node's pattern. A sweep costs two passes over each view:
//! `Y_k (B_k C_k)` for the gradient and `Y_k^T J D` for the line search; `B_k = Y_k^T J U` is carried along.

use std::sync::Arc;

use faer::Mat;

use crate::error::Error;
use crate::params::RefineParams;
use crate::progress::{Stage, StopReason};
use crate::views::CentredGram;
use gage_linalg::kernel::{add_scaled, cross_gram, gram, times_small};
use gage_linalg::{AnyTallRef, Real, Reducer, Tall};

use super::als::{best_coefficients, conjugation};
use super::checkpoint::{Draft, Point, RefinePoint};
use super::context::Context;
use super::factors::FullFactors;
use super::info::{RefineInfo, StartInfo};
use super::line_search::{
    DirectionTerms, GramAlong, ViewTerms, advanced, minimise, quartic, view_normal,
};
use super::problem::Problem;
use super::rows::{RowPatterns, RowSystem};

/// `diag(B_k^T B_k)` of every view.
pub(crate) fn energies_of<T: Real>(projections: &[Tall<T>]) -> Vec<Vec<f64>> {
    projections.iter().map(|b| column_dots(b, b)).collect()
}

/// `diag(a^T b)` of this worker's rows.
fn column_dots<T: Real>(a: &Tall<T>, b: &Tall<T>) -> Vec<f64> {
    gage_linalg::tall::sum_over_rows(
        a.rows(),
        a.cols(),
        || vec![0.0; a.cols()],
        |range, sums| {
            for row in range {
                for ((sum, x), y) in sums.iter_mut().zip(a.row(row)).zip(b.row(row)) {
                    *sum += x.to_f64() * y.to_f64();
                }
            }
        },
        |left, right| left.iter_mut().zip(right).for_each(|(l, r)| *l += r),
    )
}

/// `a^T J_k b` over the nodes of one view.
fn centred_cross<T: Real>(
    op: &CentredGram<'_>,
    a: &Tall<T>,
    b: &Tall<T>,
    reducer: &dyn Reducer,
) -> Mat<f64> {
    let masked;
    let left = if op.partial() {
        masked = Tall::from_rows_in(a.workspace(), a.rows(), a.cols(), |row, out| {
            if op.observes(row) {
                out.copy_from_slice(a.row(row));
            }
        });
        &masked
    } else {
        a
    };
    let mut product =
        if std::ptr::eq(left, b) { gram(left, reducer) } else { cross_gram(left, b, reducer) };
    let (mean_a, mean_b) = (op.mean_over_observed(a, reducer), op.mean_over_observed(b, reducer));
    for j in 0..product.ncols() {
        for i in 0..product.nrows() {
            product[(i, j)] -= op.observed() * mean_a[i] * mean_b[j];
        }
    }
    product
}

/// The terms of every view at `u`.
pub(crate) fn view_terms<T: Real>(
    ops: &[CentredGram<'_>],
    u: &Tall<T>,
    energies: &[Vec<f64>],
    reducer: &dyn Reducer,
) -> Vec<ViewTerms> {
    let grams = shared_if_complete(ops, |k| centred_cross(&ops[k], u, u, reducer));
    let terms = grams.into_iter().zip(energies);
    terms.map(|(gram, energy)| ViewTerms { energy: energy.clone(), gram }).collect()
}

/// Something that depends on the nodes of a view alone, made once for all views that have all nodes.
pub(crate) fn shared_if_complete<R>(
    ops: &[CentredGram<'_>],
    mut make: impl FnMut(usize) -> R,
) -> Vec<Arc<R>> {
    let mut complete: Option<Arc<R>> = None;
    let of_view = |(k, op): (usize, &CentredGram<'_>)| match op.partial() {
        true => Arc::new(make(k)),
        false => Arc::clone(complete.get_or_insert_with(|| Arc::new(make(k)))),
    };
    ops.iter().enumerate().map(of_view).collect()
}

/// `sum_k w_k^2 X_k U C_k - (u_i - m_k) C_k G_k C_k` on the rows each view observes: minus a quarter of the gradient.
pub(crate) fn residual<T: Real>(
    ops: &[CentredGram<'_>],
    weights: &[f64],
    factors: &FullFactors<T>,
    terms: &[ViewTerms],
    patterns: &RowPatterns,
    reducer: &dyn Reducer,
) -> Tall<T> {
    let FullFactors { u, c, projections, .. } = factors;
    let f = u.cols();
    let mut out = Tall::zeros_in(u.workspace(), u.rows(), f);
    for (k, op) in ops.iter().enumerate() {
        let scaled =
            Tall::<T>::from_rows_in(u.workspace(), projections[k].rows(), f, |row, out| {
                for ((out, &b), &c) in out.iter_mut().zip(projections[k].row(row)).zip(&c[k]) {
                    *out = T::from_f64(b.to_f64() * c);
                }
            });
        op.expand_into(weights[k] * weights[k], &scaled, &mut out, reducer);
    }
    let normals: Vec<Mat<f64>> =
        (0..ops.len()).map(|k| view_normal(k, terms, c, weights)).collect();
    let means: Vec<Vec<f64>> = ops.iter().map(|op| op.mean_over_observed(u, reducer)).collect();
    // Rows with the same pattern share the matrix; the mean gives every pattern one constant row.
    let apply = |pattern: &[bool]| -> (Mat<f64>, Vec<f64>) {
        let mut sum = Mat::<f64>::zeros(f, f);
        let mut constant = vec![0.0; f];
        for k in (0..ops.len()).filter(|&k| pattern[k]) {
            sum += &normals[k];
            for (j, constant) in constant.iter_mut().enumerate() {
                *constant += (0..f).map(|i| means[k][i] * normals[k][(i, j)]).sum::<f64>();
            }
        }
        (sum, constant)
    };
    if patterns.complete() {
        let (sum, constant) = apply(&vec![true; ops.len()]);
        let product = times_small(u, sum.as_ref());
        out.par_update_rows(|row, values| {
            for ((value, &p), m) in values.iter_mut().zip(product.row(row)).zip(&constant) {
                *value = T::from_f64(value.to_f64() - p.to_f64() + m);
            }
        });
        return out;
    }
    let systems: Vec<(Mat<f64>, Vec<f64>)> =
        patterns.patterns.iter().map(|pattern| apply(pattern)).collect();
    out.par_update_rows(|row, values| {
        let (sum, constant) = &systems[patterns.id(row)];
        for (j, value) in values.iter_mut().enumerate() {
            let column = sum.col(j);
            let product: f64 =
                u.row(row).iter().zip(column.iter()).map(|(u, a)| u.to_f64() * a).sum();
            *value = T::from_f64(value.to_f64() - product + constant[j]);
        }
    });
    out
}

fn dot_tall<T: Real>(a: &Tall<T>, b: &Tall<T>, reducer: &dyn Reducer) -> f64 {
    let mut sum = [column_dots(a, b).into_iter().sum::<f64>()];
    reducer.sum_f64(&mut sum);
    sum[0]
}

/// What a refinement needs besides the factors.
pub(crate) struct RefineTask<'a> {
    pub(crate) params: &'a RefineParams,
    /// Steadies rows that lack views.
    pub(crate) ridge: &'a dyn Fn(&[bool]) -> Vec<f64>,
    /// What the ridge was made of, to be made again: losses of the views, spread of the columns.
    pub(crate) losses: &'a [f64],
    pub(crate) spread: &'a [f64],
    /// How the factors were found, for the states kept on the way.
    pub(crate) start: &'a StartInfo,
}

/// As [`RefinePoint`], with the rest.
pub(crate) struct RefineSoFar<T> {
    pub(crate) point: RefinePoint,
    pub(crate) terms: Vec<ViewTerms>,
    /// Last gradient, last direction, and the product of gradient and step.
    pub(crate) previous: Option<(Tall<T>, Tall<T>, f64)>,
}

impl<T: Real> RefineSoFar<T> {
    fn draft<'a>(
        &'a self,
        start: &StartInfo,
        factors: &'a FullFactors<T>,
        passes: Vec<usize>,
    ) -> Draft<'a> {
        let mut so_far = self.point.clone();
        so_far.new_by_new = self.previous.as_ref().map(|(_, _, product)| *product);
        let point = Point::Refine { start: start.clone(), so_far };
        let mut draft = Draft::of_factors(passes, point, factors);
        if let Some((gradient, direction, _)) = &self.previous {
            draft.tall.push(("gradient".to_owned(), AnyTallRef::from(gradient)));
            draft.tall.push(("direction".to_owned(), AnyTallRef::from(direction)));
        }
        for (k, terms) in self.terms.iter().enumerate() {
            let f = terms.energy.len();
            let gram = (0..f).flat_map(|i| (0..f).map(move |j| terms.gram[(i, j)])).collect();
            draft.small.push((format!("energy{k}"), terms.energy.clone()));
            draft.small.push((format!("gram{k}"), gram));
        }
        draft
    }
}

/// Lowers the loss at full size, from the beginning or from where an earlier run stood.
pub(crate) fn refine<T: Real>(
    problem: &Problem<'_>,
    mut factors: FullFactors<T>,
    task: &RefineTask<'_>,
    earlier: Option<RefineSoFar<T>>,
    ctx: &Context<'_>,
) -> Result<(FullFactors<T>, RefineInfo), Error> {
    let (ops, weights, total) = (&problem.ops, &problem.weights, problem.total());
    let (params, reducer) = (task.params, ctx.reducer);
    let patterns = RowPatterns::new(ops, factors.u.rows());
    let loss_at = |terms: &[ViewTerms], c: &[Vec<f64>]| -> f64 {
        let views = terms.iter().zip(c).zip(weights);
        total + views.map(|((t, c), w)| w * w * t.loss(c)).sum::<f64>()
    };
    let mut now = match earlier {
        Some(earlier) => earlier,
        None => {
            let terms = view_terms(ops, &factors.u, &factors.energies, reducer);
            factors.c = best_coefficients(&terms, &factors.c);
            let loss = loss_at(&terms, &factors.c);
            let point = RefinePoint {
                losses: task.losses.to_vec(),
                spread: task.spread.to_vec(),
                loss,
                history: vec![loss / total],
                passes: 0,
                new_by_new: None,
            };
            RefineSoFar { point, terms, previous: None }
        }
    };
    let passes_before = task.start.inner_passes + problem.passes() - now.point.passes;
    let mut stop = StopReason::IterationLimit;
    for _ in now.point.history.len() - 1..params.max_sweeps {
        let (loss, counts) = (now.point.loss, problem.passes_of_each());
        if loss <= 1e-14 * total {
            stop = StopReason::Converged;
            break;
        }
        let gradient = residual(ops, weights, &factors, &now.terms, &patterns, reducer);
        let passes = passes_before + now.point.passes + 1;
        let draft = || now.draft(task.start, &factors, counts);
        ctx.tick_or_keep(Stage::Refine, passes, Some(loss / total), draft)?;
        let normals: Vec<Mat<f64>> =
            (0..ops.len()).map(|k| view_normal(k, &now.terms, &factors.c, weights)).collect();
        let step = RowSystem::new(&patterns, &normals, task.ridge).solve(&gradient);
        let new_by_new = dot_tall(&gradient, &step, reducer);
        let mut direction = step;
        if let Some((old_gradient, old_direction, old_by_old)) = now.previous.take() {
            let mixed = dot_tall(&old_gradient, &direction, reducer);
            let beta = conjugation(new_by_new, mixed, old_by_old);
            let slope = new_by_new + beta * dot_tall(&old_direction, &gradient, reducer);
            // Not a descent direction any more: start afresh.
            if slope > 0.0 {
                add_scaled(&mut direction, beta, &old_direction);
            }
        }
        let mut moved_projections = Vec::with_capacity(ops.len());
        let mut along = Vec::with_capacity(ops.len());
        let grams = shared_if_complete(ops, |k| {
            let mixed = centred_cross(&ops[k], &factors.u, &direction, reducer);
            GramAlong::new(&mixed, centred_cross(&ops[k], &direction, &direction, reducer))
        });
        for ((op, before), gram) in ops.iter().zip(&factors.projections).zip(grams) {
            let projected = op.project(&direction, reducer);
            along.push(DirectionTerms {
                mixed_energy: column_dots(before, &projected),
                energy: column_dots(&projected, &projected),
                gram,
            });
            moved_projections.push(projected);
        }
        now.point.passes += 2;
        let (length, _) = minimise(&quartic(&now.terms, &along, &factors.c, weights));
        let moved_terms = advanced(&now.terms, &along, length);
        let moved_c = best_coefficients(&moved_terms, &factors.c);
        let moved_loss = loss_at(&moved_terms, &moved_c);
        if length == 0.0 || moved_loss.is_nan() || moved_loss >= loss {
            stop = StopReason::NoProgress;
            break;
        }
        add_scaled(&mut factors.u, length, &direction);
        for (projection, add) in factors.projections.iter_mut().zip(&moved_projections) {
            add_scaled(projection, length, add);
        }
        factors.c = moved_c;
        now.terms = moved_terms;
        now.point.loss = moved_loss;
        now.point.history.push(moved_loss / total);
        now.previous = Some((gradient, direction, new_by_new));
        if loss - moved_loss < params.tolerance * moved_loss {
            stop = StopReason::Converged;
            break;
        }
        let passes = passes_before + now.point.passes;
        let draft = || now.draft(task.start, &factors, problem.passes_of_each());
        ctx.boundary(draft);
        ctx.tick_or_keep(Stage::Refine, passes, Some(moved_loss / total), draft)?;
    }
    factors.energies = energies_of(&factors.projections);
    let RefinePoint { history, passes, .. } = now.point;
    let sweeps = history.len() - 1;
    Ok((factors, RefineInfo { sweeps, passes, loss_history: history, stop }))
}
