//! What the page asks, and the answers.

use std::sync::Arc;

use gage_embed::Lambda;
use gage_embed::search::{Metric, Neighbour, Space, nearest};
use serde::Serialize;

use crate::assets;
use crate::content::{
    AgreementAt, Colour, SCANNED, agreement, csv, find_columns, moved, node_view, parquet,
    summarise,
};
use crate::explorer::Explorer;
use crate::http::{Handler, Query, Request, Response};
use crate::pool::Pool;

/// Ids sent at once.
const MOST_NAMES: usize = 100_000;
/// Longest list of anything that is shown.
const MOST_SHOWN: usize = 500;

type Answer = Result<Response, Response>;

impl Handler for Explorer {
    fn answer(&self, request: &Request) -> Response {
        let wanted = (request.method(), request.path());
        if let ("GET", path) = wanted
            && let Some(file) = assets::file(path)
        {
            return file;
        }
        let query = request.query();
        let answer = match wanted {
            ("GET", "/api/about") => Ok(Response::json(&self.content.about())),
            ("GET", "/api/progress") => Ok(Response::json(&self.progress())),
            ("GET", "/api/shares") => self.shares(query, "").map(|shares| Response::json(&shares)),
            ("GET", "/api/names") => self.names(query),
            ("GET", "/api/search") => self.search(query),
            ("GET", "/api/columns") => self.columns(query),
            ("GET", "/api/node") => self.node(query),
            ("GET", "/api/neighbours") => self.neighbours(query),
            ("GET", "/api/map") => self.map(query),
            ("GET", "/api/anchors") => Ok(Response::stream(self.worker.anchor_frames())),
            ("GET", "/api/colour") => self.colour(query),
            ("GET", "/api/moved") => self.moved(query),
            ("GET", "/api/agreement") => self.agreement(),
            ("POST", "/api/selection") => self.selection(request),
            ("POST", "/api/export") => self.export(request),
            _ => Err(Response::error(404, "there is nothing at this address")),
        };
        answer.unwrap_or_else(|refusal| refusal)
    }
}

/// Neighbours of a node at some shares.
#[derive(Serialize)]
struct Near {
    shares: Vec<f64>,
    /// whether all nodes were compared
    exact: bool,
    neighbours: Vec<NearNode>,
}

#[derive(Serialize)]
struct NearNode {
    node: usize,
    id: String,
    value: f64,
    by_view: Vec<f64>,
}

impl Explorer {
    /// The shares of a query: one number for the links, one per view, or those of the model.
    fn shares(&self, query: &Query, prefix: &str) -> Result<Vec<f64>, Response> {
        let number = |text: &str| text.parse::<f64>().map_err(|_| bad("a share is no number"));
        let get = |name: &str| query.get(&format!("{prefix}{name}"));
        let lambda = match (get("lambda"), get("shares")) {
            (Some(lambda), _) => Lambda::Links(number(lambda)?),
            (None, Some(list)) => {
                Lambda::PerView(list.split(',').map(number).collect::<Result<_, _>>()?)
            }
            (None, None) => Lambda::Preset,
        };
        self.content.model.shares(&lambda).map_err(|error| bad(&error.to_string()))
    }

    fn one_node(&self, query: &Query) -> Result<usize, Response> {
        let node = query.get("node").and_then(|text| text.parse().ok());
        let known = node.filter(|&node: &usize| node < self.content.model.nodes().len());
        known.ok_or_else(|| bad("there is no such node"))
    }

    fn names(&self, query: &Query) -> Answer {
        let nodes = self.content.model.nodes();
        let first = count(query, "from", 0)?.min(nodes.len());
        let end = first.saturating_add(count(query, "count", 1)?.min(MOST_NAMES)).min(nodes.len());
        Ok(Response::json(&(first..end).map(|node| nodes.id(node)).collect::<Vec<_>>()))
    }

    fn search(&self, query: &Query) -> Answer {
        let most = count(query, "count", 8)?.min(MOST_SHOWN);
        let words = query.get("q").unwrap_or_default();
        Ok(Response::json(&self.content.names.find(self.content.model.nodes(), words, most)))
    }

    fn columns(&self, query: &Query) -> Answer {
        let most = count(query, "count", 8)?.min(MOST_SHOWN);
        let words = query.get("q").unwrap_or_default();
        let data = self.content.data.as_ref();
        let found = data.map_or_else(Vec::new, |data| find_columns(data, words, most));
        Ok(Response::json(&found))
    }

    fn node(&self, query: &Query) -> Answer {
        let node = self.one_node(query)?;
        let content = &self.content;
        let (labels, data) = (content.labels.as_ref(), content.data.as_ref());
        Ok(Response::json(&node_view(node, content.model.nodes(), labels, data)))
    }

    fn neighbours(&self, query: &Query) -> Answer {
        let node = self.one_node(query)?;
        let shares = self.shares(query, "")?;
        let most = count(query, "count", 15)?.min(MOST_SHOWN);
        let model = &self.content.model;
        let exact = model.nodes().len() <= SCANNED;
        let lambda = Lambda::PerView(shares.clone());
        let space = Space::of_model(model, &lambda).map_err(|error| bad(&error.to_string()))?;
        // A node whose row is zero at these shares has no neighbours.
        let near = if exact {
            nearest(&space, node, most, Metric::Cosine).unwrap_or_default()
        } else {
            let pool = self.worker.pool().ok_or_else(not_ready)?;
            by_pool(&pool, node, &shares, most)
        };
        let named = |near: Neighbour| NearNode {
            node: near.node,
            id: model.nodes().id(near.node),
            value: near.value,
            by_view: near.by_view,
        };
        let neighbours = near.into_iter().map(named).collect();
        Ok(Response::json(&Near { shares, exact, neighbours }))
    }

    fn map(&self, query: &Query) -> Answer {
        Ok(Response::stream(self.worker.frames(&self.shares(query, "")?)))
    }

    fn colour(&self, query: &Query) -> Answer {
        let content = &self.content;
        let none = || bad("nodes cannot be coloured by that");
        let colour = match query.get("by").unwrap_or_default() {
            "column" => {
                let data = content.data.as_ref().ok_or_else(none)?;
                let column = count(query, "column", 0)?;
                let block = query.get("block").unwrap_or_default();
                let nodes = content.model.nodes().len();
                Colour::of_column(data, block, column, nodes).ok_or_else(none)?
            }
            "moved" => {
                let pool = self.whole_pool().ok_or_else(not_ready)?;
                let [from, to] = [self.shares(query, "from_")?, self.shares(query, "to_")?];
                Colour::Numbers(moved(&pool, &from, &to).changed)
            }
            by => content.colour(by).ok_or_else(none)?,
        };
        Ok(Response::bytes("application/octet-stream", colour.encode()))
    }

    fn moved(&self, query: &Query) -> Answer {
        let pool = self.whole_pool().ok_or_else(not_ready)?;
        let [from, to] = [self.shares(query, "from_")?, self.shares(query, "to_")?];
        let most = count(query, "count", 25)?.min(MOST_SHOWN);
        let found = moved(&pool, &from, &to);
        let nodes = found.most(&pool, self.content.model.nodes(), [&from, &to], most);
        let mean = found.mean();
        Ok(Response::json(&serde_json::json!({ "mean": mean, "nodes": nodes })))
    }

    /// Agreement of near nodes in their class along lambda.
    fn agreement(&self) -> Answer {
        let pool = self.whole_pool().ok_or_else(not_ready)?;
        let content = &self.content;
        let labels = content.labels.as_ref().ok_or_else(|| bad("there are no classes"))?;
        if !content.takes_lambda() {
            return Err(bad("the views are all of one kind, so that lambda moves nothing"));
        }
        let at = |step: u32| -> Result<AgreementAt, Response> {
            let lambda = f64::from(step) / 10.0;
            let shares = content.model.shares(&Lambda::Links(lambda));
            let shares = shares.map_err(|error| bad(&error.to_string()))?;
            Ok(AgreementAt { lambda, agreement: agreement(&pool, labels, &shares) })
        };
        Ok(Response::json(&(0..=10).map(at).collect::<Result<Vec<_>, _>>()?))
    }

    /// The nodes in the body of a request, each once and in their order.
    fn selected(&self, request: &Request) -> Result<Vec<u32>, Response> {
        let nodes = self.content.model.nodes().len();
        let (words, rest) = request.body().as_chunks::<4>();
        let mut selected: Vec<u32> = words.iter().map(|&word| u32::from_le_bytes(word)).collect();
        selected.sort_unstable();
        selected.dedup();
        let known = selected.last().is_none_or(|&last| (last as usize) < nodes);
        if rest.is_empty() && known { Ok(selected) } else { Err(bad("these are no nodes")) }
    }

    fn selection(&self, request: &Request) -> Answer {
        let selected = self.selected(request)?;
        let content = &self.content;
        let (labels, data) = (content.labels.as_ref(), content.data.as_ref());
        let summary = summarise(&selected, labels, data);
        let first = selected.iter().take(MOST_SHOWN);
        let nodes: Vec<_> = first
            .map(|&node| {
                let class = labels.and_then(|labels| {
                    Some(labels.class_names()[*labels.of(node as usize).first()? as usize].clone())
                });
                serde_json::json!({
                    "node": node, "id": content.model.nodes().id(node as usize), "class": class,
                })
            })
            .collect();
        Ok(Response::json(&serde_json::json!({ "summary": summary, "nodes": nodes })))
    }

    fn export(&self, request: &Request) -> Answer {
        let selected = self.selected(request)?;
        let content = &self.content;
        let (labels, data) = (content.labels.as_ref(), content.data.as_ref());
        match request.query().get("format").unwrap_or("csv") {
            "csv" => {
                let text = csv(&selected, content.model.nodes(), labels, data);
                Ok(Response::bytes("text/csv; charset=utf-8", text.into_bytes()))
            }
            "parquet" => {
                let none = || bad("this build does not write Parquet");
                let bytes = parquet(&selected, content.model.nodes()).ok_or_else(none)?;
                Ok(Response::bytes("application/vnd.apache.parquet", bytes))
            }
            _ => Err(bad("selections are exported as csv or parquet")),
        }
    }
}

/// Neighbours from the candidates, with the part of each view.
fn by_pool(pool: &Arc<Pool>, node: usize, shares: &[f64], most: usize) -> Vec<Neighbour> {
    let parts = |(other, value): (u32, f64)| {
        let by_view = pool.parts(node, other, shares);
        Neighbour { node: other as usize, value, by_view }
    };
    pool.nearest(node, shares, most).into_iter().map(parts).collect()
}

fn bad(words: &str) -> Response {
    Response::error(400, words)
}

fn not_ready() -> Response {
    Response::error(503, "candidates are still being gathered")
}

/// A number of a query.
fn count(query: &Query, name: &str, default: usize) -> Result<usize, Response> {
    let Some(text) = query.get(name) else { return Ok(default) };
    text.parse().map_err(|_| bad("a number in the query is none"))
}
