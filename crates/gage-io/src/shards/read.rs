//! Reads a data set in shards, by ranges of parts.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use gage_core::graph::{Block, BlockKind, Graph, Mask, Matrix, NamesBuilder, Nodes};
use gage_linalg::{DenseMatrix, SparseMatrix, Values};

use super::manifest::{BlockEntry, FORMAT, Manifest};
use super::part_file::{Rows, from_bytes};
use super::write::hash_of;
use super::{MANIFEST, part_name};
use crate::error::{Place, ReadError};

/// A data set in shards.
#[derive(Clone, Debug)]
pub struct Shards {
    folder: PathBuf,
    manifest: Manifest,
    hash: String,
}

impl Shards {
    /// Whether a folder holds a data set in shards.
    pub fn is_at(folder: &Path) -> bool {
        fs::read_to_string(folder.join(MANIFEST)).is_ok_and(|text| text.contains("\"gage shards "))
    }

    /// Reads the manifest.
    pub fn open(folder: &Path) -> Result<Shards, ReadError> {
        let path = folder.join(MANIFEST);
        let text = fs::read_to_string(&path).map_err(|error| {
            if error.kind() == std::io::ErrorKind::NotFound {
                let remedy = "convert a data set into shards; a folder without a manifest is of a \
                              conversion that did not finish";
                return ReadError::missing(&path, "a data set in shards").with(remedy);
            }
            ReadError::from_io(&path, Place::File, error)
        })?;
        let rebuild = "convert the data set again";
        let manifest: Manifest = serde_json::from_str(&text).map_err(|error| {
            let found = format!("a manifest that cannot be read ({error})");
            ReadError::malformed(&path, Place::File, found, "the manifest of shards", rebuild)
        })?;
        if manifest.format != FORMAT {
            let found = format!("format `{}`", manifest.format);
            return Err(ReadError::malformed(&path, Place::File, found, FORMAT, rebuild));
        }
        let mut next = 0;
        for part in &manifest.parts {
            let sizes = [part.entries.len(), part.touched.len(), part.foreign.len()];
            if part.first != next || sizes.iter().any(|&size| size != manifest.blocks.len()) {
                let found = format!("a part at node {} after {next} nodes", part.first);
                let expected = "parts one after another";
                return Err(ReadError::malformed(&path, Place::File, found, expected, rebuild));
            }
            next += part.nodes;
        }
        if next != manifest.nodes {
            let (found, expected) = (format!("{next} nodes"), format!("{}", manifest.nodes));
            return Err(ReadError::malformed(&path, Place::File, found, expected, rebuild));
        }
        let hash = hash_of(text.as_bytes());
        Ok(Shards { folder: folder.to_owned(), manifest, hash })
    }

    /// What there is.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// A hash of the manifest, which holds those of all parts.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The nodes of some parts with their blocks, as part of all nodes. Every file is compared with
    /// its hash.
    pub fn read(&self, parts: Range<usize>) -> Result<Graph, ReadError> {
        let manifest = &self.manifest;
        let mut rows: Vec<Vec<Rows>> = vec![Vec::new(); manifest.blocks.len()];
        let mut names = manifest.named.then(NamesBuilder::default);
        for part in parts.clone() {
            let mut file = 0;
            let mut next = |name: &str| {
                file += 1;
                self.file(part, file - 1, name)
            };
            for (at, rows) in rows.iter_mut().enumerate() {
                let name = format!("block-{at}.rows");
                let read = from_bytes(&next(&name)?);
                rows.push(read.map_err(|found| self.damaged(part, &name, found))?);
            }
            if let Some(names) = &mut names {
                let (ends, text) = (next("nodes.ends")?, next("nodes.text")?);
                self.names(part, &ends, &text, names)?;
            }
        }
        let range = manifest.nodes_of(&parts);
        let nodes = names.map_or_else(|| Nodes::numbered(range.len()), NamesBuilder::unique);
        let mut graph = Graph::new(nodes.as_part(range.start, manifest.nodes));
        for (entry, rows) in manifest.blocks.iter().zip(rows) {
            let block = block(entry, rows).map_err(|found| self.misfit(&entry.name, found))?;
            graph = graph
                .with_block(block)
                .map_err(|error| self.misfit(&entry.name, error.to_string()))?;
        }
        Ok(graph)
    }

    /// The bytes of a file of a part, which must have their hash.
    fn file(&self, part: usize, at: usize, name: &str) -> Result<Vec<u8>, ReadError> {
        let path = self.folder.join(part_name(part)).join(name);
        let bytes = fs::read(&path).map_err(|error| {
            if error.kind() == std::io::ErrorKind::NotFound {
                return ReadError::missing(&path, "a file of the shards that the manifest names");
            }
            ReadError::from_io(&path, Place::File, error)
        })?;
        let expected = self.manifest.parts[part].hashes.get(at);
        if expected.is_none_or(|expected| *expected != hash_of(&bytes)) {
            let found = "content of another hash".to_owned();
            return Err(self.damaged(part, name, found));
        }
        Ok(bytes)
    }

    fn damaged(&self, part: usize, name: &str, found: String) -> ReadError {
        let path = self.folder.join(part_name(part)).join(name);
        let remedy = "the file was changed or damaged after the conversion: copy it again, or \
                      convert the data set again";
        let expected = "the shard of the manifest";
        ReadError::damaged(&path, Place::File, found, expected).with(remedy)
    }

    fn misfit(&self, block: &str, found: String) -> ReadError {
        let found = format!("block `{block}`: {found}");
        let path = self.folder.join(MANIFEST);
        let (expected, remedy) = ("parts that fit together", "convert the data set again");
        ReadError::malformed(&path, Place::File, found, expected, remedy)
    }

    fn names(
        &self,
        part: usize,
        ends: &[u8],
        text: &[u8],
        names: &mut NamesBuilder,
    ) -> Result<(), ReadError> {
        let bad = || self.damaged(part, "nodes.text", "names that are no text".to_owned());
        let text = std::str::from_utf8(text).map_err(|_| bad())?;
        let mut first = 0;
        for end in ends.chunks_exact(8) {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(end);
            let end = u64::from_le_bytes(bytes) as usize;
            names.push(text.get(first..end).ok_or_else(bad)?);
            first = end;
        }
        Ok(())
    }
}

/// One block of the rows of several parts.
fn block(entry: &BlockEntry, rows: Vec<Rows>) -> Result<Block, String> {
    let kind = match entry.links {
        true => BlockKind::Links { directed: entry.directed },
        false => BlockKind::Attributes,
    };
    let masked = rows.iter().any(|(_, mask)| mask.is_some());
    let flags = rows.iter().flat_map(|(matrix, mask)| match mask {
        Some(mask) => mask.as_slice().to_vec(),
        None => vec![true; matrix.rows()],
    });
    let observed = masked.then(|| Mask::new(flags.collect()));
    let matrix = if entry.dense {
        Matrix::Dense(dense(entry.columns, &rows).ok_or("numbers missing")?)
    } else {
        let sparse = sparse(entry.columns, &rows).ok_or("rows of another kind")?;
        Matrix::Sparse(if entry.links { sparse.with_symmetry(entry.symmetric) } else { sparse })
    };
    Ok(Block { kind, observed, ..Block::attributes(&entry.name, matrix) })
}

fn sparse(cols: usize, rows: &[Rows]) -> Option<SparseMatrix> {
    let (mut pointers, mut indices) = (vec![0u64], Vec::new());
    let mut values: Option<Vec<f64>> = None;
    let mut single = true;
    for (matrix, _) in rows {
        let Matrix::Sparse(matrix) = matrix else { return None };
        let before = indices.len();
        pointers.extend(matrix.indptr()[1..].iter().map(|end| before as u64 + end));
        indices.extend_from_slice(matrix.indices());
        if !matches!(matrix.values(), Values::Ones) || values.is_some() {
            let values = values.get_or_insert_with(|| vec![1.0; before]);
            values.extend((0..matrix.nnz()).map(|at| matrix.values().get(at)));
        }
        single &= !matches!(matrix.values(), Values::F64(_));
    }
    let values = match values {
        None => Values::Ones,
        Some(values) if single => {
            Values::F32(values.into_iter().map(|v| v as f32).collect::<Vec<_>>().into())
        }
        Some(values) => Values::F64(values.into()),
    };
    SparseMatrix::new(pointers.len() - 1, cols, pointers, indices, values).ok()
}

fn dense(cols: usize, rows: &[Rows]) -> Option<DenseMatrix> {
    let mut values = Vec::new();
    for (matrix, _) in rows {
        let Matrix::Dense(matrix) = matrix else { return None };
        let places = (0..matrix.rows()).flat_map(|row| (0..cols).map(move |col| (row, col)));
        values.extend(places.map(|(row, col)| matrix.get(row, col)));
    }
    DenseMatrix::from_f64(values.len() / cols.max(1), cols, values)
}
