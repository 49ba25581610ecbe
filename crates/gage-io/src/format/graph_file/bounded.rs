//! Counts the lines of a file, and lets no single part of it grow without bound.

use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::rc::Rc;

use crate::error::{Place, ReadError};
use crate::source::open;
use crate::text::lines::MAX_LINE_BYTES;

/// Where a reader is in its file, shared with the parser behind it.
#[derive(Clone)]
pub(super) struct Position {
    line: Rc<Cell<u64>>,
    left: Rc<Cell<usize>>,
}

impl Position {
    /// The current line, counted from 1.
    pub(super) fn line(&self) -> u64 {
        self.line.get()
    }

    /// A new part begins: what no line of text may exceed, no tag, text or object may either.
    pub(super) fn part(&self) {
        self.left.set(MAX_LINE_BYTES);
    }
}

/// A reader of bounded parts.
pub(super) struct Bounded {
    inner: BufReader<Box<dyn Read + Send>>,
    position: Position,
}

impl Bounded {
    /// Opens a file, without its byte-order mark.
    pub(super) fn open(path: &Path, expected: &str) -> Result<(Bounded, Position), ReadError> {
        let io = |error| ReadError::from_io(path, Place::Byte(0), error);
        let mut inner = BufReader::new(open(path, expected)?.reader().map_err(io)?);
        if inner.fill_buf().map_err(io)?.starts_with(b"\xef\xbb\xbf") {
            inner.consume(3);
        }
        let position =
            Position { line: Rc::new(Cell::new(1)), left: Rc::new(Cell::new(MAX_LINE_BYTES)) };
        Ok((Bounded { inner, position: position.clone() }, position))
    }
}

impl Read for Bounded {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let buffer = self.fill_buf()?;
        let got = buffer.len().min(out.len());
        out[..got].copy_from_slice(&buffer[..got]);
        self.consume(got);
        Ok(got)
    }
}

impl BufRead for Bounded {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.position.left.get() == 0 {
            let text = format!("one part of it beyond {MAX_LINE_BYTES} bytes");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
        }
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        let Position { line, left } = &self.position;
        let passed = &self.inner.buffer()[..amount.min(self.inner.buffer().len())];
        line.set(line.get() + passed.iter().filter(|&&byte| byte == b'\n').count() as u64);
        left.set(left.get().saturating_sub(amount));
        self.inner.consume(amount);
    }
}
