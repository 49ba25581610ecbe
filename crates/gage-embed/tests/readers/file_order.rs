//! The order of lines and columns in files changes nothing of what a node is.

use gage_embed::io::{DatasetSpec, load};
use gage_embed::{Dimension, FitParams, Lambda, fit};
use tempfile::TempDir;

use crate::fuzz::Random;
use crate::support::write;

const NODES: usize = 40;

/// A table of every kind of column, and links that follow its groups.
fn files() -> (Vec<Vec<String>>, Vec<Vec<String>>) {
    let words = ["graphs and trees", "trees in forests", "big matrix graphs", "a matrix of dogs"];
    let mut table =
        vec![["id", "age", "town", "born", "smokes", "bio"].map(str::to_owned).to_vec()];
    let mut links = vec![["source", "target", "weight"].map(str::to_owned).to_vec()];
    for i in 0..NODES {
        let age = if i % 9 == 4 { "NA".to_owned() } else { format!("{}", 20 + i * i % 37) };
        let born = format!("19{:02}-0{}-1{}", 50 + i % 40, 1 + i % 9, i % 10);
        let smokes = ["yes", "FALSE", "true"][i % 3];
        let town = ["Rome", "Oslo", "Bonn"][(i / 2) % 3];
        let bio = format!("{} {}", words[i % 4], words[(i / 3) % 4]);
        table.push(vec![format!("p{i}"), age, town.into(), born, smokes.into(), bio]);
        for step in [1, 3, 7] {
            let (from, to) = (format!("p{i}"), format!("p{}", (i + step * (1 + i % 2)) % NODES));
            links.push(vec![from, to, format!("{}", 1 + (i + step) % 4)]);
        }
    }
    (table, links)
}

fn shuffle<T>(random: &mut Random, list: &mut [T]) {
    for at in (1..list.len()).rev() {
        list.swap(at, random.below(at + 1));
    }
}

/// The rows and columns in another order; the header stays first.
fn shuffled(random: &mut Random, rows: &[Vec<String>]) -> String {
    let mut columns: Vec<usize> = (0..rows[0].len()).collect();
    shuffle(random, &mut columns);
    let mut body: Vec<&Vec<String>> = rows[1..].iter().collect();
    shuffle(random, &mut body);
    let line = |row: &Vec<String>| {
        columns.iter().map(|&at| row[at].as_str()).collect::<Vec<_>>().join(",") + "\n"
    };
    std::iter::once(&rows[0]).chain(body).map(line).collect()
}

/// Squared distances between nodes in the order of their numbers.
fn distances(folder: &TempDir, table: &str, links: &str) -> Vec<f64> {
    let spec = DatasetSpec {
        graph: Some(write(folder.path(), "links.csv", links)),
        attributes: Some(write(folder.path(), "people.csv", table)),
        ..DatasetSpec::default()
    };
    let graph = load(&spec).expect("files").graph;
    let dimension = Dimension::Fixed(5);
    let preset = gage_embed::Preset::named("balanced").expect("a preset");
    let params = FitParams { dimension, preset, ..FitParams::default() };
    let model = fit(&graph, params.check().expect("parameters")).expect("fits");
    let rows = model.embedding(&Lambda::Preset).expect("rows").to_f32();
    let at: Vec<usize> =
        (0..NODES).map(|i| graph.nodes().find(&format!("p{i}")).expect("a node")).collect();
    let mut all = Vec::new();
    for &a in &at {
        for &b in &at {
            let pairs = rows.row(a).iter().zip(rows.row(b));
            all.push(pairs.map(|(x, y)| f64::from(x - y).powi(2)).sum());
        }
    }
    all
}

#[test]
fn any_order_of_lines_and_columns_gives_the_same_embedding_by_id() {
    let folder = TempDir::new().expect("folder");
    let (table, links) = files();
    let plain =
        |rows: &[Vec<String>]| rows.iter().map(|row| row.join(",") + "\n").collect::<String>();
    let expected = distances(&folder, &plain(&table), &plain(&links));
    let scale = expected.iter().copied().fold(0.0, f64::max);
    let mut random = Random(11);
    for _ in 0..6 {
        let (table, links) = (shuffled(&mut random, &table), shuffled(&mut random, &links));
        let found = distances(&folder, &table, &links);
        let off = found.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 2e-3 * scale, "{off} of {scale}");
    }
}
