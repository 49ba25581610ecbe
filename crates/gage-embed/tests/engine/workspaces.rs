//! Fits side by side in workspaces of their own: limits, failures and counters stay apart.

use gage_embed::linalg::Workspace;
use gage_embed::solver::{FitContext, prepare};
use gage_embed::*;

/// So many nodes that the blocks of a fit are large enough to be spilled.
const NODES: u32 = 30_000;

fn graph() -> Graph {
    let links: Vec<(u32, u32, f64)> = (0..NODES)
        .flat_map(|i| [(i, (i + 1) % NODES, 1.0), (i, (i * 7 + 3) % NODES, 1.0)])
        .collect();
    let links = SparseMatrix::from_triplets(NODES as usize, NODES as usize, &links).unwrap();
    Graph::new(Nodes::numbered(NODES as usize))
        .with_block(Block::links("links", links, true))
        .unwrap()
}

fn fit_into(workspace: &Workspace, graph: &Graph) -> Result<Model, Error> {
    let mut params = FitParams {
        dimension: Dimension::Fixed(72),
        preset: Preset::named("paper").unwrap(),
        loadings: false,
        ..FitParams::default()
    };
    params.basis.max_iterations = 1;
    let context = FitContext { workspace: workspace.clone(), ..FitContext::default() };
    prepare(graph, params.check()?, &context)?.fit(&context)
}

fn calls(workspace: &Workspace) -> Vec<u64> {
    workspace.usage().iter().map(|(_, usage)| usage.calls).collect()
}

#[test]
fn fits_side_by_side_share_no_limit_no_failure_and_no_counter() {
    let folder = tempfile::tempdir().unwrap();
    let graph = graph();
    let alone = Workspace::default();
    let expected = fit_into(&alone, &graph).unwrap().factors().to_f32();

    let unlimited = Workspace::default();
    let spilling = Workspace::with_limit(1 << 20, folder.path());
    let failing = Workspace::with_limit(1 << 20, folder.path().join("missing"));
    let [free, spilled, failed] = std::thread::scope(|scope| {
        let graph = &graph;
        let fits = [&unlimited, &spilling, &failing]
            .map(|workspace| scope.spawn(move || fit_into(workspace, graph)));
        fits.map(|fit| fit.join().unwrap())
    });

    assert!(matches!(failed, Err(Error::MemoryLimit { .. })), "{:?}", failed.err());
    assert!(free.unwrap().factors().to_f32().data() == expected.data());
    assert!(spilled.unwrap().factors().to_f32().data() == expected.data());
    let all = [&alone, &unlimited, &spilling, &failing];
    let spilled = all.map(|workspace| workspace.spilled_blocks() > 0);
    assert_eq!(spilled, [false, false, true, false]);
    assert!(all.iter().all(|workspace| workspace.take_spill_failure().is_none()));
    assert_eq!(calls(&unlimited), calls(&alone));
    assert_eq!(calls(&spilling), calls(&alone));
    assert!(calls(&failing).iter().sum::<u64>() < calls(&alone).iter().sum());
}
