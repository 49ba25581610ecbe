//! Still pictures: PNG and SVG.

use std::fmt::Write as _;

use gage_linalg::random::mix;

use super::encode::{base64, escape, png};
use super::palette::{CLASSES_PER_MARK, Mark, Rgb, css};
use super::raster::{Canvas, Dot, text_width};
use super::scene::Scene;
use crate::error::PlotError;

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Dark on white.
    #[default]
    Light,
    /// Light on nearly black.
    Dark,
}

impl Theme {
    fn background(self) -> Rgb {
        match self {
            Theme::Light => [0xff, 0xff, 0xff],
            Theme::Dark => [0x11, 0x15, 0x1c],
        }
    }

    fn text(self) -> Rgb {
        match self {
            Theme::Light => [0x1c, 0x22, 0x2b],
            Theme::Dark => [0xe8, 0xeb, 0xf0],
        }
    }
}

/// Above this many points an SVG holds them as one picture: as shapes they would be slow to open.
const MOST_SHAPES: usize = 20_000;
/// Up to this many points a shape tells its name when pointed at.
const MOST_NAMED: usize = 5_000;
/// Entries of a legend, which takes several columns.
const MOST_ENTRIES: usize = 96;
/// Height of an entry.
const LINE: f32 = 24.0;
/// Least radius of a point where its mark says of which class it is.
const MARK_RADIUS: f32 = 2.2;

/// Sizes of a picture with a map of `map` pixels and a legend beside it.
struct Frame {
    map: f32,
    top: f32,
    /// width of a column of the legend, and entries in it
    legend: (f32, usize),
    columns: usize,
    radius: f32,
    opacity: f32,
}

impl Frame {
    fn new(scene: &Scene, map: usize) -> Frame {
        let entries = legend(scene).0;
        let longest = entries.iter().map(|entry| text_width(&entry.1, false)).fold(0.0, f32::max);
        let (map, count) = (map as f32, scene.points.len().max(1) as f32);
        // Points together cover about a sixth of the map, within sizes that can be seen.
        let marked = !scene.ordered && scene.class_names.len() > CLASSES_PER_MARK;
        let least = if marked { MARK_RADIUS } else { 1.1 };
        let radius = (map * (0.16 / (count * std::f32::consts::PI)).sqrt()).clamp(least, 5.0);
        // Where they must overlap, they are drawn thinner.
        let crowding = count * radius * radius * std::f32::consts::PI / (map * map);
        let opacity = (0.3 / crowding).clamp(0.35, 0.9);
        let lines = (((map - 20.0) / LINE) as usize).max(1);
        // Letters of an SVG are a little wider than those of the raster font.
        let legend = (1.2 * longest + 60.0, lines);
        Frame { map, top: 44.0, legend, columns: entries.len().div_ceil(lines), radius, opacity }
    }

    fn width(&self) -> usize {
        (self.map + self.columns as f32 * self.legend.0).ceil() as usize
    }

    /// Where the mark of an entry of the legend stands.
    fn entry(&self, at: usize) -> (f32, f32) {
        let (width, lines) = self.legend;
        let x = self.map + 20.0 + (at / lines) as f32 * width;
        (x, self.top + 16.0 + (at % lines) as f32 * LINE)
    }

    fn height(&self) -> usize {
        (self.map + self.top).ceil() as usize
    }
}

/// Entries of the legend (class and text), and how many classes did not get one.
fn legend(scene: &Scene) -> (Vec<(Option<u32>, String)>, usize) {
    let mut order = scene.by_size();
    let left_out = order.len().saturating_sub(MOST_ENTRIES);
    order.truncate(MOST_ENTRIES);
    order.sort_unstable();
    let text = |class: u32| {
        let name: String = scene.class_names[class as usize].chars().take(32).collect();
        format!("{name} ({})", scene.sizes[class as usize])
    };
    let mut entries: Vec<(Option<u32>, String)> =
        order.into_iter().map(|class| (Some(class), text(class))).collect();
    let none = scene.classes.iter().filter(|class| class.is_none()).count();
    if none > 0 && !entries.is_empty() {
        let what = if scene.ordered { "no number" } else { "no class" };
        entries.push((None, format!("{what} ({none})")));
    }
    if left_out > 0 {
        entries.push((None, format!("and {left_out} more classes")));
    }
    (entries, left_out)
}

/// Points in a random order, so that no class lies on top of another one throughout.
fn dots(scene: &Scene, frame: &Frame, top: f32) -> Vec<Dot> {
    let mut order: Vec<u32> = (0..scene.points.len() as u32).collect();
    // Nodes without a class lie below the others.
    order
        .sort_by_cached_key(|&node| (scene.classes[node as usize].is_some(), mix(u64::from(node))));
    let dot = |&node: &u32| {
        let point = scene.points[node as usize];
        let (colour, mark) = scene.look(scene.classes[node as usize]);
        let (x, y) = (point[0] * frame.map, point[1] * frame.map + top);
        Dot { x, y, radius: frame.radius, colour, mark, opacity: frame.opacity }
    };
    order.iter().map(dot).collect()
}

/// Names of classes with their places, moved apart where they would overlap.
fn name_places(scene: &Scene, frame: &Frame) -> Vec<(u32, f32, f32)> {
    let mut placed: Vec<(u32, f32, f32, f32)> = Vec::new();
    for (class, point) in scene.name_places() {
        let width = text_width(&scene.class_names[class as usize], true);
        let x =
            (point[0] * frame.map).clamp(0.5 * width, (frame.map - 0.5 * width).max(0.5 * width));
        let mut y = point[1] * frame.map + frame.top;
        let clash = |y: f32| {
            placed.iter().any(|other| {
                (other.1 - x).abs() < 0.5 * (other.3 + width) + 4.0 && (other.2 - y).abs() < 20.0
            })
        };
        let tries = (1..12).flat_map(|step| [1.0, -1.0].map(|sign| sign * 10.0 * step as f32));
        let start = y;
        y = std::iter::once(0.0)
            .chain(tries)
            .map(|by| start + by)
            .find(|&y| !clash(y))
            .unwrap_or(y);
        placed.push((class, x, y, width));
    }
    placed.into_iter().map(|(class, x, y, _)| (class, x, y)).collect()
}

/// Draws a PNG.
pub fn draw_png(scene: &Scene, map: usize, theme: Theme) -> Result<Vec<u8>, PlotError> {
    let frame = Frame::new(scene, map);
    let mut canvas = Canvas::new(frame.width(), frame.height(), theme.background());
    canvas.dots(&dots(scene, &frame, frame.top));
    canvas.text(16.0, 24.0, &scene.title, theme.text(), None, true);
    for (class, x, y) in name_places(scene, &frame) {
        let name = &scene.class_names[class as usize];
        let left = x - 0.5 * text_width(name, true);
        canvas.text(left, y, name, theme.text(), Some(theme.background()), true);
    }
    let mut marks = Vec::new();
    for (at, (class, text)) in legend(scene).0.iter().enumerate() {
        let (x, y) = frame.entry(at);
        let (colour, mark) = scene.look(*class);
        marks.push(Dot { x, y, radius: 6.0, colour, mark, opacity: 1.0 });
        canvas.text(x + 16.0, y, text, theme.text(), None, false);
    }
    canvas.dots(&marks);
    png(canvas.width, canvas.height, &canvas.bytes())
}

/// Draws an SVG: shapes for some points, one embedded picture for many.
pub fn draw_svg(scene: &Scene, map: usize, theme: Theme) -> Result<String, PlotError> {
    let frame = Frame::new(scene, map);
    let (width, height) = (frame.width(), frame.height());
    let (ground, ink) = (css(theme.background()), css(theme.text()));
    let title = escape(&scene.title);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" \
         font-family=\"system-ui, sans-serif\" role=\"img\" aria-label=\"{title}\">\n\
         <title>{title}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"{ground}\"/>\n\
         <text x=\"16\" y=\"30\" font-size=\"18\" fill=\"{ink}\">{title}</text>\n"
    );
    if scene.points.len() > MOST_SHAPES {
        let mut canvas = Canvas::new(map, map, theme.background());
        canvas.dots(&dots(scene, &frame, 0.0));
        let picture = base64(&png(map, map, &canvas.bytes())?);
        writeln!(
            out,
            "<image x=\"0\" y=\"{}\" width=\"{map}\" height=\"{map}\" \
             href=\"data:image/png;base64,{picture}\"/>",
            frame.top
        )?;
    } else {
        shapes(scene, &frame, &mut out)?;
    }
    for (class, x, y) in name_places(scene, &frame) {
        let name = escape(&scene.class_names[class as usize]);
        writeln!(
            out,
            "<text x=\"{x:.1}\" y=\"{:.1}\" font-size=\"17\" font-weight=\"600\" \
             text-anchor=\"middle\" fill=\"{ink}\" \
             stroke=\"{ground}\" stroke-width=\"4\" stroke-linejoin=\"round\" \
             paint-order=\"stroke\">{name}</text>",
            y + 6.0
        )?;
    }
    for (at, (class, text)) in legend(scene).0.iter().enumerate() {
        let (x, y) = frame.entry(at);
        let (colour, mark) = scene.look(*class);
        let path = outline(mark, x, y, 6.0);
        writeln!(out, "<path d=\"{path}\" fill=\"{}\"/>", css(colour))?;
        writeln!(
            out,
            "<text x=\"{:.0}\" y=\"{:.0}\" font-size=\"14\" fill=\"{ink}\">{}</text>",
            x + 16.0,
            y + 5.0,
            escape(text)
        )?;
    }
    out.push_str("</svg>\n");
    Ok(out)
}

fn shapes(scene: &Scene, frame: &Frame, out: &mut String) -> Result<(), PlotError> {
    let named = scene.points.len() <= MOST_NAMED;
    let classes = scene.by_size().into_iter().map(Some);
    for class in std::iter::once(None).chain(classes) {
        let (colour, mark) = scene.look(class);
        write!(out, "<g fill=\"{}\" fill-opacity=\"{:.2}\">", css(colour), frame.opacity)?;
        let members = (0..scene.points.len()).filter(|&node| scene.classes[node] == class);
        let path = |node: usize| {
            let point = scene.points[node];
            let (x, y) = (point[0] * frame.map, point[1] * frame.map + frame.top);
            outline(mark, x, y, frame.radius)
        };
        if named {
            for node in members {
                let name = escape(&scene.names[node]);
                writeln!(out, "<path d=\"{}\"><title>{name}</title></path>", path(node))?;
            }
        } else {
            out.push_str("<path d=\"");
            members.for_each(|node| out.push_str(&path(node)));
            out.push_str("\"/>");
        }
        out.push_str("</g>\n");
    }
    Ok(())
}

/// The outline of a mark as SVG path.
fn outline(mark: Mark, x: f32, y: f32, r: f32) -> String {
    match mark {
        Mark::Circle => format!(
            "M{:.1} {y:.1}a{r:.1} {r:.1} 0 1 0 {:.1} 0a{r:.1} {r:.1} 0 1 0 -{:.1} 0z",
            x - r,
            2.0 * r,
            2.0 * r
        ),
        Mark::Square => {
            let side = 1.77 * r;
            format!("M{:.1} {:.1}h{side:.1}v{side:.1}h-{side:.1}z", x - 0.5 * side, y - 0.5 * side)
        }
        Mark::Diamond => {
            let half = 1.25 * r;
            format!(
                "M{x:.1} {:.1}l{half:.1} {half:.1} -{half:.1} {half:.1} -{half:.1} -{half:.1}z",
                y - half
            )
        }
        Mark::Triangle => {
            let (half, up, down) = (1.35 * r, 1.55 * r, 0.78 * r);
            format!("M{x:.1} {:.1}L{:.1} {:.1}H{:.1}z", y - up, x + half, y + down, x - half)
        }
    }
}
