//! Factors measured against the views they were fitted to.

use crate::error::Error;
use crate::params::CertificateParams;
use crate::progress::Stage;
use crate::solver::{Context, Problem};
use gage_linalg::{Real, Tall};

use super::record::{Certificate, ViewCertificate};
use super::separation::axis_separation;
use super::{bound, distances};

/// Measures factors against prepared views.
pub(crate) fn measure<T: Real>(
    problem: &Problem<'_>,
    u: &Tall<T>,
    c: &[Vec<f64>],
    params: &CertificateParams,
    ctx: &Context<'_>,
) -> Result<Certificate, Error> {
    let mut views = Vec::with_capacity(c.len());
    for (k, view) in problem.views.views().iter().enumerate() {
        let (distance_error, pairs, all_pairs) =
            distances::distance_error(problem, k, u, &c[k], params, ctx)?;
        let loss = bound::loss(problem, k, u, &c[k], ctx);
        ctx.report(Stage::Certificate, 0, None)?;
        let (least_loss, least_loss_exact) = bound::least_loss(problem, k, u.cols(), params, ctx)?;
        views.push(ViewCertificate {
            view: view.name.clone(),
            distance_error,
            pairs,
            all_pairs,
            loss,
            least_loss,
            least_loss_exact,
        });
    }
    Ok(Certificate { views, axis_separation: axis_separation(c) })
}
