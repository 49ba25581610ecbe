//! Cosines of many pairs of rows of an attribute table.

use rayon::prelude::*;

use crate::graph::{Block, Mask, Matrix};
use crate::views::{each_entry, inverse_document_frequencies};
use gage_linalg::Values;

/// The inverse document frequency of every column.
pub(super) fn frequencies(block: &Block) -> Vec<f64> {
    inverse_document_frequencies(&block.matrix, block.observed.as_ref())
}

/// Ways to divide the columns into halves.
pub(super) const DIVISIONS: usize = 4;

/// Attributes with tf-idf weights that are applied on the fly, their columns divided into halves in several ways.
pub(super) struct Table<'a> {
    matrix: &'a Matrix,
    observed: Option<&'a Mask>,
    idf: &'a [f64],
    /// Which half a column belongs to: a bit for each division.
    halves: Vec<u8>,
    /// Squared length of every row, and of its first half by each division.
    squares: Vec<[f64; 1 + DIVISIONS]>,
}

impl<'a> Table<'a> {
    /// Nothing if there are negative numbers, for which a ratio of cosines means little. `second(division, column)` says
    /// whether a column belongs to the second half.
    pub(super) fn new(
        block: &'a Block,
        idf: &'a [f64],
        second: impl Fn(usize, usize) -> bool,
    ) -> Option<Table<'a>> {
        let matrix = &block.matrix;
        let signed = (0..matrix.rows()).into_par_iter().any(|row| {
            let mut negative = false;
            each_entry(matrix, row, |_, value| negative |= value < 0.0);
            negative
        });
        if signed {
            return None;
        }
        let bits =
            |column| (0..DIVISIONS).fold(0, |bits, d| bits | u8::from(second(d, column)) << d);
        let halves: Vec<u8> = (0..matrix.cols()).map(bits).collect();
        // All squares in one walk through the entries.
        let weights: Vec<[f64; 1 + DIVISIONS]> = idf
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
        Some(Table { matrix, observed: block.observed.as_ref(), idf, halves, squares })
    }

    /// Squared lengths of both halves of a row; without a division, of the whole row and of nothing.
    fn lengths(&self, row: usize, division: Option<usize>) -> [f64; 2] {
        let squares = &self.squares[row];
        division.map_or([squares[0], 0.0], |d| [squares[1 + d], squares[0] - squares[1 + d]])
    }

    /// Rows and columns.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.matrix.rows(), self.matrix.cols())
    }

    /// Entries of a row, on average.
    pub(super) fn mean_length(&self) -> usize {
        self.matrix.nnz() / self.matrix.rows().max(1)
    }

    /// Cosines of pairs of rows by the columns of either half, or by all columns and by none; of pairs of two rows that are
    /// both known.
    ///
    /// Pairs are looked at by their first row, which is written out once for all of them.
    pub(super) fn cosines(
        &self,
        pairs: impl IntoParallelIterator<Item = (usize, usize)>,
        division: Option<usize>,
    ) -> Vec<[f64; 2]> {
        let known = |node: usize| self.observed.is_none_or(|mask| mask.contains(node));
        let of_column = |(idf, bits): (&f64, &u8)| {
            let second = division.is_some_and(|d| bits >> d & 1 == 1);
            if second { [0.0, idf * idf] } else { [idf * idf, 0.0] }
        };
        let weights: Vec<[f64; 2]> = self.idf.iter().zip(&self.halves).map(of_column).collect();
        let usable = |&(i, j): &(usize, usize)| i != j && known(i) && known(j);
        let mut pairs: Vec<(usize, usize)> = pairs.into_par_iter().filter(usable).collect();
        // Equal pairs are equal in everything, so the order is the same whatever sorts them.
        pairs.par_sort_unstable();
        let of_group = |written_out: &mut Vec<[f64; 2]>, group: &[(usize, usize)]| {
            let Some(&(i, _)) = group.first() else { return Vec::new() };
            each_entry(self.matrix, i, |col, value| {
                written_out[col] = weights[col].map(|weight| value * weight);
            });
            let cosines = group.iter().map(|&(_, j)| {
                let dots = weighted_sums(self.matrix, j, |value| value, written_out);
                let squares = [i, j].map(|row| self.lengths(row, division));
                std::array::from_fn(|half| {
                    let lengths = (squares[0][half] * squares[1][half]).sqrt();
                    if lengths > 0.0 { dots[half] / lengths } else { 0.0 }
                })
            });
            let cosines: Vec<[f64; 2]> = cosines.collect();
            each_entry(self.matrix, i, |col, _| written_out[col] = [0.0; 2]);
            cosines
        };
        let groups = pairs.par_chunk_by(|left, right| left.0 == right.0);
        let found: Vec<Vec<[f64; 2]>> =
            groups.map_init(|| vec![[0.0; 2]; self.matrix.cols()], of_group).collect();
        found.into_iter().flatten().collect()
    }
}

/// `sum_j term(x_j) w_j` over the entries of a row, for all weights of a column.
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
            Values::Ones => return sums_in_turn(columns, columns, |_| term(1.0), weights),
            Values::F32(values) => {
                let term = |value: f32| term(f64::from(value));
                return sums_in_turn(columns, &values[span], term, weights);
            }
            Values::F64(values) => return sums_in_turn(columns, &values[span], term, weights),
        }
    }
    let mut sums = [0.0; N];
    each_entry(matrix, row, |col, value| {
        let value = term(value);
        sums.iter_mut().zip(&weights[col]).for_each(|(sum, weight)| *sum += value * weight);
    });
    sums
}

/// As [`weighted_sums`]. Four sums take turns: additions to a single one would wait for each other.
fn sums_in_turn<V: Copy, const N: usize>(
    columns: &[u32],
    values: &[V],
    term: impl Fn(V) -> f64,
    weights: &[[f64; N]],
) -> [f64; N] {
    const TURNS: usize = 4;
    let mut sums = [[0.0; N]; TURNS];
    let mut add = |columns: &[u32], values: &[V]| {
        for ((sum, &col), &value) in sums.iter_mut().zip(columns).zip(values) {
            let (weights, value) = (&weights[col as usize], term(value));
            sum.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += value * weight);
        }
    };
    let (columns, values) = (columns.chunks_exact(TURNS), values.chunks_exact(TURNS));
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
        let idf = frequencies(&block);
        let second = |division: usize, column: usize| (column >> division) % 2 == 1;
        let table = Table::new(&block, &idf, second).unwrap();
        let row = |i: usize| {
            let mut row = [0.0; 9];
            each_entry(&block.matrix, i, |col, value| row[col] = value * table.idf[col]);
            row
        };
        let cosine = |i: usize, j: usize, wanted: &dyn Fn(usize) -> bool| {
            let (a, b) = (row(i), row(j));
            let columns = || (0..9).filter(|&column| wanted(column));
            let dot = |a: &[f64; 9], b: &[f64; 9]| columns().map(|c| a[c] * b[c]).sum::<f64>();
            let lengths = (dot(&a, &a) * dot(&b, &b)).sqrt();
            if lengths > 0.0 { dot(&a, &b) / lengths } else { 0.0 }
        };
        let pairs: Vec<(usize, usize)> = (0..300).map(|at| (at * 7 % 40, at * at % 40)).collect();
        let mut usable: Vec<_> =
            pairs.iter().copied().filter(|&(i, j)| i != j && i != 7 && j != 7).collect();
        usable.sort_unstable();
        for division in [None, Some(0), Some(3)] {
            let found = table.cosines(pairs.clone(), division);
            assert_eq!(found.len(), usable.len());
            for (&(i, j), found) in usable.iter().zip(found) {
                for (half, found) in found.into_iter().enumerate() {
                    let own = |column| division.is_some_and(|d| second(d, column)) == (half == 1);
                    assert!((found - cosine(i, j, &own)).abs() < 1e-12, "{i} {j} {division:?}");
                }
            }
        }
        let negative = SparseMatrix::from_triplets(2, 2, &[(0, 1, -1.0)]).unwrap();
        let negative = Block::attributes("attributes", negative);
        assert!(Table::new(&negative, &[0.0; 2], |_, _| false).is_none());
    }
}
