//! A data set beside a model, by the nodes of the model.

use gage_embed::graph::BlockKind;
use gage_embed::io::{JoinRule, Origin, reorder};
use gage_embed::{Block, Graph, Labels, Nodes};

use super::statistics::{ColumnStatistics, entries, statistics};
use crate::error::ExplorerError;

/// No row.
const NONE: u32 = u32::MAX;

/// A data set, and which of its rows belongs to which node of the model.
#[derive(Debug)]
pub(crate) struct Data {
    graph: Graph,
    /// Row of each node; `NONE` for a node that the data do not have.
    rows: Vec<u32>,
    /// Node of each row; `NONE` for a row that the model does not have.
    nodes: Vec<u32>,
    /// One for each block of attributes, by position among the blocks.
    statistics: Vec<Option<ColumnStatistics>>,
    /// How many rows link to each row, for blocks of links.
    linked_by: Vec<Vec<u32>>,
}

impl Data {
    /// Joins by id where both sides have ids, by position where they are equally many.
    pub(crate) fn new(graph: Graph, nodes: &Nodes) -> Result<Data, ExplorerError> {
        let rows = join(graph.nodes(), nodes)?;
        let mut back = vec![NONE; graph.nodes().len()];
        for (node, &row) in rows.iter().enumerate().filter(|(_, row)| **row != NONE) {
            back[row as usize] = node as u32;
        }
        let statistics = graph.blocks().iter().map(statistics).collect();
        let linked_by = graph.blocks().iter().map(counts_of_links).collect();
        Ok(Data { graph, rows, nodes: back, statistics, linked_by })
    }

    /// The data with the nodes of the model in their order; nothing if some nodes are on one side
    /// only.
    pub(crate) fn in_order_of(&self, nodes: &Nodes) -> Option<Graph> {
        let whole = self.has_the_nodes_of(nodes);
        let origin = Origin::Memory("data".to_owned());
        whole.then(|| reorder(self.graph.clone(), nodes, origin, JoinRule::default()).ok())?
    }

    /// Whether every node of the model is in the data, and nothing else is.
    pub(crate) fn has_the_nodes_of(&self, nodes: &Nodes) -> bool {
        self.graph.nodes().len() == nodes.len() && !self.rows.contains(&NONE)
    }

    /// The row of a node.
    pub(crate) fn row(&self, node: usize) -> Option<usize> {
        Some(self.rows[node]).filter(|&row| row != NONE).map(|row| row as usize)
    }

    /// The node of a row.
    pub(crate) fn node(&self, row: usize) -> Option<u32> {
        Some(self.nodes[row]).filter(|&node| node != NONE)
    }

    /// Blocks of links.
    pub(crate) fn links(&self) -> impl Iterator<Item = &Block> {
        self.graph.blocks().iter().filter(|block| is_links(block))
    }

    /// Blocks of links with the number of rows that link to each row.
    pub(crate) fn counted_links(&self) -> impl Iterator<Item = (&Block, &[u32])> {
        let blocks = self.graph.blocks().iter().zip(&self.linked_by);
        blocks.filter(|(block, _)| is_links(block)).map(|(block, counts)| (block, &counts[..]))
    }

    /// Rows, and the id of one.
    pub(crate) fn rows(&self) -> &Nodes {
        self.graph.nodes()
    }

    /// Blocks of attributes with the statistics of their columns.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = (&Block, &ColumnStatistics)> {
        let blocks = self.graph.blocks().iter().zip(&self.statistics);
        blocks.filter_map(|(block, statistics)| Some((block, statistics.as_ref()?)))
    }

    /// The labels of the data in the order of the model.
    pub(crate) fn labels(&self) -> Option<Labels> {
        let labels = self.graph.labels()?;
        let of = |node: usize| self.row(node).map_or_else(Vec::new, |row| labels.of(row).to_vec());
        let lists = (0..self.rows.len()).map(of);
        Some(Labels::from_lists(labels.class_names().to_vec(), lists))
    }

    /// The nodes that a node links to, with weights, in one block.
    pub(crate) fn linked<'a>(
        &'a self,
        block: &'a Block,
        node: usize,
    ) -> impl Iterator<Item = (u32, f64)> + 'a {
        let row = self.row(node);
        let known = move |(to, weight): (u32, f64)| Some((self.node(to as usize)?, weight));
        row.into_iter().flat_map(move |row| entries(&block.matrix, row)).filter_map(known)
    }

    /// Links of every node, over all blocks of links.
    pub(crate) fn degrees(&self) -> Vec<u32> {
        let of = |node: usize| -> usize {
            self.links().map(|block| self.linked(block, node).count()).sum()
        };
        (0..self.rows.len()).map(|node| of(node) as u32).collect()
    }
}

fn is_links(block: &Block) -> bool {
    matches!(block.kind, BlockKind::Links { .. })
}

fn counts_of_links(block: &Block) -> Vec<u32> {
    let mut counts = vec![0; if is_links(block) { block.matrix.cols() } else { 0 }];
    if !counts.is_empty() {
        let rows = 0..block.matrix.rows();
        let ends = rows.flat_map(|row| entries(&block.matrix, row));
        ends.for_each(|(column, _)| counts[column as usize] += 1);
    }
    counts
}

fn join(data: &Nodes, model: &Nodes) -> Result<Vec<u32>, ExplorerError> {
    let expected = model.len();
    if !data.is_named() || !model.is_named() {
        if data.len() != expected {
            return Err(ExplorerError::OtherNodes { found: data.len().min(expected), expected });
        }
        return Ok((0..expected as u32).collect());
    }
    let index = data.index();
    let row = |node: usize| index.get(model.name(node)?).copied();
    let rows: Vec<u32> = (0..expected).map(|node| row(node).unwrap_or(NONE)).collect();
    let found = rows.iter().filter(|&&row| row != NONE).count();
    // A few nodes may have gone since; data of which most is something else are a mistake.
    if 2 * found < expected {
        return Err(ExplorerError::OtherNodes { found, expected });
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gage_embed::SparseMatrix;

    #[test]
    fn data_are_joined_by_id() {
        let model = Nodes::named(["a", "b", "c"]).unwrap();
        let data = Nodes::named(["c", "x", "a"]).unwrap();
        let links = SparseMatrix::from_triplets(3, 3, &[(0, 2, 1.0), (0, 1, 4.0), (2, 0, 2.0)]);
        let links = Block::links("links", links.unwrap(), true);
        let graph = Graph::new(data).with_block(links).unwrap();
        let labels = Labels::from_numbers(&[1, 0, -1]);
        let data = Data::new(graph.with_labels(labels).unwrap(), &model).unwrap();
        assert_eq!([0, 1, 2].map(|node| data.row(node)), [Some(2), None, Some(0)]);
        let block = data.links().next().unwrap();
        // `x` is none of the model's nodes.
        assert_eq!(data.linked(block, 2).collect::<Vec<_>>(), [(0, 1.0)]);
        assert_eq!(data.degrees(), [1, 0, 1]);
        assert_eq!(data.labels().unwrap().of(2), [1]);
        let stranger = Graph::new(Nodes::named(["x", "y", "c"]).unwrap());
        let error = Data::new(stranger, &model).unwrap_err();
        assert_eq!(error.to_string(), "the data have 1 of the 3 nodes of the model");
        assert!(Data::new(Graph::new(Nodes::numbered(3)), &model).is_ok());
        assert!(Data::new(Graph::new(Nodes::numbered(4)), &model).is_err());
    }
}
