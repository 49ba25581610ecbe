//! Exact low rank is recovered exactly.

use crate::common::*;
use gage_embed::solver::RefineParams;
use gage_embed::views::ViewSpec;
use gage_embed::*;

fn paper_with(views: usize, dimension: usize, seed: u64) -> FitParams {
    let specs = (0..views)
        .map(|k| ViewSpec { weight: 1.0 + 0.5 * k as f64, ..ViewSpec::raw(&format!("view{k}")) })
        .collect();
    FitParams { views: Some(specs), seed, ..params(dimension) }
}

#[test]
fn complete_views_are_reproduced_and_factors_do_not_depend_on_the_seed() {
    // 1,200 nodes go through the iterative basis, 300 through the direct one.
    for (nodes, views) in [(1200, 2), (1200, 3), (300, 2), (300, 3)] {
        let planted = planted(nodes, 7, views, 42);
        let graph = graph_of(&planted.views, None);
        let one = fitted(&graph, paper_with(views, 7, 1));
        let two = fitted(&graph, paper_with(views, 7, 2));
        for (k, y) in planted.views.iter().enumerate() {
            let y = y.subrows(0, 300).to_owned();
            let worst = worst_distance(&one, k, &y);
            assert!(worst < 1e-6, "{nodes} nodes, {views} views, view {k}: {worst}");
        }
        // Recovered up to nothing: canonical form leaves no freedom of order, sign or scale.
        let gap = difference(one.factors(), two.factors());
        assert!(gap < 1e-6, "{nodes} nodes, {views} views: seeds differ by {gap}");
    }
}

#[test]
fn a_third_of_the_rows_hidden_per_view_is_still_exact() {
    for (nodes, views) in [(1500, 2), (1500, 3), (300, 2)] {
        let planted = planted(nodes, 8, views, 7);
        let mut numbers = Random::new(11);
        let mut masks: Vec<Vec<bool>> =
            (0..views).map(|_| (0..nodes).map(|_| numbers.symmetric() > -0.3).collect()).collect();
        for node in 0..nodes {
            if masks.iter().all(|mask| !mask[node]) {
                masks[node % views][node] = true;
            }
        }
        let hidden: Vec<f64> =
            masks.iter().map(|m| m.iter().filter(|s| !**s).count() as f64 / nodes as f64).collect();
        assert!(hidden.iter().all(|h| (0.22..0.38).contains(h)), "{hidden:?}");
        let graph = graph_of(&planted.views, Some(&masks));
        let model = fitted(&graph, paper_with(views, 8, 3));
        assert!(model.info().complete_nodes.is_some());
        for (k, y) in planted.views.iter().enumerate() {
            // All distances, those of hidden rows included.
            let worst = worst_distance(&model, k, &y.subrows(0, 300).to_owned());
            assert!(worst < 1e-4, "{nodes} nodes, {views} views, view {k}: {worst}");
        }
    }
}

#[test]
fn too_few_complete_nodes_fall_back_to_row_solves() {
    // Each of 3 views sees 45% of the nodes: hardly any node has all three.
    let nodes = 400;
    let planted = planted(nodes, 4, 3, 9);
    let mut numbers = Random::new(5);
    let masks: Vec<Vec<bool>> = (0..3)
        .map(|k| (0..nodes).map(|i| i % 3 == k || numbers.symmetric() > 0.9).collect())
        .collect();
    let graph = graph_of(&planted.views, Some(&masks));
    let refine = RefineParams { max_sweeps: 200, tolerance: 1e-9 };
    let start = fitted(&graph, paper_with(3, 4, 0));
    let refined = fitted(&graph, FitParams { refine: Some(refine), ..paper_with(3, 4, 0) });
    assert!(start.info().complete_nodes.is_none());
    let history = &refined.info().refine.as_ref().unwrap().loss_history;
    assert!(history.windows(2).all(|w| w[1] <= w[0]), "loss rose: {history:?}");
    // Without a common node set nothing pins the views to each other, but each view is fitted on
    // its own nodes.
    assert!(refined.info().relative_loss < 1e-2, "{}", refined.info().relative_loss);
}

#[test]
fn rank_below_the_dimension_gives_zero_columns_and_a_warning() {
    for nodes in [200, 1500] {
        let planted = planted(nodes, 5, 2, 1);
        for precision in [Precision::F64, Precision::F32] {
            let graph = graph_of(&planted.views, None);
            let model = fitted(&graph, FitParams { precision, ..paper_with(2, 12, 0) });
            assert_eq!(model.info().pencil.rank, 5, "{precision:?}, {nodes} nodes");
            assert!(model.info().warnings.iter().any(|w| w.contains("rank 5")));
            for row in 0..nodes {
                assert!(model.factors().row_f64(row)[5..].iter().all(|&x| x == 0.0));
            }
        }
    }
}
