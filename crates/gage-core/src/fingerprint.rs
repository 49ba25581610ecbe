//! The fingerprint of a fit: a hash of data, parameters and program version.

use rayon::prelude::*;

use crate::graph::{Block, Graph, Matrix};
use crate::params::FitParams;
use gage_linalg::random::mix;
use gage_linalg::{DenseValues, Values};

/// Bytes hashed at a time; the pieces are independent, so that they can be hashed side by side.
const PIECE: usize = 1 << 20;

/// The fingerprint of a fit. Equal fits have equal ones; that two fits found in practice share one
/// is negligible (128 bits), unless constructed on purpose.
pub fn fingerprint(graph: &Graph, params: &FitParams) -> String {
    let mut hash = Hash::default();
    hash.text(concat!("gage-embed ", env!("CARGO_PKG_VERSION"), " checkpoint 2"));
    // Parameters are plain data and can always be written.
    hash.text(&serde_json::to_string(params).unwrap_or_default());
    hash.word(graph.nodes().len() as u64);
    if graph.nodes().all() > graph.nodes().len() {
        hash.word(graph.nodes().first() as u64);
        hash.word(graph.nodes().all() as u64);
    }
    if let Some((text, ends)) = graph.nodes().as_text() {
        hash.text(text);
        hash.bytes(bytemuck::cast_slice(ends));
    }
    graph.blocks().iter().for_each(|block| hash.block(block));
    hash.text_form()
}

/// Two hashes of the same words, mixed differently.
#[derive(Clone, Copy, Default)]
pub struct Hash([u64; 2]);

impl Hash {
    /// The hash in letters.
    pub fn text_form(&self) -> String {
        format!("{:016x}{:016x}", self.0[0], self.0[1])
    }

    /// Adds one word.
    pub fn word(&mut self, word: u64) {
        self.0[0] = mix(self.0[0] ^ word);
        self.0[1] = mix(self.0[1].rotate_left(29) ^ word.wrapping_mul(0xff51_afd7_ed55_8ccd));
    }

    /// Adds a byte string with its length.
    pub fn bytes(&mut self, bytes: &[u8]) {
        let pieces: Vec<Hash> = bytes
            .par_chunks(PIECE)
            .map(|piece| {
                let mut hash = Hash::default();
                for chunk in piece.chunks(8) {
                    let mut word = [0; 8];
                    word[..chunk.len()].copy_from_slice(chunk);
                    hash.word(u64::from_le_bytes(word));
                }
                hash
            })
            .collect();
        self.word(bytes.len() as u64);
        pieces.into_iter().flat_map(|hash| hash.0).for_each(|word| self.word(word));
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn block(&mut self, block: &Block) {
        self.text(&block.name);
        self.text(&format!("{:?}", block.kind));
        for name in block.columns.iter().flatten() {
            self.text(name);
        }
        if let Some(encoding) = &block.encoding {
            // New nodes are encoded as the table was, and equal numbers may come of other cells.
            self.text(&serde_json::to_string(encoding).unwrap_or_default());
        }
        if let Some(mask) = &block.observed {
            let flags: Vec<u8> = mask.as_slice().iter().map(|&seen| u8::from(seen)).collect();
            self.bytes(&flags);
        }
        self.word(block.matrix.rows() as u64);
        self.word(block.matrix.cols() as u64);
        match &block.matrix {
            Matrix::Sparse(matrix) => {
                self.bytes(bytemuck::cast_slice(matrix.indptr()));
                self.bytes(bytemuck::cast_slice(matrix.indices()));
                match matrix.values() {
                    Values::Ones => self.text("ones"),
                    Values::F32(values) => self.bytes(bytemuck::cast_slice(values)),
                    Values::F64(values) => self.bytes(bytemuck::cast_slice(values)),
                }
            }
            Matrix::Dense(matrix) => match matrix.values() {
                DenseValues::F32(values) => self.bytes(bytemuck::cast_slice(values)),
                DenseValues::F64(values) => self.bytes(bytemuck::cast_slice(values)),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Nodes;
    use gage_linalg::SparseMatrix;

    #[test]
    fn every_part_counts() {
        let graph = |nodes: Nodes, name: &str, value: f64, directed: bool| {
            let links = SparseMatrix::from_triplets(3, 3, &[(0, 1, 1.0), (1, 2, value)]).unwrap();
            Graph::new(nodes).with_block(Block::links(name, links, directed)).unwrap()
        };
        let base = || graph(Nodes::numbered(3), "links", 2.0, false);
        let params = FitParams::default();
        let mut all = vec![
            fingerprint(&base(), &params),
            fingerprint(&base(), &FitParams { seed: 1, ..params.clone() }),
            fingerprint(&graph(Nodes::numbered(3), "other", 2.0, false), &params),
            fingerprint(&graph(Nodes::numbered(3), "links", 3.0, false), &params),
            fingerprint(&graph(Nodes::numbered(3), "links", 2.0, true), &params),
            fingerprint(
                &graph(Nodes::named(["a", "b", "c"]).unwrap(), "links", 2.0, false),
                &params,
            ),
            fingerprint(
                &graph(Nodes::named(["a", "bc", ""]).unwrap(), "links", 2.0, false),
                &params,
            ),
        ];
        assert_eq!(all[0], fingerprint(&base(), &params));
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 7);
    }
}
