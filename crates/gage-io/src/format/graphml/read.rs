//! Reads GraphML files: XML events, with bounded tags and texts.

use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::rc::Rc;

use quick_xml::Reader;
use quick_xml::events::Event;

use crate::error::{Place, ReadError, excerpt};
use crate::reading::ColumnOptions;
use crate::source::open;
use crate::text::lines::MAX_LINE_BYTES;

use super::parse::Parser;
use super::tables::{EXPECTED, GraphMlFile};

/// Reads a GraphML file (`.graphml`, perhaps `.gz` or `.zst`): one graph with its nodes and links.
/// Data of nodes become an attribute table by the rules of text tables; data of links called
/// `weight` are their weights. Links are undirected if the graph or the link says so. Nested graphs
/// and hyperedges are refused.
pub fn read_graphml(path: impl AsRef<Path>) -> Result<GraphMlFile, ReadError> {
    read_graphml_with(path.as_ref(), &ColumnOptions::default())
}

pub(crate) fn read_graphml_with(
    path: &Path,
    options: &ColumnOptions,
) -> Result<GraphMlFile, ReadError> {
    let source = open(path, EXPECTED)?;
    let inner = source.reader().map_err(|error| ReadError::from_io(path, Place::Byte(0), error))?;
    let (line, left) = (Rc::new(Cell::new(1)), Rc::new(Cell::new(0)));
    let counted = Counted { inner: BufReader::new(inner), line: line.clone(), left: left.clone() };
    let mut reader = Reader::from_reader(counted);
    let mut parser = Parser::new(path, line.clone(), options);
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        // What no line of text may exceed, no tag or text may either.
        left.set(MAX_LINE_BYTES);
        let event = reader.read_event_into(&mut buffer).map_err(|error| match error {
            quick_xml::Error::Io(error) => {
                let error = io::Error::new(error.kind(), error.to_string());
                ReadError::from_io(path, Place::Line(line.get()), error)
            }
            other => parser.malformed(other.to_string(), "XML"),
        })?;
        match event {
            Event::Start(tag) => parser.open(&tag)?,
            Event::Empty(tag) => {
                parser.open(&tag)?;
                parser.close()?;
            }
            Event::End(_) => parser.close()?,
            Event::Text(text) => parser.text(&text.xml10_content())?,
            Event::CData(text) => parser.text(&text.xml10_content())?,
            Event::GeneralRef(entity) => {
                let number = entity.resolve_char_ref();
                let number = number.map_err(|e| parser.malformed(e.to_string(), "a character"))?;
                let name = entity.xml10_content();
                match (number, quick_xml::escape::resolve_predefined_entity(&name)) {
                    (Some(letter), _) => parser.text(letter.encode_utf8(&mut [0; 4]))?,
                    (None, Some(text)) => parser.text(text)?,
                    (None, None) => {
                        let found = format!("the entity {}", excerpt(name.as_bytes()));
                        return Err(parser.malformed(found, "text without entities of its own"));
                    }
                }
            }
            Event::Eof => return parser.finish(),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
}

/// Counts lines, and lets no single tag or text grow without bound.
struct Counted<R> {
    inner: R,
    line: Rc<Cell<u64>>,
    left: Rc<Cell<usize>>,
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let got = self.fill_buf()?.len().min(out.len());
        out[..got].copy_from_slice(&self.inner.fill_buf()?[..got]);
        self.consume(got);
        Ok(got)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.left.get() == 0 {
            let text = format!("a tag or text beyond {MAX_LINE_BYTES} bytes");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
        }
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        let lines = self.inner.fill_buf().map_or(0, |buffer| {
            buffer[..amount.min(buffer.len())].iter().filter(|&&byte| byte == b'\n').count()
        });
        self.line.set(self.line.get() + lines as u64);
        self.left.set(self.left.get().saturating_sub(amount));
        self.inner.consume(amount);
    }
}
