//! A model with nodes behind its own: rows that were folded in.

use crate::error::Error;
use crate::graph::Nodes;
use crate::progress::Stage;
use gage_linalg::{AnyTall, Real, Tall};

use super::fitted_model::Model;
use super::new_nodes::FoldedIn;

impl Model {
    /// Number of nodes of the fit. Nodes that were appended since come after them; links of further
    /// new nodes lead to fitted nodes only.
    pub fn fitted_nodes(&self) -> usize {
        self.nodes.len() - self.appended
    }

    /// Appends new nodes and their rows, so that everything that takes a model takes them too. With
    /// all shares the embedding is that of the fit followed by that of
    /// [`embed_new`](Model::embed_new). Costs one copy of the factors.
    pub fn append(self, nodes: &Nodes, new: &FoldedIn) -> Result<Model, Error> {
        Error::catch_memory(|| Stage::NewNodes, || self.appended(nodes, new))
    }

    fn appended(mut self, nodes: &Nodes, new: &FoldedIn) -> Result<Model, Error> {
        let unfit = |reason: String| Error::NewNodes { reason };
        let (rows, columns) = (new.factors.rows(), new.factors.cols());
        if rows != nodes.len() || columns != self.dimension() {
            let (count, wanted) = (nodes.len(), self.dimension());
            let reason = format!("{rows} x {columns} rows for {count} nodes of {wanted} columns");
            return Err(unfit(reason));
        }
        let before = self.nodes.len();
        self.nodes = self.nodes.followed_by(nodes).map_err(|error| unfit(error.to_string()))?;
        self.factors = match (&self.factors, &new.factors) {
            (AnyTall::F32(own), AnyTall::F32(new)) => AnyTall::F32(stacked(own, new)),
            (AnyTall::F64(own), AnyTall::F64(new)) => AnyTall::F64(stacked(own, new)),
            (own, new) => {
                let (own, new) = (own.precision(), new.precision());
                return Err(unfit(format!("{new:?} rows for a model of {own:?} rows")));
            }
        };
        self.info.unobserved_nodes.extend(new.unobserved.iter().map(|node| before + node));
        self.appended += nodes.len();
        Ok(self)
    }
}

/// The rows of one block followed by those of another.
fn stacked<T: Real>(first: &Tall<T>, second: &Tall<T>) -> Tall<T> {
    let rows = first.rows() + second.rows();
    Tall::from_rows_in(first.workspace(), rows, first.cols(), |row, out: &mut [T]| {
        let found = match row.checked_sub(first.rows()) {
            None => first.row(row),
            Some(row) => second.row(row),
        };
        out.copy_from_slice(found);
    })
}
