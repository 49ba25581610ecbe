//! The formats of embedding files.

use std::path::{Path, PathBuf};

/// Formats an embedding can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbeddingFormat {
    /// NumPy array, with the ids in `NAME.ids.txt` beside it.
    Npy,
    /// NumPy archive with `embedding` and `ids`.
    Npz,
    /// Comma-separated table: id, e0, e1, ...
    Csv,
    /// Tab-separated table: id, e0, e1, ...
    Tsv,
    /// Parquet table: id, e0, e1, ...
    Parquet,
    /// Tensors `embedding`, `ids.text`, `ids.ends`.
    Safetensors,
    /// word2vec text.
    Word2vec,
    /// word2vec binary, in single precision.
    Word2vecBin,
}

struct Entry {
    format: EmbeddingFormat,
    name: &'static str,
    about: &'static str,
    extensions: &'static [&'static str],
}

const fn entry(
    format: EmbeddingFormat,
    name: &'static str,
    extensions: &'static [&'static str],
    about: &'static str,
) -> Entry {
    Entry { format, name, about, extensions }
}

/// In the order of the enum.
const TABLE: [Entry; 8] = {
    use EmbeddingFormat::{Csv, Npy, Npz, Parquet, Safetensors, Tsv, Word2vec, Word2vecBin};
    let parquet = "Parquet: id, e0, e1, ... (needs a build with the feature `parquet`)";
    [
        entry(Npy, "npy", &["npy"], "NumPy array, with the ids in `NAME.ids.txt` beside it"),
        entry(Npz, "npz", &["npz"], "NumPy archive with `embedding` and `ids`"),
        entry(Csv, "csv", &["csv"], "comma-separated: id, e0, e1, ..."),
        entry(Tsv, "tsv", &["tsv", "tab"], "tab-separated: id, e0, e1, ..."),
        entry(Parquet, "parquet", &["parquet", "pq"], parquet),
        entry(
            Safetensors,
            "safetensors",
            &["safetensors"],
            "safetensors: `embedding`, `ids.text`, `ids.ends`",
        ),
        entry(Word2vec, "word2vec", &["txt", "vec"], "word2vec text"),
        entry(Word2vecBin, "word2vec-bin", &["bin"], "word2vec binary (single precision)"),
    ]
};

impl EmbeddingFormat {
    /// All formats.
    pub fn all() -> impl Iterator<Item = EmbeddingFormat> {
        TABLE.iter().map(|entry| entry.format)
    }

    /// The name a user types.
    pub fn name(self) -> &'static str {
        TABLE[self as usize].name
    }

    /// What the file holds, in a few words.
    pub fn about(self) -> &'static str {
        TABLE[self as usize].about
    }

    /// The format of this name.
    pub fn named(name: &str) -> Option<EmbeddingFormat> {
        EmbeddingFormat::all().find(|format| format.name() == name)
    }

    /// The format of a file, by its extension.
    pub fn of(path: &Path) -> Option<EmbeddingFormat> {
        EmbeddingFormat::with_extension(&path.extension()?.to_string_lossy().to_lowercase())
    }

    pub(crate) fn with_extension(extension: &str) -> Option<EmbeddingFormat> {
        let entry = TABLE.iter().find(|entry| entry.extensions.contains(&extension))?;
        Some(entry.format)
    }
}

/// The file of ids beside a file that has no room for them: `emb.npy` has `emb.ids.txt`.
pub fn ids_path(path: &Path) -> PathBuf {
    path.with_extension("ids.txt")
}

/// The files that rows and their ids are in: a model or an embedding, and the ids beside it.
pub fn row_files(path: &Path) -> Vec<PathBuf> {
    let npy = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npy"));
    let ids = Some(ids_path(path)).filter(|ids| npy && ids.exists());
    [path.to_owned()].into_iter().chain(ids).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enum() {
        for (at, entry) in TABLE.iter().enumerate() {
            assert_eq!(entry.format as usize, at);
            assert_eq!(EmbeddingFormat::named(entry.name), Some(entry.format));
        }
    }
}
