//! Embeddings as word2vec, text and binary.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

use memchr::memchr;

use gage_core::graph::Nodes;
use gage_linalg::{AnyTall, Tall};

use crate::contents::EmbeddingRef;
use crate::error::{Place, ReadError};
use crate::format::delimited::read::NumberRows;
use crate::format::delimited::write::{push_row, write_rows};
use crate::format::embedding_error::{bad, content, unique_nodes, unreadable};

/// word2vec text: `nodes columns`, then one line per node.
pub(crate) fn write_word2vec(embedding: &EmbeddingRef<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{} {}", embedding.nodes.len(), embedding.values.cols())?;
    write_rows(embedding, out, |row, text| {
        text.push_str(&embedding.nodes.id(row));
        push_row(embedding.values, row, ' ', text);
    })
}

/// word2vec binary: the same, with numbers as little-endian single precision.
pub(crate) fn write_word2vec_binary(
    embedding: &EmbeddingRef<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{} {}", embedding.nodes.len(), embedding.values.cols())?;
    for row in 0..embedding.nodes.len() {
        write!(out, "{} ", embedding.nodes.id(row))?;
        for value in embedding.values.row_f64(row) {
            out.write_all(&(value as f32).to_le_bytes())?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Nodes and columns, as the first line of word2vec says.
pub(crate) fn parse_header(header: &str) -> Option<(usize, usize)> {
    let (rows, columns) = header.trim_end().split_once(' ')?;
    Some((rows.parse().ok()?, columns.parse().ok()?))
}

/// Reads word2vec text.
pub(crate) fn read_word2vec(path: &Path) -> Result<(Nodes, AnyTall), ReadError> {
    let mut lines = BufReader::new(content(path)?).lines();
    let header =
        lines.next().transpose().map_err(|error| unreadable(path, error))?.unwrap_or_default();
    let Some((count, columns)) = parse_header(&header) else {
        return Err(bad(path, Place::Line(1), format!("`{header}`"), "`nodes columns`"));
    };
    let (mut ids, mut rows) = (Vec::new(), NumberRows::new(columns));
    for line in lines {
        let line = line.map_err(|error| unreadable(path, error))?;
        let number = ids.len() as u64 + 2;
        let place = || Place::Line(number);
        let mut cells = line.trim_end().split(' ');
        ids.push(cells.next().unwrap_or_default().to_owned());
        let before = rows.len();
        for cell in cells {
            rows.push(cell).ok_or_else(|| bad(path, place(), format!("`{cell}`"), "a number"))?;
        }
        let found = rows.len() - before;
        if found != columns {
            let expected = format!("{columns} as line 1 says");
            return Err(bad(path, place(), format!("{found} numbers"), &expected));
        }
    }
    if ids.len() != count {
        let expected = format!("{count} as line 1 says");
        return Err(bad(path, Place::File, format!("{} rows", ids.len()), &expected));
    }
    Ok((unique_nodes(path, ids)?, rows.finish()))
}

/// Reads word2vec binary.
pub(crate) fn read_word2vec_binary(path: &Path) -> Result<(Nodes, AnyTall), ReadError> {
    let mut bytes = Vec::new();
    content(path)?.read_to_end(&mut bytes).map_err(|error| unreadable(path, error))?;
    let header_end = bytes.iter().take(64).position(|&byte| byte == b'\n').unwrap_or(0);
    let header = String::from_utf8_lossy(&bytes[..header_end]).into_owned();
    let Some((count, columns)) = parse_header(&header) else {
        return Err(bad(path, Place::Line(1), format!("`{header}`"), "`nodes columns`"));
    };
    let mut rest = &bytes[(header_end + 1).min(bytes.len())..];
    // Sizes are a claim until the bytes are there: nothing is allocated from them.
    let (mut ids, mut values) = (Vec::new(), Vec::<f32>::new());
    for row in 0..count {
        let place = || Place::entry(format!("row {row}"));
        let cut = memchr(b' ', rest);
        let numbers = cut.and_then(|cut| rest.get(cut + 1..cut + 1 + columns.checked_mul(4)?));
        let (Some(cut), Some(numbers)) = (cut, numbers) else {
            return Err(bad(path, place(), "the end of the file", format!("{count} rows")));
        };
        let id = std::str::from_utf8(&rest[..cut]);
        let id = id.map_err(|_| bad(path, place(), "bytes that are not UTF-8", "an id"))?;
        ids.push(id.trim_start_matches('\n').to_owned());
        values
            .extend(numbers.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])));
        rest = &rest[cut + 1 + 4 * columns..];
    }
    let numbers = AnyTall::F32(Tall::from_rows(ids.len(), columns, |row, out| {
        out.copy_from_slice(&values[row * columns..(row + 1) * columns]);
    }));
    Ok((unique_nodes(path, ids)?, numbers))
}
