//! The parts of a data set in a `.mat` file.

use std::path::Path;

use gage_core::graph::{ATTRIBUTES, LINKS, Matrix};

use crate::contents::{AttributeTable, EdgeSemantics, LinkTable};
use crate::dataset::names::read_column_names;
use crate::dataset::parts::{Part, Parts};
use crate::dataset::spec::{DatasetSpec, MatNames};
use crate::error::{Place, ReadError};
use crate::format::mat::read::{MatFile, read_mat};
use crate::labels::{LabelTable, membership};
use crate::sparse_builder::sparse_from_dense;

/// The parts of a `.mat` file that no file named by itself replaces.
pub(super) fn read_mat_parts(
    path: &Path,
    spec: &DatasetSpec,
    parts: &mut Parts,
) -> Result<(), ReadError> {
    let names = &spec.mat;
    let mut file = read_mat(path, &[&names.links, &names.attributes, &names.labels])?;
    let missing = |name: &str, file: &MatFile| {
        let found = format!("the variables {}", file.names.join(", "));
        let remedy = "name the variables that hold links, attributes and labels";
        ReadError::malformed(path, Place::File, found, format!("a variable `{name}`"), remedy)
    };
    match file.take(&names.links) {
        Some(matrix) if spec.graph.is_none() => {
            let links = match matrix {
                Matrix::Sparse(links) => links,
                Matrix::Dense(dense) => sparse_from_dense(path, &dense)?,
            };
            let value = LinkTable::new(None, links, EdgeSemantics::Matrix);
            parts.links.push(Part { name: LINKS.into(), origin: path.into(), value });
        }
        None if spec.graph.is_none() => return Err(missing(&names.links, &file)),
        _ => {}
    }
    match file.take(&names.attributes) {
        Some(matrix) if spec.attributes.is_none() => {
            let mut value = AttributeTable::from(matrix);
            if let Some(columns) = &spec.columns {
                value.columns = Some(read_column_names(path, value.matrix.cols(), columns)?);
            }
            parts.attributes.push(Part { name: ATTRIBUTES.into(), origin: path.into(), value });
        }
        None if names.attributes != MatNames::default().attributes => {
            return Err(missing(&names.attributes, &file));
        }
        _ => {}
    }
    match file.take(&names.labels) {
        Some(matrix) if spec.labels.is_none() => {
            let value = LabelTable::new(None, membership(path, &matrix)?);
            parts.labels = Some(Part { name: "labels".into(), origin: path.into(), value });
        }
        None if names.labels != MatNames::default().labels => {
            return Err(missing(&names.labels, &file));
        }
        _ => {}
    }
    Ok(())
}
