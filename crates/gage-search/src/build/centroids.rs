//! Centres of the lists, by k-means on a sample of the rows.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use gage_linalg::Tall;
use gage_linalg::random::Stream;

/// Rows compared with all centres at a time.
const BLOCK: usize = 128;

/// Rows of the sample for each centre. With the rounds below, the sample costs about as much as the assignment at a million rows.
const SAMPLE_PER_CENTRE: usize = 32;

/// Rounds of k-means. The lists need not be at rest: they only have to be compact.
const ROUNDS: usize = 8;

/// How many lists divide `rows` rows well: comparing with the centres should cost about as much as reading the lists.
pub(crate) fn list_count(rows: usize) -> usize {
    let wanted = (4.0 * (rows as f64).sqrt()) as usize;
    wanted.min(rows / 8).max(1)
}

/// Finds centres for the rows named in `present` (not empty): Lloyd's algorithm from random rows. Sums are made cluster by cluster in
/// the order of the rows, so the bits do not depend on the number of threads.
pub(crate) fn centres(rows: &Tall<f32>, present: &[u32], count: usize, seed: u64) -> Vec<f32> {
    let columns = rows.cols();
    let mut stream = Stream::new(seed);
    let sample = sample(rows, present, count * SAMPLE_PER_CENTRE, &mut stream);
    let row = |at: usize| &sample[at * columns..(at + 1) * columns];
    let taken = sample.len() / columns;
    let mut centres: Vec<f32> = sample[..count.min(taken) * columns].to_vec();
    for _ in 0..ROUNDS {
        let nearest = assign(&sample, columns, &centres);
        let mut members = members(&nearest, count);
        refill_empty(&mut members, &mut stream);
        centres.par_chunks_exact_mut(columns).zip(&members).for_each(|(centre, members)| {
            let mut sums = vec![0f64; columns];
            for &member in members {
                sums.iter_mut()
                    .zip(row(member as usize))
                    .for_each(|(sum, x)| *sum += f64::from(*x));
            }
            if !members.is_empty() {
                let share = 1.0 / members.len() as f64;
                centre.iter_mut().zip(&sums).for_each(|(c, sum)| *c = (sum * share) as f32);
            }
        });
    }
    centres
}

/// Random rows, one after another.
fn sample(rows: &Tall<f32>, present: &[u32], wanted: usize, stream: &mut Stream) -> Vec<f32> {
    let mut order = present.to_vec();
    let wanted = wanted.min(order.len());
    for at in 0..wanted {
        let other = at + stream.below(order.len() - at);
        order.swap(at, other);
    }
    order[..wanted].iter().flat_map(|&node| rows.row(node as usize)).copied().collect()
}

/// Members of each cluster, in order.
fn members(nearest: &[u32], count: usize) -> Vec<Vec<u32>> {
    let mut members = vec![Vec::new(); count];
    for (at, &centre) in nearest.iter().enumerate() {
        members[centre as usize].push(at as u32);
    }
    members
}

/// Gives each empty cluster one row of the largest; where rows repeat, it may run empty again, which harms nobody.
fn refill_empty(members: &mut [Vec<u32>], stream: &mut Stream) {
    for at in 0..members.len() {
        if members[at].is_empty() {
            let sizes = members.iter().map(Vec::len).enumerate();
            let largest =
                sizes.max_by_key(|&(at, size)| (size, usize::MAX - at)).map_or(0, |(at, _)| at);
            if members[largest].len() > 1 {
                let place = stream.below(members[largest].len());
                let row = members[largest].remove(place);
                members[at].push(row);
            }
        }
    }
}

/// The nearest centre of each row; of equally near ones the first. Cost `2 n p k` flops.
pub(crate) fn assign(rows: &[f32], columns: usize, centres: &[f32]) -> Vec<u32> {
    let count = centres.len() / columns;
    // ||x - c||^2 = ||x||^2 + ||c||^2 - 2 <x, c>, and the first term is the same for all centres.
    let halves: Vec<f32> = centres
        .chunks_exact(columns)
        .map(|c| (c.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / 2.0) as f32)
        .collect();
    let centres = MatRef::from_row_major_slice(centres, count, columns);
    let mut nearest = vec![0u32; rows.len() / columns];
    nearest.par_chunks_mut(BLOCK).zip(rows.par_chunks(BLOCK * columns)).for_each_init(
        || vec![0f32; BLOCK * count],
        |products, (nearest, block)| {
            let products = &mut products[..nearest.len() * count];
            let target = MatMut::from_row_major_slice_mut(products, nearest.len(), count);
            let block = MatRef::from_row_major_slice(block, nearest.len(), columns);
            matmul(target, Accum::Replace, block, centres.transpose(), 1.0, Par::Seq);
            for (nearest, products) in nearest.iter_mut().zip(products.chunks_exact(count)) {
                *nearest = least(products, &halves);
            }
        },
    );
    nearest
}

fn least(products: &[f32], halves: &[f32]) -> u32 {
    let mut best = (f32::INFINITY, 0);
    for (at, (product, half)) in products.iter().zip(halves).enumerate() {
        let value = half - product;
        if value < best.0 {
            best = (value, at as u32);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planted_clusters_get_a_centre_each() {
        let rows = Tall::from_rows(400, 3, |row, out: &mut [f32]| {
            let cluster = (row % 4) as f32;
            out.copy_from_slice(&[10.0 * cluster, -5.0 * cluster, (row / 4) as f32 * 1e-3]);
        });
        let present: Vec<u32> = (0..400).collect();
        let found = centres(&rows, &present, 12, 3);
        let nearest = assign(rows.data(), 3, &found);
        for (row, &centre) in nearest.iter().enumerate() {
            assert!(
                (found[3 * centre as usize] - 10.0 * (row % 4) as f32).abs() < 1.0,
                "row {row}"
            );
        }
    }

    #[test]
    fn equal_rows_and_few_rows_are_no_trouble() {
        let rows = Tall::from_rows(50, 2, |_, out: &mut [f32]| out.fill(1.0));
        let present: Vec<u32> = (0..50).collect();
        let found = centres(&rows, &present, 5, 0);
        assert!(found.iter().all(|&x| x == 1.0) && found.len() == 10);
        assert_eq!(list_count(0), 1);
        assert_eq!(list_count(7), 1);
        assert_eq!(list_count(1_000_000), 4000);
    }
}
