//! Broken edge lists, tables, names and Matrix Market files.

use crate::broken::{
    Case, MTX, check_file, content_file, edge_file, label_file, mtx_file, node_file, table_file,
};
use crate::support::csr;

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
