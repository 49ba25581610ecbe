//! Presets are data, and everything in them can be set by hand.

use crate::common::*;
use gage_embed::views::DirectedViews;
use gage_embed::*;

#[test]
fn a_preset_written_out_by_hand_gives_the_same_bits() {
    let Some(graph) = dataset("webkb") else { return };
    let preset = Preset::named("balanced").unwrap();
    let by_name =
        FitParams { dimension: Dimension::Fixed(16), ..FitParams::preset("balanced").unwrap() };
    let by_hand = FitParams {
        views: Some(preset.specs_for(&graph, DirectedViews::AsGiven)),
        ..by_name.clone()
    };
    let (a, b) = (fitted(&graph, by_name.clone()), fitted(&graph, by_hand));
    assert_eq!(difference(a.factors(), b.factors()), 0.0);
    let weights: Vec<f64> = a.views().iter().map(|v| v.weight).collect();
    let c = fitted(&graph, FitParams { weights: Some(weights), ..by_name });
    assert_eq!(difference(a.factors(), c.factors()), 0.0);
}

#[test]
fn directed_links_become_one_or_two_views() {
    let Some(graph) = dataset("webkb_directed") else { return };
    let names = |directed| -> Vec<String> {
        let params = FitParams {
            dimension: Dimension::Fixed(8),
            directed,
            ..FitParams::preset("paper").unwrap()
        };
        fitted(&graph, params).views().iter().map(|v| v.name.clone()).collect()
    };
    assert_eq!(names(DirectedViews::Out), ["links", "attributes"]);
    assert_eq!(names(DirectedViews::In), ["links", "attributes"]);
    assert_eq!(names(DirectedViews::Both), ["links-out", "links-in", "attributes"]);
}

#[test]
fn one_fit_serves_every_lambda() {
    let Some(graph) = dataset("webkb") else { return };
    let model = fitted(&graph, params(16));
    let e = |lambda: f64| model.embedding(&Lambda::Links(lambda)).unwrap();
    let dot = |e: &AnyTall, i: usize, j: usize| -> f64 {
        e.row_f64(i).iter().zip(e.row_f64(j)).map(|(a, b)| a * b).sum()
    };
    let (links, both, attributes) = (e(1.0), e(0.3), e(0.0));
    // Inner products are linear in lambda: E(l) E(l)^T = l X_links + (1 - l) X_attributes of the
    // model.
    for (i, j) in [(0, 1), (3, 9), (100, 200), (5, 5)] {
        let mixed = 0.3 * dot(&links, i, j) + 0.7 * dot(&attributes, i, j);
        assert!((dot(&both, i, j) - mixed).abs() < 1e-9 * (1.0 + mixed.abs()));
    }
    // The scale of `auto` is mean squared entry one quarter, at every lambda.
    let unit =
        fitted(&graph, FitParams { dimension: Dimension::Fixed(16), ..FitParams::default() });
    for lambda in [0.0, 0.5, 1.0] {
        let e = unit.embedding(&Lambda::Links(lambda)).unwrap();
        let square: f64 = (0..e.rows()).flat_map(|i| e.row_f64(i)).map(|x| x * x).sum();
        assert!((square / (e.rows() * e.cols()) as f64 - 0.25).abs() < 1e-5);
    }
}
