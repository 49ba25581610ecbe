//! Results of the demo.

use std::path::PathBuf;

use gage_embed::eval::Spread;
use gage_embed::model::Certificate;
use serde::Serialize;

/// What `--json` prints.
#[derive(Serialize)]
pub(super) struct DemoReport {
    #[serde(skip)]
    pub(super) outputs: Vec<String>,
    pub(super) page: PathBuf,
    pub(super) model: PathBuf,
    pub(super) data: PathBuf,
    /// columns of the embedding
    pub(super) dimension: usize,
    /// passes over the data
    pub(super) passes: usize,
    pub(super) total_seconds: f64,
    #[serde(flatten)]
    pub(super) findings: Findings,
}

/// All results.
#[derive(Serialize)]
pub(super) struct Findings {
    pub(super) sizes: Sizes,
    pub(super) seconds: Seconds,
    pub(super) certificate: Certificate,
    /// Score of always answering the largest section.
    pub(super) chance: f64,
    pub(super) scores: Vec<Score>,
    pub(super) stories: Vec<Story>,
}

/// A way to look at the one fitted model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Look {
    /// Share of the links.
    pub(super) lambda: f64,
    /// In words.
    pub(super) name: &'static str,
}

/// The three ways the demo looks at its model.
pub(super) const LOOKS: [Look; 3] = [
    Look { lambda: 1.0, name: "by links" },
    Look { lambda: 0.5, name: "both" },
    Look { lambda: 0.0, name: "by words" },
];

/// Counts of the data.
#[derive(Serialize)]
pub(super) struct Sizes {
    /// Packages.
    pub(super) nodes: usize,
    /// Pairs of packages with a link.
    pub(super) links: usize,
    /// Words.
    pub(super) words: usize,
    /// Pairs of a package and a word of its description.
    pub(super) word_uses: usize,
    /// Sections.
    pub(super) sections: usize,
}

/// Seconds each part took.
#[derive(Serialize)]
pub(super) struct Seconds {
    /// Fitting the model.
    pub(super) fit: f64,
    /// Checking it.
    pub(super) certify: f64,
    /// Training and testing classifiers.
    pub(super) classify: f64,
    /// Similar packages and maps.
    pub(super) map: f64,
}

/// How well sections are distinguished from one embedding, at one share of training packages.
#[derive(Serialize)]
pub(super) struct Score {
    /// Which embedding.
    pub(super) embedding: &'static str,
    /// Share of the links in it, for the model of both views.
    pub(super) lambda: Option<f64>,
    /// Share of packages trained on.
    pub(super) train: f64,
    /// Share of right answers.
    pub(super) micro_f1: Spread,
    /// Mean over sections.
    pub(super) macro_f1: Spread,
}

/// Similar packages of one package.
#[derive(Serialize)]
pub(super) struct Story {
    /// The package.
    pub(super) package: String,
    /// Its section.
    pub(super) section: String,
    /// Most similar packages with their cosines, one list for each look.
    pub(super) similar: Vec<Vec<(String, f64)>>,
}
