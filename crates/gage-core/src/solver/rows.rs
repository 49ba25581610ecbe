//! Rows of nodes that lack some views.
//!
//! With everything else fixed, the row of node `i` solves a small linear system whose matrix
//! depends only on *which* views the node has: `A_P = sum_{k in P} w_k^2 C_k G_k C_k`. So there is
//! one factorisation per pattern `P`, for all nodes together.

use std::collections::HashMap;

use faer::Mat;

use crate::views::CentredGram;
use gage_linalg::kernel::times_small;
use gage_linalg::small::PsdSolver;
use gage_linalg::{Real, Tall};

/// Which combination of views each local node has.
#[derive(Clone, Debug)]
pub(crate) struct RowPatterns {
    /// Distinct combinations: one flag per view.
    pub(crate) patterns: Vec<Vec<bool>>,
    /// Combination of each row; `None` when every node has every view.
    of_row: Option<Vec<u32>>,
}

impl RowPatterns {
    pub(crate) fn new(ops: &[CentredGram<'_>], rows: usize) -> RowPatterns {
        let mut known: HashMap<Vec<bool>, u32> = HashMap::new();
        let mut patterns = Vec::new();
        let mut of_row = Vec::with_capacity(rows);
        for row in 0..rows {
            let pattern: Vec<bool> = ops.iter().map(|op| op.observes(row)).collect();
            let id = *known.entry(pattern).or_insert_with_key(|pattern| {
                patterns.push(pattern.clone());
                patterns.len() as u32 - 1
            });
            of_row.push(id);
        }
        let complete = patterns.len() == 1 && patterns[0].iter().all(|&seen| seen);
        RowPatterns { patterns, of_row: (!complete).then_some(of_row) }
    }

    /// Whether every node has every view.
    pub(crate) fn complete(&self) -> bool {
        self.of_row.is_none()
    }

    /// The combination of views of one row.
    pub(crate) fn of(&self, row: usize) -> &[bool] {
        &self.patterns[self.of_row.as_ref().map_or(0, |ids| ids[row] as usize)]
    }

    /// Number of the combination of one row.
    pub(crate) fn id(&self, row: usize) -> usize {
        self.of_row.as_ref().map_or(0, |ids| ids[row] as usize)
    }
}

/// The linear systems of all patterns.
pub(crate) struct RowSystem<'a> {
    patterns: &'a RowPatterns,
    inverses: Vec<Mat<f64>>,
}

impl<'a> RowSystem<'a> {
    /// `normals[k]` is `w_k^2 C_k G_k C_k`; `ridge` is added to the diagonal of every pattern that
    /// lacks a view.
    pub(crate) fn new(
        patterns: &'a RowPatterns,
        normals: &[Mat<f64>],
        ridge: impl Fn(&[bool]) -> Vec<f64>,
    ) -> RowSystem<'a> {
        let f = normals.first().map_or(0, Mat::ncols);
        let inverses = patterns
            .patterns
            .iter()
            .map(|pattern| {
                let mut sum = Mat::<f64>::zeros(f, f);
                for (normal, _) in normals.iter().zip(pattern).filter(|(_, seen)| **seen) {
                    sum += normal;
                }
                for (i, add) in ridge(pattern).into_iter().enumerate() {
                    sum[(i, i)] += add;
                }
                PsdSolver::new(sum.as_ref()).inverse()
            })
            .collect();
        RowSystem { patterns, inverses }
    }

    /// Replaces every row `r_i` by `r_i A_P^-1`.
    pub(crate) fn solve<T: Real>(&self, rhs: &Tall<T>) -> Tall<T> {
        if self.patterns.complete() {
            return times_small(rhs, self.inverses[0].as_ref());
        }
        let f = rhs.cols();
        Tall::from_rows_in(rhs.workspace(), rhs.rows(), f, |row, out| {
            let inverse = &self.inverses[self.patterns.id(row)];
            let values = rhs.row(row);
            for (j, out) in out.iter_mut().enumerate() {
                let column = inverse.col(j);
                let sum: f64 = values.iter().zip(column.iter()).map(|(v, a)| v.to_f64() * a).sum();
                *out = T::from_f64(sum);
            }
        })
    }
}
