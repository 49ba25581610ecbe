//! Output files that appear whole or not at all, and all together.
//!
//! Everything is first written into a temporary folder beside its target (so on the same disk),
//! flushed to the disk, and renamed only when all files are complete. A failure, a full disk or an
//! interrupt leaves nothing behind.

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tempfile::TempDir;

use gage_core::artifact::write_synced;

use crate::artifact::error::WriteError;
use crate::artifact::inputs::Inputs;

/// The temporary folders of all unfinished outputs, for a process that has to end at once.
#[derive(Clone, Debug, Default)]
pub struct TemporaryFolders(Arc<Mutex<Vec<PathBuf>>>);

impl TemporaryFolders {
    fn lock(&self) -> MutexGuard<'_, Vec<PathBuf>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes all of them.
    pub fn remove_all(&self) {
        for folder in self.lock().drain(..) {
            let _ = fs::remove_dir_all(folder);
        }
    }

    /// As [`remove_all`](Self::remove_all), for a process that cannot wait for a thread that is
    /// making another one.
    pub fn try_remove_all(&self) {
        if let Ok(mut known) = self.0.try_lock() {
            for folder in known.drain(..) {
                let _ = fs::remove_dir_all(folder);
            }
        }
    }

    fn make_in(&self, parent: &Path) -> io::Result<TemporaryFolder> {
        // The lock is held until the folder is known: an interrupt in between would leave it
        // behind.
        let mut known = self.lock();
        let folder = tempfile::Builder::new().prefix(".gage-").suffix(".tmp").tempdir_in(parent)?;
        known.push(folder.path().to_owned());
        Ok(TemporaryFolder { folder, all: self.clone() })
    }
}

/// A folder that is removed with all its content when it is dropped.
#[derive(Debug)]
struct TemporaryFolder {
    folder: TempDir,
    all: TemporaryFolders,
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let path = self.folder.path();
        self.all.lock().retain(|known| known != path);
    }
}

/// A file that was written and waits for [`Staging::commit`].
#[derive(Debug)]
struct Staged {
    temporary: PathBuf,
    path: PathBuf,
}

/// The outputs of one run.
#[derive(Debug)]
pub struct Staging {
    inputs: Inputs,
    temporary: TemporaryFolders,
    claimed: Vec<PathBuf>,
    /// a temporary folder for every folder with outputs
    folders: Vec<(PathBuf, TemporaryFolder)>,
    staged: Vec<Staged>,
}

/// Where an output goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// `-`.
    Stdout,
    /// A device or pipe, which cannot be replaced and is written to directly.
    Device(PathBuf),
    /// A file, given by its real path (links resolved).
    File(PathBuf),
}

impl Staging {
    /// No outputs yet, none of which may replace one of `inputs`. Temporary folders are also kept
    /// in `temporary`.
    pub fn new(inputs: Inputs, temporary: &TemporaryFolders) -> Staging {
        let temporary = temporary.clone();
        Staging { inputs, temporary, claimed: Vec::new(), folders: Vec::new(), staged: Vec::new() }
    }

    /// Checks, before any long work, that `path` can be written and is no input. `-` is standard
    /// output.
    pub fn claim(&mut self, path: &Path) -> Result<Target, WriteError> {
        if path.as_os_str() == "-" {
            return Ok(Target::Stdout);
        }
        let fail = |source| WriteError::Io { path: path.to_owned(), source };
        let real = match fs::metadata(path) {
            Ok(meta) if meta.is_dir() => return Err(fail(io::ErrorKind::IsADirectory.into())),
            Ok(meta) if !meta.is_file() => return Ok(Target::Device(path.to_owned())),
            Ok(_) => fs::canonicalize(path).map_err(fail)?,
            Err(_) => {
                let real = fs::canonicalize(parent(path)).map_err(fail)?;
                real.join(path.file_name().unwrap_or_default())
            }
        };
        if let Some(input) = self.inputs.conflict(&real) {
            return Err(WriteError::ReplacesInput { path: path.to_owned(), input });
        }
        if self.claimed.contains(&real) {
            return Err(WriteError::ClaimedTwice { path: path.to_owned() });
        }
        // A folder that cannot be written to is found out now, not after an hour of work.
        drop(self.temporary.make_in(parent(&real)).map_err(fail)?);
        self.claimed.push(real.clone());
        Ok(Target::File(real))
    }

    /// Writes one output.
    pub fn write(
        &mut self,
        target: &Target,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), WriteError> {
        match target {
            Target::Stdout => {
                let mut out = BufWriter::new(io::stdout().lock());
                match fill(&mut out).and_then(|()| out.flush()) {
                    // Nobody reads on, so there is nobody to fail for.
                    Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                    outcome => outcome.map_err(WriteError::Stdout),
                }
            }
            Target::Device(path) => {
                let device = fs::OpenOptions::new().write(true).open(path);
                let outcome = device.and_then(|file| {
                    let mut out = BufWriter::with_capacity(1 << 16, file);
                    fill(&mut out).and_then(|()| out.flush())
                });
                outcome.map_err(|source| WriteError::Io { path: path.clone(), source })
            }
            Target::File(path) => {
                let temporary = self.temporary_path(path)?;
                write_synced(&temporary, fill)
                    .map_err(|source: io::Error| WriteError::Io { path: path.clone(), source })?;
                self.staged.push(Staged { temporary, path: path.clone() });
                Ok(())
            }
        }
    }

    /// As [`write`](Staging::write), for libraries that want a path.
    pub fn write_at<E: Error + 'static>(
        &mut self,
        target: &Target,
        fill: impl FnOnce(&Path) -> Result<(), E>,
    ) -> Result<(), WriteError> {
        let Target::File(path) = target else { return Err(WriteError::NeedsFile) };
        let temporary = self.temporary_path(path)?;
        fill(&temporary).map_err(|error| name_output(path, error))?;
        usual_permissions(&temporary)
            .and_then(|()| File::open(&temporary)?.sync_all())
            .map_err(|source| WriteError::Io { path: path.clone(), source })?;
        self.staged.push(Staged { temporary, path: path.clone() });
        Ok(())
    }

    fn temporary_path(&mut self, path: &Path) -> Result<PathBuf, WriteError> {
        let name = path.file_name().unwrap_or_default();
        let parent = parent(path);
        if let Some((_, folder)) = self.folders.iter().find(|(known, _)| known == parent) {
            return Ok(folder.folder.path().join(name));
        }
        let made = self.temporary.make_in(parent);
        let folder = made.map_err(|source| WriteError::Io { path: path.to_owned(), source })?;
        let temporary = folder.folder.path().join(name);
        self.folders.push((parent.to_owned(), folder));
        Ok(temporary)
    }

    /// Moves all finished files to their paths.
    pub fn commit(self) -> Result<(), WriteError> {
        for Staged { temporary, path } in &self.staged {
            let replace = || {
                if let Ok(old) = fs::metadata(path) {
                    fs::set_permissions(temporary, old.permissions())?;
                }
                fs::rename(temporary, path)
            };
            replace().map_err(|source| WriteError::Io { path: path.clone(), source })?;
        }
        for (parent, _) in &self.folders {
            // The names themselves, too, should survive a power cut; not every system can promise
            // that.
            let _ = File::open(parent).and_then(|folder| folder.sync_all());
        }
        Ok(())
    }
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Libraries make their own temporary files, readable by nobody else; outputs have the usual
/// permissions.
fn usual_permissions(path: &Path) -> io::Result<()> {
    let probe = path.with_extension("mode");
    let permissions = File::create(&probe)?.metadata()?.permissions();
    fs::remove_file(&probe)?;
    fs::set_permissions(path, permissions)
}

/// An error of a library, with the path that was requested.
fn name_output(path: &Path, error: impl Error + 'static) -> WriteError {
    let mut cause: Option<&(dyn Error + 'static)> = Some(&error);
    while let Some(error) = cause {
        if let Some(io) = error.downcast_ref::<io::Error>() {
            // An error of the system cannot be cloned; kind and text are all there is to it.
            let source = io::Error::new(io.kind(), io.to_string());
            return WriteError::Io { path: path.to_owned(), source };
        }
        cause = error.source();
    }
    WriteError::Format { path: path.to_owned(), message: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_appear_at_the_commit_and_nothing_is_left_behind() {
        let folder = tempfile::tempdir().unwrap();
        let names = || fs::read_dir(folder.path()).unwrap().count();
        let all = TemporaryFolders::default();
        let path = folder.path().join("out.txt");
        let mut staging = Staging::new(Inputs::default(), &all);
        let target = staging.claim(&path).unwrap();
        assert_eq!(names(), 0);
        assert!(matches!(staging.claim(&path), Err(WriteError::ClaimedTwice { .. })));
        staging.write(&target, |out| out.write_all(b"whole")).unwrap();
        assert!(!path.exists());
        assert_eq!(all.lock().len(), 1);
        staging.commit().unwrap();
        assert_eq!((fs::read(&path).unwrap().as_slice(), names()), (&b"whole"[..], 1));
        assert!(all.lock().is_empty());

        let mut staging = Staging::new(Inputs::at(&path), &all);
        assert!(matches!(staging.claim(&path), Err(WriteError::ReplacesInput { .. })));
        let other = staging.claim(&folder.path().join("other.txt")).unwrap();
        let full = |_: &mut dyn Write| Err(io::ErrorKind::StorageFull.into());
        assert!(staging.write(&other, full).is_err());
        all.remove_all();
        assert_eq!(names(), 1);
    }
}
