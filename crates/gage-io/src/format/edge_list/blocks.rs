//! The text of an edge list as blocks of whole lines. A mapped file is one block; a compressed file
//! is read in several.

use std::io::Read;
use std::ops::Range;
use std::path::Path;

use memchr::memchr;
use memmap2::Mmap;
use rayon::prelude::*;

use crate::error::{Place, ReadError};
use crate::format::edge_list::parse::{
    Chunk, EdgeColumns, IdMode, LineError, parse_chunk, preamble,
};
use crate::source::{Compression, open, read_up_to};
use crate::text::lines::{MAX_LINE_BYTES, line_too_long, text_start};

/// Text one task parses: small chunks spread the work, large ones make good batches of ids.
const SMALLEST_PIECE: usize = 1 << 22;
const LARGEST_PIECE: usize = 1 << 25;
/// Decompressed text held at a time.
const BLOCK: usize = 1 << 25;

/// Whole lines of a file.
pub(crate) struct Block<'a> {
    /// the lines; the first `start` bytes of them hold no links
    text: &'a [u8],
    start: usize,
    /// bytes and lines of the file before the text
    offset: u64,
    lines: u64,
}

impl<'a> Block<'a> {
    /// Number and text of the line that begins at `at` of the links.
    pub(crate) fn line_at(&self, at: usize) -> (u64, &'a [u8]) {
        let at = self.start + at;
        let end = memchr(b'\n', &self.text[at..]).map_or(self.text.len(), |end| at + end);
        (self.lines + 1 + count_lines(&self.text[..at]), &self.text[at..end])
    }
}

impl Block<'_> {
    /// Number of the line that begins at a byte of the file.
    pub(crate) fn line_of(&self, offset: u64) -> u64 {
        let at = offset.saturating_sub(self.offset) as usize;
        self.lines + 1 + count_lines(&self.text[..at.min(self.text.len())])
    }
}

fn count_lines(text: &[u8]) -> u64 {
    text.iter().filter(|&&byte| byte == b'\n').count() as u64
}

/// Calls `each` with the blocks of a file in order, until it returns false.
pub(crate) fn for_each_block(
    path: &Path,
    header: bool,
    expected: &str,
    mut each: impl FnMut(Block<'_>) -> Result<bool, ReadError>,
) -> Result<(), ReadError> {
    let source = open(path, expected)?;
    if source.compression == Compression::None {
        // SAFETY: the map is only read, as bytes that are checked before use. Its content is
        // defined as long as no other process cuts the file short meanwhile, which the
        // documentation of the reader requires.
        let map = unsafe { Mmap::map(source.file.whole()) }
            .map_err(|error| ReadError::from_io(path, Place::File, error))?;
        let begin = text_start(path, &map)?;
        check_lines(path, &map[begin..], 0)?;
        let start = begin + preamble(&map[begin..], header);
        each(Block { text: &map, start, offset: 0, lines: 0 })?;
        return Ok(());
    }
    let mut reader =
        source.reader().map_err(|error| ReadError::from_io(path, Place::Byte(0), error))?;
    stream(path, &mut reader, header, &mut each)
}

fn stream(
    path: &Path,
    reader: &mut impl Read,
    mut header: bool,
    each: &mut impl FnMut(Block<'_>) -> Result<bool, ReadError>,
) -> Result<(), ReadError> {
    let mut buffer: Vec<u8> = Vec::new();
    let (mut offset, mut lines, mut first) = (0u64, 0u64, true);
    loop {
        let old = buffer.len();
        buffer.resize(old + BLOCK, 0);
        let got = read_up_to(reader, &mut buffer[old..])
            .map_err(|error| ReadError::from_io(path, Place::Line(lines + 1), error))?;
        buffer.truncate(old + got);
        let ended = got < BLOCK;
        let whole = match buffer.iter().rposition(|&byte| byte == b'\n') {
            _ if ended => buffer.len(),
            Some(last) => last + 1,
            None if buffer.len() > MAX_LINE_BYTES => return Err(line_too_long(path, lines + 1)),
            None => continue,
        };
        let text = &buffer[..whole];
        check_lines(path, text, lines)?;
        let mut start = if first { text_start(path, text)? } else { 0 };
        if first || header {
            let skipped = preamble(&text[start..], header);
            start += skipped;
            // A preamble that fills the block may leave the header for the next one.
            header = header && start == whole && !ended;
        }
        first = false;
        if !each(Block { text, start, offset, lines })? || ended {
            return Ok(());
        }
        offset += whole as u64;
        lines += count_lines(text);
        buffer.drain(..whole);
    }
}

/// Finds lines that are too long by looking only near multiples of the bound.
fn check_lines(path: &Path, text: &[u8], before: u64) -> Result<(), ReadError> {
    let mut start = 0;
    while start + MAX_LINE_BYTES < text.len() {
        let window = &text[start..=start + MAX_LINE_BYTES];
        match window.iter().rposition(|&byte| byte == b'\n') {
            Some(last) => start += last + 1,
            None => return Err(line_too_long(path, before + 1 + count_lines(&text[..start]))),
        }
    }
    Ok(())
}

/// Parses a block in parallel; of several faults the first counts.
pub(crate) fn parse_block(
    block: &Block<'_>,
    columns: &EdgeColumns,
    ids: &IdMode<'_>,
) -> Result<Vec<Chunk>, LineError> {
    let text = &block.text[block.start..];
    let base = block.offset + block.start as u64;
    let results: Vec<Result<Chunk, LineError>> = cut(text)
        .into_par_iter()
        .map(|range| {
            let (start, chunk) = (range.start, &text[range]);
            parse_chunk(chunk, base + start as u64, columns, ids)
                .map_err(|error| LineError { offset: start + error.offset, ..error })
        })
        .collect();
    results.into_iter().collect()
}

/// Ranges that end at line ends, a few for each thread.
fn cut(text: &[u8]) -> Vec<Range<usize>> {
    let even = text.len() / (4 * rayon::current_num_threads());
    let chunk = even.clamp(SMALLEST_PIECE, LARGEST_PIECE);
    let mut ranges = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let near = (start + chunk).min(text.len());
        let end = memchr(b'\n', &text[near..]).map_or(text.len(), |end| near + end + 1);
        ranges.push(start..end);
        start = end;
    }
    ranges
}
