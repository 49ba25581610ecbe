//! Node rows spread over workers: the same solver, the same answer.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, Barrier, Mutex};

use crate::common::*;
use gage_embed::linalg::Reducer;
use gage_embed::solver::{FitContext, RefineParams, prepare};
use gage_embed::views::ViewSpec;
use gage_embed::*;

/// Workers that are threads, exchanging numbers through shared memory in rank order.
struct Thread {
    rank: usize,
    size: usize,
    slots: Arc<Mutex<Vec<Vec<f64>>>>,
    barrier: Arc<Barrier>,
}

impl Thread {
    fn team(size: usize) -> Vec<Thread> {
        let slots = Arc::new(Mutex::new(vec![Vec::new(); size]));
        let barrier = Arc::new(Barrier::new(size));
        let worker = |rank| Thread { rank, size, slots: slots.clone(), barrier: barrier.clone() };
        (0..size).map(worker).collect()
    }

    fn exchange(&self, mine: Vec<f64>) -> Vec<Vec<f64>> {
        self.slots.lock().unwrap()[self.rank] = mine;
        self.barrier.wait();
        let all = self.slots.lock().unwrap().clone();
        self.barrier.wait();
        all
    }

    fn sum(&self, values: &[f64]) -> Vec<f64> {
        let all = self.exchange(values.to_vec());
        let sizes: Vec<usize> = all.iter().map(Vec::len).collect();
        assert!(
            sizes.iter().all(|&size| size == values.len()),
            "workers are out of step: {sizes:?}"
        );
        (0..values.len()).map(|i| all.iter().map(|v| v[i]).sum()).collect()
    }
}

impl Reducer for Thread {
    fn local_rows(&self, nodes: usize) -> Range<usize> {
        self.rank * nodes / self.size..(self.rank + 1) * nodes / self.size
    }
    fn sum_f64(&self, values: &mut [f64]) {
        values.copy_from_slice(&self.sum(values));
    }
    fn sum_f32(&self, values: &mut [f32]) {
        let wide: Vec<f64> = values.iter().map(|&v| f64::from(v)).collect();
        let sums = self.sum(&wide);
        values.iter_mut().zip(sums).for_each(|(v, s)| *v = s as f32);
    }
    fn gather_f64<'a>(&self, local: &'a [f64], _width: usize) -> Cow<'a, [f64]> {
        Cow::Owned(self.exchange(local.to_vec()).concat())
    }
    fn gather_f32<'a>(&self, local: &'a [f32], _width: usize) -> Cow<'a, [f32]> {
        let wide = self.exchange(local.iter().map(|&v| f64::from(v)).collect()).concat();
        Cow::Owned(wide.iter().map(|&v| v as f32).collect())
    }
}

fn models_over_workers(graph: &Graph, params: &FitParams, size: usize) -> Vec<Model> {
    let models: Vec<Model> = std::thread::scope(|scope| {
        let handles: Vec<_> = Thread::team(size)
            .into_iter()
            .map(|worker| {
                let params = params.clone().check().unwrap();
                scope.spawn(move || {
                    let ctx = FitContext { reducer: &worker, ..FitContext::default() };
                    prepare(graph, params, &ctx).unwrap().fit(&ctx).unwrap()
                })
            })
            .collect();
        handles.into_iter().map(|handle| handle.join().unwrap()).collect()
    });
    for model in &models {
        assert_eq!(model.views(), models[0].views(), "workers disagree on the coefficients");
    }
    models
}

fn over_workers(graph: &Graph, params: &FitParams, size: usize) -> Vec<Vec<f64>> {
    models_over_workers(graph, params, size)
        .iter()
        .flat_map(|m| {
            (0..m.factors().rows()).map(|row| m.factors().row_f64(row)).collect::<Vec<_>>()
        })
        .collect()
}

fn compare(what: &str, graph: &Graph, params: &FitParams) {
    let alone = fitted(graph, params.clone());
    for size in [1, 2, 3] {
        let rows = over_workers(graph, params, size);
        assert_eq!(rows.len(), graph.nodes().len());
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

#[test]
fn one_two_and_three_workers_agree() {
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
}

#[test]
fn links_and_smoothing_work_over_workers() {
    let Some(graph) = dataset("webkb") else { return };
    let mut params = FitParams {
        dimension: Dimension::Fixed(6),
        precision: Precision::F64,
        certificate: Some(CertificateParams::default()),
        ..FitParams::default()
    };
    params.basis.direct_nodes = 0;
    compare("webkb", &graph, &params);
}

/// Norms are exact or estimated, and Gram matrices formed or not, by rules that look at sizes. In
/// single precision on real data all of these rules are met.
#[test]
fn losses_in_single_precision_do_not_depend_on_the_number_of_workers() {
    for name in ["wiki", "blogcatalog"] {
        let Some(graph) = dataset(name) else { continue };
        for preset in ["paper", "balanced"] {
            let params = FitParams {
                dimension: Dimension::Fixed(16),
                preset: Preset::named(preset).unwrap(),
                ..FitParams::default()
            };
            let alone = fitted(&graph, params.clone());
            for size in [2, 4] {
                let models = models_over_workers(&graph, &params, size);
                let (a, b) = (models[0].info().relative_loss, alone.info().relative_loss);
                assert!(
                    (a - b).abs() < 1e-6,
                    "{name}, {preset}, {size} workers: loss {a}, not {b}"
                );
                for (view, of_one) in models[0].views().iter().zip(alone.views()) {
                    assert_eq!(
                        view.gram_norm, of_one.gram_norm,
                        "{name}, {preset}, {size} workers"
                    );
                }
            }
        }
    }
}
