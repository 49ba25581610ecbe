//! Transposes of sparse matrices, and the test for symmetry.
//!
//! Both pass over all rows for one band of columns per thread. Each thread writes (or follows) only
//! its own columns, so nothing is shared and the result does not depend on the number of bands.

use std::ops::Range;

use rayon::prelude::*;

use crate::sparse::{SparseMatrix, Values};

impl SparseMatrix {
    /// The transposed matrix, with the entries of every row in order. Cost O(nnz).
    pub fn transposed(&self) -> SparseMatrix {
        let starts = self.column_starts();
        let bands = bands(&starts);
        let mut indices = vec![0u32; self.nnz()];
        let parts = split(&mut indices, &starts, &bands);
        let values = match self.values() {
            Values::Ones => {
                let parts = bands.par_iter().cloned().zip(parts);
                parts.for_each(|(band, rows)| {
                    self.place(band, &starts, |_, row, slot| rows[slot] = row);
                });
                Values::Ones
            }
            Values::F32(values) => {
                let mut moved = vec![0f32; values.len()];
                let parts = parts.into_iter().zip(split(&mut moved, &starts, &bands)).collect();
                self.place_pairs(&bands, &starts, parts, values);
                Values::F32(moved.into())
            }
            Values::F64(values) => {
                let mut moved = vec![0f64; values.len()];
                let parts = parts.into_iter().zip(split(&mut moved, &starts, &bands)).collect();
                self.place_pairs(&bands, &starts, parts, values);
                Values::F64(moved.into())
            }
        };
        SparseMatrix::canonical(self.cols(), self.rows(), starts, indices, values)
    }

    /// Whether the matrix equals its transpose, entry by entry.
    pub fn equals_transpose(&self) -> bool {
        // Rows come in increasing order, so the entries of row `j` are visited in order.
        let follow = |band: Range<usize>| {
            let mut next: Vec<u64> = self.indptr()[band.clone()].to_vec();
            let met = self.walk(band.clone(), |at, row, column| {
                let slot = &mut next[column - band.start];
                let mirror = *slot as usize;
                *slot += 1;
                mirror < self.row_range(column).end
                    && self.indices()[mirror] == row
                    && self.values().get(mirror) == self.values().get(at)
            });
            met && next == self.indptr()[band.start + 1..=band.end]
        };
        self.rows() == self.cols() && bands(self.indptr()).into_par_iter().all(follow)
    }

    /// Start of every column when entries are sorted by column.
    fn column_starts(&self) -> Vec<u64> {
        let zeros = || vec![0u64; self.cols() + 1];
        let piece = self.nnz().div_ceil(rayon::current_num_threads()).max(1);
        let count = |columns: &[u32]| {
            let mut counts = zeros();
            columns.iter().for_each(|&column| counts[column as usize + 1] += 1);
            counts
        };
        let counts = self.indices().par_chunks(piece).map(count).reduce_with(|mut sum, more| {
            sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
            sum
        });
        let mut starts = counts.unwrap_or_else(zeros);
        for column in 0..self.cols() {
            starts[column + 1] += starts[column];
        }
        starts
    }

    /// Writes row and value of every entry of each band to their positions.
    fn place_pairs<T: Copy + Send + Sync>(
        &self,
        bands: &[Range<usize>],
        starts: &[u64],
        parts: Vec<(&mut [u32], &mut [T])>,
        values: &[T],
    ) {
        bands.par_iter().cloned().zip(parts).for_each(|(band, (rows, moved))| {
            self.place(band, starts, |at, row, slot| {
                rows[slot] = row;
                moved[slot] = values[at];
            });
        });
    }

    /// `put(entry, row, slot)` for all entries in a band of columns; slots count from the first of
    /// the band.
    fn place(&self, band: Range<usize>, starts: &[u64], mut put: impl FnMut(usize, u32, usize)) {
        let first = starts[band.start];
        let mut next: Vec<u64> = starts[band.clone()].iter().map(|start| start - first).collect();
        self.walk(band.clone(), |at, row, column| {
            let slot = &mut next[column - band.start];
            put(at, row, *slot as usize);
            *slot += 1;
            true
        });
    }

    /// `visit(entry, row, column)` for all entries in a band of columns, row by row, until one call
    /// returns false; returns whether none did.
    fn walk(&self, band: Range<usize>, mut visit: impl FnMut(usize, u32, usize) -> bool) -> bool {
        let whole = band.start == 0 && band.end == self.cols();
        (0..self.rows()).all(|row| {
            let mut span = self.row_range(row);
            if !whole {
                let columns = &self.indices()[span.clone()];
                let before = |end: usize| columns.partition_point(|&c| (c as usize) < end);
                span = span.start + before(band.start)..span.start + before(band.end);
            }
            span.into_iter().all(|at| visit(at, row as u32, self.indices()[at] as usize))
        })
    }
}

/// Splits the columns into one band per thread with about equal numbers of entries.
fn bands(starts: &[u64]) -> Vec<Range<usize>> {
    let (columns, entries) = (starts.len() - 1, starts[starts.len() - 1]);
    let count = rayon::current_num_threads() as u64;
    let mut bands = Vec::new();
    let mut first = 0;
    for band in 1..=count {
        let end = if band == count {
            columns
        } else {
            starts.partition_point(|&start| start < entries * band / count).min(columns)
        };
        if end > first {
            bands.push(first..end);
            first = end;
        }
    }
    bands
}

/// Splits an array sorted by column into the parts of the bands.
fn split<'a, T>(mut all: &'a mut [T], starts: &[u64], bands: &[Range<usize>]) -> Vec<&'a mut [T]> {
    let mut parts = Vec::with_capacity(bands.len());
    for band in bands {
        let (head, tail) = all.split_at_mut((starts[band.end] - starts[band.start]) as usize);
        parts.push(head);
        all = tail;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: u32, cols: u32, value: impl Fn(u32, u32) -> f64) -> SparseMatrix {
        let places = (0..rows).flat_map(|i| (0..cols).map(move |j| (i, j)));
        let filled = places.filter(|&(i, j)| (i * 31 + j * 17 + i * j) % 5 < 2);
        let entries: Vec<_> = filled.map(|(i, j)| (i, j, value(i, j))).collect();
        SparseMatrix::from_triplets(rows as usize, cols as usize, &entries).unwrap()
    }

    fn with_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
    }

    #[test]
    fn every_entry_changes_places_at_any_number_of_threads() {
        for (rows, cols) in [(1, 1), (1, 30), (30, 1), (40, 23), (23, 40), (0, 4), (4, 0)] {
            for precise in [0.0, 1e-12] {
                let m = matrix(rows, cols, |i, j| f64::from(i * 100 + j) + precise);
                for threads in [1, 2, 3, 64] {
                    let t = with_threads(threads, || m.transposed());
                    assert_eq!((t.rows(), t.cols(), t.nnz()), (m.cols(), m.rows(), m.nnz()));
                    for row in 0..m.rows() {
                        for (col, value) in m.row(row) {
                            assert!(t.row(col as usize).any(|e| e == (row as u32, value)));
                        }
                    }
                    assert!(with_threads(threads, || t.transposed()) == m);
                }
            }
        }
    }

    #[test]
    fn one_entry_decides_about_symmetry() {
        let symmetric = |m: &SparseMatrix| {
            let answers =
                [1, 2, 3, 64].map(|threads| with_threads(threads, || m.equals_transpose()));
            assert!(answers.iter().all(|&answer| answer == answers[0]));
            assert_eq!(answers[0], *m == m.transposed());
            answers[0]
        };
        assert!(symmetric(&matrix(0, 0, |_, _| 1.0)));
        assert!(symmetric(&SparseMatrix::empty(5, 5).unwrap()));
        assert!(!symmetric(&matrix(3, 4, |_, _| 1.0)));
        let all: Vec<(u32, u32, f64)> = (0..12)
            .flat_map(|i| (0..12).map(move |j| (i, j, f64::from(i * j % 7 + 1))))
            .filter(|&(i, j, _)| (i + j) % 3 != 0)
            .collect();
        assert!(symmetric(&SparseMatrix::from_triplets(12, 12, &all).unwrap()));
        for odd in 0..all.len() {
            let mut without = all.clone();
            let (i, j, _) = without.remove(odd);
            assert_eq!(symmetric(&SparseMatrix::from_triplets(12, 12, &without).unwrap()), i == j);
            let mut changed = all.clone();
            changed[odd].2 += 1.0;
            assert_eq!(symmetric(&SparseMatrix::from_triplets(12, 12, &changed).unwrap()), i == j);
        }
    }
}
