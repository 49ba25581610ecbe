//! Whether the first line of an edge list names its columns.

use std::collections::HashSet;

use gage_core::Hint;
use gage_linalg::SparseMatrix;

use crate::contents::LinkTable;
use crate::error::{Origin, Place, ReadError};
use crate::table::column_names::{
    RELATION_NAMES, SOURCE_NAMES, TARGET_NAMES, TIME_NAMES, WEIGHT_NAMES, known_name,
};
use crate::text::dialect::{is_missing, is_number, may_name_columns};

/// What the first line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FirstLine {
    Header,
    Link,
    /// A link, unless nothing else names its two ends: then it may well be a header.
    LinkUnlessAlone,
}

/// How many cells are called like columns of an edge list.
pub(crate) fn known_cells(row: &[String]) -> usize {
    let lists: [&[&str]; 5] =
        [&SOURCE_NAMES, &TARGET_NAMES, &WEIGHT_NAMES, &RELATION_NAMES, &TIME_NAMES];
    let known = |cell: &&String| {
        let name = known_name(cell);
        lists.iter().any(|list| list.contains(&name.as_str()))
    };
    row.iter().filter(known).count()
}

/// Tells a header from a link by its cells: by the names that columns have; by a column that is all
/// numbers below it; by names where ids below hold digits.
pub(crate) fn first_line(origin: &Origin, rows: &[Vec<String>]) -> Result<FirstLine, ReadError> {
    let Some((first, rest)) = rows.split_first() else { return Ok(FirstLine::Link) };
    let width = first.len();
    let column = |at: usize| rest.iter().filter_map(move |row| row.get(at));
    let first_ends: HashSet<&String> = first.iter().filter(|cell| !cell.is_empty()).collect();
    let recurs = (0..width.min(3)).any(|at| column(at).any(|cell| first_ends.contains(cell)));
    let known = known_cells(first) >= 2 && !first.iter().any(|cell| is_number(cell));
    if !known && !may_name_columns(first) {
        return Ok(FirstLine::Link);
    }
    if known {
        if !recurs {
            return Ok(FirstLine::Header);
        }
        let found = format!("`{}`, and two readings are plausible: names of", first.join("`, `"));
        let found = format!("{found} columns, or a link between nodes that are named below, too");
        let expected = "a header or a link";
        return Err(ReadError::malformed(origin, Place::Line(1), found, expected, Hint::Header));
    }
    let all_numbers = |at: usize| {
        let mut present = column(at).filter(|cell| !is_missing(cell)).peekable();
        present.peek().is_some() && present.all(|cell| is_number(cell))
    };
    if (0..width).any(all_numbers) {
        return Ok(FirstLine::Header);
    }
    let is_word = |cell: &String| {
        cell.chars().all(|c| c.is_alphabetic() || matches!(c, '_' | ' ' | ':' | '(' | ')'))
    };
    if recurs || rest.is_empty() || !first.iter().all(is_word) {
        return Ok(FirstLine::Link);
    }
    // Names of people have no digits, and neither have names of columns.
    let digits = |at: usize| column(at).all(|cell| cell.bytes().any(|b| b.is_ascii_digit()));
    match (0..width.min(2)).all(digits) {
        true => Ok(FirstLine::Header),
        false => Ok(FirstLine::LinkUnlessAlone),
    }
}

/// Refuses a first link whose two ends nothing else names: it may be a header.
pub(crate) fn refuse_lone_link(
    origin: &Origin,
    first: &[String],
    table: &LinkTable,
) -> Result<(), ReadError> {
    if table.links.rows() < 3 || !is_alone(&table.links) {
        return Ok(());
    }
    let found = format!("`{}`, and two readings are plausible: names of", first.join("`, `"));
    let found = format!("{found} columns, or a link between two nodes that no other line names");
    Err(ReadError::malformed(origin, Place::Line(1), found, "a header or a link", Hint::Header))
}

/// Whether the first two nodes have no link but the one between them.
fn is_alone(links: &SparseMatrix) -> bool {
    let degree = |node: usize| links.row_range(node).len();
    degree(0) + degree(1) == 1
        && links.indices().iter().filter(|&&column| column < 2).count() == 1
        && links.row(0).chain(links.row(1)).all(|(column, _)| column < 2)
}
