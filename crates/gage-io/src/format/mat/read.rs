//! Reads MATLAB v5 files: names of the variables, and numeric variables as matrices.

use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::read::ZlibDecoder;

use gage_core::graph::Matrix;

use crate::error::{Place, ReadError, excerpt};
use crate::format::mat::element::{Body, REMEDY, Tag, read_variable};
use crate::source::{expansion_limit, open, read_counted};

const MATRIX: u32 = 14;
const COMPRESSED: u32 = 15;
/// Deflate cannot expand by more than this.
const DEFLATE_RATIO: u64 = 1032;

/// The numeric variables requested, and the names of all variables.
#[derive(Clone, Debug)]
pub struct MatFile {
    /// The variables that were requested and are there.
    pub matrices: Vec<(String, Matrix)>,
    /// All variables of the file, in its order.
    pub names: Vec<String>,
}

impl MatFile {
    /// Takes a matrix out.
    pub fn take(&mut self, name: &str) -> Option<Matrix> {
        let at = self.matrices.iter().position(|variable| variable.0 == name)?;
        Some(self.matrices.swap_remove(at).1)
    }
}

/// Reads the variables called `names` of a MATLAB v5 file, compressed or not: sparse or dense, of
/// any numeric or logical class, in whatever narrower type they are stored. Other variables are
/// passed over, whatever they are. Cost: one pass over the variables requested.
pub fn read_mat(path: impl AsRef<Path>, names: &[&str]) -> Result<MatFile, ReadError> {
    let path = path.as_ref();
    let source = open(path, "a MATLAB v5 file")?;
    let (size, mut file) = (source.size, source.file);
    let io = |error| ReadError::from_io(path, Place::Byte(0), error);
    let header = read_counted(&mut file, size.min(128)).map_err(io)?;
    let big_endian = check_header(path, &header)?;
    let mut result = MatFile { matrices: Vec::new(), names: Vec::new() };
    let mut budget = expansion_limit(size);
    let mut at = 128u64;
    while at < size {
        let place = Place::Byte(at);
        let io = |error| ReadError::from_io(path, place.clone(), error);
        file.seek(SeekFrom::Start(at)).map_err(io)?;
        let head = read_counted(&mut file, 8).map_err(io)?;
        let tag = Tag::parse(&head, big_endian);
        let end = (at + 8).checked_add(tag.bytes).filter(|&end| end <= size);
        let Some(end) = end.filter(|_| !tag.small) else {
            let found = format!("a variable of {} bytes", tag.bytes);
            let expected = format!("at most the {} bytes that follow", size - at - 8);
            return Err(ReadError::damaged(path, place, found, expected));
        };
        let data = BufReader::with_capacity(1 << 16, &mut file).take(tag.bytes);
        let variable = match tag.kind {
            COMPRESSED => {
                let mut unpacked = ZlibDecoder::new(data);
                let inner = Tag::parse(&read_counted(&mut unpacked, 8).map_err(io)?, big_endian);
                check_expansion(path, place, (tag.bytes, inner.bytes), budget)?;
                let variable = match inner.kind {
                    MATRIX => {
                        let body = Body::new(path, unpacked, inner.bytes, big_endian, at);
                        Some(read_variable(body, names)?)
                    }
                    _ => None,
                };
                if variable.as_ref().is_some_and(|variable| variable.matrix.is_some()) {
                    budget = budget.saturating_sub(inner.bytes);
                }
                variable
            }
            MATRIX => {
                let body = Body::new(path, data, tag.bytes, big_endian, at);
                Some(read_variable(body, names)?)
            }
            _ => None,
        };
        if let Some(variable) = variable {
            if let Some(matrix) = variable.matrix {
                result.matrices.push((variable.name.clone(), matrix));
            }
            result.names.push(variable.name);
        }
        // Elements are padded to eight bytes, except compressed ones.
        at = if tag.kind == COMPRESSED { end } else { end.next_multiple_of(8) };
    }
    drop(file);
    Ok(result)
}

/// Refuses a variable that claims to unpack beyond what its compressed bytes can hold, or beyond
/// what is left of the budget of the file.
fn check_expansion(
    path: &Path,
    place: Place,
    (packed, unpacked): (u64, u64),
    budget: u64,
) -> Result<(), ReadError> {
    let most = packed.saturating_mul(DEFLATE_RATIO).min(budget);
    if unpacked <= most {
        return Ok(());
    }
    let found = format!("{unpacked} bytes, packed into {packed}");
    let remedy = "this may be a decompression bomb; save the file uncompressed (-v6)";
    Err(ReadError::too_large(path, place, found, format!("at most {most} bytes"), remedy))
}

/// Checks the 128 bytes at the beginning; returns whether numbers have the high byte first.
fn check_header(path: &Path, header: &[u8]) -> Result<bool, ReadError> {
    if header.len() < 128 {
        let found = format!("{} bytes", header.len());
        return Err(ReadError::damaged(path, Place::File, found, "a header of 128 bytes"));
    }
    let big_endian = match &header[126..128] {
        b"IM" => false,
        b"MI" => true,
        _ if header.starts_with(b"\x89HDF") => return Err(hdf5(path)),
        other => {
            let found = format!("{} where the byte order stands", excerpt(other));
            let place = Place::Byte(126);
            return Err(ReadError::malformed(path, place, found, "IM or MI (MATLAB v5)", REMEDY));
        }
    };
    match (header[124], header[125], big_endian) {
        (0, 1, false) | (1, 0, true) => Ok(big_endian),
        (0, 2, false) | (2, 0, true) => Err(hdf5(path)),
        (a, b, _) => {
            let found = format!("version bytes {a}, {b}");
            Err(ReadError::unsupported(path, Place::Byte(124), found, "MATLAB v5", REMEDY))
        }
    }
}

fn hdf5(path: &Path) -> ReadError {
    let found = "a MATLAB v7.3 file (HDF5)";
    ReadError::unsupported(path, Place::Byte(124), found, "a MATLAB v5 file (-v6 or -v7)", REMEDY)
}
