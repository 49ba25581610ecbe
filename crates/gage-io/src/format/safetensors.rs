//! Embeddings as safetensors files: `embedding` (n x d), and the ids as one text with the end of
//! each.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use safetensors::tensor::{Dtype, View, serialize_to_file};
use safetensors::{SafeTensorError, SafeTensors};

use gage_core::Hint;
use gage_core::graph::Nodes;
use gage_linalg::{AnyTall, Tall};

use crate::contents::EmbeddingRef;
use crate::error::{Place, ReadError};
use crate::format::embedding_error::{bad, content, unique_nodes, unreadable};
use crate::format::npy::write::reals;

struct Tensor {
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl View for Tensor {
    fn dtype(&self) -> Dtype {
        self.dtype
    }
    fn shape(&self) -> &[usize] {
        &self.shape
    }
    fn data(&self) -> Cow<'_, [u8]> {
        Cow::Borrowed(&self.bytes)
    }
    fn data_len(&self) -> usize {
        self.bytes.len()
    }
}

/// Writes the file; the names of the id tensors are those of model files.
pub(crate) fn write_safetensors(
    embedding: &EmbeddingRef<'_>,
    path: &Path,
) -> Result<(), SafeTensorError> {
    let mut bytes = Vec::new();
    let mut keep = |chunk: &[u8]| {
        bytes.extend_from_slice(chunk);
        Ok(())
    };
    let dtype = match embedding.values {
        AnyTall::F32(tall) => reals(tall.data(), &mut keep).map(|()| Dtype::F32),
        AnyTall::F64(tall) => reals(tall.data(), &mut keep).map(|()| Dtype::F64),
    }
    .map_err(SafeTensorError::IoError)?;
    let shape = vec![embedding.nodes.len(), embedding.values.cols()];
    let mut tensors = vec![("embedding", Tensor { dtype, shape, bytes })];
    if embedding.nodes.is_named() {
        let (mut text, mut ends) = (Vec::new(), Vec::new());
        for id in embedding.nodes.ids() {
            text.extend_from_slice(id.as_bytes());
            ends.extend((text.len() as u64).to_le_bytes());
        }
        let shape = vec![text.len()];
        tensors.push(("ids.text", Tensor { dtype: Dtype::U8, shape, bytes: text }));
        let shape = vec![embedding.nodes.len()];
        tensors.push(("ids.ends", Tensor { dtype: Dtype::U64, shape, bytes: ends }));
    }
    let program = concat!("gage ", env!("CARGO_PKG_VERSION")).to_owned();
    let metadata = HashMap::from([("program".to_owned(), program)]);
    serialize_to_file(tensors, Some(metadata), path)
}

/// Reads ids and rows.
pub(crate) fn read_safetensors(path: &Path) -> Result<(Nodes, AnyTall), ReadError> {
    let mut bytes = Vec::new();
    content(path)?.read_to_end(&mut bytes).map_err(|error| unreadable(path, error))?;
    let tensors = SafeTensors::deserialize(&bytes)
        .map_err(|error| bad(path, Place::entry("header"), error, "a safetensors file"))?;
    let Ok(tensor) = tensors.tensor("embedding") else {
        let error = bad(path, Place::File, "no tensor `embedding`", "one");
        return Err(error.with(Hint::EmbedModel));
    };
    let &[rows, cols] = tensor.shape() else {
        return Err(bad(
            path,
            Place::entry("embedding"),
            format!("shape {:?}", tensor.shape()),
            "two sizes",
        ));
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
        other => {
            return Err(bad(path, Place::entry("embedding"), format!("{other:?}"), "F32 or F64"));
        }
    };
    let (Ok(text), Ok(ends)) = (tensors.tensor("ids.text"), tensors.tensor("ids.ends")) else {
        return Ok((Nodes::numbered(rows), numbers));
    };
    let damaged =
        || bad(path, Place::entry("ids"), "ends that do not cut the text", "one id per row");
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
    Ok((unique_nodes(path, ids)?, numbers))
}
