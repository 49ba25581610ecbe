//! Edge lists: text files with a link a line, read in parallel.

use std::path::Path;

use gage_core::graph::{NamesBuilder, Nodes};

use crate::contents::{EdgeSemantics, LinkTable, repeated};
use crate::error::{Origin, Place, ReadError, excerpt};
use crate::format::edge_list::blocks::{for_each_block, parse_block};
use crate::format::edge_list::header::{FirstLine, first_line, refuse_lone_link};
use crate::format::edge_list::intern::Interner;
use crate::format::edge_list::parse::{
    Chunk, EdgeColumns, IdMode, LineError, LineErrorKind, small_number,
};
use crate::format::edge_list::relations::{decay, split};
use crate::format::edge_list::roles::EdgeTable;
use crate::format::edge_list::shard::IdError;
use crate::note::Note;
use crate::reading::{ColumnOptions, separator_name};
use crate::sparse_builder::{from_entries, from_keys, sparse_error};
use crate::symmetrize::symmetrize;
use crate::table::column_names::{ID_NAMES, SOURCE_NAMES, TARGET_NAMES, known_name};
use crate::text::dialect::{Sample, Separator, is_number, sample};
use crate::text::lines::not_utf8;

const EXPECTED: &str = "an edge list: source, target and perhaps a weight on each line";
/// Numbers up to this many times the number of links are looked up in a table, not by hashing.
const TABLE_PER_LINK: usize = 16;

/// Reads an edge list (`.csv`, `.tsv`, `.txt`, perhaps `.gz` or `.zst`): a source, a target and
/// perhaps a weight on each line. The separator and a header are recognised; `#` and `%` begin
/// comments; repeated links are summed. With `directed` false each link also holds in the other
/// direction.
///
/// Ids are in order of first appearance. Without a header, a third column of numbers is the weight;
/// with one, a column called `weight`, `w`, `value`, `count` or `strength` is. Plain files are
/// mapped into memory and parsed in parallel; they must not change meanwhile. Cost O(m log m) for m
/// lines, within about twice the memory of the result.
pub fn read_edge_list(path: impl AsRef<Path>, directed: bool) -> Result<LinkTable, ReadError> {
    let path = path.as_ref();
    let mut table = read_edges(path, &ColumnOptions::default())?;
    if !directed {
        table.links = symmetrize(path, table.links)?;
        table.semantics = EdgeSemantics::Matrix;
    }
    Ok(table)
}

/// Reads an edge list, with what is said about its columns.
pub(crate) fn read_edges(path: &Path, options: &ColumnOptions) -> Result<LinkTable, ReadError> {
    let origin = Origin::from(path);
    let Sample { separator, mut rows } = sample(path, EXPECTED)?;
    let width = rows.first().map_or(0, Vec::len);
    if separator == Separator::None || width < 2 {
        let cell = rows.first().and_then(|row| row.first());
        let cell = cell.map_or_else(String::new, |cell| excerpt(cell.as_bytes()));
        let remedy = "separate source and target by comma, tab, semicolon, bar or blank";
        let found = format!("one column, {cell}");
        return Err(ReadError::malformed(path, Place::Line(1), found, EXPECTED, remedy));
    }
    let first_line = match options.header {
        Some(true) => FirstLine::Header,
        Some(false) => FirstLine::Link,
        None => first_line(&origin, &rows)?,
    };
    let header = first_line == FirstLine::Header;
    let first = rows.first().cloned().unwrap_or_default();
    let names = match header {
        true => rows.remove(0),
        false => (1..=width).map(|column| format!("column {column}")).collect(),
    };
    let table = EdgeTable { origin: &origin, names: &names, header, rows: &rows };
    let roles = table.roles(options)?;
    let columns = EdgeColumns {
        separator,
        source: roles.source,
        target: roles.target,
        weight: roles.weight,
        relation: roles.relation,
        time: roles.time.filter(|_| options.half_life.is_some()),
        // Blanks also stand in front of remarks.
        width: Some(width).filter(|_| separator != Separator::Blanks),
    };
    let ids_are_numbers = rows.iter().all(|row| {
        [columns.source, columns.target]
            .iter()
            .all(|&at| row.get(at).is_some_and(|id| small_number(id.as_bytes()).is_some()))
    });
    let job = Job { path, columns: &columns, header, half_life: options.half_life };
    let mut links = job.read(ids_are_numbers)?;
    if first_line == FirstLine::LinkUnlessAlone {
        refuse_lone_link(&origin, &first, &links)?;
    }
    if roles.arcs {
        links.semantics = EdgeSemantics::Arcs;
    }
    links.reading = Some(roles.reading(&table, separator_name(separator), options.half_life));
    links.warnings.splice(0..0, roles.warnings);
    Ok(links)
}

/// Reads links from known columns; tries the fast way first if ids seem to be numbers.
pub(crate) fn read_columns(
    path: &Path,
    columns: &EdgeColumns,
    header: bool,
    ids_are_numbers: bool,
) -> Result<LinkTable, ReadError> {
    Job { path, columns, header, half_life: None }.read(ids_are_numbers)
}

/// Whether a text table looks like an edge list: two columns, or three of which the last is a
/// number and none is called like an id.
pub(crate) fn looks_like_edges(path: &Path) -> Result<bool, ReadError> {
    let sampled = sample(path, EXPECTED)?;
    let known: Vec<&str> = SOURCE_NAMES.iter().chain(&TARGET_NAMES).copied().collect();
    let named = sampled.rows.first().is_some_and(|row| {
        row.iter().filter(|cell| known.contains(&known_name(cell).as_str())).count() >= 2
    });
    let by_shape = |row: &Vec<String>| match &row[..] {
        [_, _] => true,
        [_, _, third] => is_number(third),
        _ => false,
    };
    // `id,height,width` has rows of the shape `source,target,weight`.
    let has_id = sampled.rows.first().is_some_and(|row| {
        row.len() > 2 && row.iter().any(|cell| ID_NAMES.contains(&known_name(cell).as_str()))
    });
    Ok(named || (!has_id && sampled.rows.iter().skip(1).all(by_shape)))
}

/// Describes an error of a line to the user.
pub(crate) fn line_error(
    path: &Path,
    line: u64,
    text: &[u8],
    error: &LineError,
    columns: &EdgeColumns,
) -> ReadError {
    let place = Place::Line(line);
    let malformed = |expected: &str, remedy: &'static str| {
        ReadError::malformed(path, place.clone(), excerpt(text), expected, remedy)
    };
    match &error.kind {
        LineErrorKind::Cells(_) if columns.weight.is_some() => {
            malformed("source, target and weight", "complete the line, or give no line a weight")
        }
        LineErrorKind::Cells(_) => malformed("source and target", "complete the line or remove it"),
        LineErrorKind::MoreCells(width) => {
            let expected = format!("at most {width} cells, as on the first line");
            malformed(&expected, "put names that contain the separator in quotes")
        }
        LineErrorKind::EmptyId => {
            malformed("two ids that are not empty", "fill in the id or remove the line")
        }
        LineErrorKind::Quote => {
            malformed("a closing quote", "close the quote; ids may not span lines")
        }
        LineErrorKind::Weight(found) => {
            let found = excerpt(found.as_bytes());
            let remedy = "write the weight as a decimal number";
            ReadError::malformed(path, place, found, "a number as weight", remedy)
        }
        LineErrorKind::Time(found) => {
            let expected = "a time: a date such as 2024-12-31, a year, or seconds since 1970";
            let remedy = "write the time that way, or give no half-life";
            ReadError::malformed(path, place, excerpt(found.as_bytes()), expected, remedy)
        }
        LineErrorKind::NotFinite(value) => {
            let remedy = "replace the weight by a number, or remove the line";
            ReadError::not_finite(path, place, value, remedy)
        }
        LineErrorKind::Id(IdError::TooMany) => {
            let remedy = "split the graph";
            ReadError::too_large(path, place, "more distinct ids", "at most 2^32", remedy)
        }
        LineErrorKind::Id(IdError::NotUtf8) | LineErrorKind::NotANumber => {
            not_utf8(path, line, text)
        }
    }
}

/// Links and what was noticed on the way.
#[derive(Default)]
struct Collected {
    chunks: Vec<Chunk>,
    /// line of the first link without a weight
    unweighted_line: Option<u64>,
}

/// A file and its columns.
struct Job<'a> {
    path: &'a Path,
    columns: &'a EdgeColumns,
    header: bool,
    half_life: Option<f64>,
}

impl Job<'_> {
    fn read(&self, ids_are_numbers: bool) -> Result<LinkTable, ReadError> {
        if ids_are_numbers && let Some(table) = self.read_numbers()? {
            return Ok(table);
        }
        self.read_names()
    }

    /// Reads all chunks; `None` when ids turn out not to be numbers after all.
    fn collect(&self, ids: &IdMode<'_>) -> Result<Option<Collected>, ReadError> {
        let Job { path, columns, header, .. } = *self;
        let mut all = Collected::default();
        let mut numbers = true;
        for_each_block(path, header, EXPECTED, |block| {
            match parse_block(&block, columns, ids) {
                Ok(chunks) => {
                    let first = chunks.iter().find_map(|chunk| chunk.first_unweighted);
                    if let Some(offset) = first.filter(|_| all.unweighted_line.is_none()) {
                        all.unweighted_line = Some(block.line_of(offset));
                    }
                    all.chunks.extend(chunks);
                }
                Err(error) if error.kind == LineErrorKind::NotANumber => {
                    numbers = false;
                    return Ok(false);
                }
                Err(error) => {
                    let (line, text) = block.line_at(error.offset);
                    return Err(line_error(path, line, text, &error, columns));
                }
            }
            Ok(true)
        })?;
        Ok(numbers.then_some(all))
    }

    fn read_numbers(&self) -> Result<Option<LinkTable>, ReadError> {
        let Some(all) = self.collect(&IdMode::Numbers)? else { return Ok(None) };
        let links: usize = all.chunks.iter().map(|p| p.keys.len() + p.entries.len()).sum();
        let top = all.chunks.iter().map(|chunk| chunk.top).max().unwrap_or(0) as usize;
        if top > links.saturating_mul(TABLE_PER_LINK).saturating_add(1 << 20) {
            return Ok(None);
        }
        const NEW: u32 = u32::MAX;
        let mut positions = vec![NEW; top + 1];
        let mut order: Vec<u32> = Vec::new();
        let mut position = |id: u32| {
            let slot = &mut positions[id as usize];
            if *slot == NEW {
                *slot = order.len() as u32;
                order.push(id);
            }
            *slot
        };
        let merged = merge(all.chunks, |source, target| {
            let source = position(source);
            (source, position(target))
        });
        drop(positions);
        let mut ids = NamesBuilder::default();
        order.iter().for_each(|id| ids.push_number(*id));
        self.finish(ids.unique(), merged, all.unweighted_line).map(Some)
    }

    fn read_names(&self) -> Result<LinkTable, ReadError> {
        let interner = Interner::new();
        let all = self.collect(&IdMode::Names(&interner))?.unwrap_or_default();
        let (ids, renumbering) = interner.finish();
        let merged = merge(all.chunks, |source, target| {
            (renumbering.apply(source), renumbering.apply(target))
        });
        drop(renumbering);
        let nodes = ids.nodes();
        drop(ids);
        self.finish(nodes, merged, all.unweighted_line)
    }

    fn finish(
        &self,
        ids: Nodes,
        mut all: Chunk,
        unweighted_line: Option<u64>,
    ) -> Result<LinkTable, ReadError> {
        let (path, count) = (self.path, ids.len());
        if let Some(days) = self.half_life {
            decay(&mut all, days);
        }
        let wrong = |error| sparse_error(path, Place::File, error);
        let relations = split(&Origin::from(path), count, &all)?;
        let built = if all.entries.is_empty() {
            from_keys(count, count, all.keys)
        } else {
            from_entries(count, count, all.entries)
        };
        let (links, repeats) = built.map_err(wrong)?;
        if count == 0 {
            return Err(ReadError::empty(path, EXPECTED));
        }
        // One pair may well stand once for each relation.
        let repeats = if relations.is_empty() { repeats } else { 0 };
        let mut warnings: Vec<Note> = repeated(path, repeats).into_iter().collect();
        if all.comments > 0 {
            let text = "lines after the first link begin with # or % and were taken for comments";
            warnings.push(format!("{}: {} {text}", path.display(), all.comments).into());
        }
        if let Some(line) = unweighted_line {
            let text = format!("{} links have no weight and count as 1", all.unweighted);
            warnings.push(format!("{}: {text}; the first on line {line}", path.display()).into());
        }
        let table = LinkTable::new(Some(ids), links, EdgeSemantics::EdgeList);
        Ok(LinkTable { relations, warnings, ..table })
    }
}

/// All links with their final numbers. Chunks are given back one by one, so that they and the whole
/// never coexist.
fn merge(chunks: Vec<Chunk>, mut number: impl FnMut(u32, u32) -> (u32, u32)) -> Chunk {
    let mut renumber = |key: u64| {
        let (source, target) = number((key >> 32) as u32, key as u32);
        crate::sparse_builder::key(source, target)
    };
    let mut merged = Chunk::default();
    merged.keys.reserve_exact(chunks.iter().map(|chunk| chunk.keys.len()).sum());
    merged.entries.reserve_exact(chunks.iter().map(|chunk| chunk.entries.len()).sum());
    for chunk in chunks {
        merged.keys.extend(chunk.keys.into_iter().map(&mut renumber));
        merged.entries.extend(chunk.entries.into_iter().map(|(key, value)| (renumber(key), value)));
        merged.relations.append(chunk.relations);
        merged.times.extend(chunk.times);
        merged.comments += chunk.comments;
        merged.unweighted += chunk.unweighted;
    }
    merged
}
