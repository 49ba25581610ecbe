//! Writes NumPy arrays: `.npy` files, which are also the members of `.npz` archives.

use std::io::{self, Write};

use gage_core::graph::Nodes;
use gage_linalg::{AnyTall, DenseMatrix, DenseValues, Real};

/// Receives the bytes of a file chunk by chunk.
pub type Sink<'a> = &'a mut dyn FnMut(&[u8]) -> io::Result<()>;

type Produce<'a> = Box<dyn Fn(Sink<'_>) -> io::Result<()> + 'a>;

/// An array that produces its bytes on demand, as often as needed, so that nothing is copied.
/// Inside an archive this happens twice: for the checksum and for the file.
pub struct NpyArray<'a> {
    header: Vec<u8>,
    data_bytes: u64,
    produce: Produce<'a>,
}

impl<'a> NpyArray<'a> {
    /// An array of `item` bytes per element, described as NumPy does (`<f4`).
    pub fn new(
        descr: &str,
        item: usize,
        shape: &[usize],
        produce: impl Fn(Sink<'_>) -> io::Result<()> + 'a,
    ) -> NpyArray<'a> {
        let count: u64 = shape.iter().map(|&size| size as u64).product();
        NpyArray {
            header: header(descr, shape),
            data_bytes: count * item as u64,
            produce: Box::new(produce),
        }
    }

    /// The rows of an embedding.
    pub fn numbers(numbers: &'a AnyTall) -> NpyArray<'a> {
        let shape = [numbers.rows(), numbers.cols()];
        match numbers {
            AnyTall::F32(tall) => NpyArray::new("<f4", 4, &shape, |sink| reals(tall.data(), sink)),
            AnyTall::F64(tall) => NpyArray::new("<f8", 8, &shape, |sink| reals(tall.data(), sink)),
        }
    }

    /// A dense matrix.
    pub fn dense(matrix: &'a DenseMatrix) -> NpyArray<'a> {
        let shape = [matrix.rows(), matrix.cols()];
        match matrix.values() {
            DenseValues::F32(v) => NpyArray::new("<f4", 4, &shape, |sink| reals(v, sink)),
            DenseValues::F64(v) => NpyArray::new("<f8", 8, &shape, |sink| reals(v, sink)),
        }
    }

    /// Ids as fixed-width text, which NumPy loads without pickling.
    pub fn ids(nodes: &'a Nodes) -> NpyArray<'a> {
        let width = nodes.ids().map(|id| id.chars().count()).max().unwrap_or(0).max(1);
        NpyArray::new(&format!("<U{width}"), 4 * width, &[nodes.len()], move |sink| {
            let mut cell = Vec::with_capacity(4 * width);
            for id in nodes.ids() {
                cell.clear();
                cell.extend(id.chars().flat_map(|c| u32::from(c).to_le_bytes()));
                cell.resize(4 * width, 0);
                sink(&cell)?;
            }
            Ok(())
        })
    }

    /// Bytes of header and data together.
    pub(crate) fn byte_len(&self) -> u64 {
        self.header.len() as u64 + self.data_bytes
    }

    /// Hands all bytes to `sink`.
    pub(crate) fn for_each_chunk(&self, sink: Sink<'_>) -> io::Result<()> {
        sink(&self.header)?;
        (self.produce)(sink)
    }

    /// Writes a whole `.npy` file.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.for_each_chunk(&mut |chunk| out.write_all(chunk))
    }
}

fn header(descr: &str, shape: &[usize]) -> Vec<u8> {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    let tuple = match &sizes[..] {
        [one] => format!("({one},)"),
        _ => format!("({})", sizes.join(", ")),
    };
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple}, }}");
    // Data start at a multiple of 64 bytes, so that they can be mapped into memory aligned.
    let padding = 64 - (10 + text.len() + 1) % 64;
    text.extend(std::iter::repeat_n(' ', padding % 64));
    text.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((text.len() as u16).to_le_bytes());
    header.extend(text.as_bytes());
    header
}

/// Passes numbers on in little-endian order.
pub(crate) fn reals<T: Real>(values: &[T], sink: Sink<'_>) -> io::Result<()> {
    if cfg!(target_endian = "little") {
        return sink(bytemuck::cast_slice(values));
    }
    for chunk in values.chunks(1 << 14) {
        let mut bytes = bytemuck::cast_slice::<T, u8>(chunk).to_vec();
        bytes.chunks_exact_mut(size_of::<T>()).for_each(<[u8]>::reverse);
        sink(&bytes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_aligned_and_complete() {
        for shape in [&[3usize][..], &[1_000_000_007, 128], &[0, 4]] {
            let header = header("<f4", shape);
            assert_eq!(header.len() % 64, 0);
            assert_eq!(header.last(), Some(&b'\n'));
        }
    }
}
