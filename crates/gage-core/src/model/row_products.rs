//! Products of the rows of new nodes with the loadings of a view.

use crate::graph::{Mask, Matrix};
use crate::views::{
    Direction, PropagationRecipe, Recipe, Transform, inverse_or_zero, inverse_row_lengths,
    inverse_row_sums,
};
use gage_linalg::{AnyTall, SparseMatrix, Tall};

use super::new_nodes::{NewBlock, NewNodes};

fn find<'a>(new: &'a NewNodes, name: &str, direction: Direction) -> Option<&'a NewBlock> {
    new.blocks.iter().find(|block| block.name == name && block.direction == direction).or_else(
        // Undirected links are stored as out-links.
        || new.blocks.iter().find(|block| block.name == name && direction == Direction::Out),
    )
}

/// What the products of new rows with one view need.
#[derive(Clone, Debug)]
pub(super) struct RowTable {
    pub(super) recipe: Recipe,
    pub(super) loadings: Option<AnyTall>,
    pub(super) neighbours: Option<AnyTall>,
}

impl RowTable {
    pub(super) fn as_ref(&self) -> RowTableRef<'_> {
        let (loadings, neighbours) = (self.loadings.as_ref(), self.neighbours.as_ref());
        RowTableRef { recipe: &self.recipe, loadings, neighbours }
    }
}

/// As [`RowTable`], borrowed.
#[derive(Clone, Copy)]
pub(super) struct RowTableRef<'a> {
    pub(super) recipe: &'a Recipe,
    pub(super) loadings: Option<&'a AnyTall>,
    pub(super) neighbours: Option<&'a AnyTall>,
}

/// `y L_k` (before scaling and centring) for every new node, and which of them the view observes.
/// A node without links is smoothed over itself alone; the view does not observe it, but the
/// product tells something about its row.
pub(super) fn row_products(
    table: RowTableRef<'_>,
    new: &NewNodes,
    columns: usize,
) -> Option<(Tall<f64>, Vec<bool>)> {
    let recipe = table.recipe;
    let own = match (&recipe.block, table.loadings) {
        (Some(name), Some(loadings)) => {
            let block = find(new, name, recipe.direction);
            block.map(|block| (own_products(recipe, block, loadings, columns), block))
        }
        _ => None,
    };
    let Some(propagation) = &recipe.propagation else {
        let (products, block) = own?;
        let observed = (0..new.count).map(|node| observes(block, node)).collect();
        return Some((products, observed));
    };
    let neighbours = table.neighbours?;
    let links = find(new, &propagation.block, propagation.direction);
    let links = links.and_then(|block| match &block.matrix {
        Matrix::Sparse(matrix) => Some((block, matrix)),
        Matrix::Dense(_) => None,
    });
    let alone: f64 = propagation.coefficients.iter().sum();
    let mut products = Tall::<f64>::zeros(new.count, columns);
    let mut observed = vec![false; new.count];
    for (node, observed) in observed.iter_mut().enumerate() {
        let own_row = own.as_ref().filter(|(_, block)| observes(block, node));
        let own_row = own_row.map(|(own, _)| own.row(node));
        let out = products.row_mut(node);
        if let Some((_, matrix)) = links.filter(|(block, _)| observes(block, node)) {
            smoothed_product(propagation, matrix, neighbours, own_row, (node, out));
            *observed = own_row.is_some() || !matrix.row_range(node).is_empty();
        } else if let Some(own) = own_row {
            out.iter_mut().zip(own).for_each(|(out, value)| *out = alone * value);
        }
    }
    Some((products, observed))
}

/// Adds the product of the smoothed row of a new node.
fn smoothed_product(
    propagation: &PropagationRecipe,
    links: &SparseMatrix,
    neighbours: &AnyTall,
    own_row: Option<&[f64]>,
    (node, out): (usize, &mut [f64]),
) {
    let (link_weights, stay) = normalised_links(propagation, links, node);
    let strength = propagation.link_strength(stay);
    for (neighbour, weight) in link_weights {
        let weight = strength * weight;
        for (out, value) in out.iter_mut().zip(neighbours.row_f64(neighbour)) {
            *out += weight * value;
        }
    }
    if let Some(own) = own_row {
        // Walks that stay at the new node carry its own row.
        let terms = propagation.coefficients.iter().enumerate();
        let remain: f64 = terms.map(|(t, a)| a * stay.powi(t as i32)).sum();
        for (out, value) in out.iter_mut().zip(own) {
            *out += remain * value;
        }
    }
}

impl PropagationRecipe {
    /// What the links of a node count for when its self-loop has this weight.
    ///
    /// The table of the neighbours holds `sum_t a_t P^(t-1) M L` with one step along the links
    /// left. Walks that first stay at the node for `s` steps have the weight `stay^s` and `t - 1 -
    /// s` steps beyond. They count as walks that do not stay do, so that all weights together are
    /// what they are in the fit. For one step this is exact.
    fn link_strength(&self, stay: f64) -> f64 {
        let walks = |t: usize| (0..t).map(|s| stay.powi(s as i32)).sum::<f64>();
        let terms = || self.coefficients.iter().enumerate().skip(1);
        let total: f64 = terms().map(|(_, a)| a).sum();
        if total > 0.0 { terms().map(|(t, a)| a * walks(t)).sum::<f64>() / total } else { 0.0 }
    }
}

/// Whether a block observes a new node.
pub(super) fn observes(block: &NewBlock, node: usize) -> bool {
    block_observes(block.observed.as_ref(), &block.matrix, node)
}

/// Whether a block with this mask and these numbers observes a node.
pub(super) fn block_observes(mask: Option<&Mask>, matrix: &Matrix, node: usize) -> bool {
    mask.is_none_or(|mask| mask.contains(node)) && known(matrix, node)
}

/// Whether a row holds a known entry; a dense row of NaN does not.
fn known(matrix: &Matrix, row: usize) -> bool {
    match matrix {
        Matrix::Sparse(_) => true,
        Matrix::Dense(dense) => (0..dense.cols()).any(|col| !dense.get(row, col).is_nan()),
    }
}

/// Nonzero attributes and links of a new node in blocks of the model. A dense row with at least
/// half of its columns counts as full, however few they are.
pub(super) fn known_entries(new: &NewNodes, blocks: &[String], node: usize) -> usize {
    let of_model = new.blocks.iter().filter(|block| blocks.contains(&block.name));
    let observed = of_model.filter(|block| observes(block, node));
    let entries = observed.map(|block| match &block.matrix {
        Matrix::Sparse(matrix) => matrix.row(node).filter(|entry| entry.1 != 0.0).count(),
        Matrix::Dense(dense) => {
            let known = (0..dense.cols()).filter(|&col| !dense.get(node, col).is_nan()).count();
            if 2 * known >= dense.cols() { usize::MAX } else { known }
        }
    });
    entries.fold(0, usize::saturating_add)
}

/// Normalised weights of a new node's links, and the weight of its self-loop.
fn normalised_links(
    propagation: &PropagationRecipe,
    links: &SparseMatrix,
    node: usize,
) -> (Vec<(usize, f64)>, f64) {
    let degree =
        |self_loops: f64| links.row(node).map(|(_, weight)| weight.abs()).sum::<f64>() + self_loops;
    let factors = propagation.node_factors.as_deref();
    let (scale, stay) = match propagation.transform {
        Transform::Symmetric { self_loops } => {
            let degree = degree(self_loops);
            (inverse_or_zero(degree.sqrt()), self_loops * inverse_or_zero(degree))
        }
        Transform::RowStochastic { self_loops } => {
            let degree = degree(self_loops);
            (inverse_or_zero(degree), self_loops * inverse_or_zero(degree))
        }
        _ => (1.0, 0.0),
    };
    let weights = links
        .row(node)
        .map(|(col, weight)| {
            let col = col as usize;
            (col, scale * weight * factors.map_or(1.0, |factors| factors[col]))
        })
        .collect();
    (weights, stay)
}

/// Products of the new nodes' own rows, transformed as the fitted rows were, with the loadings.
fn own_products(
    recipe: &Recipe,
    block: &NewBlock,
    loadings: &AnyTall,
    columns: usize,
) -> Tall<f64> {
    let matrix = &block.matrix;
    let right = recipe.right.as_deref();
    let left = row_factors(recipe, matrix);
    let factor = |col: usize| right.map_or(1.0, |right| right[col]);
    // Sparse rows of a view with dense fitted rows: the same mean is subtracted from all.
    let mut mean_row = vec![0.0; columns];
    if let (Some(shift), Matrix::Sparse(_)) = (&recipe.shift, matrix) {
        for (col, &mean) in shift.iter().enumerate().filter(|(_, mean)| **mean != 0.0) {
            for (out, loading) in mean_row.iter_mut().zip(loadings.row_f64(col)) {
                *out += factor(col) * mean * loading;
            }
        }
    }
    Tall::from_rows(matrix.rows(), columns, |row, out: &mut [f64]| {
        let left = left.as_ref().map_or(1.0, |left| left[row]);
        let mut add = |col: usize, value: f64| {
            let weight = left * factor(col) * value;
            for (out, loading) in out.iter_mut().zip(loadings.row_f64(col)) {
                *out += weight * loading;
            }
        };
        match matrix {
            Matrix::Sparse(sparse) => {
                sparse.row(row).for_each(|(col, value)| add(col as usize, value));
                out.iter_mut().zip(&mean_row).for_each(|(out, mean)| *out -= left * mean);
            }
            Matrix::Dense(dense) => {
                for col in 0..dense.cols() {
                    let mean = recipe.shift.as_ref().map_or(0.0, |shift| shift[col]);
                    let value = dense.get(row, col);
                    // A missing entry of a new node counts as the mean.
                    add(col, if value.is_nan() { 0.0 } else { value - mean });
                }
            }
        }
    })
}

/// Row factors of the transform of a view, for the rows of new nodes.
fn row_factors(recipe: &Recipe, matrix: &Matrix) -> Option<Vec<f64>> {
    match recipe.transform {
        Transform::RowL2 | Transform::TfIdf | Transform::RootIdf => {
            Some(inverse_row_lengths(matrix, recipe.right.as_deref(), None))
        }
        Transform::RowL1 => Some(inverse_row_sums(matrix, recipe.right.as_deref(), None)),
        Transform::Symmetric { self_loops } | Transform::RowStochastic { self_loops } => {
            let degree = |row: usize| match matrix {
                Matrix::Sparse(sparse) => {
                    sparse.row(row).map(|(_, w)| w.abs()).sum::<f64>() + self_loops
                }
                Matrix::Dense(_) => 0.0,
            };
            let root = matches!(recipe.transform, Transform::Symmetric { .. });
            let factor = |d: f64| inverse_or_zero(if root { d.sqrt() } else { d });
            Some((0..matrix.rows()).map(|row| factor(degree(row))).collect())
        }
        _ => None,
    }
}
