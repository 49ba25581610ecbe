//! Automatic dimension: the number of columns, chosen from one basis.

use faer::{Mat, MatRef};

use crate::error::Error;
use crate::params::Dimension;
use crate::progress::Stage;
use gage_linalg::Real;
use gage_linalg::random::Stream;

use super::basis::Basis;
use super::context::Context;
use super::core_tensor::fewest;
use super::info::DimensionInfo;
use super::problem::Problem;
use super::sample::{relative_distance_error, sample_nodes, sampled_gram, sampled_rows};

/// Nodes whose distances decide about a dimension.
const SAMPLE: usize = 192;

/// The smallest number of columns that meets the goal. The basis is ordered once by importance and
/// cut at different lengths; nothing is recomputed. Distance errors are taken over the pairs of a
/// sample of nodes, one narrow pass.
pub(crate) fn choose_dimension<T: Real>(
    problem: &Problem<'_>,
    basis: &Basis<T>,
    dimension: Dimension,
    seed: u64,
    ctx: &Context<'_>,
) -> Result<DimensionInfo, Error> {
    let core = basis.core_tensor();
    match dimension {
        Dimension::Fixed(columns) => Ok(DimensionInfo { columns, reached: None, goal_met: true }),
        Dimension::Energy { share, most } => {
            let (_, order) = core.directions();
            let total = problem.total().max(f64::MIN_POSITIVE);
            let reach = |f: usize| core.compressed(order.subcols(0, f)).energy() / total;
            Ok(search(most.min(core.width()), |f| reach(f) >= share, reach))
        }
        Dimension::DistanceError { error, most } => {
            let (_, order) = core.directions();
            let samples = sampled_views(problem, basis, seed, ctx)?;
            let reach = |f: usize| {
                let worst = samples.iter().map(|Sample { view, truth, rows }| {
                    let w = order.subcols(0, f);
                    let slab = core.compressed(w);
                    let model = modelled(rows, w, &slab.slabs[*view]);
                    relative_distance_error(truth, &model)
                });
                worst.fold(0.0, f64::max)
            };
            Ok(search(most.min(core.width()), |f| reach(f) <= error, reach))
        }
    }
}

/// A view, its Gram matrix among sampled nodes, and their rows of the basis.
struct Sample {
    view: usize,
    truth: Mat<f64>,
    rows: Mat<f64>,
}

/// Samples of all views that tell nodes apart.
fn sampled_views<T: Real>(
    problem: &Problem<'_>,
    basis: &Basis<T>,
    seed: u64,
    ctx: &Context<'_>,
) -> Result<Vec<Sample>, Error> {
    let spread = (problem.views.rows(), ctx.reducer);
    let mut samples = Vec::new();
    for (k, op) in problem.ops.iter().enumerate().filter(|(k, _)| problem.energies[*k] > 0.0) {
        let mut stream = Stream::new(seed ^ 0xd157 ^ k as u64);
        let sample = sample_nodes(op, SAMPLE, &mut stream, spread);
        let truth = sampled_gram(op, &sample, spread);
        let rows = sampled_rows(&basis.block, &sample, spread) * &basis.transform;
        samples.push(Sample { view: k, truth, rows });
        ctx.report(Stage::Factors, 0, None)?;
    }
    Ok(samples)
}

/// `(V_s W) S (V_s W)^T` for the sampled rows `V_s`.
fn modelled(rows: &Mat<f64>, w: MatRef<'_, f64>, slab: &Mat<f64>) -> Mat<f64> {
    let seen = rows * w;
    &seen * slab * seen.transpose()
}

fn search(
    most: usize,
    good: impl Fn(usize) -> bool,
    reach: impl Fn(usize) -> f64,
) -> DimensionInfo {
    let most = most.max(1);
    let found = fewest(most, good);
    let columns = found.unwrap_or(most);
    DimensionInfo { columns, reached: Some(reach(columns)), goal_met: found.is_some() }
}
