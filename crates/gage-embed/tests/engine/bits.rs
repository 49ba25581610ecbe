//! Same seed, same input: same bits at any number of threads.

use crate::common::*;
use gage_embed::solver::RefineParams;
use gage_embed::*;
use gage_testing::with_threads;

fn at_threads(threads: usize, graph: &Graph, params: FitParams) -> Vec<u8> {
    let model = with_threads(threads, || fitted(graph, params));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.gage");
    model.save(&path).unwrap();
    std::fs::read(path).unwrap()
}

/// Fits at 1, 2 and 4 threads are equal byte by byte, and another seed gives other bytes.
fn same_at_any_thread_count(graph: &Graph, params: FitParams) {
    let one = at_threads(1, graph, params.clone());
    for threads in [2, 4] {
        assert!(one == at_threads(threads, graph, params.clone()), "{threads} threads differ");
    }
    let other = at_threads(2, graph, FitParams { seed: 1, ..params });
    assert!(one != other, "the seed has no effect at all");
}

fn all_stages(dimension: usize) -> FitParams {
    FitParams {
        dimension: Dimension::Fixed(dimension),
        refine: Some(RefineParams { max_sweeps: 1, tolerance: 0.0 }),
        certificate: Some(CertificateParams::default()),
        ..FitParams::default()
    }
}

#[test]
fn logarithms_of_walks_are_the_same_at_1_2_and_4_threads() {
    let params =
        FitParams { dimension: Dimension::Fixed(16), ..FitParams::preset("walks").unwrap() };
    same_at_any_thread_count(&debian(), params);
}

#[test]
fn generated_data_are_the_same_at_1_2_and_4_threads() {
    let planted = planted(3000, 24, 3, 7);
    let mut params = all_stages(16);
    params.basis.direct_nodes = 0;
    same_at_any_thread_count(&graph_of(&planted.views, None), params);
}

#[test]
fn blogcatalog_is_the_same_at_1_2_and_4_threads() {
    let Some(graph) = dataset("blogcatalog") else { return };
    same_at_any_thread_count(&graph, all_stages(48));
}

/// Sparse real data that every checkout has, so that this does not depend on what is installed.
#[test]
fn the_embedded_data_are_the_same_at_1_2_and_4_threads() {
    let mut params = all_stages(16);
    params.basis.direct_nodes = 0;
    same_at_any_thread_count(&debian(), params);
}
