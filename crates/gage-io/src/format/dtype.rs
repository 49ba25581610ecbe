//! Binary numbers of any width and byte order, read in pieces.

use std::io::Read;
use std::path::Path;

use crate::error::{Place, ReadError, excerpt};

/// What an element is; widths in bytes, except characters for `Ucs4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool,
    Int(usize),
    Uint(usize),
    Float(usize),
    Ucs4(usize),
    Bytes(usize),
}

/// An element type and its byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dtype {
    pub(crate) kind: Kind,
    pub(crate) big_endian: bool,
}

/// Longest string element accepted, in characters.
const LONGEST_TEXT: usize = 1 << 16;

impl Dtype {
    /// Reads a NumPy type string such as `<f8` or `|S3`.
    pub(crate) fn parse(descr: &str) -> Option<Dtype> {
        let mut letters = descr.chars();
        let big_endian = match letters.next()? {
            '<' | '|' => false,
            '=' => cfg!(target_endian = "big"),
            '>' => true,
            _ => return None,
        };
        let kind = letters.next()?;
        let width: usize = letters.as_str().parse().ok()?;
        let kind = match (kind, width) {
            ('b', 1) | ('?', 1) => Kind::Bool,
            ('i', 1 | 2 | 4 | 8) => Kind::Int(width),
            ('u', 1 | 2 | 4 | 8) => Kind::Uint(width),
            ('f', 2 | 4 | 8) => Kind::Float(width),
            ('U', 0..=LONGEST_TEXT) => Kind::Ucs4(width),
            ('S', 0..=LONGEST_TEXT) => Kind::Bytes(width),
            _ => return None,
        };
        Some(Dtype { kind, big_endian })
    }

    /// Bytes an element takes.
    pub(crate) fn size(self) -> usize {
        match self.kind {
            Kind::Bool => 1,
            Kind::Int(width) | Kind::Uint(width) | Kind::Float(width) | Kind::Bytes(width) => width,
            Kind::Ucs4(characters) => 4 * characters,
        }
    }

    pub(crate) fn is_integer(self) -> bool {
        matches!(self.kind, Kind::Bool | Kind::Int(_) | Kind::Uint(_))
    }

    /// The bits of one number, at most eight bytes.
    fn bits(self, element: &[u8]) -> u64 {
        let join = |bits: u64, &byte: &u8| bits << 8 | u64::from(byte);
        if self.big_endian {
            element.iter().fold(0, join)
        } else {
            element.iter().rev().fold(0, join)
        }
    }

    fn decode_f64(self, bytes: &[u8], mut each: impl FnMut(f64)) {
        let elements = bytes.chunks_exact(self.size().max(1));
        match (self.kind, self.big_endian) {
            // The common case without the generic path through bits.
            (Kind::Float(8), false) => {
                let (words, _) = bytes.as_chunks::<8>();
                words.iter().for_each(|&word| each(f64::from_le_bytes(word)));
            }
            (Kind::Float(8), _) => elements.for_each(|e| each(f64::from_bits(self.bits(e)))),
            (Kind::Float(4), false) => {
                let (words, _) = bytes.as_chunks::<4>();
                words.iter().for_each(|&word| each(f64::from(f32::from_le_bytes(word))));
            }
            (Kind::Float(4), _) => {
                elements.for_each(|e| each(f64::from(f32::from_bits(self.bits(e) as u32))));
            }
            (Kind::Float(_), _) => elements.for_each(|e| each(half(self.bits(e) as u16))),
            (Kind::Uint(8), _) => elements.for_each(|e| each(self.bits(e) as f64)),
            _ => self.decode_i64(bytes, |value| each(value as f64)),
        }
    }

    fn decode_i64(self, bytes: &[u8], mut each: impl FnMut(i64)) {
        let elements = bytes.chunks_exact(self.size().max(1));
        match (self.kind, self.big_endian) {
            (Kind::Int(4), false) => {
                let (words, _) = bytes.as_chunks::<4>();
                words.iter().for_each(|&word| each(i64::from(i32::from_le_bytes(word))));
            }
            (Kind::Int(8), false) => {
                let (words, _) = bytes.as_chunks::<8>();
                words.iter().for_each(|&word| each(i64::from_le_bytes(word)));
            }
            (Kind::Int(width), _) => {
                let unused = 64 - 8 * width as u32;
                elements.for_each(|e| each(((self.bits(e) << unused) as i64) >> unused));
            }
            (Kind::Bool, _) => elements.for_each(|e| each(i64::from(e[0] != 0))),
            // Beyond 63 bits no index or label is meant; the top value fails every range check.
            _ => elements.for_each(|e| each(i64::try_from(self.bits(e)).unwrap_or(i64::MAX))),
        }
    }
}

/// Half precision, widened exactly.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    sign * match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
    }
}

/// Hands `count` elements over in pieces of whole elements.
fn for_each_piece(
    reader: &mut impl Read,
    path: &Path,
    place: &Place,
    element: usize,
    count: u64,
    mut each: impl FnMut(&[u8]) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    if element == 0 {
        return Ok(());
    }
    let mut buffer = vec![0u8; element * ((1 << 16) / element).max(1)];
    let per_piece = (buffer.len() / element) as u64;
    let mut left = count;
    while left > 0 {
        let now = left.min(per_piece);
        let piece = &mut buffer[..now as usize * element];
        reader.read_exact(piece).map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => {
                let found = format!("fewer than {count} elements");
                ReadError::damaged(path, place.clone(), found, format!("{count} elements"))
            }
            _ => ReadError::from_io(path, place.clone(), error),
        })?;
        each(piece)?;
        left -= now;
    }
    Ok(())
}

/// Reads `count` numbers of any numeric type as `f64`.
pub(crate) fn for_each_f64(
    reader: &mut impl Read,
    path: &Path,
    place: &Place,
    number: Dtype,
    count: u64,
    mut each: impl FnMut(f64),
) -> Result<(), ReadError> {
    for_each_piece(reader, path, place, number.size(), count, |piece| {
        number.decode_f64(piece, &mut each);
        Ok(())
    })
}

/// Reads `count` whole numbers; the type must be an integer one.
pub(crate) fn for_each_i64(
    reader: &mut impl Read,
    path: &Path,
    place: &Place,
    number: Dtype,
    count: u64,
    mut each: impl FnMut(i64),
) -> Result<(), ReadError> {
    for_each_piece(reader, path, place, number.size(), count, |piece| {
        number.decode_i64(piece, &mut each);
        Ok(())
    })
}

/// Reads `count` strings of a fixed width, without the padding.
pub(crate) fn for_each_text(
    reader: &mut impl Read,
    path: &Path,
    place: &Place,
    number: Dtype,
    count: u64,
    mut each: impl FnMut(String),
) -> Result<(), ReadError> {
    if number.size() == 0 && count > 1 {
        let remedy = "save the names with their full width";
        let found = format!("{count} strings of no width");
        return Err(ReadError::malformed(path, place.clone(), found, "strings", remedy));
    }
    let mut row = 0u64;
    for_each_piece(reader, path, place, number.size(), count, |piece| {
        for element in piece.chunks_exact(number.size().max(1)) {
            let text = match number.kind {
                Kind::Ucs4(_) => element
                    .chunks_exact(4)
                    .map(|word| number.bits(word) as u32)
                    .take_while(|&code| code != 0)
                    .map(char::from_u32)
                    .collect::<Option<String>>(),
                _ => {
                    let used = element.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1);
                    String::from_utf8(element[..used].to_vec()).ok()
                }
            };
            let text = text.ok_or_else(|| {
                let place = Place::entry(format!("{place}, element {row}"));
                let remedy = "save the names as UTF-8 or as a NumPy array of str";
                ReadError::malformed(path, place, excerpt(element), "valid characters", remedy)
            })?;
            each(text);
            row += 1;
        }
        Ok(())
    })
}
