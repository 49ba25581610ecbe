//! The input of the basis stage, and its result.

use faer::Mat;
use rayon::prelude::*;

use crate::params::{BasisParams, CheckedParams, Dimension};
use crate::solver::core_tensor::{CoreTensor, symmetric};
use crate::solver::problem::Problem;
use crate::views::{CentredGram, Views};
use gage_linalg::{Tall, Workspace};

/// Input of the basis stage.
#[derive(Clone, Copy)]
pub(crate) struct BasisTask<'a> {
    pub(crate) views: &'a Views,
    pub(crate) ops: &'a [CentredGram<'a>],
    /// Loss weights of the views.
    pub(crate) weights: &'a [f64],
    /// `sum_k w_k^2 ||X_k||^2`.
    pub(crate) total: f64,
    /// Columns of the model, at most.
    pub(crate) dimension: usize,
    /// The share of the energy that is enough: as soon as fewer columns have it, only they are
    /// iterated on.
    pub(crate) share: Option<f64>,
    pub(crate) params: &'a BasisParams,
    pub(crate) seed: u64,
}

impl<'a> BasisTask<'a> {
    /// The basis of a fit.
    pub(crate) fn new(problem: &'a Problem<'a>, params: &'a CheckedParams) -> BasisTask<'a> {
        BasisTask {
            views: problem.views,
            ops: &problem.ops,
            weights: &problem.weights,
            total: problem.total(),
            dimension: params.dimension.most(),
            share: match params.dimension {
                Dimension::Energy { share, .. } => Some(share),
                _ => None,
            },
            params: &params.basis,
            seed: params.seed,
        }
    }

    /// Columns of the widest block.
    pub(super) fn width(&self) -> usize {
        self.params.width(self.dimension, self.views.nodes())
    }
}

/// A basis `V = N T`, and the views seen through it.
pub(crate) struct Basis<T> {
    /// `N`, one row per local node.
    pub(crate) block: Tall<T>,
    /// `T`.
    pub(crate) transform: Mat<f64>,
    /// `Y_k^T J N`, so that `B_k = Y_k^T J V` is this times `T`; `X_k N` of views that are formed.
    pub(crate) projections: Vec<Tall<T>>,
    /// Made by the last iteration, which used it to decide that it was the last.
    pub(super) core: CoreTensor,
}

impl<T> Basis<T> {
    /// The core tensor `S_k = V^T X_k V`.
    pub(crate) fn core_tensor(&self) -> &CoreTensor {
        &self.core
    }
}

/// The core tensor from the Gram matrices `N^T X_k N`.
pub(super) fn core_of(
    grams: &[Mat<f64>],
    transform: Option<&Mat<f64>>,
    weights: &[f64],
    workspace: &Workspace,
) -> CoreTensor {
    let slab = |gram: &Mat<f64>| {
        transform.map_or_else(|| gram.clone(), |t| symmetric(&(t.transpose() * gram * t)))
    };
    let sides = transform.map_or((0, 0), |t| (t.nrows(), t.ncols()));
    let flops = 2 * grams.len() * sides.0 * sides.1 * (sides.0 + sides.1);
    let slabs = || grams.par_iter().map(slab).collect();
    CoreTensor::new(workspace.count_small(flops, slabs), weights.to_vec(), workspace)
}
