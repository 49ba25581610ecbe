//! The small algebra of a fit, done once on made-up slabs to see how long it takes.

use std::time::Instant;

use faer::Mat;

use crate::linalg::random::fill_normal;
use crate::linalg::small::symmetric_eigen;

use super::als::{CoreAlsParams, core_als};
use super::core_tensor::CoreTensor;
use super::pencil::pencil;

/// Seconds of small algebra.
pub(crate) struct SmallWork {
    /// One eigendecomposition.
    pub(crate) eigen: f64,
    /// What one iteration of the basis does with the core.
    pub(crate) iteration: f64,
    /// From the core to its factors.
    pub(crate) factors: f64,
}

/// Times the algebra of a core of `views` slabs, `width` wide, for a model of `columns` columns.
pub(crate) fn small_work(
    views: usize,
    width: usize,
    columns: usize,
    core_sweeps: usize,
) -> SmallWork {
    let slabs = (0..views.max(1))
        .map(|k| {
            let mut values = vec![0.0; width * width];
            fill_normal(7, k as u64, &mut values);
            // Energies fall off about as they do in practice.
            let root =
                Mat::from_fn(width, width, |i, j| values[i * width + j] / (1.0 + j as f64).sqrt());
            &root * root.transpose()
        })
        .collect();
    let core = CoreTensor { slabs, weights: vec![1.0; views.max(1)] };
    let mut clock = Instant::now();
    let mut lap = || {
        let seconds = clock.elapsed().as_secs_f64();
        clock = Instant::now();
        seconds
    };
    let (_, _) = symmetric_eigen(core.importance().as_ref());
    let eigen = lap();
    let best = core.dominant_subspace(columns);
    let _ = core.compressed(best.as_ref()).energy();
    // Orthonormalisation and the next block take three eigendecompositions more.
    let iteration = lap() + 3.0 * eigen;
    let (factors, _) = pencil(&core, columns);
    let pencilled = lap();
    let timed = core_sweeps.min(2);
    let _ = core_als(&core, factors, CoreAlsParams { max_sweeps: timed, tolerance: 0.0 });
    // Two slabs are fitted by the pencil and need no sweeps.
    let expected = if views > 2 { core_sweeps } else { timed };
    let sweeps = lap() * expected as f64 / timed.max(1) as f64;
    SmallWork { eigen, iteration, factors: pencilled + sweeps }
}
