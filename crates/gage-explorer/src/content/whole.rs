//! A model and its data: what does not change while the page is open.

use std::sync::OnceLock;

use gage_embed::{Graph, Labels, Lambda, Model};

use super::clusters::Clusters;
use super::colours::{Colour, colourings};
use super::data::Data;
use super::describe::{About, describe_views};
use super::names::Names;
use crate::error::ExplorerError;
use crate::pool::unit_rows_at;

/// Up to this many nodes, all rows are compared for the neighbours of one.
pub(crate) const SCANNED: usize = 250_000;
/// Most nodes of a map: what one frame may hold.
const MOST_NODES: usize = 20_000_000;

/// What to explore beside the model.
#[derive(Debug, Default)]
pub struct ExplorerParams {
    /// Heading of the page.
    pub title: String,
    /// The data the model was fitted to: attributes and links of nodes are shown from them.
    pub graph: Option<Graph>,
    /// Classes in the order of the model's nodes; those of the data if there are none.
    pub labels: Option<Labels>,
    /// Where candidates and layout are kept for the next start, if anywhere.
    pub cache: Option<std::path::PathBuf>,
    /// Seed of everything random.
    pub seed: u64,
}

/// What does not change while the page is open.
pub(crate) struct Content {
    pub(crate) model: Model,
    pub(crate) shares: Vec<f64>,
    pub(crate) data: Option<Data>,
    pub(crate) labels: Option<Labels>,
    pub(crate) names: Names,
    title: String,
    seed: u64,
    clusters: OnceLock<Option<Clusters>>,
}

impl Content {
    pub(crate) fn new(model: Model, params: &mut ExplorerParams) -> Result<Content, ExplorerError> {
        let nodes = model.nodes().len();
        if nodes > MOST_NODES {
            return Err(ExplorerError::TooManyNodes { nodes, most: MOST_NODES });
        }
        let shares = model.shares(&Lambda::Preset)?;
        let graph = params.graph.take();
        let data = graph.map(|graph| Data::new(graph, model.nodes())).transpose()?;
        let own = || data.as_ref().and_then(Data::labels);
        let labels = params.labels.take().or_else(own);
        let names = Names::of(model.nodes());
        let (title, seed) = (std::mem::take(&mut params.title), params.seed);
        let clusters = OnceLock::new();
        Ok(Content { model, shares, data, labels, names, title, seed, clusters })
    }

    /// Clusters at the shares of the model, made when they are first wanted.
    fn clusters(&self) -> Option<&Clusters> {
        let find = || {
            let unit = unit_rows_at(&self.model, &self.shares).ok()?;
            let (labels, data) = (self.labels.as_ref(), self.data.as_ref());
            Clusters::find(&unit, self.model.nodes(), labels, data, self.seed)
        };
        self.clusters.get_or_init(find).as_ref()
    }

    /// Whether a share of the links can be chosen: there are views of both kinds.
    pub(crate) fn takes_lambda(&self) -> bool {
        let uses = |links: bool| self.model.views().iter().any(|view| view.uses_links == links);
        uses(true) && uses(false)
    }

    /// Colours that need nothing but their name.
    pub(crate) fn colour(&self, by: &str) -> Option<Colour> {
        match by {
            "label" => self.labels.as_ref().map(Colour::of_labels),
            "cluster" => self.clusters().map(Clusters::colour),
            "degree" => self.data.as_ref().map(Colour::of_degrees),
            _ => None,
        }
    }

    /// What the page needs to know at its start.
    pub(crate) fn about(&self) -> About {
        let model = &self.model;
        About {
            title: self.title.clone(),
            nodes: model.nodes().len(),
            columns: model.dimension(),
            preset: model.params().preset.name.clone(),
            relative_loss: model.info().relative_loss,
            views: describe_views(model),
            shares: self.shares.clone(),
            takes_lambda: self.takes_lambda(),
            has_data: self.data.is_some(),
            has_classes: self.labels.is_some(),
            colourings: colourings(self.labels.as_ref(), self.data.as_ref()),
            certificate: model.certificate().cloned(),
            exact: model.nodes().len() <= SCANNED,
        }
    }
}
