//! Files out: embeddings in every format, links, and the staging that makes files appear whole.

mod links;
mod npy;
mod npz;
#[cfg_attr(feature = "parquet", path = "parquet_enabled.rs")]
#[cfg_attr(not(feature = "parquet"), path = "parquet_disabled.rs")]
mod parquet;
mod safetensors;
pub(crate) mod stage;
mod text;

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use gage_embed::{AnyTall, Nodes};

use crate::errors::Failure;

pub(crate) use links::{write_edges, write_matrix_market};
pub(crate) use npy::{NpyArray, reals};
pub(crate) use npz::write_sparse;
pub(crate) use stage::{Staging, Target};

/// One row per node, and whose it is.
#[derive(Clone, Copy)]
pub(crate) struct Embedding<'a> {
    pub(crate) nodes: &'a Nodes,
    pub(crate) numbers: &'a AnyTall,
}

/// Formats an embedding can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// NumPy array, with the ids in `NAME.ids.txt` beside it
    Npy,
    /// NumPy archive with `embedding` and `ids`
    Npz,
    /// comma-separated: id, e0, e1, ...
    Csv,
    /// tab-separated: id, e0, e1, ...
    Tsv,
    /// Parquet: id, e0, e1, ... (needs a build with the feature `parquet`)
    Parquet,
    /// safetensors: `embedding`, `ids.text`, `ids.ends`
    Safetensors,
    /// word2vec text
    Word2vec,
    /// word2vec binary (single precision)
    Word2vecBin,
}

impl Format {
    /// The format an extension stands for.
    pub(crate) fn of(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_string_lossy().to_lowercase();
        Some(match extension.as_str() {
            "npy" => Format::Npy,
            "npz" => Format::Npz,
            "csv" => Format::Csv,
            "tsv" | "tab" => Format::Tsv,
            "parquet" | "pq" => Format::Parquet,
            "safetensors" => Format::Safetensors,
            "txt" | "vec" => Format::Word2vec,
            "bin" => Format::Word2vecBin,
            _ => return None,
        })
    }
}

/// An embedding file that was promised, before there is an embedding.
pub(crate) struct Planned {
    format: Format,
    target: Target,
    ids: Option<Target>,
    /// Paths as they were given, for messages.
    files: Vec<String>,
}

/// Checks format and places of an embedding file before the work begins.
pub(crate) fn plan(
    staging: &mut Staging,
    path: &Path,
    format: Option<Format>,
) -> anyhow::Result<Planned> {
    let format = format.or_else(|| Format::of(path)).ok_or_else(|| {
        let message = format!("{}: found no known extension for an embedding", path.display());
        Failure::usage(message).help(
            "end the name in .npy, .npz, .csv, .tsv, .parquet, .safetensors, .txt or .bin (word2vec), or use --format",
        )
    })?;
    if format == Format::Parquet && !parquet::AVAILABLE {
        let message = format!("{}: this build cannot write Parquet", path.display());
        return Err(Failure::usage(message)
            .help("build with `cargo install gage-cli --features parquet`, or write .csv or .npy")
            .into());
    }
    let target = staging.claim(path)?;
    let beside = format == Format::Npy && matches!(target, Target::File(_));
    let ids = beside.then(|| staging.claim(&ids_path(path))).transpose()?;
    let mut files = vec![path.display().to_string()];
    if ids.is_some() {
        files.push(ids_path(path).display().to_string());
    }
    Ok(Planned { format, target, ids, files })
}

/// `emb.npy` has its ids in `emb.ids.txt`.
pub(crate) fn ids_path(path: &Path) -> PathBuf {
    path.with_extension("ids.txt")
}

impl Planned {
    /// The files this will make.
    pub(crate) fn files(&self) -> Vec<String> {
        self.files.clone()
    }

    /// Whether the embedding goes to standard output, which then belongs to it alone.
    pub(crate) fn is_stdout(&self) -> bool {
        self.target == Target::Stdout
    }

    /// Writes the embedding; it appears when the staging is committed.
    pub(crate) fn write(
        &self,
        staging: &mut Staging,
        embedding: &Embedding<'_>,
    ) -> anyhow::Result<()> {
        self.check_ids(embedding.nodes)?;
        match self.format {
            Format::Npy => {
                let array = NpyArray::numbers(embedding.numbers);
                staging.write(&self.target, |out| array.write(out))?;
                if let Some(ids) = &self.ids {
                    staging.write(ids, |out| text::write_ids(embedding, out))?;
                }
                Ok(())
            }
            Format::Npz => staging.write(&self.target, |out| {
                let arrays = [
                    ("embedding", NpyArray::numbers(embedding.numbers)),
                    ("ids", NpyArray::ids(embedding.nodes)),
                ];
                npz::write_npz(&arrays, out)
            }),
            Format::Csv => staging.write(&self.target, |o| text::write_table(embedding, ',', o)),
            Format::Tsv => staging.write(&self.target, |o| text::write_table(embedding, '\t', o)),
            Format::Word2vec => staging.write(&self.target, |o| text::write_word2vec(embedding, o)),
            Format::Word2vecBin => {
                staging.write(&self.target, |out| text::write_word2vec_binary(embedding, out))
            }
            Format::Safetensors => staging
                .write_at(&self.target, |path| safetensors::write_safetensors(embedding, path)),
            Format::Parquet => staging.write(&self.target, |out| {
                // The library wants a writer it may send to another thread; a buffer is one.
                let mut buffer = Vec::new();
                parquet::write_parquet(embedding, &mut buffer)?;
                out.write_all(&buffer)
            }),
        }
    }

    /// Formats that separate ids by line ends or blanks cannot hold ids that contain them.
    fn check_ids(&self, nodes: &Nodes) -> anyhow::Result<()> {
        let bad: &[char] = match self.format {
            Format::Npy if self.ids.is_some() => &['\n', '\r'],
            Format::Word2vec | Format::Word2vecBin => &['\n', '\r', ' ', '\t'],
            _ => return Ok(()),
        };
        let Some(id) = nodes.borrowed_ids().find(|id| id.contains(bad) || id.is_empty()) else {
            return Ok(());
        };
        let message = format!("node id {id:?} holds a blank or line end, which this format cannot");
        Err(Failure::misfit(message).help("write .csv, .npz or .safetensors instead").into())
    }
}
