//! What a preset that looks at the graph chose, and why.

use serde::{Deserialize, Serialize};

use super::graph_statistics::Facts;

/// One choice of shares that was tried on hidden links.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Name, weight and share of every view.
    pub views: Vec<(String, f64, f64)>,
    /// Area under the ROC curve on the hidden links.
    pub auc: f64,
    /// Average precision on the hidden links.
    pub average_precision: f64,
}

/// What was seen, and what followed from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// In one line.
    pub saw: String,
    /// Measured facts, if the choice rests on them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facts: Option<Facts>,
    /// Everything that was tried, if the choice rests on trials.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trials: Vec<Trial>,
}
