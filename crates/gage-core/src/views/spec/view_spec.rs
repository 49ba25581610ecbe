//! Specifications of views.

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
pub enum DirectedViews {
    /// As each view specification says (out-links by default).
    #[default]
    AsGiven,
    /// Out-links only.
    Out,
    /// In-links only.
    In,
    /// Two views for every view of directed links: out-links and in-links.
    Both,
}

/// Transform of the entries of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transform {
    /// Nothing.
    #[default]
    Raw,
    /// Every row divided by its Euclidean length.
    RowL2,
    /// Every row divided by the sum of its absolute values.
    RowL1,
    /// Columns weighted by `ln((1 + n) / (1 + df)) + 1`, then every row divided by its length.
    TfIdf,
    /// As [`Transform::TfIdf`] with the square roots of those weights.
    RootIdf,
    /// Every column divided by its standard deviation (centring removes the mean).
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

/// Smoothing over links: the matrix is multiplied by a polynomial of a normalised adjacency.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Propagate {
    /// Name of the block of links.
    pub block: String,
    /// Normalisation of the links: [`Transform::Symmetric`], [`Transform::RowStochastic`] or
    /// [`Transform::Raw`]. A symmetric normalisation of directed links uses `A + A^T`.
    pub transform: Transform,
    /// End of directed links.
    #[serde(default)]
    pub direction: Direction,
    /// Powers taken.
    pub steps: Steps,
}

/// A logarithm of every entry, and the size of the block that is made of them.
///
/// With the smoothed matrix `Z` and the means `m_j` of the absolute values of its columns over the
/// observed nodes, entries become `sign(z_ij) ln(1 + |z_ij| / m_j)`. A common attribute counts as
/// much as a rare one, and being reached twice as often no longer counts twice. This is not linear,
/// so the matrix is made, once: of at most `sampled` columns, reduced to the `kept` principal
/// directions of its rows. Both are bounds; up to `kept` columns nothing is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogAffinity {
    /// Columns of the source that are taken, at most, by a rule that knows only their positions.
    /// Fewer in graphs of more than 87,000 nodes, down to 256.
    pub sampled: usize,
    /// Columns of the view, at most.
    pub kept: usize,
}

impl Default for LogAffinity {
    fn default() -> Self {
        LogAffinity { sampled: 768, kept: 256 }
    }
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

/// Whether a number can weigh a view in the loss: only ratios of weights matter, and their squares
/// must not leave the range of single precision.
pub(crate) fn is_weight(number: f64) -> bool {
    number == 0.0 || (1e-12..=1e12).contains(&number)
}

/// One view: a block, its transform, and its weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViewSpec {
    /// Name of the view.
    pub name: String,
    /// Where its rows come from.
    pub source: Source,
    /// Transform of the source.
    #[serde(default)]
    pub transform: Transform,
    /// End of directed links, for a source that is links.
    #[serde(default)]
    pub direction: Direction,
    /// Smoothing over links.
    #[serde(rename = "smoothing", alias = "propagate")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub propagate: Option<Propagate>,
    /// The logarithm of every entry, after the smoothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_affinity: Option<LogAffinity>,
    /// Weight `w` of the view in the loss (its square multiplies the squared error).
    pub weight: f64,
    /// Share `lambda` of the view in the embedding; shares are divided by their sum.
    pub share: f64,
}

impl ViewSpec {
    /// The blocks it needs: that of its rows, and the links it is smoothed over.
    pub fn blocks(&self) -> impl Iterator<Item = &str> {
        let source = match &self.source {
            Source::Block(block) => Some(block.as_str()),
            Source::Identity => None,
        };
        source.into_iter().chain(self.propagate.as_ref().map(|over| over.block.as_str()))
    }

    /// A view of one block as it is, with weight and share 1.
    pub fn raw(block: &str) -> ViewSpec {
        ViewSpec {
            name: block.to_owned(),
            source: Source::Block(block.to_owned()),
            transform: Transform::Raw,
            direction: Direction::Out,
            propagate: None,
            log_affinity: None,
            weight: 1.0,
            share: 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_give_the_stated_polynomials() {
        assert_eq!(Steps::Power(2).coefficients(), [0.0, 0.0, 1.0]);
        assert_eq!(Steps::Mean(2).coefficients(), [0.0, 0.5, 0.5]);
        assert_eq!(Steps::Polynomial(vec![1.0, 3.0]).coefficients(), [1.0, 3.0]);
    }
}
