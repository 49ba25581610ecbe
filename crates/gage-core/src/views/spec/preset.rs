//! Presets: named sets of views.

use serde::{Deserialize, Serialize};

use super::view_spec::ViewSpec;

/// Scale of the embedding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EmbeddingScale {
    /// `E(lambda)` as it is: squared distances are those of the model.
    Distances,
    /// `E(lambda)` scaled to mean squared entry 1, which suits classifiers with a fixed penalty.
    #[default]
    Unit,
    /// `E(lambda)` scaled to this mean squared entry. Classifiers penalise smaller entries more.
    Entries(f64),
    /// Every row of `E(lambda)` scaled to one length, so that this is the mean squared entry.
    /// Cosines are those of the model, distances no longer. Rows of zeros stay.
    Rows(f64),
}

impl EmbeddingScale {
    /// The prescribed mean squared entry, if any.
    pub fn mean_square(self) -> Option<f64> {
        match self {
            EmbeddingScale::Distances => None,
            EmbeddingScale::Unit => Some(1.0),
            EmbeddingScale::Entries(mean) | EmbeddingScale::Rows(mean) => Some(mean),
        }
    }

    /// The length that every row of so many columns gets, if all get the same.
    pub fn row_length(self, columns: usize) -> Option<f64> {
        match self {
            EmbeddingScale::Rows(mean) => Some((mean * columns as f64).sqrt()),
            _ => None,
        }
    }
}

/// How a preset selects its views for a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SelectionRule {
    /// By a rule on graph statistics.
    #[serde(alias = "walks")]
    Auto,
    /// By the prediction of hidden links.
    Links,
}

/// A named set of views with weights and shares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preset {
    /// Name.
    pub name: String,
    /// Its purpose in one sentence.
    pub description: String,
    /// The views; those whose block a graph does not have are left out.
    pub views: Vec<ViewSpec>,
    /// Pattern for further blocks of links; name and source are filled in. `None` leaves them out.
    #[serde(default)]
    pub further_links: Option<ViewSpec>,
    /// Pattern for further blocks of attributes.
    #[serde(default)]
    pub further_attributes: Option<ViewSpec>,
    /// Whether every view is divided by the norm of its Gram matrix. Weights and shares are then
    /// comparable between views.
    pub balance: bool,
    /// Scale of the embedding.
    pub scale: EmbeddingScale,
    /// How the views are selected for a graph; `views` is then empty.
    #[serde(rename = "choose", default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<SelectionRule>,
}

impl Preset {
    /// All presets that come with the library.
    pub fn all() -> Vec<Preset> {
        // The file is compiled in and checked by a test, so the default is never taken.
        serde_json::from_str(include_str!("presets.json")).unwrap_or_default()
    }

    /// The preset of that name.
    pub fn named(name: &str) -> Option<Preset> {
        Preset::all().into_iter().find(|preset| preset.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::spec::Transform;

    #[test]
    fn shipped_presets_are_readable_and_complete() {
        let presets: Vec<Preset> = serde_json::from_str(include_str!("presets.json")).unwrap();
        let names: Vec<&str> = presets.iter().map(|preset| preset.name.as_str()).collect();
        assert_eq!(names, ["auto", "paper", "balanced", "links", "walks"]);
        let paper = Preset::named("paper").unwrap();
        assert!(!paper.balance);
        assert!(paper.views.iter().all(|view| view.transform == Transform::Raw));
        assert_eq!(paper.views.iter().map(|view| view.share).collect::<Vec<_>>(), [0.8, 0.2]);
    }
}
