//! A data set: a folder, a `.mat` file, or separate files, as one graph.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use gage_core::graph::{ATTRIBUTES, Graph, GraphError, LINKS, Labels, Matrix, Nodes, NodesError};

use super::assemble::sparse_from_dense;
use super::error::{Place, ReadError};
use super::folder;
use super::formats::{
    AttributeTable, LinkTable, Listing, ViewFile, read_attributes_with, read_links, read_view,
};
use super::graphml::{GraphMlFile, read_graphml};
use super::identify::find_nodes;
use super::labels::{LabelTable, membership, read_labels};
use super::linqs::sibling;
use super::mat::{MatFile, read_mat};
use super::nodes::{duplicate_id, is_table, numbered_repeats, read_names};
use super::place::Placer;
use super::source::format_extension;
use super::spec::{Dataset, DatasetSpec, MatNames};
use super::table::TableOptions;

/// A part of a data set and the file it is from.
pub(super) struct Part<T> {
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) value: T,
}

/// Everything that was read, not yet put together.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) nodes: Option<Part<Nodes>>,
    pub(super) links: Vec<Part<LinkTable>>,
    pub(super) attributes: Vec<Part<AttributeTable>>,
    pub(super) labels: Option<Part<LabelTable>>,
    pub(super) class_names: Option<Vec<String>>,
    pub(super) info: Vec<String>,
    pub(super) warnings: Vec<String>,
}

/// Reads a data set.
///
/// The order of the nodes is that of the nodes file if there is one; otherwise the rows of matrix files; otherwise
/// the ids of the attribute table, followed by those only the edge list has, in order of first appearance.
pub fn load(spec: &DatasetSpec) -> Result<Dataset, ReadError> {
    let mut parts = Parts::default();
    let mut spec = spec.clone();
    let mut columns = spec.columns.clone();
    if let Some(source) = spec.source.clone() {
        if source.is_dir() {
            let found = folder::find(&source)?;
            parts.info.extend(found.notes);
            if spec.attributes.is_none() {
                columns = columns.or(found.columns);
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
    // All files are read side by side; of several that cannot be read, the first in this order is told.
    let links = || spec.graph.as_deref().map(read_graph).transpose();
    let options = TableOptions { ids: Some(&spec.ids), like: None };
    let attributes = || {
        let path = spec.attributes.as_deref();
        path.map(|path| read_attributes_with(path, &options)).transpose()
    };
    let labels = || spec.labels.as_deref().map(read_labels).transpose();
    let view = |(_, path): &(String, PathBuf)| read_view(path, None, &spec.ids);
    let views = || spec.views.par_iter().map(view).collect::<Vec<_>>();
    let names = || spec.nodes.as_deref().map(read_names_once).transpose();
    let ((links, attributes), (names, (labels, views))) = rayon::join(
        || rayon::join(links, attributes),
        || rayon::join(names, || rayon::join(labels, views)),
    );
    if let (Some(GraphMlFile { links, attributes }), Some(path)) = (links?, &spec.graph) {
        parts.links.push(Part { name: LINKS.into(), path: path.clone(), value: links });
        // The data of the nodes are the attributes, unless another file is.
        if let Some(value) = attributes.filter(|_| spec.attributes.is_none()) {
            parts.attributes.push(Part { name: ATTRIBUTES.into(), path: path.clone(), value });
        }
    }
    if let (Some(mut value), Some(path)) = (attributes?, &spec.attributes) {
        if let Some(names) = &columns {
            value.columns = Some(column_names(path, &value, names)?);
        }
        parts.attributes.push(Part { name: ATTRIBUTES.into(), path: path.clone(), value });
    }
    if let (Some(value), Some(path)) = (labels?, &spec.labels) {
        parts.labels = Some(Part { name: "labels".into(), path: path.clone(), value });
    }
    for ((name, path), value) in spec.views.iter().zip(views) {
        let (name, path) = (name.clone(), path.clone());
        match value? {
            ViewFile::Links(value) => parts.links.push(Part { name, path, value }),
            ViewFile::Attributes(value) => parts.attributes.push(Part { name, path, value }),
        }
    }
    if let (Some(names), Some(path)) = (names?, &spec.nodes) {
        let value = node_names(path, names, &mut parts)?;
        parts.nodes = Some(Part { name: "nodes".into(), path: path.clone(), value });
    }
    put_together(parts, &spec)
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
    let part_path = path.to_owned();
    match file.take(&names.links) {
        Some(matrix) if spec.graph.is_none() => {
            let links = match matrix {
                Matrix::Sparse(links) => links,
                Matrix::Dense(dense) => sparse_from_dense(path, &dense)?,
            };
            let (listing, warnings) = (Listing::Matrix, Vec::new());
            let value = LinkTable { ids: None, links, listing, warnings };
            parts.links.push(Part { name: LINKS.into(), path: part_path.clone(), value });
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
            parts.attributes.push(Part { name: ATTRIBUTES.into(), path: part_path.clone(), value });
        }
        None if names.attributes != MatNames::default().attributes => {
            return Err(missing(&names.attributes, &file));
        }
        _ => {}
    }
    match file.take(&names.labels) {
        Some(matrix) if spec.labels.is_none() => {
            let value = LabelTable { ids: None, labels: membership(path, &matrix)? };
            parts.labels = Some(Part { name: "labels".into(), path: part_path, value });
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
fn read_graph(path: &Path) -> Result<GraphMlFile, ReadError> {
    match format_extension(path).as_str() {
        "graphml" => read_graphml(path),
        _ => Ok(GraphMlFile { links: read_links(path)?, attributes: None }),
    }
}

/// The nodes of a file of names, or the names of which some repeat.
type NamesOnce = Result<Nodes, (NodesError, Vec<String>)>;

fn read_names_once(path: &Path) -> Result<NamesOnce, ReadError> {
    let names = read_names(path)?;
    Ok(Nodes::named(&names).map_err(|error| (error, names)))
}

/// The names of the nodes. Names that repeat are an error if some file refers to nodes by name; otherwise the later
/// ones are numbered, since the rows alone say which node is which.
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

pub(super) fn put_together(mut parts: Parts, spec: &DatasetSpec) -> Result<Dataset, ReadError> {
    let nodes = find_nodes(&mut parts)?;
    let mut placer = Placer::new(nodes, spec, &mut parts);
    let mut graph = Graph::new(placer.nodes.clone());
    for part in std::mem::take(&mut parts.links) {
        let path = part.path.clone();
        let block = placer.links(part)?;
        graph = graph.with_block(block).map_err(|error| misfit(&path, &error))?;
    }
    let mut own_labels: Option<Labels> = None;
    for part in std::mem::take(&mut parts.attributes) {
        let path = part.path.clone();
        let (block, labels) = placer.attributes(part)?;
        own_labels = own_labels.or(labels);
        graph = graph.with_block(block).map_err(|error| misfit(&path, &error))?;
    }
    if graph.blocks().is_empty() {
        let path = spec.source.clone().unwrap_or_default();
        return Err(ReadError::Missing { path, expected: "a graph or attributes".into() });
    }
    let labels = match parts.labels.take() {
        Some(part) => Some((part.path.clone(), placer.labels(part)?)),
        None => own_labels.map(|labels| (PathBuf::new(), labels)),
    };
    if let Some((path, mut labels)) = labels {
        if let Some(names) = &parts.class_names
            && names.len() >= labels.class_names().len()
        {
            labels = labels.rename(names);
        }
        graph = graph.with_labels(labels).map_err(|error| misfit(&path, &error))?;
    }
    let (info, warnings) = placer.finish();
    Ok(Dataset { graph, info, warnings })
}

fn misfit(path: &Path, error: &GraphError) -> ReadError {
    let remedy = "give every file one row per node, in one order, under its own name";
    ReadError::malformed(path, Place::File, error.to_string(), "files that fit together", remedy)
}
