//! Truncated SVDs side by side: the classic control.

use gage_embed::{Graph, Observer, Tall};

use crate::algebra::{Stored, truncated_svd};
use crate::method::Method;
use crate::task::{Task, beside};
use crate::{Error, input};

/// `[U S of A, U S of X]`: half of the columns from the raw adjacency, half from tf-idf rows of the attributes.
///
/// Raw attributes score lower (micro-F1 of half the nodes at 64 columns: WebKB by 1, Cora by 2, Wiki by 4 points), so the
/// baseline gets tf-idf.
/// Both halves are scaled to mean squared entry 1, so that neither drowns the other. Of an odd number of columns the
/// attributes get the one more. Cost: that of two truncated SVDs, some twenty passes over links and attributes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConcatenatedSvd;

impl Method for ConcatenatedSvd {
    fn name(&self) -> &'static str {
        "svd"
    }

    fn describe(&self) -> &'static str {
        "truncated SVDs of raw links and of tf-idf attributes, side by side"
    }

    fn embed(
        &self,
        graph: &Graph,
        dimension: usize,
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Tall<f32>, Error> {
        let task = Task::new(self.name(), graph, dimension, seed, observer)?;
        let (links, table) = (input::links(&task)?, input::attributes(&task)?);
        let half = dimension / 2;
        let links = truncated_svd(&Stored::sparse(links.matrix), half, seed, &task)?.scaled_left();
        let table = truncated_svd(&Stored::from(table.tf_idf()?), dimension - half, seed, &task)?
            .scaled_left();
        task.finish(&beside(&[&evened(links, half), &evened(table, dimension - half)]))
    }
}

/// Exactly `columns` columns, padded with zeros, mean squared entry 1 unless all are zero.
fn evened(table: Tall<f64>, columns: usize) -> Tall<f64> {
    let square: f64 = table.data().iter().map(|x| x * x).sum();
    let mean = square / (table.rows() * columns).max(1) as f64;
    let factor = if mean > 0.0 { 1.0 / mean.sqrt() } else { 0.0 };
    Tall::from_rows(table.rows(), columns, |row, out: &mut [f64]| {
        out.iter_mut().zip(table.row(row)).for_each(|(out, x)| *out = x * factor);
    })
}
