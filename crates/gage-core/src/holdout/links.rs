//! Held-out links, and sampled pairs without a link.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::EvalError;
use gage_linalg::random::Stream;
use gage_linalg::{SparseError, SparseMatrix, Values};

/// What to hide.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkParams {
    /// Share of the links to remove, in (0, 1); the number is rounded, and at least one.
    pub remove: f64,
    /// Whether i -> j and j -> i are different links. If not, either entry makes the link {i, j},
    /// and removing it removes both.
    pub directed: bool,
    /// Decides which links are removed and which other pairs are sampled.
    pub seed: u64,
}

impl Default for LinkParams {
    fn default() -> Self {
        LinkParams { remove: 0.5, directed: false, seed: 0 }
    }
}

/// A graph with some links hidden.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSplit {
    /// The graph without the hidden links; loops and weights are kept.
    pub training: SparseMatrix,
    /// The hidden links, each once; the lower node first if undirected. No loops.
    pub held_out: Vec<(u32, u32)>,
    /// As many distinct pairs that are not linked in the *whole* graph, written likewise.
    pub absent: Vec<(u32, u32)>,
}

/// Hides a random share of the links and samples as many pairs without a link, uniformly among all
/// such pairs.
///
/// A link is a nonzero off the diagonal. Expected cost O(nodes + nonzeros).
///
/// ```
/// use gage_embed::eval::{LinkParams, remove_links};
/// use gage_embed::SparseMatrix;
/// let links = [(0, 1, 1.0), (1, 0, 1.0), (1, 2, 1.0), (2, 1, 1.0)];
/// let path = SparseMatrix::from_triplets(4, 4, &links)?;
/// let split = remove_links(&path, &LinkParams::default())?;
/// assert_eq!((split.held_out.len(), split.absent.len(), split.training.nnz()), (1, 1, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn remove_links(links: &SparseMatrix, params: &LinkParams) -> Result<LinkSplit, EvalError> {
    let (rows, columns) = (links.rows(), links.cols());
    if rows != columns {
        return Err(EvalError::NotSquare { rows, columns });
    }
    if !(params.remove > 0.0 && params.remove < 1.0) {
        return Err(EvalError::Parameter {
            name: "share of links to remove",
            value: params.remove,
            bound: "between 0 and 1",
        });
    }
    let mut pairs = linked_pairs(links, params.directed);
    if pairs.is_empty() {
        return Err(EvalError::TooFew { what: "links", needed: 1, found: 0 });
    }
    let removed = ((params.remove * pairs.len() as f64).round() as usize).max(1);
    let mut stream = Stream::new(params.seed);
    let absent = sample_absent(&pairs, rows, params.directed, removed, &mut stream)?;
    stream.shuffle(&mut pairs);
    pairs.truncate(removed);
    let training = without(links, &pairs, params.directed)?;
    Ok(LinkSplit { training, held_out: pairs, absent })
}

/// The links as sorted, distinct pairs.
fn linked_pairs(links: &SparseMatrix, directed: bool) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    for row in 0..links.rows() {
        let from = row as u32;
        for (to, _) in links.row(row).filter(|&(to, value)| to != from && value != 0.0) {
            pairs.push(if directed { (from, to) } else { (from.min(to), from.max(to)) });
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Draws `count` distinct pairs of different nodes outside the sorted list `pairs`.
fn sample_absent(
    pairs: &[(u32, u32)],
    nodes: usize,
    directed: bool,
    count: usize,
    stream: &mut Stream,
) -> Result<Vec<(u32, u32)>, EvalError> {
    let ordered = nodes as u128 * (nodes as u128).saturating_sub(1);
    let all = if directed { ordered } else { ordered / 2 };
    let available = all - pairs.len() as u128;
    if available < count as u128 {
        return Err(EvalError::TooFew {
            what: "pairs without a link, as many as removed links",
            needed: count,
            found: available as usize,
        });
    }
    if available < all / 8 || available < 2 * count as u128 {
        // Rejection sampling would miss too often. There are O(links) pairs in all, so list them.
        let nodes = nodes as u32;
        let first = |from: u32| if directed { 0 } else { from + 1 };
        let mut free: Vec<(u32, u32)> = (0..nodes)
            .flat_map(|from| (first(from)..nodes).map(move |to| (from, to)))
            .filter(|pair| pair.0 != pair.1 && pairs.binary_search(pair).is_err())
            .collect();
        stream.shuffle(&mut free);
        free.truncate(count);
        return Ok(free);
    }
    let mut seen = HashSet::with_capacity(count);
    let mut absent = Vec::with_capacity(count);
    while absent.len() < count {
        let (from, to) = (stream.below(nodes) as u32, stream.below(nodes) as u32);
        let pair = if directed { (from, to) } else { (from.min(to), from.max(to)) };
        if from != to && pairs.binary_search(&pair).is_err() && seen.insert(pair) {
            absent.push(pair);
        }
    }
    Ok(absent)
}

/// The graph without the given links (in both orientations if undirected).
fn without(
    links: &SparseMatrix,
    removed: &[(u32, u32)],
    directed: bool,
) -> Result<SparseMatrix, SparseError> {
    let removed: HashSet<(u32, u32)> = removed.iter().copied().collect();
    let mut pointers = vec![0u64];
    let (mut indices, mut values) = (Vec::new(), Vec::new());
    for row in 0..links.rows() {
        let from = row as u32;
        for (to, value) in links.row(row) {
            let pair = if directed { (from, to) } else { (from.min(to), from.max(to)) };
            if !removed.contains(&pair) {
                indices.push(to);
                values.push(value);
            }
        }
        pointers.push(indices.len() as u64);
    }
    let kept = Values::from_f64(values);
    SparseMatrix::new(links.rows(), links.cols(), pointers, indices, kept)
}

#[cfg(test)]
mod tests {
    use gage_linalg::Tall;
    use gage_linalg::random::fill_normal;

    use super::*;
    use crate::holdout::{LinkScore, score_links};
    use proptest::prelude::*;

    fn graph(nodes: usize, links: &[(u32, u32)], mirrored: bool) -> SparseMatrix {
        let mut entries: Vec<(u32, u32, f64)> =
            links.iter().map(|&(i, j)| (i, j, 1.0 + f64::from(i))).collect();
        if mirrored {
            entries.extend(links.iter().map(|&(i, j)| (j, i, 1.0 + f64::from(i))));
        }
        SparseMatrix::from_triplets(nodes, nodes, &entries).unwrap()
    }

    fn linked(links: &SparseMatrix, (i, j): (u32, u32)) -> bool {
        links.row(i as usize).any(|(to, _)| to == j)
    }

    proptest! {
        #[test]
        fn hidden_links_are_gone_and_the_rest_is_untouched(
            nodes in 2usize..14,
            raw in prop::collection::vec((0u32..14, 0u32..14), 0..90),
            remove in 0.01f64..0.99,
            directed: bool,
            seed: u64,
        ) {
            let raw: Vec<(u32, u32)> =
                raw.iter().map(|&(i, j)| (i % nodes as u32, j % nodes as u32)).collect();
            let whole = graph(nodes, &raw, !directed);
            let pairs = linked_pairs(&whole, directed);
            let result = remove_links(&whole, &LinkParams { remove, directed, seed });
            let count = ((remove * pairs.len() as f64).round() as usize).max(1);
            let all = nodes * (nodes - 1) / if directed { 1 } else { 2 };
            prop_assert_eq!(result.is_ok(), !pairs.is_empty() && all - pairs.len() >= count);
            let Ok(split) = result else { return Ok(()) };
            prop_assert_eq!(split.held_out.len(), count);
            prop_assert_eq!(split.absent.len(), count);
            let mut distinct = [&split.held_out[..], &split.absent[..]].concat();
            distinct.sort_unstable();
            distinct.dedup();
            prop_assert_eq!(distinct.len(), 2 * count);
            for &(i, j) in &distinct {
                prop_assert!(i < j || (directed && i > j));
                prop_assert!(!linked(&split.training, (i, j)));
                prop_assert!(directed || !linked(&split.training, (j, i)));
            }
            prop_assert!(split.held_out.iter().all(|&pair| linked(&whole, pair)));
            for &(i, j) in &split.absent {
                prop_assert!(!linked(&whole, (i, j)) && (directed || !linked(&whole, (j, i))));
            }
            // What is left is the whole graph less the hidden links, weights and loops included.
            let hidden = |i: u32, j: u32| {
                split.held_out.contains(&(i, j)) || (!directed && split.held_out.contains(&(j, i)))
            };
            for row in 0..nodes {
                let kept: Vec<_> =
                    whole.row(row).filter(|&(to, _)| !hidden(row as u32, to)).collect();
                prop_assert_eq!(split.training.row(row).collect::<Vec<_>>(), kept);
            }
        }
    }

    #[test]
    fn one_stored_orientation_is_enough_for_an_undirected_link() {
        let upper = graph(20, &(0..19).map(|i| (i, i + 1)).collect::<Vec<_>>(), false);
        let split = remove_links(&upper, &LinkParams::default()).unwrap();
        assert_eq!((split.held_out.len(), split.training.nnz()), (10, 9));
    }

    #[test]
    fn seeds_change_what_is_hidden() {
        let ring = graph(100, &(0..100).map(|i| (i, (i + 1) % 100)).collect::<Vec<_>>(), true);
        let split = |seed| remove_links(&ring, &LinkParams { seed, ..Default::default() }).unwrap();
        assert_eq!(split(1), split(1));
        assert_ne!(split(1).held_out, split(2).held_out);
        assert_ne!(split(1).absent, split(2).absent);
    }

    #[test]
    fn absent_pairs_are_drawn_evenly() {
        // 300 nodes without a bias in sampling have mean index 149.5 among the drawn ends.
        let ring = graph(300, &(0..300).map(|i| (i, (i + 1) % 300)).collect::<Vec<_>>(), true);
        let mut ends = Vec::new();
        for seed in 0..20 {
            let params = LinkParams { seed, ..Default::default() };
            ends.extend(remove_links(&ring, &params).unwrap().absent);
        }
        let count = 2.0 * ends.len() as f64;
        let mean = ends.iter().map(|&(i, j)| f64::from(i + j)).sum::<f64>() / count;
        let error = 300.0 / 12f64.sqrt() / count.sqrt();
        assert!((mean - 149.5).abs() < 5.0 * error, "{mean}");
    }

    #[test]
    fn a_random_embedding_predicts_links_at_chance() {
        let links: Vec<(u32, u32)> = (0..2000).map(|i| (i, (7 * i + 1) % 2000)).collect();
        let split = remove_links(&graph(2000, &links, true), &LinkParams::default()).unwrap();
        let embedding =
            Tall::<f64>::from_rows(2000, 16, |row, out| fill_normal(21, row as u64, out));
        // Standard deviation of the area under a random ranking of m against m.
        let error = (1.0 / (6.0 * split.held_out.len() as f64)).sqrt();
        for score in [LinkScore::Dot, LinkScore::Cosine, LinkScore::NegativeDistance] {
            let report = score_links(&embedding, &split, score).unwrap();
            assert!((report.auc - 0.5).abs() < 5.0 * error, "{score:?}: {report:?}");
        }
    }

    #[test]
    fn faults_are_named() {
        let path = graph(3, &[(0, 1)], true);
        for remove in [0.0, 1.0, -1.0, f64::NAN] {
            let params = LinkParams { remove, ..Default::default() };
            assert!(matches!(remove_links(&path, &params), Err(EvalError::Parameter { .. })));
        }
        let params = LinkParams::default();
        let wide = SparseMatrix::empty(2, 3).unwrap();
        assert!(matches!(remove_links(&wide, &params), Err(EvalError::NotSquare { .. })));
        let loops = graph(3, &[(0, 0), (2, 2)], false);
        assert!(matches!(remove_links(&loops, &params), Err(EvalError::TooFew { .. })));
        let complete = graph(3, &[(0, 1), (0, 2), (1, 2)], true);
        assert!(matches!(remove_links(&complete, &params), Err(EvalError::TooFew { .. })));
        assert!(remove_links(&SparseMatrix::empty(0, 0).unwrap(), &params).is_err());
    }
}
