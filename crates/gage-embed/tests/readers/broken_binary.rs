//! Broken arrays, archives and MATLAB files.

use gage_embed::io::read_attributes;

use crate::broken::{
    Case, check_file, dataset, label_file, link_file, mat_file, npy_file, npz_file,
};
use crate::support::{Member, csr, f64s, i64s, mat, npy, zip};

fn binary_cases() -> Vec<Case> {
    let one = |value: f64| csr([2, 2], &[0, 1, 1], &[1], &[value]);
    let vector = |n: &str, data: &[u8]| npy("<i8", n, data);
    let archive = |shape: &[i64], pointers: Vec<u8>| {
        zip(&[
            Member::new("indices.npy", vector("(1,)", &i64s(&[0]))),
            Member::new("indptr.npy", pointers),
            Member::new("format.npy", npy("|S3", "()", b"csr")),
            Member::new("shape.npy", npy("<i8", "(2,)", &i64s(shape))),
            Member::new("data.npy", npy("<f8", "(1,)", &f64s(&[1.0]))),
        ])
    };
    let coo = |shape: [i64; 2], row: i64, col: i64| {
        zip(&[
            Member::new("row.npy", vector("(1,)", &i64s(&[row]))),
            Member::new("col.npy", vector("(1,)", &i64s(&[col]))),
            Member::new("format.npy", npy("|S3", "()", b"coo")),
            Member::new("shape.npy", npy("<i8", "(2,)", &i64s(&shape))),
            Member::new("data.npy", npy("<f8", "(1,)", &f64s(&[1.0]))),
        ])
    };
    let huge = 1_000_000_000_000_000;
    let small = vector("(3,)", &i64s(&[0, 1, 1]));
    let claim = |claim: u32| {
        zip(&[Member {
            claim: Some(claim),
            ..Member::new("x.npy", npy("<f8", "(2,)", &f64s(&[0.0; 2])))
        }])
    };
    // Random bytes do not shrink, so each member may claim a thousand times its size; together they
    // may not.
    let noise: Vec<u8> = (0u64..300_000)
        .map(|at| (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8 ^ ((at * at) >> 7) as u8)
        .collect();
    let member = || Member { claim: Some(180 << 20), ..Member::new("x.npy", noise.clone()) };
    let bomb = zip(&[(); 10].map(|()| member()));
    vec![
        ("NaN", "x.npz", one(f64::NAN), npz_file, &["NaN", "row 0, column 1", "finite"]),
        ("inf", "x.npz", one(f64::INFINITY), npz_file, &["inf"]),
        (
            "negative index",
            "x.npz",
            csr([2, 2], &[0, 1, 1], &[-1], &[1.0]),
            npz_file,
            &["-1", "element 0"],
        ),
        (
            "1-based",
            "x.npz",
            csr([2, 2], &[0, 1, 1], &[2], &[1.0]),
            npz_file,
            &["counting from 1", "subtract 1"],
        ),
        (
            "index out of range",
            "x.npz",
            csr([2, 2], &[0, 1, 1], &[9], &[1.0]),
            npz_file,
            &["9", "below 2"],
        ),
        ("row out of range", "x.npz", coo([2, 2], 7, 0), npz_file, &["row.npy", "7"]),
        (
            "falling pointers",
            "x.npz",
            csr([2, 2], &[0, 1, 0], &[1], &[1.0]),
            npz_file,
            &["pointers"],
        ),
        (
            "pointer beyond",
            "x.npz",
            csr([2, 2], &[0, 5, 1], &[1], &[1.0]),
            npz_file,
            &["indptr.npy", "5"],
        ),
        (
            "pointer count",
            "x.npz",
            csr([3, 2], &[0, 1, 1], &[1], &[1.0]),
            npz_file,
            &["3 pointers", "4"],
        ),
        (
            "lengths",
            "x.npz",
            csr([2, 2], &[0, 1, 1], &[1, 0], &[1.0]),
            npz_file,
            &["indices.npy", "data.npy"],
        ),
        (
            "1e15 rows",
            "x.npz",
            archive(&[huge, huge], small.clone()),
            npz_file,
            &["1000000000000000 rows"],
        ),
        (
            "1e15 rows, consistent",
            "x.npz",
            archive(&[huge, 2], vector("(1000000000000001,)", &[0; 64])),
            npz_file,
            &["1000000000000000 rows"],
        ),
        (
            "1e15 pointers",
            "x.npz",
            archive(&[2, 2], vector("(1000000000000001,)", &[0; 64])),
            npz_file,
            &["indptr.npy", "bytes"],
        ),
        (
            "4e9 rows, one entry",
            "x.npz",
            coo([4_000_000_000, 2], 0, 0),
            npz_file,
            &["4000000000 rows"],
        ),
        (
            "4e9 columns, one entry",
            "x.npz",
            coo([2, 4_000_000_000], 0, 0),
            npz_file,
            &["4000000000 columns"],
        ),
        ("negative shape", "x.npz", coo([-2, 2], 0, 0), npz_file, &["-2"]),
        (
            "float indices",
            "x.npz",
            zip(&[
                Member::new("indices.npy", npy("<f8", "(1,)", &f64s(&[0.5]))),
                Member::new("indptr.npy", small.clone()),
                Member::new("format.npy", npy("|S3", "()", b"csr")),
                Member::new("shape.npy", npy("<i8", "(2,)", &i64s(&[2, 2]))),
                Member::new("data.npy", npy("<f8", "(1,)", &f64s(&[1.0]))),
            ]),
            npz_file,
            &["indices.npy", "whole numbers"],
        ),
        (
            "other format",
            "x.npz",
            zip(&[
                Member::new("format.npy", npy("|S3", "()", b"bsr")),
                Member::new("shape.npy", npy("<i8", "(2,)", &i64s(&[2, 2]))),
                Member::new("data.npy", npy("<f8", "(1,)", &f64s(&[1.0]))),
            ]),
            npz_file,
            &["bsr", "tocsr"],
        ),
        (
            "a member is missing",
            "x.npz",
            zip(&[Member::new("format.npy", npy("|S3", "()", b"csr"))]),
            npz_file,
            &["shape.npy"],
        ),
        (
            "several arrays",
            "x.npz",
            zip(&[
                Member::new("a.npy", npy("<f8", "(1,)", &f64s(&[1.0]))),
                Member::new("b.npy", npy("<f8", "(1,)", &f64s(&[1.0]))),
            ]),
            npz_file,
            &["a.npy, b.npy"],
        ),
        ("a claim of 4 GB", "x.npz", claim(u32::MAX - 1), npz_file, &["x.npy", "4294967294 bytes"]),
        ("a claim too small", "x.npz", claim(100), npz_file, &[]),
        ("zip bomb", "x.npz", bomb, npz_file, &["zip bomb"]),
        (
            "1e15 rows",
            "x.npy",
            npy("<f8", "(1000000000000000, 4)", &f64s(&[1.0])),
            npy_file,
            &["1000000000000000"],
        ),
        ("2^64 numbers", "x.npy", npy("<f8", "(4294967296, 4294967296)", &[]), npy_file, &["2^64"]),
        ("too short", "x.npy", npy("<f8", "(3,)", &f64s(&[1.0])), npy_file, &["truncated"]),
        (
            "too long",
            "x.npy",
            npy("<f8", "(1,)", &f64s(&[1.0, 2.0])),
            npy_file,
            &["header is wrong"],
        ),
        (
            "bad header",
            "x.npy",
            b"\x93NUMPY\x01\x00\x05\x00{'a':".to_vec(),
            npy_file,
            &["dictionary"],
        ),
        ("version", "x.npy", b"\x93NUMPY\x09\x00\x05\x00{'a':".to_vec(), npy_file, &["version 9"]),
        (
            "long header",
            "x.npy",
            b"\x93NUMPY\x02\x00\xff\xff\xff\xff{".to_vec(),
            npy_file,
            &["4294967295 bytes"],
        ),
        ("bad text", "x.npy", npy("|S2", "(1,)", b"\xc3\x28"), npy_file, &["element 0"]),
        (
            "infinite attribute",
            "x.npy",
            npy("<f8", "(1, 2)", &f64s(&[1.0, f64::INFINITY])),
            |path| read_attributes(path).map(drop),
            &["inf", "row 0, column 1"],
        ),
        (
            "half a label",
            "x.npy",
            npy("<f8", "(2,)", &f64s(&[1.0, 0.5])),
            label_file,
            &["0.5", "row 1"],
        ),
        (
            "negative node",
            "x.npy",
            npy("<i8", "(3, 2)", &i64s(&[0, 1, 1, -2, 0, 1])),
            link_file,
            &["link 1", "-2"],
        ),
        (
            "HDF5",
            "x.mat",
            {
                let mut m = mat(false);
                m[124..126].copy_from_slice(&[0, 2]);
                m
            },
            mat_file,
            &["7.3", "-v7"],
        ),
        (
            "byte order",
            "x.mat",
            {
                let mut m = mat(false);
                m[126] = b'?';
                m
            },
            mat_file,
            &["MATLAB v5"],
        ),
        (
            "huge variable",
            "x.mat",
            {
                let mut m = mat(false);
                m[132..136].fill(0xff);
                m
            },
            mat_file,
            &["4294967295"],
        ),
        (
            "no such variable",
            "x.mat",
            {
                let mut m = mat(false);
                let at = m.windows(7).position(|w| w == b"network").expect("name");
                m[at] = b'X';
                m
            },
            dataset,
            &["`network`", "Xetwork"],
        ),
        (
            "row outside",
            "x.mat",
            {
                let mut m = mat(false);
                let at = m.windows(7).position(|w| w == b"network").expect("name");
                m[at + 16] = 9;
                m
            },
            mat_file,
            &["network", "row"],
        ),
        (
            "NaN in mat",
            "x.mat",
            {
                let mut m = mat(false);
                let at = m.windows(8).position(|w| w == 1f64.to_le_bytes()).expect("value");
                m[at..at + 8].fill(0xff);
                m
            },
            mat_file,
            &["NaN"],
        ),
    ]
}

#[test]
fn broken_binary_files() {
    for (case, name, content, reader, says) in binary_cases() {
        check_file(case, name, &content, reader, says);
    }
}
