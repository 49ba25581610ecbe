//! Random blocks with few numbers in each row.
//!
//! A product with a random block serves to look at a matrix from many sides at once. Four random signs in each row, the rest
//! zero, show as much of it as signs everywhere (mean losses over three seeds of fits that start from either are the same to a
//! part in two thousand on Wikipedia, BlogCatalog, Debian and WordNet; with one sign instead of four WordNet's is 0.4% worse),
//! and cost a fraction of a pass.

use rayon::prelude::*;

use super::meter::{Kernel, metered};
use super::random::mix;
use super::real::Real;
use super::sparse::{SparseMatrix, Values};
use super::spmm::{Begin, Diagonals, tasks};
use super::tall::Tall;

/// Numbers in a row that are not zero.
const FEW: usize = 4;

/// A block of `width` columns with a few random signs in each row, which depend on `seed` and the key of the row only.
pub(crate) fn few_signs(
    rows: usize,
    width: usize,
    seed: u64,
    key: impl Fn(usize) -> u64 + Sync,
) -> SparseMatrix {
    // Every sign has a part of the columns of its own, so that no two fall together and all are in order.
    let few = FEW.min(width);
    let begins = |part: usize| part * width / few.max(1);
    let entries: Vec<(u32, f32)> = (0..rows * few)
        .into_par_iter()
        .map(|at| {
            let (row, part) = (at / few, at % few);
            let bits = mix(mix(seed ^ mix(key(row))).wrapping_add(part as u64));
            let room = begins(part + 1) - begins(part);
            let column = begins(part) + (((bits >> 32) as usize * room) >> 32);
            (column as u32, if bits & 1 == 1 { 1.0 } else { -1.0 })
        })
        .collect();
    let (columns, signs): (Vec<u32>, Vec<f32>) = entries.into_iter().unzip();
    let pointers: Vec<u64> = (0..=rows).map(|row| (row * few) as u64).collect();
    SparseMatrix::canonical(rows, width, pointers, columns, Values::F32(signs.into()))
}

/// The same numbers, and zeros where there are none.
pub(crate) fn dense_rows<T: Real>(x: &SparseMatrix) -> Tall<T> {
    Tall::from_rows(x.rows(), x.cols(), |row, out| {
        x.row(row).for_each(|(column, value)| out[column as usize] = T::from_f64(value));
    })
}

/// As [`weighted_row_sum`](super::weighted_row_sum) of [`dense_rows`], without making those.
pub(crate) fn few_row_sum(x: &SparseMatrix, weights: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; x.cols()];
    for (row, weight) in weights.iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
        x.row(row).for_each(|(column, value)| sums[column as usize] += weight * value);
    }
    sums
}

/// As [`sparse_times_tall_from`](super::sparse_times_tall_from) of [`dense_rows`], without making those.
pub(crate) fn sparse_times_few_from<T: Real>(
    matrix: &SparseMatrix,
    around: Diagonals<'_>,
    factor: f64,
    x: &SparseMatrix,
    begin: Begin<'_, T>,
    out: &mut Tall<T>,
) {
    let width = out.cols();
    if width == 0 {
        return;
    }
    let products = (matrix.entries() * FEW) as u64;
    let bytes = matrix.bytes() as u64 + 8 * products + 2 * out.bytes() as u64;
    metered(Kernel::SparsePass, 2 * products, bytes, || {
        tasks(matrix, out.data_mut(), width).into_par_iter().for_each(|(first, block)| {
            for (row, out) in (first..).zip(block.chunks_exact_mut(width)) {
                begin.fill(row, out);
                let mut add = |factor: f64, of: usize| {
                    x.row(of).for_each(|(column, value)| {
                        out[column as usize] += T::from_f64(factor * value);
                    });
                };
                let scale = factor * around.left.map_or(1.0, |left| left[row]);
                matrix.row(row).for_each(|(column, value)| {
                    let column = column as usize;
                    add(scale * value * around.right.map_or(1.0, |right| right[column]), column);
                });
                if let Some(shift) = around.shift {
                    add(factor * shift[row], row);
                }
            }
        });
    });
}

#[cfg(test)]
mod tests {
    use super::super::spmm::sparse_times_tall_from;
    use super::*;

    #[test]
    fn signs_are_few_spread_out_and_belong_to_keys() {
        for width in [1, 3, 4, 9, 192] {
            let signs = few_signs(5000, width, 7, |row| row as u64);
            assert_eq!(signs.entries(), 5000 * FEW.min(width));
            let mut used = vec![0.0; width];
            for row in 0..5000 {
                let columns: Vec<u32> = signs.row(row).map(|(column, _)| column).collect();
                assert!(columns.is_sorted_by(|a, b| a < b), "{columns:?}");
                signs.row(row).for_each(|(column, sign)| {
                    assert_eq!(sign.abs(), 1.0);
                    used[column as usize] += sign.abs();
                });
            }
            let fair = signs.entries() as f64 / width as f64;
            assert!(used.iter().all(|&used| used > fair / 2.0 && used < 2.0 * fair), "{used:?}");
        }
        let turned = few_signs(500, 20, 7, |row| 499 - row as u64);
        let signs = few_signs(500, 20, 7, |row| row as u64);
        assert!((0..500).all(|row| turned.row(row).eq(signs.row(499 - row))));
    }

    #[test]
    fn sums_are_those_of_the_block_written_out() {
        let x = few_signs(70, 11, 3, |row| row as u64);
        let weights: Vec<f64> = (0..70).map(|row| f64::from(row % 5) - 1.0).collect();
        let all = super::super::weighted_row_sum(&dense_rows::<f64>(&x), &weights);
        assert_eq!(few_row_sum(&x, &weights), all);
    }

    #[test]
    fn products_are_those_of_the_block_written_out() {
        let entries: Vec<(u32, u32, f64)> = (0..60)
            .flat_map(|i| (0..60).map(move |j| (i, j, f64::from(i * 3 + j) / 7.0)))
            .filter(|&(i, j, _)| (i * j + i) % 6 == 1)
            .collect();
        let matrix = SparseMatrix::from_triplets(60, 60, &entries).unwrap();
        let diagonal = |of: f64| (0..60).map(|i| f64::from(i) / of - 1.0).collect::<Vec<_>>();
        let (left, right, shift) = (diagonal(9.0), diagonal(20.0), diagonal(31.0));
        let around = Diagonals { left: Some(&left), right: Some(&right), shift: Some(&shift) };
        let x = few_signs(60, 12, 3, |row| row as u64);
        let held = Tall::<f64>::from_rows(60, 12, |row, out| out.fill(row as f64));
        for around in [around, Diagonals::default()] {
            for begin in
                [Begin::HELD, Begin::ZERO, Begin { multiple: Some((0.5, &held)), ..Begin::ZERO }]
            {
                let (mut few, mut all) = (held.clone(), held.clone());
                sparse_times_few_from(&matrix, around, 1.5, &x, begin, &mut few);
                sparse_times_tall_from(&matrix, around, 1.5, &dense_rows(&x), begin, &mut all);
                for (few, all) in few.data().iter().zip(all.data()) {
                    assert!((few - all).abs() < 1e-12 * (1.0 + all.abs()), "{few} {all}");
                }
            }
        }
    }
}
