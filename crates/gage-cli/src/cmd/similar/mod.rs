//! `gage similar`: nearest nodes, and which views make them near.

mod index;
mod names;

use std::path::Path;

use gage_embed::search::{Metric, Neighbour as Near, Recall, SearchIndex, nearest};
use serde::Serialize;

use self::index::LARGE;
use crate::args::SimilarArgs;
use crate::errors::Failure;
use crate::index_file::failure;
use crate::output::{count, table};
use crate::session::Session;
use crate::source::Source;

#[derive(Serialize)]
struct Report {
    metric: &'static str,
    views: Vec<String>,
    shares: Vec<f64>,
    search: Search,
    nodes: Vec<Neighbourhood>,
}

/// How the neighbours were found.
#[derive(Serialize)]
struct Search {
    exact: bool,
    index: Option<String>,
    /// share of the true neighbours that such searches found when the index was built
    recall: Option<f64>,
    /// for how many neighbours, and on how many nodes, that was measured
    recall_of: Option<usize>,
    recall_nodes: Option<usize>,
}

#[derive(Serialize)]
struct Neighbourhood {
    node: String,
    neighbours: Vec<Neighbour>,
}

#[derive(Serialize)]
struct Neighbour {
    id: String,
    /// cosine, or squared distance
    value: f64,
    /// what each view contributes; adds up to `value`
    by_view: Vec<f64>,
}

pub(crate) fn run(args: &SimilarArgs, session: &Session) -> anyhow::Result<()> {
    let found = index::open(args, session)?;
    let report = match found {
        Some((path, index)) => by_index(args, &path, &index)?,
        None => by_scan(args, session)?,
    };
    session.out.result(&[], &report, || text(&report))
}

/// Looks into the lists of an index; the model itself is not read.
fn by_index(args: &SimilarArgs, path: &Path, index: &SearchIndex) -> anyhow::Result<Report> {
    let fail = |error| failure(path, &error);
    let (mut nodes, mut recall) = (Vec::new(), None::<Recall>);
    for id in &args.nodes {
        let node = match index.find(id).map_err(fail)? {
            Some(node) => node,
            None => names::find(&index.nodes().map_err(fail)?, id, args.ids.spelling())?,
        };
        let answer = index.nearest(node, args.neighbours).map_err(fail)?;
        let answer = answer.ok_or_else(|| zero_row(id))?;
        recall = answer.recall;
        let name = |node: usize| index.id(node).map_err(fail);
        nodes.push(neighbourhood(id, answer.neighbours, name)?);
    }
    let info = index.info();
    Ok(Report {
        metric: metric_name(args.metric.into()),
        views: info.views.iter().map(|view| view.name.clone()).collect(),
        shares: info.shares.clone(),
        search: Search {
            exact: recall.is_none(),
            index: Some(path.display().to_string()),
            recall: recall.map(|recall| recall.recall),
            recall_of: recall.map(|recall| recall.neighbours),
            recall_nodes: recall.map(|recall| recall.nodes),
        },
        nodes,
    })
}

/// Reads all rows and compares them all.
fn by_scan(args: &SimilarArgs, session: &Session) -> anyhow::Result<Report> {
    let metric = args.metric.into();
    let source = Source::read(&args.model, &args.lambda, session)?;
    let spinner = session.spinner("comparing all rows");
    let space = source.space(&args.lambda)?;
    let mut nodes = Vec::new();
    for id in &args.nodes {
        let node = names::find(space.nodes, id, args.ids.spelling())?;
        let near = nearest(&space, node, args.neighbours, metric).ok_or_else(|| zero_row(id))?;
        nodes.push(neighbourhood(id, near, |node| Ok(space.nodes.id(node)))?);
    }
    drop(spinner);
    if space.nodes.len() >= LARGE && !args.exact {
        let note = format!(
            "all {} rows were read and compared; `gage index {}` builds an index once, and \
             searches then take milliseconds",
            count(space.nodes.len()),
            args.model.display()
        );
        session.out.notes(&[note]);
    }
    Ok(Report {
        metric: metric_name(metric),
        views: space.views.iter().map(|view| view.name.clone()).collect(),
        shares: space.shares.clone(),
        search: Search {
            exact: true,
            index: None,
            recall: None,
            recall_of: None,
            recall_nodes: None,
        },
        nodes,
    })
}

fn neighbourhood(
    id: &str,
    near: Vec<Near>,
    name: impl Fn(usize) -> Result<String, Failure>,
) -> Result<Neighbourhood, Failure> {
    let named = |near: Near| -> Result<Neighbour, Failure> {
        Ok(Neighbour { id: name(near.node)?, value: near.value, by_view: near.by_view })
    };
    let neighbours = near.into_iter().map(named).collect::<Result<_, _>>()?;
    Ok(Neighbourhood { node: id.to_owned(), neighbours })
}

fn zero_row(id: &str) -> Failure {
    let message = format!("the row of node `{id}` is zero, so nothing is near it");
    Failure::misfit(message).help("choose a node with links or attributes, or another --lambda")
}

fn metric_name(metric: Metric) -> &'static str {
    match metric {
        Metric::Cosine => "cosine",
        Metric::Distance => "squared distance",
    }
}

fn text(report: &Report) -> String {
    let mut text = String::new();
    for found in &report.nodes {
        let mut header = vec![format!("near {}", found.node), report.metric.to_owned()];
        header.extend(report.views.iter().map(|view| format!("from {view}")));
        let mut rows = vec![header];
        rows.extend(found.neighbours.iter().map(|neighbour| {
            let mut row = vec![neighbour.id.clone(), format!("{:.4}", neighbour.value)];
            row.extend(neighbour.by_view.iter().map(|part| format!("{part:.4}")));
            row
        }));
        text.push_str(&table(&rows));
    }
    let search = &report.search;
    if let (Some(recall), Some(of), Some(nodes)) =
        (search.recall, search.recall_of, search.recall_nodes)
    {
        text.push_str(&format!(
            "approximate, recall {recall:.3} (of the {of} nearest, measured on {nodes} nodes when \
             the index was built)\n"
        ));
    }
    text
}
