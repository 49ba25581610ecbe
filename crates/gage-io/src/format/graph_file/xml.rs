//! XML for the graph formats made of it: events, with bounded tags and texts.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::error::{Place, ReadError, excerpt};
use crate::text::lines::MAX_LINE_BYTES;

use super::GraphFile;
use super::bounded::{Bounded, Position};
use super::builder::GraphFileBuilder;

/// A tag that opens, without its namespace, and its attributes.
pub(super) struct Tag {
    pub(super) name: String,
    attributes: HashMap<String, String>,
}

impl Tag {
    /// Removes and returns an attribute.
    pub(super) fn take(&mut self, what: &str) -> Option<String> {
        self.attributes.remove(what)
    }
}

/// A file while its tags are read.
pub(super) struct XmlFile<'a> {
    pub(super) builder: GraphFileBuilder<'a>,
    position: Position,
}

impl XmlFile<'_> {
    /// The line that is read.
    pub(super) fn line(&self) -> u64 {
        self.position.line()
    }

    pub(super) fn malformed(
        &self,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> ReadError {
        self.builder.malformed(Place::Line(self.line()), found, expected)
    }

    pub(super) fn unsupported(&self, found: &str) -> ReadError {
        self.builder.unsupported(Place::Line(self.line()), found)
    }

    /// Removes and returns an attribute that a tag must have.
    pub(super) fn required(&self, tag: &mut Tag, what: &str) -> Result<String, ReadError> {
        let found = || self.malformed(format!("<{}> without `{what}`", tag.name), "one");
        tag.attributes.remove(what).ok_or_else(found)
    }

    fn tag(&self, tag: &BytesStart<'_>) -> Result<Tag, ReadError> {
        let mut attributes = HashMap::new();
        for attribute in tag.attributes() {
            let attribute = attribute.map_err(|e| self.malformed(e.to_string(), "attributes"))?;
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            let value = value.map_err(|error| self.malformed(error.to_string(), "a value"))?;
            attributes.insert(attribute.key.as_ref().to_owned(), value.into_owned());
        }
        Ok(Tag { name: tag.local_name().as_ref().to_owned(), attributes })
    }
}

/// What a format makes of the tags.
pub(super) trait XmlFormat {
    /// A tag opens.
    fn open(&mut self, file: &mut XmlFile<'_>, tag: Tag) -> Result<(), ReadError>;
    /// The tag that opened last, of those still open, closes after `text`.
    fn close(&mut self, file: &mut XmlFile<'_>, text: &str) -> Result<(), ReadError>;
    /// What is missing at the end of the file, if anything is.
    fn missing(&self) -> Option<&'static str>;
}

/// Reads a file of one of the formats.
pub(super) fn read_xml(
    builder: GraphFileBuilder<'_>,
    mut format: impl XmlFormat,
) -> Result<GraphFile, ReadError> {
    let path = builder.path;
    let (input, position) = Bounded::open(path, builder.expected)?;
    let mut reader = Reader::from_reader(input);
    let mut file = XmlFile { builder, position };
    let (mut buffer, mut text) = (Vec::new(), String::new());
    loop {
        buffer.clear();
        file.position.part();
        let event = reader.read_event_into(&mut buffer);
        match event.map_err(|error| not_xml(path, &file, error))? {
            Event::Start(tag) => {
                text.clear();
                let tag = file.tag(&tag)?;
                format.open(&mut file, tag)?;
            }
            Event::Empty(tag) => {
                text.clear();
                let tag = file.tag(&tag)?;
                format.open(&mut file, tag)?;
                format.close(&mut file, "")?;
            }
            Event::End(_) => {
                format.close(&mut file, text.trim())?;
                text.clear();
            }
            Event::Text(part) => text.push_str(&part.xml10_content()),
            Event::CData(part) => text.push_str(&part.xml10_content()),
            Event::GeneralRef(entity) => {
                let number = entity.resolve_char_ref();
                let number = number.map_err(|e| file.malformed(e.to_string(), "a character"))?;
                let name = entity.xml10_content();
                match (number, quick_xml::escape::resolve_predefined_entity(&name)) {
                    (Some(letter), _) => text.push(letter),
                    (None, Some(known)) => text.push_str(known),
                    (None, None) => {
                        let found = format!("the entity {}", excerpt(name.as_bytes()));
                        return Err(file.malformed(found, "text without entities of its own"));
                    }
                }
            }
            Event::Eof => break,
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
        if text.len() > MAX_LINE_BYTES {
            return Err(file.malformed("a text beyond all bounds", "a shorter one"));
        }
    }
    match format.missing() {
        Some(found) => {
            let expected = format!("all of {}", file.builder.expected);
            Err(file.malformed(found, expected))
        }
        None => file.builder.finish(),
    }
}

fn not_xml(path: &Path, file: &XmlFile<'_>, error: quick_xml::Error) -> ReadError {
    match error {
        quick_xml::Error::Io(error) => {
            let error = io::Error::new(error.kind(), error.to_string());
            ReadError::from_io(path, Place::Line(file.line()), error)
        }
        other => file.malformed(other.to_string(), "XML"),
    }
}
