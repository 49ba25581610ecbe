//! Ridge regression from a block to binary targets, scored by the area under the ROC curve.

use faer::Mat;
use rayon::prelude::*;

use gage_linalg::kernel::{cross_gram, gram, times_small};
use gage_linalg::small::PsdSolver;
use gage_linalg::{LocalReducer, Tall};

/// Mean squared entry that blocks are scaled to, so that one ridge suits all.
const ENTRY: f64 = 0.25;

/// Added to the diagonal of the Gram matrix.
const RIDGE: f64 = 1.0;

/// Members, and others, that a target has at least among the tested.
const LEAST_MEMBERS: usize = 3;

/// Targets of sampled nodes: those at even positions are learnt from, the others tested.
pub(super) struct Halves {
    learnt: Tall<f64>,
    tested: Vec<Vec<bool>>,
}

impl Halves {
    /// One list per target, one value per sampled node.
    pub(super) fn new(targets: &[Vec<bool>]) -> Halves {
        let nodes = targets.first().map_or(0, Vec::len);
        let learnt = Tall::from_rows(nodes.div_ceil(2), targets.len(), |row, out: &mut [f64]| {
            for (out, target) in out.iter_mut().zip(targets) {
                *out = f64::from(u8::from(target[2 * row]));
            }
        });
        let odd = |target: &Vec<bool>| target.iter().skip(1).step_by(2).copied().collect();
        Halves { learnt, tested: targets.iter().map(odd).collect() }
    }
}

/// Mean area under the ROC curve over the targets that can be tested; one half if there is none.
/// Costs `m c^2 + m c J` flops for `m` nodes, `c` columns and `J` targets.
pub(super) fn mean_auc(block: &Tall<f32>, sample: &[u32], halves: &Halves) -> f64 {
    let rows = |odd: usize| {
        let count = (sample.len() + 1 - odd) / 2;
        Tall::from_rows(count, block.cols(), |at, out: &mut [f64]| {
            let row = block.row(sample[2 * at + odd] as usize);
            out.iter_mut().zip(row).for_each(|(out, &x)| *out = f64::from(x));
        })
    };
    let (learnt, tested) = (rows(0), rows(1));
    let mut normal = gram(&learnt, &LocalReducer);
    let (columns, count) = (block.cols(), learnt.rows());
    let square: f64 = (0..columns).map(|f| normal[(f, f)]).sum();
    if !(square > 0.0 && square.is_finite()) {
        return 0.5;
    }
    let unit = square / (count * columns) as f64 / ENTRY;
    for f in 0..columns {
        normal[(f, f)] += RIDGE * unit;
    }
    // The blocks are centred, so a constant would change the order of no prediction.
    let products: Mat<f64> = cross_gram(&learnt, &halves.learnt, &LocalReducer);
    let weights = PsdSolver::new(normal.as_ref()).solve(products.as_ref());
    let predicted = times_small(&tested, weights.as_ref());
    let areas: Vec<Option<f64>> = halves
        .tested
        .par_iter()
        .enumerate()
        .map(|(target, has)| {
            let scores: Vec<f64> = (0..has.len()).map(|row| predicted.row(row)[target]).collect();
            area_under_curve(&scores, has)
        })
        .collect();
    let found: Vec<f64> = areas.into_iter().flatten().collect();
    if found.is_empty() { 0.5 } else { found.iter().sum::<f64>() / found.len() as f64 }
}

/// The chance that a member scores above another node; equal scores count half.
fn area_under_curve(scores: &[f64], has: &[bool]) -> Option<f64> {
    let members = has.iter().filter(|&&has| has).count();
    let others = has.len() - members;
    if members < LEAST_MEMBERS || others < LEAST_MEMBERS {
        return None;
    }
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]));
    let (mut below, mut sum) = (0.0, 0.0);
    for run in order.chunk_by(|&a, &b| scores[a] == scores[b]) {
        let inside = run.iter().filter(|&&at| has[at]).count() as f64;
        let outside = run.len() as f64 - inside;
        sum += inside * (below + 0.5 * outside);
        below += outside;
    }
    Some(sum / (members as f64 * others as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_count_pairs_in_order() {
        let has = [true, false, true, false, true, false];
        let area = |scores: &[f64; 6]| area_under_curve(scores, &has).unwrap();
        assert_eq!(area(&[9.0, 1.0, 8.0, 2.0, 7.0, 3.0]), 1.0);
        assert_eq!(area(&[0.0; 6]), 0.5);
        // By hand: of nine pairs, members win 3 + 2 + 0 and tie once.
        assert_eq!(area(&[5.0, 1.0, 3.0, 2.0, 0.0, 3.0]), (3.0 + 2.5) / 9.0);
        assert!(area_under_curve(&[0.0; 4], &[true, true, false, false]).is_none());
    }

    #[test]
    fn what_follows_from_the_block_is_predicted_and_noise_is_not() {
        let noise = |at: usize| ((at * 7919) % 1009) as f32 / 1009.0 - 0.5;
        let block = Tall::from_rows(600, 3, |row, out: &mut [f32]| {
            (0..3).for_each(|col| out[col] = noise(3 * row + col));
        });
        let sample: Vec<u32> = (0..600).collect();
        let follows: Vec<bool> = (0..600).map(|row| block.row(row)[1] > 0.2).collect();
        let random: Vec<bool> = (0..600).map(|row| (row * row * 31 + row) % 97 < 40).collect();
        let score = |target: &Vec<bool>| {
            mean_auc(&block, &sample, &Halves::new(std::slice::from_ref(target)))
        };
        assert!(score(&follows) > 0.95, "{}", score(&follows));
        assert!((score(&random) - 0.5).abs() < 0.1, "{}", score(&random));
    }
}
