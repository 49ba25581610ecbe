//! Embeddings as text: comma- and tab-separated tables, and word2vec in its two forms.

use std::fmt::Write as _;
use std::io::{self, Write};

use gage_embed::AnyTall;
use rayon::prelude::*;

use super::Embedding;

/// Rows one thread turns into text at a time.
const ROWS: usize = 512;
/// Pieces made in parallel before they are written.
const PIECES: usize = 64;

/// Writes rows in order, made into text in parallel.
fn rows(
    embedding: &Embedding<'_>,
    out: &mut dyn Write,
    line: impl Fn(usize, &mut String) + Sync,
) -> io::Result<()> {
    let count = embedding.nodes.len();
    for batch in (0..count).step_by(ROWS * PIECES) {
        let end = (batch + ROWS * PIECES).min(count);
        let starts: Vec<usize> = (batch..end).step_by(ROWS).collect();
        let pieces: Vec<String> = starts
            .into_par_iter()
            .map(|start| {
                let mut text = String::new();
                (start..(start + ROWS).min(end)).for_each(|row| line(row, &mut text));
                text
            })
            .collect();
        for piece in pieces {
            out.write_all(piece.as_bytes())?;
        }
    }
    Ok(())
}

/// The numbers of a row, each in the shortest form that reads back to the same bits.
fn push_row(numbers: &AnyTall, row: usize, separator: char, text: &mut String) {
    // Writing to a string cannot fail.
    match numbers {
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
    embedding: &Embedding<'_>,
    separator: char,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut header = "id".to_owned();
    for column in 0..embedding.numbers.cols() {
        let _ = write!(header, "{separator}e{column}");
    }
    header.push('\n');
    out.write_all(header.as_bytes())?;
    rows(embedding, out, |row, text| {
        push_quoted(&embedding.nodes.id(row), separator, text);
        push_row(embedding.numbers, row, separator, text);
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

/// word2vec text: `nodes columns`, then one line per node.
pub(crate) fn write_word2vec(embedding: &Embedding<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{} {}", embedding.nodes.len(), embedding.numbers.cols())?;
    rows(embedding, out, |row, text| {
        text.push_str(&embedding.nodes.id(row));
        push_row(embedding.numbers, row, ' ', text);
    })
}

/// word2vec binary: the same, with numbers as little-endian single precision.
pub(crate) fn write_word2vec_binary(
    embedding: &Embedding<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{} {}", embedding.nodes.len(), embedding.numbers.cols())?;
    for row in 0..embedding.nodes.len() {
        write!(out, "{} ", embedding.nodes.id(row))?;
        for value in embedding.numbers.row_f64(row) {
            out.write_all(&(value as f32).to_le_bytes())?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Ids, one a line.
pub(crate) fn write_ids(embedding: &Embedding<'_>, out: &mut dyn Write) -> io::Result<()> {
    embedding.nodes.borrowed_ids().try_for_each(|id| {
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
