//! Zip archives, as NumPy writes them: stored or deflated members, 32- or 64-bit sizes.

use std::io::{self, BufReader, Read, Seek, SeekFrom, Take};
use std::path::{Path, PathBuf};

use flate2::Crc;
use flate2::read::DeflateDecoder;

use crate::error::{Place, ReadError, excerpt};
use crate::source::{InputFile, expansion_limit, open, read_counted};

const REMEDY: &str = "write the archive again with numpy.savez or scipy.sparse.save_npz";
/// The end record and the longest comment it may carry.
const LONGEST_TAIL: u64 = 22 + 65_535;
/// Longest list of members accepted; an archive of arrays has a handful.
const LONGEST_DIRECTORY: u64 = 1 << 24;
/// Deflate cannot expand by more than this.
const DEFLATE_RATIO: u64 = 1032;

/// One file in an archive.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    /// bytes when unpacked, checked to be possible
    pub(crate) size: u64,
    packed: u64,
    deflated: bool,
    crc: u32,
    offset: u64,
}

/// An archive whose list of members has been read and checked.
pub(crate) struct Archive {
    path: PathBuf,
    size: u64,
    file: InputFile,
    pub(crate) members: Vec<Member>,
}

impl Archive {
    pub(crate) fn open(path: &Path) -> Result<Archive, ReadError> {
        let source = open(path, "an archive of arrays (.npz)")?;
        let (mut file, size) = (source.file, source.size);
        let io = |error| ReadError::from_io(path, Place::File, error);
        let magic = read_counted(&mut file, size.min(4)).map_err(io)?;
        if magic.len() < 4 || !matches!(&magic[..], b"PK\x03\x04" | b"PK\x05\x06") {
            let found = format!("a beginning of {}", excerpt(&magic));
            let expected = "the magic bytes 50 4b 03 04 of a zip archive";
            return Err(ReadError::malformed(path, Place::Byte(0), found, expected, REMEDY));
        }
        let tail_size = size.min(LONGEST_TAIL);
        file.seek(SeekFrom::Start(size - tail_size)).map_err(io)?;
        let tail = read_counted(&mut file, tail_size).map_err(io)?;
        let end =
            tail.windows(4).rposition(|w| w == b"PK\x05\x06").filter(|at| at + 22 <= tail.len());
        let Some(end) = end else {
            let found = "no end record";
            return Err(ReadError::damaged(path, Place::File, found, "a complete zip archive"));
        };
        let (mut length, mut start) = (u64_at(&tail, end + 12, 4), u64_at(&tail, end + 16, 4));
        if end >= 20 && &tail[end - 20..end - 16] == b"PK\x06\x07" {
            // The 64-bit end record, which the locator before the end record points to.
            let at = u64_at(&tail, end - 12, 8);
            file.seek(SeekFrom::Start(at)).map_err(io)?;
            let record = read_counted(&mut file, 56).map_err(io)?;
            if &record[..4] != b"PK\x06\x06" {
                let found = "no 64-bit end record";
                return Err(ReadError::damaged(path, Place::Byte(at), found, "one at this place"));
            }
            (length, start) = (u64_at(&record, 40, 8), u64_at(&record, 48, 8));
        }
        let fits = start.checked_add(length).is_some_and(|end| end <= size);
        if !fits || length > LONGEST_DIRECTORY {
            let found = format!("a list of members of {length} bytes at byte {start}");
            let expected = format!("one within the {size} bytes of the file");
            return Err(ReadError::too_large(path, Place::File, found, expected, REMEDY));
        }
        file.seek(SeekFrom::Start(start)).map_err(io)?;
        let directory = read_counted(&mut file, length).map_err(io)?;
        let members = list_members(path, &directory)?;
        let archive = Archive { path: path.to_owned(), size, file, members };
        archive.check_sizes()?;
        Ok(archive)
    }

    /// Refuses sizes that cannot be, and expansions that should not be.
    fn check_sizes(&self) -> Result<(), ReadError> {
        let mut total = 0u64;
        for member in &self.members {
            let most = if member.deflated {
                member.packed.saturating_mul(DEFLATE_RATIO).saturating_add(64)
            } else {
                member.packed
            };
            if member.packed > self.size || member.size > most {
                let found = format!("{} bytes, packed into {}", member.size, member.packed);
                let expected = format!("at most {} bytes", most.min(self.size * DEFLATE_RATIO));
                let remedy = "the archive is damaged or made to deceive; write it again";
                return Err(ReadError::too_large(
                    &self.path,
                    Place::entry(member.name.clone()),
                    found,
                    expected,
                    remedy,
                ));
            }
            total = total.saturating_add(member.size);
        }
        let limit = expansion_limit(self.size);
        if total > limit {
            let found = format!("{total} bytes when unpacked, in a file of {} bytes", self.size);
            let expected = format!("at most {limit} bytes");
            let remedy = "this may be a zip bomb; if it is not, save it uncompressed (numpy.savez)";
            return Err(ReadError::too_large(&self.path, Place::File, found, expected, remedy));
        }
        Ok(())
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.name == name)
    }

    /// Opens one member; reading past its size or with a wrong checksum is an error.
    pub(crate) fn read(&self, member: &Member) -> Result<MemberReader, ReadError> {
        let place = Place::entry(member.name.clone());
        let io = |error| ReadError::from_io(&self.path, place.clone(), error);
        let mut file = self.file.clone();
        file.seek(SeekFrom::Start(member.offset)).map_err(io)?;
        let local = read_counted(&mut file, 30).map_err(io)?;
        if &local[..4] != b"PK\x03\x04" {
            let expected = format!("a member at byte {}", member.offset);
            return Err(ReadError::damaged(&self.path, place, excerpt(&local[..4]), expected));
        }
        let skip = u64_at(&local, 26, 2) + u64_at(&local, 28, 2);
        file.seek(SeekFrom::Current(skip as i64)).map_err(io)?;
        let packed = BufReader::with_capacity(1 << 16, file).take(member.packed);
        let data = if member.deflated {
            Packing::Deflated(DeflateDecoder::new(packed))
        } else {
            Packing::Stored(packed)
        };
        Ok(MemberReader { data, left: member.size, crc: Crc::new(), expected: member.crc })
    }
}

fn list_members(path: &Path, directory: &[u8]) -> Result<Vec<Member>, ReadError> {
    let mut members: Vec<Member> = Vec::new();
    let mut rest = directory;
    while rest.starts_with(b"PK\x01\x02") && rest.len() >= 46 {
        let lengths = [28, 30, 32].map(|at| u64_at(rest, at, 2) as usize);
        let Some(record) = rest.get(..46 + lengths.iter().sum::<usize>()) else { break };
        let name = String::from_utf8_lossy(&record[46..46 + lengths[0]]).into_owned();
        let place = Place::entry(name.clone());
        if record[8] & 1 != 0 {
            let remedy = "unpack it and save it without a password";
            return Err(ReadError::unsupported(path, place, "an encrypted member", "none", remedy));
        }
        let method = u64_at(record, 10, 2);
        if method != 0 && method != 8 {
            let found = format!("compression method {method}");
            return Err(ReadError::unsupported(path, place, found, "stored or deflate", REMEDY));
        }
        let mut sizes = [(24, 4), (20, 4), (42, 4)].map(|(at, width)| u64_at(record, at, width));
        let extra = &record[46 + lengths[0]..46 + lengths[0] + lengths[1]];
        widen(extra, &mut sizes);
        members.push(Member {
            name,
            size: sizes[0],
            packed: sizes[1],
            deflated: method == 8,
            crc: u64_at(record, 16, 4) as u32,
            offset: sizes[2],
        });
        rest = &rest[record.len()..];
    }
    if members.is_empty() {
        let found = "no members";
        return Err(ReadError::malformed(path, Place::File, found, "at least one array", REMEDY));
    }
    if !rest.is_empty() {
        let found = format!("{} bytes that are no member", rest.len());
        return Err(ReadError::damaged(path, Place::File, found, "a list of members"));
    }
    Ok(members)
}

/// Replaces sizes that did not fit 32 bits by those of the 64-bit extra field, which holds only
/// these, in order.
fn widen(mut extra: &[u8], sizes: &mut [u64; 3]) {
    while extra.len() >= 4 {
        let (tag, length) = (u64_at(extra, 0, 2), u64_at(extra, 2, 2) as usize);
        let Some(body) = extra.get(4..4 + length) else { return };
        if tag == 1 {
            let mut wide = body.chunks_exact(8);
            for size in sizes.iter_mut().filter(|size| **size == u64::from(u32::MAX)) {
                if let Some(word) = wide.next() {
                    *size = u64_at(word, 0, 8);
                }
            }
        }
        extra = &extra[4 + length..];
    }
}

/// A little-endian number of `width` bytes at `at`; missing bytes count as zero.
fn u64_at(bytes: &[u8], at: usize, width: usize) -> u64 {
    let word = bytes.get(at..at + width).unwrap_or_default();
    word.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

enum Packing {
    Stored(Take<BufReader<InputFile>>),
    Deflated(DeflateDecoder<Take<BufReader<InputFile>>>),
}

/// The unpacked bytes of one member.
pub(crate) struct MemberReader {
    data: Packing,
    left: u64,
    crc: Crc,
    expected: u32,
}

impl Read for MemberReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let most = out.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        if most == 0 {
            return Ok(0);
        }
        let got = match &mut self.data {
            Packing::Stored(reader) => reader.read(&mut out[..most])?,
            Packing::Deflated(reader) => reader.read(&mut out[..most])?,
        };
        if got == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.crc.update(&out[..got]);
        self.left -= got as u64;
        if self.left == 0 && self.crc.sum() != self.expected {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "checksum does not match"));
        }
        Ok(got)
    }
}
