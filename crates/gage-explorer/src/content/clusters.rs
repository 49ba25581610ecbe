//! Groups of near nodes, with names of what is typical of them.

use gage_embed::eval::{KMeansParams, k_means};
use gage_embed::{Labels, Nodes, Tall};
use gage_linalg::kernel::squared_distance;

use super::colours::Colour;
use super::data::Data;
use super::selection::summarise;

/// Words in the name of a cluster.
const WORDS: usize = 2;

/// A cluster of every node, and what the clusters are called.
#[derive(Clone, Debug)]
pub(crate) struct Clusters {
    of: Vec<u32>,
    names: Vec<String>,
}

impl Clusters {
    /// Clusters rows of length one by k-means, as many as there are classes, or about the fourth
    /// root of the number of nodes. Nothing where rows cannot be clustered.
    pub(crate) fn find(
        unit: &Tall<f32>,
        nodes: &Nodes,
        labels: Option<&Labels>,
        data: Option<&Data>,
        seed: u64,
    ) -> Option<Clusters> {
        let root = (unit.rows() as f64).powf(0.25).round() as usize;
        let wanted = labels.map_or(root, |labels| labels.class_names().len()).clamp(2, 24);
        let params = KMeansParams {
            restarts: 1,
            max_iterations: 40,
            seed,
            ..KMeansParams::new(wanted.min(unit.rows()))
        };
        let found = k_means(unit, &params).ok()?;
        let mut members = vec![Vec::new(); found.centroids.rows()];
        let assigned = found.assignment.iter().enumerate();
        assigned.for_each(|(node, &cluster)| members[cluster as usize].push(node as u32));
        let name = |(cluster, members): (usize, &Vec<u32>)| {
            let words = typical(members, data);
            if !words.is_empty() {
                return words.join(", ");
            }
            let centre: Vec<f32> = found.centroids.row(cluster).iter().map(|&x| x as f32).collect();
            let far = |node: &u32| squared_distance(unit.row(*node as usize), &centre);
            let middle = members.iter().min_by(|a, b| far(a).total_cmp(&far(b)).then(a.cmp(b)));
            middle.map_or_else(String::new, |&node| format!("around {}", nodes.id(node as usize)))
        };
        let names = members.iter().enumerate().map(name).collect();
        Some(Clusters { of: found.assignment, names })
    }

    /// Clusters as colours.
    pub(crate) fn colour(&self) -> Colour {
        let of = self.of.iter().map(|&cluster| Some(cluster)).collect();
        Colour::Classes { names: self.names.clone(), of }
    }
}

/// Columns that the members have much more often than others.
fn typical(members: &[u32], data: Option<&Data>) -> Vec<String> {
    let columns = summarise(members, None, data).columns;
    let high = columns.into_iter().filter(|column| column.excess > 0.0);
    high.take(WORDS).map(|column| column.name).collect()
}
