//! Deterministic damage: what a fuzzer does to a file, without one.

use std::io::Write;

use crate::support::gzip;

pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    pub fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

const ANY: [&[u8]; 9] =
    [b"\"", b"\n", b",", b"-1", b"nan", b"\xff", b"\0\0\0\0", b"(", b"\xef\xbb\xbf"];
const TEXT: [&[u8]; 20] = [
    b"\r\n",
    b"\t",
    b";",
    b"|",
    b" ",
    b"#",
    b"%",
    b"\"\"",
    b"inf",
    b"-0",
    b"1e999",
    b"1e-400",
    b"NA",
    b"id",
    b"label",
    b"source",
    b"target",
    b"weight",
    b"0x1",
    b"\xe2\x80\xa8",
];
const NPY: [&[u8]; 16] = [
    b"'shape': ",
    b"'descr': ",
    b"'fortran_order': True",
    b"False",
    b"(2,)",
    b"()",
    b"(0, 3)",
    b"<f8",
    b">i4",
    b"|b1",
    b"<U0",
    b"|S3",
    b"<f2",
    b"<u8",
    b"|O",
    b"\x93NUMPY\x02\x00",
];
const NPZ: [&[u8]; 10] = [
    b"PK\x01\x02",
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"PK\x06\x06",
    b"PK\x06\x07",
    b"\x01\x00\x10\x00",
    b"csr",
    b"csc",
    b"coo",
    b".npy",
];
const MAT: [&[u8]; 8] = [
    b"\x0e\x00\x00\x00",
    b"\x0f\x00\x00\x00",
    b"\x06\x00\x00\x00\x08\x00\x00\x00",
    b"\x01\x00\x04\x00",
    b"\x05\x00\x00\x00",
    b"\x09\x00\x00\x00",
    b"network",
    b"feature",
];
const MTX: [&[u8]; 9] = [
    b"%%MatrixMarket matrix ",
    b"coordinate ",
    b"array ",
    b"pattern ",
    b"symmetric\n",
    b"skew-symmetric\n",
    b"hermitian\n",
    b"complex ",
    b"integer ",
];
const MODEL: [&[u8]; 14] = [
    b"[0,0]",
    b"[0]",
    b"[]",
    b"null",
    b"{}",
    b"\"F32\"",
    b"\"F64\"",
    b"\"U8\"",
    b"\\\"",
    b"1e400",
    b"-1",
    b"true",
    b"\\\"blind_nodes\\\":[0,0]",
    b"\\\"out\\\"",
];
const GRAPH: [&[u8]; 20] = [
    b"<node id=\"a\"/>",
    b"<edge source=\"a\" target=\"b\"/>",
    b"<attvalue for=\"0\" value=\"1\"/>",
    b"<data key=\"d0\">1</data>",
    b"&amp;",
    b"&#0;",
    b"<![CDATA[",
    b"node [ id 1 ]",
    b"edge [ source 0 target 1 ]",
    b"label \"x\"",
    b"[",
    b"]",
    b"{",
    b"}",
    b"null",
    b"{\"id\":0},",
    b"{\"source\":0,\"target\":1},",
    b"\n*Vertices ",
    b"\n*Edges\n",
    b"\n1 2 0.5\n",
];
const NUMBERS: [&[u8]; 14] = [
    b"0",
    b"1",
    b"2",
    b"-1",
    b"255",
    b"65536",
    b"2147483647",
    b"4294967295",
    b"4294967296",
    b"9223372036854775807",
    b"18446744073709551615",
    b"99999999999999999999",
    b"1e308",
    b"0.5",
];
const INTERESTING: [u64; 12] = [
    0,
    1,
    2,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0xffff_ffff,
    i64::MAX as u64,
    u64::MAX,
];

fn dictionary(target: &str) -> &'static [&'static [u8]] {
    match target {
        "npy" => &NPY,
        "npz" => &NPZ,
        "mat" => &MAT,
        "mtx" => &MTX,
        "model" => &MODEL,
        "graphml" | "gexf" | "gml" | "pajek" | "node_link" => &GRAPH,
        _ => &TEXT,
    }
}

/// Damages a file of a format in one to four places; `other` is another file of it.
pub fn damage(target: &str, bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        match random.below(12) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
            1 if !bytes.is_empty() => bytes[at] = random.next() as u8,
            2 if random.below(3) == 0 => bytes.truncate(at),
            3 => {
                let piece = piece(bytes, 64, random);
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, piece);
            }
            4 => {
                let end = (at + random.below(16)).min(bytes.len());
                bytes.drain(at..end);
            }
            5 => {
                let piece = piece(other, 200, random);
                let end = (at + random.below(200)).min(bytes.len());
                bytes.splice(at..end, piece);
            }
            6 | 7 => integer(bytes, random),
            8 | 9 => number(bytes, random),
            _ => {
                let tokens = if random.below(3) == 0 { &ANY[..] } else { dictionary(target) };
                let token = random.pick(tokens);
                let replaced = if random.below(2) == 0 { 0 } else { token.len() };
                let end = (at + replaced).min(bytes.len());
                bytes.splice(at..end, token.iter().copied());
            }
        }
    }
}

fn piece(bytes: &[u8], longest: usize, random: &mut Random) -> Vec<u8> {
    let at = random.below(bytes.len());
    bytes[at..(at + random.below(longest)).min(bytes.len())].to_vec()
}

/// Puts a number that breaks things at an aligned place.
fn integer(bytes: &mut [u8], random: &mut Random) {
    let width = 1 << random.below(4);
    let at = random.below(bytes.len()) / width * width;
    let value = INTERESTING[random.below(INTERESTING.len())];
    let little = value.to_le_bytes();
    let mut word = little[..width].to_vec();
    if random.below(4) == 0 {
        word.reverse();
    }
    bytes[at..].iter_mut().zip(word).for_each(|(byte, new)| *byte = new);
}

/// Replaces a number written in digits.
fn number(bytes: &mut Vec<u8>, random: &mut Random) {
    let from = random.below(bytes.len());
    let Some(start) = bytes[from..].iter().position(u8::is_ascii_digit) else { return };
    let start = from + start;
    let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let new = random.pick(&NUMBERS);
    bytes.splice(start..start + length, new.iter().copied());
}

/// Makes checksums, lengths and compression right again, most of the time, so that damage gets past
/// them.
pub fn seal(target: &str, bytes: &mut Vec<u8>, random: &mut Random) {
    match (target, random.below(8)) {
        (_, 0) | ("npy", _) => {}
        ("npz", _) => seal_zip(bytes),
        ("model", _) => seal_header(bytes),
        ("mat", 1..4) => seal_mat(bytes),
        ("mat", _) => {}
        (_, 1) => *bytes = gzip(bytes),
        _ => {}
    }
}

fn word(bytes: &[u8], at: usize, width: usize) -> Option<usize> {
    let word = bytes.get(at..at.checked_add(width)?)?;
    Some(word.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte)))
}

/// Right checksums for the stored members of an archive.
fn seal_zip(bytes: &mut [u8]) {
    let mut at = 0;
    while let Some(next) = bytes[at..].windows(4).position(|w| w == b"PK\x01\x02") {
        at += next;
        let checksum = || {
            let (size, offset) = (word(bytes, at + 20, 4)?, word(bytes, at + 42, 4)?);
            let skip = 30 + word(bytes, offset + 26, 2)? + word(bytes, offset + 28, 2)?;
            let mut crc = flate2::Crc::new();
            crc.update(bytes.get(offset + skip..offset + skip + size)?);
            (word(bytes, at + 10, 2)? == 0).then(|| crc.sum())
        };
        if let Some(crc) = checksum() {
            bytes[at + 16..at + 20].copy_from_slice(&crc.to_le_bytes());
        }
        at += 4;
    }
}

/// The right length for the JSON header of a model.
fn seal_header(bytes: &mut [u8]) {
    let (mut depth, mut quoted, mut escaped) = (0, false, false);
    let Some(json) = bytes.get(8..) else { return };
    let end = json.iter().position(|&byte| {
        match byte {
            _ if std::mem::take(&mut escaped) => {}
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' if !quoted => depth += 1,
            b'}' if !quoted => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    let Some(end) = end else { return };
    let blanks = json[end + 1..].iter().take_while(|&&byte| byte == b' ').count();
    let length = (end + 1 + blanks) as u64;
    bytes[..8].copy_from_slice(&length.to_le_bytes());
}

/// Packs what follows the header of a `.mat` file as one compressed element.
fn seal_mat(bytes: &mut Vec<u8>) {
    if bytes.len() < 128 {
        return;
    }
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), Default::default());
    encoder.write_all(&bytes[128..]).expect("compresses");
    let packed = encoder.finish().expect("compresses");
    bytes.truncate(128);
    bytes.extend(15u32.to_le_bytes());
    bytes.extend((packed.len() as u32).to_le_bytes());
    bytes.extend(packed);
}
