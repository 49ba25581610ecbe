//! A page without a server: one file with everything in it.

use gage_embed::{Lambda, Model};
use gage_plot::layout::{LayoutParams, Movement, Point, nearest, usual_rounds};
use gage_plot::{base64, script_json};
use serde_json::{Value, json};

use crate::assets::whole_page;
use crate::content::{AgreementAt, Content, ExplorerParams, agreement};
use crate::error::ExplorerError;
use crate::explorer::first_points;
use crate::pool::{Pool, anchors_of, unit_rows_at};

/// Neighbours that an anchor adds to the candidates of a node.
const CANDIDATES: usize = 20;
/// Neighbours a node is held to on the map.
const NEIGHBOURS: usize = 15;
/// Layouts from lambda 0 to 1, between which the page mixes.
const LAYOUTS: u32 = 5;
/// Most nodes of a page that is to be sent around.
const MOST_NODES: usize = 20_000;

/// One HTML file that shows a model without a server: the map at any lambda, mixed between five
/// layouts; neighbours and what each view contributes, ranked among candidates; classes, clusters,
/// selections. Attributes and links of nodes are not part of it.
///
/// Cost: a search for neighbours at each anchor and five layouts. At most 20,000 nodes.
pub fn frozen_page(model: Model, mut params: ExplorerParams) -> Result<String, ExplorerError> {
    let nodes = model.nodes().len();
    if nodes > MOST_NODES {
        return Err(ExplorerError::TooManyNodes { nodes, most: MOST_NODES });
    }
    let content = Content::new(model, &mut params)?;
    let lists = anchors_of(&content.model, &content.shares)
        .iter()
        .map(|shares| {
            let unit = unit_rows_at(&content.model, shares)?;
            Ok(nearest(&unit, CANDIDATES, LayoutParams::default().exact_nodes, params.seed))
        })
        .collect::<Result<Vec<_>, ExplorerError>>()?;
    let pool = Pool::new(&content.model, &lists);
    let layouts = layouts(&content, &pool, params.seed)?;
    let data = data(&content, &pool, &layouts)?;
    // Everything in it can be written as JSON.
    script_json(&data).map(|json| whole_page(&json)).map_err(|_| ExplorerError::Page)
}

/// Layouts at lambdas from 0 to 1, or one where there is no lambda. The one at the shares of the
/// model is made first and the others start from it and from each other, so that nodes keep their
/// places and mixtures make sense.
fn layouts(content: &Content, pool: &Pool, seed: u64) -> Result<Vec<Vec<Point>>, ExplorerError> {
    let nodes = pool.nodes();
    let unit = unit_rows_at(&content.model, &content.shares)?;
    let first = first_points(&unit, seed);
    drop(unit);
    let usual = usual_rounds(nodes);
    let from = |points: Vec<Point>, shares: &[f64], begin: usize| match nodes {
        0..=2 => points,
        _ => Movement::new(&pool.neighbours(shares, NEIGHBOURS), points, usual, seed)
            .from_round(begin)
            .finish(),
    };
    let own = from(first, &content.shares, 0);
    if !content.takes_lambda() {
        return Ok(vec![own]);
    }
    let at =
        |step: u32| content.model.shares(&Lambda::Links(f64::from(step) / f64::from(LAYOUTS - 1)));
    let middle = from(own, &at(LAYOUTS / 2)?, usual - usual / 3);
    let mut all = vec![middle];
    for step in LAYOUTS / 2 + 1..LAYOUTS {
        let last = all[all.len() - 1].clone();
        all.push(from(last, &at(step)?, usual - usual / 3));
    }
    for step in (0..LAYOUTS / 2).rev() {
        let next = all[0].clone();
        all.insert(0, from(next, &at(step)?, usual - usual / 3));
    }
    Ok(all)
}

fn data(content: &Content, pool: &Pool, layouts: &[Vec<Point>]) -> Result<Value, ExplorerError> {
    let model = &content.model;
    let mut about = content.about();
    // Attributes and links stay behind.
    about.has_data = false;
    about.colourings.retain(|choice| choice.by != "column");
    let takes_lambda = content.takes_lambda();
    let ends = match takes_lambda {
        true => [model.shares(&Lambda::Links(0.0))?, model.shares(&Lambda::Links(1.0))?],
        false => [content.shares.clone(), content.shares.clone()],
    };
    let mut along = Vec::new();
    if let Some(labels) = content.labels.as_ref().filter(|_| takes_lambda) {
        for step in 0..=10 {
            let lambda = f64::from(step) / 10.0;
            let shares = model.shares(&Lambda::Links(lambda))?;
            along.push(AgreementAt { lambda, agreement: agreement(pool, labels, &shares) });
        }
    }
    let mut colours = serde_json::Map::new();
    for choice in about.colourings.iter().filter(|choice| choice.by != "moved") {
        if let Some(colour) = content.colour(choice.by) {
            colours.insert(choice.by.to_owned(), base64(&colour.encode()).into());
        }
    }
    let starts: Vec<u32> = pool.starts.iter().map(|&start| start as u32).collect();
    let layout = |points: &Vec<Point>| base64(bytemuck::cast_slice(&centred(points)));
    let class_names = content.labels.as_ref().map_or(&[][..], |labels| labels.class_names());
    Ok(json!({
        "about": about,
        "ids": model.nodes().ids().collect::<Vec<_>>(),
        "class_names": class_names,
        "ends": ends,
        "agreement": along,
        "colours": colours,
        "layouts": layouts.iter().map(layout).collect::<Vec<_>>(),
        "starts": base64(bytemuck::cast_slice(&starts)),
        "rows": base64(bytemuck::cast_slice(&pool.rows)),
        "products": base64(bytemuck::cast_slice(&pool.products)),
        "own": base64(bytemuck::cast_slice(&pool.own)),
    }))
}

/// Points around the middle of their box.
fn centred(points: &[Point]) -> Vec<Point> {
    let middle = [0, 1].map(|axis| {
        let values = || points.iter().map(|point| point[axis]);
        0.5 * (values().fold(f32::MAX, f32::min) + values().fold(f32::MIN, f32::max))
    });
    points.iter().map(|point| [point[0] - middle[0], point[1] - middle[1]]).collect()
}
