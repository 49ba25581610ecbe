//! Interactive maps: one HTML file with everything in it.

use serde::Serialize;

use super::encode::{base64_u16, escape, script_json};
use super::palette::{CLASSES_PER_MARK, COLOURS, NO_CLASS, css};
use super::scene::Scene;
use crate::error::PlotError;
use crate::layout::Point;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// What the script of the page reads.
#[derive(Serialize)]
pub struct MapData {
    names: Vec<String>,
    class_names: Vec<String>,
    /// Class of every node, 65535 for none.
    classes: String,
    colours: Vec<String>,
    /// How many classes share a mark.
    per_mark: usize,
    /// Whether names of classes stand on the map.
    named: bool,
    no_class: String,
    layouts: Vec<LayoutData>,
    /// Similar nodes shown for each; 0 for none.
    similar: usize,
    /// What a node and what classes are called.
    words: [&'static str; 2],
}

#[derive(Serialize)]
struct LayoutData {
    label: String,
    /// Coordinates as 16-bit numbers, x and y in turn.
    points: String,
    /// Similar nodes as 16-bit numbers.
    similar: String,
}

impl MapData {
    /// A map without a layout yet.
    pub fn new(scene: &Scene) -> MapData {
        let class =
            |class: &Option<u32>| class.and_then(|c| u16::try_from(c).ok()).unwrap_or(u16::MAX);
        let classes = 0..scene.class_names.len() as u32;
        let (colours, per_mark) = match scene.ordered {
            true => (classes.map(|range| css(scene.look(Some(range)).0)).collect(), 1 << 16),
            false => (COLOURS.iter().map(|&colour| css(colour)).collect(), CLASSES_PER_MARK),
        };
        MapData {
            names: scene.names.clone(),
            class_names: scene.class_names.clone(),
            classes: base64_u16(scene.classes.iter().map(class)),
            colours,
            per_mark,
            named: !scene.ordered,
            no_class: css(NO_CLASS),
            layouts: Vec::new(),
            similar: 0,
            words: ["node", "Classes"],
        }
    }

    /// Calls nodes and classes something else.
    pub fn called(mut self, node: &'static str, classes: &'static str) -> MapData {
        self.words = [node, classes];
        self
    }

    /// Adds a layout (points in the unit square), with so many similar nodes of every node.
    pub fn with_layout(mut self, label: &str, points: &[Point], similar: &[u16]) -> MapData {
        let grid = |&x: &f32| (x.clamp(0.0, 1.0) * 65535.0).round() as u16;
        self.similar = similar.len() / points.len().max(1);
        self.layouts.push(LayoutData {
            label: label.to_owned(),
            points: base64_u16(points.iter().flatten().map(grid)),
            similar: base64_u16(similar.iter().copied()),
        });
        self
    }
}

/// Text around the map; all of it is HTML, so names in it must be escaped already.
#[derive(Default)]
pub struct Around {
    /// Before the map.
    pub before: String,
    /// After the map.
    pub after: String,
}

/// A whole page.
pub fn page(title: &str, data: &MapData, around: &Around) -> Result<String, PlotError> {
    let (title, json) = (escape(title), script_json(data)?);
    let mut out = String::with_capacity(json.len() + 40_000);
    out.push_str("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    out.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    out.push_str("<meta name=\"color-scheme\" content=\"light dark\">\n");
    // An empty icon keeps browsers from asking a server for one.
    out.push_str("<link rel=\"icon\" href=\"data:,\">\n");
    out.push_str(&format!("<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"));
    out.push_str(&format!("<main>\n<h1>{title}</h1>\n{}\n", around.before));
    out.push_str(include_str!("map.html"));
    out.push_str(&format!("{}\n</main>\n", around.after));
    out.push_str("<script type=\"application/json\" id=\"data\">");
    out.push_str(&json);
    out.push_str(&format!("</script>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n"));
    Ok(out)
}

/// The page of `gage plot`: just the map.
pub fn map_page(scene: &Scene) -> Result<String, PlotError> {
    let data = MapData::new(scene).with_layout("map", &scene.points, &[]);
    page(&scene.title, &data, &Around::default())
}
