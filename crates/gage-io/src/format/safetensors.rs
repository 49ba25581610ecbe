//! Embeddings as safetensors: `embedding` (n x d), and the ids as one text with the end of each.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use gage_embed::AnyTall;
use safetensors::SafeTensorError;
use safetensors::tensor::{Dtype, View, serialize_to_file};

use super::Embedding;
use super::npy::reals;

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
    embedding: &Embedding<'_>,
    path: &Path,
) -> Result<(), SafeTensorError> {
    let mut bytes = Vec::new();
    let mut keep = |piece: &[u8]| {
        bytes.extend_from_slice(piece);
        Ok(())
    };
    let dtype = match embedding.numbers {
        AnyTall::F32(tall) => reals(tall.data(), &mut keep).map(|()| Dtype::F32),
        AnyTall::F64(tall) => reals(tall.data(), &mut keep).map(|()| Dtype::F64),
    }
    .map_err(SafeTensorError::IoError)?;
    let shape = vec![embedding.nodes.len(), embedding.numbers.cols()];
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
