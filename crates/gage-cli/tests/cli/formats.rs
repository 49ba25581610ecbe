//! Every output format, read back by the command and by Python.

use crate::support::{NODES, Place, assert_same, python};

#[cfg(not(feature = "parquet"))]
const FORMATS: [&str; 7] = ["npy", "npz", "csv", "tsv", "safetensors", "txt", "bin"];
#[cfg(feature = "parquet")]
const FORMATS: [&str; 8] = ["npy", "npz", "csv", "tsv", "safetensors", "txt", "bin", "parquet"];

#[test]
fn every_pair_of_formats_round_trips_to_the_same_bits() {
    let place = Place::with_model();
    for from in FORMATS {
        let first = format!("x.{from}");
        place.ok(&["reweight", "m.gage", "--lambda", "0.4", "-o", &first]);
        for to in FORMATS {
            let second = format!("y.{to}");
            place.ok(&["convert", &first, &second]);
            place.ok(&["convert", &second, "back.npy"]);
            if from == "npy" {
                continue;
            }
            assert_same(&place, "back.npy", "x.npy");
            assert_same(&place, "back.ids.txt", "x.ids.txt");
        }
    }
}

#[test]
fn double_precision_survives() {
    let place = Place::new();
    let base = ["embed", "data", "--directed", "no", "--dim", "6", "--precision", "f64", "-o"];
    place.ok(&[&base[..], &["x.npy"]].concat());
    for format in ["npz", "csv", "tsv", "safetensors", "txt"] {
        let file = format!("x.{format}");
        place.ok(&[&base[..], &[&file]].concat());
        place.ok(&["convert", &file, "back.npy"]);
        assert_same(&place, "back.npy", "x.npy");
    }
}

#[test]
fn python_reads_what_is_written() {
    let place = Place::with_model();
    for format in FORMATS {
        place.ok(&["reweight", "m.gage", "-o", &format!("x.{format}")]);
    }
    place.ok(&["convert", "data", "folder"]);
    place.ok(&["convert", "data", "links.mtx", "--directed", "no"]);
    let code = r#"
import csv, json, os, struct, numpy as np, scipy.io, scipy.sparse as sp
x = np.load("x.npy"); ids = open("x.ids.txt").read().split("\n")[:-1]
assert x.dtype == np.float32 and x.shape == (80, 8) and len(ids) == 80, x.shape
z = np.load("x.npz")
assert (z["embedding"] == x).all() and list(z["ids"]) == ids
for name, sep in [("x.csv", ","), ("x.tsv", "\t")]:
    rows = list(csv.reader(open(name), delimiter=sep))
    assert rows[0][:2] == ["id", "e0"] and [r[0] for r in rows[1:]] == ids
    assert (np.array([r[1:] for r in rows[1:]], dtype=np.float32) == x).all()
lines = open("x.txt").read().split("\n")
assert lines[0] == "80 8" and [l.split(" ")[0] for l in lines[1:-1]] == ids
assert (np.array([l.split(" ")[1:] for l in lines[1:-1]], dtype=np.float32) == x).all()
b = open("x.bin", "rb").read(); head, rest = b.split(b"\n", 1); assert head == b"80 8"
for i in range(80):
    name, rest = rest.split(b" ", 1)
    assert name.decode() == ids[i] and (np.frombuffer(rest[:32], "<f4") == x[i]).all()
    assert rest[32:33] == b"\n"; rest = rest[33:]
s = open("x.safetensors", "rb").read(); n = struct.unpack("<Q", s[:8])[0]
h = json.loads(s[8:8 + n])
a, e = h["embedding"]["data_offsets"]
assert (np.frombuffer(s[8 + n:][a:e], "<f4").reshape(80, 8) == x).all()
adj = sp.load_npz("folder/adj.npz"); mtx = scipy.io.mmread("links.mtx").tocsr()
assert adj.shape == (80, 80) and (abs(adj + adj.T - mtx)).nnz == 0 or (abs(adj - mtx)).nnz == 0
folder = os.path.exists("folder/features.npy")
assert np.load("folder/features.npy" if folder else "x.npy").shape[0] == 80
assert open("folder/nodes.txt").read().split() == ids
print("fine")
"#;
    if let Some(text) = python(&place, code) {
        assert_eq!(text.trim(), "fine");
    }
}

#[test]
fn awkward_ids_are_kept_or_refused() {
    let place = Place::empty();
    let mut edges = String::from("source\ttarget\n");
    for i in 0..12 {
        edges.push_str(&format!("näme {i}\tnäme {}\n", (i * 5 + 1) % 12));
    }
    place.write("edges.tsv", &edges);
    let base = ["embed", "--graph", "edges.tsv", "--directed", "no", "--dim", "3", "-o"];
    for format in ["npy", "npz", "csv", "safetensors"] {
        place.ok(&[&base[..], &[&format!("x.{format}")]].concat());
        place.ok(&["convert", &format!("x.{format}"), "back.tsv"]);
        assert!(place.text("back.tsv").contains("\nnäme 7\t"), "{format}");
    }
    let (error, help) = place.fails(4, &[&base[..], &["x.txt"]].concat());
    assert!(error.contains("näme 0") && help.contains(".csv"), "{error} {help}");
}

#[test]
#[cfg(not(feature = "parquet"))]
fn parquet_is_refused_before_any_work() {
    let place = Place::new();
    let (error, help) = place.fails(2, &["embed", "data", "-o", "e.parquet"]);
    assert!(error.contains("cannot write Parquet") && help.contains("--features parquet"));
}

#[test]
#[cfg(feature = "parquet")]
fn parquet_is_read_back_by_our_reader() {
    let place = Place::with_model();
    place.ok(&["reweight", "m.gage", "-o", "x.parquet"]);
    let table = gage_embed::io::read_attributes(place.path("x.parquet")).unwrap();
    assert_eq!((table.matrix.rows(), table.matrix.cols()), (NODES, 8));
    assert_eq!(table.ids.unwrap().id(3), "n3");
}

#[test]
#[cfg(feature = "parquet")]
fn parquet_embeddings_go_both_ways_through_pyarrow() {
    let place = Place::new();
    let base = ["embed", "data", "--dim", "6", "--precision", "f64", "-o"];
    place.ok(&[&base[..], &["x.npy"]].concat());
    place.ok(&[&base[..], &["x.parquet"]].concat());
    place.ok(&["convert", "x.parquet", "back.npy"]);
    assert_same(&place, "back.npy", "x.npy");
    // pyarrow reads what was written, and what it writes (optional columns, small groups,
    // compressed) is read.
    let code = r#"
import numpy as np, pyarrow as pa, pyarrow.parquet as pq
t = pq.read_table("x.parquet"); x = np.load("x.npy")
assert t.column_names == ["id"] + [f"e{i}" for i in range(6)] and t["id"][3].as_py() == "n3"
assert (np.column_stack([t[f"e{i}"].to_numpy() for i in range(6)]) == x).all()
t = pa.table({name: t[name].to_pylist() for name in t.column_names})
pq.write_table(t, "again.parquet", row_group_size=7, compression="zstd")
pq.write_table(t.set_column(2, "e1", pa.array([None] + [1.0] * 79)), "null.parquet")
pq.write_table(t.rename_columns(["id", "a", "b", "c", "d", "e", "f"]), "names.parquet")
print("fine")
"#;
    if python(&place, code).is_some() {
        place.ok(&["convert", "again.parquet", "back.npy"]);
        assert_same(&place, "back.npy", "x.npy");
        for (name, says) in [("null.parquet", "a missing value"), ("names.parquet", "id, a, b")] {
            let args = ["convert", name, "no.npy", "--kind", "embedding"];
            let (error, _) = place.fails(3, &args);
            assert!(error.contains(says), "{error}");
        }
    }
    std::fs::write(place.path("cut.parquet"), &place.bytes("x.parquet")[..200]).unwrap();
    place.fails(3, &["convert", "cut.parquet", "no.npy", "--kind", "embedding"]);
}

#[test]
fn standard_output_takes_an_embedding() {
    let place = Place::with_model();
    let text = place.ok(&["reweight", "m.gage", "-o", "-", "--format", "tsv"]);
    assert_eq!(text.lines().count(), NODES + 1);
    place.ok(&["reweight", "m.gage", "-o", "x.tsv"]);
    assert_eq!(text, place.text("x.tsv"));
}
