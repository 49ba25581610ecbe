//! Time estimate of a fit: each kernel is timed on a part of the real views, and multiplied by the
//! cost of the stages.

use serde::{Deserialize, Serialize};

use crate::fit::Prepared;
use crate::solver::{SmallSizes, eigen_seconds, median_seconds, small_work};
use crate::views::{CentredGram, View, norm_work};
use gage_linalg::kernel::{
    gram, gram_working_precision, times_small, times_small_working_precision,
};
use gage_linalg::random::fill_signs;
use gage_linalg::{LocalReducer, Precision, Real, Tall};

use super::stage_cost::Cost;

/// Multiply-adds one timed pass may take, so that it takes a fraction of a second.
const PASS_WORK: f64 = 5e7;

/// Columns of the narrow and of the wide block that are timed where a block of full width would
/// take too long. A pass gathers whole rows, so that wide rows cost less for each column.
const TIMED_COLUMNS: (usize, usize) = (8, 32);

/// Least share of the time per column of the wide block that a further column takes.
const FURTHER_COLUMN: f64 = 0.2;

/// Rows and columns of the tall block that is timed, at most.
const TALL: (usize, usize) = (2048, 512);

/// Widest core that is timed; wider ones cost as the cube of their width.
const CORE: usize = 96;

/// Largest eigendecomposition that is timed.
const WHOLE: usize = 288;

/// Seconds a fit is expected to take, by the kind of work; on this machine, as busy as it was when
/// asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimeEstimate {
    /// Building the views.
    pub views: f64,
    /// Norms of the views.
    pub norms: f64,
    /// Passes over the data.
    pub passes: f64,
    /// Algebra on tall blocks.
    pub tall: f64,
    /// Algebra on small matrices.
    pub small: f64,
}

impl TimeEstimate {
    /// All together.
    pub fn seconds(&self) -> f64 {
        self.views + self.norms + self.passes + self.tall + self.small
    }
}

impl Prepared<'_> {
    /// How long the fit will take. It assumes that the basis takes all iterations it may and that
    /// no entries are missing; it knows nothing of certificates.
    pub fn time_estimate(&self) -> TimeEstimate {
        match self.params.precision {
            Precision::F32 => self.calibrate::<f32>(),
            Precision::F64 => self.calibrate::<f64>(),
        }
    }

    fn calibrate<T: Real>(&self) -> TimeEstimate {
        let nodes = self.size.nodes;
        let width = self.size.basis_width(&self.params.basis);
        let (mut norms, mut passes) = (0.0, 0.0);
        for view in self.views.views() {
            let column = pass_seconds::<T>(view, nodes, width);
            passes += self.cost.pass_columns as f64 * column;
            norms += norm_work(view, nodes) * column / view.operator.work().max(1.0);
        }
        let tall = tall_seconds::<T>(&self.cost, nodes, width);
        TimeEstimate { views: self.build_seconds, norms, passes, tall, small: self.small_seconds() }
    }

    /// Seconds of the algebra on the core, timed at a width that takes little time.
    fn small_seconds(&self) -> f64 {
        let (basis, columns, nodes) = (&self.params.basis, self.size.columns, self.size.nodes);
        let (views, direct) = (self.size.view_columns.len(), basis.is_direct(nodes));
        let core = if direct {
            (2 * columns).min(nodes)
        } else {
            self.size.basis_width(&self.params.basis)
        };
        let timed = core.clamp(2, CORE);
        let kept = (columns * timed / core.max(1)).clamp(1, timed);
        let sizes = SmallSizes { views, width: timed, columns: kept };
        let small = small_work(sizes, self.params.core_sweeps);
        let cube = |size: usize, timed: usize| (size as f64 / timed.max(1) as f64).powi(3);
        let rounds = basis.planned_widths(views, columns, nodes).len() as f64;
        let seconds = cube(core, timed) * (rounds * small.iteration + small.factors);
        let whole = nodes.min(WHOLE);
        if direct { seconds + eigen_seconds(whole) * cube(nodes, whole) } else { seconds }
    }
}

/// Seconds of one pass over a view for every column of a block of this width.
fn pass_seconds<T: Real>(view: &View, nodes: usize, width: usize) -> f64 {
    let op = CentredGram::new(&view.operator, view.observed.as_ref(), &LocalReducer);
    let affordable = (PASS_WORK / view.operator.work().max(1.0)) as usize;
    let (narrow, wide) = (TIMED_COLUMNS.0, affordable.max(TIMED_COLUMNS.1));
    if wide >= width {
        return both_passes::<T>(&op, nodes, width) / (2 * width) as f64;
    }
    let (at_narrow, at_wide) =
        (both_passes::<T>(&op, nodes, narrow), both_passes::<T>(&op, nodes, wide));
    let mean = at_wide / wide as f64;
    let further = (at_wide - at_narrow) / (wide - narrow) as f64;
    let further = further.clamp(FURTHER_COLUMN * mean, mean);
    (at_wide + further * (width - wide) as f64) / (2 * width) as f64
}

/// Seconds of a product with `Y^T` and one with `Y`, in memory that was used before, as in a fit.
fn both_passes<T: Real>(op: &CentredGram<'_>, nodes: usize, width: usize) -> f64 {
    let workspace = op.workspace();
    let _pooled = workspace.pool_guard();
    let v = Tall::<T>::from_rows_in(workspace, nodes, width, |row, out| {
        fill_signs(1, row as u64, out);
    });
    let mut back = Tall::<T>::zeros_in(workspace, nodes, width);
    median_seconds(|| {
        let b = op.project(&v, &LocalReducer);
        op.expand_into(1e-9, &b, &mut back, &LocalReducer);
    })
}

/// Seconds of all algebra on tall blocks.
fn tall_seconds<T: Real>(cost: &Cost, nodes: usize, width: usize) -> f64 {
    let (rows, cols) = (nodes.clamp(1, TALL.0), width.min(TALL.1));
    let tall = Tall::<T>::from_rows(rows, cols, |row, out| fill_signs(2, row as u64, out));
    let square = gram(&tall, &LocalReducer);
    let update_flops = (rows * cols * cols) as f64;
    let gram_flops = 0.5 * update_flops;
    cost.gram_flops / gram_flops * median_seconds(|| gram(&tall, &LocalReducer))
        + cost.update_flops / update_flops * median_seconds(|| times_small(&tall, square.as_ref()))
        + cost.working_gram_flops / gram_flops
            * median_seconds(|| gram_working_precision(&tall, &LocalReducer))
        + cost.working_update_flops / update_flops
            * median_seconds(|| times_small_working_precision(&tall, square.as_ref()))
}
