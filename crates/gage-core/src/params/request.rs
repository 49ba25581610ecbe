//! What a front end requests of a fit before the graph is known.

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::views::{DirectedViews, ViewRecipe};
use gage_linalg::Precision;

use super::certificate::CertificateParams;
use super::fit::{Dimension, FitParams};
use super::only::Only;
use super::refine::RefineParams;

/// A number of columns, or how to choose it once the number of nodes is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Columns {
    /// [`Dimension::DEFAULT_COLUMNS`], or as many as there are nodes.
    #[default]
    Default,
    /// This many.
    Fixed(usize),
    /// The fewest that keep this share of the energy.
    Energy(f64),
}

impl Columns {
    /// The dimension for a graph with this many nodes.
    pub fn dimension(self, nodes: usize) -> Dimension {
        match self {
            Columns::Default => Dimension::default_for(nodes),
            Columns::Fixed(columns) => Dimension::Fixed(columns),
            Columns::Energy(share) => Dimension::by_energy(share, nodes),
        }
    }
}

/// A fit as a user requests it. Every front end fills this in and leaves the rest to
/// [`FitRequest::params`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FitRequest {
    /// Name of the preset; without effect beside a recipe.
    pub preset: String,
    /// Columns of the embedding.
    pub columns: Columns,
    /// How directed links become views.
    pub directed: DirectedViews,
    /// Loss weights, one per view, instead of those of the preset.
    pub weights: Option<Vec<f64>>,
    /// Views given by hand, instead of a preset.
    pub recipe: Option<ViewRecipe>,
    /// The only part of the graph the fit may see, if not all of it.
    pub only: Option<Only>,
    /// Number type of tall data.
    pub precision: Precision,
    /// Seed of everything random.
    pub seed: u64,
    /// Iterate until this tolerance instead of the default number of iterations.
    pub tolerance: Option<f64>,
    /// Whether to refine at full size.
    pub refine: bool,
    /// Whether to make a certificate.
    pub certify: bool,
    /// Whether to keep the tables that new nodes need.
    pub loadings: bool,
}

impl Default for FitRequest {
    /// The preset `auto` with the columns of [`Columns::Default`].
    fn default() -> Self {
        FitRequest {
            preset: "auto".to_owned(),
            columns: Columns::Default,
            directed: DirectedViews::AsGiven,
            weights: None,
            recipe: None,
            only: None,
            precision: Precision::default(),
            seed: 0,
            tolerance: None,
            refine: false,
            certify: false,
            loadings: true,
        }
    }
}

impl FitRequest {
    /// The parameters for a graph with this many nodes.
    pub fn params(self, nodes: usize) -> Result<FitParams, Error> {
        let seed = self.seed;
        let of_preset = match &self.recipe {
            Some(recipe) => FitParams { preset: recipe.preset(), ..FitParams::default() },
            None => FitParams::preset(&self.preset)?,
        };
        let params = FitParams {
            views: self.recipe.map(|recipe| recipe.views),
            only: self.only,
            directed: self.directed,
            weights: self.weights,
            dimension: self.columns.dimension(nodes),
            precision: self.precision,
            seed,
            refine: self.refine.then(RefineParams::default),
            certificate: self.certify.then(|| CertificateParams { seed, ..Default::default() }),
            loadings: self.loadings,
            ..of_preset
        };
        Ok(match self.tolerance {
            Some(tolerance) => params.until(tolerance),
            None => params,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_chosen_for_the_user_never_exceed_the_nodes() {
        assert_eq!(Columns::Default.dimension(40), Dimension::Fixed(40));
        assert_eq!(Columns::Default.dimension(4000), Dimension::Fixed(128));
        assert_eq!(Columns::Fixed(64).dimension(40), Dimension::Fixed(64));
        let energy = Columns::Energy(0.5).dimension(100);
        assert_eq!(energy, Dimension::Energy { share: 0.5, most: 100 });
    }

    #[test]
    fn a_request_in_json_names_only_what_differs_from_the_defaults() {
        let request: FitRequest = serde_json::from_str(r#"{"columns": {"fixed": 7}}"#).unwrap();
        assert_eq!(request, FitRequest { columns: Columns::Fixed(7), ..Default::default() });
        assert!(serde_json::from_str::<FitRequest>(r#"{"colums": 7}"#).is_err());
        assert_eq!(FitRequest::default().params(500).unwrap(), FitParams::default());
    }
}
