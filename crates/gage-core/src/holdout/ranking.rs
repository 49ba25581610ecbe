//! Ranking metrics.

use super::{EvalError, same_length};

/// Area under the ROC curve: the probability that a random positive scores above a random negative;
/// ties count half.
///
/// Equal to scikit-learn's `roc_auc_score`. Computed from integer counts with one rounded division.
/// Cost O(n log n).
///
/// ```
/// let auc = gage_embed::eval::roc_auc(&[0.9, 0.4, 0.4, 0.1], &[true, true, false, false])?;
/// assert_eq!(auc, 0.875);
/// # Ok::<(), gage_embed::eval::EvalError>(())
/// ```
pub fn roc_auc(scores: &[f64], positive: &[bool]) -> Result<f64, EvalError> {
    let groups = tied_groups(scores, positive)?;
    let (mut above, mut twice_area, mut negatives) = (0u128, 0u128, 0u128);
    for group in &groups {
        let (hits, misses) = (group.positives as u128, group.negatives as u128);
        twice_area += misses * (2 * above + hits);
        above += hits;
        negatives += misses;
    }
    if negatives == 0 {
        return Err(EvalError::TooFew { what: "negatives", needed: 1, found: 0 });
    }
    Ok(twice_area as f64 / (2 * above * negatives) as f64)
}

/// Average precision: `sum_t (R_t - R_(t-1)) P_t` over the distinct scores t from the highest down,
/// where `P_t` and `R_t` are precision and recall when everything scored at least t is called
/// positive. Ties are decided together.
///
/// Equal to scikit-learn's `average_precision_score`. Cost O(n log n).
pub fn average_precision(scores: &[f64], positive: &[bool]) -> Result<f64, EvalError> {
    let groups = tied_groups(scores, positive)?;
    let (mut hits, mut called, mut sum) = (0usize, 0usize, 0.0);
    for group in &groups {
        hits += group.positives;
        called += group.positives + group.negatives;
        sum += group.positives as f64 * (hits as f64 / called as f64);
    }
    Ok(sum / hits as f64)
}

/// Items of equal score.
struct Group {
    positives: usize,
    negatives: usize,
}

/// Groups of equal score, highest first; there is at least one positive.
fn tied_groups(scores: &[f64], positive: &[bool]) -> Result<Vec<Group>, EvalError> {
    same_length("scores", scores.len(), "truths", positive.len())?;
    if let Some(at) = scores.iter().position(|score| !score.is_finite()) {
        return Err(EvalError::BadScore { at, value: scores[at] });
    }
    if !positive.contains(&true) {
        return Err(EvalError::TooFew { what: "positives", needed: 1, found: 0 });
    }
    let mut order: Vec<(f64, bool)> =
        scores.iter().copied().zip(positive.iter().copied()).collect();
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    // Compared by value, not by bits: 0 and -0 are adjacent and equal.
    let groups = order.chunk_by(|a, b| a.0 == b.0).map(|group| {
        let positives = group.iter().filter(|item| item.1).count();
        Group { positives, negatives: group.len() - positives }
    });
    Ok(groups.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Compares every positive with every negative.
    fn auc_by_pairs(scores: &[f64], positive: &[bool]) -> f64 {
        let (mut sum, mut pairs) = (0.0, 0.0);
        for (p, _) in scores.iter().zip(positive).filter(|&(_, &truth)| truth) {
            for (n, _) in scores.iter().zip(positive).filter(|&(_, &truth)| !truth) {
                sum += if p > n {
                    1.0
                } else if p == n {
                    0.5
                } else {
                    0.0
                };
                pairs += 1.0;
            }
        }
        sum / pairs
    }

    /// Precision at each distinct threshold, by counting again for each.
    fn precision_by_thresholds(scores: &[f64], positive: &[bool]) -> f64 {
        let mut thresholds = scores.to_vec();
        thresholds.sort_by(|a, b| b.total_cmp(a));
        thresholds.dedup();
        let total = positive.iter().filter(|&&truth| truth).count() as f64;
        let (mut sum, mut last) = (0.0, 0.0);
        for threshold in thresholds {
            let called = scores.iter().filter(|&&s| s >= threshold).count() as f64;
            let hits =
                scores.iter().zip(positive).filter(|&(&s, &t)| s >= threshold && t).count() as f64;
            sum += (hits / total - last) * hits / called;
            last = hits / total;
        }
        sum
    }

    proptest! {
        #[test]
        fn both_agree_with_their_definitions(
            items in prop::collection::vec((-3i8..4, any::<bool>()), 1..60),
        ) {
            let scores: Vec<f64> = items.iter().map(|item| f64::from(item.0) / 2.0).collect();
            let positive: Vec<bool> = items.iter().map(|item| item.1).collect();
            let hits = positive.iter().filter(|&&truth| truth).count();
            let auc = roc_auc(&scores, &positive);
            let precision = average_precision(&scores, &positive);
            prop_assert_eq!(auc.is_ok(), hits > 0 && hits < items.len());
            prop_assert_eq!(precision.is_ok(), hits > 0);
            if let Ok(auc) = auc {
                prop_assert!((auc - auc_by_pairs(&scores, &positive)).abs() < 1e-12);
            }
            if let Ok(precision) = precision {
                let expected = precision_by_thresholds(&scores, &positive);
                prop_assert!((precision - expected).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn perfect_reversed_and_constant_scores() {
        let positive = [true, true, false, false];
        assert_eq!(roc_auc(&[4.0, 3.0, 2.0, 1.0], &positive), Ok(1.0));
        assert_eq!(roc_auc(&[1.0, 2.0, 3.0, 4.0], &positive), Ok(0.0));
        assert_eq!(roc_auc(&[0.0, -0.0, 0.0, -0.0], &positive), Ok(0.5));
        assert_eq!(average_precision(&[0.0, -0.0, 0.0, -0.0], &positive), Ok(0.5));
    }

    #[test]
    fn faults_are_named() {
        assert!(matches!(
            roc_auc(&[1.0, f64::NAN], &[true, false]),
            Err(EvalError::BadScore { at: 1, .. })
        ));
        assert!(roc_auc(&[1.0], &[true, false]).is_err());
        assert!(roc_auc(&[], &[]).is_err());
    }
}
