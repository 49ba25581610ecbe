//! The planted graph: classes, and links and attributes that depend on them.

use gage_core::graph::Labels;
use gage_core::holdout::EvalError;
use gage_linalg::SparseMatrix;
use gage_linalg::random::Stream;
use rayon::prelude::*;

use super::params::PlantedParams;
use super::{attributes, links};

/// A degree-corrected block model with attributes.
///
/// # Method
/// Classes are uniform. Every node draws half of its expected degree as links, from its own class
/// with probability `homophily`, ends in proportion to their expected degrees (Karrer and Newman
/// 2011). It draws attributes from those of its class with probability `signal`, else from all;
/// within each, the frequency of an attribute falls as one over its rank.
///
/// The same parameters give the same graph at any number of threads. Links and attributes are drawn
/// when requested, so that both need not be in memory at once. Time and memory are linear in nodes,
/// links and attribute entries.
///
/// ```
/// use gage_embed::eval::{PlantedGraph, PlantedParams};
/// let planted = PlantedGraph::new(PlantedParams { nodes: 500, ..Default::default() })?;
/// let links = planted.links();
/// assert!(links.is_symmetric() && planted.edge_homophily(&links) > 0.6);
/// # Ok::<(), gage_embed::eval::EvalError>(())
/// ```
pub struct PlantedGraph {
    params: PlantedParams,
    classes: Vec<u16>,
}

impl PlantedGraph {
    /// Checks the parameters and draws the classes.
    pub fn new(params: PlantedParams) -> Result<PlantedGraph, EvalError> {
        params.check()?;
        let classes = (0..params.nodes as u64)
            .into_par_iter()
            .map(|node| Stream::keyed(params.seed, 1, node).below(params.classes) as u16)
            .collect();
        Ok(PlantedGraph { params, classes })
    }

    /// The parameters.
    pub fn params(&self) -> &PlantedParams {
        &self.params
    }

    /// The class of each node.
    pub fn classes(&self) -> &[u16] {
        &self.classes
    }

    /// The classes as labels.
    pub fn labels(&self) -> Labels {
        let names = (0..self.params.classes).map(|class| format!("class {class}")).collect();
        Labels::from_lists(names, self.classes.iter().map(|&class| vec![u32::from(class)]))
    }

    /// Members of each class.
    pub fn class_sizes(&self) -> Vec<u64> {
        let mut sizes = vec![0u64; self.params.classes];
        self.classes.iter().for_each(|&class| sizes[class as usize] += 1);
        sizes
    }

    /// Draws the links: a symmetric adjacency of ones without self-loops.
    pub fn links(&self) -> SparseMatrix {
        links::draw(&self.params, &self.classes)
    }

    /// Draws the attributes: how often each node has each of them, at most 255.
    pub fn attributes(&self) -> SparseMatrix {
        attributes::draw(&self.params, &self.classes)
    }

    /// Share of the links that join two nodes of one class.
    pub fn edge_homophily(&self, links: &SparseMatrix) -> f64 {
        let inside: u64 = (0..links.rows())
            .into_par_iter()
            .map(|node| {
                let others = &links.indices()[links.row_range(node)];
                let same = |&&other: &&u32| self.classes[other as usize] == self.classes[node];
                others.iter().filter(same).count() as u64
            })
            .sum();
        inside as f64 / (links.nnz() as f64).max(1.0)
    }
}
