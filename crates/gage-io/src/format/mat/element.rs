//! One variable of a MATLAB v5 file, read part by part; its declared size bounds every read.

use std::io::{Cursor, Read};
use std::path::Path;

use gage_core::graph::Matrix;
use gage_linalg::{DenseMatrix, SparseMatrix};

use crate::error::{Place, ReadError};
use crate::format::dtype::{Dtype, Kind, for_each_f64};
use crate::format::npy::read::in_row_order;
use crate::source::read_counted;
use crate::sparse_builder::{ValueBuilder, check_shape, sparse_error, sparse_if_smaller};

pub(crate) const REMEDY: &str = "save the variables again with save('file.mat', ..., '-v7')";
const SPARSE: u8 = 5;
const MAX_NAME_BYTES: u64 = 4096;
const MAX_DIMENSIONS: u64 = 32;

/// Type and length of a part.
pub(crate) struct Tag {
    pub(crate) kind: u32,
    pub(crate) bytes: u64,
    /// whether the data stand in the second half of the tag itself
    pub(crate) small: bool,
}

impl Tag {
    pub(crate) fn parse(head: &[u8], big_endian: bool) -> Tag {
        let word = |at: usize| {
            let mut bytes = [head[at], head[at + 1], head[at + 2], head[at + 3]];
            if big_endian {
                bytes.reverse();
            }
            u32::from_le_bytes(bytes)
        };
        let first = word(0);
        if first >> 16 != 0 {
            return Tag { kind: first & 0xffff, bytes: u64::from(first >> 16), small: true };
        }
        Tag { kind: first, bytes: u64::from(word(4)), small: false }
    }
}

/// The inside of a variable, of which `left` bytes are to come.
pub(crate) struct Body<'a, R> {
    path: &'a Path,
    reader: R,
    left: u64,
    big_endian: bool,
    place: Place,
}

/// A variable: its name, and its content if it was requested.
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) matrix: Option<Matrix>,
}

impl<'a, R: Read> Body<'a, R> {
    pub(crate) fn new(path: &'a Path, reader: R, left: u64, big_endian: bool, at: u64) -> Self {
        Body { path, reader, left, big_endian, place: Place::Byte(at) }
    }

    fn damaged(&self, found: impl Into<String>, expected: impl Into<String>) -> ReadError {
        ReadError::damaged(self.path, self.place.clone(), found, expected)
    }

    fn take(&mut self, count: u64) -> Result<Vec<u8>, ReadError> {
        if count > self.left {
            let found = format!("a part of {count} bytes");
            return Err(self.damaged(found, format!("at most {} more", self.left)));
        }
        let bytes = read_counted(&mut self.reader, count)
            .map_err(|error| ReadError::from_io(self.path, self.place.clone(), error))?;
        self.left -= count;
        Ok(bytes)
    }

    /// The head of the next part and, if it is a small one, its data.
    fn tag(&mut self) -> Result<(Tag, Vec<u8>), ReadError> {
        let head = self.take(8)?;
        let tag = Tag::parse(&head, self.big_endian);
        if tag.small && tag.bytes > 4 {
            let found = format!("{} bytes in a small part", tag.bytes);
            return Err(self.damaged(found, "at most 4"));
        }
        let data = if tag.small { head[4..4 + tag.bytes as usize].to_vec() } else { Vec::new() };
        Ok((tag, data))
    }

    /// A whole part of at most `most` bytes.
    fn short_part(&mut self, most: u64) -> Result<(Tag, Vec<u8>), ReadError> {
        let (tag, data) = self.tag()?;
        if tag.small {
            return Ok((tag, data));
        }
        if tag.bytes > most {
            let found = format!("a part of {} bytes", tag.bytes);
            return Err(self.damaged(found, format!("at most {most}")));
        }
        let data = self.take(tag.bytes)?;
        self.skip_padding(tag.bytes)?;
        Ok((tag, data))
    }

    fn skip_padding(&mut self, bytes: u64) -> Result<(), ReadError> {
        let padding = bytes.next_multiple_of(8) - bytes;
        // The very last part is not always padded.
        self.take(padding.min(self.left)).map(drop)
    }

    /// Reads a part made of numbers; returns how many there were.
    fn numbers(&mut self, mut each: impl FnMut(f64)) -> Result<u64, ReadError> {
        let (tag, data) = self.tag()?;
        let number = self.number_type(&tag)?;
        let count = tag.bytes / number.size() as u64;
        if tag.small {
            for_each_f64(&mut Cursor::new(data), self.path, &self.place, number, count, each)?;
            return Ok(count);
        }
        if tag.bytes > self.left || tag.bytes % number.size() as u64 != 0 {
            let found = format!("a part of {} bytes", tag.bytes);
            return Err(self.damaged(found, format!("whole numbers in {} bytes", self.left)));
        }
        for_each_f64(&mut self.reader, self.path, &self.place, number, count, &mut each)?;
        self.left -= tag.bytes;
        self.skip_padding(tag.bytes)?;
        Ok(count)
    }

    fn number_type(&self, tag: &Tag) -> Result<Dtype, ReadError> {
        let kind = match tag.kind {
            1 => Kind::Int(1),
            2 => Kind::Uint(1),
            3 => Kind::Int(2),
            4 => Kind::Uint(2),
            5 => Kind::Int(4),
            6 => Kind::Uint(4),
            7 => Kind::Float(4),
            9 => Kind::Float(8),
            12 => Kind::Int(8),
            13 => Kind::Uint(8),
            other => {
                let found = format!("a part of type {other}");
                return Err(self.damaged(found, "numbers"));
            }
        };
        Ok(Dtype { kind, big_endian: self.big_endian })
    }
}

/// Reads the name of a variable and, if it is among `names`, its content.
pub(crate) fn read_variable<R: Read>(
    mut body: Body<'_, R>,
    names: &[&str],
) -> Result<Variable, ReadError> {
    let (_, flags) = body.short_part(8)?;
    if flags.len() < 8 {
        return Err(body.damaged(format!("{} bytes of flags", flags.len()), "8"));
    }
    let (class, flags) = if body.big_endian { (flags[3], flags[2]) } else { (flags[0], flags[1]) };
    let sizes = dimensions(&mut body)?;
    let (_, name) = body.short_part(MAX_NAME_BYTES)?;
    let name = String::from_utf8_lossy(&name).into_owned();
    if !names.contains(&name.as_str()) {
        return Ok(Variable { name, matrix: None });
    }
    body.place = Place::entry(format!("variable `{name}`"));
    let complex = flags & 8 != 0;
    let kind = match class {
        SPARSE | 6..=15 if !complex => None,
        1 => Some("a cell array"),
        2 => Some("a struct"),
        3 => Some("an object"),
        4 => Some("text"),
        SPARSE..=15 => Some("complex numbers"),
        _ => Some("an unknown class"),
    };
    if let Some(found) = kind.or((sizes.len() != 2).then_some("an array of more dimensions")) {
        let expected = "a numeric or logical matrix, sparse or dense";
        return Err(ReadError::unsupported(body.path, body.place, found, expected, REMEDY));
    }
    let shape = (sizes[0], sizes[1]);
    let matrix =
        if class == SPARSE { sparse(&mut body, shape)?.into() } else { dense(&mut body, shape)? };
    Ok(Variable { name, matrix: Some(matrix) })
}

fn dimensions<R: Read>(body: &mut Body<'_, R>) -> Result<Vec<u64>, ReadError> {
    let (tag, bytes) = body.short_part(4 * MAX_DIMENSIONS)?;
    let number = body.number_type(&tag)?;
    let count = (bytes.len() / number.size()) as u64;
    let mut sizes = Vec::new();
    let place = body.place.clone();
    for_each_f64(&mut Cursor::new(&bytes), body.path, &place, number, count, |v| sizes.push(v))?;
    if let Some(bad) = sizes.iter().find(|&&size| size < 0.0 || size.fract() != 0.0) {
        return Err(body.damaged(format!("a size of {bad}"), "sizes from 0"));
    }
    Ok(sizes.iter().map(|&size| size as u64).collect())
}

fn dense<R: Read>(body: &mut Body<'_, R>, shape: (u64, u64)) -> Result<Matrix, ReadError> {
    let expected = shape.0.checked_mul(shape.1).filter(|&count| count <= body.left);
    let Some(expected) = expected else {
        let found = format!("{} by {} numbers", shape.0, shape.1);
        return Err(body.damaged(found, format!("as many as fit {} bytes", body.left)));
    };
    let mut values = Vec::new();
    let count = body.numbers(|value| values.push(value))?;
    if count != expected {
        return Err(body.damaged(format!("{count} numbers"), format!("{expected}")));
    }
    let (rows, cols) = (shape.0 as usize, shape.1 as usize);
    let values = in_row_order(values, rows, cols, true);
    let matrix = DenseMatrix::from_f64(rows, cols, values)
        .ok_or_else(|| body.damaged("too few numbers", format!("{expected}")))?;
    sparse_if_smaller(body.path, matrix)
}

/// Compressed columns: the transposed matrix in compressed rows.
fn sparse<R: Read>(body: &mut Body<'_, R>, shape: (u64, u64)) -> Result<SparseMatrix, ReadError> {
    let mut indices: Vec<Option<u32>> = Vec::new();
    body.numbers(|row| {
        let index = (row >= 0.0 && row < shape.0 as f64).then_some(row as u32);
        indices.push(index);
    })?;
    let mut pointers: Vec<u64> = Vec::new();
    let held = indices.len() as f64;
    let mut outside = None;
    body.numbers(|at| {
        if !(0.0..=held).contains(&at) {
            outside = outside.or(Some(at));
        }
        pointers.push(at as u64);
    })?;
    if let Some(outside) = outside {
        return Err(body.damaged(format!("column pointer {outside}"), format!("0 to {held}")));
    }
    let entries = pointers.last().copied().unwrap_or(0) as usize;
    let (rows, cols) = check_shape(body.path, body.place.clone(), shape, entries as u64)?;
    // Room for more entries than there are is common; only the first ones count.
    let used = &indices[..entries];
    if let Some(at) = used.iter().position(Option::is_none) {
        let place = body.place.clone();
        let found = format!("at entry {at} outside the matrix");
        let expected = format!("a row from 0 to below {rows}");
        return Err(ReadError::index(body.path, place, found, expected, REMEDY));
    }
    let used: Vec<u32> = used.iter().flatten().copied().collect();
    drop(indices);
    let (mut values, mut taken) = (ValueBuilder::new(), 0);
    let count = body.numbers(|value| {
        if taken < entries {
            values.push(value);
            taken += 1;
        }
    })?;
    if count < entries as u64 {
        return Err(body.damaged(format!("{count} values"), format!("{entries}")));
    }
    let place = body.place.clone();
    let columns = SparseMatrix::new(cols, rows, pointers, used, values.finish());
    Ok(columns.map_err(|error| sparse_error(body.path, place, error))?.transposed())
}
