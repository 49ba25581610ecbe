//! Splits of the nodes into training and test sets.

use serde::{Deserialize, Serialize};

use gage_core::graph::Labels;
use gage_core::holdout::EvalError;
use gage_linalg::random::{Stream, mix};

/// How many nodes train.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrainSize {
    /// This share of the nodes, rounded to the nearest number but leaving at least one on either
    /// side.
    Share(f64),
    /// Exactly this many nodes.
    Count(usize),
}

impl TrainSize {
    /// The number of training nodes among `nodes`.
    pub fn of(self, nodes: usize) -> Result<usize, EvalError> {
        if nodes < 2 {
            return Err(EvalError::TooFew { what: "nodes to split", needed: 2, found: nodes });
        }
        match self {
            TrainSize::Share(share) if share > 0.0 && share < 1.0 => {
                Ok(((share * nodes as f64).round() as usize).clamp(1, nodes - 1))
            }
            TrainSize::Share(value) => Err(EvalError::Parameter {
                name: "training share",
                value,
                bound: "between 0 and 1",
            }),
            TrainSize::Count(0) => {
                Err(EvalError::TooFew { what: "training nodes", needed: 1, found: 0 })
            }
            TrainSize::Count(count) if count < nodes => Ok(count),
            TrainSize::Count(count) => Err(EvalError::TooFew {
                what: "nodes for that many training nodes and a test node",
                needed: count.saturating_add(1),
                found: nodes,
            }),
        }
    }
}

/// Disjoint training and test nodes, each in rising order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split {
    /// Nodes whose labels may be used.
    pub train: Vec<u32>,
    /// Nodes whose labels are requested.
    pub test: Vec<u32>,
}

/// The nodes that have a label, in rising order.
pub fn labelled_nodes(labels: &Labels) -> Vec<u32> {
    (0..labels.len()).filter(|&node| !labels.of(node).is_empty()).map(|node| node as u32).collect()
}

/// Random split number `shuffle` of the labelled nodes. Cost O(nodes).
///
/// One pair of seed and shuffle gives one random order of the nodes, the first of which train; so
/// of two sizes the smaller training set lies within the larger.
///
/// ```
/// use gage_embed::eval::{TrainSize, split};
/// use gage_embed::Labels;
/// let labels = Labels::from_numbers(&[0, 1, -1, 0, 1]);
/// let halves = split(&labels, TrainSize::Share(0.5), 7, 0)?;
/// assert_eq!((halves.train.len(), halves.test.len()), (2, 2));
/// # Ok::<(), gage_embed::eval::EvalError>(())
/// ```
pub fn split(
    labels: &Labels,
    size: TrainSize,
    seed: u64,
    shuffle: usize,
) -> Result<Split, EvalError> {
    split_nodes(&labelled_nodes(labels), size, seed, shuffle)
}

/// Random split number `shuffle` of the given nodes; repeated nodes count once.
pub fn split_nodes(
    nodes: &[u32],
    size: TrainSize,
    seed: u64,
    shuffle: usize,
) -> Result<Split, EvalError> {
    let mut order = shuffled(nodes, seed, shuffle);
    let train = size.of(order.len())?;
    let mut test = order.split_off(train);
    order.sort_unstable();
    test.sort_unstable();
    Ok(Split { train: order, test })
}

/// Splits the labelled nodes into `count` folds of nearly equal size; each is the test set once.
pub fn folds(labels: &Labels, count: usize, seed: u64) -> Result<Vec<Split>, EvalError> {
    fold_nodes(&labelled_nodes(labels), count, seed)
}

/// Splits the given nodes into `count` folds; repeated nodes count once. Choosing parameters by
/// folds of the *training* nodes keeps the test nodes unseen.
pub fn fold_nodes(nodes: &[u32], count: usize, seed: u64) -> Result<Vec<Split>, EvalError> {
    if count < 2 {
        return Err(EvalError::TooFew { what: "folds", needed: 2, found: count });
    }
    let order = shuffled(nodes, seed, 0);
    if order.len() < count {
        return Err(EvalError::TooFew {
            what: "nodes for that many folds",
            needed: count,
            found: order.len(),
        });
    }
    let bound = |fold: usize| (fold as u128 * order.len() as u128 / count as u128) as usize;
    let split = |fold: usize| {
        let (start, end) = (bound(fold), bound(fold + 1));
        let mut train = [&order[..start], &order[end..]].concat();
        let mut test = order[start..end].to_vec();
        train.sort_unstable();
        test.sort_unstable();
        Split { train, test }
    };
    Ok((0..count).map(split).collect())
}

/// The nodes in random order. Sorting first makes the outcome independent of the order given.
fn shuffled(nodes: &[u32], seed: u64, shuffle: usize) -> Vec<u32> {
    let mut order = nodes.to_vec();
    order.sort_unstable();
    order.dedup();
    Stream::new(seed ^ mix(shuffle as u64)).shuffle(&mut order);
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn splits_are_disjoint_and_cover_the_labelled_nodes(
            numbers in prop::collection::vec(-1i64..4, 0..60),
            share in 0.01f64..0.99,
            count in 0usize..12,
            seed: u64,
        ) {
            let labels = Labels::from_numbers(&numbers);
            let labelled = labelled_nodes(&labels);
            let mut all = Vec::new();
            for size in [TrainSize::Share(share), TrainSize::Count(count)] {
                if let Ok(split) = split(&labels, size, seed, 3) {
                    all.push(split);
                }
            }
            all.extend(folds(&labels, count, seed).unwrap_or_default());
            for split in &all {
                prop_assert!(!split.train.is_empty() && !split.test.is_empty());
                let mut both = [&split.train[..], &split.test[..]].concat();
                both.sort_unstable();
                // Equality with a list of distinct nodes says: disjoint, covering, labelled only.
                prop_assert_eq!(&both, &labelled);
            }
        }

        #[test]
        fn every_node_is_tested_in_exactly_one_fold(nodes in 2usize..80, count in 2usize..10) {
            let labels = Labels::from_numbers(&vec![0; nodes]);
            if let Ok(folds) = folds(&labels, count, 9) {
                let mut tested: Vec<u32> = folds.iter().flat_map(|f| f.test.clone()).collect();
                tested.sort_unstable();
                prop_assert_eq!(tested, labelled_nodes(&labels));
                let sizes = folds.iter().map(|f| f.test.len());
                prop_assert!(sizes.clone().max().unwrap() - sizes.min().unwrap() <= 1);
            } else {
                prop_assert!(nodes < count);
            }
        }
    }

    #[test]
    fn seeds_and_shuffles_change_the_split_and_nothing_else_does() {
        let nodes: Vec<u32> = (0..200).collect();
        let half = TrainSize::Share(0.5);
        let base = split_nodes(&nodes, half, 1, 0).unwrap();
        assert_eq!(base, split_nodes(&nodes, half, 1, 0).unwrap());
        let reversed: Vec<u32> = nodes.iter().rev().copied().collect();
        assert_eq!(base, split_nodes(&reversed, half, 1, 0).unwrap());
        assert_ne!(base, split_nodes(&nodes, half, 2, 0).unwrap());
        assert_ne!(base, split_nodes(&nodes, half, 1, 1).unwrap());
        assert_ne!(fold_nodes(&nodes, 5, 1).unwrap(), fold_nodes(&nodes, 5, 2).unwrap());
    }

    #[test]
    fn membership_is_even() {
        // Each of 100 nodes trains in 200 of 400 shuffles, give or take five standard deviations.
        let nodes: Vec<u32> = (0..100).collect();
        let mut trained = [0usize; 100];
        for shuffle in 0..400 {
            for node in split_nodes(&nodes, TrainSize::Share(0.5), 5, shuffle).unwrap().train {
                trained[node as usize] += 1;
            }
        }
        assert!(trained.iter().all(|&count| (150..=250).contains(&count)), "{trained:?}");
    }

    #[test]
    fn impossible_sizes_are_errors() {
        for size in [
            TrainSize::Share(0.0),
            TrainSize::Share(1.0),
            TrainSize::Share(f64::NAN),
            TrainSize::Count(0),
            TrainSize::Count(10),
            TrainSize::Count(usize::MAX),
        ] {
            assert!(size.of(10).is_err(), "{size:?}");
        }
        assert_eq!(TrainSize::Share(0.001).of(10), Ok(1));
        assert_eq!(TrainSize::Share(0.999).of(10), Ok(9));
        assert!(split_nodes(&[3, 3], TrainSize::Count(1), 0, 0).is_err());
    }
}
