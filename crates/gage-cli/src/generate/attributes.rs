//! Attributes of a made-up graph: words that follow the class, and words that do not.

use std::io::{self, Write};

use gage_embed::io::{CsrArrays, NpyArray, write_npz_csr};
use gage_linalg::random::Stream;
use rayon::prelude::*;

use super::GenerateOptions;
use super::rows::write_indptr;

/// Nodes handled as one unit of work.
const CHUNK: usize = 4096;

/// Attributes of a run of nodes.
struct Piece {
    lengths: Vec<u32>,
    columns: Vec<u32>,
    counts: Vec<u8>,
}

/// Attributes of all nodes.
pub(super) struct Words {
    lengths: Vec<u32>,
    pieces: Vec<Piece>,
}

/// A rank below `count`, about in proportion to one over the rank plus one.
fn common_first(count: usize, stream: &mut Stream) -> usize {
    let rank = (stream.unit() * ((count + 1) as f64).ln()).exp() as usize;
    rank.clamp(1, count) - 1
}

/// Draws the attributes of every node. Class `c` owns the columns `c, c + classes, c + 2 classes, ...`; like words,
/// some attributes are far more common than others.
pub(super) fn draw(options: &GenerateOptions, classes: &[u16]) -> Words {
    let own = options.attributes / options.classes;
    let pieces: Vec<Piece> = classes
        .par_chunks(CHUNK)
        .enumerate()
        .map(|(chunk, classes)| {
            let mut piece = Piece { lengths: Vec::new(), columns: Vec::new(), counts: Vec::new() };
            let mut drawn = Vec::new();
            for (at, &class) in classes.iter().enumerate() {
                let mut stream = Stream::keyed(options.seed, 4, (chunk * CHUNK + at) as u64);
                // From half to one and a half times the mean.
                let expected = options.attributes_per_node * (0.5 + stream.unit());
                let count =
                    expected.floor() + f64::from(u8::from(stream.unit() < expected.fract()));
                drawn.clear();
                for _ in 0..count as usize {
                    let column = if stream.unit() < options.signal {
                        class as usize + options.classes * common_first(own, &mut stream)
                    } else {
                        // Counted from the middle, lest common words be the first of every class.
                        let rank = common_first(options.attributes, &mut stream);
                        (rank + options.attributes / 2) % options.attributes
                    };
                    drawn.push(column as u32);
                }
                drawn.sort_unstable();
                piece.push(&drawn);
            }
            piece
        })
        .collect();
    let lengths = pieces.iter().flat_map(|piece| piece.lengths.iter().copied()).collect();
    Words { lengths, pieces }
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

impl Words {
    /// Stored entries.
    pub(super) fn entries(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.columns.len() as u64).sum()
    }

    /// Writes the attributes as `.npz`.
    pub(super) fn write(&self, cols: usize, out: &mut dyn Write) -> io::Result<()> {
        let nnz = self.entries();
        let arrays = CsrArrays {
            shape: (self.lengths.len(), cols),
            nnz,
            indices: &|sink| self.pieces.iter().try_for_each(|piece| sink(&piece.columns)),
            indptr: &|sink| write_indptr(&self.lengths, sink),
            data: NpyArray::new("|u1", 1, &[nnz as usize], |sink| {
                self.pieces.iter().try_for_each(|piece| sink(&piece.counts))
            }),
        };
        write_npz_csr(arrays, out)
    }
}
