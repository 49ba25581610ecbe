//! The rows of one block in one part, as bytes.
//!
//! Little-endian: the magic; rows, columns, entries, kind of numbers (0 all ones, 1 `f32`, 2 `f64`,
//! 3 and 4 the same for dense rows) and whether there is a mask, as `u64`; then, of sparse rows,
//! pointers (`u64`) and columns (`u32`), the numbers, and one byte for each row of the mask.

use gage_core::graph::{Block, Mask, Matrix};
use gage_linalg::{DenseMatrix, DenseValues, SparseMatrix, Values};

const MAGIC: &[u8; 8] = b"GAGEROW1";

/// The rows of a block as bytes.
pub(super) fn to_bytes(block: &Block) -> Vec<u8> {
    let matrix = &block.matrix;
    let kind = match matrix {
        Matrix::Sparse(sparse) => match sparse.values() {
            Values::Ones => 0u64,
            Values::F32(_) => 1,
            Values::F64(_) => 2,
        },
        Matrix::Dense(dense) => match dense.values() {
            DenseValues::F32(_) => 3,
            DenseValues::F64(_) => 4,
        },
    };
    let mut out = MAGIC.to_vec();
    let masked = u64::from(block.observed.is_some());
    for number in [matrix.rows() as u64, matrix.cols() as u64, matrix.nnz() as u64, kind, masked] {
        out.extend(number.to_le_bytes());
    }
    match matrix {
        Matrix::Sparse(sparse) => {
            out.extend(sparse.indptr().iter().flat_map(|p| p.to_le_bytes()));
            out.extend(sparse.indices().iter().flat_map(|i| i.to_le_bytes()));
            match sparse.values() {
                Values::Ones => {}
                Values::F32(values) => out.extend(values.iter().flat_map(|v| v.to_le_bytes())),
                Values::F64(values) => out.extend(values.iter().flat_map(|v| v.to_le_bytes())),
            }
        }
        Matrix::Dense(dense) => match dense.values() {
            DenseValues::F32(values) => out.extend(values.iter().flat_map(|v| v.to_le_bytes())),
            DenseValues::F64(values) => out.extend(values.iter().flat_map(|v| v.to_le_bytes())),
        },
    }
    if let Some(mask) = &block.observed {
        out.extend(mask.as_slice().iter().map(|&seen| u8::from(seen)));
    }
    out
}

/// Rows that were read, with their mask.
pub(super) type Rows = (Matrix, Option<Mask>);

/// The rows that bytes hold; what is wrong with them otherwise.
pub(super) fn from_bytes(bytes: &[u8]) -> Result<Rows, String> {
    let rest = bytes.strip_prefix(MAGIC).ok_or("another kind of file")?;
    let mut input = Input { rest };
    let mut header = [0u64; 5];
    header.copy_from_slice(&input.numbers::<u64, 8>(5, u64::from_le_bytes)?);
    let [rows, cols, entries] = [header[0], header[1], header[2]]
        .map(|size| usize::try_from(size).map_err(|_| format!("a size of {size}")));
    let (rows, cols, entries) = (rows?, cols?, entries?);
    let kind = header[3];
    let matrix = if kind < 3 {
        let pointers = rows.checked_add(1).ok_or("too many rows")?;
        let pointers = input.numbers::<u64, 8>(pointers, u64::from_le_bytes)?;
        let indices = input.numbers::<u32, 4>(entries, u32::from_le_bytes)?;
        let values = match kind {
            0 => Values::Ones,
            1 => Values::F32(input.numbers::<f32, 4>(entries, f32::from_le_bytes)?.into()),
            _ => Values::F64(input.numbers::<f64, 8>(entries, f64::from_le_bytes)?.into()),
        };
        let matrix = SparseMatrix::new(rows, cols, pointers, indices, values);
        Matrix::Sparse(matrix.map_err(|error| error.to_string())?)
    } else {
        let values = match kind {
            3 => DenseValues::F32(input.numbers::<f32, 4>(entries, f32::from_le_bytes)?.into()),
            4 => DenseValues::F64(input.numbers::<f64, 8>(entries, f64::from_le_bytes)?.into()),
            _ => return Err(format!("numbers of kind {kind}")),
        };
        let dense = DenseMatrix::new(rows, cols, values);
        Matrix::Dense(dense.ok_or_else(|| format!("{entries} numbers for {rows} x {cols}"))?)
    };
    let mask = match header[4] {
        0 => None,
        _ => Some(Mask::new(input.take(rows)?.iter().map(|&seen| seen != 0).collect())),
    };
    if input.rest.is_empty() { Ok((matrix, mask)) } else { Err("bytes after the end".to_owned()) }
}

/// What is still to be read.
struct Input<'a> {
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    fn take(&mut self, bytes: usize) -> Result<&'a [u8], String> {
        let (head, rest) = self
            .rest
            .split_at_checked(bytes)
            .ok_or_else(|| format!("{} bytes where {bytes} should be", self.rest.len()))?;
        self.rest = rest;
        Ok(head)
    }

    fn numbers<T, const BYTES: usize>(
        &mut self,
        count: usize,
        number: impl Fn([u8; BYTES]) -> T,
    ) -> Result<Vec<T>, String> {
        let bytes = self.take(count.checked_mul(BYTES).ok_or("a size beyond memory")?)?;
        let number = |chunk: &[u8]| {
            let mut array = [0; BYTES];
            array.copy_from_slice(chunk);
            number(array)
        };
        Ok(bytes.chunks_exact(BYTES).map(number).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_every_kind_come_back_and_cut_ones_are_told() {
        let entries = [(0, 1, 0.5), (1, 0, 1.0), (1, 3, 1.0 / 3.0)];
        let sparse = |last: usize| SparseMatrix::from_triplets(2, 4, &entries[..last]).unwrap();
        let ones = SparseMatrix::from_triplets(2, 4, &[(0, 0, 1.0)]).unwrap();
        let dense = DenseMatrix::from_f64(2, 2, vec![0.1, f64::NAN, 2.0, 3.0]).unwrap();
        let half = DenseMatrix::new(2, 1, DenseValues::F32(vec![0.5f32, 2.0].into())).unwrap();
        let blocks: [Matrix; 5] =
            [sparse(2).into(), sparse(3).into(), ones.into(), dense.into(), half.into()];
        for matrix in blocks {
            let block = Block::attributes("x", matrix.clone()).observing(vec![true, false]);
            let bytes = to_bytes(&block);
            let (found, mask) = from_bytes(&bytes).unwrap();
            assert_eq!(to_bytes(&Block { matrix: found, observed: mask, ..block }), bytes);
            for length in 0..bytes.len() {
                assert!(from_bytes(&bytes[..length]).is_err(), "{length}");
            }
        }
    }
}
