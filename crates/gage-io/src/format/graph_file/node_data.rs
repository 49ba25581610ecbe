//! Data of nodes as an attribute table.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use gage_core::graph::Nodes;

use crate::contents::AttributeTable;
use crate::error::{Origin, Place, ReadError, ReadErrorKind};
use crate::note::{Note, first_few};
use crate::table::encode::read_rows;
use crate::table::options::TableOptions;
use crate::table::rows::{EachRow, Rows};
use crate::table::schema::TableSchema;

use super::builder::{At, Cell, GraphFileBuilder};

/// The name of data that a column called like labels turns out to be.
const NAME: &str = "name";

/// The table of the data of all nodes; `None` if there are none.
pub(super) fn node_table(
    file: &mut GraphFileBuilder<'_>,
    ids: &Nodes,
    rows: &[u32],
) -> Result<Option<AttributeTable>, ReadError> {
    names_as_data(file);
    let mut warnings = tidy(file, rows);
    leave_out_ids(file, ids, rows);
    if file.cells.is_empty() {
        file.remarks.append(&mut warnings);
        return Ok(None);
    }
    rename_labels(file);
    let names = std::iter::once("id".to_owned())
        .chain(file.columns.iter().map(|column| column.name.clone()))
        .collect::<Vec<_>>();
    let origin = Origin::from(file.path);
    let options = TableOptions { columns: file.options, like: None };
    let schema = TableSchema::with_ids(&origin, names, &options)?;
    let table = NodeRows::new(file, ids, rows);
    match read_rows(&origin, &table, schema, None) {
        Ok(mut table) => {
            let say = |text: String| Note::from(format!("{origin}: {text}"));
            table.warnings.splice(0..0, warnings.into_iter().map(say));
            Ok(Some(table))
        }
        // Data that say nothing, such as a name for each node, are no attributes.
        Err(error)
            if matches!(error.kind(), ReadErrorKind::Malformed)
                && error.place() == Some(&Place::File) =>
        {
            warnings.push(format!("data of nodes are left out: {}", error.found()));
            file.remarks.append(&mut warnings);
            Ok(None)
        }
        Err(error) => Err(placed(file, error)),
    }
}

/// Names that did not become ids, and are not the ids once more, are data.
fn names_as_data(file: &mut GraphFileBuilder<'_>) {
    let says_more = |&node: &u32| {
        let node = &file.nodes[node as usize];
        node.name.as_deref().is_some_and(|name| name != &*node.id)
    };
    if !file.order.iter().any(says_more) {
        return;
    }
    let column = file.new_column(NAME.to_owned());
    for number in 0..file.nodes.len() as u32 {
        if let Some(name) = file.nodes[number as usize].name.take() {
            file.cell(number, column, &name);
        }
    }
}

/// Sorts the cells by row and leaves out columns with several values for one node; returns what is
/// left out.
fn tidy(file: &mut GraphFileBuilder<'_>, rows: &[u32]) -> Vec<String> {
    file.cells.sort_by_key(|cell| (rows[cell.node as usize], cell.column));
    let same = |pair: &[Cell]| (pair[0].node, pair[0].column) == (pair[1].node, pair[1].column);
    let several: BTreeSet<u32> =
        file.cells.windows(2).filter(|pair| same(pair)).map(|pair| pair[0].column).collect();
    for &column in &several {
        let name = file.columns[column as usize].name.clone();
        file.ignore_node_data(&name);
    }
    drop_columns(file, |column| several.contains(&column));
    let ignored: Vec<&str> = file.ignored_of_nodes.keys().map(String::as_str).collect();
    let text = "data of nodes that are lists or objects are left out";
    let say = || format!("{text}: {}", first_few(&ignored));
    if ignored.is_empty() { Vec::new() } else { vec![say()] }
}

/// Leaves out columns and renumbers the others.
fn drop_columns(file: &mut GraphFileBuilder<'_>, out: impl Fn(u32) -> bool) {
    file.cells.retain(|cell| !out(cell.column));
    let mut next = 0;
    let number = |column: u32| {
        let own = next;
        next += u32::from(!out(column));
        own
    };
    let numbers: Vec<u32> = (0..file.columns.len() as u32).map(number).collect();
    file.cells.iter_mut().for_each(|cell| cell.column = numbers[cell.column as usize]);
    let mut at = 0..;
    file.columns.retain(|_| at.next().is_none_or(|column| !out(column)));
}

/// Leaves out columns that are the ids once more.
fn leave_out_ids(file: &mut GraphFileBuilder<'_>, ids: &Nodes, rows: &[u32]) {
    let ids: Vec<Cow<'_, str>> = ids.borrowed_ids().collect();
    let mut same = vec![0; file.columns.len()];
    for cell in &file.cells {
        same[cell.column as usize] +=
            usize::from(ids[rows[cell.node as usize] as usize] == *cell.text);
    }
    let is_ids = |column: u32| same[column as usize] == ids.len();
    let names: Vec<&str> = (0..file.columns.len() as u32)
        .filter(|&column| is_ids(column))
        .map(|column| file.columns[column as usize].name.as_str())
        .collect();
    if !names.is_empty() {
        let text = format!("data of nodes that repeat the ids are left out: {}", first_few(&names));
        file.remarks.push(text);
        drop_columns(file, is_ids);
    }
}

/// A column `label` with another value for every node has names, not classes.
fn rename_labels(file: &mut GraphFileBuilder<'_>) {
    let is_label = |name: &str| name.eq_ignore_ascii_case("label");
    let Some(at) = file.columns.iter().position(|column| is_label(&column.name)) else { return };
    let labels = file.cells.iter().filter(|cell| cell.column as usize == at);
    let distinct: HashSet<&str> = labels.map(|cell| &*cell.text).collect();
    if distinct.len() == file.order.len() && distinct.len() > 1 {
        file.columns[at].name = NAME.to_owned();
    }
}

/// The same error at the place of the node, for formats without lines.
fn placed(file: &GraphFileBuilder<'_>, error: ReadError) -> ReadError {
    let node = |number: &u64| file.place(At::Node(*number)).to_string();
    let place = match error.place() {
        _ if file.has_lines() => None,
        Some(Place::Line(number)) => Some(node(number)),
        Some(Place::Cell(number, column)) => Some(format!("{}, `{column}`", node(number))),
        _ => None,
    };
    match place {
        Some(place) => error.at(Place::entry(place)),
        None => error,
    }
}

/// The rows of the table: an id, and the values of a node or the defaults of their columns.
struct NodeRows<'a> {
    ids: &'a Nodes,
    lines: Vec<u64>,
    defaults: Vec<&'a str>,
    cells: &'a [Cell],
    /// the cells of every row
    spans: Vec<Range<usize>>,
}

impl<'a> NodeRows<'a> {
    fn new(file: &'a GraphFileBuilder<'_>, ids: &'a Nodes, rows: &[u32]) -> NodeRows<'a> {
        let mut at = 0;
        let span = |row: u32| {
            let own = |cell: &&Cell| rows[cell.node as usize] == row;
            let start = at;
            at += file.cells[start..].iter().take_while(own).count();
            start..at
        };
        let spans = (0..file.order.len() as u32).map(span).collect();
        let line = |&node: &u32| file.nodes[node as usize].declared.unwrap_or(0);
        let default = |column: usize| file.columns[column].default.as_deref().unwrap_or("");
        NodeRows {
            ids,
            lines: file.order.iter().map(line).collect(),
            defaults: (0..file.columns.len()).map(default).collect(),
            cells: &file.cells,
            spans,
        }
    }
}

impl Rows for NodeRows<'_> {
    fn for_each(&self, each: &mut EachRow<'_>) -> Result<(), ReadError> {
        let mut row: Vec<Cow<'_, str>> = Vec::new();
        for ((id, span), &line) in self.ids.borrowed_ids().zip(&self.spans).zip(&self.lines) {
            row.clear();
            row.push(id);
            row.extend(self.defaults.iter().map(|&default| Cow::Borrowed(default)));
            for cell in &self.cells[span.clone()] {
                row[cell.column as usize + 1] = Cow::Borrowed(&cell.text);
            }
            each(line, &row)?;
        }
        Ok(())
    }
}
