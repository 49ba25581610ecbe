//! Relative error of the reproduced squared distances.

use faer::Mat;

use crate::error::Error;
use crate::params::CertificateParams;
use crate::progress::Stage;
use crate::solver::{Context, Problem, distance_sums, sample_nodes, sampled_gram, sampled_rows};
use gage_linalg::random::Stream;
use gage_linalg::{Real, Tall};

use super::record::Estimate;

/// Two-sided 95% quantiles of Student's t for 1 to 30 degrees of freedom; beyond that the normal
/// quantile is used.
const STUDENT: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
];

/// For few nodes, the error over all pairs. Otherwise the error over all pairs within independent
/// random groups, with a jackknife interval over groups: pairs within a group share nodes, so only
/// whole groups are independent.
pub(crate) fn distance_error<T: Real>(
    problem: &Problem<'_>,
    k: usize,
    u: &Tall<T>,
    c: &[f64],
    params: &CertificateParams,
    ctx: &Context<'_>,
) -> Result<(Estimate, usize, bool), Error> {
    let op = &problem.ops[k];
    let spread = (problem.views.rows(), ctx.reducer);
    let observed = op.observed() as usize;
    let mut stream = Stream::new(params.seed ^ 0xce47 ^ (k as u64) << 32);
    let all = observed <= params.all_pairs_nodes.max(2);
    let (groups, size) =
        if all { (1, observed) } else { (params.groups.max(2), params.group_nodes.max(2)) };
    let drawn = sample_nodes(op, groups * size, &mut stream, spread);
    let mut sums = Vec::with_capacity(groups);
    let mut pairs = 0;
    for group in drawn.chunks(size) {
        let truth = sampled_gram(op, group, spread);
        let rows = sampled_rows(u, group, spread);
        let scaled = Mat::from_fn(rows.nrows(), rows.ncols(), |i, f| rows[(i, f)] * c[f]);
        let model = &scaled * rows.transpose();
        sums.push(distance_sums(&truth, &model));
        pairs += group.len() * group.len().saturating_sub(1) / 2;
        ctx.report(Stage::Certificate, 0, None)?;
    }
    Ok((jackknife(&sums), pairs, all))
}

/// `sqrt(sum errors / sum squares)` with an interval from leaving out one group at a time.
fn jackknife(sums: &[(f64, f64)]) -> Estimate {
    let total = sums.iter().fold((0.0, 0.0), |t, s| (t.0 + s.0, t.1 + s.1));
    let ratio = |(error, square): (f64, f64)| {
        if square > 0.0 { (error / square).sqrt() } else { error.sqrt() }
    };
    let value = ratio(total);
    let n = sums.len();
    if n < 2 {
        return Estimate { value, low: value, high: value };
    }
    let without: Vec<f64> = sums.iter().map(|s| ratio((total.0 - s.0, total.1 - s.1))).collect();
    let mean = without.iter().sum::<f64>() / n as f64;
    let spread = without.iter().map(|r| (r - mean).powi(2)).sum::<f64>();
    let error = (spread * (n - 1) as f64 / n as f64).sqrt();
    let half = STUDENT.get(n - 2).copied().unwrap_or(1.96) * error;
    Estimate { value, low: (value - half).max(0.0), high: value + half }
}
