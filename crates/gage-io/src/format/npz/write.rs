//! Writes `.npz`: a zip archive of stored `.npy` members, with 64-bit sizes where they are needed.

use std::io::{self, Write};

use flate2::Crc;

use gage_linalg::{SparseMatrix, Values};

use crate::format::npy::write::{NpyArray, Sink, reals};

/// Sizes and offsets from here on stand in the 64-bit fields; the value itself says so.
const NARROW: u64 = 0xffff_ffff;
/// 1980-01-01: the same input makes the same bytes.
const DATE: u32 = 0x0021_0000;

struct Entry {
    name: String,
    size: u64,
    crc: u32,
    offset: u64,
}

/// Writes an archive of named arrays.
pub fn write_npz(arrays: &[(&str, NpyArray<'_>)], out: &mut dyn Write) -> io::Result<()> {
    let mut entries = Vec::new();
    let mut offset = 0u64;
    for (name, array) in arrays {
        let mut crc = Crc::new();
        array.for_each_chunk(&mut |chunk| {
            crc.update(chunk);
            Ok(())
        })?;
        let entry =
            Entry { name: format!("{name}.npy"), size: array.byte_len(), crc: crc.sum(), offset };
        let local = local_header(&entry);
        out.write_all(&local)?;
        array.write(out)?;
        offset += local.len() as u64 + entry.size;
        entries.push(entry);
    }
    out.write_all(&directory(&entries, offset))
}

/// Fields that local header and directory share, from the version needed to the length of the name.
fn common(entry: &Entry, out: &mut Vec<u8>) {
    let size = entry.size.min(NARROW) as u32;
    // Version 4.5 (64-bit sizes), flag 0x800 (names are UTF-8), method 0 (stored).
    out.extend([45u8, 0, 0, 8, 0, 0]);
    out.extend(DATE.to_le_bytes());
    out.extend(entry.crc.to_le_bytes());
    out.extend(size.to_le_bytes());
    out.extend(size.to_le_bytes());
    out.extend((entry.name.len() as u16).to_le_bytes());
}

fn local_header(entry: &Entry) -> Vec<u8> {
    let wide = entry.size >= NARROW;
    let mut out = b"PK\x03\x04".to_vec();
    common(entry, &mut out);
    out.extend(if wide { 20u16 } else { 0 }.to_le_bytes());
    out.extend(entry.name.as_bytes());
    if wide {
        out.extend([1u8, 0, 16, 0]);
        out.extend(entry.size.to_le_bytes());
        out.extend(entry.size.to_le_bytes());
    }
    out
}

fn directory(entries: &[Entry], start: u64) -> Vec<u8> {
    let mut out = Vec::new();
    for entry in entries {
        let mut extra = Vec::new();
        if entry.size >= NARROW {
            extra.extend(entry.size.to_le_bytes());
            extra.extend(entry.size.to_le_bytes());
        }
        if entry.offset >= NARROW {
            extra.extend(entry.offset.to_le_bytes());
        }
        let tag = if extra.is_empty() { 0 } else { 4 };
        out.extend(b"PK\x01\x02\x2d\x00");
        common(entry, &mut out);
        out.extend(((extra.len() + tag) as u16).to_le_bytes());
        // No comment, first disk, no attributes.
        out.extend([0u8; 10]);
        out.extend((entry.offset.min(NARROW) as u32).to_le_bytes());
        out.extend(entry.name.as_bytes());
        if tag > 0 {
            out.extend([1u8, 0]);
            out.extend((extra.len() as u16).to_le_bytes());
            out.extend(extra);
        }
    }
    let (length, count) = (out.len() as u64, entries.len() as u64);
    if start >= NARROW {
        let end = start + length;
        out.extend(b"PK\x06\x06");
        out.extend(44u64.to_le_bytes());
        out.extend([45u8, 0, 45, 0]);
        out.extend([0u8; 8]);
        for number in [count, count, length, start] {
            out.extend(number.to_le_bytes());
        }
        out.extend(b"PK\x06\x07\0\0\0\0");
        out.extend(end.to_le_bytes());
        out.extend(1u32.to_le_bytes());
    }
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend((count as u16).to_le_bytes());
    out.extend((count as u16).to_le_bytes());
    out.extend((length as u32).to_le_bytes());
    out.extend((start.min(NARROW) as u32).to_le_bytes());
    out.extend([0u8, 0]);
    out
}

/// Receives part of an index array.
pub type IndexSink<'a, T> = &'a mut dyn FnMut(&[T]) -> io::Result<()>;

/// A sparse matrix by rows whose arrays are produced on demand, each of them twice.
pub struct CsrArrays<'a> {
    /// Number of rows and columns.
    pub shape: (usize, usize),
    /// Number of stored entries.
    pub nnz: u64,
    /// Passes the column of every entry on, in order.
    pub indices: &'a dyn Fn(IndexSink<'_, u32>) -> io::Result<()>,
    /// Passes the offset of every row on, and `nnz` at the end.
    pub indptr: &'a dyn Fn(IndexSink<'_, u64>) -> io::Result<()>,
    /// The value of every entry.
    pub data: NpyArray<'a>,
}

/// Writes a matrix as `scipy.sparse.save_npz` does (csr).
pub fn write_npz_csr(arrays: CsrArrays<'_>, out: &mut dyn Write) -> io::Result<()> {
    let CsrArrays { shape: (rows, cols), nnz, indices, indptr, data } = arrays;
    // SciPy wants one signed type for both index arrays and itself takes 32 bits where they
    // suffice.
    let narrow = i32::try_from(nnz.max(rows as u64).max(cols as u64)).is_ok();
    let (descr, item) = if narrow { ("<i4", 4) } else { ("<i8", 8) };
    let indices = NpyArray::new(descr, item, &[nnz as usize], |sink| {
        let mut bytes = Vec::new();
        indices(&mut |part| integers(part.iter().map(|&i| u64::from(i)), narrow, &mut bytes, sink))
    });
    let indptr = NpyArray::new(descr, item, &[rows + 1], |sink| {
        let mut bytes = Vec::new();
        indptr(&mut |part| integers(part.iter().copied(), narrow, &mut bytes, sink))
    });
    let shape = NpyArray::new("<i8", 8, &[2], |sink| {
        [rows, cols].iter().try_for_each(|&size| sink(&(size as i64).to_le_bytes()))
    });
    let format = NpyArray::new("|S3", 3, &[], |sink| sink(b"csr"));
    let members = [
        ("indices", indices),
        ("indptr", indptr),
        ("format", format),
        ("shape", shape),
        ("data", data),
    ];
    write_npz(&members, out)
}

/// Passes integers on in little-endian order, in four or eight bytes each.
fn integers(
    values: impl Iterator<Item = u64>,
    narrow: bool,
    bytes: &mut Vec<u8>,
    sink: Sink<'_>,
) -> io::Result<()> {
    bytes.clear();
    for value in values {
        match narrow {
            true => bytes.extend((value as u32).to_le_bytes()),
            false => bytes.extend(value.to_le_bytes()),
        }
    }
    sink(bytes)
}

/// Numbers turned into bytes at a time.
const CHUNK: usize = 1 << 14;

/// Writes a sparse matrix as `scipy.sparse.save_npz` does (csr).
pub fn write_npz_matrix(matrix: &SparseMatrix, out: &mut dyn Write) -> io::Result<()> {
    let nnz = matrix.nnz();
    let data = match matrix.values() {
        Values::Ones => NpyArray::new("<f4", 4, &[nnz], move |sink| {
            let ones = [1f32; CHUNK];
            (0..nnz).step_by(CHUNK).try_for_each(|at| reals(&ones[..CHUNK.min(nnz - at)], sink))
        }),
        Values::F32(values) => NpyArray::new("<f4", 4, &[nnz], |sink| reals(values, sink)),
        Values::F64(values) => NpyArray::new("<f8", 8, &[nnz], |sink| reals(values, sink)),
    };
    let arrays = CsrArrays {
        shape: (matrix.rows(), matrix.cols()),
        nnz: nnz as u64,
        indices: &|sink| matrix.indices().chunks(CHUNK).try_for_each(sink),
        indptr: &|sink| matrix.indptr().chunks(CHUNK).try_for_each(sink),
        data,
    };
    write_npz_csr(arrays, out)
}
