//! Classes of nodes from numbers, texts and membership matrices.

use std::collections::BTreeSet;
use std::path::Path;

use gage_core::graph::{Labels, Matrix};

use crate::error::{Place, ReadError};
use crate::reading::Reading;

pub(crate) const REMEDY: &str =
    "give one label per node: integers (negative for none), strings, or a 0/1 matrix";

/// Labels as a file has them: for rows in order, or for named nodes.
#[derive(Clone, Debug)]
pub struct LabelTable {
    /// The id each row is for, if the file has ids.
    pub ids: Option<Vec<String>>,
    /// One row per node or, with ids, per line.
    pub labels: Labels,
    /// What was taken as what, if they stood in a table.
    pub reading: Option<Reading>,
}

impl LabelTable {
    /// Labels of which there is nothing more to say.
    pub fn new(ids: Option<Vec<String>>, labels: Labels) -> LabelTable {
        LabelTable { ids, labels, reading: None }
    }
}

/// The number of a class; NaN means none.
pub(crate) fn whole(path: &Path, row: usize, value: f64) -> Result<i64, ReadError> {
    if value.is_nan() {
        return Ok(-1);
    }
    if value.fract() == 0.0 && value.abs() < 9e15 {
        return Ok(value as i64);
    }
    let place = Place::entry(format!("row {row}"));
    Err(ReadError::malformed(path, place, value.to_string(), "a whole number", REMEDY))
}

/// Classes by number. Numbers far beyond the number of nodes (years, codes) become names, lest
/// every number below them be a class.
pub fn from_numbers(numbers: &[i64]) -> Labels {
    let top = numbers.iter().copied().max().unwrap_or(-1);
    if top < 1000 || top < numbers.len() as i64 {
        return Labels::from_numbers(numbers);
    }
    let distinct: Vec<i64> =
        numbers.iter().copied().filter(|&n| n >= 0).collect::<BTreeSet<_>>().into_iter().collect();
    let lists = numbers.iter().map(|n| {
        distinct.binary_search(n).map(|class| class as u32).into_iter().collect::<Vec<u32>>()
    });
    Labels::from_lists(distinct.iter().map(i64::to_string).collect(), lists)
}

/// Labels from a matrix with a row per node and a column per class; what is not zero is membership.
pub(crate) fn membership(path: &Path, matrix: &Matrix) -> Result<Labels, ReadError> {
    const MAX_CLASSES: usize = 1 << 20;
    if matrix.cols() > MAX_CLASSES {
        let found = format!("{} columns", matrix.cols());
        let expected = format!("at most {MAX_CLASSES} classes");
        return Err(ReadError::too_large(path, Place::File, found, expected, REMEDY));
    }
    if matrix.cols() == 1 {
        let value = |row: usize| match matrix {
            Matrix::Sparse(sparse) => sparse.row(row).next().map_or(0.0, |entry| entry.1),
            Matrix::Dense(dense) => dense.get(row, 0),
        };
        let numbers: Result<Vec<i64>, ReadError> =
            (0..matrix.rows()).map(|row| whole(path, row, value(row))).collect();
        return Ok(from_numbers(&numbers?));
    }
    let names = (0..matrix.cols()).map(|class| class.to_string()).collect();
    let lists = (0..matrix.rows()).map(|row| match matrix {
        Matrix::Sparse(sparse) => {
            sparse.row(row).filter(|entry| entry.1 != 0.0).map(|entry| entry.0).collect()
        }
        Matrix::Dense(dense) => {
            (0..dense.cols()).filter(|&c| dense.get(row, c) > 0.0).map(|c| c as u32).collect()
        }
    });
    Ok(Labels::from_lists(names, lists.collect::<Vec<Vec<u32>>>().into_iter()))
}

/// Labels from text: numbers if all are whole numbers, names otherwise.
pub(crate) fn from_texts(texts: &[Option<String>]) -> Labels {
    let numbers: Option<Vec<i64>> =
        texts.iter().map(|text| text.as_ref().map_or(Some(-1), |text| text.parse().ok())).collect();
    match numbers {
        Some(numbers) if numbers.iter().any(|&number| number >= 0) => from_numbers(&numbers),
        _ => Labels::from_names(texts),
    }
}
