//! Line charts as SVG: axes with round ticks, a legend, lines with marks and bands.
//!
//! The background is transparent and all ink is of middle lightness, so that a chart holds on white
//! and on black. Lines differ by colour, mark and dash, so that colour never stands alone.

use std::fmt::Write as _;

pub use super::axis::Scale;
use super::axis::{Frame, number, round_step, span, ticks};
use super::encode::escape;
use super::palette::{MARKS, Mark, css, look};

/// Text, axes and grid; about equally far from white and from black.
const INK: &str = "#767d88";
const FONT: &str = "system-ui, sans-serif";
/// Width of a letter relative to the size of the font, a little on the safe side.
const LETTER: f64 = 0.58;
const DASHES: [&str; 4] = ["", "7 3", "2 3", "9 3 2 3"];

/// One point of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChartPoint {
    /// Place on the horizontal axis.
    pub x: f64,
    /// Value.
    pub y: f64,
    /// Half the height of the band around it.
    pub spread: f64,
}

/// A named line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// Name in the legend.
    pub name: String,
    /// Points, in the order they are joined; those that are not finite leave a gap.
    pub points: Vec<ChartPoint>,
}

impl Line {
    /// A line from places, values and spreads.
    pub fn new(name: &str, points: impl IntoIterator<Item = (f64, f64, f64)>) -> Line {
        let points = points.into_iter().map(|(x, y, spread)| ChartPoint { x, y, spread });
        Line { name: name.to_owned(), points: points.collect() }
    }
}

/// A chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Heading.
    pub title: String,
    /// What the horizontal axis is.
    pub x_label: String,
    /// What the vertical axis is.
    pub y_label: String,
    /// The lines, in the order of the legend.
    pub lines: Vec<Line>,
    /// Scale of the horizontal axis.
    pub x_scale: Scale,
    /// Ends of the vertical axis; as the lines need it if `None`.
    pub y_range: Option<(f64, f64)>,
    /// Pixels, legend included.
    pub width: f64,
    /// Pixels.
    pub height: f64,
}

impl Default for Chart {
    fn default() -> Self {
        Chart {
            title: String::new(),
            x_label: String::new(),
            y_label: String::new(),
            lines: Vec::new(),
            x_scale: Scale::Linear,
            y_range: None,
            width: 760.0,
            height: 420.0,
        }
    }
}

impl Chart {
    fn points(&self) -> impl Iterator<Item = &ChartPoint> {
        self.lines.iter().flat_map(|line| &line.points)
    }

    fn frame(&self) -> Frame {
        let longest = self.lines.iter().map(|l| l.name.chars().count()).max().unwrap_or(0) as f64;
        let legend = if self.lines.is_empty() { 0.0 } else { longest * 12.0 * LETTER + 54.0 };
        let x = span(self.points().map(|point| point.x));
        let y = self.y_range.unwrap_or_else(|| {
            let ends = self.points().flat_map(|p| [p.y - p.spread, p.y + p.spread]);
            let ends = span(ends);
            // The axis begins and ends at a tick.
            let step = round_step(ends, 6.0);
            ((ends.0 / step + 1e-9).floor() * step, (ends.1 / step - 1e-9).ceil() * step)
        });
        Frame {
            left: 64.0,
            right: (self.width - 16.0 - legend).max(164.0),
            top: if self.title.is_empty() { 16.0 } else { 44.0 },
            bottom: self.height - 52.0,
            x,
            y,
            scale: self.x_scale,
        }
    }

    /// The chart as a document of its own, which may also stand inside a page.
    pub fn svg(&self) -> String {
        let frame = self.frame();
        let mut out = String::new();
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" \
             width=\"{w}\" height=\"{h}\" \
             font-family=\"{FONT}\" font-size=\"12\" fill=\"{INK}\" role=\"img\" \
             aria-label=\"{}\">",
            escape(&self.title),
            w = self.width,
            h = self.height
        );
        if !self.title.is_empty() {
            let left = frame.left;
            let title = escape(&self.title);
            let _ = writeln!(
                out,
                "<text x=\"{left}\" y=\"24\" font-size=\"15\" font-weight=\"600\">{title}</text>"
            );
        }
        self.axes(&frame, &mut out);
        for (at, line) in self.lines.iter().enumerate() {
            draw_line(&frame, at, line, &mut out);
        }
        self.legend(&frame, &mut out);
        out.push_str("</svg>\n");
        out
    }

    fn axes(&self, frame: &Frame, out: &mut String) {
        let Frame { left, right, top, bottom, .. } = *frame;
        let step = round_step(frame.y, 6.0);
        for tick in ticks(frame.y, 6.0) {
            let (y, text) = (frame.up(tick), number(tick, step));
            let _ = writeln!(
                out,
                "<path d=\"M{left} {y:.1}H{right:.1}\" stroke=\"{INK}\" stroke-opacity=\"0.25\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
                left - 8.0,
                y + 4.0
            );
        }
        let step = round_step(frame.x, 10.0);
        let places: Vec<(f64, String)> = match self.x_scale {
            Scale::Linear => {
                ticks(frame.x, 10.0).into_iter().map(|x| (x, number(x, step))).collect()
            }
            Scale::Log2 => {
                let mut places: Vec<f64> = self.points().map(|point| point.x).collect();
                places.sort_by(f64::total_cmp);
                places.dedup();
                places.into_iter().map(|x| (x, x.to_string())).collect()
            }
        };
        for (place, text) in places {
            let x = frame.across(place);
            let _ = writeln!(
                out,
                "<path d=\"M{x:.1} {bottom:.1}v5\" stroke=\"{INK}\"/>\
                 <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{text}</text>",
                bottom + 19.0
            );
        }
        let _ = writeln!(
            out,
            "<path d=\"M{left} {top}V{bottom:.1}H{right:.1}\" fill=\"none\" stroke=\"{INK}\"/>"
        );
        let (x, y) = (0.5 * (left + right), 0.5 * (top + bottom));
        let _ = writeln!(
            out,
            "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
             <text transform=\"translate(16 {y:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            bottom + 40.0,
            escape(&self.x_label),
            escape(&self.y_label)
        );
    }

    fn legend(&self, frame: &Frame, out: &mut String) {
        let x = frame.right + 14.0;
        for (at, line) in self.lines.iter().enumerate() {
            let y = frame.top + 10.0 + 20.0 * at as f64;
            let (colour, dash) = ink(at);
            let _ = writeln!(
                out,
                "<path d=\"M{x:.1} {y:.1}h26\" stroke=\"{colour}\" stroke-width=\"2\" \
                 stroke-dasharray=\"{dash}\"/>\
                 {}<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                mark(at, x + 13.0, y, &colour),
                x + 33.0,
                y + 4.0,
                escape(&line.name)
            );
        }
    }
}

/// Colour and dash of a line.
fn ink(at: usize) -> (String, &'static str) {
    (css(look(Some(at as u32)).0), DASHES[at % DASHES.len()])
}

/// The mark of a line at one place.
fn mark(at: usize, x: f64, y: f64, colour: &str) -> String {
    match MARKS[at % MARKS.len()] {
        Mark::Circle => {
            format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.2\" fill=\"{colour}\"/>")
        }
        Mark::Square => {
            format!("<path d=\"M{:.1} {:.1}h6v6h-6z\" fill=\"{colour}\"/>", x - 3.0, y - 3.0)
        }
        Mark::Triangle => {
            format!("<path d=\"M{x:.1} {:.1}l3.8 6.6h-7.6z\" fill=\"{colour}\"/>", y - 4.2)
        }
        Mark::Diamond => {
            format!("<path d=\"M{x:.1} {:.1}l4 4-4 4-4-4z\" fill=\"{colour}\"/>", y - 4.0)
        }
    }
}

/// The band, the line and the marks; gaps where a number is not finite.
fn draw_line(frame: &Frame, at: usize, line: &Line, out: &mut String) {
    let (colour, dash) = ink(at);
    let finite = |p: &ChartPoint| p.x.is_finite() && p.y.is_finite() && p.spread.is_finite();
    for part in line.points.split(|point| !finite(point)).filter(|part| !part.is_empty()) {
        let path = |points: &mut dyn Iterator<Item = (f64, f64)>| -> String {
            let places: Vec<String> =
                points.map(|(x, y)| format!("{:.1} {:.1}", frame.across(x), frame.up(y))).collect();
            places.join("L")
        };
        if part.iter().any(|point| point.spread > 0.0) {
            let upper = path(&mut part.iter().map(|p| (p.x, p.y + p.spread)));
            let lower = path(&mut part.iter().rev().map(|p| (p.x, p.y - p.spread)));
            let _ = writeln!(
                out,
                "<path d=\"M{upper}L{lower}Z\" fill=\"{colour}\" fill-opacity=\"0.16\"/>"
            );
        }
        let middle = path(&mut part.iter().map(|p| (p.x, p.y)));
        let _ = writeln!(
            out,
            "<path d=\"M{middle}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" \
             stroke-dasharray=\"{dash}\" stroke-linejoin=\"round\"/>"
        );
    }
    for point in line.points.iter().filter(|point| finite(point)) {
        out.push_str(&mark(at, frame.across(point.x), frame.up(point.y), &colour));
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> Chart {
        let lines = vec![
            Line::new("micro <F1>", [(0.0, 0.71, 0.01), (0.5, 0.8, 0.02), (1.0, 0.62, 0.0)]),
            Line::new("macro", [(0.0, 0.5, 0.0), (0.5, f64::NAN, 0.0), (1.0, 0.55, 0.0)]),
        ];
        Chart { title: "a & b".to_owned(), lines, ..Chart::default() }
    }

    #[test]
    fn everything_is_drawn_inside_and_names_are_text() {
        let svg = chart().svg();
        assert!(svg.contains("a &amp; b") && svg.contains("micro &lt;F1&gt;"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        // One band (the second line has none), and a gap in the second line leaves two pieces.
        assert_eq!(svg.matches("fill-opacity").count(), 1);
        assert_eq!(svg.matches("stroke-linejoin").count(), 3);
        let frame = chart().frame();
        for point in chart().points().filter(|point| point.y.is_finite()) {
            assert!((frame.left..=frame.right).contains(&frame.across(point.x)));
            assert!((frame.top..=frame.bottom).contains(&frame.up(point.y)));
        }
        assert!(frame.y.0 <= 0.5 && frame.y.1 >= 0.82);
    }

    #[test]
    fn powers_of_two_are_evenly_spaced() {
        let lines = vec![Line::new("x", [16.0, 32.0, 64.0].map(|x| (x, 1.0, 0.0)))];
        let frame = Chart { lines, x_scale: Scale::Log2, ..Chart::default() }.frame();
        let middle = 0.5 * (frame.across(16.0) + frame.across(64.0));
        assert!((frame.across(32.0) - middle).abs() < 1e-9);
    }

    #[test]
    fn nothing_and_one_point_can_be_drawn() {
        assert!(Chart::default().svg().ends_with("</svg>\n"));
        let lines = vec![Line::new("one", [(3.0, 0.2, 0.0)])];
        let svg = Chart { lines, ..Chart::default() }.svg();
        assert!(svg.contains("circle") && !svg.contains("NaN"));
    }
}
