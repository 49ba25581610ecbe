//! The dimension chosen from the data.

use crate::common::*;
use gage_embed::*;

#[test]
fn the_smallest_dimension_that_meets_the_goal_is_found() {
    let planted = planted(1400, 9, 2, 13);
    let graph = graph_of(&planted.views, None);
    let with = |dimension| fitted(&graph, FitParams { dimension, ..params(1) });
    // Exact rank 9: energy 1 - 1e-9 needs all of it, and no more.
    let model = with(Dimension::Energy { share: 1.0 - 1e-9, most: 40 });
    assert_eq!(model.dimension(), 9);
    assert!(model.info().dimension.goal_met);
    let model = with(Dimension::DistanceError { error: 1e-6, most: 40 });
    assert_eq!(model.dimension(), 9);
    // A lower goal takes fewer, and one column less would miss it.
    let goal = 0.9;
    let chosen = with(Dimension::Energy { share: goal, most: 40 });
    let columns = chosen.dimension();
    assert!(columns < 9 && chosen.info().dimension.reached.unwrap() >= goal);
    assert!(1.0 - chosen.info().relative_loss >= goal - 1e-6);
    assert!(columns > 1, "the planted problem must need more than one column");
    let fewer = fitted(&graph, params(columns - 1));
    assert!(1.0 - fewer.info().relative_loss < goal, "{}", fewer.info().relative_loss);
    // Out of reach: the largest number allowed, and a warning.
    let model = with(Dimension::Energy { share: 1.0 - 1e-9, most: 3 });
    assert_eq!(model.dimension(), 3);
    assert!(!model.info().dimension.goal_met);
    assert!(model.info().warnings.iter().any(|w| w.contains("goal")));
}

#[test]
fn distance_goals_hold_on_real_data() {
    let Some(graph) = dataset("wiki") else { return };
    let goal = 0.25;
    let params = FitParams {
        dimension: Dimension::DistanceError { error: goal, most: 400 },
        certificate: Some(CertificateParams::default()),
        ..FitParams::preset("paper").unwrap()
    };
    let attributes = ViewSpec::raw("attributes");
    let params = FitParams { views: Some(vec![attributes]), ..params };
    let model = fitted(&graph, params.clone());
    assert!(model.info().dimension.goal_met, "{:?}", model.info().dimension);
    // The interval at the chosen dimension reaches below the goal, one column less above it.
    let error = &model.certificate().unwrap().views[0].distance_error;
    assert!(error.low <= goal, "{error:?}");
    let fewer = Dimension::Fixed(model.dimension() - 1);
    let fewer = fitted(&graph, FitParams { dimension: fewer, ..params });
    let error = &fewer.certificate().unwrap().views[0].distance_error;
    assert!(error.high >= goal, "{error:?}");
}
