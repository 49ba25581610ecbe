//! Matrices without their empty columns.

use std::sync::Arc;

use super::matrix::SparseMatrix;

impl SparseMatrix {
    /// The same rows with only the columns that hold entries, and the numbers of these columns in
    /// ascending order. Cost O(nnz + cols / 64); needs a bit and a half for each column meanwhile.
    pub fn compacted(&self) -> (SparseMatrix, Vec<u32>) {
        let mut bits = vec![0u64; self.cols.div_ceil(64)];
        self.indices.iter().for_each(|&col| bits[col as usize / 64] |= 1 << (col % 64));
        let mut before = Vec::with_capacity(bits.len());
        let mut kept = Vec::new();
        for (word, &set) in bits.iter().enumerate() {
            before.push(kept.len() as u32);
            let mut left = set;
            while left != 0 {
                kept.push(word as u32 * 64 + left.trailing_zeros());
                left &= left - 1;
            }
        }
        let place = |col: u32| {
            let (word, bit) = (col as usize / 64, col % 64);
            before[word] + (bits[word] & ((1u64 << bit) - 1)).count_ones()
        };
        let indices: Vec<u32> = self.indices.iter().map(|&col| place(col)).collect();
        let matrix = SparseMatrix {
            cols: kept.len(),
            indices: indices.into(),
            transpose: None,
            symmetric: Arc::default(),
            ..self.clone()
        };
        (matrix, kept)
    }

    /// The same rows, as part of a matrix that is known to equal its transpose, or not to.
    pub fn with_symmetry(self, symmetric: bool) -> SparseMatrix {
        SparseMatrix { symmetric: Arc::new(symmetric.into()), ..self }
    }

    /// Whether the matrix is known to equal its transpose, or not to.
    pub fn known_symmetry(&self) -> Option<bool> {
        self.symmetric.get().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_keep_their_order_and_their_columns() {
        let entries: Vec<(u32, u32, f64)> =
            (0..9u32).flat_map(|i| [(i, i * i % 200, 1.5), (i, 199, 2.0)]).collect();
        let matrix = SparseMatrix::from_triplets(9, 200, &entries).unwrap();
        let (compact, kept) = matrix.compacted();
        assert!(kept.windows(2).all(|pair| pair[0] < pair[1]) && compact.cols() == kept.len());
        for row in 0..9 {
            let back = compact.row(row).map(|(col, value)| (kept[col as usize], value));
            assert!(back.eq(matrix.row(row)));
        }
        assert_eq!(SparseMatrix::empty(3, 70).unwrap().compacted().1, []);
        let wide = SparseMatrix::from_triplets(1, 64, &[(0, 63, 1.0)]).unwrap();
        assert_eq!(wide.compacted().1, [63]);
    }
}
