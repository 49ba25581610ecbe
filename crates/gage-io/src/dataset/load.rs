//! A data set: a folder, a `.mat` file, or separate files, as one graph.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use gage_core::graph::{ATTRIBUTES, LINKS};

use crate::contents::{AttributeTable, ViewFile};
use crate::dataset::files::locate;
use crate::dataset::graph_of_parts::graph_of_parts;
use crate::dataset::named_columns::{check_named, column_options};
use crate::dataset::names::{NamesOnce, node_names, read_column_names, read_names_once};
use crate::dataset::parts::{Part, Parts};
use crate::dataset::spec::{Dataset, DatasetSpec};
use crate::error::ReadError;
use crate::format::by_extension::{read_attributes_with, read_links_with, read_view};
use crate::format::graph_file::{GraphFile, is_graph_file, read_graph_file_with};
use crate::format::labels::read_labels_with;
use crate::labels::LabelTable;
use crate::reading::ColumnOptions;
use crate::source::format_extension;
use crate::table::options::TableOptions;

/// Reads a data set.
///
/// The order of the nodes is that of the nodes file if there is one; otherwise the rows of matrix
/// files; otherwise the ids of the attribute table, followed by those only the edge list has, in
/// order of first appearance.
pub fn load(spec: &DatasetSpec) -> Result<Dataset, ReadError> {
    let mut parts = Parts::default();
    let spec = locate(spec, &mut parts)?;
    Contents::read(&spec).add_to(&mut parts, &spec)?;
    check_named(&parts, &spec)?;
    graph_of_parts(parts, &spec)
}

/// What the files of a data set hold, or why they cannot be read.
struct Contents {
    links: Result<Option<GraphFile>, ReadError>,
    attributes: Result<Option<AttributeTable>, ReadError>,
    labels: Result<Option<LabelTable>, ReadError>,
    views: Vec<Result<ViewFile, ReadError>>,
    names: Result<Option<NamesOnce>, ReadError>,
}

impl Contents {
    /// Reads all files side by side.
    fn read(spec: &DatasetSpec) -> Contents {
        let columns = &column_options(spec);
        let links = || spec.graph.as_deref().map(|path| read_graph(path, columns)).transpose();
        let options = TableOptions { columns, like: None };
        let attributes = || {
            let path = spec.attributes.as_deref();
            path.map(|path| read_attributes_with(path, &options)).transpose()
        };
        let labels =
            || spec.labels.as_deref().map(|path| read_labels_with(path, columns)).transpose();
        let view = |(_, path): &(String, PathBuf)| read_view(path, None, columns);
        let views = || spec.views.par_iter().map(view).collect::<Vec<_>>();
        let names = || spec.nodes.as_deref().map(read_names_once).transpose();
        let ((links, attributes), (names, (labels, views))) = rayon::join(
            || rayon::join(links, attributes),
            || rayon::join(names, || rayon::join(labels, views)),
        );
        Contents { links, attributes, labels, views, names }
    }

    /// The first error in this order is reported.
    fn add_to(self, parts: &mut Parts, spec: &DatasetSpec) -> Result<(), ReadError> {
        if let (Some(GraphFile { links, attributes }), Some(path)) = (self.links?, &spec.graph) {
            parts.links.push(Part { name: LINKS.into(), origin: path.into(), value: links });
            // The data of the nodes are the attributes, unless another file is.
            if let Some(value) = attributes.filter(|_| spec.attributes.is_none()) {
                parts.attributes.push(Part { name: ATTRIBUTES.into(), origin: path.into(), value });
            }
        }
        if let (Some(mut value), Some(path)) = (self.attributes?, &spec.attributes) {
            if let Some(names) = &spec.columns {
                value.columns = Some(read_column_names(path, value.matrix.cols(), names)?);
            }
            parts.attributes.push(Part { name: ATTRIBUTES.into(), origin: path.into(), value });
        }
        if let (Some(value), Some(path)) = (self.labels?, &spec.labels) {
            parts.labels = Some(Part { name: "labels".into(), origin: path.into(), value });
        }
        for ((name, path), value) in spec.views.iter().zip(self.views) {
            let (name, origin) = (name.clone(), path.into());
            match value? {
                ViewFile::Links(value) => parts.links.push(Part { name, origin, value }),
                ViewFile::Attributes(value) => parts.attributes.push(Part { name, origin, value }),
            }
        }
        if let (Some(names), Some(path)) = (self.names?, &spec.nodes) {
            let value = node_names(path, names, parts)?;
            parts.nodes = Some(Part { name: "nodes".into(), origin: path.into(), value });
        }
        Ok(())
    }
}

/// Links, and what else their file has.
fn read_graph(path: &Path, columns: &ColumnOptions) -> Result<GraphFile, ReadError> {
    if is_graph_file(&format_extension(path)) {
        return read_graph_file_with(path, columns);
    }
    Ok(GraphFile { links: read_links_with(path, columns)?, attributes: None })
}
