//! `.csr`: the arrays of a sparse matrix in a file that is mapped, not read.
//!
//! Little-endian. A header of 64 bytes: the magic, then rows, columns, entries, kind of values (0
//! all ones, 1 `f32`, 2 `f64`) and symmetry (1: the matrix is its own transpose) as `u64`, then a
//! hash of the entries. After it the row pointers (`u64`), the columns (`u32`) and the values, each
//! beginning at a multiple of 64 bytes; and, unless the matrix is symmetric, the same three arrays
//! of the transpose. A fit allocates no memory for the matrices: the system loads their pages on
//! access and drops them when memory is short.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use memmap2::Mmap;

use gage_core::{Artifact, Hint};
use gage_linalg::random::mix;
use gage_linalg::{Buffer, SparseMatrix, Values};

use crate::error::{Place, ReadError};
use crate::source::open;

const MAGIC: &[u8; 8] = b"GAGECSR1";
const ALIGN: usize = 64;

/// Writes a matrix and its transpose.
pub fn write_csr(matrix: &SparseMatrix, out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, out);
    let symmetric = matrix.is_symmetric();
    let kind = match matrix.values() {
        Values::Ones => 0u64,
        Values::F32(_) => 1,
        Values::F64(_) => 2,
    };
    out.write_all(MAGIC)?;
    let sizes = [matrix.rows() as u64, matrix.cols() as u64, matrix.nnz() as u64];
    let signed = |hash| sign(hash, sizes, [kind, u64::from(symmetric)]);
    for field in
        sizes.into_iter().chain([kind, u64::from(symmetric), signed(hash(matrix, false)), 0])
    {
        out.write_all(&field.to_le_bytes())?;
    }
    write_arrays(matrix, &mut out)?;
    if !symmetric {
        let transposed = matrix.known_transpose();
        let transposed = transposed.unwrap_or_else(|| Arc::new(matrix.transposed()));
        write_arrays(&transposed, &mut out)?;
    }
    out.flush()
}

fn write_arrays(matrix: &SparseMatrix, out: &mut impl Write) -> io::Result<()> {
    let numbers = |out: &mut dyn Write, count: usize, each: usize| -> io::Result<()> {
        out.write_all(&[0; ALIGN][..padding(count * each)])
    };
    matrix.indptr().iter().try_for_each(|p| out.write_all(&p.to_le_bytes()))?;
    numbers(out, matrix.indptr().len(), 8)?;
    matrix.indices().iter().try_for_each(|i| out.write_all(&i.to_le_bytes()))?;
    numbers(out, matrix.nnz(), 4)?;
    match matrix.values() {
        Values::Ones => Ok(()),
        Values::F32(values) => {
            values.iter().try_for_each(|v| out.write_all(&v.to_le_bytes()))?;
            numbers(out, matrix.nnz(), 4)
        }
        Values::F64(values) => {
            values.iter().try_for_each(|v| out.write_all(&v.to_le_bytes()))?;
            numbers(out, matrix.nnz(), 8)
        }
    }
}

/// Bytes up to the next multiple of [`ALIGN`].
fn padding(bytes: usize) -> usize {
    bytes.next_multiple_of(ALIGN) - bytes
}

/// A number that all entries together have, in whichever order they are: the transpose has it, too.
fn hash(matrix: &SparseMatrix, transposed: bool) -> u64 {
    use rayon::prelude::*;
    (0..matrix.rows())
        .into_par_iter()
        .map(|row| {
            let of = |(column, value): (u32, f64)| {
                let (i, j) = (row as u64, u64::from(column));
                let (i, j) = if transposed { (j, i) } else { (i, j) };
                mix(mix(i ^ mix(j)) ^ value.to_bits())
            };
            matrix.row(row).map(of).fold(0u64, u64::wrapping_add)
        })
        .reduce(|| 0, u64::wrapping_add)
}

/// The hash of the entries, with the header.
fn sign(hash: u64, sizes: [u64; 3], kinds: [u64; 2]) -> u64 {
    sizes.into_iter().chain(kinds).fold(hash, |hash, field| mix(hash ^ mix(field)))
}

/// Maps a `.csr` file. The file must not be changed as long as the matrix is in use.
pub fn read_csr(path: impl AsRef<Path>) -> Result<SparseMatrix, ReadError> {
    let path = path.as_ref();
    let source = open(path, "a mapped matrix (.csr)")?;
    let fail = |at: u64, found: String, expected: &'static str| {
        let hint = Hint::Rebuild(Artifact::Csr);
        ReadError::malformed(path, Place::Byte(at), found, expected, hint)
    };
    if cfg!(target_endian = "big") {
        return Err(fail(0, "a big-endian machine".to_owned(), "little-endian numbers"));
    }
    let map = map(source.file.whole()).map_err(|e| ReadError::from_io(path, Place::File, e))?;
    if map.len() < ALIGN || &map[..8] != MAGIC {
        return Err(fail(0, "another kind of file".to_owned(), "the magic GAGECSR1"));
    }
    let field = |at: usize| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&map[8 * at..8 * at + 8]);
        u64::from_le_bytes(bytes)
    };
    let (kind, symmetric, expected_hash) = (field(4), field(5), field(6));
    let fields = [field(1), field(2), field(3)];
    let sizes = fields.map(usize::try_from);
    let [Ok(rows), Ok(cols), Ok(entries)] = sizes else {
        return Err(fail(8, "sizes beyond this machine".to_owned(), "sizes that can be addressed"));
    };
    if kind > 2 || symmetric > 1 || (symmetric == 1 && rows != cols) {
        return Err(fail(32, format!("kind {kind}, symmetry {symmetric}"), "a known kind"));
    }
    let mut arrays = Arrays { map: &map, at: ALIGN };
    let matrix = arrays.take(rows, cols, entries, kind);
    let matrix = matrix.map_err(|(at, found)| fail(at, found, "a sparse matrix"))?;
    let transposed = match symmetric {
        1 => None,
        _ => Some(arrays.take(cols, rows, entries, kind))
            .transpose()
            .map_err(|(at, found)| fail(at, found, "the transposed matrix"))?,
    };
    if arrays.at != map.len() {
        return Err(fail(arrays.at as u64, format!("{} bytes", map.len()), "the end of the file"));
    }
    let other = transposed.as_ref().map_or_else(|| hash(&matrix, true), |t| hash(t, true));
    let [own, other] =
        [hash(&matrix, false), other].map(|hash| sign(hash, fields, [kind, symmetric]));
    if own != expected_hash || other != expected_hash {
        return Err(fail(56, "entries of another hash".to_owned(), "undamaged entries"));
    }
    Ok(match transposed {
        Some(transposed) => matrix.with_transpose(Arc::new(transposed)),
        None => matrix,
    })
}

#[allow(unsafe_code, reason = "mapping is what the format is for")]
fn map(file: &File) -> io::Result<Arc<Mmap>> {
    // SAFETY: the mapping is read-only. That nobody else changes the file while it is in use cannot
    // be enforced by any system call; it is what the documentation of the format requires, as
    // everywhere files are mapped.
    unsafe { Mmap::map(file) }.map(Arc::new)
}

/// Arrays one after another.
struct Arrays<'a> {
    map: &'a Arc<Mmap>,
    at: usize,
}

/// Part of a mapped file.
struct Part<T> {
    map: Arc<Mmap>,
    begin: usize,
    end: usize,
    number: std::marker::PhantomData<T>,
}

impl<T: bytemuck::AnyBitPattern + Send + Sync> AsRef<[T]> for Part<T> {
    fn as_ref(&self) -> &[T] {
        bytemuck::cast_slice(&self.map[self.begin..self.end])
    }
}

impl Arrays<'_> {
    fn part<T: bytemuck::AnyBitPattern + Send + Sync>(
        &mut self,
        count: usize,
    ) -> Result<Buffer<T>, (u64, String)> {
        let begin = self.at;
        let end = count.checked_mul(size_of::<T>()).and_then(|bytes| begin.checked_add(bytes));
        let next = end.and_then(|end| end.checked_next_multiple_of(ALIGN));
        match (end, next) {
            (Some(end), Some(next)) if next <= self.map.len() => {
                self.at = next;
                let map = Arc::clone(self.map);
                Ok(Buffer::shared(Arc::new(Part {
                    map,
                    begin,
                    end,
                    number: std::marker::PhantomData,
                })))
            }
            _ => Err((begin as u64, format!("a file of {} bytes, cut short", self.map.len()))),
        }
    }

    fn take(
        &mut self,
        rows: usize,
        cols: usize,
        entries: usize,
        kind: u64,
    ) -> Result<SparseMatrix, (u64, String)> {
        let begin = self.at as u64;
        let pointers = self.part::<u64>(rows.saturating_add(1))?;
        let indices = self.part::<u32>(entries)?;
        let values = match kind {
            0 => Values::Ones,
            1 => Values::F32(self.part::<f32>(entries)?),
            _ => Values::F64(self.part::<f64>(entries)?),
        };
        let first = indices.as_ptr();
        let matrix = SparseMatrix::new(rows, cols, pointers, indices, values)
            .map_err(|error| (begin, error.to_string()))?;
        // Rows out of order would have been copied into order.
        if matrix.indices().as_ptr() != first {
            return Err((begin, "columns out of order".to_owned()));
        }
        Ok(matrix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrices() -> Vec<SparseMatrix> {
        let make = |rows, cols, entries: &[(u32, u32, f64)]| {
            SparseMatrix::from_triplets(rows, cols, entries).unwrap()
        };
        vec![
            make(3, 3, &[(0, 1, 1.0), (1, 0, 1.0), (2, 2, 1.0)]),
            make(4, 2, &[(0, 1, 0.5), (3, 0, 2.0)]),
            make(2, 5, &[(0, 4, 0.1), (1, 1, 1.0 / 3.0), (1, 2, -7.0)]),
            make(5, 5, &[]),
            make(1, 1, &[(0, 0, 1.0)]),
        ]
    }

    fn bytes_of(matrix: &SparseMatrix) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_csr(matrix, &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn what_is_written_is_mapped_again_with_its_transpose() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.csr");
        for matrix in matrices() {
            std::fs::write(&path, bytes_of(&matrix)).unwrap();
            let mapped = read_csr(&path).unwrap();
            assert_eq!(mapped, matrix);
            match mapped.known_transpose() {
                Some(transposed) => assert_eq!(*transposed, matrix.transposed()),
                None => assert!(matrix.is_symmetric()),
            }
        }
    }

    #[test]
    fn damaged_files_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.csr");
        for matrix in matrices() {
            let good = bytes_of(&matrix);
            for length in 0..good.len() {
                std::fs::write(&path, &good[..length]).unwrap();
                assert!(read_csr(&path).is_err(), "{length} of {} bytes", good.len());
            }
            for at in 0..good.len() {
                for flip in [1u8, 0x80] {
                    let mut bad = good.clone();
                    bad[at] ^= flip;
                    std::fs::write(&path, &bad).unwrap();
                    // Filling and the spare field of the header may be anything; all else is
                    // noticed.
                    if let Ok(read) = read_csr(&path) {
                        assert_eq!(read, matrix, "byte {at}");
                    }
                }
            }
        }
    }
}
