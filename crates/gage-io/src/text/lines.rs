//! Lines of text from a file of any size, compressed or not, with a bound on their length.

use std::io::Read;
use std::path::{Path, PathBuf};

use memchr::memchr;

use crate::error::{Place, ReadError, excerpt};
use crate::source::{open, read_up_to};

/// Longest line accepted, in bytes: a row of a million numbers fits.
pub(crate) const MAX_LINE_BYTES: usize = 1 << 24;
const BLOCK: usize = 1 << 18;

/// Reads a file line by line: without line ends, byte-order mark or carriage returns, checked to be
/// UTF-8.
pub(crate) struct Lines {
    path: PathBuf,
    reader: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    /// unread part of the buffer
    start: usize,
    /// the line read last
    last: std::ops::Range<usize>,
    ended: bool,
    line: u64,
}

impl Lines {
    pub(crate) fn open(path: &Path, expected: &str) -> Result<Lines, ReadError> {
        let reader = open(path, expected)?
            .reader()
            .map_err(|error| ReadError::from_io(path, Place::Byte(0), error))?;
        let mut lines = Lines {
            path: path.to_owned(),
            reader,
            buffer: Vec::new(),
            start: 0,
            last: 0..0,
            ended: false,
            line: 0,
        };
        lines.fill()?;
        lines.start = text_start(path, &lines.buffer)?;
        if lines.buffer.len() == lines.start {
            return Err(ReadError::empty(path, expected));
        }
        Ok(lines)
    }

    /// Number of the line read last, counted from 1.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// The line read last, once more.
    pub(crate) fn current(&self) -> &str {
        std::str::from_utf8(&self.buffer[self.last.clone()]).unwrap_or_default()
    }

    /// The next line, if any.
    pub(crate) fn next(&mut self) -> Result<Option<&str>, ReadError> {
        let mut searched = 0;
        let end = loop {
            let unread = &self.buffer[self.start..];
            if let Some(at) = memchr(b'\n', &unread[searched..]) {
                break searched + at;
            }
            searched = unread.len();
            if self.ended {
                if searched == 0 {
                    return Ok(None);
                }
                break searched;
            }
            if searched > MAX_LINE_BYTES {
                return Err(line_too_long(&self.path, self.line + 1));
            }
            self.fill()?;
        };
        let line = self.start..self.start + end;
        self.start = (line.end + 1).min(self.buffer.len());
        self.line += 1;
        let end = line.end - usize::from(self.buffer[line.clone()].ends_with(b"\r"));
        self.last = line.start..end;
        let bytes = &self.buffer[self.last.clone()];
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(not_utf8(&self.path, self.line, bytes)),
        }
    }

    fn fill(&mut self) -> Result<(), ReadError> {
        self.buffer.drain(..self.start);
        (self.start, self.last) = (0, 0..0);
        let old = self.buffer.len();
        // Doubling keeps the search of a long line linear in all.
        self.buffer.resize(old + BLOCK.max(old), 0);
        let got = read_up_to(&mut self.reader, &mut self.buffer[old..])
            .map_err(|error| ReadError::from_io(&self.path, Place::Line(self.line + 1), error))?;
        self.ended = old + got < self.buffer.len();
        self.buffer.truncate(old + got);
        Ok(())
    }
}

/// Where the text begins, after a byte-order mark; refuses what is not UTF-8 text at first sight.
pub(crate) fn text_start(path: &Path, bytes: &[u8]) -> Result<usize, ReadError> {
    let kind = match bytes {
        [0xef, 0xbb, 0xbf, ..] => return Ok(3),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "UTF-16 text",
        [b'P', b'K', 3, 4, ..] => "a zip archive",
        [b'P', b'A', b'R', b'1', ..] => "a Parquet file",
        [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => "a NumPy array",
        _ => return Ok(0),
    };
    let remedy = "save it as UTF-8 text, or give the file the extension of its format";
    Err(ReadError::malformed(path, Place::Byte(0), kind, "UTF-8 text", remedy))
}

pub(crate) fn line_too_long(path: &Path, line: u64) -> ReadError {
    let found = format!("a line of more than {MAX_LINE_BYTES} bytes");
    let expected = format!("lines of at most {MAX_LINE_BYTES} bytes");
    let remedy = "check that the file is text with line ends, one row a line";
    ReadError::too_large(path, Place::Line(line), found, expected, remedy)
}

pub(crate) fn not_utf8(path: &Path, line: u64, bytes: &[u8]) -> ReadError {
    let remedy = "convert the file, for instance with iconv -f LATIN1 -t UTF-8";
    ReadError::malformed(path, Place::Line(line), excerpt(bytes), "UTF-8 text", remedy)
}
