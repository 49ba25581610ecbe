//! What changes between two choices of shares.

use rayon::prelude::*;
use serde::Serialize;

use super::names::Named;
use crate::pool::Pool;
use gage_embed::Nodes;

/// Neighbours that are compared.
const NEIGHBOURS: usize = 15;
/// Neighbours that are named, on each side.
const NAMED: usize = 4;

/// How far the neighbourhoods of all nodes moved.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Moved {
    /// Share of the neighbours that every node changed, from 0 to 1.
    pub(crate) changed: Vec<f32>,
}

/// A node that moved.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct MovedNode {
    #[serde(flatten)]
    pub(crate) named: Named,
    pub(crate) changed: f32,
    /// the nearest at the first shares that are gone
    pub(crate) left: Vec<Named>,
    /// the nearest at the second shares that are new
    pub(crate) came: Vec<Named>,
}

/// Compares the nearest candidates of every node at two choices of shares.
pub(crate) fn moved(pool: &Pool, from: &[f64], to: &[f64]) -> Moved {
    let share = |node: usize| {
        let [one, other] = [from, to].map(|shares| near(pool, node, shares));
        let kept = one.iter().filter(|node| other.contains(node)).count();
        let all = one.len().max(other.len());
        if all == 0 { 0.0 } else { 1.0 - kept as f32 / all as f32 }
    };
    let nodes = (0..pool.nodes()).into_par_iter().with_min_len(256);
    Moved { changed: nodes.map(share).collect() }
}

fn near(pool: &Pool, node: usize, shares: &[f64]) -> Vec<u32> {
    pool.nearest(node, shares, NEIGHBOURS).into_iter().map(|entry| entry.0).collect()
}

impl Moved {
    /// The mean over all nodes.
    pub(crate) fn mean(&self) -> f64 {
        self.changed.iter().map(|&x| f64::from(x)).sum::<f64>() / self.changed.len().max(1) as f64
    }

    /// The nodes that moved most, with what left them and what came.
    pub(crate) fn most(
        &self,
        pool: &Pool,
        nodes: &Nodes,
        [from, to]: [&[f64]; 2],
        most: usize,
    ) -> Vec<MovedNode> {
        let mut order: Vec<u32> = (0..self.changed.len() as u32).collect();
        let key = |&node: &u32| self.changed[node as usize];
        order.sort_by(|a, b| key(b).total_cmp(&key(a)).then(a.cmp(b)));
        let named = |node: u32| Named { node, id: nodes.id(node as usize) };
        let only = |node: u32, one: &[f64], other: &[f64]| -> Vec<Named> {
            let gone = near(pool, node as usize, other);
            let mine = near(pool, node as usize, one).into_iter();
            mine.filter(|near| !gone.contains(near)).take(NAMED).map(named).collect()
        };
        let describe = |node: u32| MovedNode {
            named: named(node),
            changed: self.changed[node as usize],
            left: only(node, from, to),
            came: only(node, to, from),
        };
        order.into_iter().take(most).map(describe).collect()
    }
}
