//! Factors: the result of the solver.

use gage_linalg::Tall;

/// Factors at full size: one row of `u` per local node.
pub(crate) struct FullFactors<T> {
    pub(crate) u: Tall<T>,
    pub(crate) c: Vec<Vec<f64>>,
    /// `diag(U^T X_k U)`.
    pub(crate) energies: Vec<Vec<f64>>,
    /// `B_k = Y_k^T J_k U`; none where nothing that follows needs them.
    pub(crate) projections: Vec<Tall<T>>,
}
