//! A memory-mapped index file. Every block is verified against its checksum before its first use.

use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use memmap2::Mmap;

use gage_core::Error;
use gage_core::model::Lambda;

use super::format::{
    CHECK_BLOCK, Extents, IndexInfo, MAGIC, NO_POSITION, PREFIX, Part, VERSION, crc, extents,
    header_check,
};
use crate::error::IndexError;

/// An index that can be searched.
pub struct SearchIndex {
    map: Mmap,
    info: IndexInfo,
    extents: Extents,
    /// Which blocks were compared with their checksums already.
    verified: Vec<AtomicBool>,
}

impl SearchIndex {
    /// Maps an index file and checks its header and its size. The file must not be cut short while
    /// the index is in use; what this program writes never is, since it replaces files as a whole.
    pub fn open(path: impl AsRef<Path>) -> Result<SearchIndex, IndexError> {
        let file = File::open(path)?;
        let not = |reason: &str| IndexError::NotAnIndex { reason: reason.to_owned() };
        if !file.metadata()?.is_file() {
            return Err(not("not a regular file"));
        }
        if file.metadata()?.len() < PREFIX as u64 {
            return Err(not("too short"));
        }
        // SAFETY: the map is only read, as bytes that are checked before use. Its content is
        // defined as long as no other process cuts the file short meanwhile, which the
        // documentation requires.
        let map = unsafe { Mmap::map(&file) }?;
        if !map.starts_with(MAGIC) {
            return Err(not("it begins otherwise"));
        }
        if cfg!(target_endian = "big") {
            return Err(not("numbers are big-endian on this machine"));
        }
        let word = |at: usize| u32::from_le_bytes([map[at], map[at + 1], map[at + 2], map[at + 3]]);
        let version = word(8);
        let length = u64::from(word(16)) | u64::from(word(20)) << 32;
        let header = usize::try_from(length)
            .ok()
            .and_then(|length| map[PREFIX..].get(..length))
            .ok_or_else(|| IndexError::damaged("its header is longer than the file"))?;
        if header_check(version, header) != word(12) {
            return Err(IndexError::damaged("its header does not have its checksum"));
        }
        if version > VERSION {
            return Err(IndexError::Version { found: version, known: VERSION });
        }
        let info: IndexInfo = serde_json::from_slice(header)
            .map_err(|error| IndexError::damaged(format!("header: {error}")))?;
        check(&info)?;
        let size = map.len();
        let extents =
            extents(&info, header.len()).filter(|extents| extents.end == size).ok_or_else(
                || IndexError::damaged(format!("{size} bytes are not the size it tells")),
            )?;
        if crc(&map[extents.checks_start..extents.end]) != info.checks {
            return Err(IndexError::damaged("its checks do not have their checksum"));
        }
        let verified = (0..extents.check_count).map(|_| AtomicBool::new(false)).collect();
        Ok(SearchIndex { map, info, extents, verified })
    }

    /// What the index says of itself.
    pub fn info(&self) -> &IndexInfo {
        &self.info
    }

    /// Whether the index is of these shares, as far as rounding tells; an embedding has none, so
    /// only the preset fits.
    pub fn fits_lambda(&self, lambda: &Lambda) -> Result<bool, Error> {
        if self.info.views.is_empty() {
            return Ok(*lambda == Lambda::Preset);
        }
        let wanted = lambda.resolve(&self.info.views)?;
        Ok(wanted.iter().zip(&self.info.shares).all(|(a, b)| (a - b).abs() < 1e-12))
    }

    /// Bytes of a part, checked.
    pub(crate) fn bytes(&self, part: Part, range: Range<usize>) -> Result<&[u8], IndexError> {
        let extent = self.extents.parts[part as usize];
        if range.start > range.end || range.end > extent.bytes {
            let reason = format!("{part:?} has no bytes {} to {}", range.start, range.end);
            return Err(IndexError::damaged(reason));
        }
        if range.is_empty() {
            return Ok(&[]);
        }
        let whole = &self.map[extent.start..extent.start + extent.bytes];
        for block in range.start / CHECK_BLOCK..=(range.end - 1) / CHECK_BLOCK {
            let seen = &self.verified[extent.first_check + block];
            if seen.load(Ordering::Relaxed) {
                continue;
            }
            let end = ((block + 1) * CHECK_BLOCK).min(whole.len());
            let at = self.extents.checks_start + 4 * (extent.first_check + block);
            if crc(&whole[block * CHECK_BLOCK..end]).to_le_bytes() != self.map[at..at + 4] {
                let reason = format!("block {block} of {part:?} does not have its checksum");
                return Err(IndexError::damaged(reason));
            }
            seen.store(true, Ordering::Relaxed);
        }
        Ok(&whole[range])
    }

    /// Numbers of a part whose parts are of this type.
    fn typed<T: bytemuck::Pod>(&self, part: Part, range: Range<usize>) -> Result<&[T], IndexError> {
        let size = size_of::<T>();
        let bytes =
            self.bytes(part, range.start.saturating_mul(size)..range.end.saturating_mul(size))?;
        // Parts begin at multiples of 64 of a map that begins at a page, so the cast succeeds; a
        // slice of none may not.
        if bytes.is_empty() {
            return Ok(&[]);
        }
        bytemuck::try_cast_slice(bytes).map_err(|error| IndexError::damaged(error.to_string()))
    }

    pub(crate) fn numbers(&self, part: Part, range: Range<usize>) -> Result<&[f32], IndexError> {
        self.typed(part, range)
    }

    pub(crate) fn words(&self, part: Part, range: Range<usize>) -> Result<&[u32], IndexError> {
        self.typed(part, range)
    }

    pub(crate) fn ends(&self, range: Range<usize>) -> Result<&[u64], IndexError> {
        self.typed(Part::IdEnds, range)
    }

    /// Share of each view in each column.
    pub(crate) fn parts(&self) -> Result<&[f64], IndexError> {
        self.typed(Part::Parts, 0..self.info.views.len() * self.info.columns)
    }

    /// The rows of a list.
    pub(crate) fn list(&self, list: usize) -> Result<Range<usize>, IndexError> {
        let end = self.words(Part::ListEnds, list..list + 1)?[0] as usize;
        let start = match list {
            0 => 0,
            _ => self.words(Part::ListEnds, list - 1..list)?[0] as usize,
        };
        if start > end || end > self.info.rows {
            return Err(IndexError::damaged(format!("list {list} goes from row {start} to {end}")));
        }
        Ok(start..end)
    }

    /// Where the row of a node is; `None` for nodes that are in no list, or not there at all.
    pub(crate) fn position(&self, node: usize) -> Result<Option<usize>, IndexError> {
        if node >= self.info.nodes {
            return Ok(None);
        }
        let position = self.words(Part::Positions, node..node + 1)?[0];
        Ok((position != NO_POSITION).then_some(position as usize))
    }

    /// A row by its position.
    pub(crate) fn row(&self, position: usize) -> Result<&[f32], IndexError> {
        let start = position.saturating_mul(self.info.columns);
        self.numbers(Part::Rows, start..start.saturating_add(self.info.columns))
    }
}

/// Sizes that everything else relies on.
fn check(info: &IndexInfo) -> Result<(), IndexError> {
    let bad = |what: &str| Err(IndexError::damaged(format!("its header tells impossible {what}")));
    if info.columns == 0
        || info.rows == 0
        || info.rows > info.nodes
        || info.nodes > NO_POSITION as usize
    {
        return bad("sizes");
    }
    if info.lists == 0 || info.lists > info.rows {
        return bad("lists");
    }
    if info.shares.len() != info.views.len() {
        return bad("shares");
    }
    let tier_fits = |tier: &super::format::Recall| {
        (1..=info.lists).contains(&tier.lists) && (0.0..=1.0).contains(&tier.recall)
    };
    if info.recall.is_empty() || !info.recall.iter().all(tier_fits) {
        return bad("recall");
    }
    Ok(())
}

impl std::fmt::Debug for SearchIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SearchIndex").field("info", &self.info).finish_non_exhaustive()
    }
}
