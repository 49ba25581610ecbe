//! A model and its data: what does not change while the page is open.

use std::sync::OnceLock;

use gage_embed::model::node_losses;
use gage_embed::{Graph, Labels, Lambda, Model, NoObserver};

use super::clusters::Clusters;
use super::colours::{Colour, colourings};
use super::data::Data;
use super::describe::{About, describe_views, export_formats};
use super::names::Names;
use crate::error::ExplorerError;
use crate::map::layout_anchors;
use crate::pool::unit_rows_at;

/// Up to this many nodes, all rows are compared for the neighbours of one.
pub(crate) const SCANNED: usize = 250_000;
/// Up to this many nodes, the map moves to other shares by itself; beyond, it is mixed.
const MOVED: usize = 100_000;
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
    /// HTML below a page that is one file; names in it must be escaped.
    pub story: String,
    /// Where candidates and layout are kept for the next start, if anywhere.
    pub cache: Option<std::path::PathBuf>,
    /// A number for every node, and what it means, to colour by; not a number where there is none.
    pub scale: Option<(String, Vec<f32>)>,
    /// Threads of its own, 0 for as many as there are processors; those of the process if `None`.
    pub threads: Option<usize>,
    /// Seed of everything random.
    pub seed: u64,
}

/// What does not change while the page is open.
pub(crate) struct Content {
    pub(crate) model: Model,
    pub(crate) shares: Vec<f64>,
    pub(crate) data: Option<Data>,
    pub(crate) labels: Option<Labels>,
    pub(crate) scale: Option<(String, Vec<f32>)>,
    pub(crate) names: Names,
    title: String,
    seed: u64,
    clusters: OnceLock<Option<Clusters>>,
    losses: OnceLock<Option<Vec<f32>>>,
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
        let scale = params.scale.take();
        let given = [labels.as_ref().map(Labels::len), scale.as_ref().map(|own| own.1.len())];
        if let Some(found) = given.into_iter().flatten().find(|&found| found != nodes) {
            return Err(ExplorerError::OtherNodes { found, expected: nodes });
        }
        let names = Names::of(model.nodes());
        let (title, seed) = (std::mem::take(&mut params.title), params.seed);
        let (clusters, losses) = (OnceLock::new(), OnceLock::new());
        Ok(Content { model, shares, data, labels, scale, names, title, seed, clusters, losses })
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

    /// The loss of every node, measured when it is first wanted. Nothing if the data are not what
    /// the model was fitted to.
    fn losses(&self) -> Option<&[f32]> {
        let measure = || {
            let graph = self.data.as_ref()?.in_order_of(self.model.nodes())?;
            let losses = node_losses(&self.model, &graph, self.seed, &NoObserver).ok()?;
            Some(losses.into_iter().map(|loss| loss as f32).collect())
        };
        self.losses.get_or_init(measure).as_deref()
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
            "scale" => self.scale.as_ref().map(|(_, values)| Colour::Numbers(values.clone())),
            "loss" => self.losses().map(|losses| Colour::Numbers(losses.to_vec())),
            "degree" => self.data.as_ref().map(Colour::of_degrees),
            _ => None,
        }
    }

    /// The shares at which there are layouts between which the page mixes; none for a map that
    /// moves by itself.
    pub(crate) fn map_anchors(&self) -> Vec<Vec<f64>> {
        match self.model.nodes().len() > MOVED {
            true => layout_anchors(&self.model, &self.shares),
            false => Vec::new(),
        }
    }

    /// What the page needs to know at its start.
    pub(crate) fn about(&self) -> About {
        let model = &self.model;
        let scale = self.scale.as_ref().map(|(title, _)| title.as_str());
        let (labels, data) = (self.labels.as_ref(), self.data.as_ref());
        let loss = data.is_some_and(|data| data.has_the_nodes_of(model.nodes()));
        About {
            title: self.title.clone(),
            nodes: model.nodes().len(),
            columns: model.dimension(),
            preset: Some(model.params().preset.name.clone()),
            relative_loss: Some(model.info().relative_loss),
            views: describe_views(model),
            shares: self.shares.clone(),
            takes_lambda: self.takes_lambda(),
            has_data: self.data.is_some(),
            has_classes: self.labels.is_some(),
            colourings: colourings(labels, scale, data, loss),
            certificate: model.certificate().cloned(),
            anchors: self.map_anchors(),
            formats: export_formats(),
            has_neighbours: true,
            exact: model.nodes().len() <= SCANNED,
        }
    }
}
