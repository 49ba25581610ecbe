//! Which reader a file needs, told by its extension.

use std::path::Path;

use gage_core::graph::{Labels, Matrix, Nodes, TableEncoding};
use gage_linalg::SparseMatrix;

use super::assemble::{from_keys, key, sparse_error, sparse_from_dense};
use super::csr::read_csr;
use super::edges::{looks_like_edges, read_edge_list};
use super::error::{Place, ReadError};
use super::graphml::read_graphml;
use super::linqs::{read_cites, read_content};
use super::matrix::{dense_from_integers, read_npy_matrix};
use super::mtx::read_mtx;
use super::npy::{Array, read_npy};
use super::npz::read_npz;
use super::parquet_file::{parquet_has_edges, parquet_table, read_parquet_edges};
use super::source::{format_extension, open};
use super::spec::IdColumn;
use super::table::{TableOptions, read_text_table};

/// What a format says about the direction of its links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// A matrix: links are undirected exactly if it is symmetric.
    Matrix,
    /// An edge list, in which an undirected link may stand once or both ways: directions must be said.
    Lines,
    /// Links that have a direction by definition, such as citations.
    Arcs,
}

/// Links as a file has them.
#[derive(Clone, Debug)]
pub struct LinkTable {
    /// Ids of rows and columns; `None` when they are positions.
    pub ids: Option<Nodes>,
    /// Entry (i, j) is the link from i to j.
    pub links: SparseMatrix,
    /// What the format says about directions.
    pub listing: Listing,
    /// What the reader decided or left out.
    pub warnings: Vec<String>,
}

/// Attributes as a file has them.
#[derive(Clone, Debug)]
pub struct AttributeTable {
    /// Ids of the rows; `None` when they are positions.
    pub ids: Option<Nodes>,
    /// One row per node.
    pub matrix: Matrix,
    /// Names of the columns, if the file has them.
    pub columns: Option<Vec<String>>,
    /// How the cells of a table became numbers, if it was one.
    pub encoding: Option<TableEncoding>,
    /// Rows of which anything is known; `None` when all are.
    pub observed: Option<Vec<bool>>,
    /// Labels, for formats that keep them in the same file.
    pub labels: Option<Labels>,
    /// What the reader decided or left out.
    pub warnings: Vec<String>,
}

impl From<Matrix> for AttributeTable {
    fn from(matrix: Matrix) -> Self {
        AttributeTable {
            ids: None,
            matrix,
            columns: None,
            encoding: None,
            observed: None,
            labels: None,
            warnings: Vec::new(),
        }
    }
}

/// Extensions of text tables.
pub(super) const TEXT: [&str; 6] = ["csv", "tsv", "txt", "edges", "edgelist", "tab"];

/// Reads links from any supported file: a square matrix (`.csr`, `.npz`, `.npy`, `.mtx`), pairs of integers (`.npy`), or an
/// edge list (text, `.cites`, Parquet).
pub fn read_links(path: impl AsRef<Path>) -> Result<LinkTable, ReadError> {
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
        "graphml" => return read_graphml(path).map(|file| file.links),
        "parquet" | "pq" => return read_parquet_edges(path),
        _ if is_text(path) => return read_edge_list(path, true),
        other => return Err(unknown_format(path, other, "a graph")),
    };
    let links = match matrix {
        Matrix::Sparse(links) => links,
        Matrix::Dense(dense) => sparse_from_dense(path, &dense)?,
    };
    Ok(LinkTable { ids: None, links, listing: Listing::Matrix, warnings: Vec::new() })
}

/// Reads attributes from any supported file: a matrix with one row per node (`.csr`, `.npz`, `.npy`, `.mtx`), or a table with
/// ids (text, `.content`, Parquet).
pub fn read_attributes(path: impl AsRef<Path>) -> Result<AttributeTable, ReadError> {
    read_attributes_with(path.as_ref(), &TableOptions::default())
}

/// Reads attributes of further nodes. The cells of a table (text, Parquet) become the columns of a fitted table, the
/// way they did there: with its means, its categories, its words. Columns are matched by name where both tables have
/// names, by position otherwise; values, words and columns the fitted table does not have are left out and counted in
/// the warnings. Matrix files are read as they are.
pub fn read_attributes_like(
    path: impl AsRef<Path>,
    encoding: &TableEncoding,
    ids: &IdColumn,
) -> Result<AttributeTable, ReadError> {
    let options = TableOptions { ids: Some(ids), like: Some(encoding) };
    read_attributes_with(path.as_ref(), &options)
}

pub(super) fn read_attributes_with(
    path: &Path,
    options: &TableOptions<'_>,
) -> Result<AttributeTable, ReadError> {
    match format_extension(path).as_str() {
        "csr" => read_csr(path).map(|matrix| AttributeTable::from(Matrix::Sparse(matrix))),
        "npz" => read_npz(path).map(AttributeTable::from),
        "mtx" => read_mtx(path).map(AttributeTable::from),
        "npy" => read_npy_matrix(path).map(AttributeTable::from),
        "content" => read_content(path),
        "graphml" => read_graphml(path)?.attributes.ok_or_else(|| no_attributes(path)),
        "parquet" | "pq" => parquet_table(path, options),
        _ if is_text(path) => read_text_table(path, options),
        other => Err(unknown_format(path, other, "attributes")),
    }
}

/// What a further file of a data set holds.
#[derive(Clone, Debug)]
pub enum ViewFile {
    /// A relation.
    Links(LinkTable),
    /// A table.
    Attributes(AttributeTable),
}

/// Reads a further relation or table: an edge list or a square sparse matrix means links. Attributes are encoded like
/// those of a fitted table if there is one.
pub fn read_view(
    path: impl AsRef<Path>,
    encoding: Option<&TableEncoding>,
    ids: &IdColumn,
) -> Result<ViewFile, ReadError> {
    let path = path.as_ref();
    let edges = match format_extension(path).as_str() {
        "cites" | "graphml" => true,
        "parquet" | "pq" => parquet_has_edges(path)?,
        _ => is_text(path) && looks_like_edges(path)?,
    };
    if edges {
        return read_links(path).map(ViewFile::Links);
    }
    let value = read_attributes_with(path, &TableOptions { ids: Some(ids), like: encoding })?;
    let square = value.matrix.rows() == value.matrix.cols();
    Ok(match value.matrix {
        Matrix::Sparse(links) if square && value.ids.is_none() && value.encoding.is_none() => {
            let (listing, warnings) = (Listing::Matrix, value.warnings);
            ViewFile::Links(LinkTable { ids: None, links, listing, warnings })
        }
        _ => ViewFile::Attributes(value),
    })
}

fn no_attributes(path: &Path) -> ReadError {
    let remedy = "give the nodes <data> that differ, or take the file as a graph only";
    let expected = "attributes of nodes";
    ReadError::malformed(path, Place::File, "no usable data of nodes", expected, remedy)
}

fn unknown_format(path: &Path, extension: &str, what: &str) -> ReadError {
    if let Err(error) = open(path, what) {
        return error;
    }
    let found = format!("the extension `{extension}`");
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

/// A square array is an adjacency matrix; integers in two columns (or two rows) are the ends of links.
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
        .map_err(|error| super::nodes::duplicate_id(path, error, Place::Line, 0))?;
    let (links, repeats) =
        from_keys(nodes, nodes, keys).map_err(|error| sparse_error(path, Place::File, error))?;
    let warnings = repeated(path, repeats).into_iter().collect();
    Ok(Pairs::Edges(LinkTable { ids: Some(ids), links, listing: Listing::Lines, warnings }))
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

/// What to say about links that were given more than once.
pub(super) fn repeated(path: &Path, repeats: usize) -> Option<String> {
    (repeats > 0).then(|| {
        format!(
            "{}: {repeats} links stand more than once; their weights were summed",
            path.display()
        )
    })
}

/// Whether the file is text, by its extension or for want of one.
pub(super) fn is_text(path: &Path) -> bool {
    let format = format_extension(path);
    TEXT.contains(&format.as_str()) || format.is_empty()
}
