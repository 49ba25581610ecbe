//! Graphs with planted classes, from the command line to their files.

use std::fs;

use crate::support::{Place, python};

#[test]
fn files_depend_on_the_seed_and_not_on_threads() {
    let place = Place::empty();
    let files = ["adj.npz", "features.npz", "labels.npy", "meta.json"];
    let make = |name: &str, more: [&str; 4]| {
        let report =
            place.json(&[&["generate", "-o", name, "--nodes", "9000"][..], &more].concat());
        assert_eq!(report["command"], "generate");
        assert_eq!(report["outputs"].as_array().unwrap().len(), 4);
        files.map(|file| fs::read(place.path(name).join(file)).unwrap())
    };
    let one = make("one", ["--threads", "1", "--seed", "7"]);
    assert!(one == make("two", ["--threads", "2", "--seed", "7"]));
    assert!(make("other", ["--threads", "2", "--seed", "8"]).iter().zip(&one).all(|(a, b)| a != b));
}

#[test]
fn a_data_set_that_every_command_reads() {
    let place = Place::empty();
    let size = ["--nodes", "3000", "--classes", "4", "--homophily", "0.8"];
    let made = place.json(&[&["generate", "-o", "data"][..], &size].concat());
    let info = place.json(&["info", "data"]);
    let blocks = info["blocks"].as_array().unwrap();
    assert_eq!(blocks[0]["entries"].as_u64().unwrap(), 2 * made["links"].as_u64().unwrap());
    assert_eq!(blocks[0]["largest_degree"], made["largest_degree"]);
    assert_eq!(blocks[0]["mean_degree"], made["mean_degree"]);
    assert_eq!(blocks[1]["entries"], made["attribute_entries"]);
    assert_eq!(info["labels"]["classes"], 4);
    assert!(info["warnings"].as_array().unwrap().is_empty());
    place.ok(&["embed", "data", "-o", "e.npy", "--dim", "16", "--preset", "balanced"]);
    let args = ["evaluate", "classify", "e.npy", "--labels", "data", "--train", "0.5"];
    let scores = place.json(&[&args[..], &["--shuffles", "1"]].concat());
    let score = scores["results"][0]["micro_f1"]["mean"].as_f64().unwrap();
    assert!(score > 0.9, "{score}");
}

#[test]
fn what_cannot_be_made_is_refused() {
    let place = Place::empty();
    let (message, help) = place.fails(2, &["generate", "-o", "g", "--nodes", "1"]);
    assert!(message.contains("nodes") && message.contains("between 2 and"), "{message}; {help}");
    place.fails(2, &["generate", "-o", "g", "--nodes", "100", "--homophily", "1.5"]);
    assert!(!place.path("g").exists());
    place.write("g", "in the way");
    place.fails(5, &["generate", "-o", "g", "--nodes", "100"]);
}

#[test]
fn scipy_reads_what_is_generated() {
    let place = Place::empty();
    let made = place.json(&["generate", "-o", ".", "--nodes", "2000"]);
    let script = "
import json, numpy as np, scipy.sparse as sp, zipfile
assert zipfile.ZipFile('adj.npz').testzip() is None
a, x, y = sp.load_npz('adj.npz'), sp.load_npz('features.npz'), np.load('labels.npy')
for m in (a, x):
    m.check_format(full_check=True)
    assert m.has_canonical_format and m.indices.dtype == m.indptr.dtype == np.int32
    assert m.dtype == np.uint8
assert (a != a.T).nnz == 0 and a.diagonal().sum() == 0 and set(a.data) == {1}
assert y.dtype == np.int64 and y.min() == 0 and y.max() == 9
r, c = a.nonzero()
meta = json.load(open('meta.json'))
assert abs((y[r] == y[c]).mean() - meta['edge_homophily']) < 1e-12
print(a.shape, a.nnz, x.shape, x.nnz)
";
    let Some(said) = python(&place, script) else { return };
    let (links, words) = (made["links"].as_u64().unwrap(), &made["attribute_entries"]);
    assert_eq!(said.trim(), format!("(2000, 2000) {} (2000, 1000) {words}", 2 * links));
}
