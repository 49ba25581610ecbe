//! Classes of nodes from files.

use std::path::Path;

use gage_core::graph::Labels;

use crate::error::{Place, ReadError};
use crate::format::npy::read::{Array, read_npy};
use crate::format::npz::read::read_npz;
use crate::labels::{LabelTable, REMEDY, from_numbers, from_texts, membership, whole};
use crate::source::format_extension;
use crate::table::column_names::{LABEL_FILE_ID_NAMES, LABEL_FILE_NAMES};
use crate::text::dialect::{Records, Separator, has_header, is_missing, sample};

/// Reads labels: `.npy` integers (negative means none) or strings, `.npy` or `.npz` 0/1 matrices
/// with a column per class, or text with `id, label` or one label a line.
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
                let matrix = crate::format::npy::matrix::dense_from_integers(path, &shape, values)?;
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

fn read_text(path: &Path) -> Result<LabelTable, ReadError> {
    let expected = "labels: `id, label` or one label a line";
    let sampled = sample(path, expected)?;
    let width = sampled.rows.first().map_or(1, Vec::len);
    // A label may contain blanks, so one column with blanks inside is taken whole only if no line
    // has an id first.
    let separator = if width == 1 { Separator::None } else { sampled.separator };
    let known: Vec<&str> = LABEL_FILE_NAMES.iter().chain(&LABEL_FILE_ID_NAMES).copied().collect();
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
    let id_column = column(&LABEL_FILE_ID_NAMES, 0);
    let label_column = column(&LABEL_FILE_NAMES, if id_column == 0 { 1 } else { 0 });
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
