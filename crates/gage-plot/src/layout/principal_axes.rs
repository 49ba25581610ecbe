//! First positions: the two principal axes.

use gage_linalg::Tall;
use rayon::prelude::*;

use super::point::Point;
use gage_linalg::random::Stream;

/// Rows that are enough to find two axes by.
const SAMPLE: usize = 20_000;
/// Spread of the first positions along the first axis.
const SPREAD: f64 = 3.0;

/// Rows on the two principal axes of the cloud, scaled to the size the forces work at.
pub fn principal(rows: &Tall<f32>, seed: u64) -> Vec<Point> {
    let (mean, axes) = find(rows, seed);
    let project = |row: usize, axis: &[f64]| -> f64 {
        let values = rows.row(row).iter().zip(&mean).zip(axis);
        values.map(|((&x, m), a)| (f64::from(x) - m) * a).sum()
    };
    let places: Vec<[f64; 2]> = (0..rows.rows())
        .into_par_iter()
        .map(|row| [project(row, &axes[0]), project(row, &axes[1])])
        .collect();
    let square: f64 = places.iter().map(|place| place[0] * place[0]).sum();
    let scale = SPREAD / (square / places.len() as f64).sqrt().max(1e-30);
    let jitter = |row: usize| {
        let mut stream = Stream::keyed(seed, 0xa5, row as u64);
        [stream.unit() - 0.5, stream.unit() - 0.5]
    };
    // Equal rows would otherwise never part.
    let finish = |row: usize, place: &[f64; 2]| {
        let by = jitter(row);
        [0, 1].map(|axis| (place[axis] * scale + 0.02 * by[axis]) as f32)
    };
    places.iter().enumerate().map(|(row, place)| finish(row, place)).collect()
}

/// Mean and two leading eigenvectors of the covariance of evenly spaced rows, by subspace
/// iteration.
fn find(rows: &Tall<f32>, seed: u64) -> (Vec<f64>, [Vec<f64>; 2]) {
    let cols = rows.cols();
    let step = rows.rows().div_ceil(SAMPLE).max(1);
    let sample: Vec<usize> = (0..rows.rows()).step_by(step).collect();
    let mut mean = vec![0.0; cols];
    for &row in &sample {
        mean.iter_mut().zip(rows.row(row)).for_each(|(m, &x)| *m += f64::from(x));
    }
    mean.iter_mut().for_each(|m| *m /= sample.len() as f64);
    let covariance: Vec<Vec<f64>> = (0..cols)
        .into_par_iter()
        .map(|a| {
            let mut sums = vec![0.0; cols];
            for &row in &sample {
                let values = rows.row(row);
                let left = f64::from(values[a]) - mean[a];
                for ((sum, &x), m) in sums.iter_mut().zip(values).zip(&mean) {
                    *sum += left * (f64::from(x) - m);
                }
            }
            sums
        })
        .collect();
    let mut axes = [0, 1].map(|axis| {
        let mut stream = Stream::keyed(seed, 0xa6, axis);
        (0..cols).map(|_| stream.unit() - 0.5).collect::<Vec<f64>>()
    });
    for _ in 0..300 {
        axes = axes.map(|axis| {
            covariance.iter().map(|row| row.iter().zip(&axis).map(|(c, x)| c * x).sum()).collect()
        });
        let [first, second] = &mut axes;
        normalise(first);
        let along: f64 = first.iter().zip(second.iter()).map(|(x, y)| x * y).sum();
        second.iter_mut().zip(first.iter()).for_each(|(y, x)| *y -= along * x);
        normalise(second);
    }
    (mean, axes)
}

fn normalise(axis: &mut [f64]) {
    let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length > 0.0 {
        axis.iter_mut().for_each(|x| *x /= length);
    }
}
