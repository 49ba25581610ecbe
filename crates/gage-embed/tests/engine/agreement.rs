//! Two independent ways must agree.

use crate::common::*;
use faer::Mat;
use faer::linalg::solvers::Solve;
use gage_embed::solver::RefineParams;
use gage_embed::*;

fn small_graph() -> (Graph, Vec<Mat<f64>>) {
    let mut numbers = Random::new(8);
    let planted = planted(150, 12, 2, 21);
    // Low rank plus noise: the best model of rank 6 is not exact.
    let noisy: Vec<Mat<f64>> = planted
        .views
        .iter()
        .map(|y| y + faer::Scale(0.3) * matrix(y.nrows(), y.ncols(), &mut numbers))
        .collect();
    (graph_of(&noisy, None), noisy)
}

fn centred(y: &Mat<f64>) -> Mat<f64> {
    let n = y.nrows();
    let means: Vec<f64> = (0..y.ncols()).map(|j| y.col(j).iter().sum::<f64>() / n as f64).collect();
    let y = Mat::from_fn(n, y.ncols(), |i, j| y[(i, j)] - means[j]);
    &y * y.transpose()
}

/// The paper's Algorithm 2, literally: two node factors, plain least squares, dense slabs.
fn literal_als(slabs: &[Mat<f64>], start: &Mat<f64>, sweeps: usize) -> f64 {
    let f = start.ncols();
    let solve = |a: Mat<f64>, b: Mat<f64>| a.full_piv_lu().solve(&b);
    let mut u = start.clone();
    let mut v = start.clone();
    let gram = |a: &Mat<f64>, b: &Mat<f64>| a.transpose() * b;
    let coefficients = |u: &Mat<f64>, v: &Mat<f64>| -> Mat<f64> {
        let (gu, gv) = (gram(u, u), gram(v, v));
        let normal = Mat::from_fn(f, f, |i, j| gu[(i, j)] * gv[(i, j)]);
        let rhs = Mat::from_fn(f, slabs.len(), |i, k| {
            let product = &slabs[k] * v.subcols(i, 1);
            (0..u.nrows()).map(|r| u[(r, i)] * product[(r, 0)]).sum()
        });
        solve(normal, rhs)
    };
    let mut c = coefficients(&u, &v);
    for _ in 0..sweeps {
        for side in 0..2 {
            let other = if side == 0 { &v } else { &u };
            let g = gram(other, other);
            let normal = Mat::from_fn(f, f, |i, j| {
                g[(i, j)] * (0..slabs.len()).map(|k| c[(i, k)] * c[(j, k)]).sum::<f64>()
            });
            let mut rhs = Mat::<f64>::zeros(f, u.nrows());
            for (k, slab) in slabs.iter().enumerate() {
                let product = slab * other;
                rhs += Mat::from_fn(f, u.nrows(), |i, r| c[(i, k)] * product[(r, i)]);
            }
            let solved = solve(normal, rhs).transpose().to_owned();
            if side == 0 { u = solved } else { v = solved }
        }
        c = coefficients(&u, &v);
    }
    let (mut error, mut total) = (0.0, 0.0);
    for (k, slab) in slabs.iter().enumerate() {
        let scaled = Mat::from_fn(u.nrows(), f, |i, j| u[(i, j)] * c[(j, k)]);
        error += (slab - scaled * v.transpose()).squared_norm_l2();
        total += slab.squared_norm_l2();
    }
    error / total
}

fn factors(model: &Model) -> Mat<f64> {
    let u = model.factors().to_f64();
    Mat::from_fn(u.rows(), u.cols(), |i, f| u.row(i)[f])
}

#[test]
fn full_size_refinement_agrees_with_the_literal_algorithm() {
    let (graph, views) = small_graph();
    let slabs: Vec<Mat<f64>> = views.iter().map(centred).collect();
    let start = fitted(&graph, FitParams { core_sweeps: 0, ..params(6) });
    let refine = RefineParams { max_sweeps: 500, tolerance: 1e-12 };
    let refined = fitted(&graph, FitParams { refine: Some(refine), core_sweeps: 0, ..params(6) });
    let ours = refined.info().relative_loss;
    let literal = literal_als(&slabs, &factors(&start), 3000);
    // Both descend from the same start; ours is symmetric and non-negative, theirs is neither by
    // construction.
    assert!((ours / literal - 1.0).abs() < 1e-3, "ours {ours}, literal {literal}");
}

#[test]
fn core_and_full_size_least_squares_agree() {
    let (graph, _) = small_graph();
    // With as many basis columns as nodes the core is the tensor itself.
    let mut whole = params(6);
    whole.basis.oversampling = 25.0;
    whole.core_sweeps = 1000;
    let core = fitted(&graph, whole);
    let refine = RefineParams { max_sweeps: 1000, tolerance: 1e-12 };
    let full = fitted(&graph, FitParams { refine: Some(refine), core_sweeps: 0, ..params(6) });
    let (a, b) = (core.info().relative_loss, full.info().relative_loss);
    assert!((a / b - 1.0).abs() < 1e-3, "core {a}, full size {b}");
}

#[test]
fn pencil_and_least_squares_agree_on_two_views() {
    // Exact data: the pencil's answer is already the minimum, so least squares must stay there.
    let planted = planted(200, 6, 2, 4);
    let graph = graph_of(&planted.views, None);
    let pencil = fitted(&graph, FitParams { core_sweeps: 0, ..params(6) });
    let refine = RefineParams { max_sweeps: 50, tolerance: 0.0 };
    let both = fitted(&graph, FitParams { refine: Some(refine), ..params(6) });
    assert!(difference(pencil.factors(), both.factors()) < 1e-6);
    // Noisy data: least squares may only improve on the pencil.
    let (graph, _) = small_graph();
    let pencil = fitted(&graph, FitParams { core_sweeps: 0, ..params(6) });
    let als = fitted(&graph, FitParams { core_sweeps: 200, ..params(6) });
    let history = &als.info().core_als.loss_history;
    assert!(history.windows(2).all(|w| w[1] <= w[0]));
    assert!(als.info().relative_loss <= pencil.info().relative_loss * (1.0 + 1e-12));
}

#[test]
fn single_and_double_precision_agree() {
    for name in ["webkb", "blogcatalog"] {
        let Some(graph) = dataset(name) else { continue };
        for preset in ["paper", "balanced"] {
            let base = FitParams {
                dimension: Dimension::Fixed(32),
                loadings: false,
                ..FitParams::preset(preset).unwrap()
            };
            let single = fitted(&graph, base.clone());
            let double = fitted(&graph, FitParams { precision: Precision::F64, ..base });
            let (a, b) = (single.info().relative_loss, double.info().relative_loss);
            assert!((a / b - 1.0).abs() < 2e-3, "{name} {preset}: {a} and {b}");
            // Axes may turn within nearly equal eigenvalues, but inner products of nodes may not.
            let (e, f) = (
                single.embedding(&Lambda::Preset).unwrap(),
                double.embedding(&Lambda::Preset).unwrap(),
            );
            let (mut worst, mut largest) = (0.0f64, 0.0f64);
            for i in 0..60 {
                for j in 0..60 {
                    let dot = |e: &AnyTall| -> f64 {
                        e.row_f64(i).iter().zip(e.row_f64(j)).map(|(a, b)| a * b).sum()
                    };
                    worst = worst.max((dot(&e) - dot(&f)).abs());
                    largest = largest.max(dot(&f).abs());
                }
            }
            assert!(worst < 0.02 * largest, "{name} {preset}: inner products differ by {worst}");
        }
    }
}
