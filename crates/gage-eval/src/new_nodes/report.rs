//! What came out of an evaluation of new nodes.

use serde::{Deserialize, Serialize};

use crate::spread::Spread;
use gage_core::graph::{Block, BlockKind, Graph};
use gage_core::model::NewNodes;

/// What is known about the new nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KnownData {
    /// Their attributes alone.
    Attributes,
    /// Their links to fitted nodes alone.
    Links,
    /// Everything the graph has.
    Everything,
}

impl KnownData {
    /// In words, as tables show it.
    pub fn name(self) -> &'static str {
        match self {
            KnownData::Attributes => "attributes",
            KnownData::Links => "links",
            KnownData::Everything => "everything",
        }
    }

    /// The cases that differ for a graph: only the last one, if it has one kind of block.
    pub(super) fn cases(graph: &Graph) -> Vec<KnownData> {
        let has = |case: KnownData| graph.blocks().iter().any(|block| case.includes(block));
        if has(KnownData::Attributes) && has(KnownData::Links) {
            vec![KnownData::Attributes, KnownData::Links, KnownData::Everything]
        } else {
            vec![KnownData::Everything]
        }
    }

    /// Whether a block is among what is known.
    pub(super) fn includes(self, block: &Block) -> bool {
        match self {
            KnownData::Attributes => block.kind == BlockKind::Attributes,
            KnownData::Links => matches!(block.kind, BlockKind::Links { .. }),
            KnownData::Everything => true,
        }
    }

    /// The part of new nodes of a graph that is known.
    pub(super) fn of(self, new: &NewNodes, graph: &Graph) -> NewNodes {
        let known = |name: &str| graph.block(name).is_some_and(|block| self.includes(block));
        let blocks = new.blocks.iter().filter(|block| known(&block.name)).cloned().collect();
        NewNodes { count: new.count, blocks }
    }
}

/// New nodes of which the same is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoldInReport {
    /// What is known about them.
    pub known: KnownData,
    /// Micro F1 of the rows folded in, by a classifier trained on the fitted rows.
    pub folded_in: Spread,
    /// Micro F1 of rows fitted to the same data, new nodes included, by a classifier trained on
    /// the same nodes.
    pub fitted: Spread,
    /// `folded_in - fitted`, shuffle by shuffle.
    pub difference: Spread,
    /// Mean length of the rows folded in over that of the fitted rows.
    pub length: Spread,
    /// New nodes without any of these data, in all shuffles together; their rows are zero.
    pub unobserved: usize,
}

/// Data of fitted nodes, folded in as if they were new.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnDataReport {
    /// Mean cosine with their fitted rows.
    pub cosine: Spread,
    /// Mean length over that of their fitted rows.
    pub length: Spread,
}

/// What came out of [`evaluate_new_nodes`](super::evaluate_new_nodes).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewNodesReport {
    /// Nodes fitted in each shuffle.
    pub fitted: usize,
    /// Nodes held out in each shuffle.
    pub held_out: usize,
    /// Columns of the embedding.
    pub columns: usize,
    /// One entry for everything that may be known about a new node.
    pub results: Vec<FoldInReport>,
    /// Data of fitted nodes.
    pub own: OwnDataReport,
}
