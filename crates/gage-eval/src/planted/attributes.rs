//! Attributes of a planted graph: some follow the class, some do not.

use gage_linalg::random::Stream;
use gage_linalg::{SparseMatrix, Values};
use rayon::prelude::*;

use super::CHUNK;
use super::params::PlantedParams;

/// Attributes of a run of nodes.
#[derive(Default)]
struct Piece {
    lengths: Vec<u32>,
    columns: Vec<u32>,
    counts: Vec<u8>,
}

/// A rank below `count`, about in proportion to one over the rank plus one.
fn common_first(count: usize, stream: &mut Stream) -> usize {
    let rank = (stream.unit() * ((count + 1) as f64).ln()).exp() as usize;
    rank.clamp(1, count) - 1
}

/// Draws the attributes of every node. Class `c` owns the columns `c, c + classes, c + 2 classes,
/// ...`; like words, some attributes are far more common than others.
pub(super) fn draw(params: &PlantedParams, classes: &[u16]) -> SparseMatrix {
    let pieces: Vec<Piece> = classes
        .par_chunks(CHUNK)
        .enumerate()
        .map(|(chunk, classes)| {
            let mut piece = Piece::default();
            for (at, &class) in classes.iter().enumerate() {
                piece.push(&one_node(params, chunk * CHUNK + at, usize::from(class)));
            }
            piece
        })
        .collect();
    let entries = pieces.iter().map(|piece| piece.columns.len()).sum();
    let mut pointers = Vec::with_capacity(classes.len() + 1);
    let (mut columns, mut counts) = (Vec::with_capacity(entries), Vec::with_capacity(entries));
    pointers.push(0);
    let mut end = 0;
    for piece in pieces {
        pointers.extend(piece.lengths.iter().map(|&length| {
            end += u64::from(length);
            end
        }));
        columns.extend(piece.columns);
        counts.extend(piece.counts.into_iter().map(f32::from));
    }
    let values = Values::F32(counts.into());
    SparseMatrix::canonical(classes.len(), params.attributes, pointers, columns, values)
}

/// The attributes of one node, in order, repeats included.
fn one_node(params: &PlantedParams, node: usize, class: usize) -> Vec<u32> {
    let own = params.attributes / params.classes;
    let mut stream = Stream::keyed(params.seed, 4, node as u64);
    // From half to one and a half times the mean.
    let expected = params.attributes_per_node * (0.5 + stream.unit());
    let mut drawn: Vec<u32> = (0..stream.round(expected))
        .map(|_| {
            let column = if stream.unit() < params.signal {
                class + params.classes * common_first(own, &mut stream)
            } else {
                // Counted from the middle, so that common words are not the first of every class.
                let rank = common_first(params.attributes, &mut stream);
                (rank + params.attributes / 2) % params.attributes
            };
            column as u32
        })
        .collect();
    drawn.sort_unstable();
    drawn
}

impl Piece {
    /// Adds a node with sorted columns; repeats become counts.
    fn push(&mut self, drawn: &[u32]) {
        let before = self.columns.len();
        for run in drawn.chunk_by(|a, b| a == b) {
            self.columns.push(run[0]);
            self.counts.push(run.len().min(255) as u8);
        }
        self.lengths.push((self.columns.len() - before) as u32);
    }
}
