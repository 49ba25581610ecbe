//! Iteration over the nonzeros of a row.

/// Iterates over the nonzeros of a row.
pub(super) struct Row<'a> {
    pub(super) columns: &'a [u32],
    pub(super) values: RowValues<'a>,
    pub(super) at: usize,
}

/// The values of a row by precision.
pub(super) enum RowValues<'a> {
    Ones,
    F32(&'a [f32]),
    F64(&'a [f64]),
}

impl Iterator for Row<'_> {
    type Item = (u32, f64);

    #[inline]
    fn next(&mut self) -> Option<(u32, f64)> {
        let column = *self.columns.get(self.at)?;
        let value = match self.values {
            RowValues::Ones => 1.0,
            RowValues::F32(values) => f64::from(values[self.at]),
            RowValues::F64(values) => values[self.at],
        };
        self.at += 1;
        Some((column, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.columns.len() - self.at;
        (left, Some(left))
    }

    /// The kind of the values is matched once per row. Matching it per entry took most of the time
    /// of plain sums.
    #[inline]
    fn fold<B, F: FnMut(B, (u32, f64)) -> B>(self, start: B, add: F) -> B {
        let columns = self.columns[self.at..].iter().copied();
        match self.values {
            RowValues::Ones => columns.map(|column| (column, 1.0)).fold(start, add),
            RowValues::F32(values) => {
                let values = values[self.at..].iter().map(|&value| f64::from(value));
                columns.zip(values).fold(start, add)
            }
            RowValues::F64(values) => {
                columns.zip(values[self.at..].iter().copied()).fold(start, add)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{SparseMatrix, Values};

    #[test]
    fn a_row_is_the_same_step_by_step_and_at_once() {
        for values in [
            Values::Ones,
            Values::F32(vec![0.5, -2.0, 0.0, 7.0].into()),
            Values::F64(vec![0.1, -2.0, 0.0, 7.0].into()),
        ] {
            let matrix =
                SparseMatrix::new(3, 5, vec![0, 3, 3, 4], vec![0, 2, 4, 1], values.clone())
                    .unwrap();
            let entries = |row: usize, places: std::ops::Range<usize>| -> Vec<(u32, f64)> {
                assert_eq!(matrix.row(row).size_hint(), (places.len(), Some(places.len())));
                places.map(|at| (matrix.indices()[at], values.get(at))).collect()
            };
            for (row, places) in [(0, 0..3), (1, 3..3), (2, 3..4)] {
                let expected = entries(row, places);
                for taken in 0..=expected.len() {
                    let mut left = matrix.row(row);
                    let mut all: Vec<(u32, f64)> = left.by_ref().take(taken).collect();
                    // `for_each` folds, where a loop takes one step after the other.
                    left.for_each(|entry| all.push(entry));
                    assert_eq!(all, expected, "row {row} after {taken}");
                }
            }
        }
    }
}
