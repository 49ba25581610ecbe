//! Opens files for readers: common checks, and decompression with bounded output.

mod format_name;
mod input;
mod name;
mod sniff;
mod stream;

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use flate2::read::MultiGzDecoder;

use crate::error::{Place, ReadError, excerpt};

pub(crate) use format_name::{format_extension, is_nameless, stem};
pub(crate) use input::InputFile;
pub(crate) use name::{extension, location};
pub use stream::{is_stream, keep_streams, repeated_stream};

/// Bytes a file may decompress to, whatever its size.
const FREE_EXPANSION: u64 = 1 << 30;
/// Times its own size a file may decompress to, beyond that. Real link data reach about 80.
const EXPANSION: u64 = 200;

/// The most a compressed file of `size` bytes may expand to.
pub(crate) fn expansion_limit(size: u64) -> u64 {
    FREE_EXPANSION.saturating_add(size.saturating_mul(EXPANSION))
}

/// How a file is compressed, detected by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    None,
    Gzip,
    Zstd,
}

/// An open file that is not empty: a regular one, or the kept content of a stream.
pub(crate) struct Source {
    pub(crate) file: InputFile,
    pub(crate) size: u64,
    pub(crate) compression: Compression,
}

/// Whether there is something to read at a path, which may be a stream.
pub fn exists(path: impl AsRef<Path>) -> bool {
    let path = location(path.as_ref());
    stream::stream(path).is_some() || path.exists()
}

/// Opens `path` and checks that it is a regular file, or a stream, with content.
pub(crate) fn open(path: &Path, expected: &str) -> Result<Source, ReadError> {
    let io = |source| ReadError::from_io(path, Place::File, source);
    let mut file = InputFile::new(open_file(path, expected)?);
    let size = file.whole().metadata().map_err(io)?.len();
    if size == 0 {
        return Err(ReadError::empty(path, expected));
    }
    let mut magic = [0u8; 4];
    let got = read_up_to(&mut file, &mut magic).map_err(io)?;
    file.seek(SeekFrom::Start(0)).map_err(io)?;
    let compression = match &magic[..got] {
        [0x1f, 0x8b, ..] => Compression::Gzip,
        [0x28, 0xb5, 0x2f, 0xfd] => Compression::Zstd,
        _ => Compression::None,
    };
    let promised = match extension(location(path)).as_str() {
        "gz" => Some((Compression::Gzip, "gzip data (1f 8b)")),
        "zst" => Some((Compression::Zstd, "zstd data (28 b5 2f fd)")),
        _ => None,
    };
    if let Some((kind, expected)) = promised
        && kind != compression
    {
        let found = format!("a file that begins with {}", excerpt(&magic[..got]));
        let remedy = "rename the file if it is not compressed, otherwise compress it again";
        return Err(ReadError::malformed(path, Place::Byte(0), found, expected, remedy));
    }
    Ok(Source { file, size, compression })
}

/// A regular file, or the kept content of a stream.
fn open_file(path: &Path, expected: &str) -> Result<Arc<File>, ReadError> {
    let place = location(path);
    if let Some(stream) = stream::stream(place) {
        let remedy = "pipe data into it, or name a file";
        let told = |error| ReadError::io(path, Place::File, error).with(remedy);
        return stream::content(stream, place).map_err(told);
    }
    let meta = std::fs::metadata(place).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => ReadError::missing(path, expected),
        _ => ReadError::io(path, Place::File, source),
    })?;
    if !meta.is_file() {
        let found = if meta.is_dir() { "a folder" } else { "a device or pipe" };
        let remedy = "name a file inside it, or give the folder as the data set";
        return Err(ReadError::wrong_kind(path, found, expected, remedy));
    }
    let open = File::open(place).map(Arc::new);
    open.map_err(|source| ReadError::from_io(path, Place::File, source))
}

impl Source {
    /// The file's bytes, decompressed if need be; reading fails once they exceed what a file of
    /// this size may hold.
    pub(crate) fn reader(self) -> io::Result<Box<dyn Read + Send>> {
        let limit = expansion_limit(self.size);
        let file = BufReader::with_capacity(1 << 16, self.file);
        Ok(match self.compression {
            Compression::None => Box::new(file),
            Compression::Gzip => Box::new(Limited::new(MultiGzDecoder::new(file), limit)),
            Compression::Zstd => {
                let decoder = ruzstd::decoding::StreamingDecoder::new(file).map_err(|error| {
                    io::Error::new(io::ErrorKind::InvalidData, error.to_string())
                })?;
                Box::new(Limited::new(decoder, limit))
            }
        })
    }
}

/// A reader that fails, rather than ends, when more than a given number of bytes come out of it.
struct Limited<R> {
    inner: R,
    left: u64,
    limit: u64,
}

impl<R: Read> Limited<R> {
    fn new(inner: R, limit: u64) -> Self {
        Limited { inner, left: limit, limit }
    }
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let got = self.inner.read(out)?;
        self.left = self.left.checked_sub(got as u64).ok_or_else(|| {
            let text = format!("decompressed data beyond {} bytes", self.limit);
            io::Error::new(io::ErrorKind::FileTooLarge, text)
        })?;
        Ok(got)
    }
}

/// Reads until `out` is full or the data end; returns how much was read.
pub(crate) fn read_up_to(reader: &mut impl Read, out: &mut [u8]) -> io::Result<usize> {
    let mut got = 0;
    while got < out.len() {
        match reader.read(&mut out[got..]) {
            Ok(0) => break,
            Ok(more) => got += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(got)
}

/// Reads exactly `count` bytes, growing the buffer only as data arrive, so that a false count costs
/// nothing.
pub(crate) fn read_counted(reader: &mut impl Read, count: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(count.min(1 << 20) as usize);
    reader.take(count).read_to_end(&mut bytes)?;
    if (bytes.len() as u64) < count {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(bytes)
}
