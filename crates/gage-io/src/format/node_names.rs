//! Node names: one a line, in row order.

use std::path::Path;

use gage_core::graph::Nodes;

use crate::error::{Place, ReadError};
use crate::format::npy::read::{Array, read_npy};
use crate::node_ids::duplicate_id;
use crate::source::{format_extension, is_nameless};
use crate::table::column_names::ID_NAMES;
use crate::text::dialect::{Records, Sample, Separator, has_header, sample};
use crate::text::lines::Lines;

const EXPECTED: &str = "names, one a line";

/// Reads the names of nodes (or of columns): a text file with one name a line, kept as it stands,
/// or an `.npy` array of strings or integers.
pub fn read_nodes(path: impl AsRef<Path>) -> Result<Nodes, ReadError> {
    let path = path.as_ref();
    let names = read_names(path)?;
    Nodes::named(&names).map_err(|error| duplicate_id(path, error, Place::Line, 1))
}

/// Names in order, which need not differ.
pub(crate) fn read_names(path: &Path) -> Result<Vec<String>, ReadError> {
    if format_extension(path) == "npy" {
        return match read_npy(path)? {
            Array::Texts(texts) => Ok(texts),
            Array::Integers { values, .. } => Ok(values.iter().map(i64::to_string).collect()),
            Array::Numbers(_) => {
                let remedy = "save the names with numpy.save(path, names.astype(str))";
                let expected = "an array of strings or integers";
                Err(ReadError::malformed(path, Place::File, "fractions", expected, remedy))
            }
        };
    }
    if is_separated(path) {
        return read_id_column(path);
    }
    if is_nameless(path) && matches!(sample(path, EXPECTED)?.separator, Separator::Byte(_)) {
        let (found, expected) = ("several cells a line", "names, or a table of them");
        let remedy =
            "say which by a kind before the path: `txt:` for whole lines, `csv:` for cells";
        return Err(ReadError::malformed(path, Place::File, found, expected, remedy));
    }
    let mut lines = Lines::open(path, EXPECTED)?;
    let (mut names, mut blank): (Vec<String>, Option<u64>) = (Vec::new(), None);
    while let Some(name) = lines.next()?.map(str::to_owned) {
        if name.is_empty() {
            blank = blank.or(Some(lines.line()));
            continue;
        }
        if let Some(line) = blank {
            let remedy = "give every node a name; line numbers are row numbers here";
            let place = Place::Line(line);
            return Err(ReadError::malformed(path, place, "an empty line", "a name", remedy));
        }
        names.push(name);
    }
    Ok(names)
}

fn is_separated(path: &Path) -> bool {
    matches!(format_extension(path).as_str(), "csv" | "tsv")
}

/// Whether a file of names has further columns.
pub(crate) fn is_table(path: &Path) -> Result<bool, ReadError> {
    Ok(match format_extension(path).as_str() {
        "parquet" | "pq" => true,
        _ => is_separated(path) && sample(path, EXPECTED)?.separator != Separator::None,
    })
}

/// The ids of a `.csv` or `.tsv` file, which may have a header and further columns.
fn read_id_column(path: &Path) -> Result<Vec<String>, ReadError> {
    let Sample { separator, rows } = sample(path, EXPECTED)?;
    let header = has_header(&rows, &ID_NAMES);
    let named = |name: &str| rows.first()?.iter().position(|cell| cell.to_lowercase() == name);
    let column = ID_NAMES.iter().find_map(|name| named(name)).filter(|_| header).unwrap_or(0);
    let mut skip = header;
    let mut names = Vec::new();
    Records::open(path, separator, EXPECTED)?.for_each(path, |line, cells| {
        if std::mem::take(&mut skip) {
            return Ok(());
        }
        let Some(name) = cells.get(column).filter(|name| !name.is_empty()) else {
            let remedy = "give every node a name";
            return Err(ReadError::malformed(path, Place::Line(line), "no name", "one", remedy));
        };
        names.push(name.clone().into_owned());
        Ok(())
    })?;
    Ok(names)
}
