//! The files a command reads: so that no output ever replaces one of them, and checkpoints know them again.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use gage_embed::io::DatasetSpec;
use sha2::{Digest, Sha256};

/// Stems by which the readers find the files of a data set in a folder.
const STEMS: [&str; 9] =
    ["adj", "edges", "graph", "features", "attributes", "labels", "nodes", "columns", "meta"];

/// Files and folders a command reads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inputs {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

impl Inputs {
    /// The inputs of a data set.
    pub(crate) fn of(spec: &DatasetSpec) -> Inputs {
        let named = [&spec.source, &spec.graph, &spec.attributes, &spec.labels, &spec.nodes];
        let named = named.into_iter().chain([&spec.columns]).flatten();
        let views = spec.views.iter().map(|(_, path)| path);
        named.chain(views).fold(Inputs::default(), |inputs, path| inputs.and(path))
    }

    /// One file, or a folder that is a data set.
    pub(crate) fn at(path: &Path) -> Inputs {
        Inputs::default().and(path)
    }

    /// These and one more. A path that cannot be resolved is left to the reader to complain about.
    pub(crate) fn and(mut self, path: &Path) -> Inputs {
        if let Ok(real) = fs::canonicalize(path) {
            if real.is_dir() { &mut self.folders } else { &mut self.files }.push(real);
        }
        self
    }

    /// These and all of the others.
    pub(crate) fn join(mut self, other: Inputs) -> Inputs {
        self.files.extend(other.files);
        self.folders.extend(other.folders);
        self
    }

    /// The input that a file at `real` would replace, or the folder it would become a part of.
    pub(crate) fn conflict(&self, real: &Path) -> Option<String> {
        if let Some(file) = self.files.iter().find(|file| same_file(file, real)) {
            return Some(file.display().to_string());
        }
        let parent = real.parent()?;
        let joins = |folder: &&PathBuf| {
            (parent == folder.as_path() && is_part(real)) || parent == folder.join("views")
        };
        self.folders.iter().find(joins).map(|folder| folder.display().to_string())
    }

    /// Every file, in a fixed order, with the name it has within its data set.
    fn listing(&self) -> io::Result<Vec<(String, PathBuf)>> {
        let mut list: Vec<(String, PathBuf)> =
            self.files.iter().enumerate().map(|(at, f)| (at.to_string(), f.clone())).collect();
        for folder in &self.folders {
            for (prefix, place) in [("", folder.clone()), ("views/", folder.join("views"))] {
                if !place.is_dir() {
                    continue;
                }
                let mut paths: Vec<PathBuf> =
                    fs::read_dir(&place)?.map(|e| Ok(e?.path())).collect::<io::Result<_>>()?;
                paths.retain(|path| path.is_file() && (!prefix.is_empty() || is_part(path)));
                paths.sort();
                list.extend(paths.into_iter().map(|path| {
                    let name = path.file_name().unwrap_or_default().to_string_lossy();
                    (format!("{prefix}{name}"), path)
                }));
            }
        }
        Ok(list)
    }

    /// Adds names, sizes and contents of all files to a digest. Not their times or folders: a copy of the data, or a
    /// touched file, is the same data.
    pub(crate) fn digest(&self, digest: &mut Sha256) -> io::Result<()> {
        let mut buffer = vec![0u8; 1 << 16];
        for (name, path) in self.listing()? {
            let mut file = fs::File::open(&path)?;
            let mut own = Sha256::new();
            loop {
                match file.read(&mut buffer)? {
                    0 => break,
                    got => own.update(&buffer[..got]),
                }
            }
            digest.update(format!("{name}\0{}\0", file.metadata()?.len()));
            digest.update(own.finalize());
        }
        Ok(())
    }
}

/// Whether a file of this name in the folder of a data set is, or would be, read as part of it.
fn is_part(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let stem = name.split('.').next().unwrap_or_default();
    STEMS.contains(&stem) || name.ends_with(".content") || name.ends_with(".cites")
}

#[cfg(unix)]
fn same_file(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    // Two names of one file (a hard link) are one file.
    let number = |path: &Path| fs::metadata(path).map(|meta| (meta.dev(), meta.ino())).ok();
    a == b || (number(a).is_some() && number(a) == number(b))
}

#[cfg(not(unix))]
fn same_file(a: &Path, b: &Path) -> bool {
    a == b
}
