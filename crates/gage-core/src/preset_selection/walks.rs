//! What neighbours say of a node in the preset `walks`: the logarithm of short walks.
//!
//! It takes the place of one and two smoothings of the preset `auto` (measured in
//! `docs/experiments.md`). Of noisy attributes a logarithm keeps more noise, so they stay smoothed.

use crate::graph::ATTRIBUTES;
use crate::views::{LogAffinity, Steps, Transform, ViewSpec};

use super::regime::{Regime, smoothing};

/// Probabilities of walks of no, one, two and three steps that stop at each with one half. Six
/// steps are not better.
const WALKS: [f64; 4] = [0.5, 0.25, 0.125, 0.0625];

/// The views of attributes over links: the logarithm, and the mean of eight smoothings where they
/// reach far.
pub(super) fn walk_views(regime: Regime, dense: bool, transform: Transform) -> Vec<ViewSpec> {
    let weight = match regime {
        Regime::Middle => 1.0,
        Regime::Near if !dense => 0.4,
        Regime::Near | Regime::Deep | Regime::Noisy => 0.5,
    };
    let mut views = vec![ViewSpec {
        name: "walks".to_owned(),
        transform: Transform::RowL1,
        propagate: Some(smoothing(Steps::Polynomial(WALKS.to_vec()))),
        log_affinity: Some(LogAffinity::default()),
        weight,
        share: weight,
        ..ViewSpec::raw(ATTRIBUTES)
    }];
    if regime == Regime::Deep {
        views.push(ViewSpec {
            name: "far".to_owned(),
            transform,
            propagate: Some(smoothing(Steps::Mean(8))),
            ..ViewSpec::raw(ATTRIBUTES)
        });
    }
    views
}
