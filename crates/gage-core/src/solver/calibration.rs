//! Times the small dense algebra of a fit on synthetic slabs.

use std::hint::black_box;
use std::time::Instant;

use faer::Mat;

use gage_linalg::Workspace;
use gage_linalg::random::fill_normal;
use gage_linalg::small::symmetric_eigen;

use super::als::{CoreAlsParams, core_als};
use super::core_tensor::CoreTensor;
use super::pencil::pencil;

/// Slabs of a core, their width, and columns of the model.
#[derive(Clone, Copy)]
pub(crate) struct SmallSizes {
    pub(crate) views: usize,
    pub(crate) width: usize,
    pub(crate) columns: usize,
}

/// Seconds of small algebra.
pub(crate) struct SmallWork {
    /// What one iteration of the basis does with the core.
    pub(crate) iteration: f64,
    /// From the core to its factors.
    pub(crate) factors: f64,
}

/// From this time on one timing is enough: what is cold at its beginning no longer matters.
const LONG: f64 = 1.0;

/// The median of three timings, unless one takes long: the first may be cold, and another program
/// may get in the way of one.
pub(crate) fn median_seconds<R>(mut work: impl FnMut() -> R) -> f64 {
    let mut laps = [0.0; 3];
    for lap in &mut laps {
        let clock = Instant::now();
        black_box(work());
        *lap = clock.elapsed().as_secs_f64();
        if *lap >= LONG {
            return *lap;
        }
    }
    laps.sort_by(f64::total_cmp);
    laps[1]
}

/// A slab whose energies fall off about as they do in practice.
fn slab(width: usize, key: u64) -> Mat<f64> {
    let mut values = vec![0.0; width * width];
    fill_normal(7, key, &mut values);
    let root = Mat::from_fn(width, width, |i, j| values[i * width + j] / (1.0 + j as f64).sqrt());
    &root * root.transpose()
}

/// Seconds of one eigendecomposition.
pub(crate) fn eigen_seconds(width: usize) -> f64 {
    let slab = slab(width, 0);
    median_seconds(|| symmetric_eigen(slab.as_ref()))
}

/// Times the algebra of a core of these sizes.
pub(crate) fn small_work(sizes: SmallSizes, core_sweeps: usize) -> SmallWork {
    let SmallSizes { width, columns, .. } = sizes;
    let views = sizes.views.max(1);
    let slabs = (0..views as u64).map(|k| slab(width, k)).collect();
    let core = CoreTensor::new(slabs, vec![1.0; views], &Workspace::default());
    // Remembered by a core, so every round has one of its own; the pencil finds them there.
    let directions = median_seconds(|| {
        let core = core.clone();
        core.energy_within(core.directions().1, columns)
    });
    let timed = CoreAlsParams { max_sweeps: core_sweeps.min(2), tolerance: 0.0 };
    let (factors, _) = pencil(&core, columns);
    let pencilled = median_seconds(|| pencil(&core, columns));
    let sweeps = median_seconds(|| core_als(&core, factors.clone(), timed));
    // Two slabs are fitted by the pencil and need no sweeps.
    let expected = if views > 2 { core_sweeps } else { timed.max_sweeps };
    SmallWork {
        iteration: directions,
        factors: pencilled + sweeps * expected as f64 / timed.max_sweeps.max(1) as f64,
    }
}
