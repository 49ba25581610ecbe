//! Centred rows of an embedding.

use gage_linalg::{Real, Tall};

/// The given rows less their mean, in double precision, and the mean. Distances do not change with
/// the origin, but rounding errors grow with the distance from it.
pub(super) fn centred_rows<T: Real>(embedding: &Tall<T>, rows: &[u32]) -> (Tall<f64>, Vec<f64>) {
    let mut mean = vec![0.0; embedding.cols()];
    for &row in rows {
        let row = embedding.row(row as usize);
        mean.iter_mut().zip(row).for_each(|(sum, value)| *sum += value.to_f64());
    }
    let count = rows.len().max(1) as f64;
    mean.iter_mut().for_each(|sum| *sum /= count);
    let centred = Tall::from_rows(rows.len(), embedding.cols(), |at, out: &mut [f64]| {
        let row = embedding.row(rows[at] as usize).iter().zip(&mean);
        out.iter_mut().zip(row).for_each(|(out, (value, mean))| *out = value.to_f64() - mean);
    });
    (centred, mean)
}
