//! Parameters of T-PINE.

/// Tensor-based node embedding (Al-Sayouri, Gujral, Koutra, Papalexakis and Lam, SNAM 2020).
///
/// Slab 1 of an `n x n x 2` tensor is the adjacency, slab 2 the graph of nearest neighbours over
/// the attributes; the node factor of its CP decomposition, of rank the dimension, is the
/// embedding.
///
/// The published description leaves much open. **Our choices**: `neighbours` = 10 nearest by cosine
/// over tf-idf rows (only positive similarities), made symmetric, weight 1; raw adjacency; plain
/// alternating least squares from a random start, at most `sweeps` sweeps or until the loss changes
/// by less than `tolerance` of the tensor's square; the two node factors are not tied and the first
/// is taken (for directed links the one of their sources); columns of the factor multiplied by the
/// length of their component, so that components count as much as they explain.
///
/// The slabs stay sparse. Cost: all pairs of nodes that share an attribute once, then four products
/// with each slab and `O(n dimension^2)` a sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TPine {
    /// Nearest neighbours of a node.
    pub neighbours: usize,
    /// Sweeps of alternating least squares at most.
    pub sweeps: usize,
    /// Smallest change of the loss, relative to the tensor's square, that is worth a further sweep.
    pub tolerance: f64,
}

impl Default for TPine {
    fn default() -> Self {
        TPine { neighbours: 10, sweeps: 60, tolerance: 1e-5 }
    }
}

impl TPine {
    /// With another number of neighbours: the GAGE paper takes 8 on Wikipedia, 40 on WebKB and 50
    /// on BlogCatalog.
    pub fn with_neighbours(neighbours: usize) -> TPine {
        TPine { neighbours, ..TPine::default() }
    }
}
