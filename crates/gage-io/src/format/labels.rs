//! Classes of nodes from files.

use std::collections::BTreeSet;
use std::path::Path;

use gage_core::graph::{Labels, Matrix};

use super::dialect::{Records, Separator, has_header, is_missing, sample};
use super::error::{Place, ReadError};
use super::npy::{Array, read_npy};
use super::npz::read_npz;
use super::source::format_extension;

/// Labels as a file has them: for rows in order, or for named nodes.
#[derive(Clone, Debug)]
pub struct LabelTable {
    /// The id each row is for, if the file has ids.
    pub ids: Option<Vec<String>>,
    /// One row per node or, with ids, per line.
    pub labels: Labels,
}

const LABEL_NAMES: [&str; 6] = ["label", "labels", "class", "category", "group", "y"];
const ID_NAMES: [&str; 6] = ["id", "node", "name", "key", "nodeid", "node_id"];
const REMEDY: &str =
    "give one label per node: integers (negative for none), strings, or a 0/1 matrix";

/// Reads labels: `.npy` integers (negative means none) or strings, `.npy` or `.npz` 0/1 matrices with a column per
/// class, or text with `id, label` or one label a line.
pub fn read_labels(path: impl AsRef<Path>) -> Result<LabelTable, ReadError> {
    let path = path.as_ref();
    match format_extension(path).as_str() {
        "npz" => membership(path, &read_npz(path)?).map(rows_in_order),
        "npy" => match read_npy(path)? {
            Array::Texts(texts) => {
                let texts: Vec<Option<&str>> =
                    texts.iter().map(|t| (!is_missing(t)).then_some(t.as_str())).collect();
                Ok(rows_in_order(Labels::from_names(&texts)))
            }
            Array::Integers { shape, values } if shape.get(1).copied().unwrap_or(1) == 1 => {
                Ok(rows_in_order(from_numbers(&values)))
            }
            Array::Integers { shape, values } => {
                let matrix = super::matrix::dense_from_integers(path, &shape, values)?;
                membership(path, &matrix).map(rows_in_order)
            }
            Array::Numbers(dense) if dense.cols() == 1 => {
                let numbers: Result<Vec<i64>, ReadError> =
                    (0..dense.rows()).map(|row| whole(path, row, dense.get(row, 0))).collect();
                Ok(rows_in_order(from_numbers(&numbers?)))
            }
            Array::Numbers(dense) => membership(path, &dense.into()).map(rows_in_order),
        },
        _ => read_text(path),
    }
}

fn rows_in_order(labels: Labels) -> LabelTable {
    LabelTable { ids: None, labels }
}

fn whole(path: &Path, row: usize, value: f64) -> Result<i64, ReadError> {
    if value.is_nan() {
        return Ok(-1);
    }
    if value.fract() == 0.0 && value.abs() < 9e15 {
        return Ok(value as i64);
    }
    let place = Place::entry(format!("row {row}"));
    Err(ReadError::malformed(path, place, value.to_string(), "a whole number", REMEDY))
}

/// Classes by number. Numbers far beyond the number of nodes (years, codes) become names, lest every number below
/// them be a class.
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
pub(super) fn membership(path: &Path, matrix: &Matrix) -> Result<Labels, ReadError> {
    const MOST_CLASSES: usize = 1 << 20;
    if matrix.cols() > MOST_CLASSES {
        let found = format!("{} columns", matrix.cols());
        let expected = format!("at most {MOST_CLASSES} classes");
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

fn read_text(path: &Path) -> Result<LabelTable, ReadError> {
    let expected = "labels: `id, label` or one label a line";
    let sampled = sample(path, expected)?;
    let width = sampled.rows.first().map_or(1, Vec::len);
    // A label may contain blanks, so one column with blanks inside is taken whole only if no line has an id first.
    let separator = if width == 1 { Separator::None } else { sampled.separator };
    let known: Vec<&str> = LABEL_NAMES.iter().chain(&ID_NAMES).copied().collect();
    let names_columns =
        |row: &Vec<String>| row.iter().any(|cell| known.contains(&cell.to_lowercase().as_str()));
    let header = sampled.rows.first().is_some_and(names_columns)
        || (width > 1 && has_header(&sampled.rows, &[]));
    let column = |names: &[&str], otherwise: usize| {
        let first = sampled.rows.first().filter(|_| header);
        let found = first.and_then(|row| {
            row.iter().position(|cell| names.contains(&cell.to_lowercase().as_str()))
        });
        found.unwrap_or(otherwise)
    };
    let id_column = column(&ID_NAMES, 0);
    let label_column = column(&LABEL_NAMES, if id_column == 0 { 1 } else { 0 });
    let label_column = if width == 1 { 0 } else { label_column };
    let (mut ids, mut texts) = (Vec::new(), Vec::new());
    let mut first = header;
    Records::open(path, separator, expected)?.for_each(path, |line, cells| {
        if std::mem::take(&mut first) {
            return Ok(());
        }
        let Some(label) = cells.get(label_column) else {
            let found = format!("{} cells", cells.len());
            let expected = format!("{width}, as on the first line");
            return Err(ReadError::malformed(path, Place::Line(line), found, expected, REMEDY));
        };
        if width > 1 {
            ids.push(cells[id_column.min(cells.len() - 1)].clone().into_owned());
        }
        texts.push((!is_missing(label)).then(|| label.clone().into_owned()));
        Ok(())
    })?;
    let labels = from_texts(&texts);
    Ok(LabelTable { ids: (width > 1).then_some(ids), labels })
}

/// Labels from text: numbers if all are whole numbers, names otherwise.
pub(super) fn from_texts(texts: &[Option<String>]) -> Labels {
    let numbers: Option<Vec<i64>> =
        texts.iter().map(|text| text.as_ref().map_or(Some(-1), |text| text.parse().ok())).collect();
    match numbers {
        Some(numbers) if numbers.iter().any(|&number| number >= 0) => from_numbers(&numbers),
        _ => Labels::from_names(texts),
    }
}
