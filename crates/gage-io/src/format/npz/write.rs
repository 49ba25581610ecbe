//! `.npz`: a zip archive of stored `.npy` members, with 64-bit sizes where they are needed.

use std::io::{self, Write};

use gage_embed::{SparseMatrix, Values};

use super::npy::{NpyArray, Sink, reals};

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
pub(crate) fn write_npz(arrays: &[(&str, NpyArray<'_>)], out: &mut dyn Write) -> io::Result<()> {
    let mut entries = Vec::new();
    let mut offset = 0u64;
    for (name, array) in arrays {
        let mut hasher = crc32fast::Hasher::new();
        array.each(&mut |piece| {
            hasher.update(piece);
            Ok(())
        })?;
        let entry = Entry {
            name: format!("{name}.npy"),
            size: array.len(),
            crc: hasher.finalize(),
            offset,
        };
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

/// Writes a matrix as `scipy.sparse.save_npz` does (csr).
pub(crate) fn write_sparse(matrix: &SparseMatrix, out: &mut dyn Write) -> io::Result<()> {
    let entries = matrix.nnz();
    // scipy wants signed indices; 32 bits are enough for most matrices and what it would choose itself.
    let narrow = i32::try_from(entries.max(matrix.rows()).max(matrix.cols())).is_ok();
    let (descr, item) = if narrow { ("<i4", 4) } else { ("<i8", 8) };
    let integers = |values: &mut dyn Iterator<Item = u64>, sink: Sink<'_>| {
        let mut piece = Vec::with_capacity(1 << 16);
        for value in values {
            match narrow {
                true => piece.extend((value as i32).to_le_bytes()),
                false => piece.extend((value as i64).to_le_bytes()),
            }
            if piece.len() >= 1 << 16 {
                sink(&piece)?;
                piece.clear();
            }
        }
        sink(&piece)
    };
    let indices = NpyArray::new(descr, item, &[entries], |sink| {
        integers(&mut matrix.indices().iter().map(|&index| u64::from(index)), sink)
    });
    let pointers = NpyArray::new(descr, item, &[matrix.rows() + 1], |sink| {
        integers(&mut matrix.indptr().iter().copied(), sink)
    });
    let shape = NpyArray::new("<i8", 8, &[2], |sink| {
        sink(&(matrix.rows() as i64).to_le_bytes())?;
        sink(&(matrix.cols() as i64).to_le_bytes())
    });
    let data = match matrix.values() {
        Values::Ones => NpyArray::new("<f4", 4, &[entries], move |sink| {
            (0..entries).try_for_each(|_| sink(&1f32.to_le_bytes()))
        }),
        Values::F32(values) => NpyArray::new("<f4", 4, &[entries], |sink| reals(values, sink)),
        Values::F64(values) => NpyArray::new("<f8", 8, &[entries], |sink| reals(values, sink)),
    };
    let format = NpyArray::new("|S3", 3, &[], |sink| sink(b"csr"));
    let arrays = [
        ("indices", indices),
        ("indptr", pointers),
        ("format", format),
        ("shape", shape),
        ("data", data),
    ];
    write_npz(&arrays, out)
}
