//! How long a fit will take: a little of every kind of its work is done on the real views, timed, and multiplied.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::graph::Graph;
use crate::params::{CheckedParams, specs};
use crate::preset_selection::resolve_for_plan;
use crate::solver::{eigen_seconds, median_seconds, small_work};
use crate::views::{CentredGram, Views, norm_work};
use gage_linalg::kernel::{
    gram, gram_working_precision, times_small, times_small_working_precision,
};
use gage_linalg::random::fill_signs;
use gage_linalg::{LocalReducer, Precision, Real, Tall};

use super::plan::{Plan, plan_of};

/// Multiply-adds one timed pass may take, so that it takes a fraction of a second.
const PASS_WORK: f64 = 5e7;

/// Rows of the tall block that is timed.
const ROWS: usize = 2048;

/// Widest core that is timed; wider ones cost as the cube of their width.
const CORE: usize = 96;

/// Largest eigendecomposition that is timed.
const WHOLE: usize = 288;

/// Seconds a fit is expected to take, by the kind of work; on this machine, as busy as it was when asked.
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

/// As [`plan`](crate::plan()), with an estimate of the time. It assumes that the basis takes all iterations it may and
/// that no entries are missing; it knows nothing of certificates.
///
/// ```
/// use gage_embed::{Block, Dimension, FitParams, Graph, Nodes, SparseMatrix};
/// use gage_embed::solver::timed_plan;
/// let links: Vec<(u32, u32, f64)> = (0..1500).map(|i| (i, (7 * i + 1) % 1500, 1.0)).collect();
/// let graph = Graph::new(Nodes::numbered(1500))
///     .with_block(Block::links("links", SparseMatrix::from_triplets(1500, 1500, &links)?, true))?;
/// let params = FitParams { dimension: Dimension::Fixed(8), ..FitParams::default() }.check()?;
/// let (plan, time) = timed_plan(&graph, &params)?;
/// assert!(plan.passes == 10 && time.seconds() > 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn timed_plan(graph: &Graph, params: &CheckedParams) -> Result<(Plan, TimeEstimate), Error> {
    let clock = Instant::now();
    let specs = specs(graph, &resolve_for_plan(graph, params))?;
    let views = Views::build(graph, &specs, params.precision)?;
    let built = clock.elapsed().as_secs_f64();
    let plan = plan_of(graph, &views, params);
    let mut time = match params.precision {
        Precision::F32 => measure::<f32>(&views, &plan, params),
        Precision::F64 => measure::<f64>(&views, &plan, params),
    };
    time.views = built;
    Ok((plan, time))
}

fn measure<T: Real>(views: &Views, plan: &Plan, params: &CheckedParams) -> TimeEstimate {
    let (nodes, width, columns) = (plan.nodes as f64, plan.basis_width, plan.columns);
    let direct = plan.nodes <= params.basis.direct_nodes;
    let sweeps = params.refine.map_or(0, |refine| refine.max_sweeps) as f64;
    let blocks = params.basis.planned_widths(plan.views, columns, plan.nodes);
    // Every block is made by one pass and multiplied by another. The fit ends with one more smoothing and narrow probes.
    let in_basis = if direct { width } else { 2 * blocks.iter().sum::<usize>() };
    let wide = in_basis as f64 + (2.0 * sweeps + 1.0) * columns as f64 + 64.0;
    let (mut norms, mut passes) = (0.0, 0.0);
    for view in views.views() {
        let op = CentredGram::new(&view.operator, view.observed.as_ref(), &LocalReducer);
        let work = view.operator.work();
        let timed = ((PASS_WORK / work.max(1.0)) as usize).clamp(8, width.max(8));
        let v = Tall::<T>::from_rows(plan.nodes, timed, |row, out| fill_signs(1, row as u64, out));
        let mut back = Tall::<T>::zeros(plan.nodes, timed);
        let both = median_seconds(|| {
            let b = op.project(&v, &LocalReducer);
            op.expand_into(1e-9, &b, &mut back, &LocalReducer);
        });
        let column = both / (2 * timed) as f64;
        passes += wide * column;
        norms += norm_work(view, plan.nodes) * column / work.max(1.0);
    }
    let rows = plan.nodes.clamp(1, ROWS);
    let (narrow, block) = (width.min(512), |cols: usize| {
        Tall::<T>::from_rows(rows, cols, |row, out| fill_signs(2, row as u64, out))
    });
    let tall = block(narrow);
    let square = gram(&tall, &LocalReducer);
    let scale = (width as f64 / narrow as f64).powi(2) / rows as f64;
    let of_gram = scale * median_seconds(|| gram(&tall, &LocalReducer));
    let of_product = scale * median_seconds(|| times_small(&tall, square.as_ref()));
    let of_working_gram = scale * median_seconds(|| gram_working_precision(&tall, &LocalReducer));
    let of_working_product =
        scale * median_seconds(|| times_small_working_precision(&tall, square.as_ref()));
    let described: f64 = views.views().iter().map(|view| view.cols() as f64).sum();
    let ratio = (columns as f64 / width as f64).powi(2);
    // Basis: rough Gram matrices and transforms of all B_k and of the block. Refinement: per view and sweep
    // two cross products (as wide as two Gram matrices each), and a solve.
    let basis = if direct {
        described * (of_gram + of_product)
    } else {
        let share = |a: usize, b: usize| (a * b) as f64 / (width * width) as f64;
        let grams: f64 = blocks.iter().map(|&b| share(b, b)).sum();
        let products: f64 = blocks.windows(2).map(|b| share(b[0], b[1])).sum();
        (described + nodes) * (grams * of_working_gram + products * of_working_product)
    };
    let refining =
        sweeps * nodes * ratio * (4.0 * views.views().len() as f64 * of_gram + 2.0 * of_product);
    let ending = (nodes + described) * ratio.sqrt() * of_product + 2.0 * nodes * ratio * of_gram;
    // The core, at a width that takes little time.
    let core = if direct { (2 * columns).min(plan.nodes) } else { width };
    let timed = core.clamp(2, CORE);
    let kept = (columns * timed / core.max(1)).clamp(1, timed);
    let small = small_work(views.views().len(), timed, kept, params.core_sweeps);
    let cube = |size: usize| (size as f64 / timed as f64).powi(3);
    let rounds = blocks.len() as f64;
    let mut of_core = cube(core) * (rounds * small.iteration + small.factors);
    if direct {
        let timed = plan.nodes.min(WHOLE);
        of_core += eigen_seconds(timed) * (plan.nodes as f64 / timed.max(1) as f64).powi(3);
    }
    TimeEstimate { views: 0.0, norms, passes, tall: basis + refining + ending, small: of_core }
}
