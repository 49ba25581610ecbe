//! Pajek `.net`: vertices by number, then arcs (with a direction) and edges (without one).

use std::path::Path;

use crate::error::{Place, ReadError, excerpt};
use crate::reading::ColumnOptions;
use crate::text::lines::Lines;

use super::GraphFile;
use super::builder::{GraphFileBuilder, Places};

const EXPECTED: &str = "a Pajek file: `*Vertices`, `*Arcs`, `*Edges`";
/// Vertices accepted in any file; more need lines, of which few may be missing.
const FREE_VERTICES: u64 = 1 << 20;
const VERTICES_PER_LINE: u64 = 16;
/// Shapes of vertices.
const SHAPES: [&str; 9] =
    ["ellipse", "box", "diamond", "triangle", "cross", "empty", "house", "man", "woman"];
/// How vertices and lines are drawn.
const DRAWING: [&str; 18] = [
    "x_fact", "y_fact", "s_size", "phi", "r", "q", "ic", "bc", "bw", "lc", "la", "lr", "lphi",
    "fos", "font", "c", "p", "w",
];

/// The lines that follow.
#[derive(Clone, Copy)]
enum Section {
    Vertices,
    /// pairs of vertices
    Links {
        directed: bool,
    },
    /// a vertex and all it is joined to
    Lists {
        directed: bool,
    },
    /// before the first section
    None,
}

struct Pajek<'a> {
    builder: GraphFileBuilder<'a>,
    line: u64,
    section: Section,
    /// the number of vertices that the file claims, and the line of the claim
    claim: Option<(u64, u64)>,
    relation: Option<String>,
}

/// Reads a Pajek file. The labels of the vertices are their ids if all differ, otherwise their
/// numbers are.
pub(super) fn read(path: &Path, options: &ColumnOptions) -> Result<GraphFile, ReadError> {
    let mut builder = GraphFileBuilder::new(path, EXPECTED, Places::Lines, options);
    builder.names_are_ids = true;
    let mut pajek = Pajek { builder, line: 0, section: Section::None, claim: None, relation: None };
    let mut lines = Lines::open(path, EXPECTED)?;
    let mut text = String::new();
    while let Some(line) = lines.next()? {
        text.clear();
        text.push_str(line.trim());
        pajek.line = lines.line();
        if !text.is_empty() && !text.starts_with('%') {
            pajek.line(&text)?;
        }
    }
    pajek.finish()
}

impl Pajek<'_> {
    fn malformed(&self, found: impl Into<String>, expected: impl Into<String>) -> ReadError {
        self.builder.malformed(Place::Line(self.line), found, expected)
    }

    fn line(&mut self, text: &str) -> Result<(), ReadError> {
        let Some(cells) = split(text) else {
            let expected = "quotes around whole labels, without quotes in them";
            return Err(self.malformed(excerpt(text.as_bytes()), expected));
        };
        if text.starts_with('*') {
            return self.open(text, &cells);
        }
        match self.section {
            Section::Vertices => self.vertex(&cells),
            Section::Links { directed } => self.link(&cells, directed),
            Section::Lists { directed } => {
                let source = self.number(cells[0])?;
                for cell in &cells[1..] {
                    let target = self.number(cell)?;
                    self.join(source, target, directed)?;
                }
                Ok(())
            }
            Section::None => Err(self.malformed(excerpt(text.as_bytes()), "`*Vertices`")),
        }
    }

    /// A section begins.
    fn open(&mut self, text: &str, cells: &[&str]) -> Result<(), ReadError> {
        let place = Place::Line(self.line);
        let name = cells[0].to_lowercase();
        self.section = match name.as_str() {
            "*network" => Section::None,
            "*vertices" if self.claim.is_some() => {
                return Err(self.builder.unsupported(place, "a second `*Vertices`"));
            }
            "*vertices" => {
                let count = cells.get(1).and_then(|count| count.parse().ok());
                let Some(count) = count else {
                    return Err(self.malformed(excerpt(text.as_bytes()), "`*Vertices NUMBER`"));
                };
                if cells.len() > 2 {
                    let text = "the network has two modes, and is read as one graph";
                    self.builder.remarks.push(text.to_owned());
                }
                self.claim = Some((count, self.line));
                Section::Vertices
            }
            "*arcs" => Section::Links { directed: true },
            "*edges" => Section::Links { directed: false },
            "*arcslist" => Section::Lists { directed: true },
            "*edgeslist" => Section::Lists { directed: false },
            other => {
                let found = format!("the section `{other}`");
                return Err(self.builder.unsupported(place, &found));
            }
        };
        if let Section::Links { .. } | Section::Lists { .. } = self.section {
            if self.claim.is_none() {
                return Err(self.malformed(excerpt(text.as_bytes()), "`*Vertices` before it"));
            }
            let relation = cells[1..].join(" ");
            if self.relation.get_or_insert_with(|| relation.clone()) != &relation {
                let remedy = "write a file for each relation, and give them as views";
                let (found, expected) = ("several relations", "links of one relation");
                let path = self.builder.path;
                return Err(ReadError::unsupported(path, place, found, expected, remedy));
            }
        }
        Ok(())
    }

    /// The number of a vertex, which must be within the claim.
    fn number(&self, cell: &str) -> Result<u64, ReadError> {
        let claimed = self.claim.map_or(0, |claim| claim.0);
        match cell.parse::<u64>() {
            Ok(number) if (1..=claimed).contains(&number) => Ok(number),
            _ => {
                let (place, found) = (Place::Line(self.line), excerpt(cell.as_bytes()));
                let expected = format!("the number of a vertex, from 1 to {claimed}");
                let remedy = "correct the number, or the count after `*Vertices`";
                Err(ReadError::index(self.builder.path, place, found, expected, remedy))
            }
        }
    }

    /// A vertex: number, label, coordinates, shape, and pairs of a name and a value.
    fn vertex(&mut self, cells: &[&str]) -> Result<(), ReadError> {
        let number = self.number(cells[0])?;
        let node = self.builder.node(&number.to_string(), self.line)?;
        let Some(label) = cells.get(1) else { return Ok(()) };
        self.builder.name(node, label);
        let mut rest = &cells[2..];
        let coordinates = rest.iter().take(3).take_while(|cell| cell.parse::<f64>().is_ok());
        rest = &rest[coordinates.count()..];
        if rest.first().is_some_and(|cell| cell.starts_with('[')) {
            self.builder.ignore_node_data("times");
            rest = &rest[1..];
        }
        let is_shape = |cell: &&str| SHAPES.contains(&cell.to_lowercase().as_str());
        if rest.first().is_some_and(is_shape) {
            rest = &rest[1..];
        }
        let (pairs, odd) = rest.as_chunks::<2>();
        if let [odd] = odd {
            let found = format!("{} without a value", excerpt(odd.as_bytes()));
            return Err(self.malformed(found, "pairs of a name and a value after the shape"));
        }
        for [name, value] in pairs {
            if !DRAWING.contains(&name.to_lowercase().as_str()) {
                let column = self.builder.column(name);
                self.builder.cell(node, column, value);
            }
        }
        Ok(())
    }

    fn join(&mut self, source: u64, target: u64, directed: bool) -> Result<(), ReadError> {
        let ends = [source, target].map(|end| end.to_string());
        self.builder.link([&ends[0], &ends[1]], Some(directed), self.line)
    }

    /// A link: two vertices, perhaps a weight, and how it is drawn.
    fn link(&mut self, cells: &[&str], directed: bool) -> Result<(), ReadError> {
        let [source, target, rest @ ..] = cells else {
            return Err(self.malformed(excerpt(cells[0].as_bytes()), "the numbers of two vertices"));
        };
        let (source, target) = (self.number(source)?, self.number(target)?);
        self.join(source, target, directed)?;
        let (weights, rest) = match rest {
            [first, ..] if first.parse::<f64>().is_ok() => rest.split_at(1),
            _ => rest.split_at(0),
        };
        weights.iter().for_each(|weight| self.builder.link_data("weight", weight));
        let (times, rest) = match rest {
            [first, ..] if first.starts_with('[') => rest.split_at(1),
            _ => rest.split_at(0),
        };
        times.iter().for_each(|_| self.builder.ignore_link_data("times"));
        for name in rest.iter().step_by(2) {
            if !DRAWING.contains(&name.to_lowercase().as_str()) {
                self.builder.ignore_link_data(name);
            }
        }
        Ok(())
    }

    /// Vertices may go without a line of their own; how many there are is a claim.
    fn finish(mut self) -> Result<GraphFile, ReadError> {
        let Some((count, line)) = self.claim else {
            return Err(self.malformed("no vertices", EXPECTED));
        };
        let given = self.builder.order.len() as u64;
        let most = VERTICES_PER_LINE.saturating_mul(self.line).max(FREE_VERTICES);
        if count > most {
            let (place, found) = (Place::Line(line), format!("{count} vertices"));
            let expected = format!("at most {most} in a file of {} lines", self.line);
            let remedy = "check the count after `*Vertices`";
            return Err(ReadError::too_large(self.builder.path, place, found, expected, remedy));
        }
        if given < count {
            for number in 1..=count {
                let id = number.to_string();
                if !self.builder.is_declared(&id) {
                    self.builder.node(&id, line)?;
                }
            }
        }
        self.builder.finish()
    }
}

/// The cells of a line, of which some are in quotes; `None` if a quote is not where it may be.
fn split(line: &str) -> Option<Vec<&str>> {
    let mut cells = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        let quoted = rest.strip_prefix('"');
        let (cell, after) = match quoted {
            Some(body) => body.split_at_checked(body.find('"')?)?,
            None => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
        };
        let after = if quoted.is_some() { &after[1..] } else { after };
        if !after.is_empty() && !after.starts_with(char::is_whitespace) {
            return None;
        }
        cells.push(cell);
        rest = after.trim_start();
    }
    Some(cells)
}
