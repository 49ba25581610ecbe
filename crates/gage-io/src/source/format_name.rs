//! What tells the format of a file: its name, or its content.

use std::path::Path;

use super::name::{extension, split};
use super::sniff::sniff;
use super::stream::is_stream;

/// The extension that tells the format: the kind before the path if there is one; the last
/// extension, or the one before `.gz` and `.zst`; without any what the content says, and nothing
/// for plain text.
pub(crate) fn format_extension(path: &Path) -> String {
    let (kind, place) = split(path);
    if let Some(kind) = kind {
        return kind.to_owned();
    }
    let named = match extension(place).as_str() {
        "gz" | "zst" => {
            place.file_stem().map(|stem| extension(Path::new(stem))).unwrap_or_default()
        }
        other => other.to_owned(),
    };
    if named.is_empty() && !place.is_dir() { sniff(path).to_owned() } else { named }
}

/// Whether a path is a stream of which neither name nor content tell the format.
pub(crate) fn is_nameless(path: &Path) -> bool {
    is_stream(path) && format_extension(path).is_empty()
}

/// The file's name without any of the extensions that [`format_extension`] looks at.
pub(crate) fn stem(path: &Path) -> String {
    let mut stem = path.file_stem().map(Path::new).unwrap_or(path);
    if matches!(extension(path).as_str(), "gz" | "zst") {
        stem = stem.file_stem().map(Path::new).unwrap_or(stem);
    }
    stem.to_string_lossy().into_owned()
}
