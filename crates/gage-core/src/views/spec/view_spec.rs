//! Views and presets as data.

use serde::{Deserialize, Serialize};

/// Which end of a directed link describes a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// A node is described by the nodes it links to (rows of the adjacency).
    #[default]
    Out,
    /// A node is described by the nodes that link to it (columns of the adjacency).
    In,
}

/// How directed links become views.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Directed {
    /// As each view specification says (out-links unless it says otherwise).
    #[default]
    AsGiven,
    /// Out-links only.
    Out,
    /// In-links only.
    In,
    /// Two views for every view of directed links: out-links and in-links.
    Both,
}

/// What is done to the numbers of a block before its geometry is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transform {
    /// Nothing.
    #[default]
    Raw,
    /// Every row divided by its Euclidean length.
    RowL2,
    /// Columns weighted by `ln((1 + n) / (1 + df)) + 1`, then every row divided by its length.
    TfIdf,
    /// As [`Transform::TfIdf`] with the square roots of those weights: rare columns count more, but not as much more.
    RootIdf,
    /// Every column divided by its standard deviation (the mean goes with the centring).
    Standardised,
    /// Links only: `D^-1/2 (A + s I) D^-1/2` with self-loops of weight `s`.
    Symmetric {
        /// weight of the self-loops
        #[serde(default)]
        self_loops: f64,
    },
    /// Links only: `D^-1 (A + s I)`, every row sums to one.
    RowStochastic {
        /// weight of the self-loops
        #[serde(default)]
        self_loops: f64,
    },
}

/// Which powers of the propagation matrix `P` are taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Steps {
    /// `P^m`.
    Power(usize),
    /// `(P + P^2 + ... + P^m) / m`.
    Mean(usize),
    /// `sum_t a_t P^t`, starting with `a_0`.
    Polynomial(Vec<f64>),
}

impl Steps {
    /// The coefficients `a_0, a_1, ...`.
    pub fn coefficients(&self) -> Vec<f64> {
        match self {
            Steps::Power(m) => (0..=*m).map(|t| f64::from(u8::from(t == *m))).collect(),
            Steps::Mean(0) => vec![1.0],
            Steps::Mean(m) => {
                (0..=*m).map(|t| if t == 0 { 0.0 } else { 1.0 / *m as f64 }).collect()
            }
            Steps::Polynomial(coefficients) => coefficients.clone(),
        }
    }
}

/// Smoothing over links: the view's matrix is multiplied by a polynomial of a normalised adjacency.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Propagate {
    /// Name of the block of links.
    pub block: String,
    /// Normalisation of the links: [`Transform::Symmetric`], [`Transform::RowStochastic`] or [`Transform::Raw`].
    /// A symmetric normalisation of directed links uses `A + A^T`.
    pub transform: Transform,
    /// End of directed links.
    #[serde(default)]
    pub direction: Direction,
    /// Powers taken.
    pub steps: Steps,
}

/// What the rows of a view are made from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A block of the graph.
    Block(String),
    /// The identity: with [`ViewSpec::propagate`] this gives powers of the adjacency.
    Identity,
}

/// One view: a block, what is done to it, and what it counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViewSpec {
    /// Name of the view.
    pub name: String,
    /// Where its rows come from.
    pub source: Source,
    /// What is done to the source.
    #[serde(default)]
    pub transform: Transform,
    /// End of directed links, for a source that is links.
    #[serde(default)]
    pub direction: Direction,
    /// Smoothing over links.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub propagate: Option<Propagate>,
    /// Weight `w` of the view in the loss (its square multiplies the squared error).
    pub weight: f64,
    /// Share `lambda` of the view in the embedding; shares are divided by their sum.
    pub share: f64,
}

impl ViewSpec {
    /// A view of one block as it is, with weight and share 1.
    pub fn raw(block: &str) -> ViewSpec {
        ViewSpec {
            name: block.to_owned(),
            source: Source::Block(block.to_owned()),
            transform: Transform::Raw,
            direction: Direction::Out,
            propagate: None,
            weight: 1.0,
            share: 1.0,
        }
    }
}

/// Scale of the embedding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EmbeddingScale {
    /// `E(lambda)` as it is: squared distances are those of the model.
    Distances,
    /// `E(lambda)` times one number that makes the mean squared entry 1, which suits classifiers with a fixed penalty.
    #[default]
    Unit,
    /// `E(lambda)` times one number that makes the mean squared entry this. Smaller entries are penalised more.
    Entries(f64),
}

impl EmbeddingScale {
    /// The mean squared entry it asks for, if any.
    pub fn mean_square(self) -> Option<f64> {
        match self {
            EmbeddingScale::Distances => None,
            EmbeddingScale::Unit => Some(1.0),
            EmbeddingScale::Entries(mean) => Some(mean),
        }
    }
}

/// How a preset chooses its views when it sees the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Choose {
    /// By a rule from measured facts.
    Auto,
    /// By what best predicts hidden links.
    Links,
}

/// A named choice of views, weights and shares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preset {
    /// Name.
    pub name: String,
    /// What it is for, in a sentence.
    pub description: String,
    /// The views; those whose block a graph does not have are left out.
    pub views: Vec<ViewSpec>,
    /// Pattern for further blocks of links (name and source are filled in); without one they are left out.
    #[serde(default)]
    pub further_links: Option<ViewSpec>,
    /// Pattern for further blocks of attributes.
    #[serde(default)]
    pub further_attributes: Option<ViewSpec>,
    /// Whether every view is divided by the norm of its Gram matrix, so that weights and shares compare like with like.
    pub balance: bool,
    /// Scale of the embedding.
    pub scale: EmbeddingScale,
    /// Whether the views are chosen when the graph is seen; `views` is then empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choose: Option<Choose>,
}

impl Preset {
    /// All presets that come with the library.
    pub fn all() -> Vec<Preset> {
        // The file is part of the library and read by a test; a broken one gives an empty list, not a panic.
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

    #[test]
    fn shipped_presets_are_readable_and_complete() {
        let presets: Vec<Preset> = serde_json::from_str(include_str!("presets.json")).unwrap();
        let names: Vec<&str> = presets.iter().map(|preset| preset.name.as_str()).collect();
        assert_eq!(names, ["auto", "paper", "balanced", "links"]);
        let paper = Preset::named("paper").unwrap();
        assert!(!paper.balance);
        assert!(paper.views.iter().all(|view| view.transform == Transform::Raw));
        assert_eq!(paper.views.iter().map(|view| view.share).collect::<Vec<_>>(), [0.8, 0.2]);
    }

    #[test]
    fn steps_give_the_stated_polynomials() {
        assert_eq!(Steps::Power(2).coefficients(), [0.0, 0.0, 1.0]);
        assert_eq!(Steps::Mean(2).coefficients(), [0.0, 0.5, 0.5]);
        assert_eq!(Steps::Polynomial(vec![1.0, 3.0]).coefficients(), [1.0, 3.0]);
    }
}
