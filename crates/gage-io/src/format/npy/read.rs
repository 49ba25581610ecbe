//! NumPy `.npy` files: the header, and whole arrays.

use std::io::{BufReader, Read};
use std::path::Path;

use gage_linalg::{DenseMatrix, DenseValues};

use crate::error::{Place, ReadError, excerpt};
use crate::format::dtype::{Dtype, Kind, for_each_f64, for_each_i64, for_each_text};
use crate::source::{open, read_counted};

const REMEDY: &str = "write the array again with numpy.save";
/// NumPy itself refuses longer headers by default.
const LONGEST_HEADER: usize = 1 << 16;
/// Largest dimension of an array without a single byte of data, whose shape nothing else bounds.
const LARGEST_EMPTY: u64 = 1 << 20;

/// What an `.npy` file says about its array.
#[derive(Clone, Debug)]
pub(crate) struct NpyHeader {
    pub(crate) number: Dtype,
    pub(crate) fortran: bool,
    pub(crate) shape: Vec<u64>,
    /// bytes before the first number
    pub(crate) length: u64,
}

impl NpyHeader {
    /// Number of elements, or nothing if it exceeds 64 bits.
    pub(crate) fn count(&self) -> Option<u64> {
        self.shape.iter().try_fold(1u64, |count, &size| count.checked_mul(size))
    }

    /// Checks the claimed shape against the bytes there are; returns the number of elements.
    pub(crate) fn check_size(
        &self,
        path: &Path,
        place: Place,
        total: u64,
    ) -> Result<u64, ReadError> {
        let bytes = self.count().and_then(|count| count.checked_mul(self.number.size() as u64));
        if bytes == Some(0)
            && let Some(size) = self.shape.iter().find(|&&size| size > LARGEST_EMPTY)
        {
            let found = format!("shape {:?}, of which nothing takes a byte", self.shape);
            let expected = format!("data for a dimension of {size}");
            return Err(ReadError::too_large(path, place, found, expected, REMEDY));
        }
        match bytes.and_then(|bytes| bytes.checked_add(self.length)) {
            Some(needed) if needed == total => Ok(self.count().unwrap_or(0)),
            needed => {
                let needed = needed.map_or("more than 2^64".to_owned(), |n| n.to_string());
                let found = format!("shape {:?}, which needs {needed} bytes", self.shape);
                let expected = format!("the {total} bytes that are there");
                let remedy = "the file is truncated or its header is wrong; write it again";
                Err(ReadError::too_large(path, place, found, expected, remedy))
            }
        }
    }
}

/// An array in row-major order.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Array {
    /// Whole numbers (and booleans).
    Integers {
        /// size of each dimension
        shape: Vec<usize>,
        /// the numbers
        values: Vec<i64>,
    },
    /// A table of numbers; one dimension makes a single column.
    Numbers(DenseMatrix),
    /// Strings.
    Texts(Vec<String>),
}

/// Reads an `.npy` file of one or two dimensions: integers, floats, booleans or strings, either
/// byte order, C or Fortran order. Cost: one pass.
pub fn read_npy(path: impl AsRef<Path>) -> Result<Array, ReadError> {
    let path = path.as_ref();
    let source = open(path, "a NumPy array")?;
    let total = source.size;
    read_array(&mut BufReader::new(source.file), path, Place::File, total)
}

/// Reads header and numbers of an array that takes `total` bytes in all.
pub(crate) fn read_array(
    reader: &mut impl Read,
    path: &Path,
    place: Place,
    total: u64,
) -> Result<Array, ReadError> {
    let header = read_header(reader, path, &place)?;
    let count = header.check_size(path, place.clone(), total)?;
    let shape: Vec<usize> = header.shape.iter().map(|&size| size as usize).collect();
    if shape.len() > 2 {
        let found = format!("an array of {} dimensions", shape.len());
        let remedy = "reshape it to one row per node";
        return Err(ReadError::unsupported(path, place, found, "one or two dimensions", remedy));
    }
    let (rows, cols) = (shape.first().copied().unwrap_or(1), shape.get(1).copied().unwrap_or(1));
    let transpose = header.fortran && shape.len() == 2;
    let number = header.number;
    match number.kind {
        Kind::Ucs4(_) | Kind::Bytes(_) => {
            let mut texts = Vec::new();
            for_each_text(reader, path, &place, number, count, |text| texts.push(text))?;
            Ok(Array::Texts(texts))
        }
        Kind::Float(_) => {
            let mut values = Vec::new();
            for_each_f64(reader, path, &place, number, count, |value| values.push(value))?;
            let values = in_row_order(values, rows, cols, transpose);
            let single = number.size() <= 4;
            let values = if single {
                DenseValues::F32(values.iter().map(|&v| v as f32).collect::<Vec<_>>().into())
            } else {
                DenseValues::F64(values.into())
            };
            DenseMatrix::new(rows, cols, values).map(Array::Numbers).ok_or_else(|| {
                ReadError::damaged(path, place, "fewer numbers than the shape says", "all of them")
            })
        }
        Kind::Bool | Kind::Int(_) | Kind::Uint(_) => {
            let mut values = Vec::new();
            for_each_i64(reader, path, &place, number, count, |value| values.push(value))?;
            Ok(Array::Integers { shape, values: in_row_order(values, rows, cols, transpose) })
        }
    }
}

pub(crate) fn in_row_order<T: Copy>(
    values: Vec<T>,
    rows: usize,
    cols: usize,
    transpose: bool,
) -> Vec<T> {
    if !transpose || values.len() != rows * cols {
        return values;
    }
    (0..rows)
        .flat_map(|row| (0..cols).map(move |col| col * rows + row))
        .map(|at| values[at])
        .collect()
}

/// Reads the header of an array.
pub(crate) fn read_header(
    reader: &mut impl Read,
    path: &Path,
    place: &Place,
) -> Result<NpyHeader, ReadError> {
    let io = |error| ReadError::from_io(path, place.clone(), error);
    let start = read_counted(reader, 8).map_err(io)?;
    if &start[..6] != b"\x93NUMPY" {
        let found = format!("a beginning of {}", excerpt(&start));
        let expected = "the magic bytes 93 4e 55 4d 50 59 of NumPy";
        return Err(ReadError::malformed(path, place.clone(), found, expected, REMEDY));
    }
    let wide = match start[6] {
        1 => false,
        2 | 3 => true,
        version => {
            let found = format!("format version {version}");
            return Err(ReadError::unsupported(path, place.clone(), found, "1, 2 or 3", REMEDY));
        }
    };
    let size = read_counted(reader, if wide { 4 } else { 2 }).map_err(io)?;
    let length = size.iter().rev().fold(0usize, |length, &byte| length << 8 | usize::from(byte));
    if length > LONGEST_HEADER {
        let expected = format!("at most {LONGEST_HEADER} bytes");
        let found = format!("a header of {length} bytes");
        return Err(ReadError::too_large(path, place.clone(), found, expected, REMEDY));
    }
    let text = read_counted(reader, length as u64).map_err(io)?;
    let fields = HeaderText { rest: &text }.fields().ok_or_else(|| {
        let expected = "a dictionary with descr, fortran_order and shape";
        ReadError::malformed(path, place.clone(), excerpt(&text), expected, REMEDY)
    })?;
    let number = Dtype::parse(&fields.descr).ok_or_else(|| {
        let found = format!("data type `{}`", fields.descr);
        let expected = "integers, floats up to 64 bits, booleans or strings";
        let remedy = "convert the array with .astype(float) or .astype(str) before saving";
        ReadError::unsupported(path, place.clone(), found, expected, remedy)
    })?;
    let length = (8 + size.len() + length) as u64;
    Ok(NpyHeader { number, fortran: fields.fortran, shape: fields.shape, length })
}

struct Fields {
    descr: String,
    fortran: bool,
    shape: Vec<u64>,
}

/// Reads the Python dictionary of a header.
struct HeaderText<'a> {
    rest: &'a [u8],
}

impl HeaderText<'_> {
    fn fields(mut self) -> Option<Fields> {
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        self.require(b'{')?;
        while !self.accept(b'}') {
            let name = self.string()?;
            self.require(b':')?;
            match name.as_str() {
                "descr" => descr = Some(self.string().unwrap_or_else(|| "record".to_owned())),
                "fortran_order" => fortran = Some(self.boolean()?),
                "shape" => shape = Some(self.tuple()?),
                _ => return None,
            }
            if descr.as_deref() == Some("record") {
                // A structured type cannot be skipped by rule; what it is suffices to refuse it.
                return Some(Fields { descr: "record".to_owned(), fortran: false, shape: vec![] });
            }
            self.accept(b',');
        }
        Some(Fields { descr: descr?, fortran: fortran?, shape: shape? })
    }

    fn skip_blanks(&mut self) {
        while let [first, rest @ ..] = self.rest
            && first.is_ascii_whitespace()
        {
            self.rest = rest;
        }
    }

    fn accept(&mut self, byte: u8) -> bool {
        self.skip_blanks();
        let found = self.rest.first() == Some(&byte);
        if found {
            self.rest = &self.rest[1..];
        }
        found
    }

    fn require(&mut self, byte: u8) -> Option<()> {
        self.accept(byte).then_some(())
    }

    fn string(&mut self) -> Option<String> {
        self.skip_blanks();
        let quote = *self.rest.first().filter(|&&byte| byte == b'\'' || byte == b'"')?;
        let end = self.rest[1..].iter().position(|&byte| byte == quote)?;
        let text = String::from_utf8(self.rest[1..=end].to_vec()).ok()?;
        self.rest = &self.rest[end + 2..];
        Some(text)
    }

    fn boolean(&mut self) -> Option<bool> {
        self.skip_blanks();
        for (word, value) in [(&b"True"[..], true), (b"False", false)] {
            if let Some(rest) = self.rest.strip_prefix(word) {
                self.rest = rest;
                return Some(value);
            }
        }
        None
    }

    fn tuple(&mut self) -> Option<Vec<u64>> {
        self.require(b'(')?;
        let mut sizes = Vec::new();
        while !self.accept(b')') {
            self.skip_blanks();
            let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let number = std::str::from_utf8(&self.rest[..digits]).ok()?;
            sizes.push(number.parse().ok()?);
            self.rest = &self.rest[digits..];
            self.accept(b',');
        }
        Some(sizes)
    }
}
