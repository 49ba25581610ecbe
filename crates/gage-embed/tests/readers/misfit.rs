//! Files that are fine each, but not together.

use std::path::PathBuf;

use gage_embed::io::{DatasetSpec, load};
use tempfile::TempDir;

use crate::broken::{check, dataset};
use crate::support::{csr, i64s, npy, write};

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
    let square = csr([3, 3], &[0, 1, 2, 2], &[1, 0], &[1.0, 1.0]);
    let wide = csr([2, 3], &[0, 1, 1], &[1], &[1.0]);
    let three = csr([3, 1], &[0, 1, 1, 1], &[0], &[1.0]);
    let labels = npy("<i8", "(5,)", &i64s(&[0; 5]));
    type Files<'a> = &'a [(&'a str, &'a [u8])];
    let cases: [(&str, Files<'_>, &[&str]); 13] = [
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
            "1-based ids out of order",
            &[("attributes.csv", b"id,x\n3,1\n1,2\n2,5\n"), ("adj.npz", &square)],
            &["attributes.csv", "adj.npz", "two readings", "row 3 of the second", "by position"],
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
            &[("edges.csv", b"a,b\nb,c\n"), ("attributes.csv", b"id,x\np,1\nq,2\n")],
            &["edges.csv", "attributes.csv", "no id in common", "`p` against `a`"],
        ),
        (
            "labels of others",
            &[("edges.csv", b"a,b\nb,c\n"), ("labels.csv", b"id,label\np,1\nq,2\n")],
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
            Err(error) => format!("{error}; {}", error.hint()),
        };
        for word in says.iter().chain(&["found", "expected", "; "]) {
            assert!(message.contains(word), "{case}: no `{word}` in: {message}");
        }
    }
    let nowhere = PathBuf::from("no/such/data-set");
    check("no data set", &nowhere, dataset(&nowhere), &["no such file"]);
}
