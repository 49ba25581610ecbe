//! Parameters of a planted graph.

use gage_core::holdout::EvalError;
use serde::{Deserialize, Serialize};

/// An attributed graph with planted classes. Its JSON is part of the files of `gage generate`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlantedParams {
    /// Number of nodes.
    pub nodes: usize,
    /// Mean degree; repeated links are merged, so a little less comes out.
    pub degree: f64,
    /// Mean number of attributes of a node, repeats counted.
    pub attributes_per_node: f64,
    /// Number of different attributes.
    pub attributes: usize,
    /// Number of classes.
    pub classes: usize,
    /// Probability that a link stays inside a class.
    pub homophily: f64,
    /// Probability that an attribute follows the class.
    pub signal: f64,
    /// Exponent of the degree distribution; 0 for equal expected degrees.
    pub power_law: f64,
    /// Seed of everything random.
    pub seed: u64,
}

impl Default for PlantedParams {
    fn default() -> Self {
        PlantedParams {
            nodes: 1000,
            degree: 20.0,
            attributes_per_node: 20.0,
            attributes: 1000,
            classes: 10,
            homophily: 0.7,
            signal: 0.5,
            power_law: 2.5,
            seed: 0,
        }
    }
}

impl PlantedParams {
    pub(super) fn check(&self) -> Result<(), EvalError> {
        let most = self.nodes.saturating_sub(1) as f64;
        let (nodes, classes, attributes) = (self.nodes, self.classes, self.attributes);
        let power_law = self.power_law;
        let bounds = [
            (
                "nodes",
                nodes as f64,
                (2..=u32::MAX as usize / 2).contains(&nodes),
                "between 2 and 2147483647",
            ),
            (
                "degree",
                self.degree,
                self.degree > 0.0 && self.degree <= most,
                "above 0 and below the number of nodes",
            ),
            (
                "attributes per node",
                self.attributes_per_node,
                (0.0..=1e6).contains(&self.attributes_per_node),
                "between 0 and 1000000",
            ),
            (
                "classes",
                classes as f64,
                classes > 0 && classes <= nodes.min(1 << 16),
                "between 1 and the number of nodes, and at most 65536",
            ),
            (
                "attributes",
                attributes as f64,
                attributes >= classes && attributes <= u32::MAX as usize / 2,
                "at least one for each class and at most 2147483647",
            ),
            (
                "power law",
                power_law,
                power_law == 0.0 || (power_law > 2.0 && power_law.is_finite()),
                "above 2, or 0 for equal degrees",
            ),
            ("homophily", self.homophily, (0.0..=1.0).contains(&self.homophily), "between 0 and 1"),
            ("signal", self.signal, (0.0..=1.0).contains(&self.signal), "between 0 and 1"),
        ];
        match bounds.into_iter().find(|bound| !bound.2) {
            Some((name, value, _, bound)) => Err(EvalError::Parameter { name, value, bound }),
            None => Ok(()),
        }
    }
}
