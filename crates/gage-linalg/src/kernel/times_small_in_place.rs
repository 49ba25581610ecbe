//! Tall matrices times small ones in place: a block of hundreds of megabytes is not allocated
//! twice.

use faer::{Mat, MatRef};
use rayon::prelude::*;

use crate::kernel::times_small::{
    Scratch, chunk_times, count_times_small, even_chunk, times_small_working_precision,
};
use crate::memory::Workspace;
use crate::tall::ROW_CHUNK;
use crate::tall::Real;
use crate::tall::Tall;

/// Smaller matrices that lose columns get new memory. Most of their few chunks would have to wait
/// for each other.
const IN_PLACE: usize = 64 << 20;

/// As [`times_small_working_precision`], in the memory of `a` if the result has as many columns, or
/// fewer and `a` is large.
pub fn times_small_in_place<T: Real>(a: Tall<T>, m: MatRef<'_, f64>) -> Tall<T> {
    let (p, q) = (m.nrows(), m.ncols());
    let here = p > 0 && (q == p || (0 < q && q < p && a.bytes() >= IN_PLACE));
    if here { update_in_place(a, m) } else { times_small_working_precision(&a, m) }
}

/// As [`times_small_in_place`], in place whatever the size.
fn update_in_place<T: Real>(mut a: Tall<T>, m: MatRef<'_, f64>) -> Tall<T> {
    let (p, q) = (m.nrows(), m.ncols());
    let small = Mat::from_fn(p, q, |i, j| T::from_f64(m[(i, j)]));
    let (rows, workspace) = (a.rows(), a.workspace().clone());
    count_times_small::<T, T, _>(&workspace, rows, (p, q), || {
        let chunk = even_chunk(a.rows());
        if p == q {
            let chunks = a.data_mut().par_chunks_mut(chunk * p);
            let copy = || Tall::<T>::uninit_in(&workspace, ROW_CHUNK, p);
            let scratch = || (copy(), Scratch::new(&workspace, p, p));
            chunks.for_each_init(scratch, |(copy, scratch), rows| {
                let copy = &mut copy.data_mut()[..rows.len()];
                copy.copy_from_slice(rows);
                chunk_times(T::ONE, copy, small.as_ref(), scratch, rows);
            });
        } else {
            let times = |scratch: &mut Scratch<T>, from: &[T], to: &mut [T]| {
                chunk_times(T::ONE, from, small.as_ref(), scratch, to);
            };
            let scratch = || Scratch::new(&workspace, p, q);
            narrow(&workspace, a.data_mut(), chunk, (p, q), scratch, times);
        }
    });
    a.with_fewer_columns(q)
}

/// Replaces rows of `p` numbers by rows of `q < p` in place; `work` computes those of a chunk of
/// rows.
///
/// The first eighth goes through a buffer. After that, the space before the rows still to be read
/// has room for the results of some more rows: as many are computed in parallel, and so on.
fn narrow<T: Real, S>(
    workspace: &Workspace,
    data: &mut [T],
    chunk: usize,
    (p, q): (usize, usize),
    scratch: impl Fn() -> S + Sync + Send,
    work: impl Fn(&mut S, &[T], &mut [T]) + Sync + Send,
) {
    let rows = data.len() / p;
    let chunks = rows.div_ceil(chunk);
    let many = |from: &[T], to: &mut [T]| {
        let pairs = to.par_chunks_mut(chunk * q).zip(from.par_chunks(chunk * p));
        pairs.for_each_init(&scratch, |scratch, (to, from)| work(scratch, from, to));
    };
    let mut done = chunks.div_ceil(8).max(q.div_ceil(p - q)).min(chunks);
    let first = (done * chunk).min(rows);
    let mut results = Tall::<T>::uninit_in(workspace, first, q);
    many(&data[..first * p], results.data_mut());
    data[..first * q].copy_from_slice(results.data());
    while done < chunks {
        let (before, after) = data.split_at_mut(done * chunk * p);
        // At least one more, by the choice of the first.
        let next = (done * p / q).min(chunks);
        many(after, &mut before[done * chunk * q..(next * chunk).min(rows) * q]);
        done = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::fill_normal;

    /// Random rows, every third one zero.
    fn tall<T: Real>(rows: usize, cols: usize) -> Tall<T> {
        Tall::from_rows(rows, cols, |row, out| {
            if row % 3 != 1 {
                fill_normal(7, row as u64, out);
            }
        })
    }

    fn agrees<T: Real>() {
        for rows in [1, 64, 255, 1000, 5000] {
            for (p, q) in [(1, 1), (6, 6), (9, 8), (33, 20), (24, 1)] {
                let a = tall::<T>(rows, p);
                let m = Mat::from_fn(p, q, |i, j| ((i * 5 + j) % 7) as f64 - 3.0);
                let expected = times_small_working_precision(&a, m.as_ref());
                let found = update_in_place(a.clone(), m.as_ref());
                assert_eq!((found.rows(), found.cols()), (rows, q));
                assert_eq!(found.data(), expected.data(), "{rows} rows, {p} to {q} columns");
                assert_eq!(times_small_in_place(a, m.as_ref()).data(), expected.data());
            }
        }
    }

    #[test]
    fn in_place_or_not_the_bits_are_those_of_the_product() {
        agrees::<f32>();
        agrees::<f64>();
    }

    #[test]
    fn more_columns_and_none_at_all_get_memory_of_their_own() {
        let a = tall::<f32>(300, 3);
        let wider = Mat::from_fn(3, 5, |i, j| (i + 2 * j) as f64);
        assert_eq!(
            times_small_in_place(a.clone(), wider.as_ref()).data(),
            times_small_working_precision(&a, wider.as_ref()).data()
        );
        assert_eq!(times_small_in_place(a, Mat::zeros(3, 0).as_ref()).cols(), 0);
        let empty = times_small_in_place(Tall::<f32>::zeros(0, 3), Mat::zeros(3, 2).as_ref());
        assert_eq!((empty.rows(), empty.cols()), (0, 2));
    }

    #[test]
    fn rows_closed_up_are_the_first_numbers_of_each() {
        for rows in [1usize, 7, 40, 1001] {
            for (p, q) in [(5, 4), (5, 1), (17, 16)] {
                let mut data: Vec<f32> = (0..rows * p).map(|at| at as f32).collect();
                narrow(
                    &Workspace::default(),
                    &mut data,
                    4,
                    (p, q),
                    || (),
                    |(), from, to| {
                        for (from, to) in from.chunks_exact(p).zip(to.chunks_exact_mut(q)) {
                            to.copy_from_slice(&from[..q]);
                        }
                    },
                );
                for row in 0..rows {
                    for col in 0..q {
                        assert_eq!(data[row * q + col], (row * p + col) as f32);
                    }
                }
            }
        }
    }
}
