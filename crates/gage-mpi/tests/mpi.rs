//! The program under a real launcher, on real data.
//!
//! `mpirun` is needed; `make mpi` installs it where it may. Without it these tests fail: a crate
//! that is built with an MPI has one.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use gage_core::graph::Graph;
use gage_core::{FitParams, Lambda, Model, fit};
use gage_io::{DatasetSpec, load, read_sharded_embedding, write_shards};
use gage_linalg::{AnyTall, Precision};
use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_gage-mpi");

fn debian() -> Graph {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gage-debian/data/debian");
    load(&DatasetSpec::at(folder)).expect("a readable data set").graph
}

fn shards(graph: &Graph, parts: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_shards(graph, &folder.path().join("shards"), parts).unwrap();
    folder
}

fn launch(ranks: usize, folder: &Path, more: &[&str]) -> Command {
    let mut command = Command::new("mpirun");
    command.args(["--allow-run-as-root", "--oversubscribe", "-n", &ranks.to_string()]);
    command.arg(PROGRAM).arg("embed").arg(folder.join("shards"));
    command.arg("-o").arg(folder.join("out")).args(["--threads", "1"]).args(more);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(ranks: usize, folder: &Path, more: &[&str]) -> Output {
    launch(ranks, folder, more).output().expect("mpirun is installed")
}

/// The report and the rows.
fn embedded(ranks: usize, folder: &Path, more: &[&str]) -> (Value, AnyTall) {
    let output = run(ranks, folder, more);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{ranks} ranks: {text}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let (nodes, rows) = read_sharded_embedding(&folder.join("out"), ranks).unwrap();
    assert_eq!(nodes.len() as u64, report["nodes"].as_u64().unwrap());
    (report, rows)
}

fn difference(a: &AnyTall, b: &AnyTall) -> f64 {
    assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()));
    let (mut worst, mut largest) = (0.0f64, 0.0f64);
    for row in 0..a.rows() {
        for (x, y) in a.row_f64(row).iter().zip(b.row_f64(row)) {
            worst = worst.max((x - y).abs());
            largest = largest.max(x.abs());
        }
    }
    worst / largest
}

fn alone(graph: &Graph, preset: &str, precision: Precision) -> Model {
    let params = FitParams { precision, loadings: false, ..FitParams::preset(preset).unwrap() };
    let dimension = gage_core::Dimension::Fixed(32);
    fit(graph, FitParams { dimension, ..params }.check().unwrap()).unwrap()
}

fn data(name: &str) -> Option<Graph> {
    let path = gage_testing::dataset(name)?;
    Some(load(&DatasetSpec::at(path)).expect("a readable data set").graph)
}

/// Losses agree to 1e-6 of the energy, rows in double precision to 1e-5, and the same ranks find
/// the same bits; one rank has the bits of a single process.
fn agrees(name: &str, graph: &Graph) {
    let folder = shards(graph, 8);
    for preset in ["paper", "balanced"] {
        for (precision, flag) in [(Precision::F32, "f32"), (Precision::F64, "f64")] {
            let model = alone(graph, preset, precision);
            let expected = model.embedding(&Lambda::Preset).unwrap();
            let options = ["--preset", preset, "--precision", flag, "--dim", "32"];
            for ranks in [1, 2, 4] {
                let what = format!("{name}, {preset}, {flag}, {ranks} ranks");
                let (report, rows) = embedded(ranks, folder.path(), &options);
                let loss = report["relative_loss"].as_f64().unwrap();
                let apart = (loss - model.info().relative_loss).abs();
                assert!(apart < 1e-6, "{what}: {loss} {}", model.info().relative_loss);
                let rows_apart = difference(&rows, &expected);
                if ranks == 1 {
                    assert_eq!(rows_apart, 0.0, "{what}");
                } else if precision == Precision::F64 {
                    assert!(rows_apart < 1e-5, "{what}: {rows_apart}");
                } else {
                    let (_, again) = embedded(ranks, folder.path(), &options);
                    assert_eq!(difference(&rows, &again), 0.0, "{what}: other bits");
                }
                eprintln!("{what}: loss apart {apart:.1e}, rows apart {rows_apart:.1e}");
            }
        }
    }
}

#[test]
fn one_two_and_four_ranks_agree_on_the_embedded_data() {
    agrees("debian", &debian());
}

#[test]
fn one_two_and_four_ranks_agree_on_blogcatalog() {
    let Some(graph) = data("blogcatalog") else { return };
    agrees("blogcatalog", &graph);
}

#[test]
fn one_two_and_four_ranks_agree_on_directed_wikipedia() {
    let Some(graph) = data("wiki_directed") else { return };
    agrees("wiki_directed", &graph);
}

/// What a run that must fail says.
fn refused(ranks: usize, folder: &Path, more: &[&str]) -> String {
    let clock = Instant::now();
    let output = run(ranks, folder, more);
    assert!(!output.status.success());
    assert!(clock.elapsed() < Duration::from_secs(60), "it took {:?}", clock.elapsed());
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn errors_name_rank_host_and_remedy() {
    let folder = shards(&debian(), 3);
    let text = refused(4, folder.path(), &[]);
    assert!(text.contains("4 processes for 3 shards"), "{text}");
    let text = refused(2, folder.path(), &["--preset", "auto"]);
    assert!(text.contains("not possible over several workers") && text.contains("help:"), "{text}");
    let block = folder.path().join("shards/part-00002/block-0.rows");
    let mut bytes = std::fs::read(&block).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&block, &bytes).unwrap();
    let text = refused(3, folder.path(), &[]);
    assert!(text.contains("rank 2 of 3 on ") && text.contains("another hash"), "{text}");
    std::fs::remove_file(&block).unwrap();
    let text = refused(3, folder.path(), &[]);
    assert!(text.contains("rank 2 of 3 on ") && text.contains("block-0.rows"), "{text}");
    std::fs::remove_file(folder.path().join("shards/manifest.json")).unwrap();
    let text = refused(2, folder.path(), &[]);
    assert!(
        text.contains("manifest.json") && text.contains("convert a data set into shards"),
        "{text}"
    );
}

/// Processes of this job that run the program on this folder.
fn processes(folder: &Path) -> Vec<u32> {
    let needle = folder.display().to_string();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(id) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if line.starts_with(PROGRAM) && line.contains(&needle) {
            found.push(id);
        }
    }
    found.sort_unstable();
    found
}

fn checkpoints(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files.map(|file| file.path()).filter(|p| p.extension().is_some_and(|e| e == "gage")).collect()
}

#[test]
fn a_killed_rank_ends_the_job_and_the_checkpoint_gives_the_same_bits() {
    let graph = debian();
    let folder = shards(&graph, 2);
    let kept = folder.path().join("ck");
    let kept = kept.to_str().unwrap();
    // Long enough to be killed in the middle.
    let options = ["--preset", "balanced", "--precision", "f64", "--tolerance", "1e-12"];
    let (_, expected) = embedded(2, folder.path(), &options);
    let with_checkpoint = [&options[..], &["--checkpoint", kept]].concat();
    let clock = Instant::now();
    let child = launch(2, folder.path(), &with_checkpoint).spawn().unwrap();
    while checkpoints(Path::new(kept)).len() < 4 {
        assert!(clock.elapsed() < Duration::from_secs(120), "no checkpoint came");
        std::thread::sleep(Duration::from_millis(2));
    }
    let victim = processes(folder.path()).pop().expect("a running rank");
    Command::new("kill").args(["-9", &victim.to_string()]).status().unwrap();
    let killed = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert!(!output.status.success());
    assert!(killed.elapsed() < Duration::from_secs(20), "it took {:?}", killed.elapsed());
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("signal 9"), "{text}");
    let text = refused(1, folder.path(), &with_checkpoint);
    assert!(text.contains("checkpoint is of 2 processes, and these are 1"), "{text}");
    let (report, rows) = embedded(2, folder.path(), &with_checkpoint);
    assert_eq!(report["resumed"], Value::Bool(true));
    assert_eq!(difference(&rows, &expected), 0.0, "a resumed fit has other bits");
}

/// What the plan says, where there are as many ranks as shards.
fn planned(ranks: usize, folder: &Path, options: &[&str]) -> Value {
    let mut plan = Command::new(PROGRAM);
    plan.arg("plan").arg(folder.join("shards")).args(["--ranks", &ranks.to_string()]);
    let output = plan.args(options).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Where there are as many ranks as shards, the plan knows every row that travels.
#[test]
fn bytes_are_those_of_the_plan() {
    let Some(graph) = data("blogcatalog") else { return };
    let options = ["--preset", "paper", "--dim", "128"];
    for ranks in [2, 4] {
        let folder = shards(&graph, ranks);
        let (report, _) = embedded(ranks, folder.path(), &options);
        assert_eq!(report["passes"], 10, "all iterations, as the plan counts");
        let plan = planned(ranks, folder.path(), &options);
        let found = report["bytes_sent"].as_f64().unwrap() / ranks as f64;
        let planned = plan["bytes_sent"].as_f64().unwrap();
        eprintln!("{ranks} ranks: {found:.4e} bytes a rank, planned {planned:.4e}");
        assert!((found / planned - 1.0).abs() < 0.01, "{found:.4e} {planned:.4e}");
    }
}
