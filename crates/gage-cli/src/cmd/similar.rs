//! `gage similar`: nearest nodes, and which views make them near.

use gage_embed::{Model, Nearness};
use serde::Serialize;

use super::Session;
use crate::args::{Metric, SimilarArgs};
use crate::errors::Failure;
use crate::output::table;

#[derive(Serialize)]
struct Report {
    command: &'static str,
    metric: &'static str,
    views: Vec<String>,
    shares: Vec<f64>,
    nodes: Vec<Neighbourhood>,
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
    let model = session.model(&args.model)?;
    let lambda = args.lambda.lambda();
    let shares = model.shares(&lambda)?;
    let nearness = match args.metric {
        Metric::Cosine => Nearness::Cosine,
        Metric::Distance => Nearness::Distance,
    };
    let mut nodes = Vec::new();
    for id in &args.nodes {
        let node = model.nodes().find(id).ok_or_else(|| unknown(&model, id))?;
        let found = model.nearest(node, args.neighbours, &lambda, nearness)?;
        let Some(found) = found else {
            let message = format!("node `{id}` has no view at all, so nothing is near it");
            return Err(Failure::misfit(message)
                .help("choose a node with links or attributes")
                .into());
        };
        let neighbours = found.into_iter().map(|near| Neighbour {
            id: model.nodes().id(near.node),
            value: near.value,
            by_view: near.by_view,
        });
        nodes.push(Neighbourhood { node: id.clone(), neighbours: neighbours.collect() });
    }
    let report = Report {
        command: "similar",
        metric: match args.metric {
            Metric::Cosine => "cosine",
            Metric::Distance => "squared distance",
        },
        views: model.views().iter().map(|view| view.name.clone()).collect(),
        shares,
        nodes,
    };
    session.out.result(&report, || text(&report))
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
    text
}

fn unknown(model: &Model, id: &str) -> Failure {
    let nodes = model.nodes();
    let message = format!("node `{id}` is not in the model, which has {} nodes", nodes.len());
    if !nodes.is_named() {
        let last = nodes.len().saturating_sub(1);
        return Failure::misfit(message).help(format!("nodes are numbered from 0 to {last}"));
    }
    let close = close_ids(nodes.ids(), id);
    let help = match &close[..] {
        [] => format!("ids look like `{}`; they must match exactly", nodes.id(0)),
        _ => format!("did you mean {}?", close.join(", ")),
    };
    Failure::misfit(message).help(help)
}

/// Up to three ids that differ little: by case, by a few letters, or by what follows.
fn close_ids(ids: impl Iterator<Item = String>, wanted: &str) -> Vec<String> {
    let lower = wanted.to_lowercase();
    let allowed = (wanted.chars().count() / 3).clamp(1, 3);
    let mut close: Vec<(usize, String)> = ids
        .filter_map(|id| {
            let other = id.to_lowercase();
            let distance = edits(&lower, &other, allowed);
            let contains = lower.len() >= 3 && other.contains(&lower);
            let rank = distance.or(contains.then_some(allowed + 1))?;
            Some((rank, id))
        })
        .collect();
    close.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.len().cmp(&b.1.len())).then(a.1.cmp(&b.1)));
    close.into_iter().take(3).map(|(_, id)| format!("`{id}`")).collect()
}

/// Letters to insert, delete or replace to turn one text into the other, if at most `most`.
fn edits(a: &str, b: &str, most: usize) -> Option<usize> {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replace = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(row[j] + 1).min(diagonal + 1);
        }
    }
    Some(row[b.len()]).filter(|&distance| distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        assert_eq!(edits("gimp", "gimp", 2), Some(0));
        assert_eq!(edits("gimp", "gmp", 2), Some(1));
        assert_eq!(edits("kitten", "sitting", 3), Some(3));
        assert_eq!(edits("kitten", "sitting", 2), None);
    }

    #[test]
    fn close_ids_come_nearest_first() {
        let ids = ["gimp", "gimp-data", "GIMP2", "emacs"].map(str::to_owned);
        assert_eq!(close_ids(ids.clone().into_iter(), "gimpp"), ["`gimp`", "`GIMP2`"]);
        assert_eq!(close_ids(ids.into_iter(), "data"), ["`gimp-data`"]);
    }
}
