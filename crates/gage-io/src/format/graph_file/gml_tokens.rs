//! The tokens of GML: keys, numbers, texts and brackets, over lines.

use std::path::Path;

use crate::error::{Place, ReadError, excerpt};
use crate::text::lines::{Lines, MAX_LINE_BYTES};

/// A piece of a file.
#[derive(Debug, PartialEq)]
pub(super) enum Token {
    /// a word without quotes: a key, or a number
    Word(String),
    /// a text in quotes
    Text(String),
    Open,
    Close,
}

/// Reads a file token by token.
pub(super) struct Tokens<'a> {
    path: &'a Path,
    lines: Lines,
    text: String,
    /// where the rest of the line begins
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn open(path: &'a Path, expected: &str) -> Result<Tokens<'a>, ReadError> {
        Ok(Tokens { path, lines: Lines::open(path, expected)?, text: String::new(), at: 0 })
    }

    /// The line of the last token.
    pub(super) fn line(&self) -> u64 {
        self.lines.line().max(1)
    }

    pub(super) fn malformed(&self, found: impl Into<String>, expected: &str) -> ReadError {
        let remedy = "write the file again, for instance with networkx.write_gml";
        ReadError::malformed(self.path, Place::Line(self.line()), found, expected, remedy)
    }

    /// The next token, if any.
    pub(super) fn next(&mut self) -> Result<Option<Token>, ReadError> {
        loop {
            let rest = self.text[self.at..].trim_start();
            let start = self.text.len() - rest.len();
            let Some(first) = rest.chars().next().filter(|&first| first != '#') else {
                if !self.next_line()? {
                    return Ok(None);
                }
                continue;
            };
            self.at = start + first.len_utf8();
            return Ok(Some(match first {
                '[' => Token::Open,
                ']' => Token::Close,
                '"' => Token::Text(self.quoted()?),
                _ => {
                    let ends = |c: char| c.is_whitespace() || matches!(c, '[' | ']' | '"');
                    let length = rest.find(ends).unwrap_or(rest.len());
                    self.at = start + length;
                    Token::Word(rest[..length].to_owned())
                }
            }));
        }
    }

    fn next_line(&mut self) -> Result<bool, ReadError> {
        self.text.clear();
        self.at = 0;
        let Some(line) = self.lines.next()? else { return Ok(false) };
        self.text.push_str(line);
        Ok(true)
    }

    /// The rest of a text in quotes, which may run over lines.
    fn quoted(&mut self) -> Result<String, ReadError> {
        let mut text = String::new();
        let first = self.line();
        loop {
            let rest = &self.text[self.at..];
            if let Some(end) = rest.find('"') {
                text.push_str(&rest[..end]);
                self.at += end + 1;
                return Ok(unescape(&text));
            }
            text.push_str(rest);
            text.push('\n');
            if text.len() > MAX_LINE_BYTES || !self.next_line()? {
                let found = format!("a quote that never closes in {}", excerpt(text.as_bytes()));
                let (place, remedy) = (Place::Line(first), "close the quote; write `&quot;` in it");
                let expected = "a closing quote";
                return Err(ReadError::malformed(self.path, place, found, expected, remedy));
            }
        }
    }
}

/// Replaces the entities of XML; others stay as they are.
fn unescape(text: &str) -> String {
    match quick_xml::escape::unescape(text) {
        Ok(plain) => plain.into_owned(),
        Err(_) => text.to_owned(),
    }
}
