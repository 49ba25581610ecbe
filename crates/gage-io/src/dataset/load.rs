//! A data set: a folder, a `.mat` file, or separate files, as one graph.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use gage_core::Hint;
use gage_core::graph::{ATTRIBUTES, LINKS, Matrix, Nodes, NodesError};

use crate::contents::{AttributeTable, EdgeSemantics, LinkTable, ViewFile};
use crate::dataset::folder;
use crate::dataset::graph_of_parts::graph_of_parts;
use crate::dataset::parts::{Part, Parts};
use crate::dataset::spec::{Dataset, DatasetSpec, MatNames};
use crate::error::{Origin, Place, ReadError};
use crate::format::by_extension::{read_attributes_with, read_links_with, read_view};
use crate::format::edge_list::read::looks_like_edges;
use crate::format::graph_file::{GraphFile, is_graph_file, read_graph_file_with};
use crate::format::labels::read_labels_with;
use crate::format::linqs::sibling;
use crate::format::mat::read::{MatFile, read_mat};
use crate::format::node_names::{is_table, read_names};
use crate::labels::{LabelTable, membership};
use crate::node_ids::{duplicate_id, numbered_repeats};
use crate::reading::{ColumnOptions, Role, RowKind, listed};
use crate::source::{format_extension, is_nameless};
use crate::sparse_builder::sparse_from_dense;
use crate::table::options::TableOptions;

/// Reads a data set.
///
/// The order of the nodes is that of the nodes file if there is one; otherwise the rows of matrix
/// files; otherwise the ids of the attribute table, followed by those only the edge list has, in
/// order of first appearance.
pub fn load(spec: &DatasetSpec) -> Result<Dataset, ReadError> {
    let mut parts = Parts::default();
    let mut spec = spec.clone();
    let mut column_file = spec.columns.clone();
    if let Some(source) = spec.source.clone() {
        if source.is_dir() {
            let found = folder::find(&source)?;
            parts.info.extend(found.notes);
            if spec.attributes.is_none() {
                column_file = column_file.or(found.columns);
            }
            if let Some(meta) = &found.meta {
                parts.class_names = folder::class_names(meta, &mut parts.info);
            }
            spec.graph = spec.graph.or(found.graph);
            spec.attributes = spec.attributes.or(found.attributes);
            spec.labels = spec.labels.or(found.labels);
            spec.nodes = spec.nodes.or(found.nodes);
            let taken: Vec<String> = spec.views.iter().map(|view| view.0.clone()).collect();
            spec.views.extend(found.views.into_iter().filter(|view| !taken.contains(&view.0)));
        } else if format_extension(&source) == "mat" {
            read_mat_parts(&source, &spec, &mut parts)?;
        } else if format_extension(&source) == "content" {
            spec.graph = spec.graph.or_else(|| sibling(&source));
            spec.attributes = spec.attributes.or(Some(source));
        } else {
            if is_nameless(&source) && !looks_like_edges(&source)? {
                let (found, expected) = ("text that is no edge list at first sight", "links");
                let error = ReadError::malformed;
                return Err(error(&source, Place::File, found, expected, Hint::GraphOrTable));
            }
            spec.attributes = spec.attributes.or_else(|| sibling(&source));
            spec.graph = spec.graph.or(Some(source));
        }
    }
    if let Some(path) = &spec.nodes
        && spec.attributes.is_none()
        && parts.attributes.is_empty()
        && is_table(path)?
    {
        // A file of nodes with further columns is the attribute table.
        spec.attributes = spec.nodes.take();
    }
    let reading = said_of(&spec);
    let columns = &reading;
    // All files are read side by side; of several that cannot be read, the first in this order is
    // told.
    let links = || spec.graph.as_deref().map(|path| read_graph(path, columns)).transpose();
    let options = TableOptions { columns, like: None };
    let attributes = || {
        let path = spec.attributes.as_deref();
        path.map(|path| read_attributes_with(path, &options)).transpose()
    };
    let labels = || spec.labels.as_deref().map(|path| read_labels_with(path, columns)).transpose();
    let view = |(_, path): &(String, PathBuf)| read_view(path, None, columns);
    let views = || spec.views.par_iter().map(view).collect::<Vec<_>>();
    let names = || spec.nodes.as_deref().map(read_names_once).transpose();
    let ((links, attributes), (names, (labels, views))) = rayon::join(
        || rayon::join(links, attributes),
        || rayon::join(names, || rayon::join(labels, views)),
    );
    if let (Some(GraphFile { links, attributes }), Some(path)) = (links?, &spec.graph) {
        parts.links.push(Part { name: LINKS.into(), origin: path.into(), value: links });
        // The data of the nodes are the attributes, unless another file is.
        if let Some(value) = attributes.filter(|_| spec.attributes.is_none()) {
            parts.attributes.push(Part { name: ATTRIBUTES.into(), origin: path.into(), value });
        }
    }
    if let (Some(mut value), Some(path)) = (attributes?, &spec.attributes) {
        if let Some(names) = &column_file {
            value.columns = Some(column_names(path, &value, names)?);
        }
        parts.attributes.push(Part { name: ATTRIBUTES.into(), origin: path.into(), value });
    }
    if let (Some(value), Some(path)) = (labels?, &spec.labels) {
        parts.labels = Some(Part { name: "labels".into(), origin: path.into(), value });
    }
    for ((name, path), value) in spec.views.iter().zip(views) {
        let (name, origin) = (name.clone(), path.into());
        match value? {
            ViewFile::Links(value) => parts.links.push(Part { name, origin, value }),
            ViewFile::Attributes(value) => parts.attributes.push(Part { name, origin, value }),
        }
    }
    if let (Some(names), Some(path)) = (names?, &spec.nodes) {
        let value = node_names(path, names, &mut parts)?;
        parts.nodes = Some(Part { name: "nodes".into(), origin: path.into(), value });
    }
    check_named(&parts, &spec)?;
    graph_of_parts(parts, &spec)
}

/// What is said about columns. A name need not be in every file, if there are several.
fn said_of(spec: &DatasetSpec) -> ColumnOptions {
    let files = [&spec.graph, &spec.attributes, &spec.labels].into_iter().flatten().count();
    let several_files = files + spec.views.len() > 1;
    ColumnOptions { several_files, ..spec.reading.clone() }
}

/// Refuses names of columns that none of several files has.
fn check_named(parts: &Parts, spec: &DatasetSpec) -> Result<(), ReadError> {
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

/// The files of a folder, as [`load`] finds them, and what there is to say about them.
pub fn find_files(folder: impl AsRef<Path>) -> Result<(DatasetSpec, Vec<String>), ReadError> {
    let mut found = folder::find(folder.as_ref())?;
    if let Some(path) = found.nodes.as_ref().filter(|_| found.attributes.is_none())
        && is_table(path)?
    {
        found.attributes = found.nodes.take();
    }
    let spec = DatasetSpec {
        graph: found.graph,
        attributes: found.attributes,
        views: found.views,
        labels: found.labels,
        nodes: found.nodes,
        columns: found.columns,
        ..DatasetSpec::default()
    };
    Ok((spec, found.notes))
}

/// The parts of a `.mat` file that no file named by itself replaces.
fn read_mat_parts(path: &Path, spec: &DatasetSpec, parts: &mut Parts) -> Result<(), ReadError> {
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
                value.columns = Some(column_names(path, &value, columns)?);
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

fn column_names(
    path: &Path,
    table: &AttributeTable,
    names: &Path,
) -> Result<Vec<String>, ReadError> {
    read_column_names(path, table.matrix.cols(), names)
}

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

/// Links, and what else their file has.
fn read_graph(path: &Path, columns: &ColumnOptions) -> Result<GraphFile, ReadError> {
    if is_graph_file(&format_extension(path)) {
        return read_graph_file_with(path, columns);
    }
    Ok(GraphFile { links: read_links_with(path, columns)?, attributes: None })
}

/// The nodes of a file of names, or the names of which some repeat.
type NamesOnce = Result<Nodes, (NodesError, Vec<String>)>;

fn read_names_once(path: &Path) -> Result<NamesOnce, ReadError> {
    let names = read_names(path)?;
    Ok(Nodes::named(&names).map_err(|error| (error, names)))
}

/// The names of the nodes. Names that repeat are an error if some file refers to nodes by name;
/// otherwise the later ones are numbered, since the rows alone say which node is which.
fn node_names(path: &Path, names: NamesOnce, parts: &mut Parts) -> Result<Nodes, ReadError> {
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
