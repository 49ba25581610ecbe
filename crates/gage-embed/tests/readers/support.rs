//! What several tests need: Python, temporary files, and archives.

use std::io::Write;
use std::path::{Path, PathBuf};

use gage_testing::Python;
use tempfile::TempDir;

/// Runs a script of Python with such modules in a new folder; returns the folder.
pub fn python(modules: &str, script: &str) -> Option<TempDir> {
    let python = Python::with(modules)?;
    let folder = TempDir::new().expect("temporary folder");
    python.run(folder.path(), &["-c", script]);
    Some(folder)
}

/// A file with this content in a new folder.
pub fn file(name: &str, content: impl AsRef<[u8]>) -> (TempDir, PathBuf) {
    let folder = TempDir::new().expect("temporary folder");
    let path = write(folder.path(), name, content);
    (folder, path)
}

pub fn write(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, content).expect("file is written");
    path
}

pub fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(content).expect("compresses");
    encoder.finish().expect("compresses")
}

/// An `.npy` file: type, shape as Python writes it, and raw data.
pub fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend(data);
    bytes
}

pub fn i64s(values: &[i64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

pub fn f64s(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// A member of a zip archive.
pub struct Member<'a> {
    pub name: &'a str,
    pub data: Vec<u8>,
    pub deflated: bool,
    /// what the directory says about the unpacked size, if not the truth
    pub claim: Option<u32>,
}

impl<'a> Member<'a> {
    pub fn new(name: &'a str, data: Vec<u8>) -> Member<'a> {
        Member { name, data, deflated: true, claim: None }
    }
}

pub fn zip(members: &[Member<'_>]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for member in members {
        let mut crc = flate2::Crc::new();
        crc.update(&member.data);
        let packed = if member.deflated {
            let level = flate2::Compression::default();
            let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), level);
            encoder.write_all(&member.data).expect("compresses");
            encoder.finish().expect("compresses")
        } else {
            member.data.clone()
        };
        let offset = bytes.len() as u32;
        let mut common = Vec::new();
        common.extend(20u16.to_le_bytes());
        common.extend(0u16.to_le_bytes());
        common.extend((if member.deflated { 8u16 } else { 0 }).to_le_bytes());
        common.extend([0; 4]);
        common.extend(crc.sum().to_le_bytes());
        common.extend((packed.len() as u32).to_le_bytes());
        common.extend(member.claim.unwrap_or(member.data.len() as u32).to_le_bytes());
        common.extend((member.name.len() as u16).to_le_bytes());
        common.extend(0u16.to_le_bytes());
        bytes.extend(b"PK\x03\x04");
        bytes.extend(&common);
        bytes.extend(member.name.bytes());
        bytes.extend(packed);
        directory.extend(b"PK\x01\x02");
        directory.extend(20u16.to_le_bytes());
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(member.name.bytes());
    }
    let start = bytes.len() as u32;
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06");
    bytes.extend([0; 4]);
    bytes.extend((members.len() as u16).to_le_bytes());
    bytes.extend((members.len() as u16).to_le_bytes());
    bytes.extend((directory.len() as u32).to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend(0u16.to_le_bytes());
    bytes
}

/// A scipy csr archive with these arrays.
pub fn csr(shape: [i64; 2], pointers: &[i64], indices: &[i64], values: &[f64]) -> Vec<u8> {
    let vector = |length: usize| format!("({length},)");
    zip(&[
        Member::new("indices.npy", npy("<i8", &vector(indices.len()), &i64s(indices))),
        Member::new("indptr.npy", npy("<i8", &vector(pointers.len()), &i64s(pointers))),
        Member::new("format.npy", npy("|S3", "()", b"csr")),
        Member::new("shape.npy", npy("<i8", "(2,)", &i64s(&shape))),
        Member::new("data.npy", npy("<f8", &vector(values.len()), &f64s(values))),
    ])
}

/// A MATLAB v5 file with one sparse variable `network` (two nodes, one link 0 → 1) and one dense
/// `feature` (2 by 2).
pub fn mat(compressed: bool) -> Vec<u8> {
    fn element(kind: u32, data: &[u8]) -> Vec<u8> {
        let mut bytes = kind.to_le_bytes().to_vec();
        bytes.extend((data.len() as u32).to_le_bytes());
        bytes.extend(data);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        bytes
    }
    let i32s = |values: &[i32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let variable = |class: u8, name: &str, rest: Vec<Vec<u8>>| {
        let mut body = element(6, &[class, 0, 0, 0, 1, 0, 0, 0]);
        body.extend(element(5, &i32s(&[2, 2])));
        body.extend(element(1, name.as_bytes()));
        rest.iter().for_each(|part| body.extend(part));
        element(14, &body)
    };
    let network = variable(
        5,
        "network",
        vec![element(5, &i32s(&[0])), element(5, &i32s(&[0, 0, 1])), element(9, &f64s(&[1.0]))],
    );
    let feature = variable(6, "feature", vec![element(2, &[1, 0, 3, 4])]);
    let mut bytes = format!("{:<124}", "MATLAB 5.0 MAT-file").into_bytes();
    bytes.extend([0, 1, b'I', b'M']);
    for variable in [network, feature] {
        if !compressed {
            bytes.extend(variable);
            continue;
        }
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), Default::default());
        encoder.write_all(&variable).expect("compresses");
        let packed = encoder.finish().expect("compresses");
        bytes.extend(15u32.to_le_bytes());
        bytes.extend((packed.len() as u32).to_le_bytes());
        bytes.extend(packed);
    }
    bytes
}
