//! Some columns of a sparse source, smoothed a few at a time.
//!
//! The columns are few entries to a row, and so is their first product with the propagation matrix:
//! it goes over pairs of entries. Horner's rule makes a dense block of it, which only the further
//! steps multiply. So a polynomial of `m` steps costs `m - 1` products with dense blocks.

use std::ops::Range;

use rayon::prelude::*;

use crate::views::operator::{Factor, Operator, Propagation, Stored};
use gage_linalg::kernel::RowInit;
use gage_linalg::{LocalReducer, Real, SparseMatrix, Tall};

/// Rows whose entries are collected by one thread at a time.
const ROWS: usize = 4096;

/// Entries of a row in a block of columns, on average, up to which the first product goes over
/// pairs of entries. With more, a dense block is as fast.
const FEW_ENTRIES: f64 = 6.0;

/// The entries of the sampled columns, by rows; columns are numbered by their place in the sample.
pub(super) struct SampledColumns<'a> {
    operator: &'a Operator,
    pointers: Vec<usize>,
    entries: Vec<(u32, f64)>,
    columns: usize,
}

impl<'a> SampledColumns<'a> {
    /// The columns at these positions, in order; `None` of sources that are not sparse.
    pub(super) fn new(operator: &'a Operator, sampled: &[u32]) -> Option<SampledColumns<'a>> {
        let base = operator.base.as_ref()?;
        let Stored::Sparse { matrix, .. } = &base.stored else { return None };
        let mut place = vec![u32::MAX; base.cols()];
        sampled.iter().zip(0..).for_each(|(&col, at)| place[col as usize] = at);
        let rows = matrix.rows();
        let chunks: Vec<ChunkEntries> = (0..rows.div_ceil(ROWS))
            .into_par_iter()
            .map(|chunk| {
                let rows = chunk * ROWS..((chunk + 1) * ROWS).min(rows);
                entries_of(base, matrix, &place, rows)
            })
            .collect();
        let (mut pointers, mut entries) = (vec![0], Vec::new());
        for (counts, of_chunk) in chunks {
            for count in counts {
                pointers.push(pointers[pointers.len() - 1] + count);
            }
            entries.extend(of_chunk);
        }
        Some(SampledColumns { operator, pointers, entries, columns: sampled.len() })
    }

    /// `diag(rows) p(P) M` of a range of the sampled columns.
    pub(super) fn smoothed<T: Real>(&self, columns: Range<usize>) -> Tall<T> {
        let (workspace, rows) = (&self.operator.workspace, self.operator.local_rows);
        let (width, first) = (columns.len(), columns.start as u32);
        let part = Part { sample: self, first, width };
        let empty = || Tall::<T>::zeros_in(workspace, rows, width);
        let mut out = match &self.operator.propagation {
            None => part.added(empty(), 1.0),
            Some(propagation) => {
                let coefficients = &propagation.coefficients;
                let (mut sum, mut done) = match coefficients.split_last() {
                    Some((&last, lower)) if !lower.is_empty() && self.is_sparse(width) => {
                        let at = lower.len() - 1;
                        (part.one_step(propagation, (last, lower[at])), at)
                    }
                    Some((&last, lower)) => (part.added(empty(), last), lower.len()),
                    None => (empty(), 0),
                };
                let mut spare = empty();
                while done > 0 {
                    done -= 1;
                    let init = RowInit::OVERWRITE;
                    propagation.step.apply(1.0, (&sum).into(), init, &mut spare, &LocalReducer);
                    std::mem::swap(&mut sum, &mut spare);
                    sum = part.added(sum, coefficients[done]);
                }
                sum
            }
        };
        if let Some(scale) = &self.operator.row_scale {
            out.par_update_rows(|row, values| {
                let scale = T::from_f64(scale[row]);
                values.iter_mut().for_each(|value| *value = scale * *value);
            });
        }
        out
    }

    /// Whether a row has few entries in a block of so many columns.
    fn is_sparse(&self, width: usize) -> bool {
        let rows = self.pointers.len().saturating_sub(1).max(1);
        let all = (rows * self.columns.max(1)) as f64;
        (self.entries.len() * width) as f64 / all <= FEW_ENTRIES
    }
}

/// How many entries every row of a chunk has, and the entries.
type ChunkEntries = (Vec<usize>, Vec<(u32, f64)>);

/// Scaled entries of some rows in the sampled columns, and how many every row has.
fn entries_of(
    base: &Factor,
    matrix: &SparseMatrix,
    place: &[u32],
    rows: Range<usize>,
) -> ChunkEntries {
    let (mut counts, mut entries) = (Vec::with_capacity(rows.len()), Vec::new());
    for row in rows {
        let before = entries.len();
        let left = base.left.as_ref().map_or(1.0, |left| left[row]);
        let mut add = |col: usize, value: f64| {
            if place[col] != u32::MAX && value != 0.0 {
                entries.push((place[col], value));
            }
        };
        matrix.row(row).for_each(|(col, value)| {
            let right = base.right.as_ref().map_or(1.0, |right| right[col as usize]);
            add(col as usize, left * value * right);
        });
        if let Some(shift) = &base.shift {
            add(row, shift[row]);
        }
        counts.push(entries.len() - before);
    }
    (counts, entries)
}

/// A block of the sampled columns.
#[derive(Clone, Copy)]
struct Part<'a> {
    sample: &'a SampledColumns<'a>,
    first: u32,
    width: usize,
}

impl Part<'_> {
    /// Adds a multiple of a row of the block.
    #[inline]
    fn add_row<T: Real>(&self, factor: f64, row: usize, out: &mut [T]) {
        let SampledColumns { pointers, entries, .. } = self.sample;
        for &(at, value) in &entries[pointers[row]..pointers[row + 1]] {
            if let Some(out) = out.get_mut(at.wrapping_sub(self.first) as usize) {
                *out += T::from_f64(factor * value);
            }
        }
    }

    /// `out + factor M`.
    fn added<T: Real>(&self, mut out: Tall<T>, factor: f64) -> Tall<T> {
        if factor != 0.0 {
            out.par_update_rows(|row, values| self.add_row(factor, row, values));
        }
        out
    }

    /// `highest P M + next M`, over pairs of entries.
    fn one_step<T: Real>(&self, propagation: &Propagation, (highest, next): (f64, f64)) -> Tall<T> {
        let (workspace, rows) = (&self.sample.operator.workspace, self.sample.operator.local_rows);
        let Factor { stored, left, right, shift, .. } = &propagation.step;
        let Stored::Sparse { matrix, .. } = stored else {
            let block = self.added(Tall::<T>::zeros_in(workspace, rows, self.width), 1.0);
            let mut out = Tall::<T>::zeros_in(workspace, rows, self.width);
            propagation.step.apply(
                highest,
                (&block).into(),
                RowInit::OVERWRITE,
                &mut out,
                &LocalReducer,
            );
            return self.added(out, next);
        };
        Tall::from_rows_in(workspace, rows, self.width, |row, out| {
            let scale = highest * left.as_ref().map_or(1.0, |left| left[row]);
            matrix.row(row).for_each(|(col, value)| {
                let right = right.as_ref().map_or(1.0, |right| right[col as usize]);
                self.add_row(scale * value * right, col as usize, out);
            });
            let own = highest * shift.as_ref().map_or(0.0, |shift| shift[row]);
            self.add_row(next + own, row, out);
        })
    }
}
