//! Missing is not zero.

use crate::common::*;
use gage_embed::eval::{TrainSize, split};
use gage_embed::views::{Direction, EmbeddingScale, Propagate, Steps, Transform, ViewSpec};
use gage_embed::*;

/// The graph with the attributes of some nodes taken away: as missing rows, or as rows of zeros.
fn without_attributes(graph: &Graph, hidden: &[bool], as_zeros: bool) -> Graph {
    let n = graph.nodes().len();
    let mut out = Graph::new(graph.nodes().clone());
    for block in graph.blocks() {
        let mut block = block.clone();
        if block.name == "attributes" {
            let Matrix::Sparse(sparse) = &block.matrix else { panic!("sparse expected") };
            let mut entries = Vec::new();
            for row in (0..n).filter(|&row| !hidden[row]) {
                entries.extend(sparse.row(row).map(|(col, value)| (row as u32, col, value)));
            }
            block.matrix = SparseMatrix::from_triplets(n, sparse.cols(), &entries).unwrap().into();
            if !as_zeros {
                block = block.observing(hidden.iter().map(|h| !h).collect());
            }
        }
        out = out.with_block(block).unwrap();
    }
    out
}

/// Normalised links, tf-idf attributes, and those smoothed once.
fn three_views() -> Vec<ViewSpec> {
    let symmetric = |self_loops| Transform::Symmetric { self_loops };
    let smoothing = Propagate {
        block: "links".to_owned(),
        transform: symmetric(1.0),
        direction: Direction::Out,
        steps: Steps::Power(1),
    };
    let words = ViewSpec { transform: Transform::TfIdf, ..ViewSpec::raw("attributes") };
    vec![
        ViewSpec { transform: symmetric(0.0), weight: 0.3, share: 0.3, ..ViewSpec::raw("links") },
        words.clone(),
        ViewSpec {
            name: "smoothed".to_owned(),
            propagate: Some(smoothing),
            weight: 0.3,
            share: 0.3,
            ..words
        },
    ]
}

/// Accuracy on the hidden nodes of the test half, over a few shuffles.
fn accuracy_on(model: &Model, labels: &Labels, hidden: &[bool]) -> f64 {
    let e = model.embedding(&Lambda::Preset).unwrap();
    let shuffles = 3;
    let mut sum = 0.0;
    for shuffle in 0..shuffles {
        let split = split(labels, TrainSize::Share(0.5), 5, shuffle).unwrap();
        let test: Vec<u32> =
            split.test.iter().copied().filter(|&node| hidden[node as usize]).collect();
        sum += accuracy(&e, labels, &split.train, &e, labels, &test);
    }
    sum / shuffles as f64
}

#[test]
fn hidden_attributes_cost_ten_points_less_than_zero_filling() {
    for name in ["wiki", "planetoid_cora"] {
        let Some(graph) = dataset(name) else { continue };
        let labels = graph.labels().unwrap();
        let mut numbers = Random::new(3);
        let hidden: Vec<bool> =
            (0..graph.nodes().len()).map(|_| numbers.symmetric() < -0.4).collect();
        for preset in ["paper", "three views"] {
            let mut params = FitParams {
                dimension: Dimension::Fixed(64),
                loadings: false,
                ..FitParams::preset(if preset == "paper" { "paper" } else { "balanced" }).unwrap()
            };
            if preset == "three views" {
                params.views = Some(three_views());
            }
            // One scale for the classifier's fixed penalty.
            params.preset.scale = EmbeddingScale::Unit;
            let zeros = fitted(&without_attributes(&graph, &hidden, true), params.clone());
            let missing = fitted(&without_attributes(&graph, &hidden, false), params);
            let (with_zeros, with_missing) =
                (accuracy_on(&zeros, labels, &hidden), accuracy_on(&missing, labels, &hidden));
            eprintln!("{name} {preset}: zeros {with_zeros:.3}, missing {with_missing:.3}");
            assert!(
                with_missing >= with_zeros + 0.10,
                "{name} {preset}: {with_zeros} {with_missing}"
            );
        }
    }
}

#[test]
fn single_missing_entries_are_estimated_better_than_by_means_or_zeros() {
    // Two dense views of one hidden structure with noise; a quarter of the entries of the first are
    // missing.
    let (nodes, rank) = (500, 4);
    let planted = planted(nodes, rank, 2, 31);
    let mut numbers = Random::new(6);
    let noisy = &planted.views[0] + faer::Scale(0.2) * matrix(nodes, rank + 5, &mut numbers);
    let flags: Vec<bool> = (0..nodes * noisy.ncols()).map(|_| numbers.symmetric() < -0.5).collect();
    let with = |fill: f64| {
        let mut y = noisy.clone();
        for i in 0..nodes {
            for j in (0..y.ncols()).filter(|&j| flags[i * noisy.ncols() + j]) {
                y[(i, j)] = fill;
            }
        }
        y
    };
    let mean_filled = {
        let mut y = with(0.0);
        for j in 0..y.ncols() {
            let seen: Vec<f64> = (0..nodes)
                .filter(|i| !flags[i * noisy.ncols() + j])
                .map(|i| noisy[(i, j)])
                .collect();
            let mean = seen.iter().sum::<f64>() / seen.len() as f64;
            (0..nodes).filter(|i| flags[i * noisy.ncols() + j]).for_each(|i| y[(i, j)] = mean);
        }
        y
    };
    let specs = vec![ViewSpec::raw("view0"), ViewSpec::raw("view1")];
    let fit_to = |y: faer::Mat<f64>| {
        let graph = graph_of(&[y, planted.views[1].clone()], None);
        fitted(&graph, FitParams { views: Some(specs.clone()), ..params(rank) })
    };
    // How well the model knows the distances of the complete, noise-free view.
    let error = |model: &Model| {
        let (mut error, mut square) = (0.0, 0.0);
        for i in 0..200 {
            for j in 0..i {
                let truth = true_distance(&planted.views[0], i, j);
                error += (model_distance(model, 0, i, j) - truth).powi(2);
                square += truth * truth;
            }
        }
        f64::sqrt(error / square)
    };
    let estimated = fit_to(with(f64::NAN));
    let (ours, means, zeros) =
        (error(&estimated), error(&fit_to(mean_filled)), error(&fit_to(with(0.0))));
    eprintln!("distance error: estimated {ours:.4}, means {means:.4}, zeros {zeros:.4}");
    assert!(ours < 0.5 * means && ours < 0.5 * zeros, "{ours} {means} {zeros}");
    let (count, change) = estimated.info().imputed.unwrap();
    assert_eq!(count, flags.iter().filter(|f| **f).count());
    assert!(change < 0.2, "still changing by {change}");
}

#[test]
fn a_node_without_any_view_is_reported_and_flagged() {
    let planted = planted(120, 3, 2, 8);
    let masks = vec![
        (0..120).map(|i| i % 4 != 0 && i != 7).collect::<Vec<bool>>(),
        (0..120).map(|i| i % 4 != 1 && i != 7).collect(),
    ];
    let model = fitted(&graph_of(&planted.views, Some(&masks)), params(3));
    assert_eq!(model.info().unobserved_nodes, [7]);
    assert!(model.info().warnings.iter().any(|w| w.contains("no view at all")));
    assert!(model.factors().row_f64(7).iter().all(|&x| x == 0.0));
    assert!(model.factors().row_f64(8).iter().any(|&x| x != 0.0));
}

#[test]
fn rows_of_nan_are_missing_rows() {
    let planted = planted(150, 3, 2, 12);
    let mask: Vec<bool> = (0..150).map(|i| i % 5 != 2).collect();
    let mut with_nan = planted.views[0].clone();
    for i in (0..150).filter(|&i| !mask[i]) {
        (0..with_nan.ncols()).for_each(|j| with_nan[(i, j)] = f64::NAN);
    }
    let by_nan = fitted(&graph_of(&[with_nan, planted.views[1].clone()], None), params(3));
    let masks = [mask, vec![true; 150]];
    let by_mask = fitted(&graph_of(&planted.views, Some(&masks)), params(3));
    assert!(difference(by_nan.factors(), by_mask.factors()) < 1e-9);
    assert!(by_nan.info().imputed.is_none());
}
