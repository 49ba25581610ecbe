//! Classes of nodes from files.

use std::path::Path;

use gage_core::Hint;
use gage_core::graph::Labels;

use crate::error::{Origin, Place, ReadError};
use crate::format::npy::read::{Array, read_npy};
use crate::format::npz::read::read_npz;
use crate::labels::{LabelTable, REMEDY, from_numbers, from_texts, membership, whole};
use crate::reading::{
    ColumnOptions, ColumnReading, Examples, IdColumn, Names, Reading, Role, RowKind, listed,
    separator_name,
};
use crate::source::format_extension;
use crate::table::column_names::{LABEL_FILE_ID_NAMES, LABEL_FILE_NAMES, LABEL_NAMES, known_name};
use crate::text::dialect::{Records, Separator, has_header, is_missing, sample};

/// Reads labels: `.npy` integers (negative means none) or strings, `.npy` or `.npz` 0/1 matrices
/// with a column per class, or text with `id, label` or one label a line.
pub fn read_labels(path: impl AsRef<Path>) -> Result<LabelTable, ReadError> {
    read_labels_with(path, &ColumnOptions::default())
}

/// Reads labels, with what is said about the columns of a table.
pub fn read_labels_with(
    path: impl AsRef<Path>,
    options: &ColumnOptions,
) -> Result<LabelTable, ReadError> {
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
        _ => read_text(path, options),
    }
}

fn rows_in_order(labels: Labels) -> LabelTable {
    LabelTable::new(None, labels)
}

/// The columns of a file of labels.
struct LabelColumns {
    id: Option<usize>,
    label: usize,
}

/// Which column holds the labels: the one that was named, called like labels, or the only one
/// beside the ids. With more than two columns nothing else tells.
fn find_columns(
    origin: &Origin,
    names: &[String],
    header: bool,
    options: &ColumnOptions,
) -> Result<LabelColumns, ReadError> {
    let width = names.len();
    let lookup = Names { origin, names, several_files: options.several_files };
    let said = lookup.find_given(options.label.as_ref(), "with the labels")?;
    let id_said = match &options.ids {
        IdColumn::Named(name) => Names { several_files: true, ..lookup }.find(name, "")?,
        _ => None,
    };
    if width == 1 {
        return Ok(LabelColumns { id: None, label: 0 });
    }
    let known = |list: &[&str], but: Option<usize>| {
        let called = |at: usize| list.contains(&known_name(&names[at]).as_str());
        (0..width).filter(|&at| header && Some(at) != but && called(at)).collect::<Vec<_>>()
    };
    let id = id_said.or_else(|| known(&LABEL_FILE_ID_NAMES, said).first().copied());
    let labels: Vec<usize> = match said {
        Some(label) => vec![label],
        None => {
            let called = known(&LABEL_NAMES, id);
            if called.is_empty() { known(&LABEL_FILE_NAMES, id) } else { called }
        }
    };
    let label = match (&labels[..], id) {
        ([label], _) => *label,
        ([], Some(id)) if width == 2 => 1 - id,
        ([], None) if width == 2 => 1,
        _ => {
            let found = format!("the columns {}", listed(names));
            let expected = "one column called `label`, or an id and a label";
            let hint = Hint::LabelColumn;
            return Err(ReadError::malformed(origin, Place::File, found, expected, hint));
        }
    };
    let first_other = if label == 0 { 1 } else { 0 };
    Ok(LabelColumns { id: Some(id.unwrap_or(first_other)), label })
}

fn read_text(path: &Path, options: &ColumnOptions) -> Result<LabelTable, ReadError> {
    let expected = "labels: `id, label` or one label a line";
    let origin = Origin::from(path);
    let sampled = sample(path, expected)?;
    let width = sampled.rows.first().map_or(1, Vec::len);
    // A label may contain blanks, so one column with blanks inside is taken whole only if no line
    // has an id first.
    let separator = if width == 1 { Separator::None } else { sampled.separator };
    let header = options.header.unwrap_or_else(|| is_header(&sampled.rows));
    let names = match sampled.rows.first() {
        Some(first) if header => first.clone(),
        _ => (1..=width).map(|column| format!("column {column}")).collect(),
    };
    let LabelColumns { id, label: label_column } = find_columns(&origin, &names, header, options)?;
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
        if let Some(id) = id {
            ids.push(cells[id.min(cells.len() - 1)].clone().into_owned());
        }
        texts.push((!is_missing(label)).then(|| label.clone().into_owned()));
        Ok(())
    })?;
    let columns = names.into_iter().enumerate().map(|(at, name)| {
        let role = match at {
            _ if at == label_column => Role::Label,
            _ if Some(at) == id => Role::Id,
            _ => Role::Ignored,
        };
        let examples = Examples::of(sampled.rows.get(usize::from(header)..).unwrap_or(&[]), at);
        let none = texts.iter().filter(|text| text.is_none()).count();
        let share = none as f64 / texts.len().max(1) as f64;
        let missing = (role == Role::Label).then_some(share);
        ColumnReading { name, role, examples, missing, ..ColumnReading::default() }
    });
    let reading = Some(Reading {
        origin: origin.to_string(),
        rows: RowKind::Labels,
        header,
        separator: separator_name(separator),
        columns: columns.collect(),
    });
    Ok(LabelTable { ids: id.map(|_| ids), labels: from_texts(&texts), reading })
}

/// Whether the first row names the columns: one is called like ids or labels, or it looks so.
fn is_header(rows: &[Vec<String>]) -> bool {
    let known = |cell: &String| {
        let name = known_name(cell);
        LABEL_FILE_NAMES.iter().chain(&LABEL_FILE_ID_NAMES).chain(&LABEL_NAMES).any(|n| *n == name)
    };
    let first = rows.first();
    first.is_some_and(|row| row.iter().any(known))
        || (first.is_some_and(|row| row.len() > 1) && has_header(rows, &[]))
}
