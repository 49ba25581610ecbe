//! The columns of a factor whose rows are spread over workers.

use std::sync::Arc;

use gage_linalg::Reducer;
use gage_linalg::workers::{Halo, Partition};

/// A diagonal factor; absent means one everywhere.
pub(crate) type Diagonal = Option<Arc<[f64]>>;

/// Needed columns, and who owns which.
#[derive(Debug)]
pub(crate) struct NeededColumns {
    /// The needed columns, which are numbered from 0.
    pub(crate) halo: Arc<Halo>,
    /// Who owns which columns.
    pub(crate) owners: Partition,
    /// Of a symmetric matrix, which is its own transpose: the left factors of the needed rows and
    /// the right factors of the own ones.
    pub(super) mirrored: Option<(Diagonal, Diagonal)>,
}

impl NeededColumns {
    /// For left factors of the own rows and right ones of needed columns.
    pub(super) fn new(
        (halo, owners): (Arc<Halo>, Partition),
        (left, right): (&Diagonal, &Diagonal),
        symmetric: bool,
        reducer: &dyn Reducer,
    ) -> NeededColumns {
        let mirrored = symmetric.then(|| {
            let left = left.as_ref().map(|left| halo.gather_column(left, reducer).into());
            let right = right.as_ref().map(|right| halo.own_of(right, reducer).into());
            (left, right)
        });
        NeededColumns { halo, owners, mirrored }
    }

    /// Bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        let diagonals = self.mirrored.iter().flat_map(|(left, right)| [left, right]);
        self.halo.bytes() + diagonals.flatten().map(|d| 8 * d.len()).sum::<usize>()
    }
}
