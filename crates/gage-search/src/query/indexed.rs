//! Nearest nodes by an index.

use gage_linalg::kernel::TopK;
use rayon::prelude::*;

use crate::error::IndexError;
use crate::file::{Part, Recall, SearchIndex};
use crate::lists::{nearest_lists, scan_list};
use crate::space::{Metric, Neighbour};

/// Kept beyond those wanted until they are compared in double precision: single precision may
/// confuse the last ones.
const SPARE: usize = 16;

/// What a search found.
#[derive(Clone, Debug)]
pub struct Answer {
    /// TopK first; equally near ones in the order of the nodes.
    pub neighbours: Vec<Neighbour>,
    /// How much such a search finds, as measured at the build; `None` if all rows were looked at,
    /// so that it is exact.
    pub recall: Option<Recall>,
    /// Rows that were compared.
    pub rows: usize,
}

impl SearchIndex {
    /// The `k` nodes nearest to a node, as far as the lists hold them that are read; `None` when
    /// its row is zero or without a direction. For more neighbours than the index is tuned for all
    /// lists are read.
    pub fn nearest(&self, node: usize, k: usize) -> Result<Option<Answer>, IndexError> {
        let Some(own_position) = self.position(node)? else { return Ok(None) };
        let query = self.row(own_position)?;
        let lists = self.info().lists;
        let tier = self.info().recall.iter().find(|tier| tier.neighbours >= k).copied();
        let probes = tier.map_or(lists, |tier| tier.lists);
        let columns = self.info().columns;
        let centroids = self.numbers(Part::Centroids, 0..lists * columns)?;
        let chosen = nearest_lists(centroids, query, probes);
        let wanted = k.saturating_add(SPARE);
        let scan = |&(_, list): &(f32, u32)| -> Result<(TopK<f32>, usize), IndexError> {
            let range = self.list(list as usize)?;
            let rows = self.numbers(Part::Rows, range.start * columns..range.end * columns)?;
            let members = self.words(Part::Members, range.clone())?;
            let mut nearest = TopK::new(wanted);
            scan_list(rows, members, query, node as u32, &mut nearest);
            Ok((nearest, range.len()))
        };
        let (nearest, rows) = chosen.par_iter().map(scan).try_reduce(
            || (TopK::new(wanted), 0),
            |(a, rows), (b, more)| Ok((a.merge(b), rows + more)),
        )?;
        let parts = self.parts()?;
        let neighbours = nearest
            .into_sorted()
            .into_iter()
            .map(|(_, node)| self.in_double_precision(query, node, parts));
        let mut neighbours = neighbours.collect::<Result<Vec<Neighbour>, _>>()?;
        let sign: f64 = if self.info().metric == Metric::Cosine { -1.0 } else { 1.0 };
        neighbours.sort_by(|a, b| {
            (sign * a.value).total_cmp(&(sign * b.value)).then(a.node.cmp(&b.node))
        });
        neighbours.truncate(k);
        let recall = tier.filter(|_| probes < lists);
        Ok(Some(Answer { neighbours, recall, rows }))
    }

    /// The values of a neighbour, in double precision.
    fn in_double_precision(
        &self,
        query: &[f32],
        node: u32,
        parts: &[f64],
    ) -> Result<Neighbour, IndexError> {
        let node = node as usize;
        let position = self.position(node)?.ok_or_else(|| {
            IndexError::damaged(format!("node {node} is in a list, but has no position"))
        })?;
        let row = self.row(position)?;
        let term = |x: f32, y: f32| match self.info().metric {
            Metric::Cosine => f64::from(x) * f64::from(y),
            Metric::Distance => (f64::from(x) - f64::from(y)).powi(2),
        };
        let terms: Vec<f64> = query.iter().zip(row).map(|(&x, &y)| term(x, y)).collect();
        let by_view: Vec<f64> = parts
            .chunks_exact(terms.len())
            .map(|part| part.iter().zip(&terms).map(|(p, t)| p * t).sum())
            .collect();
        let value = if by_view.is_empty() { terms.iter().sum() } else { by_view.iter().sum() };
        Ok(Neighbour { node, value, by_view })
    }
}
