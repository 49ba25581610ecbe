//! The model as a whole, for the page.

use gage_embed::model::{Certificate, FittedView};
use gage_embed::{Model, Nodes};
use serde::Serialize;

use super::colours::Colouring;
use super::export::parquet;

/// What the page needs to know at its start.
#[derive(Debug, Serialize)]
pub(crate) struct About {
    pub(crate) title: String,
    pub(crate) nodes: usize,
    pub(crate) columns: usize,
    pub(crate) preset: Option<String>,
    pub(crate) relative_loss: Option<f64>,
    pub(crate) views: Vec<AboutView>,
    /// shares the model was fitted with
    pub(crate) shares: Vec<f64>,
    /// whether one number, the share of the links, says all shares or moves them
    pub(crate) takes_lambda: bool,
    pub(crate) has_data: bool,
    pub(crate) has_classes: bool,
    pub(crate) colourings: Vec<Colouring>,
    pub(crate) certificate: Option<Certificate>,
    /// shares at which there are layouts between which the map is mixed; none if it moves by itself
    pub(crate) anchors: Vec<Vec<f64>>,
    /// formats of exported selections
    pub(crate) formats: Vec<&'static str>,
    /// whether the neighbours of a node can be told
    pub(crate) has_neighbours: bool,
    /// whether neighbours are found among all nodes
    pub(crate) exact: bool,
}

/// A view of the model.
#[derive(Debug, Serialize)]
pub(crate) struct AboutView {
    pub(crate) name: String,
    pub(crate) uses_links: bool,
    pub(crate) loss: Option<f64>,
    pub(crate) observed: usize,
}

/// Formats that this build exports selections in.
pub(crate) fn export_formats() -> Vec<&'static str> {
    let has_parquet = parquet(&[], &Nodes::numbered(0)).is_some();
    if has_parquet { vec!["csv", "parquet"] } else { vec!["csv"] }
}

pub(crate) fn describe_views(model: &Model) -> Vec<AboutView> {
    let describe = |view: &FittedView| AboutView {
        name: view.name.clone(),
        uses_links: view.uses_links,
        loss: Some(view.relative_loss),
        observed: view.observed,
    };
    model.views().iter().map(describe).collect()
}
