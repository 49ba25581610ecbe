//! The first reading of a table: who its rows are, and what its columns are.

use std::collections::HashSet;

use gage_core::graph::{ColumnKind, TableColumn, TableEncoding};

use crate::error::{Origin, Place, ReadError};
use crate::note::Note;
use crate::reading::{CellKind, ColumnReading, Examples, Reading, Role, RowKind};
use crate::table::profile::{Profile, cell_kind, codes_warning};
use crate::table::rows::{EXPECTED, Rows};
use crate::table::schema::{TableSchema, Use};
use crate::table::vocabulary::WordCounts;
use crate::text::dialect::is_missing;

/// What the first pass over the rows finds.
pub(crate) struct First {
    pub(crate) profiles: Vec<Profile>,
    pub(crate) counts: Vec<CellCounts>,
    pub(crate) ids: Vec<String>,
    /// the lines on which rows begin
    pub(crate) lines: Vec<u64>,
    pub(crate) labels: Vec<Option<String>>,
}

/// Cells of a column that are empty, or say that nothing is known, and its first values.
#[derive(Clone, Default)]
pub(crate) struct CellCounts {
    cells: usize,
    empty: usize,
    not_available: usize,
    examples: Examples,
}

impl CellCounts {
    fn add(&mut self, cell: &str) {
        self.cells += 1;
        if cell.is_empty() {
            self.empty += 1;
        } else if is_missing(cell) {
            self.not_available += 1;
        } else {
            self.examples.add(cell);
        }
    }

    /// Share of missing cells; in texts `NA` is a word.
    fn missing(&self, is_text: bool) -> Option<f64> {
        let missing = self.empty + if is_text { 0 } else { self.not_available };
        (self.cells > 0).then(|| missing as f64 / self.cells as f64)
    }
}

/// Reads all rows once. Columns are profiled if their encoding is to be learnt.
pub(crate) fn first_pass(
    origin: &Origin,
    rows: &dyn Rows,
    schema: &TableSchema,
    learning: bool,
) -> Result<First, ReadError> {
    let TableSchema { names, uses, .. } = schema;
    let said = |use_: &Use| match use_ {
        Use::Attribute(said) => *said,
        _ => None,
    };
    let profile = |(name, use_): (&String, &Use)| Profile::new(name.clone(), said(use_));
    let profiles = names.iter().zip(uses).map(profile).collect();
    let counts = vec![CellCounts::default(); names.len()];
    let (ids, lines, labels) = (Vec::new(), Vec::new(), Vec::new());
    let mut first = First { profiles, counts, ids, lines, labels };
    rows.for_each(&mut |line, cells| {
        if cells.len() != names.len() {
            let found = format!("{} cells", cells.len());
            let expected = format!("{}, as on the first line", names.len());
            let remedy = "complete the row; put cells that contain the separator in quotes";
            return Err(ReadError::malformed(origin, Place::Line(line), found, expected, remedy));
        }
        for (at, cell) in cells.iter().enumerate() {
            first.counts[at].add(cell);
            match uses[at] {
                Use::Id if cell.is_empty() => {
                    let place = Place::Cell(line, names[at].as_str().into());
                    let remedy = "give the row an id or remove it";
                    let (found, expected) = ("an empty cell", "an id");
                    return Err(ReadError::malformed(origin, place, found, expected, remedy));
                }
                Use::Id => first.ids.push(cell.clone().into_owned()),
                Use::Label => {
                    first.labels.push((!is_missing(cell)).then(|| cell.clone().into_owned()));
                }
                Use::Attribute(_) if learning => first.profiles[at].add(line, cell),
                _ => {}
            }
        }
        first.lines.push(line);
        Ok(())
    })?;
    Ok(first)
}

/// Learns how the columns of a table are encoded.
pub(crate) struct Learner<'a> {
    pub(crate) origin: &'a Origin,
    pub(crate) rows: &'a dyn Rows,
    pub(crate) schema: &'a TableSchema,
}

impl Learner<'_> {
    pub(crate) fn learn(
        &self,
        profiles: Vec<Profile>,
        whys: &mut [Option<String>],
        warnings: &mut Vec<Note>,
    ) -> Result<TableEncoding, ReadError> {
        let (origin, schema) = (self.origin, self.schema);
        let semicolons = schema.separator == Some("semicolon");
        let mut columns = Vec::with_capacity(profiles.len());
        let (mut recount, mut maybe_codes) = (Vec::new(), Vec::new());
        for (at, profile) in profiles.into_iter().enumerate() {
            let name = profile.name.clone();
            if !matches!(schema.uses[at], Use::Attribute(_)) {
                columns.push(TableColumn { name, kind: None });
                continue;
            }
            let decision = profile.decide(origin, semicolons)?;
            if decision.recount {
                recount.push(at);
            }
            let in_file = |note: Note| Note { text: format!("{origin}: {}", note.text), ..note };
            warnings.extend(decision.warning.map(in_file));
            maybe_codes.extend(decision.maybe_codes);
            whys[at] = decision.why;
            columns.push(TableColumn { name, kind: decision.kind });
        }
        warnings.extend(codes_warning(origin, &maybe_codes));
        self.count_words(&recount, &mut columns)?;
        for (column, why) in columns.iter_mut().zip(whys.iter_mut()) {
            if matches!(&column.kind, Some(ColumnKind::Text { words, .. }) if words.is_empty()) {
                column.kind = None;
                *why = Some("no value or word in common between rows".to_owned());
            }
        }
        if columns.iter().all(|column| column.kind.is_none()) {
            let left_out = columns.iter().zip(&*whys);
            let left_out: Vec<String> = left_out
                .filter_map(|(column, why)| Some(format!("`{}`: {}", column.name, why.as_ref()?)))
                .collect();
            let found = format!("no usable column besides the id ({})", left_out.join("; "));
            let remedy = "give at least one column that differs between rows";
            return Err(ReadError::malformed(origin, Place::File, found, EXPECTED, remedy));
        }
        // Names that repeat do not tell columns apart; their order does.
        let mut seen = HashSet::new();
        let header =
            schema.header && columns.iter().all(|column| seen.insert(column.name.as_str()));
        let id = schema.find_use(&Use::Id);
        Ok(TableEncoding { header, id, dense: false, columns })
    }

    /// Counts the words of all cells of columns that turned out to be texts only later.
    fn count_words(&self, at: &[usize], columns: &mut [TableColumn]) -> Result<(), ReadError> {
        if at.is_empty() {
            return Ok(());
        }
        let mut counts: Vec<WordCounts> = at.iter().map(|_| WordCounts::default()).collect();
        self.rows.for_each(&mut |_, cells| {
            for (&column, counts) in at.iter().zip(&mut counts) {
                if let Some(cell) = cells.get(column).filter(|cell| !cell.is_empty()) {
                    counts.add(cell);
                }
            }
            Ok(())
        })?;
        for (&column, counts) in at.iter().zip(counts) {
            let (texts, words) = counts.vocabulary();
            columns[column].kind = Some(ColumnKind::Text { texts, words });
        }
        Ok(())
    }
}

/// What was taken as what.
pub(crate) fn reading<'a>(
    origin: &Origin,
    schema: &TableSchema,
    counts: Vec<CellCounts>,
    whys: Vec<Option<String>>,
    kind_of: &dyn Fn(usize) -> Option<&'a ColumnKind>,
) -> Reading {
    let columns = counts.into_iter().zip(whys).enumerate().map(|(at, (counts, why))| {
        let kind = kind_of(at).map(cell_kind);
        let (role, kind, why) = match (&schema.uses[at], kind) {
            (Use::Id, _) => (Role::Id, None, None),
            (Use::Label, _) => (Role::Label, None, None),
            (Use::Ignored(why), _) => {
                (Role::Ignored, Some(CellKind::Ignored), Some((*why).to_owned()))
            }
            (Use::Attribute(_), None) => (Role::Ignored, Some(CellKind::Ignored), why),
            (Use::Attribute(_), kind) => (Role::Attribute, kind, why),
        };
        let missing = counts.missing(kind == Some(CellKind::Words));
        let name = schema.names[at].clone();
        ColumnReading { name, role, kind, examples: counts.examples.finish(), missing, why }
    });
    Reading {
        origin: origin.to_string(),
        rows: RowKind::Attributes,
        header: schema.header,
        separator: schema.separator,
        columns: columns.collect(),
    }
}
