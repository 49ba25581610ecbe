//! Every reader against its kept corpus (`tests/corpus`) and against damaged files made from it:
//! readers answer, they never panic, never allocate memory they do not need, and what they accept
//! can be used.
//!
//! `GAGE_FUZZ_CASES` sets the number of damaged files per reader. A file that fails is written to
//! `target/fuzz-failures`; once mended, it belongs into the corpus.

mod exercise;
mod mutate;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::allocation::largest_request;
use crate::support::{gzip, write};
use exercise::{TARGETS, Target, target};
use mutate::seal;
pub use mutate::{Random, damage};

const CASES: u64 = 1500;
const MOST_MEMORY: usize = 400 << 20;
/// Far beyond what any small file takes, so that a busy machine does not fail the test.
const LONGEST: Duration = Duration::from_secs(20);

fn corpus(name: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(name);
    let entries = std::fs::read_dir(&folder).expect("the corpus is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("entry").path()).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let bytes = std::fs::read(&path).expect("the corpus is readable");
        (path, bytes)
    };
    paths.into_iter().map(read).collect()
}

pub fn cases() -> u64 {
    let given = std::env::var("GAGE_FUZZ_CASES").ok();
    given.map_or(CASES, |cases| cases.parse().expect("GAGE_FUZZ_CASES is a number"))
}

/// Keeps an input that fails, and fails.
fn fail(target: &Target, bytes: &[u8], origin: &str, problem: &str) -> ! {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("fuzz-failures");
    std::fs::create_dir_all(&folder).expect("folder of failures");
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    let name = format!("{}-{:08x}.{}", target.name, crc.sum(), &target.file[2..]);
    let path = write(&folder, &name, bytes);
    panic!("{} ({origin}) {problem}; the input is {}", target.name, path.display());
}

/// Runs the readers on one input; returns whether one of them accepted it.
fn try_one(target: &Target, folder: &Path, bytes: &[u8], origin: &str) -> bool {
    let path = write(folder, target.file, bytes);
    let start = Instant::now();
    let (outcome, memory) =
        largest_request(|| catch_unwind(AssertUnwindSafe(|| (target.run)(&path))));
    let Ok(accepted) = outcome else { fail(target, bytes, origin, "panics") };
    if memory > MOST_MEMORY {
        fail(target, bytes, origin, &format!("allocates {memory} bytes"));
    }
    if start.elapsed() > LONGEST {
        fail(target, bytes, origin, &format!("takes {:?}", start.elapsed()));
    }
    accepted
}

fn fuzz(name: &str) {
    let target = target(name);
    let folder = TempDir::new().expect("temporary folder");
    let files = corpus(name);
    let (mut good, mut all) = (Vec::new(), Vec::new());
    for (path, bytes) in &files {
        let accepted = try_one(target, folder.path(), bytes, &path.display().to_string());
        all.push(&bytes[..]);
        good.extend(accepted.then_some(&bytes[..]));
    }
    assert!(!good.is_empty() && good.len() < all.len(), "the corpus has good and bad files");
    let mut accepted = 0;
    let mut seed = flate2::Crc::new();
    seed.update(name.as_bytes());
    for case in 0..cases() {
        let mut random = Random(u64::from(seed.sum()) << 32 | case);
        // Most damage is worth most where the rest of the file is right.
        let from = if random.below(4) == 0 { &all } else { &good };
        let mut bytes = random.pick(from).to_vec();
        damage(name, &mut bytes, random.pick(&all), &mut random);
        seal(name, &mut bytes, &mut random);
        accepted +=
            u64::from(try_one(target, folder.path(), &bytes, &format!("damaged file {case}")));
    }
    eprintln!(
        "{name}: {} files, {} of them good; {accepted} of {} damaged files accepted",
        all.len(),
        good.len(),
        cases()
    );
}

macro_rules! fuzz {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                fuzz(stringify!($name));
            }
        )*

        #[test]
        fn every_target_is_run() {
            assert_eq!(TARGETS.map(|target| target.name), [$(stringify!($name)),*]);
        }
    };
}

fuzz!(
    npy npz mat mtx edges table labels nodes content cites
    graphml gexf gml pajek node_link model
);

/// Names that promise compression, and the compression itself damaged rather than what is in it.
#[test]
fn compressed_names() {
    let folder = TempDir::new().expect("temporary folder");
    let zstd = |bytes: &[u8]| {
        ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
    };
    let text = corpus("edges").iter().flat_map(|(_, bytes)| bytes.clone()).collect::<Vec<u8>>();
    let run = target("edges").run;
    for (number, (file, good)) in
        [("x.csv.gz", gzip(&text)), ("x.csv.zst", zstd(&text))].into_iter().enumerate()
    {
        let target = Target { name: "edges", file, run };
        for case in 0..cases() / 4 {
            let mut random = Random((number as u64) << 32 | case);
            let mut bytes = good.clone();
            damage("edges", &mut bytes, &text, &mut random);
            try_one(&target, folder.path(), &bytes, &format!("damaged {file} {case}"));
        }
    }
}
