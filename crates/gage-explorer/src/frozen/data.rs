//! What a page that is one file knows.

use gage_embed::{Labels, Nodes};
use gage_plot::layout::Point;
use gage_plot::{base64, script_json};
use serde::Serialize;
use serde_json::Value;

use crate::assets::{Source, whole_page};
use crate::content::{About, AgreementAt, Colour};
use crate::error::ExplorerError;
use crate::map::resting_frame;
use crate::pool::Pool;

/// What the script of the page reads; arrays of numbers are base64, little-endian.
#[derive(Serialize)]
pub(super) struct PageData {
    pub(super) about: About,
    pub(super) ids: Vec<String>,
    pub(super) class_names: Vec<String>,
    /// Shares at lambda 0 and 1.
    pub(super) ends: [Vec<f64>; 2],
    pub(super) agreement: Vec<AgreementAt>,
    /// By what they are called.
    colours: serde_json::Map<String, Value>,
    /// One for each anchor.
    layouts: Vec<String>,
    starts: String,
    rows: String,
    products: String,
    own: String,
}

impl PageData {
    /// A page that has neither colours nor layouts yet; without a pool it knows no neighbours.
    pub(super) fn new(
        about: About,
        nodes: &Nodes,
        labels: Option<&Labels>,
        pool: Option<&Pool>,
    ) -> PageData {
        let starts = |pool: &Pool| pool.starts.iter().map(|&start| start as u32).collect();
        let starts: Vec<u32> = pool.map_or_else(|| vec![0; nodes.len() + 1], starts);
        let (rows, products, own) = match pool {
            Some(pool) => (&pool.rows[..], &pool.products[..], &pool.own[..]),
            None => (&[][..], &[][..], &[][..]),
        };
        PageData {
            ends: [about.shares.clone(), about.shares.clone()],
            about,
            ids: nodes.ids().collect(),
            class_names: labels.map_or_else(Vec::new, |labels| labels.class_names().to_vec()),
            agreement: Vec::new(),
            colours: serde_json::Map::new(),
            layouts: Vec::new(),
            starts: base64(bytemuck::cast_slice(&starts)),
            rows: base64(bytemuck::cast_slice(rows)),
            products: base64(bytemuck::cast_slice(products)),
            own: base64(bytemuck::cast_slice(own)),
        }
    }

    /// Adds a layout for every anchor.
    pub(super) fn with_layouts(mut self, layouts: &[Vec<Point>]) -> PageData {
        self.layouts = layouts.iter().map(|points| base64(&resting_frame(points))).collect();
        self
    }

    /// Adds the colours there are, and takes choices back that cannot be had.
    pub(super) fn with_colours(mut self, colour: impl Fn(&str) -> Option<Colour>) -> PageData {
        let PageData { about, colours, .. } = &mut self;
        about.colourings.retain(|choice| {
            if choice.by == "moved" {
                return true;
            }
            let found = colour(choice.by).map(|colour| base64(&colour.encode()));
            found.is_some_and(|text| colours.insert(choice.by.to_owned(), text.into()).is_none())
        });
        self
    }

    /// The file. `story` is HTML that stands below the page.
    pub(super) fn write(&self, story: &str) -> Result<String, ExplorerError> {
        // Everything in it can be written as JSON.
        let json = script_json(self).map_err(|_| ExplorerError::Page)?;
        Ok(whole_page(&Source::Data(&json), &self.about.title, story))
    }
}
