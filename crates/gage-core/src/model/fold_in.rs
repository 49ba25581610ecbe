//! Fold-in: rows of new nodes from the views they have, without another fit.
//!
//! With `U` and `C` fixed, the row of a new node is the least-squares solution of `sum_k w_k^2
//! ||x_k - (u - m_k) C_k (J_k U)^T||^2` over its views, where `x_k` are its inner products with the
//! fitted nodes. These are not formed: `x_k J_k U = (y - mean_k) L_k` with the loadings `L_k =
//! Y_k^T J_k U`. Hence
//!
//! ```text
//! u = [ sum_k w_k^2 ( C_k L_k^T (y - mean_k) + C_k G_k C_k m_k ) ] A_P^-1,
//! A_P = sum_{k in P} w_k^2 C_k G_k C_k
//! ```
//!
//! `A_P` is corrected for a bias: the loadings contain the residual `e_k` of a fitted row itself,
//! but not of a new one, so `w_k^2 c_kf |e_k|^2` is subtracted from the diagonal.
//!
//! For a view smoothed over links, `y L_k` is the node's own part plus its links times a table of
//! the smoothed rows of its neighbours.

use std::collections::HashMap;

use faer::Mat;

use crate::error::Error;
use gage_linalg::small::PsdSolver;
use gage_linalg::{AnyTall, Tall};

use super::fitted_model::Model;
use super::fold_in_tables::{FoldInTables, ViewTable};
use super::lambda::Lambda;
use super::new_nodes::{FoldedIn, NewNodes};
use super::row_products::row_products;

impl Model {
    /// Rows of `U` for new nodes. Deterministic. Costs one product of the new rows with the
    /// loadings and one small system per combination of views.
    pub fn fold_in(&self, new: &NewNodes) -> Result<FoldedIn, Error> {
        let tables = self.tables.as_ref().ok_or(Error::NoLoadings)?;
        let columns = self.dimension();
        check(self, new, tables)?;
        let mut rhs = vec![0.0; new.count * columns];
        let mut seen = vec![vec![false; tables.views.len()]; new.count];
        for (k, table) in tables.views.iter().enumerate() {
            let Some((products, observed)) = row_products(table, new, columns) else { continue };
            for node in (0..new.count).filter(|&node| observed[node]) {
                seen[node][k] = true;
                for f in 0..columns {
                    let centred = table.unit * products.row(node)[f] - table.offset[f];
                    rhs[node * columns + f] += table.weighted[f] * centred;
                }
            }
        }
        let mut out = Tall::<f64>::zeros(new.count, columns);
        let mut unobserved = Vec::new();
        let mut systems: HashMap<Vec<bool>, (PsdSolver, Vec<f64>)> = HashMap::new();
        for (node, pattern) in seen.iter().enumerate() {
            if pattern.iter().all(|&seen| !seen) {
                unobserved.push(node);
                continue;
            }
            let (solver, constant) =
                systems.entry(pattern.clone()).or_insert_with(|| tables.system(pattern));
            let system = Mat::from_fn(columns, 1, |f, _| rhs[node * columns + f] + constant[f]);
            let solved = solver.solve(system.as_ref());
            for (f, value) in out.row_mut(node).iter_mut().enumerate() {
                *value = solved[(f, 0)];
            }
        }
        let factors = match self.factors {
            AnyTall::F32(_) => AnyTall::F32(out.converted()),
            AnyTall::F64(_) => AnyTall::F64(out),
        };
        Ok(FoldedIn { factors, unobserved })
    }

    /// Embedding of new nodes, on the scale of [`embedding`](Model::embedding).
    pub fn embed_new(&self, new: &FoldedIn, lambda: &Lambda) -> Result<AnyTall, Error> {
        Ok(new.factors.clone().scale_columns(&self.column_factors(lambda)?))
    }
}

impl FoldInTables {
    /// The normal matrix of one combination of views, and the constant part of the right-hand side.
    fn system(&self, pattern: &[bool]) -> (PsdSolver, Vec<f64>) {
        let columns = self.spread.len();
        let mut normal = Mat::<f64>::zeros(columns, columns);
        let mut constant = vec![0.0; columns];
        let mut noise = 0.0;
        let seen: Vec<&ViewTable> =
            self.views.iter().zip(pattern).filter(|(_, seen)| **seen).map(|(v, _)| v).collect();
        for table in &seen {
            normal += &table.normal;
            noise += table.noise / seen.len() as f64;
            for (f, constant) in constant.iter_mut().enumerate() {
                *constant +=
                    (0..columns).map(|g| table.mean_factor[g] * table.normal[(g, f)]).sum::<f64>();
            }
        }
        if seen.len() < self.views.len() {
            for (f, &spread) in self.spread.iter().enumerate() {
                normal[(f, f)] += if spread > 0.0 { self.ridge * noise / spread } else { 0.0 };
            }
        }
        // A fitted row contributed to its own loadings. Without this correction new rows would be
        // too short.
        for f in 0..columns {
            let own: f64 = seen.iter().map(|table| table.weighted[f] * table.residual).sum();
            normal[(f, f)] -= own.min(0.5 * normal[(f, f)]);
        }
        (PsdSolver::new(normal.as_ref()), constant)
    }
}

fn check(model: &Model, new: &NewNodes, tables: &FoldInTables) -> Result<(), Error> {
    let fail = |reason: String| Err(Error::NewNodes { reason });
    for block in &new.blocks {
        let name = &block.name;
        if block.matrix.rows() != new.count {
            let rows = block.matrix.rows();
            return fail(format!("block `{name}` has {rows} rows for {} new nodes", new.count));
        }
        if block.observed.as_ref().is_some_and(|mask| mask.len() != new.count) {
            return fail(format!("the mask of block `{name}` does not have {} entries", new.count));
        }
        for table in &tables.views {
            if table.recipe.block.as_ref() == Some(name)
                && let Some(loadings) = &table.loadings
                && block.matrix.cols() != loadings.rows()
            {
                let (found, wanted) = (block.matrix.cols(), loadings.rows());
                return fail(format!("block `{name}` has {found} columns, the model {wanted}"));
            }
            if let Some(propagation) = &table.recipe.propagation
                && propagation.block == *name
                && block.matrix.cols() != model.nodes.len()
            {
                let (found, wanted) = (block.matrix.cols(), model.nodes.len());
                return fail(format!(
                    "links `{name}` have {found} columns for {wanted} fitted nodes"
                ));
            }
        }
    }
    Ok(())
}
