//! The layout of an index file, and its writer.
//!
//! ```text
//! 0   "gageindx"            8 bytes
//! 8   version               u32
//! 12  CRC-32 of the header  u32
//! 16  length of the header  u64
//! 24  header                JSON: sizes, metric, shares, views, recall, origin
//! ..  parts                 each at a multiple of 64 bytes, in the order of `PARTS`, little-endian
//! ..  checks                u32: CRC-32 of every block of 64 KiB, part by part
//! ```
//!
//! Where a part begins follows from the sizes, so there is nothing in the file that could
//! contradict them.

use std::io::{self, Write};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use gage_core::model::FittedView;

use super::origin::Origin;
use crate::space::Metric;

/// Version of the layout; raised when older programs can no longer read it.
pub(crate) const VERSION: u32 = 1;
pub(crate) const MAGIC: &[u8; 8] = b"gageindx";
/// Bytes before the header.
pub(crate) const PREFIX: usize = 24;
/// Parts begin at multiples of this.
const ALIGNMENT: usize = 64;
/// Bytes that share a checksum.
pub(crate) const CHECK_BLOCK: usize = 1 << 16;

/// How much a search finds, as measured at the build.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recall {
    /// For at most so many neighbours.
    pub neighbours: usize,
    /// Lists that are read.
    pub lists: usize,
    /// Mean share of the true neighbours found.
    pub recall: f64,
    /// Number of nodes this was measured on, none of which helped to choose the number of lists
    /// (unless there were too few for that).
    pub nodes: usize,
}

/// What an index says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IndexInfo {
    /// The program that wrote it.
    pub program: String,
    /// Number of nodes.
    pub nodes: usize,
    /// Number of rows in the lists: nodes that can be near anything.
    pub rows: usize,
    /// Numbers in a row.
    pub columns: usize,
    /// Number of lists.
    pub lists: usize,
    /// What near means.
    pub metric: Metric,
    /// The views, without their coefficients; none for an embedding.
    pub views: Vec<FittedView>,
    /// Share of each view.
    pub shares: Vec<f64>,
    /// What is found, for small and for larger numbers of neighbours.
    pub recall: Vec<Recall>,
    /// Recall that was requested.
    pub target: f64,
    /// The seed.
    pub seed: u64,
    /// Whether the nodes have names.
    pub named: bool,
    /// Bytes of all names.
    pub id_bytes: usize,
    /// Which file it was made from.
    pub origin: Origin,
    /// CRC-32 of the checks.
    pub(crate) checks: u32,
}

/// A part of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// f32, lists x columns
    Centroids,
    /// u32, lists: the row at which each list ends
    ListEnds,
    /// f32, rows x columns, list by list
    Rows,
    /// u32, rows: the node of each row
    Members,
    /// u32, nodes: the row of each node, or `NO_POSITION`
    Positions,
    /// f64, views x columns: share of each view in each column
    Parts,
    /// u8: all names one after another
    IdText,
    /// u64, nodes: where each name ends
    IdEnds,
    /// u32, nodes: nodes in the order of their names
    IdOrder,
}

/// The position of a node that is in no list.
pub(crate) const NO_POSITION: u32 = u32::MAX;

pub(crate) const PARTS: [Part; 9] = [
    Part::Centroids,
    Part::ListEnds,
    Part::Rows,
    Part::Members,
    Part::Positions,
    Part::Parts,
    Part::IdText,
    Part::IdEnds,
    Part::IdOrder,
];

impl Part {
    /// Bytes of the part in an index of these sizes; `None` if no file can be so large.
    fn bytes(self, info: &IndexInfo) -> Option<usize> {
        let named = |bytes: usize| if info.named { bytes } else { 0 };
        match self {
            Part::Centroids => info.lists.checked_mul(info.columns)?.checked_mul(4),
            Part::ListEnds => info.lists.checked_mul(4),
            Part::Rows => info.rows.checked_mul(info.columns)?.checked_mul(4),
            Part::Members => info.rows.checked_mul(4),
            Part::Positions => info.nodes.checked_mul(4),
            Part::Parts => info.views.len().checked_mul(info.columns)?.checked_mul(8),
            Part::IdText => Some(named(info.id_bytes)),
            Part::IdEnds => Some(named(info.nodes.checked_mul(8)?)),
            Part::IdOrder => Some(named(info.nodes.checked_mul(4)?)),
        }
    }
}

/// Where a part is, and which checks belong to it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extent {
    pub(crate) start: usize,
    pub(crate) bytes: usize,
    pub(crate) first_check: usize,
}

/// Where everything is.
#[derive(Clone, Debug)]
pub(crate) struct Extents {
    pub(crate) parts: [Extent; PARTS.len()],
    pub(crate) checks_start: usize,
    pub(crate) check_count: usize,
    /// Size of the whole file.
    pub(crate) end: usize,
}

/// Finds the extents of all parts behind a header of so many bytes; `None` if no file can be so
/// large.
pub(crate) fn extents(info: &IndexInfo, header: usize) -> Option<Extents> {
    let mut at = PREFIX.checked_add(header)?;
    let mut parts = [Extent::default(); PARTS.len()];
    let mut check_count = 0;
    for (extent, part) in parts.iter_mut().zip(PARTS) {
        let start = at.checked_next_multiple_of(ALIGNMENT)?;
        let bytes = part.bytes(info)?;
        *extent = Extent { start, bytes, first_check: check_count };
        check_count += bytes.div_ceil(CHECK_BLOCK);
        at = start.checked_add(bytes)?;
    }
    let checks_start = at.checked_next_multiple_of(ALIGNMENT)?;
    let end = checks_start.checked_add(check_count.checked_mul(4)?)?;
    Some(Extents { parts, checks_start, check_count, end })
}

pub(crate) fn crc(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// CRC-32 of the version and the header.
pub(crate) fn header_check(version: u32, header: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(&version.to_le_bytes());
    crc.update(header);
    crc.sum()
}

/// Writes an index whose parts are the given bytes, in the order of `PARTS`.
pub(crate) fn write(
    out: &mut dyn Write,
    info: &IndexInfo,
    parts: &[&[u8]; PARTS.len()],
) -> io::Result<()> {
    if cfg!(target_endian = "big") {
        let text = "an index can only be written where numbers are little-endian";
        return Err(io::Error::new(io::ErrorKind::Unsupported, text));
    }
    let checks: Vec<u8> = parts
        .iter()
        .flat_map(|part| part.par_chunks(CHECK_BLOCK).map(crc).collect::<Vec<u32>>())
        .flat_map(u32::to_le_bytes)
        .collect();
    let info = IndexInfo { checks: crc(&checks), ..info.clone() };
    let header = serde_json::to_vec(&info)?;
    let extents = extents(&info, header.len())
        .filter(|extents| {
            extents.parts.iter().zip(parts).all(|(extent, part)| extent.bytes == part.len())
        })
        .ok_or_else(|| io::Error::other("the parts of the index do not have the sizes it tells"))?;
    out.write_all(MAGIC)?;
    out.write_all(&VERSION.to_le_bytes())?;
    out.write_all(&header_check(VERSION, &header).to_le_bytes())?;
    out.write_all(&(header.len() as u64).to_le_bytes())?;
    out.write_all(&header)?;
    let mut at = PREFIX + header.len();
    let all = extents.parts.iter().map(|extent| extent.start).zip(parts.iter().copied());
    for (start, bytes) in all.chain([(extents.checks_start, checks.as_slice())]) {
        out.write_all(&[0; ALIGNMENT][..start - at])?;
        out.write_all(bytes)?;
        at = start + bytes.len();
    }
    Ok(())
}
