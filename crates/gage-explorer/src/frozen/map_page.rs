//! A map of rows that belong to no model, or are taken at one lambda only.

use gage_embed::{Labels, Nodes, Tall};
use gage_plot::layout::{LayoutParams, Point, nearest};

use super::data::PageData;
use crate::content::{About, AboutView, Clusters, Colour, colourings};
use crate::error::ExplorerError;
use crate::pool::Pool;

/// Neighbours of every node.
const NEAR: usize = 15;
/// Up to this many nodes, neighbours are part of the page.
const WITH_NEIGHBOURS: usize = 20_000;
/// Up to this many nodes, clusters are.
const CLUSTERED: usize = 200_000;

/// What a map shows.
#[derive(Debug)]
pub struct MapPage<'a> {
    /// Heading of the page.
    pub title: String,
    /// The nodes.
    pub nodes: &'a Nodes,
    /// Their rows, each of length one.
    pub unit: &'a Tall<f32>,
    /// Where they are.
    pub points: Vec<Point>,
    /// Their classes.
    pub labels: Option<&'a Labels>,
    /// A number for every node, and what it means.
    pub scale: Option<(String, Vec<f32>)>,
    /// Seed of clusters and neighbours.
    pub seed: u64,
}

/// One HTML file with a map: classes or numbers, clusters, search, selections, and up to 20,000
/// nodes the nearest of each. Cost: a search for neighbours and k-means.
pub fn map_page(page: MapPage<'_>) -> Result<String, ExplorerError> {
    let MapPage { title, nodes, unit, points, labels, scale, seed } = page;
    let exact = LayoutParams::default().exact_nodes;
    let has_neighbours = nodes.len() <= WITH_NEIGHBOURS;
    let pool = has_neighbours.then(|| Pool::of_unit_rows(&nearest(unit, NEAR, exact, seed)));
    let mut choices = colourings(labels, scale.as_ref().map(|scale| scale.0.as_str()), None, false);
    choices.retain(|choice| choice.by != "moved");
    let view = AboutView {
        name: "cosine".to_owned(),
        uses_links: false,
        loss: None,
        observed: nodes.len(),
    };
    let about = About {
        title,
        nodes: nodes.len(),
        columns: unit.cols(),
        preset: None,
        relative_loss: None,
        views: vec![view],
        shares: vec![1.0],
        takes_lambda: false,
        has_data: false,
        has_classes: labels.is_some(),
        colourings: choices,
        certificate: None,
        anchors: vec![vec![1.0]],
        formats: vec!["csv"],
        has_neighbours,
        exact: has_neighbours,
    };
    let clusters = || {
        let few = nodes.len() <= CLUSTERED;
        Some(Clusters::find(few.then_some(unit)?, nodes, labels, None, seed)?.colour())
    };
    let colour = |by: &str| match by {
        "label" => labels.map(Colour::of_labels),
        "scale" => scale.as_ref().map(|(_, values)| Colour::Numbers(values.clone())),
        "cluster" => clusters(),
        _ => None,
    };
    let data = PageData::new(about, nodes, labels, pool.as_ref());
    data.with_layouts(&[points]).with_colours(colour).write("")
}
