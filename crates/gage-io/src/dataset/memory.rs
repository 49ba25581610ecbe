//! Data sets from memory: matrices, frames and lists of links, combined by the rules of files.
//!
//! Errors name the argument of the caller (`links`, `attributes`) where those of readers name a
//! file.

use std::borrow::Cow;
use std::collections::HashMap;

use gage_core::graph::{Matrix, Nodes, TableEncoding};
use gage_linalg::DenseMatrix;

use crate::contents::{AttributeTable, EdgeSemantics, LinkTable, repeated};
use crate::dataset::graph_of_parts::graph_of_parts;
use crate::dataset::parts::{Part, Parts};
use crate::dataset::spec::{Dataset, DatasetSpec};
use crate::error::{Origin, Place, ReadError};
use crate::labels::LabelTable;
use crate::node_ids::duplicate_id;
use crate::sparse_builder::{from_entries, from_keys, key, sparse_error, sparse_if_smaller};
use crate::table::encode::{EachRow, Rows, read_rows};
use crate::table::options::{IdColumn, TableOptions};
use crate::table::schema::TableSchema;

/// The parts of a data set, by name.
#[derive(Clone, Debug, Default)]
pub struct DatasetParts {
    /// The nodes in their order, if somebody says who they are.
    pub nodes: Option<Nodes>,
    /// Relations.
    pub links: Vec<(String, LinkTable)>,
    /// Tables.
    pub attributes: Vec<(String, AttributeTable)>,
    /// Classes.
    pub labels: Option<LabelTable>,
}

/// Puts parts together as [`load`](super::load) does with files; of `options` only what is said
/// about directions and rows of zeros counts.
pub fn assemble(pieces: DatasetParts, options: &DatasetSpec) -> Result<Dataset, ReadError> {
    fn part<T>(name: String, value: T) -> Part<T> {
        Part { origin: Origin::Memory(name.clone()), name, value }
    }
    let parts = Parts {
        nodes: pieces.nodes.map(|value| part("nodes".to_owned(), value)),
        links: pieces.links.into_iter().map(|(name, value)| part(name, value)).collect(),
        attributes: pieces.attributes.into_iter().map(|(name, value)| part(name, value)).collect(),
        labels: pieces.labels.map(|value| part("labels".to_owned(), value)),
        ..Parts::default()
    };
    graph_of_parts(parts, options)
}

/// A dense matrix in the smaller of the two forms, as those of files are kept; infinities are
/// refused.
pub fn dense_or_sparse(name: &str, dense: DenseMatrix) -> Result<Matrix, ReadError> {
    sparse_if_smaller(memory(name), dense)
}

fn memory(name: &str) -> Origin {
    Origin::Memory(name.to_owned())
}

/// Cells of one column.
#[derive(Clone, Debug)]
pub enum Column {
    /// Numbers; NaN is a missing cell.
    Numbers(Vec<f64>),
    /// Texts.
    Texts(Vec<Option<String>>),
}

impl Column {
    fn len(&self) -> usize {
        match self {
            Column::Numbers(cells) => cells.len(),
            Column::Texts(cells) => cells.len(),
        }
    }

    fn cell(&self, row: usize) -> Cow<'_, str> {
        match self {
            Column::Numbers(cells) if cells[row].is_nan() => Cow::Borrowed(""),
            Column::Numbers(cells) => Cow::Owned(cells[row].to_string()),
            Column::Texts(cells) => Cow::Borrowed(cells[row].as_deref().unwrap_or("")),
        }
    }
}

/// A table with named columns.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Name and cells of each column.
    pub columns: Vec<(String, Column)>,
}

impl Rows for Frame {
    fn for_each(&self, each: &mut EachRow<'_>) -> Result<(), ReadError> {
        let rows = self.columns.first().map_or(0, |column| column.1.len());
        let mut cells = Vec::with_capacity(self.columns.len());
        for row in 0..rows {
            cells.clear();
            cells.extend(self.columns.iter().map(|column| column.1.cell(row)));
            each(row as u64, &cells)?;
        }
        Ok(())
    }
}

/// Turns a table into numbers by the rules of text tables: numbers are standardised, categories
/// become one column per value, texts one per word, empty cells are missing. With `like` it is
/// encoded as a fitted table was.
pub fn encode_frame(
    name: &str,
    frame: &Frame,
    ids: &IdColumn,
    like: Option<&TableEncoding>,
) -> Result<AttributeTable, ReadError> {
    let origin = &memory(name);
    let rows = frame.columns.first().map_or(0, |column| column.1.len());
    if let Some((column, cells)) = frame.columns.iter().find(|column| column.1.len() != rows) {
        let place = Place::entry(format!("column `{column}`"));
        let (found, expected) = (format!("{} cells", cells.len()), format!("{rows}"));
        let remedy = "give every column one cell per row";
        return Err(ReadError::malformed(origin, place, found, expected, remedy));
    }
    if rows == 0 {
        return Err(ReadError::empty(origin, "rows and columns"));
    }
    let names = frame.columns.iter().map(|column| column.0.clone()).collect();
    let options = TableOptions { ids: Some(ids), like };
    let schema = TableSchema::find(origin, names, true, false, &options)?;
    read_rows(origin, frame, schema, like)
}

/// Ids of one end of many links.
#[derive(Clone, Debug)]
pub enum IdList {
    /// Numbers.
    Numbers(Vec<i64>),
    /// Names.
    Names(Vec<String>),
}

impl IdList {
    fn len(&self) -> usize {
        match self {
            IdList::Numbers(ids) => ids.len(),
            IdList::Names(ids) => ids.len(),
        }
    }

    fn id(&self, at: usize) -> Cow<'_, str> {
        match self {
            IdList::Numbers(ids) => Cow::Owned(ids[at].to_string()),
            IdList::Names(ids) => Cow::Borrowed(&ids[at]),
        }
    }
}

/// Links, one by one.
#[derive(Clone, Debug)]
pub struct Pairs {
    /// Where each begins.
    pub sources: IdList,
    /// Where each ends.
    pub targets: IdList,
    /// Weight of each; 1 if nothing is said.
    pub weights: Option<Vec<f64>>,
}

/// Makes a relation of links: ids in order of first appearance, repeated links summed, as for a
/// file of edges.
pub fn links_of_pairs(name: &str, pairs: &Pairs) -> Result<LinkTable, ReadError> {
    let origin = &memory(name);
    let count = pairs.sources.len();
    let lengths = [pairs.targets.len(), pairs.weights.as_ref().map_or(count, Vec::len)];
    if let Some(other) = lengths.into_iter().find(|&length| length != count) {
        let found = format!("{count} sources, but {other} targets or weights");
        let remedy = "give one source, one target and perhaps one weight for each link";
        return Err(ReadError::malformed(origin, Place::File, found, "as many of each", remedy));
    }
    if count == 0 {
        let expected = "at least one link";
        return Err(ReadError::empty(origin, expected));
    }
    let mut order = Order::default();
    let (mut keys, mut entries) = (Vec::new(), Vec::new());
    for at in 0..count {
        let mut ends = [0u32; 2];
        for (end, list) in ends.iter_mut().zip([&pairs.sources, &pairs.targets]) {
            let id = list.id(at);
            *end = order.position(&id).ok_or_else(|| {
                let place = Place::entry(format!("link {at}"));
                let remedy = "fill in the id or leave the link out";
                ReadError::malformed(origin, place, "an empty id", "two ids", remedy)
            })?;
        }
        let key = key(ends[0], ends[1]);
        match pairs.weights.as_ref().map(|weights| weights[at]) {
            None => keys.push(key),
            Some(weight) if weight.is_finite() => entries.push((key, weight)),
            Some(weight) => {
                let place = Place::entry(format!("link {at}"));
                let remedy = "replace the weight by a number, or leave the link out";
                return Err(ReadError::not_finite(origin, place, weight, remedy));
            }
        }
    }
    let nodes = order.ids.len();
    let built = match pairs.weights {
        None => from_keys(nodes, nodes, keys),
        Some(_) => from_entries(nodes, nodes, entries),
    };
    let (links, repeats) = built.map_err(|error| sparse_error(origin, Place::File, error))?;
    let ids = Nodes::named(&order.ids).map_err(|e| duplicate_id(origin, e, Place::Line, 0))?;
    let warnings = repeated(origin, repeats).into_iter().collect();
    Ok(LinkTable { ids: Some(ids), links, semantics: EdgeSemantics::EdgeList, warnings })
}

/// Ids in order of first appearance.
#[derive(Default)]
struct Order {
    ids: Vec<String>,
    positions: HashMap<String, u32>,
}

impl Order {
    fn position(&mut self, id: &str) -> Option<u32> {
        if id.is_empty() {
            return None;
        }
        if let Some(&at) = self.positions.get(id) {
            return Some(at);
        }
        let at = u32::try_from(self.ids.len()).ok()?;
        self.positions.insert(id.to_owned(), at);
        self.ids.push(id.to_owned());
        Some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(weights: Option<Vec<f64>>) -> Pairs {
        let names = |text: &str| IdList::Names(text.split(' ').map(str::to_owned).collect());
        Pairs { sources: names("b a b"), targets: names("a c a"), weights }
    }

    #[test]
    fn links_are_named_in_order_and_summed() {
        let table = links_of_pairs("links", &pairs(None)).unwrap();
        assert_eq!(table.ids.as_ref().unwrap().ids().collect::<Vec<_>>(), ["b", "a", "c"]);
        assert_eq!(table.links.row(0).collect::<Vec<_>>(), [(1, 2.0)]);
        assert_eq!(table.warnings.len(), 1);
        let weighted = links_of_pairs("links", &pairs(Some(vec![0.5, 1.0, 0.25]))).unwrap();
        assert_eq!(weighted.links.row(0).collect::<Vec<_>>(), [(1, 0.75)]);
        let fault = links_of_pairs("links", &pairs(Some(vec![f64::NAN, 1.0, 1.0]))).unwrap_err();
        assert!(fault.to_string().starts_with("links: link 0"), "{fault}");
        assert!(links_of_pairs("links", &pairs(Some(vec![1.0]))).is_err());
    }

    #[test]
    fn frames_and_links_join_by_id() {
        let texts = |text: &str| {
            Column::Texts(text.split(' ').map(|t| (t != "-").then(|| t.to_owned())).collect())
        };
        let frame = Frame {
            columns: vec![
                ("who".to_owned(), texts("c a b")),
                ("size".to_owned(), Column::Numbers(vec![1.0, f64::NAN, 3.0])),
                ("kind".to_owned(), texts("x y x")),
            ],
        };
        let ids = IdColumn::Named("who".to_owned());
        let table = encode_frame("attributes", &frame, &ids, None).unwrap();
        assert_eq!(table.columns.as_deref().unwrap(), ["size", "kind=x", "kind=y"]);
        let pieces = DatasetParts {
            links: vec![("links".to_owned(), links_of_pairs("links", &pairs(None)).unwrap())],
            attributes: vec![("attributes".to_owned(), table)],
            ..DatasetParts::default()
        };
        let dataset = assemble(pieces, &DatasetSpec::default()).unwrap();
        assert_eq!(dataset.graph.nodes().ids().collect::<Vec<_>>(), ["c", "a", "b"]);
        assert_eq!(dataset.graph.blocks().len(), 2);
        let ragged = Frame {
            columns: vec![
                ("a".to_owned(), texts("x y")),
                ("b".to_owned(), Column::Numbers(vec![1.0])),
            ],
        };
        assert!(encode_frame("t", &ragged, &IdColumn::None, None).is_err());
        assert!(encode_frame("t", &Frame::default(), &IdColumn::None, None).is_err());
    }
}
