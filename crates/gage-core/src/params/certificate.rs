//! Parameters of a certificate.

use serde::{Deserialize, Serialize};

/// How thorough a certificate is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CertificateParams {
    /// Up to this many observed nodes all pairs are compared.
    pub all_pairs_nodes: usize,
    /// Otherwise this many independent groups of nodes are drawn,
    pub groups: usize,
    /// of this many nodes each, and all pairs within a group compared.
    pub group_nodes: usize,
    /// Up to this many nodes the least possible loss is computed from all eigenvalues; otherwise
    /// estimated.
    pub exact_bound_nodes: usize,
    /// Seed of the sampling.
    pub seed: u64,
}

impl Default for CertificateParams {
    fn default() -> Self {
        CertificateParams {
            all_pairs_nodes: 1024,
            groups: 16,
            group_nodes: 40,
            exact_bound_nodes: 1024,
            seed: 0,
        }
    }
}
