//! Attributes that are hidden from every view, to see what predicts them.

use crate::graph::{ATTRIBUTES, Block, Graph, LINKS, Matrix};
use crate::views::each_entry;
use gage_linalg::random::mix;
use gage_linalg::{DenseMatrix, SparseMatrix, Values};

/// One column of so many is hidden.
const HIDDEN: u64 = 10;

/// Entries that a hidden column has at least.
const LEAST_ENTRIES: u32 = 5;

/// Fewer columns than this say too little.
const LEAST_COLUMNS: usize = 4;

/// Belongs to the choice of columns and to nothing else.
const COLUMNS: u64 = 0x41dd_e4c0;

/// A graph whose attributes lack some columns. It holds the blocks `links` and `attributes` and
/// nothing else; labels least of all.
pub(super) struct HiddenColumns {
    /// What views may be made of.
    pub(super) graph: Graph,
    /// The hidden columns, in order.
    pub(super) columns: Vec<u32>,
}

impl HiddenColumns {
    /// Hides about a tenth of the columns with enough entries; `None` where there are too few.
    /// Which ones depends on the seed and their positions. Costs one copy of the attributes.
    pub(super) fn of(graph: &Graph, seed: u64) -> Option<HiddenColumns> {
        let (links, attributes) = (graph.block(LINKS)?, graph.block(ATTRIBUTES)?);
        let counts = entry_counts(attributes);
        let chosen = |col: usize| mix(seed ^ COLUMNS ^ mix(col as u64)).is_multiple_of(HIDDEN);
        let rows = attributes.matrix.rows() as u32;
        // Known of every row and the same in all: nothing to predict.
        let varies = |count: u32| count >= LEAST_ENTRIES && (count < rows || is_dense(attributes));
        let columns: Vec<u32> = (0..counts.len())
            .filter(|&col| counts[col].is_some_and(varies) && chosen(col))
            .map(|col| col as u32)
            .collect();
        if columns.len() < LEAST_COLUMNS {
            return None;
        }
        let shown = Block { matrix: without(&attributes.matrix, &columns), ..attributes.clone() };
        let graph = Graph::new(graph.nodes().clone()).with_block(links.clone()).ok()?;
        Some(HiddenColumns { graph: graph.with_block(shown).ok()?, columns })
    }
}

fn is_dense(block: &Block) -> bool {
    matches!(block.matrix, Matrix::Dense(_))
}

/// Entries of each column; `None` for a column with missing ones.
fn entry_counts(block: &Block) -> Vec<Option<u32>> {
    let mut counts = vec![Some(0u32); block.matrix.cols()];
    match &block.matrix {
        Matrix::Sparse(matrix) => {
            for &col in matrix.indices() {
                if let Some(count) = &mut counts[col as usize] {
                    *count += 1;
                }
            }
        }
        Matrix::Dense(matrix) => {
            for row in 0..matrix.rows() {
                for (col, count) in counts.iter_mut().enumerate() {
                    let value = matrix.get(row, col);
                    *count = count.filter(|_| value.is_finite());
                    if let Some(count) = count {
                        *count += u32::from(value != 0.0);
                    }
                }
            }
        }
    }
    counts
}

/// A matrix with the same shape and zeros in some columns.
fn without(matrix: &Matrix, columns: &[u32]) -> Matrix {
    let hidden = |col: u32| columns.binary_search(&col).is_ok();
    match matrix {
        Matrix::Sparse(matrix) => {
            let mut is_hidden = vec![false; matrix.cols()];
            columns.iter().for_each(|&col| is_hidden[col as usize] = true);
            let mut pointers = Vec::with_capacity(matrix.rows() + 1);
            pointers.push(0u64);
            let (mut indices, mut values) = (Vec::new(), Vec::new());
            for row in 0..matrix.rows() {
                for (col, value) in matrix.row(row).filter(|entry| !is_hidden[entry.0 as usize]) {
                    indices.push(col);
                    values.push(value);
                }
                pointers.push(indices.len() as u64);
            }
            let values = match matrix.values() {
                Values::Ones => Values::Ones,
                _ => Values::from_f64(values),
            };
            SparseMatrix::canonical(matrix.rows(), matrix.cols(), pointers, indices, values).into()
        }
        Matrix::Dense(dense) => {
            let cells = (0..dense.rows()).flat_map(|row| (0..dense.cols()).map(move |c| (row, c)));
            let value = |(row, col): (usize, usize)| {
                if hidden(col as u32) { 0.0 } else { dense.get(row, col) }
            };
            let values = cells.map(value).collect();
            let found = DenseMatrix::from_f64(dense.rows(), dense.cols(), values);
            // As many values as cells, so there is a matrix.
            found.map_or_else(|| matrix.clone(), Matrix::Dense)
        }
    }
}

/// The hidden values of some rows, one list per hidden column.
pub(super) fn hidden_values(block: &Block, columns: &[u32], rows: &[u32]) -> Vec<Vec<f64>> {
    let mut values = vec![vec![0.0; rows.len()]; columns.len()];
    for (at, &row) in rows.iter().enumerate() {
        each_entry(&block.matrix, row as usize, |col, value| {
            if let Ok(place) = columns.binary_search(&(col as u32)) {
                values[place][at] = value;
            }
        });
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Labels, Nodes};

    /// A ring whose attributes differ between two calls in column 0 to `cols` by `salt`.
    fn graph(salt: &dyn Fn(u32) -> f64) -> Graph {
        let ring: Vec<(u32, u32, f64)> =
            (0..40).flat_map(|i| [(i, (i + 1) % 40, 1.0), ((i + 1) % 40, i, 1.0)]).collect();
        let words: Vec<(u32, u32, f64)> = (0..40u32)
            .flat_map(|i| (0..16).map(move |k| (i, (i * 7 + k * 11) % 100)))
            .map(|(i, col)| (i, col, salt(col)))
            .collect();
        let links = SparseMatrix::from_triplets(40, 40, &ring).unwrap();
        let words = SparseMatrix::from_triplets(40, 100, &words).unwrap();
        Graph::new(Nodes::numbered(40))
            .with_block(Block::links(LINKS, links, false))
            .and_then(|graph| graph.with_block(Block::attributes(ATTRIBUTES, words)))
            .unwrap()
    }

    #[test]
    fn views_see_neither_hidden_columns_nor_labels() {
        let plain = graph(&|_| 1.0);
        let hidden = HiddenColumns::of(&plain, 3).unwrap();
        assert!((4..=25).contains(&hidden.columns.len()), "{:?}", hidden.columns);
        let shown = &hidden.graph.block(ATTRIBUTES).unwrap().matrix;
        for row in 0..shown.rows() {
            each_entry(shown, row, |col, _| {
                assert!(hidden.columns.binary_search(&(col as u32)).is_err(), "column {col}");
            });
        }
        let all = plain.block(ATTRIBUTES).unwrap();
        let gone: f64 = hidden_values(all, &hidden.columns, &(0..40).collect::<Vec<_>>())
            .iter()
            .flatten()
            .sum();
        assert_eq!(shown.nnz() + gone as usize, all.matrix.nnz(), "the rest is all there");
        // Whatever the hidden columns hold, and whatever the labels are, the views see the same.
        let other = graph(&|col| if hidden.columns.contains(&col) { 9.0 } else { 1.0 });
        let labels = Labels::from_numbers(&(0..40).map(|i| i % 3).collect::<Vec<i64>>());
        let other = HiddenColumns::of(&other.with_labels(labels).unwrap(), 3).unwrap();
        assert_eq!(other.columns, hidden.columns);
        assert!(other.graph.labels().is_none());
        let entries = |graph: &Graph| -> Vec<(usize, usize, u64)> {
            let matrix = &graph.block(ATTRIBUTES).unwrap().matrix;
            let mut found = Vec::new();
            for row in 0..matrix.rows() {
                each_entry(matrix, row, |col, value| found.push((row, col, value.to_bits())));
            }
            found
        };
        assert_eq!(entries(&other.graph), entries(&hidden.graph));
    }

    #[test]
    fn few_columns_are_not_hidden() {
        let links = SparseMatrix::from_triplets(4, 4, &[(0, 1, 1.0), (1, 0, 1.0)]).unwrap();
        let words = SparseMatrix::from_triplets(4, 2, &[(0, 1, 1.0)]).unwrap();
        let graph = Graph::new(Nodes::numbered(4))
            .with_block(Block::links(LINKS, links, false))
            .and_then(|graph| graph.with_block(Block::attributes(ATTRIBUTES, words)))
            .unwrap();
        assert!(HiddenColumns::of(&graph, 0).is_none());
    }
}
