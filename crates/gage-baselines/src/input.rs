//! Links and attributes as the methods want them: one block each, missing as zero.

use std::ops::Range;

use gage_embed::graph::{ATTRIBUTES, BlockKind, LINKS};
use gage_embed::{Block, Graph, Matrix, SparseMatrix, Tall};
use gage_linalg::Values;

use crate::Error;
use crate::task::Task;

/// Largest size of a number; its fourth power stays far from overflow.
const MAX_MAGNITUDE: f64 = 1e30;

/// Attributes: sparse or dense, all numbers finite.
#[derive(Clone)]
pub(crate) enum Table {
    Sparse(SparseMatrix),
    Dense(Tall<f64>),
}

impl Table {
    pub(crate) fn rows(&self) -> usize {
        match self {
            Table::Sparse(matrix) => matrix.rows(),
            Table::Dense(matrix) => matrix.rows(),
        }
    }

    pub(crate) fn cols(&self) -> usize {
        match self {
            Table::Sparse(matrix) => matrix.cols(),
            Table::Dense(matrix) => matrix.cols(),
        }
    }

    /// Visits the entries of a row that are not zero.
    pub(crate) fn each(&self, row: usize, visit: impl FnMut(usize, f64)) {
        self.each_within(row, 0..self.cols(), visit);
    }

    /// Visits the entries of a row in some columns that are not zero.
    pub(crate) fn each_within(
        &self,
        row: usize,
        columns: Range<usize>,
        mut visit: impl FnMut(usize, f64),
    ) {
        match self {
            Table::Sparse(matrix) => matrix
                .row(row)
                .filter(|entry| entry.1 != 0.0 && columns.contains(&(entry.0 as usize)))
                .for_each(|(col, value)| visit(col as usize, value)),
            Table::Dense(matrix) => {
                let start = columns.start;
                let entries = matrix.row(row)[columns].iter().enumerate();
                let filled = entries.filter(|entry| *entry.1 != 0.0);
                filled.for_each(|(at, &value)| visit(start + at, value));
            }
        }
    }

    /// Every entry replaced by a number made from its row, column and value; zeros stay zeros.
    pub(crate) fn mapped(
        &self,
        change: impl Fn(usize, usize, f64) -> f64 + Sync,
    ) -> Result<Table, Error> {
        Ok(match self {
            Table::Sparse(matrix) => Table::Sparse(map_sparse(matrix, change)?),
            Table::Dense(matrix) => Table::Dense(Tall::from_rows(
                matrix.rows(),
                matrix.cols(),
                |row, out: &mut [f64]| {
                    for (col, (out, &value)) in out.iter_mut().zip(matrix.row(row)).enumerate() {
                        *out = if value == 0.0 { 0.0 } else { change(row, col, value) };
                    }
                },
            )),
        })
    }

    /// In how many rows each column is not zero.
    pub(crate) fn document_frequencies(&self) -> Vec<f64> {
        let mut frequency = vec![0.0; self.cols()];
        (0..self.rows()).for_each(|row| self.each(row, |col, _| frequency[col] += 1.0));
        frequency
    }

    /// Columns weighted by `ln((1 + n) / (1 + df)) + 1`, then rows divided by their length.
    pub(crate) fn tf_idf(&self) -> Result<Table, Error> {
        let nodes = self.rows() as f64;
        let frequency = self.document_frequencies();
        let weight = |df: f64| ((1.0 + nodes) / (1.0 + df)).ln() + 1.0;
        let weights: Vec<f64> = frequency.into_iter().map(weight).collect();
        self.mapped(|_, col, value| value * weights[col])?.unit_rows()
    }

    /// Rows divided by the sum of their absolute values.
    pub(crate) fn rows_of_sum_one(&self) -> Result<Table, Error> {
        let sums: Vec<f64> = (0..self.rows())
            .map(|row| {
                let mut sum = 0.0;
                self.each(row, |_, value| sum += value.abs());
                sum
            })
            .collect();
        self.mapped(|row, _, value| if value == 0.0 { 0.0 } else { value / sums[row] })
    }

    /// Rows divided by their length.
    pub(crate) fn unit_rows(&self) -> Result<Table, Error> {
        let lengths: Vec<f64> = (0..self.rows())
            .map(|row| {
                // Squares of tiny numbers would vanish, so the largest is taken out first.
                let (mut largest, mut square) = (0.0f64, 0.0);
                self.each(row, |_, value| largest = largest.max(value.abs()));
                self.each(row, |_, value| square += (value / largest).powi(2));
                largest * square.sqrt()
            })
            .collect();
        // A stored zero in an otherwise empty row has no length to be divided by.
        self.mapped(|row, _, value| if value == 0.0 { 0.0 } else { value / lengths[row] })
    }
}

/// A sparse matrix with the same entries and other values.
pub(crate) fn map_sparse(
    matrix: &SparseMatrix,
    change: impl Fn(usize, usize, f64) -> f64,
) -> Result<SparseMatrix, Error> {
    let mut values = Vec::with_capacity(matrix.nnz());
    for row in 0..matrix.rows() {
        values.extend(matrix.row(row).map(|(col, value)| change(row, col as usize, value)));
    }
    let (pointers, indices) = (matrix.indptr().to_vec(), matrix.indices().to_vec());
    let values = Values::F64(values.into());
    Ok(SparseMatrix::new(matrix.rows(), matrix.cols(), pointers, indices, values)?)
}

/// Links and whether they have a direction.
pub(crate) struct Links {
    pub(crate) matrix: SparseMatrix,
    pub(crate) directed: bool,
}

impl Links {
    /// The links themselves, or `A + A^T` if they have a direction.
    pub(crate) fn undirected(&self) -> Result<SparseMatrix, Error> {
        if !self.directed {
            return Ok(self.matrix.clone());
        }
        let mut entries = Vec::with_capacity(2 * self.matrix.nnz());
        for row in 0..self.matrix.rows() {
            for (col, value) in self.matrix.row(row) {
                entries.push((row as u32, col, value));
                entries.push((col, row as u32, value));
            }
        }
        Ok(SparseMatrix::from_triplets(self.matrix.rows(), self.matrix.cols(), &entries)?)
    }
}

pub(crate) fn is_links(block: &Block) -> bool {
    matches!(block.kind, BlockKind::Links { .. })
}

pub(crate) fn is_attributes(block: &Block) -> bool {
    block.kind == BlockKind::Attributes
}

/// The block of this name if it is of the wanted kind, else the first of that kind.
pub(crate) fn find(graph: &Graph, name: &str, wanted: impl Fn(&Block) -> bool) -> Option<Block> {
    let named = graph.block(name).filter(|block| wanted(block));
    named.or_else(|| graph.blocks().iter().find(|block| wanted(block))).cloned()
}

fn observed(block: &Block, row: usize) -> bool {
    block.observed.as_ref().is_none_or(|mask| mask.contains(row))
}

/// The main block of links. A missing row is empty; without directions the other end still knows
/// the link.
pub(crate) fn links(task: &Task<'_>) -> Result<Links, Error> {
    let missing = Error::NeedsLinks { method: task.method };
    let block = find(task.graph, LINKS, is_links).ok_or(missing)?;
    let directed = block.kind == BlockKind::Links { directed: true };
    let table = table_of(&block)?;
    if let (Table::Sparse(matrix), None) = (&table, &block.observed) {
        return Ok(Links { matrix: matrix.clone(), directed });
    }
    let mut entries = Vec::new();
    for row in 0..table.rows() {
        table.each(row, |col, value| {
            entries.push((row as u32, col as u32, value));
            if !directed && !observed(&block, col) {
                entries.push((col as u32, row as u32, value));
            }
        });
    }
    let matrix = SparseMatrix::from_triplets(table.rows(), table.rows(), &entries)?;
    Ok(Links { matrix, directed })
}

/// The main block of attributes; rows and entries that are missing are zeros.
pub(crate) fn attributes(task: &Task<'_>) -> Result<Table, Error> {
    let missing = Error::NeedsAttributes { method: task.method };
    let block = find(task.graph, ATTRIBUTES, is_attributes).ok_or(missing)?;
    table_of(&block)
}

fn table_of(block: &Block) -> Result<Table, Error> {
    let table = match &block.matrix {
        Matrix::Sparse(matrix) if block.observed.is_none() => Table::Sparse(matrix.clone()),
        Matrix::Sparse(matrix) => {
            let known = |row, _, value| if observed(block, row) { value } else { 0.0 };
            Table::Sparse(map_sparse(matrix, known)?)
        }
        Matrix::Dense(matrix) => {
            Table::Dense(Tall::from_rows(matrix.rows(), matrix.cols(), |row, out: &mut [f64]| {
                if observed(block, row) {
                    matrix.read_row(row, out);
                    out.iter_mut().filter(|value| value.is_nan()).for_each(|value| *value = 0.0);
                }
            }))
        }
    };
    let mut largest = 0.0f64;
    (0..table.rows())
        .for_each(|row| table.each(row, |_, value| largest = largest.max(value.abs())));
    if largest <= MAX_MAGNITUDE {
        return Ok(table);
    }
    Err(Error::Magnitude { block: block.name.clone(), value: largest, bound: MAX_MAGNITUDE })
}
