//! A certificate says what brute force says.

use crate::common::*;
use faer::{Mat, Side};
use gage_embed::model::certify;
use gage_embed::*;

#[test]
fn all_pairs_loss_and_bound_equal_brute_force() {
    let Some(graph) = dataset("webkb") else { return };
    let columns = 32;
    let params = FitParams {
        certificate: Some(CertificateParams::default()),
        ..FitParams { preset: Preset::named("paper").unwrap(), ..params(columns) }
    };
    let model = fitted(&graph, params);
    let certificate = model.certificate().unwrap();
    let u = model.factors().to_f64();
    let u = Mat::from_fn(u.rows(), u.cols(), |i, f| u.row(i)[f]);
    for (k, block) in ["links", "attributes"].into_iter().enumerate() {
        let x = dense_gram(&graph, block);
        let view = &model.views()[k];
        let scaled = Mat::from_fn(u.nrows(), columns, |i, f| u[(i, f)] * view.coefficients[f]);
        let model_gram = scaled * u.transpose();
        let d = |g: &Mat<f64>, i: usize, j: usize| g[(i, i)] + g[(j, j)] - 2.0 * g[(i, j)];
        let (mut error, mut square) = (0.0, 0.0);
        for i in 0..x.nrows() {
            for j in 0..i {
                error += (d(&model_gram, i, j) - d(&x, i, j)).powi(2);
                square += d(&x, i, j).powi(2);
            }
        }
        let stated = &certificate.views[k];
        assert!(stated.all_pairs && stated.pairs == 877 * 876 / 2);
        let close = |a: f64, b: f64| (a - b).abs() < 1e-8;
        assert!(close(stated.distance_error.value, f64::sqrt(error / square)), "{stated:?}");
        let loss = (&x - &model_gram).squared_norm_l2() / x.squared_norm_l2();
        assert!(close(stated.loss, loss), "{stated:?} against {loss}");
        let values = x.self_adjoint_eigenvalues(Side::Lower).unwrap();
        let rest: f64 = values.iter().rev().skip(columns).map(|l| l * l).sum();
        assert!(close(stated.least_loss, rest / x.squared_norm_l2()), "{stated:?}");
        assert!(stated.least_loss_exact && stated.least_loss <= stated.loss + 1e-12);
    }
    let again = certify(&model, &graph, &CertificateParams::default(), &NoObserver).unwrap();
    for (a, b) in again.views.iter().zip(&certificate.views) {
        assert!((a.distance_error.value - b.distance_error.value).abs() < 1e-8);
    }
}

#[test]
fn intervals_cover_the_truth_about_as_often_as_they_say() {
    let Some(graph) = dataset("webkb") else { return };
    let model = fitted(&graph, FitParams { ..params(16) });
    let exact = certify(&model, &graph, &CertificateParams::default(), &NoObserver).unwrap();
    let (mut covered, mut asked) = (0, 0);
    for seed in 0..40 {
        let sampled = CertificateParams {
            all_pairs_nodes: 2,
            exact_bound_nodes: 0,
            groups: 12,
            group_nodes: 24,
            seed,
        };
        let estimate = certify(&model, &graph, &sampled, &NoObserver).unwrap();
        for (e, t) in estimate.views.iter().zip(&exact.views) {
            asked += 1;
            let truth = t.distance_error.value;
            covered += usize::from((e.distance_error.low..=e.distance_error.high).contains(&truth));
            // Ritz values never exceed eigenvalues, so the estimated bound never undercuts the true
            // one.
            assert!(!e.least_loss_exact && e.least_loss >= t.least_loss - 1e-9);
            assert!(e.least_loss <= t.least_loss * 1.1 + 1e-6, "{} {}", e.least_loss, t.least_loss);
        }
    }
    // 95% intervals, 80 tries: fewer than 65 hits would be worse than any honest interval (p <
    // 1e-4).
    assert!(covered >= 65, "{covered} of {asked} intervals hold the truth");
}

#[test]
fn separation_tells_unique_axes_from_tied_ones() {
    let planted = planted(200, 5, 2, 6);
    let model = fitted(
        &graph_of(&planted.views, None),
        FitParams { certificate: Some(CertificateParams::default()), ..params(5) },
    );
    assert!(model.certificate().unwrap().least_separation() > 1e-3);
    // Two copies of one view: every axis has the same coefficients in both, nothing tells them
    // apart.
    let twice = vec![planted.views[0].clone(), planted.views[0].clone()];
    let model = fitted(
        &graph_of(&twice, None),
        FitParams { certificate: Some(CertificateParams::default()), ..params(5) },
    );
    assert!(model.certificate().unwrap().least_separation() < 1e-6);
    assert_eq!(model.info().pencil.tied_axes, 5);
}
