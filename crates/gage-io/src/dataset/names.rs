//! Files of names: of nodes, and of the columns of a matrix.

use std::path::Path;

use gage_core::graph::{Nodes, NodesError};

use crate::dataset::parts::Parts;
use crate::error::{Place, ReadError};
use crate::format::node_names::read_names;
use crate::node_ids::{duplicate_id, numbered_repeats};

/// Reads the names of the columns of an attribute matrix: one a line, one per column.
pub fn read_column_names(
    path: impl AsRef<Path>,
    columns: usize,
    names: impl AsRef<Path>,
) -> Result<Vec<String>, ReadError> {
    let (path, names) = (path.as_ref(), names.as_ref());
    let list = read_names(names)?;
    if list.len() == columns {
        return Ok(list);
    }
    let found = format!("{columns} columns in the first and {} names in the second", list.len());
    let remedy = "give one name per column, one a line, or remove the file of names";
    Err(ReadError::mismatch(path, names, found, "as many names as columns", remedy))
}

/// The nodes of a file of names, or the names of which some repeat.
pub(super) type NamesOnce = Result<Nodes, (NodesError, Vec<String>)>;

pub(super) fn read_names_once(path: &Path) -> Result<NamesOnce, ReadError> {
    let names = read_names(path)?;
    Ok(Nodes::named(&names).map_err(|error| (error, names)))
}

/// The names of the nodes. Names that repeat are an error if some file refers to nodes by name;
/// otherwise the later ones are numbered, since the rows alone say which node is which.
pub(super) fn node_names(
    path: &Path,
    names: NamesOnce,
    parts: &mut Parts,
) -> Result<Nodes, ReadError> {
    let by_name = parts.links.iter().any(|part| part.value.ids.is_some())
        || parts.attributes.iter().any(|part| part.value.ids.is_some())
        || parts.labels.as_ref().is_some_and(|part| part.value.ids.is_some());
    let misnamed = |error| duplicate_id(path, error, Place::Line, 1);
    let (error, names) = match names {
        Ok(nodes) => return Ok(nodes),
        Err((error, _)) if by_name => return Err(misnamed(error)),
        Err(repeated) => repeated,
    };
    let error = misnamed(error);
    let (nodes, changed) = numbered_repeats(names);
    parts.warnings.push(format!("{error}. {changed} repeated names were numbered (`name#2`)"));
    Ok(nodes)
}
