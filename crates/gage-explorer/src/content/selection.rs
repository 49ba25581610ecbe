//! What is typical of a selection.

use std::collections::{HashMap, HashSet};

use gage_embed::{Block, Labels};
use serde::Serialize;

use super::columns::{column_name, original};
use super::data::Data;
use super::statistics::{ColumnStatistics, entries};

/// Classes and columns that are listed.
const MOST: usize = 16;
/// Nodes linked to that are listed.
const MOST_LINKED: usize = 8;
/// How unlikely an accident must be, in standard deviations, for a column to be called typical.
const CLEAR: f64 = 3.0;

/// A summary of selected nodes.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    pub(crate) count: usize,
    /// Classes by their number of selected nodes.
    pub(crate) classes: Vec<Share>,
    /// Columns that the selected nodes have more often, or higher, than chance would have it.
    pub(crate) columns: Vec<Share>,
    pub(crate) links: Vec<LinkSummary>,
}

/// How often something is inside and overall.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct Share {
    /// block of the column, empty for classes
    pub(crate) block: String,
    pub(crate) name: String,
    /// share of the selected nodes, or their mean
    pub(crate) inside: f64,
    /// share of all nodes, or the mean of all
    pub(crate) overall: f64,
    /// whether these are means
    pub(crate) mean: bool,
    /// standard deviations from what a random selection would have
    pub(crate) excess: f64,
}

/// Links of the selected nodes in one block.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct LinkSummary {
    pub(crate) block: String,
    /// with both ends inside, counted at each end
    pub(crate) inside: usize,
    /// that leave the selection
    pub(crate) leaving: usize,
    /// Nodes that the selected ones link to more often than chance would have it.
    pub(crate) to: Vec<Share>,
}

/// Summarises different nodes of a model.
pub(crate) fn summarise(nodes: &[u32], labels: Option<&Labels>, data: Option<&Data>) -> Summary {
    Summary {
        count: nodes.len(),
        classes: labels.map_or_else(Vec::new, |labels| classes(nodes, labels)),
        columns: data.map_or_else(Vec::new, |data| columns(nodes, data)),
        links: data.map_or_else(Vec::new, |data| links(nodes, data)),
    }
}

/// Deviation of a count of hits from that of a random selection of the same size.
fn excess(hits: f64, drawn: f64, all_hits: f64, all: f64) -> f64 {
    let share = all_hits / all;
    let variance = drawn * share * (1.0 - share) * (all - drawn) / (all - 1.0).max(1.0);
    if variance > 0.0 { (hits - drawn * share) / variance.sqrt() } else { 0.0 }
}

fn classes(nodes: &[u32], labels: &Labels) -> Vec<Share> {
    let (drawn, all) = (nodes.len() as f64, labels.len() as f64);
    let mut hits = vec![0usize; labels.class_names().len()];
    nodes.iter().flat_map(|&n| labels.of(n as usize)).for_each(|&class| hits[class as usize] += 1);
    let sizes = labels.class_sizes();
    let mut order: Vec<usize> = (0..hits.len()).filter(|&class| hits[class] > 0).collect();
    order.sort_by_key(|&class| (std::cmp::Reverse(hits[class]), class));
    let share = |class: usize| Share {
        block: String::new(),
        name: labels.class_names()[class].clone(),
        inside: hits[class] as f64 / drawn,
        overall: sizes[class] as f64 / all,
        mean: false,
        excess: excess(hits[class] as f64, drawn, sizes[class] as f64, all),
    };
    order.into_iter().take(MOST).map(share).collect()
}

fn columns(nodes: &[u32], data: &Data) -> Vec<Share> {
    let mut found = Vec::new();
    for (block, statistics) in data.attributes() {
        let rows: Vec<usize> = nodes.iter().filter_map(|&node| data.row(node as usize)).collect();
        let (drawn, all) = (rows.len() as f64, block.matrix.rows() as f64);
        let mut hits = vec![0usize; block.matrix.cols()];
        let mut sums = vec![0.0; block.matrix.cols()];
        for (column, value) in rows.iter().flat_map(|&row| entries(&block.matrix, row)) {
            hits[column as usize] += 1;
            sums[column as usize] += value;
        }
        let share = |column: usize| {
            let (name, block_name) = (column_name(block, column), block.name.clone());
            let ColumnStatistics { present, mean, deviation, numeric } = statistics;
            if *numeric {
                let (inside, overall) = (sums[column] / drawn, mean[column]);
                let excess = (inside - overall) / deviation[column].max(1e-300) * drawn.sqrt();
                let [inside, overall] = [inside, overall].map(|x| original(block, column, x));
                return Share { block: block_name, name, inside, overall, mean: true, excess };
            }
            let (own, of_all) = (hits[column] as f64, f64::from(present[column]));
            let excess = excess(own, drawn, of_all, all);
            let (inside, overall) = (own / drawn, of_all / all);
            Share { block: block_name, name, inside, overall, mean: false, excess }
        };
        found.extend((0..hits.len()).map(share).filter(|share| {
            if share.mean { share.excess.abs() > CLEAR } else { share.excess > CLEAR }
        }));
    }
    found.sort_by(|a, b| b.excess.abs().total_cmp(&a.excess.abs()).then(a.name.cmp(&b.name)));
    found.truncate(MOST);
    found
}

fn links(nodes: &[u32], data: &Data) -> Vec<LinkSummary> {
    let selected: HashSet<u32> = nodes.iter().copied().collect();
    let count = data.counted_links().map(|(block, counts)| {
        let (mut inside, mut leaving) = (0, 0);
        let mut hits: HashMap<u32, usize> = HashMap::new();
        for (other, _) in nodes.iter().flat_map(|&node| data.linked(block, node as usize)) {
            *(if selected.contains(&other) { &mut inside } else { &mut leaving }) += 1;
            *hits.entry(other).or_default() += 1;
        }
        let to = linked_to(nodes.len(), &hits, (block, counts), data);
        LinkSummary { block: block.name.clone(), inside, leaving, to }
    });
    count.collect()
}

/// The nodes that several of so many selected ones link to, and clearly more often than others do.
fn linked_to(
    drawn: usize,
    hits: &HashMap<u32, usize>,
    (block, counts): (&Block, &[u32]),
    data: &Data,
) -> Vec<Share> {
    let (drawn, all) = (drawn as f64, block.matrix.rows() as f64);
    let share = |(&node, &own): (&u32, &usize)| {
        let row = data.row(node as usize)?;
        let (own, of_all) = (own as f64, f64::from(counts[row]));
        let excess = excess(own, drawn, of_all, all);
        let clear = own > 1.0 && excess > CLEAR;
        clear.then(|| Share {
            block: block.name.clone(),
            name: data.rows().id(row),
            inside: own / drawn,
            overall: of_all / all,
            mean: false,
            excess,
        })
    };
    let mut found: Vec<Share> = hits.iter().filter_map(share).collect();
    found.sort_by(|a, b| b.excess.total_cmp(&a.excess).then(a.name.cmp(&b.name)));
    found.truncate(MOST_LINKED);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use gage_embed::{Graph, Nodes, SparseMatrix};

    #[test]
    fn what_is_typical_is_found_and_what_is_common_is_not() {
        // Forty nodes: all have column 0, the first ten column 1 as well, linked in a ring.
        let mut words: Vec<(usize, usize, f64)> = (0..40).map(|node| (node, 0, 1.0)).collect();
        words.extend((0..10).map(|node| (node, 1, 1.0)));
        let words: Vec<_> = words.into_iter().map(|(r, c, v)| (r as u32, c as u32, v)).collect();
        let words = SparseMatrix::from_triplets(40, 2, &words).unwrap();
        let ring: Vec<(u32, u32, f64)> = (0..40).map(|node| (node, (node + 1) % 40, 1.0)).collect();
        let ring = SparseMatrix::from_triplets(40, 40, &ring).unwrap();
        let graph = Graph::new(Nodes::numbered(40))
            .with_block(Block::links("links", ring, true))
            .and_then(|graph| graph.with_block(Block::attributes("words", words)))
            .unwrap();
        let data = Data::new(graph, &Nodes::numbered(40)).unwrap();
        let labels = Labels::from_numbers(&(0..40).map(|n| i64::from(n >= 20)).collect::<Vec<_>>());
        let summary = summarise(&[0, 1, 2, 3, 4, 25], Some(&labels), Some(&data));
        assert_eq!(summary.columns.len(), 1);
        let column = &summary.columns[0];
        assert_eq!((column.name.as_str(), column.overall), ("words 2", 0.25));
        assert!((column.inside - 5.0 / 6.0).abs() < 1e-12);
        let classes: Vec<(&str, f64)> =
            summary.classes.iter().map(|c| (c.name.as_str(), c.overall)).collect();
        assert_eq!(classes, [("0", 0.5), ("1", 0.5)]);
        let expected = LinkSummary { block: "links".into(), inside: 4, leaving: 2, to: vec![] };
        assert_eq!(summary.links, [expected]);
    }

    #[test]
    fn nodes_that_many_of_them_link_to_are_told() {
        // The first five link to node 20, everybody to node 30.
        let mut links: Vec<(u32, u32, f64)> = (0..40).map(|node| (node, 30, 1.0)).collect();
        links.extend((0..5).map(|node| (node, 20, 1.0)));
        let links = SparseMatrix::from_triplets(40, 40, &links).unwrap();
        let graph = Graph::new(Nodes::numbered(40)).with_block(Block::links("links", links, true));
        let data = Data::new(graph.unwrap(), &Nodes::numbered(40)).unwrap();
        let found = summarise(&[0, 1, 2, 3, 4, 9], None, Some(&data)).links;
        let to: Vec<(&str, f64)> =
            found[0].to.iter().map(|t| (t.name.as_str(), t.overall)).collect();
        assert_eq!(to, [("20", 0.125)]);
    }
}
