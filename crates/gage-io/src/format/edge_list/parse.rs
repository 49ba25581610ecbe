//! The lines of an edge list: two ids and perhaps a weight.

use std::borrow::Cow;

use memchr::memchr;

use crate::format::edge_list::intern::{Batch, Interner};
use crate::format::edge_list::relation_names::Relations;
use crate::format::edge_list::shard::IdError;
use crate::sparse_builder::key;
use crate::table::cells::days_of_time;
use crate::text::dialect::{Separator, is_missing};

/// Where the cells of a link stand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EdgeColumns {
    pub(crate) separator: Separator,
    pub(crate) source: usize,
    pub(crate) target: usize,
    pub(crate) weight: Option<usize>,
    pub(crate) relation: Option<usize>,
    /// times, if links weigh less with them
    pub(crate) time: Option<usize>,
    /// cells of the first line, if no line may have more
    pub(crate) width: Option<usize>,
}

impl EdgeColumns {
    /// Two ends and nothing else.
    pub(crate) fn ends(separator: Separator, source: usize, target: usize) -> EdgeColumns {
        let (weight, relation, time, width) = (None, None, None, None);
        EdgeColumns { separator, source, target, weight, relation, time, width }
    }
}

/// What is wrong with a line, and where it begins.
#[derive(Debug)]
pub(crate) struct LineError {
    pub(crate) offset: usize,
    pub(crate) kind: LineErrorKind,
}

/// What can be wrong with a line.
#[derive(Debug, PartialEq)]
pub(crate) enum LineErrorKind {
    /// fewer cells than the columns need
    Cells(usize),
    /// more cells than the first line has
    MoreCells(usize),
    /// an empty id
    EmptyId,
    /// a weight that is no number
    Weight(String),
    /// a time that is none
    Time(String),
    /// a weight that is not finite
    NotFinite(f64),
    /// a quote that does not close
    Quote,
    /// an id that is refused
    Id(IdError),
    /// an id that is no small whole number, while such ids are being read
    NotANumber,
}

/// Links of a chunk of the file, as pairs of (provisional) numbers.
#[derive(Default)]
pub(crate) struct Chunk {
    /// pairs, if there are no weights
    pub(crate) keys: Vec<u64>,
    /// pairs with weights
    pub(crate) entries: Vec<(u64, f64)>,
    /// for each pair its relation, if there is a column of them
    pub(crate) relations: Relations,
    /// for each pair its time in days, if links weigh less with it
    pub(crate) times: Vec<f64>,
    /// pairs without a weight, in a list that has weights, and where the first of them begins
    pub(crate) unweighted: usize,
    pub(crate) first_unweighted: Option<u64>,
    /// lines taken for comments
    pub(crate) comments: usize,
    /// greatest id, if ids are numbers
    pub(crate) top: u32,
}

/// How ids become numbers.
pub(crate) enum IdMode<'a> {
    /// Ids are whole numbers below 2^32 without leading zeros, and stand for themselves.
    Numbers,
    /// Ids are text.
    Names(&'a Interner),
}

/// Whether the line, without blanks before it, is empty or a comment; tells comments from empty
/// lines.
fn comment(line: &[u8]) -> Option<bool> {
    match line.iter().find(|byte| !byte.is_ascii_whitespace()) {
        None => Some(false),
        Some(b'#' | b'%') => Some(true),
        _ => None,
    }
}

/// Length of the beginning of `text` that holds no links: comments, empty lines and, if there is
/// one, the header.
pub(crate) fn preamble(text: &[u8], header: bool) -> usize {
    let mut at = 0;
    let mut header = header;
    while at < text.len() {
        let end = memchr(b'\n', &text[at..]).map_or(text.len(), |end| at + end + 1);
        if comment(&text[at..end]).is_none() && !std::mem::take(&mut header) {
            return at;
        }
        at = end;
    }
    at
}

/// Reads whole lines that begin at `base` in the file.
pub(crate) fn parse_chunk(
    text: &[u8],
    base: u64,
    columns: &EdgeColumns,
    ids: &IdMode<'_>,
) -> Result<Chunk, LineError> {
    let mut chunk = Chunk::default();
    let mut batch = Batch::default();
    let mut at = 0;
    while at < text.len() {
        let end = memchr(b'\n', &text[at..]).map_or(text.len(), |end| at + end);
        let line = &text[at..end];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match comment(line) {
            Some(is_comment) => chunk.comments += usize::from(is_comment),
            None => {
                let error = |kind| LineError { offset: at, kind };
                let link = parse_line(line, columns).map_err(error)?;
                take_in(&link, at, ids, &mut batch, &mut chunk).map_err(error)?;
                if link.unweighted {
                    chunk.unweighted += 1;
                    chunk.first_unweighted.get_or_insert(base + at as u64);
                }
            }
        }
        at = end + 1;
    }
    if let IdMode::Names(interner) = ids {
        let numbers = interner.numbers(&batch, text, base).map_err(|(position, error)| {
            let before = &text[..batch.start(position)];
            let offset = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            LineError { offset, kind: LineErrorKind::Id(error) }
        })?;
        let (pairs, _) = numbers.as_chunks::<2>();
        let ends = pairs.iter().map(|&[source, target]| key(source, target));
        if chunk.entries.is_empty() {
            chunk.keys = ends.collect();
        } else {
            chunk.entries.iter_mut().zip(ends).for_each(|(entry, key)| entry.0 = key);
        }
    }
    Ok(chunk)
}

/// A cell and where it begins in its line.
struct Cell<'a> {
    start: usize,
    text: Cow<'a, [u8]>,
}

struct Link<'a> {
    source: Cell<'a>,
    target: Cell<'a>,
    weight: Option<f64>,
    unweighted: bool,
    relation: Option<Cell<'a>>,
    time: Option<f64>,
}

fn parse_line<'a>(line: &'a [u8], columns: &EdgeColumns) -> Result<Link<'a>, LineErrorKind> {
    let further = [columns.weight, columns.relation, columns.time].map(|at| at.unwrap_or(0));
    let needed = further.into_iter().fold(columns.source.max(columns.target), usize::max) + 1;
    let mut cells = Cells { line, at: Some(0), separator: columns.separator };
    let (mut source, mut target, mut weight) = (None, None, None);
    let (mut unweighted, mut relation, mut time) = (false, None, None);
    for at in 0..needed {
        let cell = cells.next()?.ok_or(LineErrorKind::Cells(at))?;
        if at == columns.source {
            source = Some(cell);
        } else if at == columns.target {
            target = Some(cell);
        } else if Some(at) == columns.weight {
            // A link whose weight is missing counts as one without weights.
            unweighted = is_missing_weight(&cell.text);
            weight = Some(if unweighted { 1.0 } else { parse_weight(&cell.text)? });
        } else if Some(at) == columns.relation {
            relation = Some(cell);
        } else if Some(at) == columns.time {
            time = Some(parse_time(&cell.text)?);
        }
    }
    let (Some(source), Some(target)) = (source, target) else {
        return Err(LineErrorKind::Cells(0));
    };
    if let Some(width) = columns.width {
        cells.refuse_more(needed, width)?;
    }
    if source.text.is_empty() || target.text.is_empty() {
        return Err(LineErrorKind::EmptyId);
    }
    // A weight that decreases with time is 1 to begin with.
    let weight = weight.or(time.map(|_| 1.0));
    Ok(Link { source, target, weight, unweighted, relation, time })
}

fn is_missing_weight(cell: &[u8]) -> bool {
    let missing = |text: &str| is_missing(text) && !text.eq_ignore_ascii_case("nan");
    cell.is_empty() || (cell.len() <= 4 && std::str::from_utf8(cell).is_ok_and(missing))
}

fn parse_time(cell: &[u8]) -> Result<f64, LineErrorKind> {
    let text = std::str::from_utf8(cell).unwrap_or("?");
    days_of_time(text).ok_or_else(|| LineErrorKind::Time(text.to_owned()))
}

fn parse_weight(cell: &[u8]) -> Result<f64, LineErrorKind> {
    let text = std::str::from_utf8(cell).unwrap_or("?");
    let value: f64 = text.parse().map_err(|_| LineErrorKind::Weight(text.to_owned()))?;
    if value.is_finite() { Ok(value) } else { Err(LineErrorKind::NotFinite(value)) }
}

fn take_in(
    link: &Link<'_>,
    line: usize,
    ids: &IdMode<'_>,
    batch: &mut Batch,
    chunk: &mut Chunk,
) -> Result<(), LineErrorKind> {
    let key = match ids {
        IdMode::Numbers => {
            let numbers = [small_number(&link.source.text), small_number(&link.target.text)];
            let [Some(source), Some(target)] = numbers else {
                return Err(LineErrorKind::NotANumber);
            };
            chunk.top = chunk.top.max(source).max(target);
            key(source, target)
        }
        IdMode::Names(interner) => {
            for cell in [&link.source, &link.target] {
                let rewritten = matches!(cell.text, Cow::Owned(_));
                interner.add(batch, &cell.text, line + cell.start, rewritten);
            }
            0
        }
    };
    if let Some(relation) = &link.relation {
        chunk.relations.push(&relation.text);
    }
    chunk.times.extend(link.time);
    match (link.weight, ids) {
        (Some(weight), _) => chunk.entries.push((key, weight)),
        (None, IdMode::Numbers) => chunk.keys.push(key),
        (None, IdMode::Names(_)) => {}
    }
    Ok(())
}

/// A whole number below 2^32 in its only form, so that number and text name the same ids.
pub(crate) fn small_number(id: &[u8]) -> Option<u32> {
    if id.len() > 10 || (id.len() > 1 && id[0] == b'0') || id.is_empty() {
        return None;
    }
    let digits = id.iter().try_fold(0u64, |number, byte| {
        byte.is_ascii_digit().then(|| 10 * number + u64::from(byte - b'0'))
    });
    u32::try_from(digits?).ok()
}

/// Cells of one line, as bytes.
struct Cells<'a> {
    line: &'a [u8],
    /// where the next cell begins, if there is one
    at: Option<usize>,
    separator: Separator,
}

impl<'a> Cells<'a> {
    /// Refuses cells beyond those of the table, after so many of them: a separator in a name would
    /// shift all others. Empty ones do no harm.
    fn refuse_more(&mut self, read: usize, width: usize) -> Result<(), LineErrorKind> {
        for _ in read..width {
            self.next()?;
        }
        while let Some(cell) = self.next()? {
            if !cell.text.is_empty() {
                return Err(LineErrorKind::MoreCells(width));
            }
        }
        Ok(())
    }

    fn next(&mut self) -> Result<Option<Cell<'a>>, LineErrorKind> {
        let Some(at) = self.at else { return Ok(None) };
        let separator = self.separator;
        let tabs = separator != Separator::Byte(b'\t');
        let is_blank = |&byte: &u8| byte == b' ' || (byte == b'\t' && tabs);
        let is_separator = |&byte: &u8| match separator {
            Separator::Byte(separator) => byte == separator,
            Separator::Blanks => byte == b' ' || byte == b'\t',
            Separator::None => false,
        };
        let blanks = self.line[at..].iter().position(|byte| !is_blank(byte));
        let start = blanks.map_or(self.line.len(), |blanks| at + blanks);
        let rest = &self.line[start..];
        if rest.is_empty() && separator == Separator::Blanks {
            self.at = None;
            return Ok(None);
        }
        if rest.first() == Some(&b'"') {
            let (text, after) = quoted(&rest[1..]).ok_or(LineErrorKind::Quote)?;
            let next = self.line.len() - after.len() + 1;
            self.at = after.iter().position(is_separator).map(|end| next + end);
            return Ok(Some(Cell { start: start + 1, text }));
        }
        let end = rest.iter().position(is_separator);
        self.at = end.map(|end| start + end + 1);
        let cell = &rest[..end.unwrap_or(rest.len())];
        let used = cell.iter().rposition(|byte| !is_blank(byte)).map_or(0, |last| last + 1);
        Ok(Some(Cell { start, text: Cow::Borrowed(&cell[..used]) }))
    }
}

/// What stands before the closing quote, with doubled quotes made single, and what follows.
fn quoted(body: &[u8]) -> Option<(Cow<'_, [u8]>, &[u8])> {
    let mut end = memchr(b'"', body)?;
    if body.get(end + 1) != Some(&b'"') {
        return Some((Cow::Borrowed(&body[..end]), &body[end + 1..]));
    }
    let mut cell = body[..end].to_vec();
    while body.get(end + 1) == Some(&b'"') {
        cell.push(b'"');
        let from = end + 2;
        end = from + memchr(b'"', &body[from..])?;
        cell.extend_from_slice(&body[from..end]);
    }
    Some((Cow::Owned(cell), &body[end + 1..]))
}
