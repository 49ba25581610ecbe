//! Names of columns that were given, against the columns that files have.

use crate::dataset::parts::Parts;
use crate::dataset::spec::DatasetSpec;
use crate::error::{Origin, Place, ReadError};
use crate::reading::{ColumnOptions, Role, RowKind, listed};

/// How columns are read. A name need not be in every file, if there are several.
pub(super) fn column_options(spec: &DatasetSpec) -> ColumnOptions {
    let files = [&spec.graph, &spec.attributes, &spec.labels].into_iter().flatten().count();
    let several_files = files + spec.views.len() > 1;
    ColumnOptions { several_files, ..spec.reading.clone() }
}

/// Refuses names of columns that none of several files has.
pub(super) fn check_named(parts: &Parts, spec: &DatasetSpec) -> Result<(), ReadError> {
    let readings = parts.readings();
    for (wanted, role) in spec.reading.named() {
        let may = |rows: RowKind| match role {
            Some(Role::Label) => rows != RowKind::Links,
            Some(Role::Attribute) => rows == RowKind::Attributes,
            Some(_) => rows == RowKind::Links,
            None => rows != RowKind::Labels,
        };
        let names: Vec<String> = readings
            .iter()
            .filter(|reading| may(reading.rows))
            .flat_map(|reading| reading.columns.iter().map(|column| column.name.clone()))
            .collect();
        if !names.iter().any(|name| name.to_lowercase() == wanted.to_lowercase()) {
            let origin = spec.source.as_ref().or(spec.graph.as_ref()).or(spec.attributes.as_ref());
            let nothing = || Origin::Memory("the data set".to_owned());
            let origin = origin.map_or_else(nothing, Origin::from);
            let found = match names.len() {
                0 => "no columns".to_owned(),
                _ => format!("the columns {}", listed(&names)),
            };
            let expected = format!("a column `{wanted}`");
            let remedy = "check the name; columns of a file without header are `column 1`, ...";
            return Err(ReadError::malformed(origin, Place::File, found, expected, remedy));
        }
    }
    Ok(())
}
