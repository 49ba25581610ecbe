//! Node rows spread over workers: the same solver, the same answer.

use crate::common::*;
use gage_embed::linalg::{Reducer, ThreadReducer};
use gage_embed::solver::{FitContext, RefineParams, prepare};
use gage_embed::views::{Direction, Propagate, Steps, Transform, ViewSpec};
use gage_embed::*;

/// The nodes of a worker: neither equally many nor in step with anything.
fn part(graph: &Graph, rank: usize, size: usize) -> Graph {
    let start = |rank: usize| graph.nodes().len() * rank * (rank + 2) / (size * (size + 2));
    graph.part(start(rank)..start(rank + 1)).unwrap()
}

/// Fits over workers that are threads, each of which sees its own rows only.
fn try_over_workers(
    graph: &Graph,
    params: &FitParams,
    size: usize,
) -> Vec<Result<(Model, u64), Error>> {
    std::thread::scope(|scope| {
        let handles: Vec<_> = ThreadReducer::team(size)
            .into_iter()
            .map(|worker| {
                let params = params.clone().check().unwrap();
                scope.spawn(move || {
                    let own = part(graph, worker.rank(), size);
                    let ctx = FitContext { reducer: &worker, ..FitContext::default() };
                    let model = prepare(&own, params, &ctx)?.fit(&ctx)?;
                    Ok((model, worker.bytes_sent()))
                })
            })
            .collect();
        handles.into_iter().map(|handle| handle.join().unwrap()).collect()
    })
}

fn models_over_workers(graph: &Graph, params: &FitParams, size: usize) -> Vec<Model> {
    let models: Vec<Model> = try_over_workers(graph, params, size)
        .into_iter()
        .map(|outcome| outcome.unwrap().0)
        .collect();
    for model in &models {
        assert_eq!(model.views(), models[0].views(), "workers disagree on the coefficients");
        assert_eq!(model.info().relative_loss, models[0].info().relative_loss);
    }
    models
}

fn rows_of(models: &[Model]) -> Vec<Vec<f64>> {
    let rows = |model: &Model| -> Vec<Vec<f64>> {
        (0..model.factors().rows()).map(|row| model.factors().row_f64(row)).collect()
    };
    models.iter().flat_map(rows).collect()
}

/// Factors and losses over workers are those of one process.
fn compare(what: &str, graph: &Graph, params: &FitParams) {
    let alone = fitted(graph, params.clone());
    for size in [1, 2, 4] {
        let models = models_over_workers(graph, params, size);
        let rows = rows_of(&models);
        assert_eq!(rows.len(), graph.nodes().len());
        let (a, b) = (models[0].info().relative_loss, alone.info().relative_loss);
        assert!((a - b).abs() < 1e-6, "{what}, {size} workers: loss {a}, not {b}");
        let largest = rows.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
        for (node, row) in rows.iter().enumerate() {
            for (a, b) in row.iter().zip(alone.factors().row_f64(node)) {
                assert!(
                    (a - b).abs() < 1e-5 * largest,
                    "{what}, {size} workers, node {node}: {a} {b}"
                );
            }
        }
    }
}

fn preset(name: &str, columns: usize, precision: Precision) -> FitParams {
    let dimension = Dimension::Fixed(columns);
    FitParams { dimension, precision, ..FitParams::preset(name).unwrap() }
}

#[test]
fn planted_views_and_missing_rows_are_the_same_over_workers() {
    let mut three_views = params(5);
    three_views.basis.direct_nodes = 0;
    let planted = planted(500, 5, 3, 17);
    let refine = Some(RefineParams { max_sweeps: 2, tolerance: 0.0 });
    let specs: Vec<ViewSpec> = (0..3).map(|k| ViewSpec::raw(&format!("view{k}"))).collect();
    let params = FitParams { refine, views: Some(specs), ..three_views.clone() };
    compare("planted", &graph_of(&planted.views, None), &params);
    let masks: Vec<Vec<bool>> =
        (0..3).map(|k| (0..500).map(|i| (i * 7 + k) % 5 != 0).collect()).collect();
    compare("missing rows", &graph_of(&planted.views, Some(&masks)), &params);
    // A view that is missing on one worker only, and everywhere on another.
    let masks: Vec<Vec<bool>> =
        (0..3).map(|k| (0..500).map(|i| k != 1 || !(5..60).contains(&i)).collect()).collect();
    compare("missing in one place", &graph_of(&planted.views, Some(&masks)), &params);
}

#[test]
fn a_direct_basis_a_certificate_and_a_chosen_dimension_are_the_same_over_workers() {
    let graph = debian().part(0..700).unwrap();
    let graph = square(&graph, 700);
    let mut params = preset("balanced", 6, Precision::F64);
    params.certificate = Some(CertificateParams::default());
    compare("direct", &graph, &params);
    params.basis.direct_nodes = 0;
    params.dimension = Dimension::Energy { share: 0.3, most: 40 };
    compare("chosen by energy", &graph, &params);
    let alone = fitted(&graph, params.clone());
    let models = models_over_workers(&graph, &params, 3);
    let (a, b) = (models[0].certificate().unwrap(), alone.certificate().unwrap());
    for (a, b) in a.views.iter().zip(&b.views) {
        assert!((a.loss - b.loss).abs() < 1e-6 && (a.least_loss - b.least_loss).abs() < 1e-6);
        assert!((a.distance_error.value - b.distance_error.value).abs() < 1e-6);
        assert_eq!(a.pairs, b.pairs);
    }
}

/// The first nodes of a graph with the links among them.
fn square(graph: &Graph, nodes: usize) -> Graph {
    let mut out = Graph::new(Nodes::numbered(nodes));
    for block in graph.blocks() {
        let Matrix::Sparse(matrix) = &block.matrix else { panic!("sparse blocks expected") };
        let links = matches!(block.kind, gage_embed::graph::BlockKind::Links { .. });
        let cols = if links { nodes } else { matrix.cols() };
        let entries: Vec<(u32, u32, f64)> = (0..nodes)
            .flat_map(|row| matrix.row(row).map(move |(col, value)| (row as u32, col, value)))
            .filter(|entry| (entry.1 as usize) < cols)
            .collect();
        let matrix = SparseMatrix::from_triplets(nodes, cols, &entries).unwrap();
        out = out.with_block(Block { matrix: matrix.into(), ..block.clone() }).unwrap();
    }
    out
}

/// Every transform, both directions, smoothing of directed links, self-loops and powers.
#[test]
fn every_view_is_the_same_over_workers() {
    let graph = square(&debian().part(0..900).unwrap(), 900);
    let directed = graph.block("links").unwrap();
    assert!(matches!(directed.kind, gage_embed::graph::BlockKind::Links { directed: true }));
    let smoothing = |transform, direction| {
        let steps = Steps::Polynomial(vec![0.5, 0.3, 0.2]);
        Some(Propagate { block: "links".to_owned(), transform, direction, steps })
    };
    let symmetric = Transform::Symmetric { self_loops: 1.0 };
    let walk = Transform::RowStochastic { self_loops: 0.5 };
    let plain = Transform::Symmetric { self_loops: 0.0 };
    let cases: [(&str, Transform, Direction, Option<Propagate>); 10] = [
        ("attributes", Transform::TfIdf, Direction::Out, None),
        ("attributes", Transform::Standardised, Direction::Out, None),
        ("attributes", Transform::RowL1, Direction::Out, smoothing(symmetric, Direction::Out)),
        ("attributes", Transform::RootIdf, Direction::Out, smoothing(walk, Direction::In)),
        ("attributes", Transform::Raw, Direction::Out, smoothing(plain, Direction::Out)),
        ("links", Transform::Raw, Direction::Out, None),
        ("links", Transform::RowL2, Direction::In, None),
        ("links", symmetric, Direction::Out, None),
        ("links", walk, Direction::In, None),
        ("links", Transform::Raw, Direction::In, smoothing(walk, Direction::Out)),
    ];
    for (block, transform, direction, propagate) in cases {
        let spec = ViewSpec { transform, direction, propagate, ..ViewSpec::raw(block) };
        let mut params = preset("balanced", 5, Precision::F64);
        params.basis.direct_nodes = 0;
        params.views = Some(vec![spec.clone()]);
        compare(&format!("{spec:?}"), &graph, &params);
    }
}

#[test]
fn links_and_smoothing_work_over_workers() {
    let Some(graph) = dataset("webkb") else { return };
    let mut params = preset("balanced", 6, Precision::F64);
    params.certificate = Some(CertificateParams::default());
    params.basis.direct_nodes = 0;
    compare("webkb", &graph, &params);
}

/// Norms are exact or estimated, and Gram matrices formed or not, by rules that look at sizes. In
/// single precision on real data all of these rules are met.
#[test]
fn losses_in_single_precision_do_not_depend_on_the_number_of_workers() {
    for name in ["wiki", "blogcatalog"] {
        let Some(graph) = dataset(name) else { continue };
        for name_of_preset in ["paper", "balanced"] {
            let params = preset(name_of_preset, 16, Precision::F32);
            let alone = fitted(&graph, params.clone());
            for size in [2, 4] {
                let what = format!("{name}, {name_of_preset}, {size} workers");
                let models = models_over_workers(&graph, &params, size);
                let (a, b) = (models[0].info().relative_loss, alone.info().relative_loss);
                assert!((a - b).abs() < 1e-6, "{what}: loss {a}, not {b}");
                for (view, of_one) in models[0].views().iter().zip(alone.views()) {
                    let ratio = view.gram_norm / of_one.gram_norm;
                    assert!((ratio - 1.0).abs() < 1e-6, "{what}: norm {ratio} of one process's");
                    assert_eq!(view.gram_norm_exact, of_one.gram_norm_exact, "{what}");
                }
            }
        }
    }
}

#[test]
fn the_same_workers_find_the_same_bits() {
    let graph = debian();
    let params = preset("balanced", 12, Precision::F32);
    let rows = || rows_of(&models_over_workers(&graph, &params, 3));
    assert!(rows() == rows());
}

#[test]
fn what_needs_all_rows_is_refused_by_every_worker() {
    let graph = debian();
    let refused = |params: FitParams| {
        for outcome in try_over_workers(&graph, &params, 2) {
            let message = outcome.expect_err("refused").to_string();
            assert!(message.contains("not possible over several workers"), "{message}");
        }
    };
    refused(FitParams::preset("auto").unwrap());
    refused(FitParams::preset("links").unwrap());
    let spec = ViewSpec { log_affinity: Some(Default::default()), ..ViewSpec::raw("attributes") };
    refused(FitParams { views: Some(vec![spec]), ..params(4) });
}
