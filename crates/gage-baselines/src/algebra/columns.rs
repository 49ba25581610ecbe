//! Small changes of tables: columns side by side, scaled columns, rows of length one.

use gage_embed::Tall;

/// Tables side by side, one row per node.
pub(crate) fn concat_columns(parts: &[&Tall<f64>]) -> Tall<f64> {
    let rows = parts.first().map_or(0, |part| part.rows());
    let cols = parts.iter().map(|part| part.cols()).sum();
    Tall::from_rows(rows, cols, |row, out: &mut [f64]| {
        let mut rest = out;
        for part in parts {
            let (head, tail) = rest.split_at_mut(part.cols());
            head.copy_from_slice(part.row(row));
            rest = tail;
        }
    })
}

/// The same table with every column multiplied by a number.
pub(crate) fn times_columns(table: &Tall<f64>, factors: &[f64]) -> Tall<f64> {
    Tall::from_rows(table.rows(), table.cols(), |row, out: &mut [f64]| {
        for ((out, x), factor) in out.iter_mut().zip(table.row(row)).zip(factors) {
            *out = x * factor;
        }
    })
}

/// Divides every row by its length; rows of zeros stay.
pub(crate) fn normalise_rows(table: &mut Tall<f64>) {
    table.par_update_rows(|_, row| {
        let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > 0.0 {
            row.iter_mut().for_each(|x| *x /= length);
        }
    });
}
