//! Input files of a run. No output may replace one of them, and a checkpoint records them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::dataset::DatasetSpec;
use crate::dataset::stems::{VIEWS, is_part};
use crate::source::location;

/// Files and folders a program reads.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

impl Inputs {
    /// The inputs of a data set.
    pub fn of(spec: &DatasetSpec) -> Inputs {
        let named = [&spec.source, &spec.graph, &spec.attributes, &spec.labels, &spec.nodes];
        let named = named.into_iter().chain([&spec.columns]).flatten();
        let views = spec.views.iter().map(|(_, path)| path);
        named.chain(views).fold(Inputs::default(), |inputs, path| inputs.and(path))
    }

    /// One file, or a folder that is a data set.
    pub fn at(path: &Path) -> Inputs {
        Inputs::default().and(path)
    }

    /// These and one more. A path that cannot be resolved is left out: its reader reports it.
    pub fn and(mut self, path: &Path) -> Inputs {
        if let Ok(real) = fs::canonicalize(location(path)) {
            if real.is_dir() { &mut self.folders } else { &mut self.files }.push(real);
        }
        self
    }

    /// These and all of the others.
    pub fn join(mut self, other: Inputs) -> Inputs {
        self.files.extend(other.files);
        self.folders.extend(other.folders);
        self
    }

    /// The input that a file at `real` would replace, or the folder it would become a part of.
    pub fn conflict(&self, real: &Path) -> Option<String> {
        if let Some(file) = self.files.iter().find(|file| same_file(file, real)) {
            return Some(file.display().to_string());
        }
        let parent = real.parent()?;
        let joins = |folder: &&PathBuf| {
            (parent == folder.as_path() && is_part(real)) || parent == folder.join(VIEWS)
        };
        self.folders.iter().find(joins).map(|folder| folder.display().to_string())
    }

    /// Every file, in a fixed order, with the name it has within its data set.
    pub fn files(&self) -> io::Result<Vec<(String, PathBuf)>> {
        let mut list: Vec<(String, PathBuf)> =
            self.files.iter().enumerate().map(|(at, f)| (at.to_string(), f.clone())).collect();
        for folder in &self.folders {
            for (prefix, place) in [("", folder.clone()), ("views/", folder.join(VIEWS))] {
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
