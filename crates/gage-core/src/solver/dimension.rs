//! The number of columns, chosen from one basis.

use faer::{Mat, MatRef};

use crate::error::Error;
use crate::params::Dimension;
use crate::progress::Stage;
use gage_linalg::Real;
use gage_linalg::random::Stream;

use super::basis::Compressed;
use super::context::Context;
use super::core_tensor::fewest;
use super::info::DimensionInfo;
use super::problem::Problem;
use super::sample::{relative_distance_error, sample_nodes, sampled_gram, sampled_rows};

/// Nodes whose distances decide about a dimension.
const SAMPLE: usize = 192;

/// The smallest number of columns that meets the goal. The basis is ordered once by importance and cut at different
/// lengths; nothing is recomputed. Distance errors are taken over the pairs of a sample of nodes, one narrow pass.
pub(crate) fn choose<T: Real>(
    problem: &Problem<'_>,
    compressed: &Compressed<T>,
    dimension: Dimension,
    seed: u64,
    ctx: &Context<'_>,
) -> Result<DimensionInfo, Error> {
    let core = &compressed.core;
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
            let mut samples = Vec::new();
            for (k, op) in
                problem.ops.iter().enumerate().filter(|(k, _)| problem.energies[*k] > 0.0)
            {
                let mut stream = Stream::new(seed ^ 0xd157 ^ k as u64);
                let nodes =
                    sample_nodes(op, problem.views.nodes(), SAMPLE, &mut stream, ctx.reducer);
                let truth = sampled_gram(op, &nodes, problem.views.nodes(), ctx.reducer);
                let rows =
                    sampled_rows(&compressed.block, &nodes, problem.views.nodes(), ctx.reducer);
                let rows = rows * &compressed.transform;
                samples.push((k, truth, rows));
                ctx.tick(Stage::Factors, 0, None)?;
            }
            let reach = |f: usize| {
                let worst = samples.iter().map(|(k, truth, rows)| {
                    let w = order.subcols(0, f);
                    let slab = core.compressed(w);
                    let model = modelled(rows, w, &slab.slabs[*k]);
                    relative_distance_error(truth, &model)
                });
                worst.fold(0.0, f64::max)
            };
            Ok(search(most.min(core.width()), |f| reach(f) <= error, reach))
        }
    }
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
