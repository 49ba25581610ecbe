//! Embeddings in parts: one file for each worker.

use std::path::{Path, PathBuf};

use gage_core::graph::Nodes;
use gage_linalg::{AnyTall, Precision, Real, Tall};

use super::part_name;
use crate::embedding::read_embedding;
use crate::error::{Place, ReadError};

/// The file of one part of an embedding.
pub fn part_embedding(folder: &Path, part: usize) -> PathBuf {
    folder.join(format!("{}.npy", part_name(part)))
}

/// Whether a folder holds an embedding in parts.
pub fn is_sharded_embedding(folder: &Path) -> bool {
    folder.is_dir() && part_embedding(folder, 0).is_file()
}

/// Reads all parts of an embedding, in their order. `parts` is how many there must be.
pub fn read_sharded_embedding(folder: &Path, parts: usize) -> Result<(Nodes, AnyTall), ReadError> {
    let mut nodes: Option<Nodes> = None;
    let mut values = Vec::new();
    for part in 0..parts {
        let path = part_embedding(folder, part);
        let (own, numbers) = read_embedding(&path)?;
        let all = match nodes.take() {
            None => own,
            Some(before) => before.followed_by(&own).map_err(|error| {
                let expected = "parts of one embedding";
                let remedy = "write the embedding again";
                ReadError::malformed(&path, Place::File, error.to_string(), expected, remedy)
            })?,
        };
        nodes = Some(all);
        values.push(numbers);
    }
    let width = values.first().map_or(0, AnyTall::cols);
    if values.iter().any(|part| part.cols() != width) {
        let expected = format!("parts of {width} columns");
        let remedy = "write the embedding again";
        let found = "parts of other widths";
        return Err(ReadError::malformed(folder, Place::File, found, expected, remedy));
    }
    let single = values.iter().all(|part| matches!(part, AnyTall::F32(_)));
    let precision = if single { Precision::F32 } else { Precision::F64 };
    let joined = match precision {
        Precision::F32 => AnyTall::from(joined::<f32>(&values, width)),
        Precision::F64 => AnyTall::from(joined::<f64>(&values, width)),
    };
    Ok((nodes.unwrap_or_else(|| Nodes::numbered(0)), joined))
}

fn joined<T: Real>(parts: &[AnyTall], width: usize) -> Tall<T> {
    let rows = parts.iter().flat_map(|part| (0..part.rows()).map(move |row| part.row_f64(row)));
    let numbers: Vec<T> = rows.flatten().map(T::from_f64).collect();
    let count = numbers.len() / width.max(1);
    Tall::from_rows(count, width, |row, out| {
        out.copy_from_slice(&numbers[row * width..(row + 1) * width]);
    })
}
