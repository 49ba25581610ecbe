//! Valid files of every format, damaged in every way at random: readers answer, they never panic.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use gage_embed::io::{
    read_attributes, read_cites, read_content, read_edge_list, read_labels, read_links, read_mat,
    read_mtx, read_nodes, read_npy, read_npz,
};
use tempfile::TempDir;

use crate::allocation::largest_request;
use crate::support::{Member, csr, f64s, gzip, i64s, mat, npy, write, zip};

const CASES_PER_SEED: u64 = 160;
const MOST_MEMORY: usize = 400 << 20;

pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

const TOKENS: [&[u8]; 14] = [
    b"\"",
    b"\n",
    b",",
    b"-1",
    b"nan",
    b"1e999",
    b"99999999999999999999",
    b"\xff",
    b"\0\0\0\0",
    b"#",
    b"\xff\xff\xff\x7f",
    b"\xff\xff\xff\xff\xff\xff\xff\x7f",
    b"%%",
    b"(",
];

pub fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        match random.below(7) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
            1 if !bytes.is_empty() => bytes[at] = random.next() as u8,
            2 => bytes.truncate(at),
            3 => {
                let end = (at + random.below(64)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, piece);
            }
            4 => {
                let end = (at + random.below(16)).min(bytes.len());
                bytes.drain(at..end);
            }
            5 => {
                let token = TOKENS[random.below(TOKENS.len())];
                bytes.splice(at..at, token.iter().copied());
            }
            _ => {
                let token = TOKENS[random.below(TOKENS.len())];
                let end = (at + token.len()).min(bytes.len());
                bytes.splice(at..end, token.iter().copied());
            }
        }
    }
}

/// A file, and how its damaged content is put back into its container.
struct Seed {
    name: &'static str,
    content: Vec<u8>,
    wrap: fn(Vec<u8>) -> Vec<u8>,
}

fn wrap_npz(data: Vec<u8>) -> Vec<u8> {
    zip(&[Member::new("x.npy", data)])
}

/// Damages one array of a sparse matrix, with a right checksum, so that the reader sees it.
fn wrap_indices(data: Vec<u8>) -> Vec<u8> {
    zip(&[
        Member::new("indices.npy", data),
        Member::new("indptr.npy", npy("<i8", "(4,)", &i64s(&[0, 1, 2, 3]))),
        Member::new("format.npy", npy("|S3", "()", b"csr")),
        Member::new("shape.npy", npy("<i8", "(2,)", &i64s(&[3, 3]))),
        Member::new("data.npy", npy("<f8", "(3,)", &f64s(&[1.0, 2.0, 3.0]))),
    ])
}

fn wrap_shape(data: Vec<u8>) -> Vec<u8> {
    zip(&[
        Member::new("row.npy", npy("<i8", "(3,)", &i64s(&[0, 1, 2]))),
        Member::new("col.npy", npy("<i8", "(3,)", &i64s(&[2, 1, 0]))),
        Member::new("format.npy", npy("|S3", "()", b"coo")),
        Member::new("shape.npy", data),
        Member::new("data.npy", npy("<f8", "(3,)", &f64s(&[1.0, 2.0, 3.0]))),
    ])
}

fn wrap_gzip(data: Vec<u8>) -> Vec<u8> {
    gzip(&data)
}

/// Packs what follows the header of a `.mat` file as one compressed element.
fn wrap_mat(data: Vec<u8>) -> Vec<u8> {
    use std::io::Write;
    let mut bytes = mat(false)[..128].to_vec();
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), Default::default());
    encoder.write_all(&data).expect("compresses");
    let packed = encoder.finish().expect("compresses");
    bytes.extend(15u32.to_le_bytes());
    bytes.extend((packed.len() as u32).to_le_bytes());
    bytes.extend(packed);
    bytes
}

fn seeds() -> Vec<Seed> {
    let as_is: fn(Vec<u8>) -> Vec<u8> = |data| data;
    let seed = |name, content: &[u8], wrap| Seed { name, content: content.to_vec(), wrap };
    let edges =
        b"# links\nsource,target,weight\na,b,1\n\"b\",c,2.5\nc,a,3\nd,\"e \"\"x\"\"\",0.5\n";
    let table = b"id;age;city;text\na;1;Bonn;some words here\nb;2;Bonn;other words here\nc;;Ulm;\"more;\nwords\"\n";
    let mtx = b"%%MatrixMarket matrix coordinate real symmetric\n% note\n3 3 2\n1 1 1.5\n3 2 -2\n";
    let array = b"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n";
    let zst = ruzstd::encoding::compress_to_vec(
        &edges.repeat(20)[..],
        ruzstd::encoding::CompressionLevel::Fastest,
    );
    vec![
        seed("x.npy", &npy("<f8", "(3, 2)", &f64s(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])), as_is),
        seed("x.npy", &npy(">i4", "(3, 2)", &[0, 0, 0, 1].repeat(6)), as_is),
        seed("x.npy", &npy("<U3", "(4,)", &[97, 0, 0, 0].repeat(12)), as_is),
        seed("x.npz", &csr([3, 3], &[0, 1, 2, 3], &[2, 1, 0], &[1.0, 2.0, 3.0]), as_is),
        seed("x.npz", &npy("<f8", "(2, 2)", &f64s(&[1.0; 4])), wrap_npz),
        seed("x.npz", &npy("<i8", "(3,)", &i64s(&[0, 1, 2])), wrap_indices),
        seed("x.npz", &npy("<i8", "(2,)", &i64s(&[3, 3])), wrap_shape),
        seed("x.mat", &mat(true), as_is),
        seed("x.mat", &mat(false), as_is),
        seed("x.mat", &mat(false)[128..], wrap_mat),
        seed("x.mtx", mtx, as_is),
        seed("x.mtx", array, as_is),
        seed("x.mtx.gz", mtx, wrap_gzip),
        seed("x.csv", edges, as_is),
        seed("x.txt", b"0 1\n1 2\n2 0\n5 1\n", as_is),
        seed("x.csv.gz", edges, wrap_gzip),
        seed("x.csv.gz", &gzip(edges), as_is),
        seed("x.csv.zst", &zst, as_is),
        seed("x.csv", table, as_is),
        seed("x.tsv", b"a\t0.5\t1\nb\t0.25\t2\nc\t1\t\n", as_is),
        seed("x.content", b"p1\t0\t1\tA\np2\t1\t1\tB\n", as_is),
        seed("x.cites", b"p1\tp2\np2\tp1\n", as_is),
        seed("x.txt", b"id,label\na,1\nb,2\nc,1\n", as_is),
    ]
}

/// Every reader that may meet a file of this name.
fn read_all(path: &Path) {
    let name = path.to_string_lossy();
    if name.ends_with(".npy") {
        let _ = read_npy(path);
        let _ = read_nodes(path);
    }
    if name.ends_with(".npz") {
        let _ = read_npz(path);
    }
    if name.ends_with(".mat") {
        let _ = read_mat(path, &["network", "feature"]);
        return;
    }
    if name.contains(".mtx") {
        let _ = read_mtx(path);
    }
    if name.ends_with(".content") {
        let _ = read_content(path);
    }
    if name.ends_with(".cites") {
        let _ = read_cites(path);
    }
    if name.contains(".csv") || name.ends_with(".txt") {
        let _ = read_edge_list(path, false);
        let _ = read_nodes(path);
    }
    let _ = read_links(path);
    let _ = read_attributes(path);
    let _ = read_labels(path);
}

#[test]
pub fn damaged_files_never_panic() {
    let folder = TempDir::new().expect("temporary folder");
    let mut cases = 0;
    for (number, seed) in seeds().into_iter().enumerate() {
        let path = write(folder.path(), seed.name, (seed.wrap)(seed.content.clone()));
        read_all(&path);
        for case in 0..CASES_PER_SEED {
            let mut random = Random((number as u64) << 32 | case);
            let mut content = seed.content.clone();
            damage(&mut content, &mut random);
            let path = write(folder.path(), seed.name, (seed.wrap)(content));
            let (outcome, memory) =
                largest_request(|| catch_unwind(AssertUnwindSafe(|| read_all(&path))));
            assert!(outcome.is_ok(), "seed {number} ({}), case {case} panics", seed.name);
            assert!(memory < MOST_MEMORY, "seed {number}, case {case} asks for {memory} bytes");
            cases += 1;
        }
    }
    assert!(cases > 3000, "{cases} cases");
}
