//! What a preset selected for a graph, and why.

use serde::{Deserialize, Serialize};

use super::graph_statistics::GraphStatistics;

/// One candidate that was scored on hidden links.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Name, weight and share of every view.
    pub views: Vec<(String, f64, f64)>,
    /// Area under the ROC curve on the hidden links.
    pub auc: f64,
    /// Average precision on the hidden links.
    pub average_precision: f64,
}

/// The evidence for a selection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Selection {
    /// The reasons in one line.
    #[serde(rename = "saw")]
    pub rationale: String,
    /// The statistics it rests on, if any.
    #[serde(rename = "facts", default, skip_serializing_if = "Option::is_none")]
    pub statistics: Option<GraphStatistics>,
    /// The candidates that were scored, if any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trials: Vec<Trial>,
}
