//! Builds an index: assigns rows to lists, sorts ids, measures recall.

use std::io::{self, Write};

use gage_core::graph::Nodes;
use gage_linalg::Tall;
use gage_linalg::kernel::nearest_centroids;
use gage_linalg::random::mix;

use super::centroids::{centroids, list_count};
use super::probes::Lists;
use crate::error::IndexError;
use crate::file::{self, IndexInfo, NO_POSITION, Origin, Part, SearchIndex};
use crate::space::{Metric, Space};

/// Largest absolute numbers whose squares can be added in single precision.
const RANGE: std::ops::RangeInclusive<f32> = 1e-12..=1e15;

/// How to build an index.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IndexParams {
    /// What near means.
    pub metric: Metric,
    /// Share of the true neighbours that must be found, from 0 to 1.
    pub target: f64,
    /// Decides the sample that centroids are found on, and the nodes that recall is measured on.
    pub seed: u64,
}

impl Default for IndexParams {
    fn default() -> IndexParams {
        IndexParams { metric: Metric::Cosine, target: 0.95, seed: 0 }
    }
}

/// An index before it is a file.
pub struct BuiltIndex<'a> {
    info: IndexInfo,
    nodes: &'a Nodes,
    lists: Lists,
    positions: Vec<u32>,
    parts: Vec<f64>,
    id_order: Vec<u32>,
}

/// Builds an index of the rows of a space. The same input, parameters and kind of processor make
/// the same bytes at any number of threads.
///
/// Cost about `(n + 256 k) p k` multiplications for `n` rows of `p` columns and `k = 4 sqrt(n)`
/// lists. The rows are held three times, once as they come.
///
/// ```
/// use gage_embed::search::{IndexParams, Origin, SearchIndex, Space, build};
/// use gage_embed::{AnyTall, Nodes, Tall};
/// let rows = AnyTall::F32(Tall::from_rows(500, 4, |row, out: &mut [f32]| {
///     out.copy_from_slice(&[1.0, (row % 5) as f32, (row % 7) as f32, row as f32 / 500.0]);
/// }));
/// let nodes = Nodes::named((0..500).map(|i| format!("n{i}"))).unwrap();
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("x.index");
/// let origin = Origin { bytes: 0, sample: String::new(), whole: String::new() };
/// let built = build(&Space::of_embedding(&nodes, &rows), &IndexParams::default(), origin)?;
/// built.write(&mut std::fs::File::create(&path)?)?;
///
/// let index = SearchIndex::open(&path)?;
/// let node = index.find("n7")?.unwrap();
/// let answer = index.nearest(node, 3)?.unwrap();
/// assert_eq!(index.id(answer.neighbours[0].node)?, "n42");
/// # Ok::<(), gage_embed::search::IndexError>(())
/// ```
pub fn build<'a>(
    space: &Space<'a>,
    params: &IndexParams,
    origin: Origin,
) -> Result<BuiltIndex<'a>, IndexError> {
    built(space, params, origin, None)
}

/// Builds an index of a space that begins with the nodes of another index: its centroids serve
/// again, and only recall is measured anew. Metric, target and seed are those of the other index,
/// and so are the shares. Cost about `n p k` multiplications less than [`build`] for the `n` rows
/// that were there before, and no rounds of k-means.
pub fn extend<'a>(
    space: &Space<'a>,
    index: &SearchIndex,
    origin: Origin,
) -> Result<BuiltIndex<'a>, IndexError> {
    let info = index.info();
    let foreign = |what: &str| Err(IndexError::Foreign { what: what.to_owned() });
    if info.columns != space.columns() || !same_shares(&info.shares, &space.shares) {
        return foreign("model, or of other shares of its views");
    }
    let known = index.nodes()?;
    let same = |node: usize| known.id(node) == space.nodes.id(node);
    if known.len() > space.nodes.len() || !(0..known.len()).all(same) {
        return foreign("model, which does not begin with the nodes of the index");
    }
    let params = IndexParams { metric: info.metric, target: info.target, seed: info.seed };
    built(space, &params, origin, Some(index))
}

fn same_shares(one: &[f64], other: &[f64]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(a, b)| (a - b).abs() < 1e-12)
}

fn built<'a>(
    space: &Space<'a>,
    params: &IndexParams,
    origin: Origin,
    before: Option<&SearchIndex>,
) -> Result<BuiltIndex<'a>, IndexError> {
    let nodes = space.nodes;
    let most = NO_POSITION as usize;
    if nodes.len() > most {
        return Err(IndexError::TooMany { most, found: nodes.len() });
    }
    let (rows, takes_part) = space.prepared(params.metric);
    let present: Vec<u32> =
        (0..nodes.len() as u32).filter(|&node| takes_part[node as usize]).collect();
    if present.is_empty() {
        return Err(IndexError::Nothing { rows: nodes.len() });
    }
    let largest = rows.data().iter().fold(0f32, |most, x| most.max(x.abs()));
    if !RANGE.contains(&largest) {
        return Err(IndexError::Range { largest: f64::from(largest) });
    }
    let start = before.map(|index| Start::of(index, &rows)).transpose()?;
    let (lists, positions) = divide(rows, &present, params.seed, start);
    let recall = lists.tuned(&positions, params.target, params.seed);
    let id_order = if nodes.is_named() { file::sorted(nodes) } else { Vec::new() };
    let info = IndexInfo {
        program: concat!("gage-embed ", env!("CARGO_PKG_VERSION")).to_owned(),
        nodes: nodes.len(),
        rows: present.len(),
        columns: space.columns(),
        lists: lists.ends.len(),
        metric: params.metric,
        views: space.views.clone(),
        shares: space.shares.clone(),
        recall,
        target: params.target,
        seed: params.seed,
        named: nodes.is_named(),
        id_bytes: nodes.as_text().map_or(0, |(text, _)| text.len()),
        origin,
        checks: 0,
    };
    Ok(BuiltIndex { info, nodes, lists, positions, parts: space.parts(), id_order })
}

/// What an index has of the rows of another one.
struct Start {
    centroids: Tall<f32>,
    /// the lists of its nodes, which come first
    lists: Vec<u32>,
}

impl Start {
    /// The lists of an index whose nodes have these rows; an error if a row is another one.
    fn of(index: &SearchIndex, rows: &Tall<f32>) -> Result<Start, IndexError> {
        let (columns, lists) = (index.info().columns, index.info().lists);
        let numbers = index.numbers(Part::Centroids, 0..lists * columns)?;
        let centroids = Tall::from_rows(lists, columns, |list, out: &mut [f32]| {
            out.copy_from_slice(&numbers[list * columns..(list + 1) * columns]);
        });
        let mut of_nodes = vec![0; index.info().nodes];
        for list in 0..lists {
            let range = index.list(list)?;
            for &node in index.words(Part::Members, range)? {
                let own = index.position(node as usize)?.map(|position| index.row(position));
                if own.transpose()? != Some(rows.row(node as usize)) {
                    let what = format!("model: the row of node {node} is another one");
                    return Err(IndexError::Foreign { what });
                }
                of_nodes[node as usize] = list as u32;
            }
        }
        Ok(Start { centroids, lists: of_nodes })
    }

    /// The lists of all rows: those known, and the nearest ones of the others.
    fn lists_of(&self, rows: &Tall<f32>) -> Vec<u32> {
        let known = self.lists.len();
        let further = Tall::from_rows(rows.rows() - known, rows.cols(), |row, out: &mut [f32]| {
            out.copy_from_slice(rows.row(known + row));
        });
        let nearest = nearest_centroids(&further, &self.centroids);
        self.lists.iter().copied().chain(nearest).collect()
    }
}

/// Puts the rows into lists; also returns the position of each node.
fn divide(rows: Tall<f32>, present: &[u32], seed: u64, start: Option<Start>) -> (Lists, Vec<u32>) {
    let columns = rows.cols();
    let (centroids, nearest) = match start {
        Some(start) => {
            let nearest = start.lists_of(&rows);
            (start.centroids, nearest)
        }
        None => {
            let centroids = centroids(&rows, present, list_count(present.len()), mix(seed));
            let nearest = nearest_centroids(&rows, &centroids);
            (centroids, nearest)
        }
    };
    let count = centroids.rows();
    let mut ends = vec![0u32; count];
    present.iter().for_each(|&node| ends[nearest[node as usize] as usize] += 1);
    let mut next = Vec::with_capacity(count);
    let mut total = 0;
    for end in &mut ends {
        next.push(total);
        total += *end;
        *end = total;
    }
    let mut members = vec![0u32; present.len()];
    let mut positions = vec![NO_POSITION; rows.rows()];
    for &node in present {
        let position = &mut next[nearest[node as usize] as usize];
        members[*position as usize] = node;
        positions[node as usize] = *position;
        *position += 1;
    }
    let ordered = Tall::from_rows(members.len(), columns, |position, out: &mut [f32]| {
        out.copy_from_slice(rows.row(members[position] as usize));
    });
    (Lists { columns, centroids, ends, rows: ordered, members }, positions)
}

impl BuiltIndex<'_> {
    /// What the index will say of itself.
    pub fn info(&self) -> &IndexInfo {
        &self.info
    }

    /// Writes the file.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let (text, ends) = self.nodes.as_text().unwrap_or_default();
        let parts: [&[u8]; file::PARTS.len()] = [
            bytemuck::cast_slice(self.lists.centroids.data()),
            bytemuck::cast_slice(&self.lists.ends),
            bytemuck::cast_slice(self.lists.rows.data()),
            bytemuck::cast_slice(&self.lists.members),
            bytemuck::cast_slice(&self.positions),
            bytemuck::cast_slice(&self.parts),
            text.as_bytes(),
            bytemuck::cast_slice(ends),
            bytemuck::cast_slice(&self.id_order),
        ];
        file::write(out, &self.info, &parts)
    }
}
