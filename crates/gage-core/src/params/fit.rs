//! Parameters of a fit, and their checked form.

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::views::{DirectedViews, EmbeddingScale, Preset, ViewSpec, is_weight};
use gage_linalg::Precision;

use super::basis::BasisParams;
use super::certificate::CertificateParams;
use super::only::Only;
use super::refine::RefineParams;

/// How many columns the embedding gets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dimension {
    /// This many.
    Fixed(usize),
    /// The fewest that keep this share of the energy `sum_k w_k^2 ||X_k||^2`, up to a largest
    /// number.
    Energy {
        /// share to keep, in (0, 1)
        share: f64,
        /// largest number of columns
        most: usize,
    },
    /// The fewest that reproduce the squared distances of every view with at most this relative
    /// error, up to a largest number.
    DistanceError {
        /// relative error, in (0, 1)
        error: f64,
        /// largest number of columns
        most: usize,
    },
}

impl Dimension {
    /// Columns of a fit that was given no number, if there are as many nodes.
    pub const DEFAULT_COLUMNS: usize = 128;
    /// Share of the energy that is kept where none is given.
    pub const DEFAULT_ENERGY: f64 = 0.9;
    /// Most columns of a choice by energy; the cost of a fit grows with it.
    pub const MOST_BY_ENERGY: usize = 256;

    /// The default number of columns for a graph of so many nodes.
    pub fn default_for(nodes: usize) -> Dimension {
        Dimension::Fixed(nodes.min(Dimension::DEFAULT_COLUMNS))
    }

    /// The fewest columns that keep this share of the energy of a graph of so many nodes.
    pub fn by_energy(share: f64, nodes: usize) -> Dimension {
        Dimension::Energy { share, most: nodes.min(Dimension::MOST_BY_ENERGY) }
    }

    /// The largest number of columns this choice may lead to.
    pub fn most(self) -> usize {
        match self {
            Dimension::Fixed(columns) => columns,
            Dimension::Energy { most, .. } | Dimension::DistanceError { most, .. } => most,
        }
    }
}

/// All parameters of a fit. Start from [`FitParams::default`] or [`FitParams::preset`] and
/// change fields.
///
/// ```
/// use gage_embed::{Dimension, FitParams};
/// let paper = FitParams::preset("paper")?;
/// let params = FitParams { dimension: Dimension::Fixed(64), seed: 7, ..paper };
/// assert!(!params.preset.balance);
/// # Ok::<(), gage_embed::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FitParams {
    /// Views, balancing and scale; every field of it may be changed.
    pub preset: Preset,
    /// Views given by hand instead of the preset's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub views: Option<Vec<ViewSpec>>,
    /// The only part of the graph the fit may see, if not all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<Only>,
    /// How directed links become views.
    pub directed: DirectedViews,
    /// Loss weights, one per view, instead of those of the views.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<Vec<f64>>,
    /// Columns of the embedding.
    pub dimension: Dimension,
    /// Number type of tall data.
    pub precision: Precision,
    /// Seed of everything random.
    pub seed: u64,
    /// How the basis is found.
    pub basis: BasisParams,
    /// At most this many sweeps of least squares on the core tensor.
    pub core_sweeps: usize,
    /// Refinement at full size, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refine: Option<RefineParams>,
    /// Strength of the prior that holds rows of nodes that lack a view, relative to the residual of
    /// the fit as noise.
    pub missing_ridge: f64,
    /// Rounds of re-estimating single missing entries (NaN in dense blocks).
    pub impute_rounds: usize,
    /// Whether to keep the tables that new nodes need.
    pub loadings: bool,
    /// Certificate, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<CertificateParams>,
}

impl Default for FitParams {
    /// The preset `auto` with 128 columns.
    fn default() -> Self {
        let fallback = Preset {
            name: "links and attributes".to_owned(),
            description: String::new(),
            views: Vec::new(),
            further_links: Some(ViewSpec::raw("")),
            further_attributes: Some(ViewSpec::raw("")),
            balance: true,
            scale: EmbeddingScale::Unit,
            selection: None,
        };
        FitParams {
            preset: Preset::named("auto").unwrap_or(fallback),
            views: None,
            only: None,
            directed: DirectedViews::AsGiven,
            weights: None,
            dimension: Dimension::Fixed(Dimension::DEFAULT_COLUMNS),
            precision: Precision::F32,
            seed: 0,
            basis: BasisParams::default(),
            core_sweeps: 20,
            refine: None,
            missing_ridge: 0.1,
            impute_rounds: 4,
            loadings: true,
            certificate: None,
        }
    }
}

impl FitParams {
    /// The columns that views are multiplied by, at most, if Gram matrices of few nodes may be
    /// formed: they are kept in single precision, and a direct basis does not multiply by them.
    pub(crate) fn explicit_gram_columns(&self, nodes: usize) -> Option<f64> {
        let width = self.basis.width(self.dimension.most().min(nodes), nodes);
        let columns = width as f64 * (1 + self.basis.max_iterations) as f64;
        (self.precision == Precision::F32 && !self.basis.is_direct(nodes)).then_some(columns)
    }

    /// The same, but the basis is iterated until this tolerance is reached, even if that takes 30
    /// iterations.
    #[must_use]
    pub fn until(mut self, tolerance: f64) -> FitParams {
        self.basis.tolerance = tolerance;
        self.basis.max_iterations = 30;
        self
    }

    /// The defaults with the preset of that name.
    pub fn preset(name: &str) -> Result<FitParams, Error> {
        let preset = Preset::named(name).ok_or_else(|| {
            let known: Vec<String> = Preset::all().into_iter().map(|preset| preset.name).collect();
            Error::UnknownPreset { name: name.to_owned(), known: known.join(", ") }
        })?;
        Ok(FitParams { preset, ..FitParams::default() })
    }

    /// Checks everything that can be checked without data.
    pub fn check(self) -> Result<CheckedParams, Error> {
        let bad = |name, value: &dyn std::fmt::Display, bound| {
            Err(Error::Parameter { name, value: value.to_string(), bound })
        };
        let share = |x: f64| x > 0.0 && x < 1.0;
        match self.dimension {
            Dimension::Energy { share: value, .. } if !share(value) => {
                return bad("dimension.energy.share", &value, "between 0 and 1, both excluded");
            }
            Dimension::DistanceError { error, .. } if !share(error) => {
                return bad(
                    "dimension.distance_error.error",
                    &error,
                    "between 0 and 1, both excluded",
                );
            }
            _ => {}
        }
        if !(self.basis.oversampling >= 1.0 && self.basis.oversampling <= 100.0) {
            return bad("basis.oversampling", &self.basis.oversampling, "between 1 and 100");
        }
        let tolerances = [
            ("basis.tolerance", self.basis.tolerance),
            ("refine.tolerance", self.refine.map_or(0.0, |refine| refine.tolerance)),
            ("missing_ridge", self.missing_ridge),
        ];
        for (name, value) in tolerances {
            if !(value.is_finite() && value >= 0.0) {
                return bad(name, &value, "a finite number of at least 0");
            }
        }
        if let Some(weights) = &self.weights
            && let Some(value) = weights.iter().find(|weight| !is_weight(**weight))
        {
            return bad("weights", value, "0 or a number from 1e-12 to 1e12, one per view");
        }
        if let Some(mean) = self.preset.scale.mean_square()
            && !(mean.is_finite() && mean > 0.0)
        {
            return bad("preset.scale", &mean, "a finite number above 0");
        }
        Ok(CheckedParams(self))
    }
}

/// Parameters that passed [`FitParams::check`]; only these can run.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedParams(FitParams);

impl std::ops::Deref for CheckedParams {
    type Target = FitParams;
    fn deref(&self) -> &FitParams {
        &self.0
    }
}
