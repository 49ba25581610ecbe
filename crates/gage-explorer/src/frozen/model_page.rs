//! A model as a page.

use gage_embed::{Lambda, Model};
use gage_plot::layout::{LayoutParams, Movement, Point, nearest, usual_rounds};

use super::data::PageData;
use crate::content::{AgreementAt, Content, ExplorerParams, agreement};
use crate::error::ExplorerError;
use crate::explorer::first_points;
use crate::map::{NEIGHBOURS, anchored_layout, layout_anchors};
use crate::pool::{Pool, anchors_of, unit_rows_at};

/// Neighbours that an anchor adds to the candidates of a node.
const CANDIDATES: usize = 20;
/// Most nodes of a page that is to be sent around.
const MOST_NODES: usize = 20_000;

type Layouts = Result<Vec<Vec<Point>>, ExplorerError>;

/// One HTML file that shows a model without a server: the map at any shares, mixed between at most
/// five layouts; neighbours and what each view contributes, ranked among candidates; classes,
/// clusters, selections. Attributes and links of nodes are not part of it.
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
    let anchors = layout_anchors(&content.model, &content.shares);
    let layouts = layouts(&content, &pool, &anchors, params.seed)?;
    data(&content, &pool, anchors, &layouts)?.write(&params.story)
}

/// Layouts at the anchors of the map: that of the model first, and the others held to it.
fn layouts(content: &Content, pool: &Pool, anchors: &[Vec<f64>], seed: u64) -> Layouts {
    let unit = unit_rows_at(&content.model, &content.shares)?;
    let mut first = first_points(&unit, seed);
    drop(unit);
    if pool.nodes() > 2 {
        let neighbours = pool.neighbours(&content.shares, NEIGHBOURS);
        first = Movement::new(&neighbours, first, usual_rounds(pool.nodes()), seed).finish();
    }
    let at = |shares: &Vec<f64>| anchored_layout(pool, shares, &first, seed, || true);
    let others: Vec<Vec<Point>> = anchors[1..].iter().filter_map(at).collect();
    Ok([vec![first], others].concat())
}

fn data(
    content: &Content,
    pool: &Pool,
    anchors: Vec<Vec<f64>>,
    layouts: &[Vec<Point>],
) -> Result<PageData, ExplorerError> {
    let model = &content.model;
    let mut about = content.about();
    // Attributes and links stay behind.
    about.has_data = false;
    about.anchors = anchors;
    about.formats = vec!["csv"];
    let data = PageData::new(about, model.nodes(), content.labels.as_ref(), Some(pool));
    let mut data = data.with_layouts(layouts).with_colours(|by| content.colour(by));
    if content.takes_lambda() {
        let at = |lambda: f64| model.shares(&Lambda::Links(lambda));
        data.ends = [at(0.0)?, at(1.0)?];
        if let Some(labels) = &content.labels {
            for lambda in (0..=10).map(|step| f64::from(step) / 10.0) {
                let agreement = agreement(pool, labels, &at(lambda)?);
                data.agreement.push(AgreementAt { lambda, agreement });
            }
        }
    }
    Ok(data)
}
