//! Which reader a file needs, chosen by its extension.

use std::path::Path;

use gage_core::Hint;
use gage_core::graph::{Matrix, Nodes, TableEncoding};

use crate::contents::{AttributeTable, EdgeSemantics, LinkTable, ViewFile, repeated};
use crate::error::{Place, ReadError};
use crate::format::csr::read_csr;
use crate::format::edge_list::read::{looks_like_edges, read_edges};
use crate::format::graph_file::{GraphFile, is_graph_file, read_graph_file_with};
use crate::format::linqs::{read_cites, read_content};
use crate::format::mtx::read::read_mtx;
use crate::format::npy::matrix::{dense_from_integers, read_npy_matrix};
use crate::format::npy::read::{Array, read_npy};
use crate::format::npz::read::read_npz;
use crate::format::parquet::{parquet_edges, parquet_has_edges, parquet_table};
use crate::reading::ColumnOptions;
use crate::source::{format_extension, open};
use crate::sparse_builder::{from_keys, key, sparse_error, sparse_from_dense};
use crate::table::options::TableOptions;
use crate::table::text::read_text_table;

/// Extensions of text tables.
pub(crate) const TEXT: [&str; 6] = ["csv", "tsv", "txt", "edges", "edgelist", "tab"];

/// Reads links from any supported file: a square matrix (`.csr`, `.npz`, `.npy`, `.mtx`), pairs of
/// integers (`.npy`), or an edge list (text, `.cites`, Parquet), or a graph file
/// (`.graphml`, `.gexf`, `.gml`, `.net`, `.json`).
pub fn read_links(path: impl AsRef<Path>) -> Result<LinkTable, ReadError> {
    read_links_with(path, &ColumnOptions::default())
}

/// Reads links, with what is said about the columns of an edge list.
pub fn read_links_with(
    path: impl AsRef<Path>,
    options: &ColumnOptions,
) -> Result<LinkTable, ReadError> {
    let path = path.as_ref();
    let matrix = match format_extension(path).as_str() {
        "csr" => Matrix::Sparse(read_csr(path)?),
        "npz" => read_npz(path)?,
        "mtx" => read_mtx(path)?,
        "npy" => match pairs(path)? {
            Pairs::Edges(table) => return Ok(table),
            Pairs::Matrix(matrix) => matrix,
        },
        "cites" => return read_cites(path),
        "parquet" | "pq" => return parquet_edges(path, options),
        graph if is_graph_file(graph) => {
            return read_graph_file_with(path, options).map(|file| file.links);
        }
        _ if is_text(path) => return read_edges(path, options),
        other => return Err(unknown_format(path, other, "a graph")),
    };
    let links = match matrix {
        Matrix::Sparse(links) => links,
        Matrix::Dense(dense) => sparse_from_dense(path, &dense)?,
    };
    Ok(LinkTable::new(None, links, EdgeSemantics::Matrix))
}

/// Reads attributes from any supported file: a matrix with one row per node (`.csr`, `.npz`,
/// `.npy`, `.mtx`), or a table with ids (text, `.content`, Parquet).
pub fn read_attributes(path: impl AsRef<Path>) -> Result<AttributeTable, ReadError> {
    let columns = &ColumnOptions::default();
    read_attributes_with(path.as_ref(), &TableOptions { columns, like: None })
}

/// Reads attributes of further nodes. The cells of a table (text, Parquet) become the columns of a
/// fitted table, the way they did there: with its means, its categories, its words. Columns are
/// matched by name where both tables have names, by position otherwise; values, words and columns
/// the fitted table does not have are left out and counted in the warnings. Matrix files are read
/// as they are.
pub fn read_attributes_like(
    path: impl AsRef<Path>,
    encoding: &TableEncoding,
    columns: &ColumnOptions,
) -> Result<AttributeTable, ReadError> {
    let options = TableOptions { columns, like: Some(encoding) };
    read_attributes_with(path.as_ref(), &options)
}

pub(crate) fn read_attributes_with(
    path: &Path,
    options: &TableOptions<'_>,
) -> Result<AttributeTable, ReadError> {
    match format_extension(path).as_str() {
        "csr" => read_csr(path).map(|matrix| AttributeTable::from(Matrix::Sparse(matrix))),
        "npz" => read_npz(path).map(AttributeTable::from),
        "mtx" => read_mtx(path).map(AttributeTable::from),
        "npy" => read_npy_matrix(path).map(AttributeTable::from),
        "content" => read_content(path),
        "parquet" | "pq" => parquet_table(path, options),
        graph if is_graph_file(graph) => {
            let file = read_graph_file_with(path, options.columns)?;
            file.attributes.ok_or_else(|| no_attributes(path))
        }
        _ if is_text(path) => read_text_table(path, options),
        other => Err(unknown_format(path, other, "attributes")),
    }
}

/// Reads a further relation or table: an edge list or a square sparse matrix means links.
/// Attributes are encoded like those of a fitted table if there is one.
pub fn read_view(
    path: impl AsRef<Path>,
    encoding: Option<&TableEncoding>,
    columns: &ColumnOptions,
) -> Result<ViewFile, ReadError> {
    let path = path.as_ref();
    let edges = match format_extension(path).as_str() {
        "cites" => true,
        graph if is_graph_file(graph) => {
            return read_graph_file_with(path, columns).map(links_of_view(path));
        }
        "parquet" | "pq" => parquet_has_edges(path)?,
        _ => is_text(path) && looks_like_edges(path)?,
    };
    if edges {
        return read_links_with(path, columns).map(ViewFile::Links);
    }
    let value = read_attributes_with(path, &TableOptions { columns, like: encoding })?;
    let square = value.matrix.rows() == value.matrix.cols();
    Ok(match value.matrix {
        Matrix::Sparse(links) if square && value.ids.is_none() && value.encoding.is_none() => {
            let table = LinkTable::new(None, links, EdgeSemantics::Matrix);
            ViewFile::Links(LinkTable { warnings: value.warnings, ..table })
        }
        _ => ViewFile::Attributes(value),
    })
}

/// The links of a graph file that is a view, which has no place for data of nodes.
fn links_of_view(path: &Path) -> impl FnOnce(GraphFile) -> ViewFile {
    move |GraphFile { mut links, attributes }| {
        if attributes.is_some() {
            let text = "data of nodes are left out, the file is a view of links";
            links.warnings.push(format!("{}: {text}", path.display()).into());
        }
        ViewFile::Links(links)
    }
}

fn no_attributes(path: &Path) -> ReadError {
    let remedy = "give the nodes data that differ, or take the file as a graph only";
    let expected = "attributes of nodes";
    ReadError::malformed(path, Place::File, "no usable data of nodes", expected, remedy)
}

fn unknown_format(path: &Path, extension: &str, what: &str) -> ReadError {
    if let Err(error) = open(path, what) {
        return error;
    }
    let through_python = match extension {
        "h5ad" | "h5" | "hdf5" => Some(("an HDF5 file, perhaps AnnData", "anndata.read_h5ad")),
        "arrow" | "feather" => Some(("an Arrow file", "pyarrow.feather.read_table")),
        _ => None,
    };
    if let Some((found, function)) = through_python {
        let expected = format!("{what} in a format of the formats page");
        let hint = Hint::ThroughPython(function);
        return ReadError::unsupported(path, Place::File, found, expected, hint);
    }
    let found = format!("a file of the kind `{extension}`");
    let expected = format!(
        "{what} as .npz, .npy, .mtx, .csv, .tsv, .txt or another format of the formats page"
    );
    let remedy = "convert the file, or rename it if only its extension is wrong";
    ReadError::unsupported(path, Place::File, found, expected, remedy)
}

enum Pairs {
    Edges(LinkTable),
    Matrix(Matrix),
}

/// A square array is an adjacency matrix; integers in two columns (or two rows) are the ends of
/// links.
fn pairs(path: &Path) -> Result<Pairs, ReadError> {
    let Array::Integers { shape, values } = read_npy(path)? else {
        return read_npy_matrix(path).map(Pairs::Matrix);
    };
    let count = values.len() / 2;
    let end = |link: usize, side: usize| match shape[..] {
        [_, 2] => values[2 * link + side],
        _ => values[count * side + link],
    };
    if !matches!(shape[..], [_, 2] | [2, _]) || shape == [2, 2] {
        return dense_from_integers(path, &shape, values).map(Pairs::Matrix);
    }
    let mut order = NumberOrder::default();
    let mut keys = Vec::with_capacity(count);
    for link in 0..count {
        let ends = [end(link, 0), end(link, 1)].map(|id| order.position(id));
        let [Some(row), Some(col)] = ends else {
            let place = Place::entry(format!("link {link}"));
            let found = format!("{} → {}", end(link, 0), end(link, 1));
            let remedy = "number the nodes from 0";
            return Err(ReadError::index(path, place, found, "numbers from 0", remedy));
        };
        keys.push(key(row, col));
    }
    let nodes = order.numbers.len();
    let ids = Nodes::named(order.numbers.iter().map(i64::to_string))
        .map_err(|error| crate::node_ids::duplicate_id(path, error, Place::Line, 0))?;
    let (links, repeats) =
        from_keys(nodes, nodes, keys).map_err(|error| sparse_error(path, Place::File, error))?;
    let warnings = repeated(path, repeats).into_iter().collect();
    let table = LinkTable::new(Some(ids), links, EdgeSemantics::EdgeList);
    Ok(Pairs::Edges(LinkTable { warnings, ..table }))
}

/// Numbers in order of first appearance.
#[derive(Default)]
struct NumberOrder {
    numbers: Vec<i64>,
    positions: std::collections::HashMap<i64, u32>,
}

impl NumberOrder {
    fn position(&mut self, number: i64) -> Option<u32> {
        if number < 0 {
            return None;
        }
        let next = u32::try_from(self.numbers.len()).ok()?;
        Some(*self.positions.entry(number).or_insert_with(|| {
            self.numbers.push(number);
            next
        }))
    }
}

/// Whether the file is text, by its extension or for want of one.
pub(crate) fn is_text(path: &Path) -> bool {
    let format = format_extension(path);
    TEXT.contains(&format.as_str()) || format.is_empty()
}
