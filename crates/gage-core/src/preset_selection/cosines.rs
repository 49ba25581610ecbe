//! Cosines of many pairs of rows of an attribute table, with tf-idf weights.

use rayon::prelude::*;

use crate::graph::{Block, Mask, Matrix};
use crate::views::{Totals, each_entry, inverse_document_frequencies};
use gage_linalg::Values;
use gage_linalg::random::mix;

/// Number of random splits of the columns into halves.
pub(super) const SPLITS: usize = 4;

/// Sampled pairs at most. The standard error of a mean cosine is then below 0.002.
const MAX_PAIRS: usize = 200_000;

/// Nonzeros read for all pairs, about: tables with long rows get fewer pairs.
const SAMPLED_NONZEROS: usize = 6_000_000;

/// Sampled pairs at least, for a standard error below 0.005.
const MIN_PAIRS: usize = 10_000;

/// A number below `bound` that depends on seed and position only.
pub(super) fn draw(seed: u64, position: u64, bound: usize) -> usize {
    let number = mix(seed ^ position.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    ((u128::from(number) * bound as u128) >> 64) as usize
}

/// Seed of one split.
pub(super) fn split_salt(seed: u64, split: usize) -> u64 {
    mix(seed ^ mix(0xd1f1_de00 ^ split as u64))
}

/// The inverse document frequency of every column.
pub(super) fn column_idf(block: &Block) -> Vec<f64> {
    inverse_document_frequencies(&block.matrix, block.observed.as_ref(), &Totals::ALONE)
}

/// The cosine table of a block with random splits; see [`CosineTable::new`].
pub(super) fn cosine_table<'a>(
    block: &'a Block,
    idf: &'a [f64],
    seed: u64,
) -> Option<CosineTable<'a>> {
    let second = |split, column| mix(split_salt(seed, split) ^ mix(column as u64)) & 1 == 1;
    CosineTable::new(block, idf, second)
}

/// An attribute table with tf-idf weights applied on the fly and columns split into halves.
pub(super) struct CosineTable<'a> {
    matrix: &'a Matrix,
    observed: Option<&'a Mask>,
    idf: &'a [f64],
    /// The half of every column: one bit per split.
    halves: Vec<u8>,
    /// Squared norm of every row, and of its first half in each split.
    squares: Vec<[f64; 1 + SPLITS]>,
}

impl<'a> CosineTable<'a> {
    /// `second(split, column)` is whether a column belongs to the second half of a split.
    /// `None` for tables with negative entries, where a ratio of mean cosines is meaningless.
    fn new(
        block: &'a Block,
        idf: &'a [f64],
        second: impl Fn(usize, usize) -> bool,
    ) -> Option<CosineTable<'a>> {
        let matrix = &block.matrix;
        let signed = (0..matrix.rows()).into_par_iter().any(|row| {
            let mut negative = false;
            each_entry(matrix, row, |_, value| negative |= value < 0.0);
            negative
        });
        if signed {
            return None;
        }
        let bits = |column| (0..SPLITS).fold(0, |bits, d| bits | u8::from(second(d, column)) << d);
        let halves: Vec<u8> = (0..matrix.cols()).map(bits).collect();
        // One pass over the nonzeros computes all squares.
        let weights: Vec<[f64; 1 + SPLITS]> = idf
            .iter()
            .zip(&halves)
            .map(|(idf, bits)| {
                let counts = |part: usize| part == 0 || bits >> (part - 1) & 1 == 0;
                std::array::from_fn(|part| if counts(part) { idf * idf } else { 0.0 })
            })
            .collect();
        let rows = (0..matrix.rows()).into_par_iter();
        let squares =
            rows.map(|row| weighted_sums(matrix, row, |value| value * value, &weights)).collect();
        Some(CosineTable { matrix, observed: block.observed.as_ref(), idf, halves, squares })
    }

    /// Squared norms of both halves of a row; without a split, of the whole row and of nothing.
    fn squared_norms(&self, row: usize, split: Option<usize>) -> [f64; 2] {
        let squares = &self.squares[row];
        split.map_or([squares[0], 0.0], |d| [squares[1 + d], squares[0] - squares[1 + d]])
    }

    /// Rows and columns.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.matrix.rows(), self.matrix.cols())
    }

    /// Number of pairs to sample.
    pub(super) fn pair_count(&self) -> usize {
        let mean_nonzeros = self.matrix.nnz() / self.matrix.rows().max(1);
        (SAMPLED_NONZEROS / mean_nonzeros.max(1)).clamp(MIN_PAIRS, MAX_PAIRS)
    }

    /// Cosines of pairs of rows by either half of the columns; without a split, by all columns and
    /// by none. Pairs with an unobserved row, and pairs of a row with itself, are left out.
    ///
    /// Pairs are grouped by their first row, which is expanded to a dense vector once per group.
    pub(super) fn cosines(
        &self,
        pairs: impl IntoParallelIterator<Item = (usize, usize)>,
        split: Option<usize>,
    ) -> Vec<[f64; 2]> {
        let known = |node: usize| self.observed.is_none_or(|mask| mask.contains(node));
        let of_column = |(idf, bits): (&f64, &u8)| {
            let second = split.is_some_and(|d| bits >> d & 1 == 1);
            if second { [0.0, idf * idf] } else { [idf * idf, 0.0] }
        };
        let weights: Vec<[f64; 2]> = self.idf.iter().zip(&self.halves).map(of_column).collect();
        let usable = |&(i, j): &(usize, usize)| i != j && known(i) && known(j);
        let mut pairs: Vec<(usize, usize)> = pairs.into_par_iter().filter(usable).collect();
        // Equal pairs are indistinguishable, so an unstable sort is deterministic.
        pairs.par_sort_unstable();
        let of_group = |dense: &mut Vec<[f64; 2]>, group: &[(usize, usize)]| {
            let Some(&(i, _)) = group.first() else { return Vec::new() };
            each_entry(self.matrix, i, |col, value| {
                dense[col] = weights[col].map(|weight| value * weight);
            });
            let cosines = group.iter().map(|&(_, j)| {
                let dots = weighted_sums(self.matrix, j, |value| value, dense);
                let squares = [i, j].map(|row| self.squared_norms(row, split));
                std::array::from_fn(|half| {
                    let norms = (squares[0][half] * squares[1][half]).sqrt();
                    if norms > 0.0 { dots[half] / norms } else { 0.0 }
                })
            });
            let cosines: Vec<[f64; 2]> = cosines.collect();
            each_entry(self.matrix, i, |col, _| dense[col] = [0.0; 2]);
            cosines
        };
        let groups = pairs.par_chunk_by(|left, right| left.0 == right.0);
        let found: Vec<Vec<[f64; 2]>> =
            groups.map_init(|| vec![[0.0; 2]; self.matrix.cols()], of_group).collect();
        found.into_iter().flatten().collect()
    }
}

/// `sum_j term(x_j) w_j` over the nonzeros of a row, for each weight of a column.
fn weighted_sums<const N: usize>(
    matrix: &Matrix,
    row: usize,
    term: impl Fn(f64) -> f64,
    weights: &[[f64; N]],
) -> [f64; N] {
    if let Matrix::Sparse(matrix) = matrix {
        let span = matrix.row_range(row);
        let columns = &matrix.indices()[span.clone()];
        match matrix.values() {
            Values::Ones => return interleaved_sums(columns, columns, |_| term(1.0), weights),
            Values::F32(values) => {
                let term = |value: f32| term(f64::from(value));
                return interleaved_sums(columns, &values[span], term, weights);
            }
            Values::F64(values) => return interleaved_sums(columns, &values[span], term, weights),
        }
    }
    let mut sums = [0.0; N];
    each_entry(matrix, row, |col, value| {
        let value = term(value);
        sums.iter_mut().zip(&weights[col]).for_each(|(sum, weight)| *sum += value * weight);
    });
    sums
}

/// As [`weighted_sums`], with interleaved accumulators that hide the latency of additions.
fn interleaved_sums<V: Copy, const N: usize>(
    columns: &[u32],
    values: &[V],
    term: impl Fn(V) -> f64,
    weights: &[[f64; N]],
) -> [f64; N] {
    const ACCUMULATORS: usize = 4;
    let mut sums = [[0.0; N]; ACCUMULATORS];
    let mut add = |columns: &[u32], values: &[V]| {
        for ((sum, &col), &value) in sums.iter_mut().zip(columns).zip(values) {
            let (weights, value) = (&weights[col as usize], term(value));
            sum.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += value * weight);
        }
    };
    let (columns, values) = (columns.chunks_exact(ACCUMULATORS), values.chunks_exact(ACCUMULATORS));
    let last = (columns.remainder(), values.remainder());
    columns.zip(values).for_each(|(columns, values)| add(columns, values));
    add(last.0, last.1);
    std::array::from_fn(|half| sums.iter().map(|sum| sum[half]).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use gage_linalg::SparseMatrix;

    #[test]
    fn cosines_follow_their_definition() {
        let entries: Vec<(u32, u32, f64)> = (0..40u32)
            .flat_map(|i| (0..9).map(move |j| (i, j, f64::from((i * j + j) % 4))))
            .filter(|entry| entry.2 > 0.0)
            .collect();
        let matrix = SparseMatrix::from_triplets(40, 9, &entries).unwrap();
        let mut block = Block::attributes("attributes", matrix);
        block.observed = Some(Mask::new((0..40).map(|i| i != 7).collect()));
        let idf = column_idf(&block);
        let second = |split: usize, column: usize| (column >> split) % 2 == 1;
        let table = CosineTable::new(&block, &idf, second).unwrap();
        let row = |i: usize| {
            let mut row = [0.0; 9];
            each_entry(&block.matrix, i, |col, value| row[col] = value * table.idf[col]);
            row
        };
        let cosine = |i: usize, j: usize, wanted: &dyn Fn(usize) -> bool| {
            let (a, b) = (row(i), row(j));
            let columns = || (0..9).filter(|&column| wanted(column));
            let dot = |a: &[f64; 9], b: &[f64; 9]| columns().map(|c| a[c] * b[c]).sum::<f64>();
            let norms = (dot(&a, &a) * dot(&b, &b)).sqrt();
            if norms > 0.0 { dot(&a, &b) / norms } else { 0.0 }
        };
        let pairs: Vec<(usize, usize)> = (0..300).map(|at| (at * 7 % 40, at * at % 40)).collect();
        let mut usable: Vec<_> =
            pairs.iter().copied().filter(|&(i, j)| i != j && i != 7 && j != 7).collect();
        usable.sort_unstable();
        for split in [None, Some(0), Some(3)] {
            let found = table.cosines(pairs.clone(), split);
            assert_eq!(found.len(), usable.len());
            for (&(i, j), found) in usable.iter().zip(found) {
                for (half, found) in found.into_iter().enumerate() {
                    let own = |column| split.is_some_and(|d| second(d, column)) == (half == 1);
                    assert!((found - cosine(i, j, &own)).abs() < 1e-12, "{i} {j} {split:?}");
                }
            }
        }
        let negative = SparseMatrix::from_triplets(2, 2, &[(0, 1, -1.0)]).unwrap();
        let negative = Block::attributes("attributes", negative);
        assert!(CosineTable::new(&negative, &[0.0; 2], |_, _| false).is_none());
    }
}
