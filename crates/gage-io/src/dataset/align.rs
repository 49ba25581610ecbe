//! Alignment: rows and links of each file are moved to the positions of their nodes.

use std::borrow::Cow;
use std::collections::BTreeSet;

use gage_core::Hint;
use gage_core::graph::{Block, Labels, Matrix, NamesBuilder, Nodes};
use gage_linalg::SparseMatrix;

use crate::contents::{AttributeTable, EdgeSemantics, LinkTable};
use crate::dataset::join_rule::Align;
use crate::dataset::parts::{Part, Parts};
use crate::dataset::reindex::{
    Alignment, align_by_number, align_ids, mask, number_range, position, reindex_links,
    reindex_rows,
};
use crate::dataset::spec::{DatasetSpec, Directed, ZeroRows};
use crate::error::{Origin, Place, ReadError};
use crate::labels::LabelTable;
use crate::note::Note;
use crate::sparse_builder::without_zeros;
use crate::symmetrize::symmetrize;

/// Aligns parts with the nodes of a data set, and collects notes on decisions.
pub(crate) struct Aligner {
    pub(crate) nodes: Nodes,
    /// where the nodes are from, for messages
    origin: Origin,
    zero_rows: ZeroRows,
    directed: Directed,
    align: Align,
    info: Vec<Note>,
    warnings: Vec<Note>,
}

impl Aligner {
    pub(crate) fn new(nodes: Nodes, spec: &DatasetSpec, parts: &mut Parts) -> Aligner {
        let named = parts.nodes.iter().map(|part| &part.origin);
        let tables = parts.attributes.iter().map(|part| &part.origin);
        let origin = named.chain(tables).chain(parts.links.iter().map(|part| &part.origin)).next();
        Aligner {
            nodes,
            origin: origin.cloned().unwrap_or_else(|| Origin::Memory("nodes".to_owned())),
            zero_rows: spec.zero_rows,
            directed: spec.directed,
            align: spec.join.align,
            info: notes(&mut parts.info),
            warnings: notes(&mut parts.warnings),
        }
    }

    pub(crate) fn warn(&mut self, text: String) {
        self.warnings.push(text.into());
    }

    /// The notes, each once: several relations of one file give the same.
    pub(crate) fn finish(self) -> (Vec<Note>, Vec<Note>) {
        let once = |notes: Vec<Note>| {
            notes.into_iter().fold(Vec::new(), |mut kept: Vec<Note>, note| {
                if !kept.contains(&note) {
                    kept.push(note);
                }
                kept
            })
        };
        (once(self.info), once(self.warnings))
    }

    /// Positions of the ids of a file, or why they have none.
    fn positions(&mut self, origin: &Origin, ids: &Nodes) -> Result<Vec<u32>, ReadError> {
        let count = self.nodes.len();
        let (id, unknown) = match align_ids(ids, &self.nodes) {
            Alignment::All(positions) => return Ok(positions),
            Alignment::Unknown { id, count } => (id, count),
        };
        if number_range(ids).is_some() {
            if self.nodes.is_named()
                && unknown == ids.len()
                && self.align != Align::Id
                && let Alignment::All(positions) = align_by_number(ids, count)
            {
                let text = format!("{origin}: its ids are read as row numbers, from 0");
                self.info.push(text.into());
                return Ok(positions);
            }
            if let Some(error) = self.counted_from_one(origin, ids) {
                return Err(error);
            }
        }
        let found =
            format!("{unknown} ids of the first that the second does not have, first `{id}`");
        let expected = format!("ids of the {count} nodes of the second");
        let remedy = "check that both files write ids alike; add the nodes, or leave out the rows";
        Err(ReadError::mismatch(origin, &self.origin, found, expected, remedy))
    }

    /// Why ids that count from 1 are no positions of numbered nodes.
    fn counted_from_one(&self, origin: &Origin, ids: &Nodes) -> Option<ReadError> {
        let count = self.nodes.len();
        let (least, most) = number_range(ids)?;
        if least < 1 || most != count as u64 {
            return None;
        }
        let found = format!("ids from {least} to {most}, which count from 1,");
        let found = format!("{found} for {count} nodes numbered from 0 to {}", count - 1);
        let remedy = "subtract 1 from every id in the first file, or add a nodes file";
        let expected = "ids that count from 0";
        Some(ReadError::mismatch(origin, &self.origin, found, expected, remedy))
    }

    /// A block of links at the nodes, with the nodes no link file speaks of marked as missing.
    pub(crate) fn links(&mut self, part: Part<LinkTable>) -> Result<Block, ReadError> {
        let Part { name, origin, value } = part;
        let count = self.nodes.len();
        self.warnings.extend(value.warnings);
        if value.links.rows() != value.links.cols() {
            let found = format!("{} rows and {} columns", value.links.rows(), value.links.cols());
            let remedy = "a graph has one row and one column per node; is this an attribute table?";
            return Err(ReadError::malformed(
                &origin,
                Place::File,
                found,
                "a square matrix",
                remedy,
            ));
        }
        let (links, zeros) = without_zeros(value.links);
        if zeros > 0 {
            let text = format!("{origin}: {zeros} links of weight 0 were left out");
            self.info.push(text.into());
        }
        let (links, observed) = match &value.ids {
            Some(ids) => {
                let positions = self.positions(&origin, ids)?;
                let observed = mask(&positions, count);
                (reindex_links(&origin, links, &positions, count)?, observed)
            }
            None => {
                let missing = self.zero_rows == ZeroRows::Missing;
                let observed = missing.then(|| has_edge(&links)).filter(|o| !o.iter().all(|&o| o));
                (links, observed)
            }
        };
        let (links, directed) = match self.directed {
            Directed::Yes => (links, true),
            Directed::No => (symmetrize(&origin, links)?, false),
            Directed::Auto => {
                let directed = !links.is_symmetric();
                match value.semantics {
                    EdgeSemantics::EdgeList if directed => {
                        self.note_undirected(&origin, &links);
                        (symmetrize(&origin, links)?, false)
                    }
                    _ => (links, directed),
                }
            }
        };
        self.note_missing(&origin, observed.as_deref(), "links");
        let mut block = Block::links(&name, links, directed);
        if let Some(observed) = observed {
            block = block.observing(observed);
        }
        Ok(block)
    }

    /// A block of attributes at the nodes, and the labels the same file holds.
    pub(crate) fn attributes(
        &mut self,
        part: Part<AttributeTable>,
    ) -> Result<(Block, Option<Labels>), ReadError> {
        let Part { name, origin, value } = part;
        let count = self.nodes.len();
        self.warnings.extend(value.warnings);
        let matrix = match value.matrix {
            Matrix::Sparse(sparse) => without_zeros(sparse).0.into(),
            dense => dense,
        };
        let (matrix, mut observed, labels) = match &value.ids {
            Some(ids) => {
                let positions = self.positions(&origin, ids)?;
                let mut observed = mask(&positions, count);
                if let Some(own) = &value.observed {
                    let all = observed.get_or_insert_with(|| vec![true; count]);
                    for (&at, &own) in positions.iter().zip(own) {
                        all[at as usize] &= own;
                    }
                }
                let labels = value.labels.map(|labels| at_positions(&labels, &positions, count));
                (reindex_rows(&origin, matrix, &positions, count)?, observed, labels)
            }
            None => (matrix, value.observed, value.labels),
        };
        if self.zero_rows == ZeroRows::Missing && value.ids.is_none() {
            let known = known_rows(&matrix);
            observed = match observed {
                Some(own) => Some(own.iter().zip(&known).map(|(&a, &b)| a && b).collect()),
                None => Some(known),
            };
        }
        let observed = observed.filter(|observed| !observed.iter().all(|&o| o));
        self.note_missing(&origin, observed.as_deref(), "attributes");
        let mut block = Block::attributes(&name, matrix);
        block.columns = value.columns;
        block.encoding = value.encoding;
        if let Some(observed) = observed {
            block = block.observing(observed);
        }
        Ok((block, labels))
    }

    /// Labels at the nodes, with how many ids the data set does not have, and the first of them.
    pub(crate) fn labels(
        &mut self,
        part: Part<LabelTable>,
    ) -> Result<(Labels, Option<(usize, String)>), ReadError> {
        let Part { origin, value, .. } = part;
        let count = self.nodes.len();
        let Some(ids) = &value.ids else {
            if value.labels.len() == count {
                return Ok((value.labels, None));
            }
            let found = format!("{} labels in the first for {count} nodes", value.labels.len());
            let remedy = "give one label per node in row order, or give `id, label` lines";
            let expected = "one label per node";
            return Err(ReadError::mismatch(&origin, &self.origin, found, expected, remedy));
        };
        let index = self.nodes.index();
        let mut lists = vec![Vec::new(); count];
        let (mut unknown, mut first) = (0, None);
        for (row, id) in ids.iter().enumerate() {
            let at = match self.nodes.is_named() {
                true => index.get(id.as_str()).map(|&at| at as usize),
                false => position(id, count).map(|at| at as usize),
            };
            match at {
                Some(at) => lists[at].extend_from_slice(value.labels.of(row)),
                None => {
                    unknown += 1;
                    first.get_or_insert(id);
                }
            }
        }
        drop(index);
        if first.is_some()
            && !self.nodes.is_named()
            && let Some(error) = self.counted_from_one(&origin, &distinct(ids))
        {
            return Err(error);
        }
        if let Some(first) = first.filter(|_| unknown == ids.len()) {
            let text = format!("{unknown} of {unknown} ids have no node, first `{first}`");
            let expected = "ids of the same nodes";
            let hint = if ids.len() == count { Hint::Align } else { SAME_SPELLING };
            return Err(ReadError::mismatch(&origin, &self.origin, text, expected, hint));
        }
        let labels = Labels::from_lists(value.labels.class_names().to_vec(), lists.into_iter());
        Ok((labels, first.map(|first| (unknown, first.clone()))))
    }

    /// Says that a list was read as undirected: to be believed if it names each link once, to be
    /// looked at if it names some of them both ways.
    fn note_undirected(&mut self, origin: &Origin, links: &SparseMatrix) {
        let (both_ways, pairs) = reciprocal(links);
        let hint = Some(Hint::Direction);
        if both_ways == 0 {
            let text = format!("{origin}: its links are read as undirected");
            self.info.push(Note { text, hint });
            return;
        }
        let text = format!("{origin}: {both_ways} of {pairs} pairs are named both ways, but not");
        let text =
            format!("{text} all with one weight; read as undirected, the larger weight counts");
        self.warnings.push(Note { text, hint });
    }

    fn note_missing(&mut self, origin: &Origin, observed: Option<&[bool]>, what: &str) {
        if let Some(observed) = observed {
            let missing = observed.iter().filter(|&&o| !o).count();
            let total = observed.len();
            let text = format!("{origin}: {what} of {missing} of {total} nodes are missing");
            self.info.push(text.into());
        }
    }
}

/// What to do about ids that no node has.
const SAME_SPELLING: Hint = Hint::Text(Cow::Borrowed("check that both files write ids alike"));

/// Each id once.
fn distinct(ids: &[String]) -> Nodes {
    let mut names = NamesBuilder::default();
    ids.iter().collect::<BTreeSet<_>>().into_iter().for_each(|id| names.push(id));
    names.unique()
}

/// Takes remarks that name no remedy.
fn notes(texts: &mut Vec<String>) -> Vec<Note> {
    std::mem::take(texts).into_iter().map(Note::from).collect()
}

fn at_positions(labels: &Labels, positions: &[u32], count: usize) -> Labels {
    let mut lists = vec![Vec::new(); count];
    for (row, &at) in positions.iter().enumerate() {
        lists[at as usize] = labels.of(row).to_vec();
    }
    Labels::from_lists(labels.class_names().to_vec(), lists.into_iter())
}

/// Pairs of different nodes that are linked in both directions, and in any.
fn reciprocal(links: &SparseMatrix) -> (usize, usize) {
    let back = links.transposed();
    let (mut both, mut arcs) = (0, 0);
    for row in 0..links.rows() {
        let others = |matrix: &SparseMatrix| {
            let columns = matrix.indices()[matrix.row_range(row)].to_vec();
            columns.into_iter().filter(|&col| col as usize != row).collect::<Vec<u32>>()
        };
        let (ahead, behind) = (others(links), others(&back));
        arcs += ahead.len();
        both += ahead.iter().filter(|col| behind.binary_search(col).is_ok()).count();
    }
    (both / 2, arcs - both / 2)
}

/// Nodes with a link in either direction.
fn has_edge(links: &SparseMatrix) -> Vec<bool> {
    let mut has_edge: Vec<bool> = links.indptr().windows(2).map(|w| w[0] < w[1]).collect();
    for &col in links.indices() {
        has_edge[col as usize] = true;
    }
    has_edge
}

/// Rows with an entry other than zero.
fn known_rows(matrix: &Matrix) -> Vec<bool> {
    let row_is_known = |row: usize| match matrix {
        Matrix::Sparse(sparse) => !sparse.row_range(row).is_empty(),
        Matrix::Dense(dense) => {
            (0..dense.cols()).map(|col| dense.get(row, col)).any(|v| v != 0.0 && !v.is_nan())
        }
    };
    (0..matrix.rows()).map(row_is_known).collect()
}
