//! PANE: affinities between nodes and attributes along random walks.

use std::ops::Range;

use faer::Mat;
use gage_embed::{Graph, SparseMatrix, Tall};
use gage_linalg::LocalReducer;
use gage_linalg::kernel::{Diagonals, gram, spmm_accumulate};
use rayon::prelude::*;

use crate::algebra::{Operator, Tiled, concat_columns, normalise_rows, truncated_svd};
use crate::input::{Table, map_sparse};
use crate::memory::Sizes;
use crate::method::Method;
use crate::task::Task;
use crate::{Error, input};

/// Attributes that walk together. Three blocks of them are all there is besides the table.
const BLOCK: usize = 128;
/// Rows whose sums are made by one thread.
const ROWS: usize = 1024;

/// Scalable attributed network embedding (Yang, Shi, Xiao, Yang and Bhowmick, VLDB 2020), as its
/// authors' code does it.
///
/// With `P = D^-1 A` and `X` the raw attributes with rows summing to 1 (columns, for the backward
/// half), forward and backward affinities are `Z <- (1 - a) P Z + X`, `Z <- (1 - a) P^T Z + X`,
/// `rounds` times, then times `a`; columns (rows) are made to sum to 1 and every entry `z` becomes
/// `log2(n z + 1)` (`log2(d z + 1)`). The forward half is `U S` of the truncated SVD of the first,
/// of rank half the dimension; the backward half starts at the second times the right singular
/// vectors `Y` and is improved by `sweeps` sweeps of coordinate descent on `|Z_b - X_b Y^T|`. Rows
/// of both halves are divided by their length. Directions of links count.
///
/// Affinities are dense, in single precision, and only those of one direction are kept at a time:
/// memory is `4 n d` bytes (times 9/8 with all that is beside them). Sums and products over them
/// are in double precision. Cost: `2 rounds` products of the links with `d` columns, some thirty
/// passes over the affinities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pane {
    /// Probability `a` that a walk stops at a step, in (0, 1).
    pub stop: f64,
    /// Steps of a walk at most.
    pub rounds: usize,
    /// Sweeps of coordinate descent.
    pub sweeps: usize,
}

impl Default for Pane {
    fn default() -> Self {
        Pane { stop: 0.5, rounds: 5, sweeps: 5 }
    }
}

impl Method for Pane {
    fn name(&self) -> &'static str {
        "pane"
    }

    fn describe(&self) -> &'static str {
        "affinities of nodes and attributes along random walks, forward and backward, \
         factorised together"
    }

    fn memory_bytes(&self, graph: &Graph, _dimension: usize) -> u64 {
        let sizes = Sizes::of(graph);
        let table = Pane::bytes(sizes.nodes as usize, sizes.attributes as usize) as u64;
        // An eighth more for all that is beside the table.
        table.saturating_add(table / 8)
    }

    fn run(&self, task: &Task<'_>) -> Result<Tall<f64>, Error> {
        if !(self.stop > 0.0 && self.stop < 1.0) {
            let bound = "between 0 and 1, both excluded";
            return Err(Error::Parameter { name: "stop", value: self.stop.to_string(), bound });
        }
        let (links, table) = (input::links(task)?, input::attributes(task)?);
        task.plan(2 + 2 * self.sweeps);
        let step = row_stochastic(&links.matrix)?;
        let rows = divided(&table, true)?;
        let columns = divided(&rows, false)?;
        let forward = Tiled(self.affinity(&step, &rows, Side::Forward));
        task.step()?;
        // Of an odd number of columns the forward half gets the one more; the last backward one is
        // dropped.
        let half = task.dimension.div_ceil(2);
        let svd = truncated_svd(&forward, half, task.seed, task)?;
        drop(forward);
        let backward = Tiled(self.affinity(&step.transposed(), &columns, Side::Backward));
        task.step()?;
        let mut forward_rows = svd.scaled_left();
        let mut attributes = svd.right;
        let mut backward_rows = backward.apply(&attributes);
        for _ in 0..self.sweeps {
            descend(&mut backward_rows, &backward.apply(&attributes), &attributes);
            task.step()?;
            descend(&mut attributes, &backward.apply_transposed(&backward_rows), &backward_rows);
            task.step()?;
        }
        normalise_rows(&mut forward_rows);
        normalise_rows(&mut backward_rows);
        let padding = Tall::zeros(forward_rows.rows(), half - forward_rows.cols());
        Ok(concat_columns(&[&forward_rows, &padding, &backward_rows]))
    }
}

/// Which way walks go.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    /// Along the links: columns to sum 1, scaled by the number of nodes.
    Forward,
    /// Against them: rows to sum 1, scaled by the number of attributes.
    Backward,
}

impl Pane {
    /// Bytes of the table of affinities, by far the most of what the method takes.
    fn bytes(nodes: usize, attributes: usize) -> usize {
        nodes.saturating_mul(attributes).saturating_mul(size_of::<f32>())
    }

    /// The affinities, dense.
    fn affinity(&self, step: &SparseMatrix, start: &Table, side: Side) -> Tall<f32> {
        let (nodes, columns) = (start.rows(), start.cols());
        let mut table = Tall::zeros(nodes, columns);
        for from in (0..columns).step_by(BLOCK) {
            let range = from..(from + BLOCK).min(columns);
            let mut block = self.walked(step, start, range.clone());
            // The factor `stop` cancels in the sums.
            if side == Side::Forward {
                let sums = column_sums(&block);
                block.par_update_rows(|_, values| {
                    let sums = values.iter_mut().zip(&sums);
                    sums.for_each(|(value, sum)| *value = affine(*value, nodes, *sum));
                });
            }
            table.par_update_rows(|row, out| out[range.clone()].copy_from_slice(block.row(row)));
        }
        if side == Side::Backward {
            table.par_update_rows(|_, values| {
                let sum = values.iter().map(|&x| f64::from(x.abs())).sum();
                values.iter_mut().for_each(|value| *value = affine(*value, columns, sum));
            });
        }
        table
    }

    /// Some columns of the attributes after all steps; each column walks for itself.
    fn walked(&self, step: &SparseMatrix, start: &Table, range: Range<usize>) -> Tall<f32> {
        let fresh = Tall::from_rows(start.rows(), range.len(), |row, out: &mut [f32]| {
            start.each_within(row, range.clone(), |col, value| {
                out[col - range.start] = value as f32;
            });
        });
        let mut block = fresh.clone();
        for _ in 0..self.rounds {
            let mut next = fresh.clone();
            let around = Diagonals::default();
            spmm_accumulate(step, around, 1.0 - self.stop, &block, &mut next);
            block = next;
        }
        block
    }
}

/// `log2(count z / sum + 1)`. Attributes below zero have no logarithm; the odd continuation keeps
/// their meaning.
fn affine(value: f32, count: usize, sum: f64) -> f32 {
    if value == 0.0 {
        return 0.0;
    }
    let share = count as f64 * f64::from(value) / sum;
    (share.signum() * (share.abs() + 1.0).log2()) as f32
}

/// Sums of the absolute values of every column, added in the same order at any number of threads.
fn column_sums(block: &Tall<f32>) -> Vec<f64> {
    let cols = block.cols().max(1);
    let parts: Vec<Vec<f64>> = block
        .data()
        .par_chunks(ROWS * cols)
        .map(|rows| {
            let mut sums = vec![0.0; cols];
            for row in rows.chunks_exact(cols) {
                sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += f64::from(x.abs()));
            }
            sums
        })
        .collect();
    let mut sums = vec![0.0; cols];
    for part in parts {
        sums.iter_mut().zip(part).for_each(|(sum, add)| *sum += add);
    }
    sums
}

/// `D^-1 A` with the sums of absolute weights; rows without links stay empty.
fn row_stochastic(links: &SparseMatrix) -> Result<SparseMatrix, Error> {
    let sums: Vec<f64> =
        (0..links.rows()).map(|row| links.row(row).map(|(_, value)| value.abs()).sum()).collect();
    map_sparse(links, |row, _, value| if sums[row] > 0.0 { value / sums[row] } else { 0.0 })
}

/// Rows or columns divided by the sums of their absolute values.
fn divided(table: &Table, by_rows: bool) -> Result<Table, Error> {
    let mut sums = vec![0.0; if by_rows { table.rows() } else { table.cols() }];
    for row in 0..table.rows() {
        table.each(row, |col, value| sums[if by_rows { row } else { col }] += value.abs());
    }
    table.mapped(|row, col, value| value / sums[if by_rows { row } else { col }])
}

/// One sweep of coordinate descent on `|Z - X Y^T|_F` over `X`, column after column, given `Z Y`.
///
/// The residual is never needed: its product with column `f` of `Y` is `(Z Y)_f - X (Y^T Y)_f`.
fn descend(x: &mut Tall<f64>, product: &Tall<f64>, y: &Tall<f64>) {
    let gram: Mat<f64> = gram(y, &LocalReducer);
    x.par_update_rows(|row, values| {
        for f in (0..values.len()).filter(|&f| gram[(f, f)] > 0.0) {
            let explained: f64 = values.iter().enumerate().map(|(g, x)| x * gram[(g, f)]).sum();
            values[f] += (product.row(row)[f] - explained) / gram[(f, f)];
        }
    });
}

#[cfg(test)]
mod tests {
    use gage_linalg::random::fill_normal;

    use super::*;

    /// The definition, entry by entry.
    fn plain(pane: &Pane, step: &SparseMatrix, start: &Tall<f64>, side: Side) -> Tall<f64> {
        let (nodes, columns) = (start.rows(), start.cols());
        let mut z = start.clone();
        for _ in 0..pane.rounds {
            z = Tall::from_rows(nodes, columns, |row, out: &mut [f64]| {
                for (col, out) in out.iter_mut().enumerate() {
                    let around = step.row(row).map(|(j, weight)| weight * z.row(j as usize)[col]);
                    *out = (1.0 - pane.stop) * around.sum::<f64>() + start.row(row)[col];
                }
            });
        }
        Tall::from_rows(nodes, columns, |row, out: &mut [f64]| {
            for (col, out) in out.iter_mut().enumerate() {
                let (count, sum): (usize, f64) = match side {
                    Side::Forward => (nodes, (0..nodes).map(|i| z.row(i)[col].abs()).sum()),
                    Side::Backward => (columns, z.row(row).iter().map(|x| x.abs()).sum()),
                };
                let share = count as f64 * z.row(row)[col] / sum;
                *out = share.signum() * (share.abs() + 1.0).log2();
            }
        })
    }

    #[test]
    fn blocks_of_columns_make_the_whole_table() {
        // More columns than a block has, and more rows than one thread sums.
        let (nodes, columns) = (ROWS + 7, BLOCK + 3);
        let around = |i: usize| [(i * 7 + 1) % nodes, (i * 31 + 5) % nodes];
        let entries: Vec<(u32, u32, f64)> = (0..nodes)
            .flat_map(|i| around(i).map(|j| (i as u32, j as u32, 1.0 + (i % 3) as f64)))
            .collect();
        let links = SparseMatrix::from_triplets(nodes, nodes, &entries).unwrap();
        let step = row_stochastic(&links).unwrap();
        let dense = Tall::from_rows(nodes, columns, |row, out| fill_normal(1, row as u64, out));
        let pane = Pane { rounds: 2, ..Pane::default() };
        for side in [Side::Forward, Side::Backward] {
            let ours = pane.affinity(&step, &Table::Dense(dense.clone()), side);
            let theirs = plain(&pane, &step, &dense, side);
            for (ours, theirs) in ours.data().iter().zip(theirs.data()) {
                // Entries are up to about ten, and single precision has seven digits.
                assert!((f64::from(*ours) - theirs).abs() < 1e-5, "{ours} and {theirs}");
            }
        }
    }

    #[test]
    fn the_table_takes_four_bytes_for_a_node_and_an_attribute() {
        assert_eq!(Pane::bytes(117_659, 18_038), 8_489_332_168);
        assert_eq!(Pane::bytes(usize::MAX, 2), usize::MAX);
    }
}
