//! Truncated SVDs side by side: the classic control.

use gage_embed::{Graph, Tall};

use crate::algebra::{Stored, concat_columns, truncated_svd};
use crate::memory::{self, Sizes};
use crate::method::Method;
use crate::task::Task;
use crate::{Error, input};

/// `[U S of A, U S of X]`: half of the columns from the raw adjacency, half from tf-idf rows of the
/// attributes.
///
/// Raw attributes score lower (micro-F1 of half the nodes at 64 columns: WebKB by 1, Cora by 2,
/// Wiki by 4 points), so the baseline gets tf-idf. Both halves are scaled to mean squared entry 1,
/// so that neither drowns the other. Of an odd number of columns the attributes get the one more.
/// Cost: that of two truncated SVDs, some twenty passes over links and attributes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConcatenatedSvd;

impl Method for ConcatenatedSvd {
    fn name(&self) -> &'static str {
        "svd"
    }

    fn describe(&self) -> &'static str {
        "truncated SVDs of raw links and of tf-idf attributes, side by side"
    }

    fn memory_bytes(&self, graph: &Graph, dimension: usize) -> u64 {
        let (sizes, half) = (Sizes::of(graph), dimension.div_ceil(2));
        let svd = sizes.svd(sizes.nodes, half).max(sizes.svd(sizes.attributes, half));
        memory::sum(&[sizes.links, sizes.table, svd, sizes.blocks(2 * dimension)])
    }

    fn run(&self, task: &Task<'_>) -> Result<Tall<f64>, Error> {
        let (links, table) = (input::links(task)?, input::attributes(task)?);
        let (half, rest) = (task.dimension / 2, task.dimension.div_ceil(2));
        let links =
            truncated_svd(&Stored::sparse(links.matrix), half, task.seed, task)?.scaled_left();
        let table =
            truncated_svd(&Stored::from(table.tf_idf()?), rest, task.seed, task)?.scaled_left();
        Ok(concat_columns(&[&unit_scaled(links, half), &unit_scaled(table, rest)]))
    }
}

/// Exactly `columns` columns, padded with zeros, mean squared entry 1 unless all are zero.
fn unit_scaled(table: Tall<f64>, columns: usize) -> Tall<f64> {
    let square: f64 = table.data().iter().map(|x| x * x).sum();
    let mean = square / (table.rows() * columns).max(1) as f64;
    let factor = if mean > 0.0 { 1.0 / mean.sqrt() } else { 0.0 };
    Tall::from_rows(table.rows(), columns, |row, out: &mut [f64]| {
        out.iter_mut().zip(table.row(row)).for_each(|(out, x)| *out = x * factor);
    })
}
