//! Views given by hand.

use serde::{Deserialize, Serialize};

use super::preset::{EmbeddingScale, Preset};
use super::view_spec::ViewSpec;

/// Everything a preset sets for one graph, as data: it can be written out, edited and given back.
///
/// ```
/// use gage_embed::views::ViewRecipe;
/// let text = r#"{"views": [{
///     "name": "words", "source": {"block": "attributes"}, "transform": "tf_idf",
///     "smoothing": {"block": "links", "transform": {"symmetric": {"self_loops": 1}},
///                   "steps": {"power": 2}},
///     "weight": 1.0, "share": 1.0
/// }]}"#;
/// let recipe: ViewRecipe = serde_json::from_str(text)?;
/// assert!(recipe.balance && recipe.views[0].propagate.is_some());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViewRecipe {
    /// Whether every view is divided by the norm of its Gram matrix. Weights and shares are then
    /// comparable between views.
    #[serde(default = "balanced")]
    pub balance: bool,
    /// Scale of the embedding.
    #[serde(default = "scale")]
    pub scale: EmbeddingScale,
    /// The views, in their order. All blocks they name must be there.
    pub views: Vec<ViewSpec>,
}

fn balanced() -> bool {
    true
}

/// The scale of the presets `auto` and `balanced`.
fn scale() -> EmbeddingScale {
    EmbeddingScale::Entries(0.25)
}

impl ViewRecipe {
    /// Views given by hand, with the defaults for everything else.
    pub fn new(views: Vec<ViewSpec>) -> ViewRecipe {
        ViewRecipe { balance: balanced(), scale: scale(), views }
    }

    /// What this means as a preset without views of its own.
    pub(crate) fn preset(&self) -> Preset {
        Preset {
            name: "recipe".to_owned(),
            description: "Views given by hand.".to_owned(),
            views: Vec::new(),
            further_links: None,
            further_attributes: None,
            balance: self.balance,
            scale: self.scale,
            selection: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_those_of_the_preset_balanced() {
        let balanced = Preset::named("balanced").unwrap();
        let recipe = ViewRecipe::new(Vec::new());
        assert_eq!((recipe.balance, recipe.scale), (balanced.balance, balanced.scale));
    }
}
