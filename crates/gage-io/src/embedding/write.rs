//! Writes embeddings in every format.

use std::path::Path;

use gage_core::graph::Nodes;
use gage_linalg::{AnyTall, Tall};

use crate::artifact::error::WriteError;
use crate::artifact::staging::{Staging, Target};
use crate::contents::EmbeddingRef;
use crate::embedding::format::{EmbeddingFormat, ids_path};
use crate::format::npy::write::NpyArray;
use crate::format::npz::write::write_npz;
use crate::format::parquet::{PARQUET_AVAILABLE, write_parquet};
use crate::format::safetensors::write_safetensors;
use crate::format::{delimited, word2vec};

/// The ids of nodes as a Parquet table whose only column is `id`; nothing in a build that does not
/// write Parquet, or for ids that cannot be written.
pub fn parquet_of_ids(nodes: &Nodes) -> Option<Vec<u8>> {
    let values = AnyTall::F32(Tall::zeros(nodes.len(), 0));
    let mut bytes = Vec::new();
    write_parquet(&EmbeddingRef { nodes, values: &values }, &mut bytes).ok()?;
    Some(bytes)
}

/// An embedding file that is to be written once there is an embedding.
///
/// ```
/// use gage_embed::io::{EmbeddingRef, EmbeddingWriter, Inputs, Staging, TemporaryFolders};
/// use gage_embed::io::read_embedding;
/// use gage_embed::{AnyTall, Nodes, Tall};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("emb.csv");
/// let mut staging = Staging::new(Inputs::default(), &TemporaryFolders::default());
/// let writer = EmbeddingWriter::plan(&mut staging, &path, None)?;
/// let nodes = Nodes::named(["a", "b"])?;
/// let values = AnyTall::F32(Tall::from_rows(2, 3, |row, out| out.fill(row as f32)));
/// writer.write(&mut staging, &EmbeddingRef { nodes: &nodes, values: &values })?;
/// staging.commit()?;
/// assert_eq!(read_embedding(&path)?.0, nodes);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct EmbeddingWriter {
    format: EmbeddingFormat,
    target: Target,
    ids: Option<Target>,
    /// paths as they were given, for messages
    files: Vec<String>,
}

impl EmbeddingWriter {
    /// Checks format and paths before the work begins. Without `format` the extension decides.
    pub fn plan(
        staging: &mut Staging,
        path: &Path,
        format: Option<EmbeddingFormat>,
    ) -> Result<EmbeddingWriter, WriteError> {
        let format = format
            .or_else(|| EmbeddingFormat::of(path))
            .ok_or_else(|| WriteError::UnknownFormat { path: path.to_owned() })?;
        if format == EmbeddingFormat::Parquet && !PARQUET_AVAILABLE {
            return Err(WriteError::NoParquet { path: path.to_owned() });
        }
        let target = staging.claim(path)?;
        let mut files = vec![path.display().to_string()];
        let ids = match (format, &target) {
            (EmbeddingFormat::Npy, Target::File(_)) => {
                let path = ids_path(path);
                files.push(path.display().to_string());
                Some(staging.claim(&path)?)
            }
            _ => None,
        };
        Ok(EmbeddingWriter { format, target, ids, files })
    }

    /// The files this will make.
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// Whether the embedding goes to standard output, which then belongs to it alone.
    pub fn is_stdout(&self) -> bool {
        self.target == Target::Stdout
    }

    /// Writes the embedding; it appears when the staging is committed.
    pub fn write(
        &self,
        staging: &mut Staging,
        embedding: &EmbeddingRef<'_>,
    ) -> Result<(), WriteError> {
        self.check_ids(embedding.nodes)?;
        if self.format == EmbeddingFormat::Safetensors {
            return staging.write_at(&self.target, |path| write_safetensors(embedding, path));
        }
        staging.write(&self.target, |out| match self.format {
            EmbeddingFormat::Npy => NpyArray::numbers(embedding.values).write(out),
            EmbeddingFormat::Npz => {
                let rows = NpyArray::numbers(embedding.values);
                write_npz(&[("embedding", rows), ("ids", NpyArray::ids(embedding.nodes))], out)
            }
            EmbeddingFormat::Csv => delimited::write::write_table(embedding, ',', out),
            EmbeddingFormat::Tsv => delimited::write::write_table(embedding, '\t', out),
            EmbeddingFormat::Word2vec => word2vec::write_word2vec(embedding, out),
            EmbeddingFormat::Word2vecBin => word2vec::write_word2vec_binary(embedding, out),
            EmbeddingFormat::Parquet | EmbeddingFormat::Safetensors => {
                // The library wants a writer it may send to another thread; a buffer is one.
                let mut buffer = Vec::new();
                write_parquet(embedding, &mut buffer)?;
                out.write_all(&buffer)
            }
        })?;
        match &self.ids {
            Some(ids) => {
                staging.write(ids, |out| delimited::write::write_ids(embedding.nodes, out))
            }
            None => Ok(()),
        }
    }

    /// Formats that separate ids by line ends or blanks cannot hold ids that contain them.
    fn check_ids(&self, nodes: &Nodes) -> Result<(), WriteError> {
        let separators: &[char] = match self.format {
            EmbeddingFormat::Npy if self.ids.is_some() => &['\n', '\r'],
            EmbeddingFormat::Word2vec | EmbeddingFormat::Word2vecBin => &['\n', '\r', ' ', '\t'],
            _ => return Ok(()),
        };
        match nodes.borrowed_ids().find(|id| id.contains(separators) || id.is_empty()) {
            Some(id) => Err(WriteError::Id { id: id.into() }),
            None => Ok(()),
        }
    }
}
