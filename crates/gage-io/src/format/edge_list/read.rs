//! Edge lists: text files with a link a line, read in parallel.

use std::path::Path;

use gage_core::graph::{NamesBuilder, Nodes};

use crate::contents::{EdgeSemantics, LinkTable, repeated};
use crate::error::{Place, ReadError, excerpt};
use crate::format::edge_list::blocks::{for_each_block, parse_block};
use crate::format::edge_list::intern::Interner;
use crate::format::edge_list::parse::{
    Chunk, EdgeColumns, IdMode, LineError, LineErrorKind, small_number,
};
use crate::format::edge_list::shard::IdError;
use crate::sparse_builder::{from_entries, from_keys, sparse_error};
use crate::symmetrize::symmetrize;
use crate::table::column_names::{SOURCE_NAMES, TARGET_NAMES, WEIGHT_NAMES};
use crate::text::dialect::{Sample, Separator, is_number, names_columns, sample};
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
    let sampled = sample(path, EXPECTED)?;
    let (columns, header, mut warnings) = columns(path, &sampled)?;
    let ids_are_numbers = sampled.rows.iter().skip(usize::from(header)).all(|row| {
        [columns.source, columns.target]
            .iter()
            .all(|&at| row.get(at).is_some_and(|id| small_number(id.as_bytes()).is_some()))
    });
    let by_number = if ids_are_numbers { read_numbers(path, &columns, header)? } else { None };
    let mut table = match by_number {
        Some(table) => table,
        None => read_names(path, &columns, header)?,
    };
    if !directed {
        table.links = symmetrize(path, table.links)?;
        table.semantics = EdgeSemantics::Matrix;
    }
    warnings.append(&mut table.warnings);
    Ok(LinkTable { warnings, ..table })
}

/// Reads links from known columns; tries the fast way first if ids seem to be numbers.
pub(crate) fn read_columns(
    path: &Path,
    columns: &EdgeColumns,
    header: bool,
    ids_are_numbers: bool,
) -> Result<LinkTable, ReadError> {
    if ids_are_numbers && let Some(table) = read_numbers(path, columns, header)? {
        return Ok(table);
    }
    read_names(path, columns, header)
}

/// Whether a text table looks like an edge list: two columns, or three of which the last is a
/// number.
pub(crate) fn looks_like_edges(path: &Path) -> Result<bool, ReadError> {
    let sampled = sample(path, EXPECTED)?;
    let known: Vec<&str> = SOURCE_NAMES.iter().chain(&TARGET_NAMES).copied().collect();
    let named = sampled.rows.first().is_some_and(|row| {
        row.iter().filter(|cell| known.contains(&cell.to_lowercase().as_str())).count() >= 2
    });
    let by_shape = |row: &Vec<String>| match &row[..] {
        [_, _] => true,
        [_, _, third] => is_number(third),
        _ => false,
    };
    Ok(named || sampled.rows.iter().skip(1).all(by_shape))
}

/// Which columns hold source, target and weight, whether there is a header, and which columns are
/// left out.
fn columns(path: &Path, sampled: &Sample) -> Result<(EdgeColumns, bool, Vec<String>), ReadError> {
    let rows = &sampled.rows;
    let first = rows.first().cloned().unwrap_or_default();
    if sampled.separator == Separator::None || first.len() < 2 {
        let found = first.first().map_or_else(String::new, |cell| excerpt(cell.as_bytes()));
        let remedy = "separate source and target by comma, tab, semicolon, bar or blank";
        let found = format!("one column, {found}");
        return Err(ReadError::malformed(path, Place::Line(1), found, EXPECTED, remedy));
    }
    let known: Vec<&str> =
        SOURCE_NAMES.iter().chain(&TARGET_NAMES).chain(&WEIGHT_NAMES).copied().collect();
    let header = names_columns(rows, &known, 2);
    let find = |names: &[&str]| {
        let wanted = |cell: &String| names.contains(&cell.to_lowercase().as_str());
        header.then(|| first.iter().position(wanted)).flatten()
    };
    let source = find(&SOURCE_NAMES);
    let target = find(&TARGET_NAMES);
    let (source, target) = match (source, target) {
        (Some(source), Some(target)) => (source, target),
        _ => (0, 1),
    };
    // A line without its weight is an error further on, not a reason to ignore all weights.
    let thirds: Vec<&String> = rows.iter().filter_map(|row| row.get(2)).collect();
    let third_is_number =
        !header && 2 * thirds.len() > rows.len() && thirds.iter().all(|cell| is_number(cell));
    let weight = find(&WEIGHT_NAMES).filter(|&at| at != source && at != target);
    let weight = weight.or(third_is_number.then_some(2));
    let unused: Vec<String> = (0..first.len())
        .filter(|&at| at != source && at != target && Some(at) != weight)
        .map(|at| if header { format!("`{}`", first[at]) } else { (at + 1).to_string() })
        .collect();
    let mut warnings = Vec::new();
    if !unused.is_empty() {
        let remedy = "call a column `weight` to use it";
        let text = format!("columns left out: {}; {remedy}", unused.join(", "));
        warnings.push(format!("{}: {text}", path.display()));
    }
    let separator = sampled.separator;
    Ok((EdgeColumns { separator, source, target, weight }, header, warnings))
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
    comments: usize,
}

/// Reads all chunks; `None` when ids turn out not to be numbers after all.
fn collect(
    path: &Path,
    columns: &EdgeColumns,
    header: bool,
    ids: &IdMode<'_>,
) -> Result<Option<Collected>, ReadError> {
    let mut all = Collected::default();
    let mut numbers = true;
    for_each_block(path, header, EXPECTED, |block| {
        match parse_block(&block, columns, ids) {
            Ok(chunks) => all.chunks.extend(chunks),
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
    all.comments = all.chunks.iter().map(|chunk| chunk.comments).sum();
    Ok(numbers.then_some(all))
}

fn read_numbers(
    path: &Path,
    columns: &EdgeColumns,
    header: bool,
) -> Result<Option<LinkTable>, ReadError> {
    let Some(all) = collect(path, columns, header, &IdMode::Numbers)? else { return Ok(None) };
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
    finish(path, ids.unique(), merged, all.comments).map(Some)
}

fn read_names(path: &Path, columns: &EdgeColumns, header: bool) -> Result<LinkTable, ReadError> {
    let interner = Interner::new();
    let all = collect(path, columns, header, &IdMode::Names(&interner))?.unwrap_or_default();
    let (ids, renumbering) = interner.finish();
    let merged =
        merge(all.chunks, |source, target| (renumbering.apply(source), renumbering.apply(target)));
    drop(renumbering);
    let nodes = ids.nodes();
    drop(ids);
    finish(path, nodes, merged, all.comments)
}

/// All links with their final numbers. DatasetParts are given back one by one, so that they and the
/// whole never coexist.
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
    }
    merged
}

fn finish(path: &Path, ids: Nodes, all: Chunk, comments: usize) -> Result<LinkTable, ReadError> {
    let count = ids.len();
    let built = if all.entries.is_empty() {
        from_keys(count, count, all.keys)
    } else {
        from_entries(count, count, all.entries)
    };
    let (links, repeats) = built.map_err(|error| sparse_error(path, Place::File, error))?;
    let mut warnings: Vec<String> = repeated(path, repeats).into_iter().collect();
    if count == 0 {
        return Err(ReadError::empty(path, EXPECTED));
    }
    if comments > 0 {
        let text = "lines after the first link begin with # or % and were taken for comments";
        warnings.push(format!("{}: {comments} {text}", path.display()));
    }
    Ok(LinkTable { ids: Some(ids), links, semantics: EdgeSemantics::EdgeList, warnings })
}
