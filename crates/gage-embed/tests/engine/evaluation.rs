//! Agreement of the evaluation with scikit-learn, run on the same numbers and the same splits.
//!
//! `GAGE_PYTHON` names the interpreter (`python3` otherwise), `GAGE_DATASETS` the folder of real
//! data sets. What is missing is skipped with a message, but fails when `CI=true`.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use gage_embed::eval::{
    KMeansParams, LinkParams, LinkScore, Logistic, LogisticParams, Split, TrainSize,
    adjusted_rand_index, average_precision, f1_scores, k_means, normalized_mutual_information,
    remove_links, roc_auc, score_pairs, silhouette, split,
};
use gage_embed::{Labels, SparseMatrix, Tall};
use gage_testing::Python;
use serde_json::{Value, json};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/engine/evaluation.py");

/// Runs one command of the script; `false` when there is no scikit-learn.
fn python(command: &str, folder: &Path) -> bool {
    let Some(python) = Python::with("sklearn, scipy") else { return false };
    let said = python.run(folder, &[OsStr::new(SCRIPT), command.as_ref(), folder.as_ref()]);
    eprintln!("{command}: scikit-learn {said}");
    true
}

fn write_f64(path: PathBuf, values: &[f64]) {
    fs::write(path, values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>()).unwrap();
}

fn write_i64(path: PathBuf, values: impl Iterator<Item = i64>) {
    fs::write(path, values.flat_map(i64::to_le_bytes).collect::<Vec<u8>>()).unwrap();
}

fn read_words(path: PathBuf) -> Vec<[u8; 8]> {
    fs::read(path).unwrap().chunks_exact(8).map(|word| word.try_into().unwrap()).collect()
}

fn read_i64(path: PathBuf) -> Vec<i64> {
    read_words(path).into_iter().map(i64::from_le_bytes).collect()
}

fn read_table(path: PathBuf, columns: usize) -> Tall<f64> {
    let values: Vec<f64> = read_words(path).into_iter().map(f64::from_le_bytes).collect();
    Tall::from_rows(values.len() / columns, columns, |row, out: &mut [f64]| {
        out.copy_from_slice(&values[row * columns..(row + 1) * columns]);
    })
}

fn read_json(path: PathBuf) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Numbers that look random and are the same everywhere.
struct Noise(u64);

impl Noise {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    /// Roughly normal: a sum of twelve uniform numbers.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.below(1 << 20) as f64 / f64::from(1 << 20)).sum::<f64>() - 6.0
    }

    fn table(&mut self, rows: usize, columns: usize) -> Tall<f64> {
        let mut table = Tall::zeros(rows, columns);
        table.data_mut().iter_mut().for_each(|value| *value = self.normal());
        table
    }
}

/// An embedding with labels, splits and a value of C.
struct Case {
    name: String,
    embedding: Tall<f64>,
    labels: Labels,
    numbers: Vec<i64>,
    c: f64,
    splits: Vec<Split>,
    /// Whether scikit-learn at its default tolerance comes close enough to the minimum to compare
    /// with.
    settles: bool,
}

impl Case {
    fn new(name: String, embedding: Tall<f64>, numbers: Vec<i64>, c: f64) -> Case {
        let labels = Labels::from_numbers(&numbers);
        let sizes = [0.9, 0.5, 0.1].map(TrainSize::Share);
        let splits = sizes.map(|size| split(&labels, size, 3, 0).unwrap()).to_vec();
        Case { name, embedding, labels, numbers, c, splits, settles: true }
    }

    fn job(&self) -> Value {
        json!({
            "name": self.name, "columns": self.embedding.cols(), "c": self.c, "splits": self.splits,
            "classes": self.labels.class_names().len(),
        })
    }
}

/// Fits every case here and there; compares predictions node by node, and the scores of our
/// predictions.
fn compare_classifiers(folder: &Path, cases: &[Case]) {
    let params = |case: &Case| LogisticParams { c: case.c, ..LogisticParams::default() };
    for case in cases {
        for (at, split) in case.splits.iter().enumerate() {
            let model =
                Logistic::fit(&case.embedding, &case.labels, &split.train, &params(case)).unwrap();
            assert!(
                model.fits().iter().all(|fit| fit.converged),
                "{}: {:?}",
                case.name,
                model.fits()
            );
            let ours = model.predict(&case.embedding, &split.test).unwrap();
            let path = folder.join(format!("{}.{at}.ours", case.name));
            write_i64(path, ours.into_iter().map(i64::from));
        }
    }
    let jobs: Vec<Value> = cases.iter().map(Case::job).collect();
    fs::write(folder.join("classify.json"), json!(jobs).to_string()).unwrap();
    if !python("classify", folder) {
        return;
    }
    let scores = read_json(folder.join("classify.result"));
    let mut scores = scores.as_array().unwrap().iter();
    for case in cases {
        let (mut nodes, mut equal) = (0, [0; 3]);
        for (at, split) in case.splits.iter().enumerate() {
            let read = |what: &str| read_i64(folder.join(format!("{}.{at}.{what}", case.name)));
            let ours = read("ours");
            nodes += ours.len();
            let (default, tight) = (read("default"), read("tight"));
            let pairs = [(&ours, &default), (&ours, &tight), (&default, &tight)];
            for (equal, (a, b)) in equal.iter_mut().zip(pairs) {
                *equal += a.iter().zip(b).filter(|(a, b)| a == b).count();
            }
            let truth: Vec<[u32; 1]> =
                split.test.iter().map(|&node| [case.numbers[node as usize] as u32]).collect();
            let ours: Vec<[u32; 1]> = ours.iter().map(|&class| [class as u32]).collect();
            let found = f1_scores(&truth, &ours, case.labels.class_names().len()).unwrap();
            let found = serde_json::to_value(found).unwrap();
            for (name, theirs) in scores.next().unwrap().as_object().unwrap() {
                let (ours, theirs) = (found[name].as_f64().unwrap(), theirs.as_f64().unwrap());
                assert!((ours - theirs).abs() < 1e-12, "{} {name}: {ours} {theirs}", case.name);
            }
        }
        let [default, tight, between] = equal.map(|equal| equal as f64 / nodes as f64);
        eprintln!(
            "{}: {nodes} nodes, equal to scikit-learn {default:.5}, to a converged one {tight:.5}; \
             those two {between:.5}",
            case.name
        );
        assert!(tight >= 0.9995, "{}: {tight}", case.name);
        assert_eq!(between >= 0.995, case.settles, "{}: {between}", case.name);
        assert!(default >= 0.995 || !case.settles, "{}: {default}", case.name);
    }
}

#[test]
fn classification_of_made_up_nodes_agrees() {
    let folder = tempfile::tempdir().unwrap();
    let mut noise = Noise(1);
    let mut cases = Vec::new();
    for (classes, c, spread) in [(2, 1.0, 1.0), (5, 0.01, 1.0), (5, 100.0, 1.0), (4, 1.0, 300.0)] {
        let mut embedding = noise.table(1200, 12);
        let numbers: Vec<i64> = (0..1200).map(|_| noise.below(classes) as i64).collect();
        for (row, &class) in numbers.iter().enumerate() {
            embedding.row_mut(row)[class as usize] += 1.5;
            // An offset makes the penalised intercept matter.
            embedding.row_mut(row).iter_mut().for_each(|value| *value = spread * (*value + 0.7));
        }
        let name = format!("made-up-{classes}-{c}-{spread}");
        write_f64(folder.path().join(format!("{name}.embedding")), embedding.data());
        write_i64(folder.path().join(format!("{name}.labels")), numbers.iter().copied());
        // Far from unit scale scikit-learn stops early: it then differs from itself at a tight
        // tolerance.
        cases.push(Case { settles: spread == 1.0, ..Case::new(name, embedding, numbers, c) });
    }
    compare_classifiers(folder.path(), &cases);
}

#[test]
fn classification_of_real_graphs_agrees() {
    let names = ["webkb", "wiki", "blogcatalog"];
    let folder = tempfile::tempdir().unwrap();
    let mut jobs = Vec::new();
    for name in names {
        let Some(source) = gage_testing::dataset(name) else { continue };
        // Entries of size one, and small entries, where the penalty rules.
        for spread in [1.0, 0.05] {
            let name = format!("{name}-{spread}");
            jobs.push(json!({"name": name, "source": source, "columns": 64, "spread": spread}));
        }
    }
    fs::write(folder.path().join("embed.json"), json!(jobs).to_string()).unwrap();
    if !python("embed", folder.path()) {
        return;
    }
    let case = |job: &Value| {
        let name = job["name"].as_str().unwrap().to_owned();
        let embedding = read_table(folder.path().join(format!("{name}.embedding")), 64);
        let numbers = read_i64(folder.path().join(format!("{name}.labels")));
        Case::new(name, embedding, numbers, 1.0)
    };
    compare_classifiers(folder.path(), &jobs.iter().map(case).collect::<Vec<_>>());
}

#[test]
fn several_labels_agree() {
    let folder = tempfile::tempdir().unwrap();
    let (nodes, columns, classes) = (800, 10, 6);
    let mut noise = Noise(2);
    let mut embedding = noise.table(nodes, columns);
    let lists: Vec<Vec<u32>> = (0..nodes)
        .map(|row| {
            let list: Vec<u32> = (0..classes as u32).filter(|_| noise.below(3) == 0).collect();
            let list =
                if list.is_empty() { vec![noise.below(classes as u64) as u32] } else { list };
            list.iter().for_each(|&class| embedding.row_mut(row)[class as usize] += 1.5);
            list
        })
        .collect();
    let names = (0..classes).map(|class| class.to_string()).collect();
    let labels = Labels::from_lists(names, lists.iter().cloned());
    let halves = split(&labels, TrainSize::Share(0.5), 1, 0).unwrap();
    write_f64(folder.path().join("several.embedding"), embedding.data());
    let flags =
        lists.iter().flat_map(|list| (0..classes as u32).map(|c| i64::from(list.contains(&c))));
    write_i64(folder.path().join("several.labels"), flags);
    let job = json!({
        "columns": columns, "classes": classes, "c": 1.0,
        "train": halves.train, "test": halves.test,
    });
    fs::write(folder.path().join("several.json"), job.to_string()).unwrap();
    if !python("several", folder.path()) {
        return;
    }
    let theirs = read_json(folder.path().join("several.result"));
    let expected: Vec<Vec<u32>> = serde_json::from_value(theirs["predicted"].clone()).unwrap();
    let model =
        Logistic::fit(&embedding, &labels, &halves.train, &LogisticParams::default()).unwrap();
    let truth: Vec<&[u32]> = halves.test.iter().map(|&node| labels.of(node as usize)).collect();
    let counts: Vec<usize> = truth.iter().map(|list| list.len()).collect();
    let ours = model.predict_top(&embedding, &halves.test, &counts).unwrap();
    let equal = ours.iter().zip(&expected).filter(|(a, b)| a == b).count();
    assert!(equal as f64 >= 0.995 * ours.len() as f64, "{equal} of {}", ours.len());
    let scores = f1_scores(&truth, &expected, classes).unwrap();
    for (name, ours) in
        [("micro", scores.micro), ("macro_all", scores.macro_all), ("accuracy", scores.accuracy)]
    {
        assert!((ours - theirs[name].as_f64().unwrap()).abs() < 1e-12, "{name}");
    }
}

#[test]
fn ranking_metrics_agree() {
    let folder = tempfile::tempdir().unwrap();
    let mut noise = Noise(3);
    let mut cases: Vec<(String, Vec<f64>, Vec<bool>)> = Vec::new();
    // From many ties to none, and few positives.
    for (size, levels, one_in) in
        [(50, 3, 2), (5000, 10, 2), (5000, 1 << 30, 2), (20_000, 1000, 100)]
    {
        let scores = (0..size).map(|_| noise.below(levels) as f64 / 7.0 - 1.0).collect();
        let truth = (0..size).map(|_| noise.below(one_in) == 0).collect();
        cases.push((format!("noise-{size}-{levels}"), scores, truth));
    }
    let links: Vec<(u32, u32, f64)> =
        (0..4000).map(|_| (noise.below(900) as u32, noise.below(900) as u32, 1.0)).collect();
    let graph = SparseMatrix::from_triplets(900, 900, &links).unwrap();
    let embedding = noise.table(900, 8);
    for (directed, score) in
        [(false, LinkScore::Dot), (true, LinkScore::Cosine), (true, LinkScore::NegativeDistance)]
    {
        let params = LinkParams { directed, ..LinkParams::default() };
        let hidden = remove_links(&graph, &params).unwrap();
        let pairs = [&hidden.held_out[..], &hidden.absent[..]].concat();
        let scores = score_pairs(&embedding, &pairs, score).unwrap();
        let truth = (0..pairs.len()).map(|at| at < hidden.held_out.len()).collect();
        cases.push((format!("links-{directed}-{score:?}"), scores, truth));
    }
    for (name, scores, truth) in &cases {
        write_f64(folder.path().join(format!("{name}.scores")), scores);
        write_i64(folder.path().join(format!("{name}.truth")), truth.iter().map(|&t| i64::from(t)));
    }
    let names: Vec<&String> = cases.iter().map(|case| &case.0).collect();
    fs::write(folder.path().join("ranking.json"), json!(names).to_string()).unwrap();
    if !python("ranking", folder.path()) {
        return;
    }
    let theirs: Vec<[f64; 2]> =
        serde_json::from_value(read_json(folder.path().join("ranking.result"))).unwrap();
    for ((name, scores, truth), [auc, precision]) in cases.iter().zip(theirs) {
        assert!((roc_auc(scores, truth).unwrap() - auc).abs() < 1e-9, "{name}");
        assert!((average_precision(scores, truth).unwrap() - precision).abs() < 1e-9, "{name}");
    }
}

#[test]
fn cluster_metrics_agree() {
    let folder = tempfile::tempdir().unwrap();
    let mut noise = Noise(4);
    let mut cases = Vec::new();
    for (nodes, columns, parts, spread) in [(40, 2, 3, 0.0), (900, 6, 5, 2.0), (1500, 20, 30, 1.0)]
    {
        let mut embedding = noise.table(nodes, columns);
        let truth: Vec<u32> = (0..nodes).map(|_| noise.below(parts) as u32).collect();
        for (row, &part) in truth.iter().enumerate() {
            embedding.row_mut(row)[part as usize % columns] += spread * f64::from(part);
        }
        let params = KMeansParams { restarts: 2, ..KMeansParams::new(parts as usize) };
        let found = k_means(&embedding, &params).unwrap().assignment;
        cases.push((format!("clusters-{nodes}"), embedding, truth, found));
    }
    let mut jobs = Vec::new();
    for (name, embedding, truth, found) in &cases {
        write_f64(folder.path().join(format!("{name}.embedding")), embedding.data());
        for (what, parts) in [("truth", truth), ("found", found)] {
            let path = folder.path().join(format!("{name}.{what}"));
            write_i64(path, parts.iter().map(|&part| i64::from(part)));
        }
        jobs.push(json!({"name": name, "columns": embedding.cols()}));
    }
    fs::write(folder.path().join("clusters.json"), json!(jobs).to_string()).unwrap();
    if !python("clusters", folder.path()) {
        return;
    }
    let theirs: Vec<[f64; 3]> =
        serde_json::from_value(read_json(folder.path().join("clusters.result"))).unwrap();
    for ((name, embedding, truth, found), theirs) in cases.iter().zip(theirs) {
        let ours = [
            normalized_mutual_information(truth, found).unwrap(),
            adjusted_rand_index(truth, found).unwrap(),
            silhouette(embedding, found, usize::MAX, 0).unwrap(),
        ];
        for (ours, theirs) in ours.iter().zip(theirs) {
            assert!((ours - theirs).abs() < 1e-9, "{name}: {ours} {theirs}");
        }
    }
}
