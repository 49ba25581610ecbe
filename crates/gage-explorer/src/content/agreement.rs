//! How well near nodes agree in their class, along lambda.

use gage_embed::Labels;
use rayon::prelude::*;
use serde::Serialize;

use crate::pool::Pool;

/// Neighbours that vote.
const NEIGHBOURS: usize = 15;

/// The agreement at some shares.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct AgreementAt {
    pub(crate) lambda: f64,
    /// Share of the near nodes that have a class in common, mean over the nodes with a class.
    pub(crate) agreement: f64,
}

/// Mean share of the nearest candidates that have a class in common with their node. Nodes without
/// a class neither vote nor count.
pub(crate) fn agreement(pool: &Pool, labels: &Labels, shares: &[f64]) -> f64 {
    let of = |node: usize| {
        let own = labels.of(node);
        let near = pool.nearest(node, shares, NEIGHBOURS).into_iter();
        let near = near.map(|(other, _)| labels.of(other as usize)).filter(|list| !list.is_empty());
        let votes: Vec<bool> = near.map(|list| list.iter().any(|c| own.contains(c))).collect();
        let counts = !own.is_empty() && !votes.is_empty();
        let alike = votes.iter().filter(|&&alike| alike).count();
        counts.then(|| alike as f64 / votes.len() as f64)
    };
    // Added up in the order of the nodes, so that the sum does not depend on the threads.
    let nodes = (0..pool.nodes().min(labels.len())).into_par_iter().with_min_len(256);
    let all: Vec<f64> = nodes.filter_map(of).collect();
    all.iter().sum::<f64>() / all.len().max(1) as f64
}
