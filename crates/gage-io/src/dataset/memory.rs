//! Data sets from memory: matrices, frames and lists of links, combined by the rules of files.
//!
//! Errors name the argument of the caller (`links`, `attributes`) where those of readers name a
//! file.

use std::borrow::Cow;

use gage_core::Hint;
use gage_core::graph::{Matrix, Nodes, TableEncoding};
use gage_linalg::DenseMatrix;

use crate::contents::{AttributeTable, LinkTable};
use crate::dataset::graph_of_parts::graph_of_parts;
use crate::dataset::parts::{Part, Parts};
use crate::dataset::spec::{Dataset, DatasetSpec};
use crate::error::{Origin, Place, ReadError, excerpt};
use crate::format::edge_list::roles::{EdgeRoles, EdgeTable};
use crate::format::edge_list::rows::EdgeRows;
use crate::labels::LabelTable;
use crate::note::Note;
use crate::reading::{ColumnOptions, Reading};
use crate::sparse_builder::sparse_if_smaller;
use crate::table::cells::days_of_time;
use crate::table::encode::read_rows;
use crate::table::options::TableOptions;
use crate::table::rows::{EachRow, Rows};
use crate::table::schema::{Header, TableSchema};

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
    columns: &ColumnOptions,
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
    let options = TableOptions { columns, like };
    let schema = TableSchema::find(origin, Header::named(names, false), &options)?;
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
    /// The relation each belongs to.
    pub relations: Option<Vec<String>>,
    /// When each was, and after how many days a link weighs half as much.
    pub times: Option<(Vec<String>, f64)>,
}

impl Pairs {
    /// Links between such ends.
    pub fn new(sources: IdList, targets: IdList, weights: Option<Vec<f64>>) -> Pairs {
        Pairs { sources, targets, weights, relations: None, times: None }
    }
}

/// Makes a relation of links: ids in order of first appearance, repeated links summed, as for a
/// file of edges.
pub fn links_of_pairs(name: &str, pairs: &Pairs) -> Result<LinkTable, ReadError> {
    let origin = &memory(name);
    let count = pairs.sources.len();
    let lengths = [
        pairs.targets.len(),
        pairs.weights.as_ref().map_or(count, Vec::len),
        pairs.relations.as_ref().map_or(count, Vec::len),
        pairs.times.as_ref().map_or(count, |times| times.0.len()),
    ];
    if let Some(other) = lengths.into_iter().find(|&length| length != count) {
        let found = format!("{count} sources, but {other} targets or weights");
        let remedy = "give one source, one target and perhaps one weight for each link";
        return Err(ReadError::malformed(origin, Place::File, found, "as many of each", remedy));
    }
    if count == 0 {
        let expected = "at least one link";
        return Err(ReadError::empty(origin, expected));
    }
    let mut links = EdgeRows::new(pairs.times.as_ref().map(|times| times.1));
    for at in 0..count {
        let place = || Place::entry(format!("link {at}"));
        let ends = [pairs.sources.id(at), pairs.targets.id(at)];
        if ends.iter().any(|id| id.is_empty()) {
            let remedy = "fill in the id or leave the link out";
            return Err(ReadError::malformed(origin, place(), "an empty id", "two ids", remedy));
        }
        let weight = pairs.weights.as_ref().map(|weights| weights[at]);
        if let Some(weight) = weight.filter(|weight| !weight.is_finite()) {
            let remedy = "replace the weight by a number, or leave the link out";
            return Err(ReadError::not_finite(origin, place(), weight, remedy));
        }
        let time = pairs.times.as_ref().map(|(times, _)| {
            days_of_time(&times[at]).ok_or_else(|| {
                let found = excerpt(times[at].as_bytes());
                ReadError::malformed(origin, place(), found, "a time", "give dates or seconds")
            })
        });
        let relation = pairs.relations.as_ref().map(|relations| relations[at].as_str());
        links.push([&ends[0], &ends[1]], weight.map(Some), relation, time.transpose()?);
    }
    links.finish(origin)
}

/// What the columns of a frame of links are there for.
#[derive(Clone, Debug)]
pub struct EdgeFrame {
    /// Where links begin.
    pub source: usize,
    /// Where they end.
    pub target: usize,
    /// Their weights.
    pub weight: Option<usize>,
    /// The relation each belongs to.
    pub relation: Option<usize>,
    /// When each was.
    pub time: Option<usize>,
    /// Whether a column says that all of them have a direction.
    pub arcs: bool,
    /// What was taken as what.
    pub reading: Reading,
    /// What deserves a second look.
    pub warnings: Vec<Note>,
}

/// Tells the columns of a frame of links by the rules of edge lists; `rows` are the first rows of
/// the frame, as texts.
pub fn edge_frame(
    name: &str,
    columns: &[String],
    rows: &[Vec<String>],
    options: &ColumnOptions,
) -> Result<EdgeFrame, ReadError> {
    let origin = &memory(name);
    if columns.len() < 2 {
        let found = format!("{} columns", columns.len());
        let expected = "columns `source` and `target`";
        return Err(ReadError::malformed(origin, Place::File, found, expected, Hint::LinkEnds));
    }
    let table = EdgeTable { origin, names: columns, header: true, rows };
    let roles = table.roles(options)?;
    let reading = roles.reading(&table, None, options.half_life);
    let EdgeRoles { source, target, weight, relation, time, arcs, warnings, .. } = roles;
    Ok(EdgeFrame { source, target, weight, relation, time, arcs, reading, warnings })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::IdColumn;

    fn pairs(weights: Option<Vec<f64>>) -> Pairs {
        let names = |text: &str| IdList::Names(text.split(' ').map(str::to_owned).collect());
        Pairs::new(names("b a b"), names("a c a"), weights)
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
        let ids = ColumnOptions::with_ids(IdColumn::Named("who".to_owned()));
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
        let no_ids = ColumnOptions::with_ids(IdColumn::None);
        assert!(encode_frame("t", &ragged, &no_ids, None).is_err());
        assert!(encode_frame("t", &Frame::default(), &no_ids, None).is_err());
    }
}
