//! Every way a file can be wrong that we thought of: an error that names the file and says what to do.

use std::fs::File;
use std::path::{Path, PathBuf};

use gage_embed::io::{
    DatasetSpec, ReadError, load, read_attribute_table, read_attributes, read_content,
    read_edge_list, read_labels, read_links, read_mat, read_mtx, read_nodes, read_npy, read_npz,
};
use tempfile::TempDir;

use crate::allocation::largest_request;
use crate::support::{Member, csr, f64s, file, gzip, i64s, mat, npy, write, zip};

/// No broken file may make a reader ask for more than this at once.
const MOST_MEMORY: usize = 200 << 20;

type Reader = fn(&Path) -> Result<(), ReadError>;

fn npy_file(path: &Path) -> Result<(), ReadError> {
    read_npy(path).map(drop)
}
fn npz_file(path: &Path) -> Result<(), ReadError> {
    read_npz(path).map(drop)
}
fn mat_file(path: &Path) -> Result<(), ReadError> {
    read_mat(path, &["network", "feature"]).map(drop)
}
fn mtx_file(path: &Path) -> Result<(), ReadError> {
    read_mtx(path).map(drop)
}
fn edge_file(path: &Path) -> Result<(), ReadError> {
    read_edge_list(path, true).map(drop)
}
fn table_file(path: &Path) -> Result<(), ReadError> {
    read_attribute_table(path).map(drop)
}
fn label_file(path: &Path) -> Result<(), ReadError> {
    read_labels(path).map(drop)
}
fn node_file(path: &Path) -> Result<(), ReadError> {
    read_nodes(path).map(drop)
}
fn content_file(path: &Path) -> Result<(), ReadError> {
    read_content(path).map(drop)
}
fn link_file(path: &Path) -> Result<(), ReadError> {
    read_links(path).map(drop)
}
fn dataset(path: &Path) -> Result<(), ReadError> {
    load(&DatasetSpec::at(path)).map(drop)
}

/// Checks the form all messages share, and that this one says what it should.
fn check(case: &str, path: &Path, result: Result<(), ReadError>, says: &[&str]) {
    let message = match result {
        Ok(()) => panic!("{case}: no error"),
        Err(error) => error.to_string(),
    };
    let name = path.file_name().expect("a name").to_string_lossy();
    assert!(message.contains(&*name), "{case}: which file? {message}");
    for word in ["found", "expected", "; "] {
        assert!(message.contains(word), "{case}: no `{word}` in: {message}");
    }
    for word in says {
        assert!(message.contains(word), "{case}: no `{word}` in: {message}");
    }
    assert!(message.len() < 1500, "{case}: a short message, not {}", message.len());
}

fn check_file(case: &str, name: &str, content: &[u8], reader: Reader, says: &[&str]) {
    let (_folder, path) = file(name, content);
    let (result, memory) = largest_request(|| reader(&path));
    assert!(memory < MOST_MEMORY, "{case}: asked for {memory} bytes");
    check(case, &path, result, says);
}

const READERS: [(&str, Reader); 11] = [
    ("x.npy", npy_file),
    ("x.npz", npz_file),
    ("x.mat", mat_file),
    ("x.mtx", mtx_file),
    ("x.csv", edge_file),
    ("x.tsv", table_file),
    ("x.txt", label_file),
    ("nodes.txt", node_file),
    ("x.content", content_file),
    ("x.csv.gz", edge_file),
    ("x.csv.zst", table_file),
];

#[test]
fn missing_folder_empty_and_wrong_magic() {
    for (name, reader) in READERS {
        let folder = TempDir::new().expect("temporary folder");
        let path = folder.path().join(name);
        check("missing", &path, reader(&path), &["no such file", "check the path"]);
        std::fs::create_dir(&path).expect("folder");
        check("folder", &path, reader(&path), &["a folder"]);
        check_file("empty", name, b"", reader, &["nothing in it"]);
        let binary: &[u8] = if name.contains(".gz") || name.contains(".zst") {
            b"plain text, not packed"
        } else {
            b"\xff\xfe\x00\x01\x02garbage\xc3\x28 and so on"
        };
        check_file("magic", name, binary, reader, &[]);
    }
    let zero = Path::new("/dev/zero");
    if zero.exists() {
        check("device", zero, edge_file(zero), &["a device"]);
    }
    for (name, content) in [("x.csv", &b"# only a comment\n\n"[..]), ("x.csv", b"source,target\n")]
    {
        check_file("no links", name, content, edge_file, &[]);
    }
    let (_folder, path) = file("x.xyz", "1 2\n");
    check("format", &path, read_attributes(&path).map(drop), &["extension", "convert"]);
}

type Case = (&'static str, &'static str, Vec<u8>, Reader, &'static [&'static str]);

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
    // Random bytes do not shrink, so each member may claim a thousand times its size; together they may not.
    let noise: Vec<u8> = (0u64..300_000)
        .map(|at| (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8 ^ (at * at >> 7) as u8)
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

const MTX: &str = "%%MatrixMarket matrix coordinate real general\n";

#[test]
fn broken_text_files() {
    let mtx = |rest: &str| format!("{MTX}{rest}").into_bytes();
    let text = |text: &str| text.as_bytes().to_vec();
    let cases: Vec<Case> = vec![
        (
            "not utf-8",
            "x.csv",
            b"a,b\nc,\xff\xfe\n".to_vec(),
            edge_file,
            &["line 2", "UTF-8", "iconv"],
        ),
        (
            "not utf-8, late",
            "x.csv",
            {
                let mut t = "a,b\n".repeat(300_000).into_bytes();
                t.extend(b"\xff,b\n");
                t
            },
            edge_file,
            &["line 300001", "UTF-8"],
        ),
        (
            "not utf-8 among numbers",
            "x.csv",
            {
                let mut t = "1,2\n".repeat(300_000).into_bytes();
                t.extend(b"\xff,b\n");
                t
            },
            edge_file,
            &["line 300001", "UTF-8"],
        ),
        ("not utf-8", "x.tsv", b"id\tx\na\t\xff\n".to_vec(), table_file, &["line 2", "UTF-8"]),
        ("UTF-16", "x.csv", b"\xff\xfea\0,\0b\0\n\0".to_vec(), edge_file, &["UTF-16"]),
        (
            "a zip as text",
            "x.csv",
            csr([2, 2], &[0, 1, 1], &[1], &[1.0]),
            edge_file,
            &["zip archive"],
        ),
        ("one column", "x.csv", text("a\nb\n"), edge_file, &["one column", "separate"]),
        ("short line", "x.csv", text("a,b\nb,c\nc\nd,a\n"), edge_file, &["line 3", "`c`"]),
        (
            "no weight",
            "x.csv",
            text("a,b,1\nb,c,2\nb,c\n\nd,a,1\n"),
            edge_file,
            &["line 3", "weight"],
        ),
        ("empty id", "x.csv", text("a,b\n,c\nd,a\n"), edge_file, &["line 2"]),
        (
            "weight",
            "x.csv",
            text("source,target,weight\na,b,1\nb,c,heavy\n"),
            edge_file,
            &["line 3", "`heavy`"],
        ),
        ("NaN weight", "x.csv", text("a,b,1\nb,c,nan\n"), edge_file, &["line 2", "NaN", "finite"]),
        ("infinite weight", "x.csv", text("a b 1\nb c inf\n"), edge_file, &["line 2", "inf"]),
        ("overflowing weight", "x.csv", text("a b 1\nb c 1e999\n"), edge_file, &["line 2", "inf"]),
        ("open quote", "x.csv", text("a,b\nc,d\n\"e,f\n"), edge_file, &["line 3", "quote"]),
        (
            "open quote",
            "x.tsv",
            text("id\tx\na\t1\nb\t\"2\nc\t3\n"),
            table_file,
            &["line 3", "quote"],
        ),
        (
            "duplicate id",
            "x.tsv",
            text("id\tx\na\t1\nb\t2\n\na\t3\n"),
            table_file,
            &["line 5", "`a`", "line 2"],
        ),
        ("ragged", "x.tsv", text("id\tx\na\t1\nb\t2\t3\n"), table_file, &["line 3", "3 cells"]),
        ("empty id", "x.tsv", text("id\tx\na\t1\n\t2\n"), table_file, &["line 3", "an id"]),
        (
            "infinite",
            "x.tsv",
            text("id\tx\na\t1\nb\t-inf\n"),
            table_file,
            &["line 3", "column x", "-inf"],
        ),
        (
            "nothing but ids",
            "x.tsv",
            text("id\tx\na\t1\nb\t1\n"),
            table_file,
            &["no usable column"],
        ),
        ("duplicate name", "nodes.txt", text("a\nb\na\n"), node_file, &["line 3", "`a`", "line 1"]),
        ("empty name", "nodes.txt", text("a\n\nb\n"), node_file, &["line 2"]),
        ("not utf-8", "nodes.txt", b"a\n\xe9t\xe9\n".to_vec(), node_file, &["line 2", "UTF-8"]),
        ("short label line", "x.csv", text("id,label\na,1\nb\n"), label_file, &["line 3"]),
        (
            "content: width",
            "x.content",
            text("a 0 1 x\nb 0 x\n"),
            content_file,
            &["line 2", "1 values"],
        ),
        (
            "content: value",
            "x.content",
            text("a 0 1 x\nb 0 y x\n"),
            content_file,
            &["line 2", "`y`"],
        ),
        (
            "content: NaN",
            "x.content",
            text("a 0 1 x\nb 0 NaN x\n"),
            content_file,
            &["line 2", "NaN"],
        ),
        (
            "content: duplicate",
            "x.content",
            text("a 0 x\na 1 x\n"),
            content_file,
            &["line 2", "line 1"],
        ),
        ("mtx: banner", "x.mtx", text("1 1 1\n1 1 1\n"), mtx_file, &["line 1", "MatrixMarket"]),
        (
            "mtx: complex",
            "x.mtx",
            text("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n"),
            mtx_file,
            &["complex"],
        ),
        (
            "mtx: hermitian",
            "x.mtx",
            text("%%MatrixMarket matrix coordinate real hermitian\n1 1 1\n1 1 1\n"),
            mtx_file,
            &["hermitian"],
        ),
        ("mtx: sizes", "x.mtx", mtx("2 2\n"), mtx_file, &["line 2", "3 sizes"]),
        (
            "mtx: 0-based",
            "x.mtx",
            mtx("2 2 1\n0 1 1\n"),
            mtx_file,
            &["line 3", "counts from 1", "add 1"],
        ),
        ("mtx: out of range", "x.mtx", mtx("2 2 1\n3 1 1\n"), mtx_file, &["line 3", "from 1 to 2"]),
        ("mtx: negative", "x.mtx", mtx("2 2 1\n-1 1 1\n"), mtx_file, &["line 3", "`-1`"]),
        (
            "mtx: fraction",
            "x.mtx",
            mtx("2 2 1\n1.5 1 1\n"),
            mtx_file,
            &["line 3", "`1.5`", "whole"],
        ),
        ("mtx: NaN", "x.mtx", mtx("2 2 1\n1 1 nan\n"), mtx_file, &["line 3", "NaN"]),
        (
            "mtx: truncated",
            "x.mtx",
            mtx("2 2 2\n1 1 1\n"),
            mtx_file,
            &["after 1 entries", "truncated"],
        ),
        ("mtx: too many", "x.mtx", mtx("2 2 1\n1 1 1\n2 2 1\n"), mtx_file, &["line 4", "the end"]),
        (
            "mtx: 1e15 rows",
            "x.mtx",
            mtx("1000000000000000 2 1\n1 1 1\n"),
            mtx_file,
            &["1000000000000000 rows"],
        ),
        (
            "mtx: 1e15 entries",
            "x.mtx",
            mtx("4000000000 4000000000 1000000000000000\n1 1 1\n"),
            mtx_file,
            &["1000000000000000 entries"],
        ),
        (
            "mtx: huge array",
            "x.mtx",
            text("%%MatrixMarket matrix array real general\n16000000 16000000\n1\n"),
            mtx_file,
            &["truncated"],
        ),
        (
            "mtx: not square",
            "x.mtx",
            text("%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 1 1\n"),
            mtx_file,
            &["square"],
        ),
    ];
    for (case, name, content, reader, says) in cases {
        check_file(case, name, &content, reader, says);
    }
}

/// A file of 3 GB without a line end, which takes no room on the disk; and a packed one.
#[test]
fn one_endless_line() {
    for (name, reader) in READERS.into_iter().filter(|(name, _)| !name.contains(".csv.")) {
        let folder = TempDir::new().expect("temporary folder");
        let path = folder.path().join(name);
        File::create(&path).and_then(|file| file.set_len(3 << 30)).expect("sparse file");
        let (result, memory) = largest_request(|| reader(&path));
        assert!(memory < MOST_MEMORY, "{name}: asked for {memory} bytes");
        check(name, &path, result, &[]);
    }
    let line = vec![b'a'; 40 << 20];
    check_file("packed", "x.csv.gz", &gzip(&line), edge_file, &["line 1", "more than"]);
    let mut late = b"a,b\nb,c\n".repeat(1 << 17);
    late.extend(&line);
    check_file("packed, late", "x.csv.gz", &gzip(&late), edge_file, &["line 262145", "more than"]);
    check_file("plain, late", "x.csv", &late, edge_file, &["line 262145", "more than"]);
}

/// 120 packed pieces of 16 MiB each: 2 GB from a small file.
#[test]
fn a_gzip_bomb() {
    let line = [vec![b'#'; (1 << 20) - 1], vec![b'\n']].concat().repeat(16);
    let bomb = gzip(&line).repeat(120);
    check_file("bomb", "x.csv.gz", &bomb, edge_file, &["bomb", "decompress it first"]);
}

/// Cut short anywhere, packed or counted files are errors; of a plain `.mat` file whole variables may be left.
#[test]
fn truncated_anywhere() {
    let edges: String = (0..500).map(|at| format!("n{at},n{}\n", at * 7 % 500)).collect();
    let zst = ruzstd::encoding::compress_to_vec(
        edges.as_bytes(),
        ruzstd::encoding::CompressionLevel::Fastest,
    );
    let whole: Vec<(&str, Vec<u8>, Reader)> = vec![
        ("x.npz", csr([2, 2], &[0, 1, 1], &[1], &[1.0]), npz_file),
        ("x.npy", npy("<f8", "(3, 2)", &f64s(&[1.0; 6])), npy_file),
        ("x.mat", mat(true), mat_file),
        ("x.mat", mat(false), mat_file),
        ("x.csv.gz", gzip(edges.as_bytes()), edge_file),
        ("x.csv.zst", zst, edge_file),
        ("x.mtx.gz", gzip(format!("{MTX}2 2 1\n1 1 1\n").as_bytes()), mtx_file),
    ];
    for (name, bytes, reader) in whole {
        let (_folder, path) = file(name, &bytes);
        reader(&path).unwrap_or_else(|error| panic!("{error}"));
        let step = (bytes.len() / 150).max(1);
        for cut in (1..bytes.len()).step_by(step) {
            let path = write(path.parent().expect("folder"), name, &bytes[..cut]);
            match reader(&path) {
                Err(error) => check("cut", &path, Err(error), &[]),
                Ok(()) if name == "x.mat" => {
                    let left = read_mat(&path, &["network", "feature"]).expect("reads");
                    assert!(left.names.len() < 2, "cut at {cut} of {}", bytes.len());
                }
                Ok(()) => panic!("{name}: cut at {cut} of {}: no error", bytes.len()),
            }
        }
    }
}

fn folder(files: &[(&str, &[u8])]) -> (TempDir, PathBuf) {
    let folder = TempDir::new().expect("temporary folder");
    for (name, content) in files {
        write(folder.path(), name, content);
    }
    let path = folder.path().to_owned();
    (folder, path)
}

#[test]
fn files_that_do_not_fit_together() {
    let two = csr([2, 2], &[0, 1, 1], &[1], &[1.0]);
    let wide = csr([2, 3], &[0, 1, 1], &[1], &[1.0]);
    let three = csr([3, 1], &[0, 1, 1, 1], &[0], &[1.0]);
    let labels = npy("<i8", "(5,)", &i64s(&[0; 5]));
    type Files<'a> = &'a [(&'a str, &'a [u8])];
    let cases: [(&str, Files<'_>, &[&str]); 12] = [
        (
            "sizes",
            &[("adj.npz", &two), ("features.npz", &three)],
            &["adj.npz", "features.npz", "2 rows", "3 rows"],
        ),
        (
            "names",
            &[("adj.npz", &two), ("nodes.txt", b"a\nb\nc\n")],
            &["adj.npz", "nodes.txt", "3 names", "2 rows"],
        ),
        (
            "labels",
            &[("adj.npz", &two), ("labels.npy", &labels)],
            &["labels.npy", "adj.npz", "5 labels", "2 nodes"],
        ),
        ("not square", &[("adj.npz", &wide)], &["adj.npz", "2 rows and 3 columns", "square"]),
        (
            "column names",
            &[("features.npz", &three), ("attributes.txt", b"a\nb\n")],
            &["features.npz", "attributes.txt", "1 columns", "2 names"],
        ),
        (
            "1-based ids",
            &[("edges.txt", b"1 2\n2 3\n"), ("features.npz", &three)],
            &["edges.txt", "features.npz", "count from 1", "subtract 1"],
        ),
        (
            "ids beyond",
            &[("edges.txt", b"0 2\n2 7\n"), ("features.npz", &three)],
            &["edges.txt", "features.npz", "`7`"],
        ),
        (
            "unknown ids",
            &[("edges.txt", b"a b\nb zed\n"), ("nodes.txt", b"a\nb\n")],
            &["edges.txt", "nodes.txt", "`zed`"],
        ),
        (
            "no id in common",
            &[("edges.csv", b"a,b\nb,c\n"), ("attributes.csv", b"id,x\nA,1\nB,2\n")],
            &["edges.csv", "attributes.csv", "no id in common", "`A` against `a`"],
        ),
        (
            "labels of others",
            &[("edges.csv", b"a,b\nb,c\n"), ("labels.csv", b"id,label\nA,1\nB,2\n")],
            &["labels.csv", "edges.csv", "2 of 2 ids"],
        ),
        (
            "duplicate names in use",
            &[("edges.csv", b"a,b\nb,a\n"), ("nodes.txt", b"a\nb\na\n")],
            &["nodes.txt", "line 3", "line 1"],
        ),
        ("nothing", &[("readme.md", b"hello")], &["readme.md", "rename the files"]),
    ];
    for (case, files, says) in cases {
        let (_folder, path) = folder(files);
        let message = match load(&DatasetSpec::at(&path)) {
            Ok(_) => panic!("{case}: no error"),
            Err(error) => error.to_string(),
        };
        for word in says.iter().chain(&["found", "expected", "; "]) {
            assert!(message.contains(word), "{case}: no `{word}` in: {message}");
        }
    }
    let nowhere = PathBuf::from("no/such/data-set");
    check("no data set", &nowhere, dataset(&nowhere), &["no such file"]);
}

/// What looks wrong but is not: repeated links are summed, Windows line ends and byte-order marks are passed over.
#[test]
fn documented_to_be_fine() {
    let (_folder, path) = file("x.csv", "\u{feff}a,b\r\na,b\r\nb,a\r\n");
    let table = read_edge_list(&path, true).expect("fine");
    assert_eq!(table.links.row(0).collect::<Vec<_>>(), [(1, 2.0)]);
    assert!(table.warnings.iter().any(|line| line.contains("1 links stand more than once")));
    let (_folder, path) = file("x.csv", "\u{feff}id,x\r\na,1\r\nb,2\r\n");
    let table = read_attribute_table(&path).expect("fine");
    assert_eq!(table.columns, Some(vec!["x".to_owned()]));
}
