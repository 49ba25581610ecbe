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
//! With all views the data of a fitted node give back its row. With some of them, columns that
//! missing views share are not determined well, so a table learnt from the fitted nodes takes the
//! place of the system (`partial_rows.rs`), except where the views are reproduced exactly. It does
//! so for all views, too, if one of them is a logarithm: its products are taken for linear in the
//! data of the node, which they are on average only.
//!
//! For a view smoothed over links, `y L_k` is the node's own part plus its links times a table of
//! the smoothed rows of its neighbours.

use std::collections::HashMap;

use faer::Mat;

use crate::error::Error;
use crate::progress::Stage;
use gage_linalg::small::PsdSolver;
use gage_linalg::{AnyTall, Tall};

use super::fitted_model::{Model, on_scale};
use super::fold_in_tables::{FoldInTables, ViewTable};
use super::lambda::Lambda;
use super::new_nodes::{FEW_ENTRIES, FoldedIn, NewNodes};
use super::partial_rows::inputs_of;
use super::partial_table::PartialRows;
use super::row_products::{known_entries, observes, row_products};

impl Model {
    /// Rows of `U` for new nodes. Deterministic. Costs one product of the new rows with the
    /// loadings, and for each combination of views one small system or one small product per node.
    pub fn fold_in(&self, new: &NewNodes) -> Result<FoldedIn, Error> {
        Error::catch_memory(|| Stage::NewNodes, || self.solve_new(new))
    }

    fn solve_new(&self, new: &NewNodes) -> Result<FoldedIn, Error> {
        let tables = self.tables.as_ref().ok_or(Error::NoLoadings)?;
        let columns = self.dimension();
        check(self, new, tables)?;
        let sums = tables.sums(new, columns);
        let mut out = Tall::<f64>::zeros(new.count, columns);
        let (mut unobserved, mut without_table) = (Vec::new(), Vec::new());
        let blocks = tables.blocks();
        let mut systems: HashMap<&[bool], (PsdSolver, Vec<f64>)> = HashMap::new();
        for (node, pattern) in sums.seen.iter().enumerate() {
            let whole = pattern.iter().all(|&seen| seen);
            let partial = tables.partial_of(new, node);
            let partial = partial.filter(|found| !whole || found.blocks.len() == blocks.len());
            if let Some(partial) = partial {
                let links = (&partial.neighbours[..], node);
                let (products, rows) = (sums.products.row(node), self.factors.as_ref());
                let inputs = inputs_of(products, rows, new, links);
                out.row_mut(node).copy_from_slice(&partial.row(&inputs));
                continue;
            }
            if pattern.iter().all(|&seen| !seen) {
                unobserved.push(node);
                continue;
            }
            if !(tables.exact() || whole && tables.linear()) {
                without_table.push(node);
            }
            let (solver, constant) =
                systems.entry(pattern).or_insert_with(|| tables.system(pattern));
            let rhs = sums.centred.row(node);
            let system = Mat::from_fn(columns, 1, |f, _| rhs[f] + constant[f]);
            let solved = solver.solve(system.as_ref());
            for (f, value) in out.row_mut(node).iter_mut().enumerate() {
                *value = solved[(f, 0)];
            }
        }
        let factors = match self.factors {
            AnyTall::F32(_) => AnyTall::F32(out.converted()),
            AnyTall::F64(_) => AnyTall::F64(out),
        };
        let counted = (0..new.count).map(|node| (node, known_entries(new, &blocks, node)));
        let few = |&(node, entries): &(usize, usize)| {
            entries < FEW_ENTRIES && unobserved.binary_search(&node).is_err()
        };
        let few_entries = counted.filter(few).collect();
        Ok(FoldedIn { factors, unobserved, few_entries, without_table })
    }

    /// Embedding of new nodes, on the scale of [`embedding`](Model::embedding).
    pub fn embed_new(&self, new: &FoldedIn, lambda: &Lambda) -> Result<AnyTall, Error> {
        let factors = self.column_factors(lambda)?;
        let scale = self.params.preset.scale;
        let scaled = || Ok(on_scale(new.factors.clone(), &factors, scale));
        Error::catch_memory(|| Stage::NewNodes, scaled)
    }
}

/// Sums over views for every new node.
struct Sums {
    /// Views that observe the node.
    seen: Vec<Vec<bool>>,
    /// The right-hand side of its row, without the constant part.
    centred: Tall<f64>,
    /// The products of all its data, also of views that are not observed, not centred.
    products: Tall<f64>,
}

impl FoldInTables {
    fn sums(&self, new: &NewNodes, columns: usize) -> Sums {
        let mut sums = Sums {
            seen: vec![vec![false; self.views.len()]; new.count],
            centred: Tall::zeros(new.count, columns),
            products: Tall::zeros(new.count, columns),
        };
        for (k, table) in self.views.iter().enumerate() {
            let Some((products, observed)) = row_products(table.row_table(), new, columns) else {
                continue;
            };
            for (node, &observed) in observed.iter().enumerate() {
                table.add_products(products.row(node), sums.products.row_mut(node));
                if !observed {
                    continue;
                }
                sums.seen[node][k] = true;
                let out = sums.centred.row_mut(node);
                for (f, out) in out.iter_mut().enumerate() {
                    let centred = table.unit * products.row(node)[f] - table.offset[f];
                    *out += table.weighted[f] * centred;
                }
            }
        }
        sums
    }

    /// Whether the views are reproduced exactly; then least squares are exact for any of them.
    pub(crate) fn exact(&self) -> bool {
        self.linear() && self.views.iter().all(|table| table.residual == 0.0)
    }

    /// Whether the rows of all views are linear in the data of a node. Otherwise rows of new nodes
    /// are learnt even where all blocks are there.
    pub(crate) fn linear(&self) -> bool {
        self.views.iter().all(|table| !table.recipe.logarithm)
    }

    /// Whether a block is known to be links to the fitted nodes.
    fn has_links(&self, name: &String) -> bool {
        let smoothing = self.views.iter().filter_map(|table| table.recipe.propagation.as_ref());
        smoothing.map(|propagation| &propagation.block).any(|block| block == name)
            || self.partial.iter().any(|partial| partial.neighbours.contains(name))
    }

    /// The table for the blocks that observe a node.
    fn partial_of(&self, new: &NewNodes, node: usize) -> Option<&PartialRows> {
        let has =
            |name: &str| new.blocks.iter().any(|block| block.name == name && observes(block, node));
        let having = self.blocks().iter().filter(|name| has(name)).count();
        self.partial.iter().find(|partial| {
            partial.blocks.len() == having && partial.blocks.iter().all(|name| has(name))
        })
    }

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
        }
        let (found, wanted) = (block.matrix.cols(), model.fitted_nodes());
        if tables.has_links(name) && found != wanted {
            return fail(format!("links `{name}` have {found} columns for {wanted} fitted nodes"));
        }
    }
    Ok(())
}
