//! Same seed, same input: same bits at any number of threads.

use crate::common::*;
use gage_embed::*;

fn at_threads(threads: usize, graph: &Graph, params: FitParams) -> Vec<u8> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let model = pool.install(|| fitted(graph, params));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.gage");
    model.save(&path).unwrap();
    std::fs::read(path).unwrap()
}

#[test]
fn blogcatalog_is_the_same_at_1_2_and_4_threads() {
    let Some(graph) = dataset("blogcatalog") else { return };
    let params = FitParams {
        dimension: Dimension::Fixed(48),
        refine: Some(RefineParams { max_sweeps: 1, tolerance: 0.0 }),
        certificate: Some(CertificateParams::default()),
        ..FitParams::default()
    };
    let one = at_threads(1, &graph, params.clone());
    for threads in [2, 4] {
        assert!(one == at_threads(threads, &graph, params.clone()), "{threads} threads differ");
    }
    let other = at_threads(2, &graph, FitParams { seed: 1, ..params });
    assert!(one != other, "the seed has no effect at all");
}
