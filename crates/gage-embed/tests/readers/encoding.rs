//! Rows of new nodes become numbers as the rows of the fitted table did.

use gage_embed::graph::{Graph, Matrix, TableEncoding};
use gage_embed::io::{
    AttributeTable, ColumnOptions, IdColumn, read_attribute_table, read_attributes,
    read_attributes_like,
};
use gage_embed::model::{NewBlock, NewNodes};
use gage_embed::views::Direction;
use gage_embed::{AnyTall, Block, Dimension, FitParams, Hint, Model, fit};
use tempfile::TempDir;

use crate::support::write;

const TOPICS: [&str; 4] =
    ["graphs and trees", "trees in a forest", "matrix graphs", "the matrix of a forest"];

fn rows(numbers: impl Iterator<Item = usize>) -> String {
    let mut text = "who,age,city,about,height\n".to_owned();
    for i in numbers {
        let age = if i % 7 == 3 { String::new() } else { format!("{}", 20 + i * i % 31) };
        let city = ["Ulm", "Bonn", "Köln"][i % 3];
        let about = format!("{} {}", TOPICS[i % 4], TOPICS[(i / 4 + i) % 4]);
        text.push_str(&format!(
            "p{i},{age},{city},{about} {},{}\n",
            i % 9,
            1.5 + (i % 5) as f64 / 7.0
        ));
    }
    text
}

/// The cells of every line in another order.
fn shuffled(text: &str, order: &[usize]) -> String {
    let line = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        order.iter().map(|&at| cells[at]).collect::<Vec<_>>().join(",") + "\n"
    };
    text.lines().map(line).collect()
}

fn cells(table: &AttributeTable, row: usize) -> Vec<u64> {
    match &table.matrix {
        Matrix::Dense(dense) => (0..dense.cols()).map(|c| dense.get(row, c).to_bits()).collect(),
        Matrix::Sparse(sparse) => {
            let mut cells = vec![0f64; sparse.cols()];
            sparse.row(row).for_each(|(col, value)| cells[col as usize] = value);
            cells.iter().map(|value| value.to_bits()).collect()
        }
    }
}

fn fitted(folder: &TempDir) -> (AttributeTable, TableEncoding) {
    let table = read_attribute_table(write(folder.path(), "all.csv", rows(0..60))).expect("table");
    let encoding = table.encoding.clone().expect("encoding");
    assert_eq!(table.columns.as_ref(), Some(&encoding.column_names()));
    (table, encoding)
}

fn like(folder: &TempDir, encoding: &TableEncoding, text: &str) -> Result<AttributeTable, String> {
    let path = write(folder.path(), "new.csv", text);
    read_attributes_like(path, encoding, &ColumnOptions::default())
        .map_err(|error| error.to_string())
}

#[test]
fn rows_are_encoded_as_at_the_fit() {
    let folder = TempDir::new().expect("folder");
    let (all, encoding) = fitted(&folder);
    let check = |text: &str, wanted: &[usize]| {
        let new = like(&folder, &encoding, text).expect("new rows");
        let ids: Vec<String> = new.ids.as_ref().expect("ids").ids().collect();
        let expected: Vec<String> = wanted.iter().map(|i| format!("p{i}")).collect();
        assert_eq!(ids, expected);
        for (row, &i) in wanted.iter().enumerate() {
            assert_eq!(cells(&new, row), cells(&all, i), "row {i} of {text}");
        }
        assert!(new.warnings.is_empty(), "{:?}", new.warnings);
    };
    // Other means, other categories, other words than the whole; a single row even, in which
    // nothing differs.
    let some = [50, 3, 7, 20];
    check(&rows(some.into_iter()), &some);
    for i in 0..60 {
        check(&rows([i].into_iter()), &[i]);
        check(&shuffled(&rows([i].into_iter()), &[3, 4, 0, 2, 1]), &[i]);
    }
    // Without header, by position.
    let plain: String = rows(some.into_iter()).lines().skip(1).map(|l| format!("{l}\n")).collect();
    check(&plain, &some);
}

#[test]
fn what_the_fitted_table_does_not_have_is_said() {
    let folder = TempDir::new().expect("folder");
    let (_, encoding) = fitted(&folder);
    let text = "who,city,age,about,shoe\nx,Oslo,31,graphs of unheard things,42\ny,Bonn,33,,41\n";
    let new = like(&folder, &encoding, text).expect("new rows");
    let said: Vec<String> = new.warnings.iter().map(|note| note.to_string()).collect();
    let said = said.join("\n");
    for part in [
        "column `city`: 1 values are not in the model, left out; the first on line 2",
        "column `about`: 2 words are not in the model",
        "1 columns are not in the model, left out: shoe",
        "1 columns of the model are absent, taken as missing: height",
    ] {
        assert!(said.contains(part), "{part} in {said}");
    }
    for (text, parts) in [
        (
            "who,age\nx,old\n",
            &["line 2, column age", "`old`", "a number, as in the fitted table"][..],
        ),
        ("who,age\nx,inf\n", &["line 2, column age", "a number"]),
        ("x,1,Ulm\ny,2,Bonn\n", &["2 columns", "4, as in the fitted table"]),
        ("who,shoe,hat\nx,1,2\n", &["the columns shoe, hat", "age, city, about, height"]),
    ] {
        let error = like(&folder, &encoding, text).expect_err(text);
        assert!(parts.iter().all(|part| error.contains(part)), "{parts:?} in {error}");
    }
}

#[test]
fn tables_for_a_fitted_matrix_are_taken_as_they_are() {
    let folder = TempDir::new().expect("folder");
    let names = ["a", "b", "c"].map(str::to_owned);
    for (encoding, text) in [
        (TableEncoding::of_matrix(Some(&names), 3), "id,c,a,b\nx,3,1,2\ny,6,,5\n"),
        (TableEncoding::of_matrix(None, 3), "x,1,2,3\ny,,5,6\n"),
    ] {
        let new = like(&folder, &encoding, text).expect("new rows");
        let Matrix::Dense(dense) = &new.matrix else { panic!("dense") };
        assert_eq!((0..3).map(|c| dense.get(0, c)).collect::<Vec<_>>(), [1.0, 2.0, 3.0]);
        assert!(dense.get(1, 0).is_nan() && dense.get(1, 2) == 6.0);
    }
}

fn new_nodes(table: &AttributeTable) -> NewNodes {
    let (count, matrix) = (table.matrix.rows(), table.matrix.clone());
    let (name, direction) = ("attributes".to_owned(), Direction::Out);
    NewNodes { count, blocks: vec![NewBlock { name, direction, matrix, observed: None }] }
}

#[test]
fn a_model_remembers_how_its_table_was_encoded() {
    let folder = TempDir::new().expect("folder");
    let (all, encoding) = fitted(&folder);
    let mut block = Block::attributes("attributes", all.matrix.clone());
    (block.columns, block.encoding) = (all.columns.clone(), all.encoding.clone());
    let graph = Graph::new(all.ids.clone().expect("ids")).with_block(block).expect("graph");
    let params =
        FitParams { dimension: Dimension::Fixed(6), ..FitParams::preset("paper").expect("preset") };
    let model = fit(&graph, params.check().expect("params")).expect("fit");
    let path = folder.path().join("m.gage");
    model.save(&path).expect("saved");
    let model = Model::load(&path).expect("loaded");
    let kept = model.encoding("attributes", all.matrix.cols()).expect("encoding");
    assert_eq!(kept, encoding);
    // The fitted rows, once as the fit had them and once from cells: the same bits.
    let whole = model.fold_in(&new_nodes(&all)).expect("fitted rows").factors;
    let new = like(&folder, &kept, &shuffled(&rows([5, 9].into_iter()), &[4, 2, 0, 3, 1]));
    let some = model.fold_in(&new_nodes(&new.expect("new rows"))).expect("new rows").factors;
    let bits = |numbers: &AnyTall, row: usize| match numbers {
        AnyTall::F32(t) => t.row(row).iter().map(|v| u64::from(v.to_bits())).collect::<Vec<_>>(),
        AnyTall::F64(t) => t.row(row).iter().map(|v| v.to_bits()).collect(),
    };
    assert_eq!(bits(&some, 0), bits(&whole, 5));
    assert_eq!(bits(&some, 1), bits(&whole, 9));
}

#[test]
fn ids_can_be_named_or_denied() {
    let folder = TempDir::new().expect("folder");
    let data = "size,weight,tag\n3,1,a\n5,2,b\n3,4,c\n";
    let path = write(folder.path(), "t.csv", data);
    let error = read_attributes(&path).expect_err("sizes are no ids");
    assert!(error.to_string().contains("`3` in column `size`"), "{error}");
    assert_eq!(error.hint(), &Hint::IdColumn);
    let encoding = TableEncoding::of_matrix(Some(&["size".into(), "weight".into()]), 2);
    let read = |ids: &IdColumn| {
        read_attributes_like(&path, &encoding, &ColumnOptions::with_ids(ids.clone()))
    };
    let table = read(&IdColumn::Named("tag".into())).expect("named");
    assert_eq!(table.ids.expect("ids").ids().collect::<Vec<_>>(), ["a", "b", "c"]);
    assert!(read(&IdColumn::None).expect("none").ids.is_none());
    let error = read(&IdColumn::Named("nobody".into())).expect_err("no such column").to_string();
    assert!(error.contains("a column `nobody` with the ids"), "{error}");
    // Fractions are no ids, with a header or without.
    let table = read_attribute_table(write(folder.path(), "f.csv", "x,y\n0.5,1\n1.5,3\n"));
    let table = table.expect("fractions");
    assert!(table.ids.is_none() && table.matrix.cols() == 2);
    assert!(table.warnings[0].text.contains("the rows are in order"), "{:?}", table.warnings);
}

/// Every kind of column is kept by a model and read in the same way later.
#[test]
fn every_kind_of_column_is_encoded_alike_later() {
    let folder = TempDir::new().expect("folder");
    let mut text = "id;pop;len;born;met;smokes;zip;bio\n".to_owned();
    for i in 0..20usize {
        let smokes = ["TRUE", "no", "Yes", "f"][i % 4].replace('f', "false");
        let words = ["NA dogs", "big dogs", "NA", "big cats"][i % 4];
        let bio = if i % 4 == 2 { words.to_owned() } else { format!("{words} w{i}") };
        text.push_str(&format!(
            "p{i};{},{:03}.5;{},{};19{:02}-03-{:02};{:02}/02/2020;{smokes};0{};{bio}\n",
            i + 1,
            i * 7,
            i,
            i % 10,
            i + 50,
            i + 1,
            i + 8,
            i % 3
        ));
    }
    let all = read_attribute_table(write(folder.path(), "all.csv", &text)).expect("table");
    let encoding = all.encoding.clone().expect("encoding");
    let kinds: Vec<String> = encoding.columns[1..]
        .iter()
        .map(|column| serde_json::to_value(&column.kind).expect("JSON"))
        .map(|kind| match kind {
            serde_json::Value::String(name) => name,
            other => other.as_object().expect("a kind").keys().next().cloned().expect("a name"),
        })
        .collect();
    assert_eq!(kinds, ["number", "number", "date", "date", "boolean", "category", "text"]);
    let stored = serde_json::to_string(&encoding).expect("JSON");
    let read: TableEncoding = serde_json::from_str(&stored).expect("stored");
    assert_eq!(read, encoding);
    assert_eq!(read.check(), Ok(()));
    let lines: Vec<&str> = text.lines().collect();
    let later = format!("{}\n{}\n{}\n", lines[0], lines[14], lines[3]);
    let new = like(&folder, &read, &later).expect("later rows");
    assert_eq!((cells(&new, 0), cells(&new, 1)), (cells(&all, 13), cells(&all, 2)));
    for (old, wrong, expected) in [
        ("1963-03-14", "soon", "a date"),
        ("21/02/2020", "31/02/2020", "a date"),
        ("no", "perhaps", "yes or no"),
        ("13,3", "13.3.3", "a number"),
    ] {
        let later = format!("{}\n{}\n", lines[0], lines[14]);
        assert!(later.contains(old), "{old} in {later}");
        let error = like(&folder, &read, &later.replace(old, wrong)).unwrap_err();
        assert!(error.contains(expected) && error.contains("line 2"), "{error}");
    }
    // What models of earlier versions hold.
    let old = r#"{"header":true,"id":0,"dense":true,"columns":[{"name":"id"},
        {"name":"age","kind":{"number":{"mean":30.0,"deviation":2.0}}}]}"#;
    let old: TableEncoding = serde_json::from_str(old).expect("an old encoding");
    let new = like(&folder, &old, "id,age\na,34\n").expect("a row");
    assert_eq!(cells(&new, 0), [2.0f64.to_bits()]);
}
