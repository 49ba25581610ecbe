//! Reads embeddings in every format that is written.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use gage_core::graph::Nodes;
use gage_linalg::{AnyTall, DenseMatrix, DenseValues, Tall};

use crate::embedding::format::{EmbeddingFormat, ids_path};
use crate::error::{Place, ReadError};
use crate::format::delimited::read::read_table;
use crate::format::embedding_error::{bad, content, unique_nodes};
use crate::format::node_names::read_nodes;
use crate::format::npy::read::{Array, read_npy};
use crate::format::npz::read::read_npz_arrays;
use crate::format::parquet::{is_parquet_embedding, read_parquet_embedding};
use crate::format::safetensors::read_safetensors;
use crate::format::word2vec::{parse_header, read_word2vec, read_word2vec_binary};
use crate::source::{format_extension, is_stream, location};

/// Whether a file is a model, as far as its name tells.
pub fn is_model_file(path: &Path) -> bool {
    format_extension(path) == "gage"
}

/// Whether a file holds an embedding rather than links, as far as name and first bytes tell.
pub fn is_embedding_file(path: &Path) -> bool {
    match format_of(path) {
        Some(EmbeddingFormat::Word2vecBin | EmbeddingFormat::Safetensors) => true,
        Some(EmbeddingFormat::Npy) => {
            ids_beside(path).is_some()
                || matches!(read_npy(path), Ok(Array::Numbers(d)) if d.rows() != d.cols())
        }
        Some(EmbeddingFormat::Npz) => read_npz_arrays(path)
            .is_ok_and(|arrays| arrays.iter().any(|(name, _)| name == "embedding")),
        Some(EmbeddingFormat::Csv) => first_lines(path).0.starts_with("id,e0"),
        Some(EmbeddingFormat::Tsv) => first_lines(path).0.starts_with("id\te0"),
        Some(EmbeddingFormat::Word2vec) => {
            let (header, row) = first_lines(path);
            parse_header(&header).is_some_and(|(_, columns)| row.split(' ').count() == columns + 1)
        }
        Some(EmbeddingFormat::Parquet) => is_parquet_embedding(path),
        None => false,
    }
}

/// The format of an embedding that is read: by its extension or kind, or by the first line of a
/// text without either.
fn format_of(path: &Path) -> Option<EmbeddingFormat> {
    let extension = format_extension(path);
    if !extension.is_empty() {
        return EmbeddingFormat::with_extension(&extension);
    }
    let (first, _) = first_lines(path);
    match () {
        () if first.starts_with("id,e0") => Some(EmbeddingFormat::Csv),
        () if first.starts_with("id\te0") => Some(EmbeddingFormat::Tsv),
        () => parse_header(&first).map(|_| EmbeddingFormat::Word2vec),
    }
}

/// The file of ids beside a file that has no room for them, if there is one.
fn ids_beside(path: &Path) -> Option<PathBuf> {
    Some(ids_path(location(path))).filter(|ids| !is_stream(path) && ids.exists())
}

fn first_lines(path: &Path) -> (String, String) {
    let Ok(file) = content(path) else { return Default::default() };
    // Long enough for any header, short enough for a file that is one endless line.
    let mut lines = BufReader::new(file.take(1 << 20)).lines().map_while(Result::ok);
    (lines.next().unwrap_or_default(), lines.next().unwrap_or_default())
}

/// Reads an embedding of any format that [`EmbeddingWriter`](crate::EmbeddingWriter) writes. Nodes
/// are numbered where the file has no ids.
pub fn read_embedding(path: impl AsRef<Path>) -> Result<(Nodes, AnyTall), ReadError> {
    let path = path.as_ref();
    match format_of(path) {
        Some(EmbeddingFormat::Npy) => {
            let numbers = dense(path, read_npy(path)?)?;
            let nodes = match ids_beside(path) {
                Some(ids) => read_nodes(&ids)?,
                None => Nodes::numbered(numbers.rows()),
            };
            if nodes.len() != numbers.rows() {
                let found = format!("{} rows and {} ids beside it", numbers.rows(), nodes.len());
                return Err(bad(path, Place::File, found, "one id per row"));
            }
            Ok((nodes, numbers))
        }
        Some(EmbeddingFormat::Npz) => npz(path),
        Some(EmbeddingFormat::Csv) => read_table(path, ','),
        Some(EmbeddingFormat::Tsv) => read_table(path, '\t'),
        Some(EmbeddingFormat::Word2vec) => read_word2vec(path),
        Some(EmbeddingFormat::Word2vecBin) => read_word2vec_binary(path),
        Some(EmbeddingFormat::Safetensors) => read_safetensors(path),
        Some(EmbeddingFormat::Parquet) => read_parquet_embedding(path),
        None => {
            let expected =
                "an embedding as .npy, .npz, .csv, .tsv, .txt, .bin, .parquet or .safetensors";
            Err(bad(path, Place::File, "another format", expected))
        }
    }
}

fn dense(path: &Path, array: Array) -> Result<AnyTall, ReadError> {
    let Array::Numbers(dense) = array else {
        return Err(bad(path, Place::File, "no fractions", "the numbers of an embedding"));
    };
    Ok(from_dense(&dense))
}

fn from_dense(dense: &DenseMatrix) -> AnyTall {
    let (rows, cols) = (dense.rows(), dense.cols());
    match dense.values() {
        DenseValues::F32(v) => AnyTall::F32(Tall::from_rows(rows, cols, |row, out| {
            out.copy_from_slice(&v[row * cols..(row + 1) * cols]);
        })),
        DenseValues::F64(v) => AnyTall::F64(Tall::from_rows(rows, cols, |row, out| {
            out.copy_from_slice(&v[row * cols..(row + 1) * cols]);
        })),
    }
}

fn npz(path: &Path) -> Result<(Nodes, AnyTall), ReadError> {
    let (mut numbers, mut nodes) = (None, None);
    for (name, array) in read_npz_arrays(path)? {
        match (name.as_str(), array) {
            ("embedding", array) => numbers = Some(dense(path, array)?),
            ("ids", Array::Texts(ids)) => nodes = Some(unique_nodes(path, ids)?),
            _ => {}
        }
    }
    let Some(numbers) = numbers else {
        return Err(bad(path, Place::File, "no array `embedding`", "one"));
    };
    let nodes = nodes.unwrap_or_else(|| Nodes::numbered(numbers.rows()));
    if nodes.len() != numbers.rows() {
        return Err(bad(
            path,
            Place::entry("ids.npy"),
            format!("{} ids", nodes.len()),
            "one id per row",
        ));
    }
    Ok((nodes, numbers))
}
