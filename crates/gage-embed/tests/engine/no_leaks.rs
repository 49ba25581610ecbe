//! The evaluation is honest: nothing that is to be predicted reaches an embedding, a classifier or
//! a choice.
//!
//! The strongest checks need no knowledge of the code: on data without structure every score must
//! be chance, and an embedding that was shown what it should not see must score above it.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use gage_embed::eval::{
    ClassifyParams, ClusterParams, EvalError, EvalObserver, LinkExperiment, LinkScore,
    LogisticParams, SweepTask, TrainSize, TuneParams, classify, classify_split, even_lambdas,
    folds, hide_links, labelled_nodes, link_experiment, split, sweep, tune,
};
use gage_embed::io::{DatasetSpec, Directed, load};
use gage_embed::{
    AnyTall, Block, CheckedParams, Dimension, FitParams, Graph, Labels, Lambda, Matrix, NoObserver,
    Nodes, Observer, SparseMatrix, Tall, fit, fit_with,
};
use gage_testing::Random;

/// A graph of `classes` groups; `homophily` of the links and `signal` of the words follow them, the
/// rest is chance. With both zero nothing about it can be predicted from the rest.
fn graph(nodes: usize, classes: usize, homophily: f64, signal: f64, directed: bool) -> Graph {
    let mut source = Random::new(nodes as u64 + 1000 * classes as u64);
    let class: Vec<usize> = (0..nodes).map(|_| source.below(classes)).collect();
    let mut links = HashSet::new();
    while links.len() < 5 * nodes {
        let i = source.below(nodes);
        let mut j = source.below(nodes);
        if source.unit() < homophily {
            while class[j] != class[i] {
                j = source.below(nodes);
            }
        }
        if i != j {
            links.insert(if directed { (i, j) } else { (i.min(j), i.max(j)) });
        }
    }
    let mut links: Vec<(u32, u32, f64)> =
        links.into_iter().map(|(i, j)| (i as u32, j as u32, 1.0)).collect();
    if !directed {
        links.extend(links.clone().into_iter().map(|(i, j, value)| (j, i, value)));
    }
    links.sort_by_key(|link| (link.0, link.1));
    let mut words = HashSet::new();
    for (i, &class) in class.iter().enumerate() {
        for _ in 0..8 {
            let own = source.unit() < signal;
            let word = if own { 10 * class + source.below(10) } else { source.below(10 * classes) };
            words.insert((i as u32, word as u32));
        }
    }
    let mut words: Vec<(u32, u32, f64)> = words.into_iter().map(|(i, w)| (i, w, 1.0)).collect();
    words.sort_by_key(|word| (word.0, word.1));
    let numbers: Vec<i64> = class.iter().map(|&class| class as i64).collect();
    let matrix = |cols, entries: &[_]| SparseMatrix::from_triplets(nodes, cols, entries).unwrap();
    Graph::new(Nodes::numbered(nodes))
        .with_block(Block::links("links", matrix(nodes, &links), directed))
        .unwrap()
        .with_block(Block::attributes("attributes", matrix(10 * classes, &words)))
        .unwrap()
        .with_labels(Labels::from_numbers(&numbers))
        .unwrap()
}

fn params(columns: usize) -> FitParams {
    FitParams { dimension: Dimension::Fixed(columns), loadings: false, ..FitParams::default() }
}

fn checked(columns: usize) -> CheckedParams {
    params(columns).check().unwrap()
}

fn noise(rows: usize, cols: usize, seed: u64) -> Tall<f64> {
    let mut source = Random::new(seed);
    let values: Vec<f64> = (0..rows * cols).map(|_| source.unit() + source.unit() - 1.0).collect();
    Tall::from_rows(rows, cols, |row, out: &mut [f64]| {
        out.copy_from_slice(&values[row * cols..(row + 1) * cols]);
    })
}

fn embed(graph: &Graph, seed: u64, lambda: &Lambda) -> Result<AnyTall, EvalError> {
    let params = FitParams { seed, ..params(32) }.check()?;
    Ok(fit(graph, params)?.embedding(lambda)?)
}

fn entries(graph: &Graph, block: &str) -> Vec<(u32, u32)> {
    let Matrix::Sparse(links) = &graph.block(block).unwrap().matrix else { panic!("not sparse") };
    (0..links.rows()).flat_map(|i| links.row(i).map(move |(j, _)| (i as u32, j))).collect()
}

/// Gives every one of the nodes the label of the next.
fn rotated(labels: &Labels, nodes: &[u32]) -> Labels {
    let mut lists: Vec<Vec<u32>> = (0..labels.len()).map(|node| labels.of(node).to_vec()).collect();
    for (at, &node) in nodes.iter().enumerate() {
        let next = nodes[(at + 1) % nodes.len()] as usize;
        lists[node as usize] = labels.of(next).to_vec();
    }
    Labels::from_lists(labels.class_names().to_vec(), lists.into_iter())
}

#[test]
fn splits_share_no_node_and_cover_all_labelled_ones() {
    let mut numbers: Vec<i64> = (0..301).map(|node| node % 4).collect();
    numbers.iter_mut().step_by(7).for_each(|class| *class = -1);
    let labels = Labels::from_numbers(&numbers);
    let known = labelled_nodes(&labels);
    let mut all: Vec<_> = folds(&labels, 5, 3).unwrap();
    for share in [0.9, 0.5, 0.1] {
        all.extend((0..4).map(|at| split(&labels, TrainSize::Share(share), 3, at).unwrap()));
    }
    for split in all {
        assert!(split.train.iter().all(|node| !split.test.contains(node)));
        let mut both = [split.train, split.test].concat();
        both.sort_unstable();
        assert_eq!(both, known);
    }
}

#[test]
fn permuted_test_labels_change_no_prediction() {
    let graph = graph(300, 3, 0.6, 0.4, false);
    let labels = graph.labels().unwrap();
    let embedding = embed(&graph, 1, &Lambda::Preset).unwrap().to_f64();
    let split = split(labels, TrainSize::Share(0.5), 1, 0).unwrap();
    let logistic = LogisticParams::default();
    let before = classify_split(&embedding, labels, &split, &logistic).unwrap();
    let permuted = rotated(labels, &split.test);
    let after = classify_split(&embedding, &permuted, &split, &logistic).unwrap();
    assert_eq!(before.predicted, after.predicted);
    assert!(before.scores.micro > after.scores.micro + 0.2, "{:?}", (before.scores, after.scores));
    // A changed *training* label must be able to change something, or the check above could not
    // fail.
    let misled = classify_split(&embedding, &rotated(labels, &split.train), &split, &logistic);
    assert_ne!(before.predicted, misled.unwrap().predicted);
}

#[test]
fn a_random_embedding_and_shuffled_labels_score_at_chance() {
    let params = ClassifyParams {
        train: vec![TrainSize::Share(0.5)],
        shuffles: 4,
        ..ClassifyParams::default()
    };
    // Two of three nodes in one class: always answering it is the best that chance can do.
    let numbers: Vec<i64> = (0..2400).map(|node| if node % 3 == 0 { 1 } else { 0 }).collect();
    let labels = Labels::from_numbers(&numbers);
    let report = classify(&noise(2400, 8, 5), &labels, &params).unwrap();
    let found = report.results[0].micro_f1.mean;
    assert!((found - 2.0 / 3.0).abs() < 0.03, "{found}");
    let graph = graph(1500, 4, 0.7, 0.6, false);
    let labels = graph.labels().unwrap();
    let embedding = embed(&graph, 0, &Lambda::Preset).unwrap().to_f64();
    let informed = classify(&embedding, labels, &params).unwrap().results[0].micro_f1.mean;
    let mut order: Vec<u32> = (0..1500).collect();
    let mut source = Random::new(77);
    (1..1500).rev().for_each(|last| order.swap(last, source.below(last + 1)));
    let shuffled = classify(&embedding, &rotated(labels, &order), &params).unwrap();
    let chance = shuffled.results[0].micro_f1.mean;
    assert!(informed > 0.8 && (chance - 0.25).abs() < 0.05, "{informed} and {chance}");
}

#[test]
fn links_without_structure_cannot_be_predicted_unless_they_are_leaked() {
    let all = vec![LinkScore::Dot, LinkScore::Cosine, LinkScore::NegativeDistance];
    let task = LinkExperiment { shuffles: 4, scores: all, ..LinkExperiment::default() };
    // Attributes smoothed over the links: the rows of two linked nodes share the attributes of
    // both.
    let smoothed = |graph: &Graph, seed| -> Result<AnyTall, EvalError> {
        let weights = Some(vec![0.1, 0.1, 1.0]);
        let preset = FitParams::preset("balanced")?.preset;
        let model = fit(graph, FitParams { seed, weights, preset, ..params(40) }.check()?)?;
        Ok(model.embedding(&Lambda::PerView(vec![0.0, 0.0, 1.0]))?)
    };
    for directed in [false, true] {
        let graph = graph(700, 4, 0.0, 0.0, directed);
        let random =
            link_experiment(&graph, &task, &NoObserver, |graph, seed| -> Result<_, EvalError> {
                Ok(AnyTall::from(noise(graph.nodes().len(), 16, seed)))
            });
        let honest = link_experiment(&graph, &task, &NoObserver, smoothed);
        for report in [random.unwrap(), honest.unwrap()] {
            assert_eq!(report.directed, directed);
            for result in &report.results {
                let (auc, precision) = (result.auc.mean, result.average_precision.mean);
                assert!((auc - 0.5).abs() < 0.03, "{:?}: AUC {auc}", result.score);
                assert!((precision - 0.5).abs() < 0.04, "{:?}: AP {precision}", result.score);
            }
        }
        // The same embedding, but of the whole graph: now the hidden links are found.
        let cheat = link_experiment(&graph, &task, &NoObserver, |_, seed| smoothed(&graph, seed));
        let found = cheat.unwrap().results[0].auc.mean;
        assert!(found > 0.6, "a leak would go unnoticed: AUC {found}");
    }
}

#[test]
fn links_with_structure_are_found() {
    let graph = graph(700, 4, 0.9, 0.8, false);
    let task = LinkExperiment { shuffles: 2, ..LinkExperiment::default() };
    let report = link_experiment(&graph, &task, &NoObserver, |graph, seed| {
        embed(graph, seed, &Lambda::Preset)
    });
    let report = report.unwrap();
    assert!(report.results[0].auc.mean > 0.8, "{:?}", report.results[0].auc);
    assert_eq!((report.hidden, report.results[0].runs.len()), (1750, 2));
    assert!(report.still_linked.is_empty());
}

#[test]
fn hidden_links_are_gone_in_both_directions_and_other_pairs_were_never_links() {
    for directed in [false, true] {
        let graph = graph(300, 3, 0.5, 0.5, directed);
        let whole: HashSet<(u32, u32)> = entries(&graph, "links").into_iter().collect();
        let hidden = hide_links(&graph, None, 0.5, 9).unwrap();
        let rest: HashSet<(u32, u32)> = entries(&hidden.graph, "links").into_iter().collect();
        assert!(hidden.graph.labels().is_none());
        for &(i, j) in &hidden.split.held_out {
            assert!(whole.contains(&(i, j)) && !rest.contains(&(i, j)));
            assert!(directed || !rest.contains(&(j, i)));
        }
        for &(i, j) in &hidden.split.absent {
            assert!(i != j && !whole.contains(&(i, j)));
            assert!(directed || !whole.contains(&(j, i)));
        }
        let times = if directed { 1 } else { 2 };
        assert_eq!(rest.len() + times * hidden.split.held_out.len(), whole.len());
        assert!(rest.is_subset(&whole));
    }
}

#[test]
fn every_view_is_the_one_of_files_written_without_the_hidden_links() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let made = graph(200, 3, 0.6, 0.6, false);
    let write = |name: &str, pairs: &[(u32, u32)]| {
        let lines: Vec<String> =
            pairs.iter().filter(|p| p.0 < p.1).map(|(i, j)| format!("n{i},n{j}\n")).collect();
        std::fs::write(place(name), format!("source,target\n{}", lines.concat())).unwrap();
    };
    let names: Vec<String> = (0..200).map(|node| format!("n{node}\n")).collect();
    std::fs::write(place("names.txt"), names.concat()).unwrap();
    let mut table = "id,a,b,c\n".to_owned();
    let mut source = Random::new(8);
    for node in 0..200 {
        let mut number = || source.below(50);
        table.push_str(&format!("n{node},{},{},{}\n", number(), number(), number()));
    }
    std::fs::write(place("people.csv"), table).unwrap();
    let read = |links: &str| {
        let spec = DatasetSpec {
            graph: Some(place(links)),
            attributes: Some(place("people.csv")),
            nodes: Some(place("names.txt")),
            directed: Directed::No,
            ..DatasetSpec::default()
        };
        load(&spec).unwrap().graph
    };
    // Ten nodes are in no line of the file, so of their links nothing is known.
    let known: Vec<(u32, u32)> =
        entries(&made, "links").into_iter().filter(|pair| pair.0.max(pair.1) < 190).collect();
    write("whole.csv", &known);
    let whole = read("whole.csv");
    // Nine of ten links go, so that some nodes lose all of theirs and count as not observed.
    let hidden = hide_links(&whole, None, 0.9, 4).unwrap();
    write("rest.csv", &entries(&hidden.graph, "links"));
    let rest = read("rest.csv");
    let observed = |graph: &Graph| graph.block("links").unwrap().observed.clone();
    assert!(observed(&rest).is_some_and(|mask| mask.count() < 150));
    assert_eq!(observed(&hidden.graph), observed(&rest));
    assert_eq!(entries(&hidden.graph, "links"), entries(&rest, "links"));
    let (ours, theirs) = (fit(&hidden.graph, checked(8)), fit(&rest, checked(8)));
    let (ours, theirs) = (ours.unwrap(), theirs.unwrap());
    let names: Vec<&str> = ours.views().iter().map(|view| view.name.as_str()).collect();
    assert_eq!(names, ["links", "attributes", "walks", "far"]);
    // Each view of attributes over links alone, then all together: the same bits.
    let walks = Lambda::PerView(vec![0.0, 0.0, 1.0, 0.0]);
    let smoothed = Lambda::PerView(vec![0.0, 0.0, 0.0, 1.0]);
    for lambda in [walks, smoothed, Lambda::Preset] {
        let bits = |model: &gage_embed::Model| {
            let numbers = model.embedding(&lambda).unwrap().to_f32();
            numbers.data().iter().map(|x| x.to_bits()).collect::<Vec<_>>()
        };
        assert_eq!(bits(&ours), bits(&theirs));
        assert_ne!(bits(&ours), bits(&fit(&whole, checked(8)).unwrap()));
    }
}

#[test]
fn seeds_change_what_is_hidden_and_the_same_seed_repeats_it() {
    let graph = graph(200, 3, 0.6, 0.6, false);
    let run = |seed| {
        let task = LinkExperiment { shuffles: 2, seed, ..LinkExperiment::default() };
        let hidden = |shuffle| task.hide(&graph, shuffle).unwrap().0.split.held_out;
        let pairs = [hidden(0), hidden(1)];
        let report = link_experiment(&graph, &task, &NoObserver, |graph, seed| {
            embed(graph, seed, &Lambda::Preset)
        });
        (pairs, report.unwrap())
    };
    assert_eq!(run(1), run(1));
    let ([first, second], report) = run(1);
    assert_ne!(first, second);
    assert_ne!(report, run(2).1);
    assert_ne!(first, run(2).0[0]);
}

#[test]
fn a_sweep_gives_what_each_share_gives_by_itself() {
    let graph = graph(300, 3, 0.6, 0.5, false);
    let lambdas = even_lambdas(3);
    let one = ClassifyParams {
        train: vec![TrainSize::Share(0.5)],
        shuffles: 2,
        ..ClassifyParams::default()
    };
    let swept =
        sweep(&graph, &checked(32), &lambdas, &SweepTask::Classify(one.clone()), &NoObserver);
    let swept = swept.unwrap();
    assert_eq!((swept.fits, swept.series.len()), (1, 2));
    let task = LinkExperiment { shuffles: 2, ..LinkExperiment::default() };
    let links = sweep(&graph, &checked(32), &lambdas, &SweepTask::Links(task.clone()), &NoObserver);
    let links = links.unwrap();
    assert_eq!((links.fits, links.series[0].measure.as_str()), (2, "AUC"));
    for (at, &lambda) in lambdas.iter().enumerate() {
        let embedding = embed(&graph, 0, &Lambda::Links(lambda)).unwrap().to_f32();
        let alone = classify(&embedding, graph.labels().unwrap(), &one).unwrap();
        assert_eq!(swept.series[0].values[at], alone.results[0].micro_f1);
        let alone = link_experiment(&graph, &task, &NoObserver, |graph, seed| {
            embed(graph, seed, &Lambda::Links(lambda))
        });
        assert_eq!(links.series[1].values[at], alone.unwrap().results[0].average_precision);
    }
    let cluster = ClusterParams { shuffles: 2, restarts: 2, ..ClusterParams::default() };
    let task = SweepTask::Cluster(cluster);
    let clusters = sweep(&graph, &checked(32), &lambdas, &task, &NoObserver).unwrap();
    let names: Vec<&str> = clusters.series.iter().map(|s| s.measure.as_str()).collect();
    assert_eq!(names, ["NMI", "ARI", "accuracy", "silhouette"]);
}

#[test]
fn a_choice_never_sees_the_test_labels() {
    let graph = graph(400, 3, 0.5, 0.3, false);
    let labels = graph.labels().unwrap();
    let wanted = TuneParams {
        candidates: vec![params(16), FitParams { preset: paper(), ..params(8) }],
        lambdas: even_lambdas(5),
        folds: 3,
        seed: 6,
        ..TuneParams::default()
    };
    let tuned = tune(&graph, labels, &wanted, &NoObserver).unwrap();
    let report = &tuned.report;
    assert_eq!((report.train_nodes, report.test_nodes), (320, 80));
    let best = report.tried.iter().map(|tried| tried.micro_f1.mean).fold(0.0, f64::max);
    assert_eq!(report.tried[report.choice].micro_f1.mean, best);
    assert!(report.tried.len() > 12 && report.tried.iter().any(|tried| tried.preset == "paper"));
    // The model carries the choice.
    let shares = tuned.model.shares(&Lambda::Preset).unwrap();
    let chosen = &report.tried[report.choice].shares;
    assert!(shares.iter().zip(chosen).all(|(a, b)| (a - b).abs() < 1e-12));
    let test = split(labels, TrainSize::Share(0.8), 6, 0).unwrap().test;
    let permuted = rotated(labels, &test);
    let permuted_report = tune(&graph, &permuted, &wanted, &NoObserver).unwrap().report;
    assert_eq!((&permuted_report.tried, permuted_report.choice), (&report.tried, report.choice));
    assert!(
        permuted_report.test.micro < report.test.micro,
        "{:?} {:?}",
        permuted_report.test,
        report.test
    );
    // Labels of training nodes, on the other hand, are what it goes by.
    let train = split(labels, TrainSize::Share(0.8), 6, 0).unwrap().train;
    let misled = tune(&graph, &rotated(labels, &train), &wanted, &NoObserver).unwrap().report;
    assert_ne!(misled.tried, report.tried);
}

fn paper() -> gage_embed::Preset {
    gage_embed::Preset::named("paper").unwrap()
}

#[test]
fn requests_that_make_no_sense_are_errors() {
    let graph = graph(100, 2, 0.5, 0.5, false);
    let labels = graph.labels().unwrap();
    let tried = |params: TuneParams| tune(&graph, labels, &params, &NoObserver).err();
    let base = || TuneParams { candidates: vec![params(4)], ..TuneParams::default() };
    for holdout in [0.0, 1.0, f64::NAN] {
        let fault = tried(TuneParams { holdout, ..base() });
        assert!(matches!(fault, Some(EvalError::Parameter { .. })), "{fault:?}");
    }
    assert!(tried(TuneParams { folds: 1, ..base() }).is_some());
    assert!(tried(TuneParams { candidates: Vec::new(), ..base() }).is_some());
    assert!(matches!(
        tried(TuneParams { candidates: vec![params(500)], ..base() }),
        Some(EvalError::Fit(gage_embed::Error::Dimension { .. }))
    ));
    let single = Labels::from_numbers(&[0; 100]);
    assert!(tune(&graph, &single, &base(), &NoObserver).is_err());
    let params = ClassifyParams::default();
    let fault = classify(&noise(100, 3, 1), &single, &params);
    assert!(matches!(fault, Err(EvalError::TooFew { needed: 2, found: 1, .. })), "{fault:?}");
}

/// Stops everything after some steps.
struct Impatient {
    seen: AtomicUsize,
    patience: usize,
}

impl Observer for Impatient {
    fn cancelled(&self) -> bool {
        self.seen.load(Ordering::SeqCst) > self.patience
    }
}

impl EvalObserver for Impatient {
    fn step(&self, done: usize, planned: usize) {
        assert!(done <= planned);
        self.seen.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn evaluations_stop_when_asked() {
    let graph = graph(200, 3, 0.5, 0.5, false);
    let impatient = || Impatient { seen: AtomicUsize::new(0), patience: 3 };
    let task = LinkExperiment { shuffles: 20, ..LinkExperiment::default() };
    let watch = impatient();
    let links = link_experiment(&graph, &task, &watch, |graph, seed| {
        let params = FitParams { seed, ..params(8) }.check().map_err(EvalError::from)?;
        let model = fit_with(graph, params, &watch).map_err(EvalError::from)?;
        model.embedding(&Lambda::Preset).map_err(EvalError::from)
    });
    assert_eq!(links.err(), Some(EvalError::Cancelled));
    assert_eq!(watch.seen.load(Ordering::SeqCst), 4);
    let wanted = TuneParams { candidates: vec![params(8)], ..TuneParams::default() };
    let tuned = tune(&graph, graph.labels().unwrap(), &wanted, &impatient());
    assert_eq!(tuned.err(), Some(EvalError::Cancelled));
    let task = SweepTask::Classify(ClassifyParams::default());
    let swept = sweep(&graph, &checked(8), &even_lambdas(11), &task, &impatient());
    assert_eq!(swept.err(), Some(EvalError::Cancelled));
}
