//! The published model on the published data: loss against the authors' own code.

use crate::common::*;
use faer::Mat;
use gage_embed::solver::RefineParams;
use gage_embed::*;

/// Relative losses of the authors' MATLAB in GNU Octave (tolerance 0.01, at most 200 iterations).
const AUTHORS: [(&str, usize, f64); 6] = [
    ("webkb", 64, 0.10608),
    ("webkb", 128, 0.05299),
    ("wiki", 64, 0.12352),
    ("wiki", 128, 0.05343),
    ("blogcatalog", 128, 2.0385e-4),
    ("blogcatalog", 256, 9.936e-5),
];

/// `sum_k ||X_k - U diag(c_k) U^T||^2 / sum_k ||X_k||^2`, by forming everything.
fn brute_loss(model: &Model, grams: &[Mat<f64>]) -> f64 {
    let u = model.factors().to_f64();
    let u = Mat::from_fn(u.rows(), u.cols(), |i, f| u.row(i)[f]);
    let (mut error, mut total) = (0.0, 0.0);
    for (view, x) in model.views().iter().zip(grams) {
        let scaled = Mat::from_fn(u.nrows(), u.ncols(), |i, f| u[(i, f)] * view.coefficients[f]);
        error += (x - &scaled * u.transpose()).squared_norm_l2();
        total += x.squared_norm_l2();
    }
    error / total
}

#[test]
fn loss_is_at_most_the_authors() {
    for name in ["webkb", "wiki", "blogcatalog"] {
        let Some(graph) = dataset(name) else { continue };
        let grams = [dense_gram(&graph, "links"), dense_gram(&graph, "attributes")];
        for (_, dimension, authors) in AUTHORS.iter().filter(|row| row.0 == name) {
            let base = FitParams {
                dimension: Dimension::Fixed(*dimension),
                loadings: false,
                ..FitParams::preset("paper").unwrap()
            };
            let plain = fitted(&graph, base.clone());
            let loss = brute_loss(&plain, &grams);
            assert!(loss <= 1.01 * authors, "{name} {dimension}: {loss} against {authors}");
            assert!(plain.info().passes <= 10, "{name}: {} passes", plain.info().passes);
            assert!((loss / plain.info().relative_loss - 1.0).abs() < 0.02, "reported loss is off");
            let refined =
                fitted(&graph, FitParams { refine: Some(RefineParams::default()), ..base });
            let loss = brute_loss(&refined, &grams);
            assert!(
                loss <= 1.001 * authors,
                "{name} {dimension} refined: {loss} against {authors}"
            );
            assert!(refined.views().iter().all(|v| v.coefficients.iter().all(|&c| c >= 0.0)));
        }
    }
}
