//! PANE: affinities between nodes and attributes along random walks.

use faer::Mat;
use gage_embed::linalg::gram;
use gage_embed::{Graph, LocalReducer, Observer, SparseMatrix, Tall};

use crate::input::{Table, map_sparse};
use crate::operator::{Operator, Stored, times};
use crate::svd::truncated_svd;
use crate::task::{Task, beside, normalise_rows};
use crate::{Error, Method, input};

/// Scalable attributed network embedding (Yang, Shi, Xiao, Yang and Bhowmick, VLDB 2020), as its authors' code does it.
///
/// With `P = D^-1 A` and `X` the raw attributes with rows summing to 1 (columns, for the backward half), forward and
/// backward affinities are `Z <- (1 - a) P Z + X`, `Z <- (1 - a) P^T Z + X`, `rounds` times, then times `a`; columns
/// (rows) are made to sum to 1 and every entry `z` becomes `log2(n z + 1)` (`log2(d z + 1)`). The forward half is `U S` of
/// the truncated SVD of the first, of rank half the dimension; the backward half starts at the second times the right
/// singular vectors `Y` and is improved by `sweeps` sweeps of coordinate descent on `|Z_b - X_b Y^T|`. Rows of both halves
/// are divided by their length. Directions of links count.
///
/// Affinities are dense: memory is `16 n d` bytes. Cost: `rounds` products of the links with `d` columns, some thirty
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
        "affinities of nodes and attributes along random walks, forward and backward, factorised together"
    }

    fn embed(
        &self,
        graph: &Graph,
        dimension: usize,
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Tall<f32>, Error> {
        let task = Task::new(self.name(), graph, dimension, seed, observer)?;
        if !(self.stop > 0.0 && self.stop < 1.0) {
            let bound = "between 0 and 1, both excluded";
            return Err(Error::Parameter { name: "stop", value: self.stop.to_string(), bound });
        }
        let (links, table) = (input::links(&task)?, input::attributes(&task)?);
        task.plan(2 + 2 * self.sweeps);
        let step = row_stochastic(&links.matrix)?;
        let rows = divided(&table, true)?;
        let columns = divided(&rows, false)?;
        let forward = Stored::Dense(self.affinity(&step, &rows, true));
        task.tick()?;
        // Of an odd number of columns the forward half gets the one more; the last backward one is dropped.
        let half = dimension.div_ceil(2);
        let svd = truncated_svd(&forward, half, seed, &task)?;
        drop(forward);
        let backward = Stored::Dense(self.affinity(&step.transposed(), &columns, false));
        task.tick()?;
        let mut ahead = svd.scaled_left();
        let mut attributes = svd.right;
        let mut behind = backward.apply(&attributes);
        for _ in 0..self.sweeps {
            descend(&mut behind, &backward.apply(&attributes), &attributes);
            task.tick()?;
            descend(&mut attributes, &backward.apply_transposed(&behind), &behind);
            task.tick()?;
        }
        normalise_rows(&mut ahead);
        normalise_rows(&mut behind);
        let padding = Tall::zeros(ahead.rows(), half - ahead.cols());
        task.finish(&beside(&[&ahead, &padding, &behind]))
    }
}

impl Pane {
    /// The affinities, dense. Forward: columns to sum 1, scaled by the number of nodes; backward: rows, attributes.
    fn affinity(&self, step: &SparseMatrix, start: &Table, forward: bool) -> Tall<f64> {
        let (nodes, columns) = (start.rows(), start.cols());
        let fresh = Tall::from_rows(nodes, columns, |row, out: &mut [f64]| {
            start.each(row, |col, value| out[col] = value);
        });
        let mut affinity = fresh.clone();
        for _ in 0..self.rounds {
            affinity = times(step, &affinity);
            affinity.par_update_rows(|row, values| {
                for (value, fresh) in values.iter_mut().zip(fresh.row(row)) {
                    *value = (1.0 - self.stop) * *value + fresh;
                }
            });
        }
        // The factor `stop` cancels in the sums that follow.
        let mut sums = vec![0.0; if forward { columns } else { 0 }];
        for row in (0..nodes).filter(|_| forward) {
            sums.iter_mut().zip(affinity.row(row)).for_each(|(sum, x)| *sum += x.abs());
        }
        affinity.par_update_rows(|_, values| {
            let own: f64 = values.iter().map(|x| x.abs()).sum();
            for (col, value) in values.iter_mut().enumerate().filter(|entry| *entry.1 != 0.0) {
                let share = if forward {
                    nodes as f64 * *value / sums[col]
                } else {
                    columns as f64 * *value / own
                };
                // Attributes below zero have no logarithm; the odd continuation keeps their meaning.
                *value = share.signum() * (share.abs() + 1.0).log2();
            }
        });
        affinity
    }
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
