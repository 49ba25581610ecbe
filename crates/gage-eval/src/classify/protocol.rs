//! Splits that the literature on self-supervised embeddings agrees on.
//!
//! | protocol | training | validation | test |
//! |---|---|---|---|
//! | `planetoid` | 20 nodes of each class | 500 | 1,000 |
//! | `random-10-10-80` | 10% | 10% | 80% |
//! | `geom-48-32-20` | 48% of each class | 32% | 20% |
//!
//! The weight `C` of the data against the penalty is the power of ten from .01 to 100 that predicts
//! most validation nodes, the smallest of equals; the classifier that predicts the test nodes is
//! learnt from the training nodes alone.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::experiment::{ClassifyReport, Run, classify_split, report};
use super::logistic::LogisticParams;
use super::splits::{Split, TrainSize, labelled_nodes};
use crate::observe::{EvalObserver, check};
use gage_core::graph::Labels;
use gage_core::holdout::{EvalError, at_least_one, check_rows, same_length};
use gage_linalg::random::{Stream, mix};
use gage_linalg::{Real, Tall};

/// Training nodes of each class, validation and test nodes of `planetoid`.
const PLANETOID: (usize, usize, usize) = (20, 500, 1000);

/// Weights of the data against the penalty that are tried.
const WEIGHTS: [f64; 5] = [0.01, 0.1, 1.0, 10.0, 100.0];

/// A common way to split the labelled nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Protocol {
    /// 20 nodes of each class, 500 and 1,000 nodes. Data in the order of Planetoid's files have one
    /// public split.
    #[serde(rename = "planetoid")]
    Planetoid,
    /// Tenths: one, one and eight.
    #[serde(rename = "random-10-10-80")]
    Random,
    /// 48, 32 and 20 percent of each class.
    #[serde(rename = "geom-48-32-20")]
    Geom,
}

/// Disjoint sets of nodes, each in rising order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtocolSplit {
    /// Nodes to learn from, and nodes to predict.
    pub split: Split,
    /// Nodes to choose parameters by.
    pub validation: Vec<u32>,
    /// Whether it is the public one, and not drawn.
    pub public: bool,
}

impl Protocol {
    /// Split number `shuffle`. The public one, where there is one, is the only one.
    pub fn split(
        self,
        labels: &Labels,
        seed: u64,
        shuffle: usize,
    ) -> Result<ProtocolSplit, EvalError> {
        let nodes = labelled_nodes(labels);
        let class = |node: u32| labels.of(node as usize)[0] as usize;
        let mut order = nodes.clone();
        let public = self == Protocol::Planetoid && is_public(labels, &nodes);
        if !public {
            Stream::new(seed ^ mix(shuffle as u64)).shuffle(&mut order);
        }
        let classes = labels.class_names().len();
        let mut parts: [Vec<u32>; 3] = Default::default();
        match self {
            Protocol::Planetoid => {
                let (each, validation, test) = PLANETOID;
                let mut left = vec![each; classes];
                let (train, rest): (Vec<u32>, Vec<u32>) = order.into_iter().partition(|&node| {
                    let left = &mut left[class(node)];
                    let taken = *left > 0;
                    *left -= usize::from(taken);
                    taken
                });
                let needed = train.len() + validation + test;
                if rest.len() < validation + test {
                    let what = "labelled nodes for this protocol";
                    return Err(EvalError::TooFew { what, needed, found: nodes.len() });
                }
                let test = rest[rest.len() - test..].to_vec();
                parts = [train, rest[..validation].to_vec(), test];
            }
            Protocol::Random => cut(&order, (0.1, 0.2), &mut parts),
            Protocol::Geom => {
                for wanted in 0..classes {
                    let members: Vec<u32> =
                        order.iter().copied().filter(|&node| class(node) == wanted).collect();
                    cut(&members, (0.48, 0.8), &mut parts);
                }
            }
        }
        parts.iter_mut().for_each(|part| part.sort_unstable());
        let [train, validation, test] = parts;
        for (what, part) in
            [("training nodes", &train), ("validation nodes", &validation), ("test nodes", &test)]
        {
            if part.is_empty() {
                return Err(EvalError::TooFew { what, needed: 1, found: 0 });
            }
        }
        Ok(ProtocolSplit { split: Split { train, test }, validation, public })
    }
}

/// Planetoid's files begin with 20 nodes of each class, and no other order does by chance: the next
/// 500 nodes validate, and the last 1,000 with a label are the test nodes.
fn is_public(labels: &Labels, nodes: &[u32]) -> bool {
    let classes = labels.class_names().len();
    let first = PLANETOID.0 * classes;
    if classes < 2 || nodes.len() < first || nodes[first - 1] as usize != first - 1 {
        return false;
    }
    let mut counts = vec![0; classes];
    nodes[..first].iter().for_each(|&node| counts[labels.of(node as usize)[0] as usize] += 1);
    counts.iter().all(|&count| count == PLANETOID.0)
}

/// Appends the nodes to three parts, cut at two shares.
fn cut(nodes: &[u32], shares: (f64, f64), parts: &mut [Vec<u32>; 3]) {
    let at = |share: f64| (share * nodes.len() as f64).round() as usize;
    parts[0].extend(&nodes[..at(shares.0)]);
    parts[1].extend(&nodes[at(shares.0)..at(shares.1)]);
    parts[2].extend(&nodes[at(shares.1)..]);
}

/// What came out of [`classify_protocol`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProtocolReport {
    /// The protocol.
    pub name: Protocol,
    /// Whether the split is the public one.
    pub public_split: bool,
    /// Validation nodes of each split.
    pub validation_nodes: usize,
    /// The weight of the data that validation chose, for each split.
    pub chosen_c: Vec<f64>,
}

/// Classifies nodes by a protocol: one run on the public split where there is one, else `shuffles`
/// runs on splits drawn by the seed. Nodes have one label each. Costs five times that of
/// [`classify()`](super::classify()) with one training size.
pub fn classify_protocol<T: Real>(
    embedding: &Tall<T>,
    labels: &Labels,
    protocol: Protocol,
    (shuffles, seed): (usize, u64),
    observer: &dyn EvalObserver,
) -> Result<(ProtocolReport, ClassifyReport), EvalError> {
    same_length("rows of the embedding", embedding.rows(), "labelled nodes", labels.len())?;
    at_least_one(&[("shuffles", shuffles)])?;
    if labels.is_multi_label() {
        let (what, needed, found) = ("labels a node for this protocol, which is", 1, 2);
        return Err(EvalError::TooFew { what, needed, found });
    }
    let nodes = labelled_nodes(labels);
    check_rows(embedding, &nodes)?;
    let public = protocol.split(labels, seed, 0)?.public;
    let count = if public { 1 } else { shuffles };
    observer.step(0, count);
    let outcomes: Vec<(f64, usize, Run)> = (0..count)
        .into_par_iter()
        .with_max_len(1)
        .map(|shuffle| {
            check(observer)?;
            one_split(embedding, labels, &protocol.split(labels, seed, shuffle)?)
        })
        .collect::<Result<_, EvalError>>()?;
    observer.step(count, count);
    let validation_nodes = outcomes.first().map_or(0, |outcome| outcome.1);
    let chosen_c = outcomes.iter().map(|outcome| outcome.0).collect();
    let runs: Vec<Run> = outcomes.into_iter().map(|outcome| outcome.2).collect();
    let train = TrainSize::Count(runs.first().map_or(0, |run| run.train_nodes));
    let about = ProtocolReport { name: protocol, public_split: public, validation_nodes, chosen_c };
    Ok((about, report(labels, nodes.len(), &[train], &runs)))
}

/// Chooses `C` by the validation nodes, then predicts the test nodes.
fn one_split<T: Real>(
    embedding: &Tall<T>,
    labels: &Labels,
    found: &ProtocolSplit,
) -> Result<(f64, usize, Run), EvalError> {
    let with = |c: f64| LogisticParams { c, ..LogisticParams::default() };
    let trial = Split { train: found.split.train.clone(), test: found.validation.clone() };
    let mut best = (WEIGHTS[0], f64::NEG_INFINITY);
    for c in WEIGHTS {
        let score = classify_split(embedding, labels, &trial, &with(c))?.scores.accuracy;
        if score > best.1 {
            best = (c, score);
        }
    }
    let outcome = classify_split(embedding, labels, &found.split, &with(best.0))?;
    let (scores, unconverged) = (outcome.scores, outcome.unconverged);
    let (train_nodes, test_nodes) = (found.split.train.len(), found.split.test.len());
    let run = Run { scores, train_nodes, test_nodes, unconverged };
    Ok((best.0, found.validation.len(), run))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gage_core::solver::NoObserver;

    fn labels(of: impl Fn(usize) -> i64, count: usize) -> Labels {
        Labels::from_numbers(&(0..count).map(of).collect::<Vec<_>>())
    }

    #[test]
    fn parts_are_disjoint_and_as_large_as_named() {
        let labels = labels(|node| (node * 7 % 13 % 4) as i64, 2400);
        for (protocol, sizes) in [
            (Protocol::Planetoid, [80, 500, 1000]),
            (Protocol::Random, [240, 240, 1920]),
            (Protocol::Geom, [1152, 768, 480]),
        ] {
            let found = protocol.split(&labels, 3, 1).unwrap();
            assert!(!found.public);
            let parts = [&found.split.train, &found.validation, &found.split.test];
            for (part, size) in parts.iter().zip(sizes) {
                assert!(part.len().abs_diff(size) <= 4, "{protocol:?}: {} {size}", part.len());
            }
            let mut all = parts.map(|part| part.clone()).concat();
            let count = all.len();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), count, "{protocol:?}");
            assert_ne!(found, protocol.split(&labels, 3, 2).unwrap());
            assert_eq!(found, protocol.split(&labels, 3, 1).unwrap());
        }
        assert!(
            Protocol::Planetoid.split(&self::labels(|node| node as i64 % 2, 900), 0, 0).is_err()
        );
    }

    #[test]
    fn files_in_the_order_of_planetoid_have_one_public_split() {
        // Twenty of each class first, in any order; an unlabelled node among the last ones.
        let of = |node: usize| match node {
            0..60 => (node * 7 % 3) as i64,
            2000 => -1,
            _ => (node % 3) as i64,
        };
        let found = Protocol::Planetoid.split(&labels(of, 2101), 5, 0).unwrap();
        assert!(found.public);
        assert_eq!(found.split.train, (0..60).collect::<Vec<u32>>());
        assert_eq!(found.validation, (60..560).collect::<Vec<u32>>());
        assert_eq!((found.split.test.len(), found.split.test[0]), (1000, 1100));
        assert!(!found.split.test.contains(&2000));
        let other = labels(|node| if node == 59 { 0 } else { of(node) }, 2101);
        assert!(!Protocol::Planetoid.split(&other, 5, 0).unwrap().public);
    }

    #[test]
    fn what_the_embedding_says_is_predicted() {
        let labels = labels(|node| (node % 3) as i64, 300);
        let rows = Tall::from_rows(300, 3, |row, out: &mut [f32]| out[row % 3] = 1.0);
        let (about, result) =
            classify_protocol(&rows, &labels, Protocol::Geom, (2, 0), &NoObserver).unwrap();
        assert_eq!((about.chosen_c.len(), about.public_split), (2, false));
        assert_eq!(result.results[0].micro_f1.mean, 1.0);
        assert_eq!(result.results[0].test_nodes, 60);
    }
}
