//! A fit that was stopped goes on, and ends in the same bits.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::*;
use gage_embed::solver::{
    CheckpointStore, FitCheckpoint, FitCheckpointRef, FitContext, FitWork, RefineParams, Stage,
    prepare,
};
use gage_embed::*;

/// Stops the fit at one of its reports.
struct StopAt {
    reports: AtomicUsize,
    stop_at: usize,
}

impl StopAt {
    fn new(stop_at: usize) -> StopAt {
        StopAt { reports: AtomicUsize::new(0), stop_at }
    }
    fn reports(&self) -> usize {
        self.reports.load(Ordering::SeqCst)
    }
}

impl Observer for StopAt {
    fn progress(&self, _: &Progress) {
        self.reports.fetch_add(1, Ordering::SeqCst);
    }
    fn cancelled(&self) -> bool {
        self.reports() >= self.stop_at
    }
}

/// Keeps states in memory: every one that is offered, or only those it is given when the fit is
/// stopped.
#[derive(Default)]
struct Memory {
    lazy: bool,
    states: Mutex<Vec<(Stage, Vec<u8>)>>,
}

impl Memory {
    fn last(&self) -> Option<Vec<u8>> {
        self.states.lock().unwrap().last().map(|(_, bytes)| bytes.clone())
    }
}

impl CheckpointStore for Memory {
    fn due(&self) -> bool {
        !self.lazy
    }
    fn save(&self, state: &FitCheckpointRef<'_>) {
        self.states.lock().unwrap().push((state.stage(), state.to_bytes().unwrap()));
    }
}

fn bytes(model: &Model) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.gage");
    model.save(&path).unwrap();
    std::fs::read(path).unwrap()
}

fn random_links(nodes: u32, each: usize, seed: u64) -> SparseMatrix {
    let mut numbers = Random::new(seed);
    let links: std::collections::BTreeSet<(u32, u32)> = (0..nodes as usize * each)
        .map(|at| ((at / each) as u32, numbers.below(nodes as usize) as u32))
        .filter(|(i, j)| i != j)
        .flat_map(|(i, j)| [(i, j), (j, i)])
        .collect();
    let links: Vec<_> = links.into_iter().map(|(i, j)| (i, j, 1.0)).collect();
    SparseMatrix::from_triplets(nodes as usize, nodes as usize, &links).unwrap()
}

fn words(nodes: u32, words: usize, seed: u64) -> SparseMatrix {
    let mut numbers = Random::new(seed);
    let entries: std::collections::BTreeMap<(u32, u32), f64> = (0..nodes as usize * 6)
        .map(|at| {
            let node = (at / 6) as u32;
            let word = (numbers.below(words) + (node as usize % 5) * words / 7) % words;
            ((node, word as u32), 1.0 + (at % 3) as f64)
        })
        .collect();
    let entries: Vec<_> = entries.into_iter().map(|((i, j), v)| (i, j, v)).collect();
    SparseMatrix::from_triplets(nodes as usize, words, &entries).unwrap()
}

/// Links, words, and a dense table, with or without gaps.
fn sample(nodes: u32, table: bool, gaps: bool) -> Graph {
    let mut graph = Graph::new(Nodes::numbered(nodes as usize))
        .with_block(Block::links("links", random_links(nodes, 3, 5), false))
        .unwrap()
        .with_block(Block::attributes("attributes", words(nodes, 60, 7)))
        .unwrap();
    if table {
        let mut numbers = Random::new(11);
        let values = (0..nodes as usize * 8)
            .map(|at| {
                let value = numbers.symmetric() + (at / 8 % 4) as f64;
                if gaps && numbers.symmetric() > 0.9 { f64::NAN } else { value }
            })
            .collect();
        let table = DenseMatrix::from_f64(nodes as usize, 8, values).unwrap();
        graph = graph.with_block(Block::attributes("table", table)).unwrap();
    }
    graph
}

fn lacking_rows(nodes: u32, share: f64) -> Graph {
    let mut numbers = Random::new(3);
    let mut out = Graph::new(Nodes::numbered(nodes as usize));
    for block in sample(nodes, true, false).blocks() {
        let seen = (0..nodes).map(|_| (numbers.symmetric() + 1.0) / 2.0 < share).collect();
        out = out.with_block(block.clone().observing(seen)).unwrap();
    }
    out
}

fn short(dimension: usize) -> FitParams {
    let mut params = FitParams { dimension: Dimension::Fixed(dimension), ..FitParams::default() };
    params.basis.max_iterations = 3;
    params.basis.direct_nodes = 100;
    params
}

/// A fit with checkpoints, going on from one if it is given.
fn resumable(
    graph: &Graph,
    params: CheckedParams,
    observer: &dyn Observer,
    store: &dyn CheckpointStore,
    checkpoint: Option<FitCheckpoint>,
) -> Result<(Model, FitWork), Error> {
    let ctx = FitContext { observer, checkpoints: Some(store), ..FitContext::default() };
    prepare(graph, params, &ctx)?.resume(checkpoint, &ctx)
}

/// Stops the fit at every report, goes on from the last state, and compares; returns the stages it
/// went on from.
fn stopped_everywhere(name: &str, graph: &Graph, params: &FitParams) -> Vec<Stage> {
    let params = params.clone().check().unwrap();
    let whole = StopAt::new(usize::MAX);
    let model = fit_with(graph, params.clone(), &whole).unwrap();
    let (kept, all) =
        resumable(graph, params.clone(), &NoObserver, &Memory::default(), None).unwrap();
    assert!(bytes(&model) == bytes(&kept), "{name}: keeping states changes the result");
    let (expected, reports) = (bytes(&model), whole.reports());
    let mut stages = Vec::new();
    for (stop_at, lazy) in (1..=reports).flat_map(|at| [(at, false), (at, true)]) {
        let context = format!("{name}, stopped at report {stop_at} of {reports}, lazy {lazy}");
        let memory = Memory { lazy, ..Memory::default() };
        let stopped = resumable(graph, params.clone(), &StopAt::new(stop_at), &memory, None);
        assert!(matches!(stopped, Err(Error::Cancelled { .. })), "{context}");
        let Some(bytes_kept) = memory.last() else { continue };
        let state = FitCheckpoint::from_bytes(&bytes_kept).unwrap();
        let (stage, passes) = (state.stage(), state.passes());
        let rest = StopAt::new(usize::MAX);
        let (resumed, work) =
            resumable(graph, params.clone(), &rest, &Memory::default(), Some(state)).unwrap();
        assert!(expected == bytes(&resumed), "{context}: other bits from {stage:?}");
        assert_eq!(work.resumed, Some(stage));
        // It really went on: fewer passes than from the beginning, and none too few.
        assert!(rest.reports() <= reports && work.passes < all.passes, "{context}: {work:?}");
        if params.impute_rounds == 0 {
            assert_eq!(work.passes + passes, all.passes, "{context}");
        }
        stages.push(stage);
    }
    assert!(!stages.is_empty(), "{name}: nothing was ever kept");
    stages
}

#[test]
fn stopped_anywhere_a_fit_goes_on_to_the_same_bits() {
    let refine = Some(RefineParams { max_sweeps: 3, tolerance: 0.0 });
    let paper = FitParams {
        basis: short(1).basis,
        dimension: Dimension::Fixed(6),
        ..FitParams::preset("paper").unwrap()
    };
    let whole = |params: FitParams| FitParams { impute_rounds: 0, ..params };
    let cases: Vec<(&str, Graph, FitParams)> = vec![
        ("two views", sample(400, false, false), whole(paper)),
        (
            "four views, f64, certified",
            sample(400, true, false),
            whole(FitParams {
                precision: Precision::F64,
                certificate: Some(CertificateParams::default()),
                ..short(6)
            }),
        ),
        ("refined", sample(400, false, false), whole(FitParams { refine, ..short(6) })),
        ("lacking rows", lacking_rows(400, 0.9), whole(FitParams { refine, ..short(6) })),
        ("few complete rows", lacking_rows(400, 0.3), whole(short(30))),
        (
            "chosen dimension",
            sample(400, true, false),
            whole(FitParams { dimension: Dimension::Energy { share: 0.6, most: 60 }, ..short(1) }),
        ),
    ];
    for (name, graph, params) in &cases {
        let stages = stopped_everywhere(name, graph, params);
        assert!(stages.contains(&Stage::Basis), "{name}: {stages:?}");
        assert_eq!(stages.contains(&Stage::Refine), params.refine.is_some(), "{name}: {stages:?}");
    }
}

#[test]
fn rounds_of_estimates_go_on_where_they_were() {
    let graph = sample(300, true, true);
    for refine in [None, Some(RefineParams { max_sweeps: 1, tolerance: 0.0 })] {
        let params = FitParams { impute_rounds: 2, refine, ..short(5) };
        let imputed = fitted(&graph, params.clone()).info().imputed;
        assert!(imputed.is_some_and(|(count, change)| count > 50 && change > 1e-3), "{imputed:?}");
        stopped_everywhere("estimates", &graph, &params);
    }
}

#[test]
fn a_direct_basis_keeps_what_it_has() {
    let params = FitParams {
        refine: Some(RefineParams { max_sweeps: 2, tolerance: 0.0 }),
        impute_rounds: 0,
        ..FitParams { dimension: Dimension::Fixed(6), ..FitParams::default() }
    };
    let stages = stopped_everywhere("direct", &sample(200, false, false), &params);
    assert!(!stages.contains(&Stage::Basis), "{stages:?}");
}

/// All states of one fit.
fn states(graph: &Graph, params: &FitParams) -> Vec<(Stage, Vec<u8>)> {
    let memory = Memory::default();
    resumable(graph, params.clone().check().unwrap(), &NoObserver, &memory, None).unwrap();
    memory.states.into_inner().unwrap()
}

#[test]
fn states_of_other_fits_are_refused() {
    let graph = sample(300, false, false);
    let params = short(5);
    let (_, kept) = states(&graph, &params).remove(1);
    let resume = |graph: &Graph, params: FitParams| {
        let state = Some(FitCheckpoint::from_bytes(&kept).unwrap());
        let params = params.check().unwrap();
        resumable(graph, params, &NoObserver, &Memory::default(), state)
    };
    assert!(resume(&graph, params.clone()).is_ok());
    let others = [
        resume(&graph, FitParams { seed: 1, ..params.clone() }),
        resume(&graph, short(6)),
        resume(&graph, FitParams { precision: Precision::F64, ..params.clone() }),
        resume(&sample(300, true, false), params.clone()),
        resume(&sample(301, false, false), params),
    ];
    for other in others {
        let error = other.expect_err("a refusal");
        assert!(matches!(&error, Error::State { .. }), "{error}");
        assert!(error.to_string().contains("other data"), "{error}");
    }
}

#[test]
fn no_damaged_state_is_ever_used() {
    let graph = sample(150, false, false);
    let refine = Some(RefineParams { max_sweeps: 1, tolerance: 0.0 });
    for (_, kept) in states(&graph, &FitParams { refine, ..short(3) }) {
        assert!(FitCheckpoint::from_bytes(&kept).is_ok());
        // Every length it may have been cut to, and a changed bit anywhere.
        for at in (0..kept.len()).step_by(101).chain(0..64).chain(kept.len() - 64..kept.len()) {
            assert!(FitCheckpoint::from_bytes(&kept[..at]).is_err(), "cut to {at}");
            let mut changed = kept.clone();
            changed[at] ^= 1 << (at % 8);
            assert!(FitCheckpoint::from_bytes(&changed).is_err(), "changed at {at}");
        }
    }
    assert!(FitCheckpoint::from_bytes(b"").is_err());
    assert!(FitCheckpoint::from_bytes(&[0; 300]).is_err());
}
