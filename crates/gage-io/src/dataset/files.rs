//! Which file is what: a folder, a `.mat` file, a pair or a single file becomes a list of files.

use std::path::{Path, PathBuf};

use gage_core::Hint;

use crate::dataset::folder;
use crate::dataset::mat_parts::read_mat_parts;
use crate::dataset::parts::Parts;
use crate::dataset::spec::DatasetSpec;
use crate::error::{Place, ReadError};
use crate::format::edge_list::read::looks_like_edges;
use crate::format::linqs::sibling;
use crate::format::node_names::is_table;
use crate::source::{format_extension, is_nameless};

/// The files to be read. Those that were named take the place of those that are found. A `.mat`
/// file is read here, because its parts are no files.
pub(super) fn locate(given: &DatasetSpec, parts: &mut Parts) -> Result<DatasetSpec, ReadError> {
    let mut spec = given.clone();
    match &given.source {
        Some(source) if source.is_dir() => add_folder(&mut spec, source, parts)?,
        Some(source) => match format_extension(source).as_str() {
            "mat" => read_mat_parts(source, &spec, parts)?,
            "content" => {
                spec.graph = spec.graph.or_else(|| sibling(source));
                spec.attributes = spec.attributes.or_else(|| Some(source.clone()));
            }
            _ => add_file(&mut spec, source)?,
        },
        None => {}
    }
    if spec.attributes.is_none() && parts.attributes.is_empty() {
        spec.attributes = take_table(&mut spec.nodes)?;
    }
    Ok(spec)
}

fn add_folder(spec: &mut DatasetSpec, source: &Path, parts: &mut Parts) -> Result<(), ReadError> {
    let found = folder::find(source)?;
    parts.info.extend(found.notes);
    if spec.attributes.is_none() {
        spec.columns = spec.columns.take().or(found.columns);
    }
    if let Some(meta) = &found.meta {
        parts.class_names = folder::class_names(meta, &mut parts.info);
    }
    spec.graph = spec.graph.take().or(found.graph);
    spec.attributes = spec.attributes.take().or(found.attributes);
    spec.labels = spec.labels.take().or(found.labels);
    spec.nodes = spec.nodes.take().or(found.nodes);
    let taken: Vec<String> = spec.views.iter().map(|view| view.0.clone()).collect();
    spec.views.extend(found.views.into_iter().filter(|view| !taken.contains(&view.0)));
    Ok(())
}

/// A file by itself holds links.
fn add_file(spec: &mut DatasetSpec, source: &Path) -> Result<(), ReadError> {
    if is_nameless(source) && !looks_like_edges(source)? {
        let (found, expected) = ("text that is no edge list at first sight", "links");
        return Err(ReadError::malformed(source, Place::File, found, expected, Hint::GraphOrTable));
    }
    spec.attributes = spec.attributes.take().or_else(|| sibling(source));
    spec.graph = spec.graph.take().or_else(|| Some(source.to_owned()));
    Ok(())
}

/// A file of nodes with further columns is the attribute table.
fn take_table(nodes: &mut Option<PathBuf>) -> Result<Option<PathBuf>, ReadError> {
    let table = nodes.as_deref().map(is_table).transpose()?;
    Ok(if table == Some(true) { nodes.take() } else { None })
}

/// The files of a folder, as [`load`](super::load) finds them, and what there is to say about them.
pub fn find_files(folder: impl AsRef<Path>) -> Result<(DatasetSpec, Vec<String>), ReadError> {
    let mut found = folder::find(folder.as_ref())?;
    if found.attributes.is_none() {
        found.attributes = take_table(&mut found.nodes)?;
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
