//! What a view keeps so that rows of new nodes are transformed like the fitted rows.

use serde::{Deserialize, Serialize};

use super::columns::Diagonal;
use crate::views::spec::{Direction, Transform};

/// The transform of rows of new nodes: that of the fitted rows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Recipe {
    pub(crate) block: Option<String>,
    pub(crate) direction: Direction,
    pub(crate) transform: Transform,
    /// Numbers are divided by this before anything else; 1 unless they are extremely large or
    /// small.
    pub(crate) scale: f64,
    /// Column factors (idf, inverse standard deviation, inverse scale).
    #[serde(skip)]
    pub(crate) right: Diagonal,
    /// Column means that were subtracted from dense rows.
    #[serde(skip)]
    pub(crate) shift: Diagonal,
    pub(crate) propagation: Option<PropagationRecipe>,
    /// Whether the view is the logarithm of its entries, which rows of new nodes can only follow on
    /// average.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) logarithm: bool,
}

impl Recipe {
    /// The blocks of the graph that a row is made of.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &str> {
        let smoothing = self.propagation.as_ref().map(|propagation| propagation.block.as_str());
        self.block.as_deref().into_iter().chain(smoothing)
    }
}

/// The propagation part of a [`Recipe`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PropagationRecipe {
    pub(crate) block: String,
    pub(crate) direction: Direction,
    pub(crate) transform: Transform,
    pub(crate) coefficients: Vec<f64>,
    /// `1 / sqrt(degree)` of the fitted nodes, for a symmetric normalisation.
    #[serde(skip)]
    pub(crate) node_factors: Diagonal,
}
