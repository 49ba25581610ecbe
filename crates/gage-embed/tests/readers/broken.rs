//! Every way a file can be wrong that we thought of: an error that names the file and says what to
//! do.

use std::fs::File;
use std::path::Path;

use gage_embed::io::{
    DatasetSpec, ReadError, load, read_attribute_table, read_attributes, read_content,
    read_edge_list, read_labels, read_links, read_mat, read_mtx, read_nodes, read_npy, read_npz,
};
use tempfile::TempDir;

use crate::allocation::largest_request;
use crate::support::{csr, f64s, file, gzip, mat, npy, write};

/// No broken file may make a reader allocate more than this at once.
const MOST_MEMORY: usize = 200 << 20;

pub type Reader = fn(&Path) -> Result<(), ReadError>;

pub fn npy_file(path: &Path) -> Result<(), ReadError> {
    read_npy(path).map(drop)
}
pub fn npz_file(path: &Path) -> Result<(), ReadError> {
    read_npz(path).map(drop)
}
pub fn mat_file(path: &Path) -> Result<(), ReadError> {
    read_mat(path, &["network", "feature"]).map(drop)
}
pub fn mtx_file(path: &Path) -> Result<(), ReadError> {
    read_mtx(path).map(drop)
}
pub fn edge_file(path: &Path) -> Result<(), ReadError> {
    read_edge_list(path, true).map(drop)
}
pub fn table_file(path: &Path) -> Result<(), ReadError> {
    read_attribute_table(path).map(drop)
}
pub fn label_file(path: &Path) -> Result<(), ReadError> {
    read_labels(path).map(drop)
}
pub fn node_file(path: &Path) -> Result<(), ReadError> {
    read_nodes(path).map(drop)
}
pub fn content_file(path: &Path) -> Result<(), ReadError> {
    read_content(path).map(drop)
}
pub fn link_file(path: &Path) -> Result<(), ReadError> {
    read_links(path).map(drop)
}
pub fn dataset(path: &Path) -> Result<(), ReadError> {
    load(&DatasetSpec::at(path)).map(drop)
}

/// Checks the form all messages share, and that this one says what it should.
pub fn check(case: &str, path: &Path, result: Result<(), ReadError>, says: &[&str]) {
    let message = match result {
        Ok(()) => panic!("{case}: no error"),
        Err(error) => format!("{error}; {}", error.hint()),
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

pub fn check_file(case: &str, name: &str, content: &[u8], reader: Reader, says: &[&str]) {
    let (_folder, path) = file(name, content);
    let (result, memory) = largest_request(|| reader(&path));
    assert!(memory < MOST_MEMORY, "{case}: allocated {memory} bytes");
    check(case, &path, result, says);
}

pub const READERS: [(&str, Reader); 11] = [
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

pub type Case = (&'static str, &'static str, Vec<u8>, Reader, &'static [&'static str]);

pub const MTX: &str = "%%MatrixMarket matrix coordinate real general\n";

/// A file of 3 GB without a line end, which takes no room on the disk; and a packed one.
#[test]
fn one_endless_line() {
    for (name, reader) in READERS.into_iter().filter(|(name, _)| !name.contains(".csv.")) {
        let folder = TempDir::new().expect("temporary folder");
        let path = folder.path().join(name);
        File::create(&path).and_then(|file| file.set_len(3 << 30)).expect("sparse file");
        let (result, memory) = largest_request(|| reader(&path));
        assert!(memory < MOST_MEMORY, "{name}: allocated {memory} bytes");
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

/// Cut short anywhere, packed or counted files are errors; of a plain `.mat` file whole variables
/// may be left.
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

/// What looks wrong but is not: repeated links are summed, Windows line ends and byte-order marks
/// are passed over.
#[test]
fn documented_to_be_fine() {
    let (_folder, path) = file("x.csv", "\u{feff}a,b\r\na,b\r\nb,a\r\n");
    let table = read_edge_list(&path, true).expect("fine");
    assert_eq!(table.links.row(0).collect::<Vec<_>>(), [(1, 2.0)]);
    assert!(table.warnings.iter().any(|line| line.text.contains("1 links stand more than once")));
    let (_folder, path) = file("x.csv", "\u{feff}id,x\r\na,1\r\nb,2\r\n");
    let table = read_attribute_table(&path).expect("fine");
    assert_eq!(table.columns, Some(vec!["x".to_owned()]));
}
