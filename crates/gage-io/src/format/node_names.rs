//! Node names: one a line, in row order.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use gage_core::graph::{NamesBuilder, Nodes, NodesError};

use super::dialect::{Records, Sample, Separator, has_header, sample};
use super::error::{Place, ReadError};
use super::lines::Lines;
use super::npy::{Array, read_npy};
use super::source::format_extension;
use super::table::ID_NAMES;

const EXPECTED: &str = "names, one a line";

/// Reads the names of nodes (or of columns): a text file with one name a line, kept as it stands, or an `.npy` array
/// of strings or integers.
pub fn read_nodes(path: impl AsRef<Path>) -> Result<Nodes, ReadError> {
    let path = path.as_ref();
    let names = read_names(path)?;
    Nodes::named(&names).map_err(|error| duplicate_id(path, error, Place::Line, 1))
}

/// Names in order, which need not differ.
pub(super) fn read_names(path: &Path) -> Result<Vec<String>, ReadError> {
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
pub(super) fn is_table(path: &Path) -> Result<bool, ReadError> {
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

/// Says where the two rows with one id stand; `first` is the number of row 0.
pub(super) fn duplicate_id(
    path: &Path,
    error: NodesError,
    place: impl Fn(u64) -> Place,
    offset: u64,
) -> ReadError {
    match error {
        NodesError::Duplicate { id, first, second } => ReadError::DuplicateId {
            path: path.to_owned(),
            id: id.into(),
            first: place(first as u64 + offset),
            second: place(second as u64 + offset),
        },
        #[allow(unreachable_patterns, reason = "the enum may grow")]
        other => {
            let remedy = "ids must be unique";
            ReadError::malformed(path, Place::File, other.to_string(), "unique ids", remedy)
        }
    }
}

/// Finds an id that stands on two lines.
pub(super) fn check_unique(path: &Path, ids: &[String], lines: &[u64]) -> Result<(), ReadError> {
    let mut seen: HashMap<&str, u64> = HashMap::with_capacity(ids.len());
    for (id, &line) in ids.iter().zip(lines) {
        if let Some(first) = seen.insert(id, line) {
            return Err(ReadError::DuplicateId {
                path: path.to_owned(),
                id: id.as_str().into(),
                first: Place::Line(first),
                second: Place::Line(line),
            });
        }
    }
    Ok(())
}

/// Names made unique: the second of a kind gets `#2`, and so on. Also returns how many were changed.
pub(super) fn numbered_repeats(mut names: Vec<String>) -> (Nodes, usize) {
    let mut counts: HashMap<&str, usize> = HashMap::with_capacity(names.len());
    let mut repeated = Vec::new();
    for (at, name) in names.iter().enumerate() {
        counts.entry(name).and_modify(|_| repeated.push(at)).or_insert(1);
    }
    let mut made: HashSet<String> = HashSet::new();
    let mut changes = Vec::with_capacity(repeated.len());
    for at in repeated {
        let name = names[at].as_str();
        let unique = loop {
            let count = counts.entry(name).or_insert(1);
            *count += 1;
            let unique = format!("{name}#{count}");
            if !counts.contains_key(unique.as_str()) && made.insert(unique.clone()) {
                break unique;
            }
        };
        changes.push((at, unique));
    }
    drop(counts);
    let changed = changes.len();
    changes.into_iter().for_each(|(at, unique)| names[at] = unique);
    let mut unique = NamesBuilder::default();
    names.iter().for_each(|name| unique.push(name));
    (unique.unique(), changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_get_numbers_that_no_other_name_has() {
        let names = ["a", "a", "a#2", "a", "b", "a#2"].map(String::from).to_vec();
        let (nodes, changed) = numbered_repeats(names);
        let found: Vec<String> = nodes.ids().collect();
        assert_eq!(found, ["a", "a#3", "a#2", "a#4", "b", "a#2#2"]);
        assert_eq!(changed, 3);
        assert_eq!(Nodes::named(&found).unwrap(), nodes);
    }
}
