//! F1 scores of predicted against true classes.

use serde::{Deserialize, Serialize};

use gage_core::holdout::{EvalError, same_length};

/// How well predicted classes match the true ones.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct F1Scores {
    /// F1 of all decisions pooled; with one label per node it equals the accuracy.
    pub micro: f64,
    /// Mean F1 of the classes that are true or predicted for some node, as scikit-learn's
    /// `average="macro"`.
    pub macro_present: f64,
    /// Mean F1 of all classes, where a class that is neither true nor predicted counts as 0. A
    /// class without members lowers this average whatever the predictions.
    pub macro_all: f64,
    /// Share of nodes whose predicted classes are exactly the true ones.
    pub accuracy: f64,
}

/// Scores predictions: `F1 = 2 TP / (2 TP + FP + FN)`, per class or pooled. `truth` and `predicted`
/// list the distinct classes of each node, all below `classes`. Cost linear in the number of
/// labels.
pub fn f1_scores<A: AsRef<[u32]>, B: AsRef<[u32]>>(
    truth: &[A],
    predicted: &[B],
    classes: usize,
) -> Result<F1Scores, EvalError> {
    same_length("true label lists", truth.len(), "predicted label lists", predicted.len())?;
    if truth.is_empty() {
        return Err(EvalError::TooFew { what: "nodes to score", needed: 1, found: 0 });
    }
    let mut counts = vec![(0u64, 0u64); classes];
    let mut exact = 0usize;
    for (truth, predicted) in truth.iter().zip(predicted) {
        let (truth, predicted) = (truth.as_ref(), predicted.as_ref());
        let hits = truth.iter().filter(|class| predicted.contains(class)).count();
        exact += usize::from(hits == truth.len() && hits == predicted.len());
        for &class in truth.iter().chain(predicted) {
            if class as usize >= classes {
                return Err(EvalError::Parameter {
                    name: "class",
                    value: f64::from(class),
                    bound: "below the number of classes",
                });
            }
            // Counted once from either side: 2 TP + FP + FN.
            counts[class as usize].1 += 1;
        }
        for &class in truth.iter().filter(|class| predicted.contains(class)) {
            counts[class as usize].0 += 2;
        }
    }
    let ratio = |(hits, all): (u64, u64)| if all > 0 { hits as f64 / all as f64 } else { 0.0 };
    let present = counts.iter().filter(|count| count.1 > 0).count();
    let sum: f64 = counts.iter().map(|&count| ratio(count)).sum();
    let pooled = counts.iter().fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1));
    Ok(F1Scores {
        micro: ratio(pooled),
        macro_present: sum / present.max(1) as f64,
        macro_all: sum / classes.max(1) as f64,
        accuracy: exact as f64 / truth.len() as f64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_label_per_node() {
        // Class 0: TP 1, FP 1, FN 1; class 1: TP 1, FP 0, FN 1; class 2: FP 1; class 3: absent.
        let truth = [[0], [0], [1], [1]];
        let predicted = [[0], [2], [1], [0]];
        let scores = f1_scores(&truth, &predicted, 4).unwrap();
        let sum = 0.5 + 2.0 / 3.0;
        assert_eq!(scores.micro, 0.5);
        assert_eq!(scores.accuracy, 0.5);
        assert!((scores.macro_present - sum / 3.0).abs() < 1e-15);
        assert!((scores.macro_all - sum / 4.0).abs() < 1e-15);
    }

    #[test]
    fn several_labels_per_node() {
        let truth = [vec![0, 1], vec![2]];
        let predicted = [vec![0, 2], vec![2]];
        let scores = f1_scores(&truth, &predicted, 3).unwrap();
        assert!((scores.micro - 2.0 / 3.0).abs() < 1e-15);
        assert!((scores.macro_present - (1.0 + 0.0 + 2.0 / 3.0) / 3.0).abs() < 1e-15);
        assert_eq!(scores.accuracy, 0.5);
    }

    #[test]
    fn faults_are_named() {
        assert!(f1_scores(&[[0]], &[[5]], 2).is_err());
        assert!(f1_scores::<[u32; 1], [u32; 1]>(&[], &[], 2).is_err());
        assert!(f1_scores(&[[0], [1]], &[[0]], 2).is_err());
    }
}
