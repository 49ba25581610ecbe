//! Cosines of many pairs of rows of an attribute table.

use rayon::prelude::*;

use crate::graph::{Block, Mask, Matrix};
use crate::linalg::Values;
use crate::views::{each_entry, inverse_document_frequencies};

/// The inverse document frequency of every column.
pub(super) fn frequencies(block: &Block) -> Vec<f64> {
    inverse_document_frequencies(&block.matrix, block.observed.as_ref())
}

/// Attributes with tf-idf weights that are applied on the fly.
pub(super) struct Table<'a> {
    matrix: &'a Matrix,
    observed: Option<&'a Mask>,
    idf: &'a [f64],
}

impl<'a> Table<'a> {
    /// Nothing if there are negative numbers, for which a ratio of cosines means little.
    pub(super) fn new(block: &'a Block, idf: &'a [f64]) -> Option<Table<'a>> {
        let matrix = &block.matrix;
        let signed = (0..matrix.rows()).into_par_iter().any(|row| {
            let mut negative = false;
            each_entry(matrix, row, |_, value| negative |= value < 0.0);
            negative
        });
        let observed = block.observed.as_ref();
        (!signed).then_some(Table { matrix, observed, idf })
    }

    /// Rows and columns.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.matrix.rows(), self.matrix.cols())
    }

    /// Entries of a row, on average.
    pub(super) fn mean_length(&self) -> usize {
        self.matrix.entries() / self.matrix.rows().max(1)
    }

    /// Cosines of pairs of rows by the columns of either part; of pairs of two rows that are both known.
    ///
    /// Pairs are looked at by their first row, which is written out once for all of them.
    pub(super) fn cosines(
        &self,
        pairs: impl IntoParallelIterator<Item = (usize, usize)>,
        part: impl Fn(usize) -> usize + Sync,
    ) -> Vec<[f64; 2]> {
        let known = |node: usize| self.observed.is_none_or(|mask| mask.contains(node));
        let part: Vec<u8> = (0..self.matrix.cols()).map(|col| part(col) as u8).collect();
        let own = |col: usize, value: f64| -> [f64; 2] {
            std::array::from_fn(|half| if part[col] == half as u8 { value } else { 0.0 })
        };
        let weights: Vec<[f64; 2]> =
            self.idf.iter().enumerate().map(|(col, idf)| own(col, idf * idf)).collect();
        let rows = (0..self.matrix.rows()).into_par_iter();
        let squares: Vec<[f64; 2]> = rows
            .map(|row| weighted_sums(self.matrix, row, |value| value * value, &weights))
            .collect();
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
                std::array::from_fn(|half| {
                    let lengths = (squares[i][half] * squares[j][half]).sqrt();
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

/// `sum_j term(x_j) w_j` over the entries of a row, for both weights of a column.
fn weighted_sums(
    matrix: &Matrix,
    row: usize,
    term: impl Fn(f64) -> f64,
    weights: &[[f64; 2]],
) -> [f64; 2] {
    if let Matrix::Sparse(matrix) = matrix {
        let span = matrix.span(row);
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
    let mut sums = [0.0; 2];
    each_entry(matrix, row, |col, value| {
        let [first, second] = weights[col];
        sums = [sums[0] + term(value) * first, sums[1] + term(value) * second];
    });
    sums
}

/// As [`weighted_sums`]. Four sums take turns: additions to a single one would wait for each other.
fn sums_in_turn<V: Copy>(
    columns: &[u32],
    values: &[V],
    term: impl Fn(V) -> f64,
    weights: &[[f64; 2]],
) -> [f64; 2] {
    const TURNS: usize = 4;
    let mut sums = [[0.0; 2]; TURNS];
    let mut add = |columns: &[u32], values: &[V]| {
        for ((sum, &col), &value) in sums.iter_mut().zip(columns).zip(values) {
            let ([first, second], value) = (weights[col as usize], term(value));
            *sum = [sum[0] + value * first, sum[1] + value * second];
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
    use crate::linalg::SparseMatrix;

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
        let table = Table::new(&block, &idf).unwrap();
        let row = |i: usize| {
            let mut row = [0.0; 9];
            each_entry(&block.matrix, i, |col, value| row[col] = value * table.idf[col]);
            row
        };
        let cosine = |i: usize, j: usize, half: usize| {
            let (a, b) = (row(i), row(j));
            let columns = || (0..9).filter(|col| col % 2 == half);
            let dot = |a: &[f64; 9], b: &[f64; 9]| columns().map(|c| a[c] * b[c]).sum::<f64>();
            let lengths = (dot(&a, &a) * dot(&b, &b)).sqrt();
            if lengths > 0.0 { dot(&a, &b) / lengths } else { 0.0 }
        };
        let pairs: Vec<(usize, usize)> = (0..300).map(|at| (at * 7 % 40, at * at % 40)).collect();
        let mut usable: Vec<_> =
            pairs.iter().copied().filter(|&(i, j)| i != j && i != 7 && j != 7).collect();
        usable.sort_unstable();
        let found = table.cosines(pairs, |col| col % 2);
        assert_eq!(found.len(), usable.len());
        for (&(i, j), found) in usable.iter().zip(found) {
            for (half, found) in found.into_iter().enumerate() {
                assert!((found - cosine(i, j, half)).abs() < 1e-12, "{i} {j}");
            }
        }
        let negative = SparseMatrix::from_triplets(2, 2, &[(0, 1, -1.0)]).unwrap();
        assert!(Table::new(&Block::attributes("attributes", negative), &[]).is_none());
    }
}
