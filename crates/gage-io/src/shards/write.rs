//! Writes a data set in shards, one part after the other.

use std::fs;
use std::io;
use std::path::Path;

use gage_core::artifact::write_atomically;
use gage_core::fingerprint::Hash;
use gage_core::graph::{Block, BlockKind, Graph, Matrix};

use super::manifest::{BlockEntry, FORMAT, Manifest, PartEntry};
use super::part_file::to_bytes;
use super::{MANIFEST, part_name};
use crate::artifact::error::WriteError;

/// Entries of a column from which on columns are counted by powers of two.
const COUNTED: usize = 64;

/// Writes a graph as so many parts with about equally many entries plus rows. Of a graph whose
/// matrices are mapped, no more than one part is in memory at a time (and, of each block, a number
/// for each column). The folder must be new or empty.
pub fn write_shards(graph: &Graph, folder: &Path, parts: usize) -> Result<Manifest, WriteError> {
    let fail = |source| WriteError::Io { path: folder.to_owned(), source };
    fs::create_dir_all(folder).map_err(fail)?;
    if fs::read_dir(folder).map_err(fail)?.next().is_some() {
        return Err(fail(io::Error::new(io::ErrorKind::AlreadyExists, "the folder is not empty")));
    }
    let nodes = graph.nodes().len();
    let starts = starts(graph, parts.clamp(1, nodes.max(1)));
    let mut entries = Vec::with_capacity(starts.len());
    for (part, range) in starts.windows(2).enumerate() {
        let folder = folder.join(part_name(part));
        let own = graph.part(range[0]..range[1]).map_err(|error| WriteError::Format {
            path: folder.clone(),
            message: error.to_string(),
        })?;
        entries.push(write_part(&own, &folder)?);
    }
    let manifest = Manifest {
        format: FORMAT.to_owned(),
        nodes,
        named: graph.nodes().is_named(),
        blocks: graph.blocks().iter().map(block_entry).collect(),
        parts: entries,
    };
    let path = folder.join(MANIFEST);
    let text = |out: &mut dyn io::Write| -> io::Result<()> {
        serde_json::to_writer_pretty(out, &manifest).map_err(io::Error::from)
    };
    write_atomically(&path, text).map_err(|source| WriteError::Io { path, source })?;
    Ok(manifest)
}

/// The first node of every part, and the number of nodes.
fn starts(graph: &Graph, parts: usize) -> Vec<usize> {
    let nodes = graph.nodes().len();
    let before = |row: usize| -> u64 {
        let entries = graph.blocks().iter().map(|block| match &block.matrix {
            Matrix::Sparse(matrix) => matrix.indptr()[row],
            Matrix::Dense(matrix) => (row * matrix.cols()) as u64,
        });
        row as u64 + entries.sum::<u64>()
    };
    let total = before(nodes) as u128;
    let mut starts = vec![0];
    for part in 1..parts {
        let goal = (total * part as u128 / parts as u128) as u64;
        let last = starts[starts.len() - 1];
        // Every part has a node.
        let (mut low, mut high) = (last + 1, nodes - (parts - part));
        while low < high {
            let middle = (low + high) / 2;
            if before(middle) < goal { low = middle + 1 } else { high = middle }
        }
        starts.push(low);
    }
    starts.push(nodes);
    starts
}

fn write_part(own: &Graph, folder: &Path) -> Result<PartEntry, WriteError> {
    let fail = |source| WriteError::Io { path: folder.to_owned(), source };
    fs::create_dir(folder).map_err(fail)?;
    let nodes = own.nodes();
    let range = nodes.first()..nodes.first() + nodes.len();
    let mut part = PartEntry {
        first: nodes.first(),
        nodes: nodes.len(),
        entries: Vec::new(),
        touched: Vec::new(),
        foreign: Vec::new(),
        bytes: 0,
        hashes: Vec::new(),
    };
    let mut write = |name: &str, bytes: &[u8]| -> Result<(), WriteError> {
        let path = folder.join(name);
        fs::write(&path, bytes).map_err(|source| WriteError::Io { path, source })?;
        part.bytes += bytes.len() as u64;
        part.hashes.push(hash_of(bytes));
        Ok(())
    };
    for (at, block) in own.blocks().iter().enumerate() {
        write(&format!("block-{at}.rows"), &to_bytes(block))?;
    }
    if let Some((text, ends)) = nodes.as_text() {
        write("nodes.ends", &ends.iter().flat_map(|end| end.to_le_bytes()).collect::<Vec<u8>>())?;
        write("nodes.text", text.as_bytes())?;
    }
    for block in own.blocks() {
        let touched = match &block.matrix {
            Matrix::Sparse(matrix) => matrix.compacted().1,
            Matrix::Dense(matrix) => (0..matrix.cols() as u32).collect(),
        };
        let links = matches!(block.kind, BlockKind::Links { .. });
        let foreign = touched.iter().filter(|&&at| links && !range.contains(&(at as usize)));
        part.entries.push(block.matrix.nnz() as u64);
        part.foreign.push(foreign.count() as u64);
        part.touched.push(touched.len() as u64);
    }
    Ok(part)
}

/// The hash of a file.
pub(super) fn hash_of(bytes: &[u8]) -> String {
    let mut hash = Hash::default();
    hash.bytes(bytes);
    hash.text_form()
}

fn block_entry(block: &Block) -> BlockEntry {
    let (links, directed) = match block.kind {
        BlockKind::Links { directed } => (true, directed),
        BlockKind::Attributes => (false, false),
    };
    let (symmetric, dense, (row_squares, column_squares), column_entries) = match &block.matrix {
        Matrix::Sparse(matrix) => {
            let mut counts = vec![0u32; matrix.cols()];
            matrix.indices().iter().for_each(|&col| counts[col as usize] += 1);
            let square = |ends: &[u64]| ((ends[1] - ends[0]) as f64).powi(2);
            let of_rows = matrix.indptr().windows(2).map(square);
            let of_columns = counts.iter().map(|&count| f64::from(count).powi(2));
            let squares = (of_rows.sum(), of_columns.sum());
            (links && matrix.is_symmetric(), false, squares, histogram(&counts))
        }
        Matrix::Dense(matrix) => {
            let columns = vec![[matrix.rows() as f64, matrix.cols() as f64]];
            (false, true, (0.0, 0.0), columns)
        }
    };
    BlockEntry {
        name: block.name.clone(),
        links,
        directed,
        symmetric,
        columns: block.matrix.cols(),
        entries: block.matrix.nnz() as u64,
        dense,
        row_squares,
        column_squares,
        column_entries,
    }
}

/// How many columns have how many entries.
fn histogram(counts: &[u32]) -> Vec<[f64; 2]> {
    let bin = |count: u32| match count as usize {
        count if count < COUNTED => count,
        _ => COUNTED + (count.ilog2() - COUNTED.ilog2()) as usize,
    };
    let mut bins = vec![[0.0, 0.0]; COUNTED + 32];
    for &count in counts {
        let [entries, columns] = &mut bins[bin(count)];
        *entries += f64::from(count);
        *columns += 1.0;
    }
    bins.retain(|bin| bin[1] > 0.0);
    bins.iter_mut().for_each(|bin| bin[0] /= bin[1]);
    bins
}
