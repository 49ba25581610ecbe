//! How usual the values of a column are.

use gage_embed::graph::BlockKind;
use gage_embed::{Block, Matrix};

/// Over all rows, one entry per column.
#[derive(Debug)]
pub(crate) struct ColumnStatistics {
    /// Rows with an entry.
    pub(crate) present: Vec<u32>,
    pub(crate) mean: Vec<f64>,
    pub(crate) deviation: Vec<f64>,
    /// Whether nodes differ by the values of a column rather than by having an entry.
    pub(crate) numeric: bool,
}

/// Statistics of a block of attributes; nothing for links.
pub(super) fn statistics(block: &Block) -> Option<ColumnStatistics> {
    if block.kind != BlockKind::Attributes {
        return None;
    }
    let (rows, columns) = (block.matrix.rows(), block.matrix.cols());
    let mut present = vec![0u32; columns];
    let (mut sums, mut squares) = (vec![0.0; columns], vec![0.0; columns]);
    for (column, value) in (0..rows).flat_map(|row| entries(&block.matrix, row)) {
        let column = column as usize;
        present[column] += 1;
        sums[column] += value;
        squares[column] += value * value;
    }
    let count = rows.max(1) as f64;
    let mean: Vec<f64> = sums.iter().map(|sum| sum / count).collect();
    let spread = |(square, mean): (&f64, &f64)| (square / count - mean * mean).max(0.0).sqrt();
    let deviation = squares.iter().zip(&mean).map(spread).collect();
    let filled: usize = present.iter().map(|&count| count as usize).sum();
    let numeric = matches!(block.matrix, Matrix::Dense(_)) && 2 * filled > rows * columns;
    Some(ColumnStatistics { present, mean, deviation, numeric })
}

/// The entries of a row that are not zero.
pub(super) fn entries(matrix: &Matrix, row: usize) -> Vec<(u32, f64)> {
    match matrix {
        Matrix::Sparse(matrix) => matrix.row(row).filter(|entry| entry.1 != 0.0).collect(),
        Matrix::Dense(matrix) => {
            let mut values = vec![0.0; matrix.cols()];
            matrix.read_row(row, &mut values);
            let all = values.into_iter().enumerate().map(|(at, value)| (at as u32, value));
            all.filter(|entry| entry.1 != 0.0).collect()
        }
    }
}
