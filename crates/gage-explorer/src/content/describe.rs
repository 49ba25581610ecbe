//! The model as a whole, for the page.

use gage_embed::Model;
use gage_embed::model::{Certificate, FittedView};
use serde::Serialize;

use super::colours::Colouring;

/// What the page needs to know at its start.
#[derive(Debug, Serialize)]
pub(crate) struct About {
    pub(crate) title: String,
    pub(crate) nodes: usize,
    pub(crate) columns: usize,
    pub(crate) preset: String,
    pub(crate) relative_loss: f64,
    pub(crate) views: Vec<AboutView>,
    /// shares the model was fitted with
    pub(crate) shares: Vec<f64>,
    /// whether one number, the share of the links, says all shares or moves them
    pub(crate) takes_lambda: bool,
    pub(crate) has_data: bool,
    pub(crate) has_classes: bool,
    pub(crate) colourings: Vec<Colouring>,
    pub(crate) certificate: Option<Certificate>,
    /// whether neighbours are found among all nodes
    pub(crate) exact: bool,
}

/// A view of the model.
#[derive(Debug, Serialize)]
pub(crate) struct AboutView {
    pub(crate) name: String,
    pub(crate) uses_links: bool,
    pub(crate) loss: f64,
    pub(crate) observed: usize,
}

pub(crate) fn describe_views(model: &Model) -> Vec<AboutView> {
    let describe = |view: &FittedView| AboutView {
        name: view.name.clone(),
        uses_links: view.uses_links,
        loss: view.relative_loss,
        observed: view.observed,
    };
    model.views().iter().map(describe).collect()
}
