//! Agreement of clusters with classes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::assignment::best_match;
use gage_core::graph::Labels;
use gage_core::holdout::{EvalError, same_length};

/// Agreement of two partitions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClusterReport {
    /// Normalised mutual information.
    pub nmi: f64,
    /// Adjusted Rand index.
    pub ari: f64,
    /// Share of nodes in the right class under the best one-to-one match of clusters with classes.
    pub accuracy: f64,
    /// Nodes compared.
    pub nodes: usize,
}

/// Compares clusters, one per node, with the classes of the labelled nodes; each node has at most
/// one label.
pub fn compare_clusters(assignment: &[u32], labels: &Labels) -> Result<ClusterReport, EvalError> {
    same_length("clustered nodes", assignment.len(), "labelled nodes", labels.len())?;
    let (mut truth, mut found) = (Vec::new(), Vec::new());
    for (node, &cluster) in assignment.iter().enumerate() {
        match labels.of(node) {
            [] => {}
            &[class] => {
                truth.push(class);
                found.push(cluster);
            }
            several => {
                return Err(EvalError::SeveralLabels { row: node as u32, found: several.len() });
            }
        }
    }
    Ok(ClusterReport {
        nmi: normalized_mutual_information(&truth, &found)?,
        ari: adjusted_rand_index(&truth, &found)?,
        accuracy: assignment_accuracy(&truth, &found)?,
        nodes: truth.len(),
    })
}

/// Mutual information over the mean of both entropies: `2 I(A, B) / (H(A) + H(B))`, between 0 and
/// 1.
///
/// Equal to scikit-learn's `normalized_mutual_info_score`; 1 when both partitions have one part.
/// Cost O(n log n).
pub fn normalized_mutual_information(a: &[u32], b: &[u32]) -> Result<f64, EvalError> {
    let table = Contingency::new(a, b)?;
    if table.rows.len() == 1 && table.columns.len() == 1 {
        return Ok(1.0);
    }
    let n = table.total as f64;
    let entropy = |sizes: &[u64]| -> f64 {
        sizes.iter().map(|&size| -(size as f64 / n) * (size as f64 / n).ln()).sum()
    };
    let information: f64 = table
        .cells
        .iter()
        .map(|&((row, column), count)| {
            let (r, c) = (table.rows[row] as f64, table.columns[column] as f64);
            let count = count as f64;
            count / n * (count.ln() + n.ln() - r.ln() - c.ln())
        })
        .sum();
    // Below rounding level there is no information, as scikit-learn has it.
    if information <= f64::EPSILON {
        return Ok(0.0);
    }
    Ok((2.0 * information / (entropy(&table.rows) + entropy(&table.columns))).min(1.0))
}

/// Share of pairs of nodes on which two partitions agree, corrected for chance: 1 when equal, about
/// 0 when unrelated.
///
/// Equal to scikit-learn's `adjusted_rand_score`. Computed from whole-number counts. Cost O(n log
/// n).
pub fn adjusted_rand_index(a: &[u32], b: &[u32]) -> Result<f64, EvalError> {
    let table = Contingency::new(a, b)?;
    let squares = |sizes: &mut dyn Iterator<Item = u64>| -> i128 {
        sizes.map(|size| i128::from(size) * i128::from(size)).sum()
    };
    let n = i128::from(table.total);
    let both = squares(&mut table.cells.iter().map(|cell| cell.1));
    let rows = squares(&mut table.rows.iter().copied());
    let columns = squares(&mut table.columns.iter().copied());
    // Ordered pairs: together in both, in one only, in neither.
    let together = both - n;
    let (only_rows, only_columns) = (rows - both, columns - both);
    let apart = n * n - rows - columns + both;
    if only_rows == 0 && only_columns == 0 {
        return Ok(1.0);
    }
    let [together, only_rows, only_columns, apart] =
        [together, only_rows, only_columns, apart].map(|count| count as f64);
    let scale = (together + only_rows) * (only_rows + apart)
        + (together + only_columns) * (only_columns + apart);
    Ok(2.0 * (together * apart - only_rows * only_columns) / scale)
}

/// Share of nodes on which two partitions agree when the parts of one are matched one-to-one with
/// those of the other in the best way. Cost O(n log n + r^2 c) for r and c parts, r <= c.
pub fn assignment_accuracy(a: &[u32], b: &[u32]) -> Result<f64, EvalError> {
    let table = Contingency::new(a, b)?;
    let (rows, columns) = (table.rows.len(), table.columns.len());
    let mut gains = vec![0; rows * columns];
    for &((row, column), count) in &table.cells {
        gains[row * columns + column] = count;
    }
    Ok(best_match(&gains, rows, columns) as f64 / table.total as f64)
}

/// How many nodes each pair of parts shares; only parts and pairs that occur.
struct Contingency {
    rows: Vec<u64>,
    columns: Vec<u64>,
    cells: Vec<((usize, usize), u64)>,
    total: u64,
}

impl Contingency {
    fn new(a: &[u32], b: &[u32]) -> Result<Contingency, EvalError> {
        same_length("nodes in one partition", a.len(), "nodes in the other", b.len())?;
        if a.is_empty() {
            return Err(EvalError::TooFew { what: "nodes to compare", needed: 1, found: 0 });
        }
        let (row_of, column_of) = (positions(a), positions(b));
        let mut cells = BTreeMap::new();
        let (mut rows, mut columns) = (vec![0; row_of.len()], vec![0; column_of.len()]);
        for (a, b) in a.iter().zip(b) {
            let (row, column) = (row_of[a], column_of[b]);
            *cells.entry((row, column)).or_insert(0u64) += 1;
            rows[row] += 1;
            columns[column] += 1;
        }
        Ok(Contingency { rows, columns, cells: cells.into_iter().collect(), total: a.len() as u64 })
    }
}

/// Numbers the distinct parts from 0 up.
fn positions(parts: &[u32]) -> BTreeMap<u32, usize> {
    let mut distinct = parts.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    distinct.into_iter().enumerate().map(|(at, part)| (part, at)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Adjusted Rand index by comparing all pairs.
    fn rand_by_pairs(a: &[u32], b: &[u32]) -> f64 {
        let [mut both, mut in_a, mut in_b, mut all] = [0.0f64; 4];
        for i in 0..a.len() {
            for j in 0..i {
                let (same_a, same_b) = (a[i] == a[j], b[i] == b[j]);
                both += f64::from(u8::from(same_a && same_b));
                in_a += f64::from(u8::from(same_a));
                in_b += f64::from(u8::from(same_b));
                all += 1.0;
            }
        }
        let expected = in_a * in_b / all;
        let top = (in_a + in_b) / 2.0;
        if top == expected { 1.0 } else { (both - expected) / (top - expected) }
    }

    proptest! {
        #[test]
        fn measures_are_symmetric_bounded_and_blind_to_names(
            pairs in prop::collection::vec((0u32..4, 0u32..5), 2..50),
        ) {
            let (a, b): (Vec<u32>, Vec<u32>) = pairs.into_iter().unzip();
            let renamed: Vec<u32> = a.iter().map(|&part| 1_000_000_007 - 7 * part).collect();
            let measures =
                [normalized_mutual_information, adjusted_rand_index, assignment_accuracy];
            for measure in measures {
                let value = measure(&a, &b).unwrap();
                prop_assert!((value - measure(&b, &a).unwrap()).abs() < 1e-12);
                prop_assert!((value - measure(&renamed, &b).unwrap()).abs() < 1e-12);
                prop_assert!(value <= 1.0);
                prop_assert!((measure(&a, &renamed).unwrap() - 1.0).abs() < 1e-12);
            }
            let ari = adjusted_rand_index(&a, &b).unwrap();
            prop_assert!((ari - rand_by_pairs(&a, &b)).abs() < 1e-9);
        }
    }

    #[test]
    fn known_values() {
        let (a, b) = ([0, 0, 1, 1], [0, 0, 1, 2]);
        assert!((adjusted_rand_index(&a, &b).unwrap() - 4.0 / 7.0).abs() < 1e-15);
        assert!((normalized_mutual_information(&a, &b).unwrap() - 0.8).abs() < 1e-15);
        assert_eq!(assignment_accuracy(&a, &b), Ok(0.75));
        assert_eq!(normalized_mutual_information(&[3, 3], &[1, 1]), Ok(1.0));
        assert_eq!(normalized_mutual_information(&[3, 3], &[1, 2]), Ok(0.0));
    }

    #[test]
    fn unlabelled_nodes_are_left_out_and_several_labels_refused() {
        let labels = Labels::from_numbers(&[0, -1, 1, 1]);
        let report = compare_clusters(&[5, 5, 6, 6], &labels).unwrap();
        assert_eq!((report.nmi, report.ari, report.accuracy, report.nodes), (1.0, 1.0, 1.0, 3));
        assert!(compare_clusters(&[0, 1], &labels).is_err());
        let names = vec!["a".to_owned(), "b".to_owned()];
        let double = Labels::from_lists(names, [vec![0], vec![0, 1]].into_iter());
        assert_eq!(
            compare_clusters(&[0, 1], &double),
            Err(EvalError::SeveralLabels { row: 1, found: 2 })
        );
        assert!(compare_clusters(&[0], &Labels::from_numbers(&[-1])).is_err());
    }
}
