//! The rows of a transpose, from matrices that each have some rows.

use super::partition::Partition;
use super::reducer::{Reducer, split};
use crate::sparse::{SparseMatrix, Values};

/// The own rows of the transpose of a matrix whose rows are spread over workers. Every entry goes
/// to the worker that owns its column. Cost: 16 bytes sent and held for each entry, once.
pub fn transposed_rows(
    matrix: &SparseMatrix,
    rows: &Partition,
    cols: &Partition,
    reducer: &dyn Reducer,
) -> SparseMatrix {
    let (size, first) = (reducer.size(), rows.own().start);
    let mut places: Vec<Vec<[u32; 2]>> = vec![Vec::new(); size];
    let mut values: Vec<Vec<f64>> = vec![Vec::new(); size];
    for row in 0..matrix.rows() {
        let mut owner = 0;
        for (col, value) in matrix.row(row) {
            while cols.of(owner).end <= col as usize {
                owner += 1;
            }
            places[owner].push([col - cols.of(owner).start as u32, (first + row) as u32]);
            values[owner].push(value);
        }
    }
    let counts: Vec<[u64; 1]> = values.iter().map(|of| [of.len() as u64]).collect();
    let counts: Vec<&[u64]> = counts.iter().map(|count| &count[..]).collect();
    reducer.announce("sizes of a transpose", cols.all());
    let sizes = reducer.all_to_all(&counts, &vec![1; size]);
    let sizes: Vec<usize> = sizes.into_iter().map(|count| count as usize).collect();
    let parts: Vec<&[[u32; 2]]> = places.iter().map(Vec::as_slice).collect();
    reducer.announce("places of a transpose", cols.all());
    let mut places = reducer.all_to_all(&parts, &sizes);
    let parts: Vec<&[f64]> = values.iter().map(Vec::as_slice).collect();
    reducer.announce("values of a transpose", cols.all());
    let values = reducer.all_to_all(&parts, &sizes);
    // Workers come in the order of their rows, and each sends its rows in order.
    let places = split(&mut places, sizes.into_iter()).concat();
    sorted_by_column(&places, &values, cols.own().len(), rows.all())
}

/// Entries `[row of the result, column]` with ascending columns, sorted by rows.
fn sorted_by_column(places: &[[u32; 2]], values: &[f64], rows: usize, cols: usize) -> SparseMatrix {
    let mut starts = vec![0u64; rows + 1];
    places.iter().for_each(|place| starts[place[0] as usize + 1] += 1);
    (0..rows).for_each(|row| starts[row + 1] += starts[row]);
    let mut next = starts.clone();
    let (mut indices, mut sorted) = (vec![0u32; places.len()], vec![0.0; places.len()]);
    for (&[row, col], &value) in places.iter().zip(values) {
        let at = next[row as usize] as usize;
        next[row as usize] += 1;
        indices[at] = col;
        sorted[at] = value;
    }
    SparseMatrix::canonical(rows, cols, starts, indices, Values::from_f64(sorted))
}
