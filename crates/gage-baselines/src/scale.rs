//! The scale of an embedding: what methods put out, as it is or brought to one size.

use gage_embed::Tall;
use rayon::prelude::*;

use crate::Error;

/// How an embedding is scaled. A classifier with a fixed penalty depends on it: a method whose
/// numbers are small is penalised more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// One factor for all numbers, so that the mean squared entry is 1.
    #[default]
    MeanSquare,
    /// Every row at length 1; rows of zeros stay.
    Rows,
    /// As the method puts it out.
    None,
}

impl Scale {
    /// All of them.
    pub const ALL: [Scale; 3] = [Scale::MeanSquare, Scale::Rows, Scale::None];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Scale::MeanSquare => "mean-square",
            Scale::Rows => "rows",
            Scale::None => "none",
        }
    }

    /// The scale of that name.
    pub fn named(name: &str) -> Option<Scale> {
        Scale::ALL.into_iter().find(|scale| scale.name() == name)
    }

    /// What it does, in a few words.
    pub fn describe(self) -> &'static str {
        match self {
            Scale::MeanSquare => "one factor for all numbers, so that their mean square is 1",
            Scale::Rows => "every row at length 1",
            Scale::None => "as the method puts it out",
        }
    }

    /// The same rows at this scale. Zeros stay zeros.
    pub fn apply(self, rows: &mut Tall<f32>) {
        match self {
            Scale::None => {}
            Scale::MeanSquare => {
                let factor = factor_to_unit_mean_square(rows);
                rows.par_update_rows(|_, row| {
                    row.iter_mut().for_each(|x| *x = (f64::from(*x) * factor) as f32);
                });
            }
            Scale::Rows => rows.par_update_rows(|_, row| {
                // The largest is taken out first: squares of tiny numbers would vanish.
                let largest = row.iter().fold(0.0f64, |top, x| top.max(f64::from(x.abs())));
                let squares = row.iter().map(|x| (f64::from(*x) / largest).powi(2));
                let length = squares.sum::<f64>().sqrt();
                if largest > 0.0 {
                    let scaled = |x: f32| (f64::from(x) / largest / length) as f32;
                    row.iter_mut().for_each(|x| *x = scaled(*x));
                }
            }),
        }
    }
}

/// What to multiply with for a mean squared entry of 1; 1 if all entries are zeros.
fn factor_to_unit_mean_square(rows: &Tall<f32>) -> f64 {
    let squares: Vec<f64> = rows
        .data()
        .par_chunks(rows.cols().max(1))
        .map(|row| row.iter().map(|x| f64::from(*x).powi(2)).sum())
        .collect();
    let mean = squares.iter().sum::<f64>() / rows.data().len().max(1) as f64;
    if mean > 0.0 { 1.0 / mean.sqrt() } else { 1.0 }
}

/// The first `dimension` columns of what a method put out, padded with zeros, at a scale.
pub(crate) fn finish(
    raw: &Tall<f64>,
    dimension: usize,
    scale: Scale,
    method: &'static str,
) -> Result<Tall<f32>, Error> {
    let columns = raw.cols().min(dimension);
    let largest = |row: &[f64]| row.iter().fold(0.0f64, |top, x| top.max(x.abs()));
    // Columns that are dropped decide nothing, but must be numbers.
    if raw.data().iter().any(|x| !x.is_finite()) {
        return Err(Error::NotFinite { method });
    }
    let largest = (0..raw.rows()).map(|row| largest(&raw.row(row)[..columns])).fold(0.0, f64::max);
    if largest == 0.0 {
        return Err(Error::NothingToEmbed { method });
    }
    // Numbers beyond single precision are brought within it, unless they are to stay as they are.
    let unit = if scale == Scale::None { 1.0 } else { largest };
    if largest / unit > f64::from(f32::MAX) {
        return Err(Error::NotFinite { method });
    }
    let mut rows = Tall::from_rows(raw.rows(), dimension, |row, out: &mut [f32]| {
        for (out, x) in out.iter_mut().zip(&raw.row(row)[..columns]) {
            *out = (x / unit) as f32;
        }
    });
    scale.apply(&mut rows);
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(values: [f64; 6], scale: Scale) -> Result<Vec<f32>, Error> {
        let raw = Tall::from_rows(3, 2, |row, out: &mut [f64]| {
            out.copy_from_slice(&values[2 * row..2 * row + 2]);
        });
        finish(&raw, 2, scale, "x").map(|rows| rows.data().to_vec())
    }

    #[test]
    fn each_scale_is_what_it_says() {
        let values = [3.0, 4.0, 0.0, 0.0, -0.6, 0.8];
        assert_eq!(finished(values, Scale::None).unwrap(), [3.0, 4.0, 0.0, 0.0, -0.6, 0.8]);
        let rows = finished(values, Scale::Rows).unwrap();
        for (ours, expected) in rows.iter().zip([0.6, 0.8, 0.0, 0.0, -0.6, 0.8]) {
            assert!((ours - expected).abs() < 1e-6, "{rows:?}");
        }
        let squares = finished(values, Scale::MeanSquare).unwrap();
        let mean: f32 = squares.iter().map(|x| x * x).sum::<f32>() / 6.0;
        assert!((mean - 1.0).abs() < 1e-6 && (squares[1] / squares[0] - 4.0 / 3.0).abs() < 1e-6);
    }

    #[test]
    fn tiny_and_huge_numbers_are_scaled_or_refused() {
        for size in [1e-200, 1e200] {
            let values = [3.0, 4.0, 0.0, 0.0, 0.0, 5.0].map(|x| x * size);
            let rows = finished(values, Scale::Rows).unwrap();
            assert!((rows[1] - 0.8).abs() < 1e-6, "{rows:?}");
            let squares = finished(values, Scale::MeanSquare).unwrap();
            assert!((squares.iter().map(|x| x * x).sum::<f32>() / 6.0 - 1.0).abs() < 1e-6);
        }
        let huge = finished([1e200, 0.0, 0.0, 0.0, 0.0, 0.0], Scale::None);
        assert_eq!(huge, Err(Error::NotFinite { method: "x" }));
        let none = finished([0.0; 6], Scale::MeanSquare);
        assert_eq!(none, Err(Error::NothingToEmbed { method: "x" }));
        let not = finished([f64::NAN, 0.0, 0.0, 0.0, 0.0, 0.0], Scale::Rows);
        assert_eq!(not, Err(Error::NotFinite { method: "x" }));
    }
}
