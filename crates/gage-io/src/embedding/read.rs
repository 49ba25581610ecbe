//! Embeddings read back from every format that is written.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use gage_embed::io::{Array, read_nodes, read_npy, read_npz_arrays};
use gage_embed::{AnyTall, DenseMatrix, DenseValues, Nodes, Tall};
use safetensors::{Dtype, SafeTensors};

use crate::errors::{Exit, Failure};
use crate::write::{Format, ids_path};

use super::parquet_file;
use super::text::{table, word2vec, word2vec_sizes};

pub(super) fn bad(
    path: &Path,
    place: &str,
    found: impl std::fmt::Display,
    expected: &str,
) -> anyhow::Error {
    let message = format!("{}: {place}: found {found}, expected {expected}", path.display());
    Failure::new(Exit::Input, message)
        .help("was the file written by `gage embed`, and whole?")
        .into()
}

pub(super) fn io(path: &Path, error: &std::io::Error) -> anyhow::Error {
    let message = format!("{}: whole file: cannot be read: {error}", path.display());
    Failure::new(Exit::Input, message).help("check the path and its permissions").into()
}

/// Whether a file is a model, as far as its name tells.
pub(crate) fn is_model(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gage"))
}

/// Whether a file holds an embedding rather than links, as far as name and first bytes tell.
pub(crate) fn is_embedding(path: &Path) -> bool {
    match Format::of(path) {
        Some(Format::Word2vecBin | Format::Safetensors) => true,
        Some(Format::Npy) => {
            ids_path(path).exists()
                || matches!(read_npy(path), Ok(Array::Numbers(d)) if d.rows() != d.cols())
        }
        Some(Format::Npz) => read_npz_arrays(path)
            .is_ok_and(|arrays| arrays.iter().any(|(name, _)| name == "embedding")),
        Some(Format::Csv) => first_lines(path).0.starts_with("id,e0"),
        Some(Format::Tsv) => first_lines(path).0.starts_with("id\te0"),
        Some(Format::Word2vec) => {
            let (header, row) = first_lines(path);
            word2vec_sizes(&header)
                .is_some_and(|(_, columns)| row.split(' ').count() == columns + 1)
        }
        Some(Format::Parquet) => parquet_file::is_embedding(path),
        None => false,
    }
}

fn first_lines(path: &Path) -> (String, String) {
    let Ok(file) = File::open(path) else { return Default::default() };
    // Long enough for any header, short enough for a file that is one endless line.
    let mut lines = BufReader::new(file.take(1 << 20)).lines().map_while(Result::ok);
    (lines.next().unwrap_or_default(), lines.next().unwrap_or_default())
}

/// Reads ids and numbers.
pub(crate) fn read_embedding(path: &Path) -> anyhow::Result<(Nodes, AnyTall)> {
    match Format::of(path) {
        Some(Format::Npy) => {
            let numbers = dense(path, read_npy(path)?)?;
            let ids = ids_path(path);
            let nodes =
                if ids.exists() { read_nodes(&ids)? } else { Nodes::numbered(numbers.rows()) };
            if nodes.len() != numbers.rows() {
                let found = format!("{} rows and {} ids beside it", numbers.rows(), nodes.len());
                return Err(bad(path, "whole file", found, "one id per row"));
            }
            Ok((nodes, numbers))
        }
        Some(Format::Npz) => npz(path),
        Some(Format::Csv) => table(path, ','),
        Some(Format::Tsv) => table(path, '\t'),
        Some(Format::Word2vec) => word2vec(path),
        Some(Format::Word2vecBin) => word2vec_binary(path),
        Some(Format::Safetensors) => safetensors(path),
        Some(Format::Parquet) => parquet_file::read(path),
        None => {
            let expected =
                "an embedding as .npy, .npz, .csv, .tsv, .txt, .bin, .parquet or .safetensors";
            Err(bad(path, "whole file", "another format", expected))
        }
    }
}

fn dense(path: &Path, array: Array) -> anyhow::Result<AnyTall> {
    let Array::Numbers(dense) = array else {
        return Err(bad(path, "whole file", "no fractions", "the numbers of an embedding"));
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

fn npz(path: &Path) -> anyhow::Result<(Nodes, AnyTall)> {
    let (mut numbers, mut nodes) = (None, None);
    for (name, array) in read_npz_arrays(path)? {
        match (name.as_str(), array) {
            ("embedding", array) => numbers = Some(dense(path, array)?),
            ("ids", Array::Texts(ids)) => nodes = Some(Nodes::named(ids)?),
            _ => {}
        }
    }
    let Some(numbers) = numbers else {
        return Err(bad(path, "whole file", "no array `embedding`", "one"));
    };
    let nodes = nodes.unwrap_or_else(|| Nodes::numbered(numbers.rows()));
    if nodes.len() != numbers.rows() {
        return Err(bad(path, "ids.npy", format!("{} ids", nodes.len()), "one id per row"));
    }
    Ok((nodes, numbers))
}

fn word2vec_binary(path: &Path) -> anyhow::Result<(Nodes, AnyTall)> {
    let bytes = std::fs::read(path).map_err(|error| io(path, &error))?;
    let header_end = bytes.iter().take(64).position(|&byte| byte == b'\n').unwrap_or(0);
    let header = String::from_utf8_lossy(&bytes[..header_end]).into_owned();
    let Some((count, columns)) = word2vec_sizes(&header) else {
        return Err(bad(path, "line 1", format!("`{header}`"), "`nodes columns`"));
    };
    let mut rest = &bytes[(header_end + 1).min(bytes.len())..];
    // Sizes are a claim until the bytes are there: nothing is allocated from them.
    let (mut ids, mut values) = (Vec::new(), Vec::<f32>::new());
    for row in 0..count {
        let place = format!("row {row}");
        let cut = rest.iter().position(|&byte| byte == b' ');
        let numbers = cut.and_then(|cut| rest.get(cut + 1..cut + 1 + columns.checked_mul(4)?));
        let (Some(cut), Some(numbers)) = (cut, numbers) else {
            return Err(bad(path, &place, "the end of the file", &format!("{count} rows")));
        };
        let id = std::str::from_utf8(&rest[..cut]);
        let id = id.map_err(|_| bad(path, &place, "bytes that are not UTF-8", "an id"))?;
        ids.push(id.trim_start_matches('\n').to_owned());
        values
            .extend(numbers.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])));
        rest = &rest[cut + 1 + 4 * columns..];
    }
    let numbers = AnyTall::F32(Tall::from_rows(ids.len(), columns, |row, out| {
        out.copy_from_slice(&values[row * columns..(row + 1) * columns]);
    }));
    Ok((Nodes::named(ids)?, numbers))
}

fn safetensors(path: &Path) -> anyhow::Result<(Nodes, AnyTall)> {
    let bytes = std::fs::read(path).map_err(|error| io(path, &error))?;
    let tensors = SafeTensors::deserialize(&bytes)
        .map_err(|error| bad(path, "header", error, "a safetensors file"))?;
    let Ok(tensor) = tensors.tensor("embedding") else {
        let expected = "one; for a model use `gage reweight`";
        return Err(bad(path, "whole file", "no tensor `embedding`", expected));
    };
    let &[rows, cols] = tensor.shape() else {
        return Err(bad(path, "embedding", format!("shape {:?}", tensor.shape()), "two sizes"));
    };
    let data = tensor.data();
    let numbers = match tensor.dtype() {
        Dtype::F32 => AnyTall::F32(Tall::from_rows(rows, cols, |row, out: &mut [f32]| {
            for (out, b) in out.iter_mut().zip(data[4 * row * cols..].chunks_exact(4)) {
                *out = f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
            }
        })),
        Dtype::F64 => AnyTall::F64(Tall::from_rows(rows, cols, |row, out: &mut [f64]| {
            for (out, b) in out.iter_mut().zip(data[8 * row * cols..].chunks_exact(8)) {
                *out = f64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]);
            }
        })),
        other => return Err(bad(path, "embedding", format!("{other:?}"), "F32 or F64")),
    };
    let (Ok(text), Ok(ends)) = (tensors.tensor("ids.text"), tensors.tensor("ids.ends")) else {
        return Ok((Nodes::numbered(rows), numbers));
    };
    let damaged = || bad(path, "ids", "ends that do not cut the text", "one id per row");
    let text = std::str::from_utf8(text.data()).map_err(|_| damaged())?;
    let mut ids = Vec::new();
    let mut start = 0;
    for b in ends.data().chunks_exact(8) {
        let end = u64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]) as usize;
        ids.push(text.get(start..end).ok_or_else(damaged)?);
        start = end;
    }
    if ids.len() != rows {
        return Err(damaged());
    }
    Ok((Nodes::named(ids)?, numbers))
}
