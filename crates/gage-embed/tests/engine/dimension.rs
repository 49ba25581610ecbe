//! The dimension chosen from the data.

use crate::common::*;
use gage_embed::views::ViewSpec;
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
    // The dimension is chosen from a sample of pairs, a certificate may compare all of them.
    let certified = |dimension, all_pairs_nodes| {
        let certificate = CertificateParams { all_pairs_nodes, ..CertificateParams::default() };
        let params = FitParams {
            dimension,
            certificate: Some(certificate),
            views: Some(vec![ViewSpec::raw("attributes")]),
            ..FitParams::preset("paper").unwrap()
        };
        let model = fitted(&graph, params);
        (model.certificate().unwrap().views[0].distance_error, model)
    };
    let by_goal = Dimension::DistanceError { error: goal, most: 400 };
    let (exact, model) = certified(by_goal, 4096);
    assert!(model.info().dimension.goal_met, "{:?}", model.info().dimension);
    assert!(exact.value <= goal && exact.low == exact.high, "{exact:?}");
    // The interval of a sample holds the error of all pairs.
    let (sampled, _) = certified(by_goal, 0);
    assert!(sampled.low < exact.value && exact.value < sampled.high, "{sampled:?}, {exact:?}");
    let (fewer, _) = certified(Dimension::Fixed(model.dimension() - 1), 4096);
    assert!(fewer.value > exact.value, "{fewer:?} with one column less, {exact:?}");
}

/// Up to 192 nodes the error is that of all pairs, so that it can be computed by brute force.
#[test]
fn one_column_less_misses_the_distance_goal() {
    let mut numbers = Random::new(21);
    let planted = &planted(150, 12, 1, 4).views[0];
    let noise = matrix(planted.nrows(), planted.ncols(), &mut numbers);
    let noisy = planted + 0.3 * noise;
    let graph = graph_of(std::slice::from_ref(&noisy), None);
    let error = |model: &Model| {
        let (mut wrong, mut total) = (0.0, 0.0);
        for i in 0..noisy.nrows() {
            for j in 0..i {
                let truth = true_distance(&noisy, i, j);
                wrong += (model_distance(model, 0, i, j) - truth).powi(2);
                total += truth * truth;
            }
        }
        f64::sqrt(wrong / total)
    };
    for goal in [0.4, 0.2, 0.1] {
        let wanted = Dimension::DistanceError { error: goal, most: 60 };
        let model = fitted(&graph, FitParams { dimension: wanted, ..params(1) });
        assert!(model.info().dimension.goal_met && model.dimension() > 1);
        let fewer = fitted(&graph, params(model.dimension() - 1));
        let (enough, missed) = (error(&model), error(&fewer));
        assert!(enough <= goal && missed > goal, "{goal}: {enough} and {missed}");
    }
}
