//! Planted graphs are as requested, whatever the number of threads.

use gage_core::holdout::EvalError;
use gage_linalg::SparseMatrix;

use super::{PlantedGraph, PlantedParams};

fn planted(params: PlantedParams) -> PlantedGraph {
    PlantedGraph::new(params).unwrap()
}

#[test]
fn bounds_are_checked() {
    let good = PlantedParams { nodes: 100, ..Default::default() };
    for bad in [
        PlantedParams { nodes: 1, ..good.clone() },
        PlantedParams { degree: f64::NAN, ..good.clone() },
        PlantedParams { degree: 1000.0, ..good.clone() },
        PlantedParams { homophily: 1.5, ..good.clone() },
        PlantedParams { signal: -0.1, ..good.clone() },
        PlantedParams { classes: 0, ..good.clone() },
        PlantedParams { classes: 101, ..good.clone() },
        PlantedParams { attributes: 3, ..good.clone() },
        PlantedParams { power_law: 1.5, ..good.clone() },
        PlantedParams { attributes_per_node: f64::INFINITY, ..good },
    ] {
        let outcome = PlantedGraph::new(bad.clone());
        assert!(matches!(outcome, Err(EvalError::Parameter { .. })), "{bad:?}");
    }
}

fn largest_degree(links: &SparseMatrix) -> usize {
    (0..links.rows()).map(|node| links.row_range(node).len()).max().unwrap()
}

#[test]
fn graphs_are_as_asked() {
    let params = PlantedParams {
        nodes: 20_000,
        classes: 5,
        attributes: 400,
        homophily: 0.8,
        seed: 3,
        ..Default::default()
    };
    let graph = planted(params.clone());
    let (links, attributes) = (graph.links(), graph.attributes());
    assert!(links.is_symmetric() && (0..20_000).all(|n| links.row(n).all(|e| e.0 as usize != n)));
    // Merging repeated links costs a few of them.
    let degree = links.nnz() as f64 / 20_000.0;
    assert!(degree > 18.5 && degree < 20.5, "{degree}");
    let homophily = graph.edge_homophily(&links);
    assert!((homophily - 0.8).abs() < 0.02, "{homophily}");
    assert_eq!(graph.class_sizes().iter().sum::<u64>(), 20_000);
    assert_eq!(graph.labels().class_names()[4], "class 4");
    // A power law has hubs; equal expected degrees have none.
    assert!(largest_degree(&links) > 200);
    assert!(largest_degree(&planted(PlantedParams { power_law: 0.0, ..params }).links()) < 60);
    assert_eq!(attributes.cols(), 400);
    let per_node = attributes.nnz() as f64 / 20_000.0;
    assert!(per_node > 14.0 && per_node < 20.5, "{per_node}");
    // Both matrices are what their constructor would accept from anybody.
    for matrix in [&links, &attributes] {
        let (pointers, indices) = (matrix.indptr().to_vec(), matrix.indices().to_vec());
        let values = matrix.values().clone();
        let again =
            SparseMatrix::new(matrix.rows(), matrix.cols(), pointers, indices, values).unwrap();
        assert!(again == *matrix);
    }
}

#[test]
fn threads_change_nothing_and_seeds_do() {
    let make = |threads: usize, seed: u64| {
        let graph = planted(PlantedParams { nodes: 15_000, seed, ..Default::default() });
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| (graph.links(), graph.attributes()))
    };
    let (one, two, other) = (make(1, 7), make(2, 7), make(2, 8));
    assert!(one == two);
    assert!(one.0 != other.0 && one.1 != other.1);
}
