//! Named tensors and one text in the safetensors layout, for models and checkpoints.

use std::borrow::Cow;
use std::io::{self, Write};

use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use gage_linalg::{AnyTall, AnyTallRef, Real, Tall, Workspace};

use super::checksum::{CHECKSUM, UNSET, set_checksum};

/// One tensor on its way to the file.
pub(super) struct Outgoing<'a> {
    pub(super) dtype: Dtype,
    pub(super) shape: Vec<usize>,
    pub(super) bytes: Cow<'a, [u8]>,
}

pub(super) fn f64s(values: &[f64], shape: Vec<usize>) -> Outgoing<'static> {
    let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    Outgoing { dtype: Dtype::F64, shape, bytes: Cow::Owned(bytes) }
}

pub(super) fn numbers(numbers: AnyTallRef<'_>) -> Outgoing<'_> {
    fn outgoing<T: Real>(dtype: Dtype, tall: &Tall<T>) -> Outgoing<'_> {
        Outgoing { dtype, shape: vec![tall.rows(), tall.cols()], bytes: little_endian(tall.data()) }
    }
    match numbers {
        AnyTallRef::F32(tall) => outgoing(Dtype::F32, tall),
        AnyTallRef::F64(tall) => outgoing(Dtype::F64, tall),
    }
}

/// The bytes of a slice in little-endian order (a borrow on little-endian machines).
fn little_endian<T: Real>(values: &[T]) -> Cow<'_, [u8]> {
    if cfg!(target_endian = "little") {
        return Cow::Borrowed(bytemuck::cast_slice(values));
    }
    let mut bytes = bytemuck::cast_slice::<T, u8>(values).to_vec();
    bytes.chunks_exact_mut(size_of::<T>()).for_each(<[u8]>::reverse);
    Cow::Owned(bytes)
}

/// Writes tensors with a text as metadata entry `key`.
pub(super) fn encode(
    out: &mut dyn Write,
    (key, text): (&str, &str),
    mut tensors: Vec<(String, Outgoing<'_>)>,
) -> io::Result<()> {
    let header = header_bytes(serde_json::json!({ key: text }), &mut tensors)?;
    write_all(out, &header, &tensors)
}

/// As [`encode`], with the checksum of the whole file as a second entry.
pub(super) fn encode_with_checksum(
    out: &mut dyn Write,
    (key, text): (&str, &str),
    mut tensors: Vec<(String, Outgoing<'_>)>,
) -> io::Result<()> {
    let metadata = serde_json::json!({ key: text, CHECKSUM: UNSET });
    let mut header = header_bytes(metadata, &mut tensors)?;
    set_checksum(&mut header, tensors.iter().map(|(_, tensor)| &*tensor.bytes));
    write_all(out, &header, &tensors)
}

fn write_all(
    out: &mut dyn Write,
    header: &[u8],
    tensors: &[(String, Outgoing<'_>)],
) -> io::Result<()> {
    out.write_all(header)?;
    tensors.iter().try_for_each(|(_, tensor)| out.write_all(&tensor.bytes))
}

/// The length of the header, and the header of tensors, which are put in their order.
fn header_bytes(
    metadata: serde_json::Value,
    tensors: &mut [(String, Outgoing<'_>)],
) -> io::Result<Vec<u8>> {
    // Widest types first for alignment, then by name, so that equal models give equal bytes.
    tensors.sort_by(|(a, x), (b, y)| y.dtype.cmp(&x.dtype).then(a.cmp(b)));
    let mut header = serde_json::Map::new();
    header.insert("__metadata__".to_owned(), metadata);
    let mut offset = 0;
    for (name, tensor) in tensors.iter() {
        let end = offset + tensor.bytes.len();
        let entry = serde_json::json!({
            "dtype": tensor.dtype, "shape": tensor.shape, "data_offsets": [offset, end]
        });
        header.insert(name.clone(), entry);
        offset = end;
    }
    let mut text = serde_json::to_string(&header)?.into_bytes();
    text.resize(text.len().next_multiple_of(8), b' ');
    Ok([&(text.len() as u64).to_le_bytes()[..], &text].concat())
}

/// The text under `key`, and the tensors.
pub(super) fn decode<'a>(bytes: &'a [u8], key: &str) -> Result<(String, SafeTensors<'a>), String> {
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|error| error.to_string())?;
    let text = metadata.metadata().as_ref().and_then(|entries| entries.get(key)).cloned();
    let text = text.ok_or_else(|| format!("a safetensors file, but without `{key}` metadata"))?;
    let tensors = SafeTensors::deserialize(bytes).map_err(|error| error.to_string())?;
    Ok((text, tensors))
}

/// A vector of doubles.
pub(super) fn read_f64s(tensor: &TensorView<'_>) -> Result<Vec<f64>, String> {
    if tensor.dtype() != Dtype::F64 {
        return Err(format!("{:?} where F64 was expected", tensor.dtype()));
    }
    let number = |b: &[u8]| f64::from_le_bytes(b.try_into().unwrap_or_default());
    Ok(tensor.data().chunks_exact(8).map(number).collect())
}

/// A matrix of numbers.
pub(super) fn read_numbers(
    tensor: &TensorView<'_>,
    workspace: &Workspace,
) -> Result<AnyTall, String> {
    let &[rows, cols] = tensor.shape() else {
        return Err(format!("shape {:?} is not a matrix", tensor.shape()));
    };
    // A tensor without numbers may claim any size.
    if [rows, cols].iter().any(|&size| u32::try_from(size).is_err()) {
        return Err(format!("shape {rows} x {cols} is too large"));
    }
    match tensor.dtype() {
        Dtype::F32 => {
            let number = |b: &[u8]| f32::from_le_bytes(b.try_into().unwrap_or_default());
            Ok(AnyTall::F32(tall(tensor, workspace, number)))
        }
        Dtype::F64 => {
            let number = |b: &[u8]| f64::from_le_bytes(b.try_into().unwrap_or_default());
            Ok(AnyTall::F64(tall(tensor, workspace, number)))
        }
        other => Err(format!("{other:?} where F32 or F64 was expected")),
    }
}

/// Copies a tensor row by row; the safetensors reader has checked that the bytes match the shape.
fn tall<T: Real>(
    tensor: &TensorView<'_>,
    workspace: &Workspace,
    number: impl Fn(&[u8]) -> T + Sync,
) -> Tall<T> {
    let (rows, cols) = (tensor.shape()[0], tensor.shape()[1]);
    let bytes = tensor.data();
    let width = cols * size_of::<T>();
    Tall::from_rows_in(workspace, rows, cols, |row, out| {
        let chunk = &bytes[row * width..(row + 1) * width];
        for (out, b) in out.iter_mut().zip(chunk.chunks_exact(size_of::<T>())) {
            *out = number(b);
        }
    })
}
