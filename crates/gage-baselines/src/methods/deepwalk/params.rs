//! Parameters of DeepWalk.

use crate::Error;

/// DeepWalk (Perozzi, Al-Rfou and Skiena, KDD 2014). Structure only: attributes, weights and
/// directions of links are ignored, and nodes without links get zeros.
///
/// Uniform random walks of `length` nodes, `walks` from every node in random order. Skip-gram over
/// them as the authors' code runs it: each node predicts the nodes up to a random distance (1 to
/// `window`) away, by a Huffman tree *and* by `negatives` negative samples at once, noise
/// proportional to frequency to the power 0.75, frequent nodes sampled down (threshold 0.001), step
/// size falling linearly from 0.025 to 0.0001.
///
/// Training runs in one thread: lock-free threads would be faster and give other bits every time.
/// The default is 10 walks of length 80, window 10 and one epoch: 45 s of one core for Cora (2,708
/// nodes, 64 columns), 93 s for 5,196 nodes, on a busy machine of 2 cores. [`DeepWalk::paper`] has
/// the published 80 walks of length 40 with the five epochs of the authors' library, 20 times the
/// work. Cost: `n walks length epochs` times `window + 1` pairs, each
/// `O((log n + negatives) dimension)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeepWalk {
    /// Walks from every node.
    pub walks: usize,
    /// Nodes of a walk.
    pub length: usize,
    /// Largest distance of a predicted node.
    pub window: usize,
    /// Times all walks are gone through.
    pub epochs: usize,
    /// Negative samples for every prediction, besides the Huffman tree.
    pub negatives: usize,
}

impl Default for DeepWalk {
    fn default() -> Self {
        DeepWalk { walks: 10, length: 80, window: 10, epochs: 1, negatives: 5 }
    }
}

impl DeepWalk {
    /// The published setting: 80 walks of length 40, window 10, five epochs.
    pub fn paper() -> DeepWalk {
        DeepWalk { walks: 80, length: 40, window: 10, epochs: 5, negatives: 5 }
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        let wanted = [
            ("walks", self.walks, 1),
            ("length", self.length, 2),
            ("window", self.window, 1),
            ("epochs", self.epochs, 1),
        ];
        for (name, value, least) in wanted {
            if value < least {
                let bound = if least == 1 { "at least 1" } else { "at least 2" };
                return Err(Error::Parameter { name, value: value.to_string(), bound });
            }
        }
        Ok(())
    }
}
