//! Writes embeddings as comma- and tab-separated tables.

use std::fmt::Write as _;
use std::io::{self, Write};

use rayon::prelude::*;

use gage_core::graph::Nodes;
use gage_linalg::AnyTall;

use crate::contents::EmbeddingRef;

/// Rows one thread turns into text at a time.
const ROWS: usize = 512;
/// Chunks made in parallel before they are written.
const CHUNKS: usize = 64;

/// Writes rows in order, made into text in parallel.
pub(crate) fn write_rows(
    embedding: &EmbeddingRef<'_>,
    out: &mut dyn Write,
    line: impl Fn(usize, &mut String) + Sync,
) -> io::Result<()> {
    let count = embedding.nodes.len();
    for batch in (0..count).step_by(ROWS * CHUNKS) {
        let end = (batch + ROWS * CHUNKS).min(count);
        let starts: Vec<usize> = (batch..end).step_by(ROWS).collect();
        let chunks: Vec<String> = starts
            .into_par_iter()
            .map(|start| {
                let mut text = String::new();
                (start..(start + ROWS).min(end)).for_each(|row| line(row, &mut text));
                text
            })
            .collect();
        for chunk in chunks {
            out.write_all(chunk.as_bytes())?;
        }
    }
    Ok(())
}

/// The numbers of a row, each in the shortest form that reads back to the same bits.
pub(crate) fn push_row(values: &AnyTall, row: usize, separator: char, text: &mut String) {
    // Writing to a string cannot fail.
    match values {
        AnyTall::F32(tall) => tall.row(row).iter().for_each(|x| {
            let _ = write!(text, "{separator}{x:?}");
        }),
        AnyTall::F64(tall) => tall.row(row).iter().for_each(|x| {
            let _ = write!(text, "{separator}{x:?}");
        }),
    }
    text.push('\n');
}

/// A table with the header `id, e0, e1, ...`.
pub(crate) fn write_table(
    embedding: &EmbeddingRef<'_>,
    separator: char,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut header = "id".to_owned();
    for column in 0..embedding.values.cols() {
        let _ = write!(header, "{separator}e{column}");
    }
    header.push('\n');
    out.write_all(header.as_bytes())?;
    write_rows(embedding, out, |row, text| {
        push_quoted(&embedding.nodes.id(row), separator, text);
        push_row(embedding.values, row, separator, text);
    })
}

/// A cell, in quotes if it holds anything that would break the table.
pub(crate) fn push_quoted(cell: &str, separator: char, text: &mut String) {
    let plain = !cell.contains([separator, '"', '\n', '\r']) && cell.trim() == cell;
    if plain && !cell.is_empty() {
        text.push_str(cell);
    } else {
        text.push('"');
        text.push_str(&cell.replace('"', "\"\""));
        text.push('"');
    }
}

/// Writes ids, one a line.
pub fn write_ids(nodes: &Nodes, out: &mut dyn Write) -> io::Result<()> {
    nodes.borrowed_ids().try_for_each(|id| {
        out.write_all(id.as_bytes())?;
        out.write_all(b"\n")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_only_where_needed() {
        let quoted = |cell: &str| {
            let mut text = String::new();
            push_quoted(cell, ',', &mut text);
            text
        };
        assert_eq!(quoted("plain id"), "plain id");
        assert_eq!(quoted("a,b"), "\"a,b\"");
        assert_eq!(quoted("say \"hi\""), "\"say \"\"hi\"\"\"");
        assert_eq!(quoted(" padded "), "\" padded \"");
        assert_eq!(quoted(""), "\"\"");
    }
}
