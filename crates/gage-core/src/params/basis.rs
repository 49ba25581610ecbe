//! Parameters of the basis.

use serde::{Deserialize, Serialize};

/// How the basis is found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BasisParams {
    /// Width of the basis over the dimension, as long as iterations follow that gain by it: more
    /// columns converge in fewer passes but cost more each.
    pub oversampling: f64,
    /// At most this many iterations of two passes each.
    pub max_iterations: usize,
    /// Stop when further iterations would lower the loss by less than this share of it, were they
    /// to gain by the same ratio as the last two.
    pub tolerance: f64,
    /// Up to this many nodes the basis is computed directly.
    pub direct_nodes: usize,
}

impl Default for BasisParams {
    fn default() -> Self {
        BasisParams { oversampling: 1.5, max_iterations: 4, tolerance: 5e-3, direct_nodes: 1024 }
    }
}

impl BasisParams {
    /// Whether the basis of so many nodes is computed directly.
    pub(crate) fn is_direct(&self, nodes: usize) -> bool {
        nodes <= self.direct_nodes
    }

    /// Columns of a basis for a model of `dimension` columns over `nodes` nodes, at most.
    pub(crate) fn width(&self, dimension: usize, nodes: usize) -> usize {
        self.width_before(usize::MAX, 0, dimension, nodes)
    }

    /// Columns of a block that so many iterations will follow. Columns beyond the dimension serve
    /// those, so each of the last three has half as many of them. More than two views need them in
    /// the end, too: the best subspace of their core is not made of leading directions.
    pub(crate) fn width_before(
        &self,
        iterations: usize,
        views: usize,
        dimension: usize,
        nodes: usize,
    ) -> usize {
        let halvings = if views > 2 { 0 } else { 3_usize.saturating_sub(iterations) };
        let beyond = (self.oversampling - 1.0) * 0.5_f64.powi(halvings as i32);
        let wide = (dimension as f64 * (1.0 + beyond)).ceil() as usize;
        wide.max(dimension + 8).min(nodes)
    }

    /// Columns of all blocks if there are as many iterations as are allowed, the random one first;
    /// of the only one, if the basis is computed directly.
    pub fn planned_widths(&self, views: usize, dimension: usize, nodes: usize) -> Vec<usize> {
        if self.is_direct(nodes) {
            return vec![nodes];
        }
        let made = (0..self.max_iterations).rev();
        let made = made.map(|to_come| self.width_before(to_come, views, dimension, nodes));
        std::iter::once(self.width(dimension, nodes)).chain(made).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_blocks_are_narrower_and_never_too_narrow() {
        let params = BasisParams::default();
        assert_eq!(params.planned_widths(2, 128, 100_000), [192, 192, 160, 144, 136]);
        assert_eq!(params.planned_widths(1, 128, 1_100), [192, 192, 160, 144, 136]);
        assert_eq!(params.planned_widths(3, 128, 100_000), [192; 5]);
        assert_eq!(params.planned_widths(2, 10, 100_000), [18; 5]);
        assert_eq!(params.planned_widths(2, 1_000, 1_100), [1_100, 1_100, 1_100, 1_100, 1_063]);
        assert_eq!(params.planned_widths(2, 128, 1_000), [1_000]);
        let patient = BasisParams { max_iterations: 6, oversampling: 2.0, ..params };
        assert_eq!(patient.planned_widths(2, 64, 100_000), [128, 128, 128, 128, 96, 80, 72]);
        let none = BasisParams { max_iterations: 0, ..patient };
        assert_eq!(none.planned_widths(2, 64, 100_000), [128]);
    }
}
