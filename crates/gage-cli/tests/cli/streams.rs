//! Standard input, pipes and process substitution as inputs, and standard output of `convert`.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use crate::support::{NODES, Place, assert_same, edges, words};

/// Runs a command with these bytes on its standard input.
fn piped(place: &Place, args: &[&str], input: &[u8]) -> Output {
    let mut command = place.command(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    // A command that refuses its input before it reads all of it closes the pipe.
    let _ = pipe.write_all(input);
    drop(pipe);
    child.wait_with_output().unwrap()
}

fn ok(place: &Place, args: &[&str], input: &[u8]) -> String {
    let output = piped(place, args, input);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn fails(place: &Place, code: i32, args: &[&str], input: &[u8], parts: &[&str]) {
    let output = piped(place, args, input);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {text}");
    assert!(parts.iter().all(|part| text.contains(part)), "{args:?}: {parts:?} in {text}");
}

/// Runs a script of bash with `gage` as a command.
fn bash(place: &Place, script: &str) -> Output {
    let gage = env!("CARGO_BIN_EXE_gage");
    let script = format!("set -e; gage() {{ '{gage}' \"$@\"; }}; {script}");
    Command::new("bash").args(["-c", &script]).current_dir(place.path("")).output().unwrap()
}

fn gzip(place: &Place, name: &str) {
    assert!(bash(place, &format!("gzip -k {name}")).status.success());
}

const FIT: [&str; 6] = ["embed", "--directed", "no", "--dim", "8", "-o"];

/// Every format that is recognised by its content gives what its file gives.
#[test]
fn a_stream_gives_what_its_file_gives() {
    let place = Place::new();
    place.write("e.csv", &edges(NODES));
    place.ok(&["convert", "e.csv", "e.npz", "--directed", "no"]);
    place.ok(&["convert", "e.csv", "e.mtx", "--directed", "no"]);
    place.ok(&["convert", "e.csv", "e.csr", "--directed", "no"]);
    gzip(&place, "e.csv");
    let rest = |lines: &str, of: fn(&str, &str) -> String| -> Vec<String> {
        lines
            .lines()
            .skip(1)
            .map(|line| line.split_once(',').unwrap())
            .map(|(a, b)| of(a, b))
            .collect()
    };
    let text = edges(NODES);
    let nodes: Vec<String> = (0..NODES).map(|i| format!("{{\"id\":\"n{i}\"}}")).collect();
    let json = rest(&text, |a, b| format!("{{\"source\":\"{a}\",\"target\":\"{b}\"}}"));
    let json = format!("{{\"nodes\":[{}],\"links\":[{}]}}", nodes.join(","), json.join(","));
    place.write("e.json", &json);
    for name in ["e.csv", "e.csv.gz", "e.npz", "e.mtx", "e.csr", "e.json"] {
        let file = place.json(&["info", name, "--directed", "no"]);
        let stream = ok(&place, &["info", "-", "--directed", "no", "--json"], &place.bytes(name));
        let stream: serde_json::Value = serde_json::from_str(&stream).unwrap();
        assert_eq!(stream["blocks"], file["blocks"], "{name}");
    }
}

#[test]
fn links_and_attributes_come_from_pipes() {
    let place = Place::new();
    let [edges, table] = ["data/edges.csv", "data/attributes.csv"].map(|name| place.bytes(name));
    let files = ["--graph", "data/edges.csv", "--attributes", "data/attributes.csv"];
    place.ok(&[&FIT[..], &["a.npy"], &files].concat());
    let links = ["--graph", "-", "--attributes", "data/attributes.csv"];
    ok(&place, &[&FIT[..], &["b.npy"], &links].concat(), &edges);
    assert_same(&place, "a.npy", "b.npy");
    let attributes = ["--graph", "data/edges.csv", "--attributes", "csv:-"];
    ok(&place, &[&FIT[..], &["c.npy"], &attributes].concat(), &table);
    assert_same(&place, "a.npy", "c.npy");
    gzip(&place, "data/attributes.csv");
    let script = "gage embed --directed no --dim 8 -o d.npy --graph <(cat data/edges.csv) \
                  --attributes <(cat data/attributes.csv.gz); \
                  mkfifo pipe; cat data/edges.csv > pipe & \
                  gage embed --directed no --dim 8 -o e.npy --graph pipe \
                  --attributes data/attributes.csv < /dev/null; wait";
    let output = bash(&place, script);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_same(&place, "a.npy", "d.npy");
    assert_same(&place, "a.npy", "e.npy");
}

#[test]
fn messages_name_the_stream_and_only_one_input_may_be_it() {
    let place = Place::with_model();
    let links = edges(NODES);
    let (links, table) = (links.as_bytes(), words(0..NODES));
    fails(&place, 3, &["info", "-"], b"", &["-: whole file: found nothing in it"]);
    let short = &["info", "--graph", "-"];
    fails(&place, 3, short, b"a,b\nc\nd,e\n", &["-: line 2", "source and target"]);
    let twice = ["info", "--graph", "-", "--attributes", "csv:-"];
    fails(&place, 2, &twice, links, &["csv:-: found as two inputs", "only one input may be `-`"]);
    let same = ["info", "--graph", "-", "--attributes", "/dev/stdin"];
    fails(&place, 2, &same, links, &["found as two inputs"]);
    // A table could be an edge list of which most columns are ignored: that is not guessed.
    fails(&place, 3, &["info", "-"], table.as_bytes(), &["no edge list", "--attributes -"]);
    let text = ok(&place, &["info", "--attributes", "-", "--json"], table.as_bytes());
    assert!(text.contains("\"nodes\": 80"), "{text}");
    let names = ["info", "--graph", "data/edges.csv", "--nodes", "-"];
    fails(&place, 3, &names, b"n0,x\nn1,y\n", &["several cells a line", "`csv:`"]);
    fails(&place, 3, &["reweight", "-", "-o", "x.npy"], b"x", &["-: found a pipe"]);
    fails(&place, 3, &["index", "-"], b"x", &["-: found a pipe"]);
    place.write("x.h5ad", "\u{89}HDF");
    let (error, help) = place.fails(3, &["info", "x.h5ad"]);
    assert!(error.contains("HDF5") && help.contains("anndata"), "{error} {help}");
}

#[test]
fn embeddings_and_labels_come_from_pipes() {
    let place = Place::with_model();
    let labels: String = (0..NODES).map(|i| format!("n{i},c{}\n", i % 2)).collect();
    place.write("l.csv", &format!("id,label\n{labels}"));
    let base = ["evaluate", "classify", "--shuffles", "1", "--train", "0.5", "--json"];
    let result = |text: String| -> serde_json::Value {
        let mut report: serde_json::Value = serde_json::from_str(&text).unwrap();
        let fields = report.as_object_mut().unwrap();
        fields.retain(|name, _| {
            !matches!(name.as_str(), "embedding" | "labels" | "inputs" | "readings")
        });
        report
    };
    let wanted = result(place.ok(&[&base[..], &["e.npy", "--labels", "l.csv"]].concat()));
    let labels = [&base[..], &["e.npy", "--labels", "-"]].concat();
    assert_eq!(result(ok(&place, &labels, &place.bytes("l.csv"))), wanted);
    for name in ["e.csv", "e.tsv", "e.npz", "e.safetensors", "e.txt"] {
        place.ok(&["convert", "e.npy", name]);
        let rows = [&base[..], &["-", "--labels", "l.csv"]].concat();
        assert_eq!(result(ok(&place, &rows, &place.bytes(name))), wanted, "{name}");
    }
}

/// A checkpoint belongs to the data, wherever they come from.
#[test]
fn a_checkpoint_tells_piped_data_apart() {
    let place = Place::new();
    let fit = ["embed", "-", "--directed", "no", "--dim", "8", "--checkpoint", "c", "--json", "-o"];
    let resumed = |file: &str, input: &str| {
        let text = ok(&place, &[&fit[..], &[file]].concat(), input.as_bytes());
        let report: serde_json::Value = serde_json::from_str(&text).unwrap();
        report["resumed"].as_bool().unwrap()
    };
    let links = edges(NODES);
    let fewer: String = links.lines().take(200).map(|line| format!("{line}\n")).collect();
    assert!(!resumed("a.npy", &links));
    assert!(resumed("b.npy", &links));
    assert!(!resumed("c.npy", &fewer));
    assert_same(&place, "a.npy", "b.npy");
}

#[test]
fn convert_writes_to_standard_output_and_makes_no_folder_of_that_name() {
    let place = Place::with_model();
    place.write("e.csv", &edges(NODES));
    let (error, help) = place.fails(2, &["convert", "e.csv", "-"]);
    assert!(error.contains('-') && help.contains("--format"), "{error} {help}");
    assert!(!place.path("-").exists());
    place.ok(&["convert", "e.csv", "x.tsv", "--directed", "no"]);
    let text = place.ok(&["convert", "e.csv", "-", "--format", "tsv", "--directed", "no"]);
    assert_eq!(text, place.text("x.tsv"));
    let text = ok(&place, &["convert", "-", "-", "--format", "csv"], &place.bytes("e.npy"));
    assert_eq!(text.lines().count(), NODES + 1);
    let bytes = place.run(&["convert", "e.npy", "-", "--format", "npy"]).stdout;
    assert_eq!(bytes, place.bytes("e.npy"));
    assert!(!place.path("-").exists());
}
