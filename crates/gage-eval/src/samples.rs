//! Data sets made for tests.

use gage_core::graph::Labels;
use gage_linalg::Tall;
use gage_linalg::random::{Stream, fill_normal};

/// Independent standard normal entries.
pub fn random(rows: usize, cols: usize, seed: u64) -> Tall<f64> {
    Tall::from_rows(rows, cols, |row, out| fill_normal(seed, row as u64, out))
}

/// One of `classes` classes per node, uniformly.
pub fn random_classes(nodes: usize, classes: usize, seed: u64) -> Vec<i64> {
    let mut stream = Stream::new(seed);
    (0..nodes).map(|_| stream.below(classes) as i64).collect()
}

/// Unit normal clouds around one random centroid per class, and the classes.
pub fn clouds(
    nodes: usize,
    cols: usize,
    classes: usize,
    distance: f64,
    seed: u64,
) -> (Tall<f64>, Vec<i64>) {
    let numbers = random_classes(nodes, classes, seed);
    let centroids = random(classes, cols, seed ^ 0xc10d);
    let mut cloud = random(nodes, cols, seed ^ 0x9a1e);
    for (row, &class) in numbers.iter().enumerate() {
        for (value, centroid) in cloud.row_mut(row).iter_mut().zip(centroids.row(class as usize)) {
            *value += distance * centroid;
        }
    }
    (cloud, numbers)
}

/// Labels from class numbers.
pub fn labels(numbers: &[i64]) -> Labels {
    Labels::from_numbers(numbers)
}
