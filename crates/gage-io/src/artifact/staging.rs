//! Output files that appear whole or not at all, and all together.
//!
//! Everything is first written into a temporary folder beside its target (so on the same disk), flushed to the disk,
//! and renamed only when all files of the command are complete. A failure, a full disk or Ctrl-C leaves nothing behind.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use gage_embed::io::write_synced;

use crate::errors::{Exit, Failure, cannot_write};
use crate::inputs::Inputs;
use crate::interrupt;
use crate::output::tolerate_broken_pipe;

/// Temporary folders to remove should the process have to end at once.
static LIVE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
static COUNTER: AtomicUsize = AtomicUsize::new(0);

/// Removes the temporary folders of all outputs under way.
pub(crate) fn remove_all() {
    let mut live = LIVE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    for folder in live.drain(..) {
        let _ = fs::remove_dir_all(folder);
    }
}

/// The outputs of one command.
pub(crate) struct Staging {
    inputs: Inputs,
    claimed: Vec<PathBuf>,
    folders: Vec<(PathBuf, PathBuf)>,
    ready: Vec<(PathBuf, PathBuf)>,
}

/// Where an output goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// `-`.
    Stdout,
    /// A device or pipe, which cannot be replaced and is written to directly.
    Device(PathBuf),
    /// A file, given by its real path (links resolved).
    File(PathBuf),
}

impl Staging {
    pub(crate) fn new(inputs: Inputs) -> Staging {
        Staging { inputs, claimed: Vec::new(), folders: Vec::new(), ready: Vec::new() }
    }

    /// Checks, before any long work, that `path` can be written and is no input; returns where it really is.
    pub(crate) fn claim(&mut self, path: &Path) -> anyhow::Result<Target> {
        if path.as_os_str() == "-" {
            return Ok(Target::Stdout);
        }
        let fail = |error: &io::Error| cannot_write(path, error);
        let real = match fs::metadata(path) {
            Ok(meta) if meta.is_dir() => {
                return Err(fail(&io::ErrorKind::IsADirectory.into()).into());
            }
            Ok(meta) if !meta.is_file() => return Ok(Target::Device(path.to_owned())),
            Ok(_) => fs::canonicalize(path).map_err(|error| fail(&error))?,
            Err(_) => {
                let parent = parent(path);
                let real = fs::canonicalize(parent).map_err(|error| fail(&error))?;
                real.join(path.file_name().unwrap_or_default())
            }
        };
        if let Some(input) = self.inputs.conflict(&real) {
            let message =
                format!("{}: the output would replace or join the input {}", path.display(), input);
            return Err(Failure::new(Exit::Output, message)
                .help("choose another name with -o")
                .into());
        }
        if self.claimed.contains(&real) {
            let message = format!("{}: two outputs go to this file", path.display());
            return Err(Failure::new(Exit::Output, message)
                .help("give them different names")
                .into());
        }
        // A folder that cannot be written to is found out now, not after an hour of work.
        let probe = temporary(parent(&real)).map_err(|error| fail(&error))?;
        discard(&probe);
        self.claimed.push(real.clone());
        Ok(Target::File(real))
    }

    /// Writes one output.
    pub(crate) fn write(
        &mut self,
        target: &Target,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        match target {
            Target::Stdout => {
                let mut out = BufWriter::new(io::stdout().lock());
                tolerate_broken_pipe(fill(&mut out).and_then(|()| out.flush()))
            }
            Target::Device(path) => {
                let device = fs::OpenOptions::new().write(true).open(path);
                let outcome = device.and_then(|file| {
                    let mut out = BufWriter::with_capacity(1 << 16, file);
                    fill(&mut out).and_then(|()| out.flush())
                });
                outcome.map_err(|error| cannot_write(path, &error).into())
            }
            Target::File(path) => {
                let place = self.place(path)?;
                write_synced(&place, fill)
                    .map_err(|error: io::Error| cannot_write(path, &error))?;
                self.ready.push((place, path.clone()));
                Ok(())
            }
        }
    }

    /// As [`write`](Staging::write), for libraries that want a path. Returns what `fill` returns as a failure to write.
    pub(crate) fn write_at<E: Into<anyhow::Error>>(
        &mut self,
        target: &Target,
        fill: impl FnOnce(&Path) -> Result<(), E>,
    ) -> anyhow::Result<()> {
        let Target::File(path) = target else {
            let message = "this format needs a regular file as its output";
            return Err(Failure::new(Exit::Output, message).help("name a file with -o").into());
        };
        let place = self.place(path)?;
        fill(&place).map_err(|error| as_output_failure(path, &place, error.into()))?;
        let io = |error: io::Error| cannot_write(path, &error);
        // Libraries make their own temporary files, readable by nobody else; ours have the usual permissions.
        let probe = place.with_extension("mode");
        let mode = File::create(&probe).and_then(|file| file.metadata()).map_err(io)?.permissions();
        fs::remove_file(&probe).map_err(io)?;
        fs::set_permissions(&place, mode).map_err(io)?;
        File::open(&place).and_then(|file| file.sync_all()).map_err(io)?;
        self.ready.push((place, path.clone()));
        Ok(())
    }

    fn place(&mut self, path: &Path) -> anyhow::Result<PathBuf> {
        let name = path.file_name().unwrap_or_default();
        let parent = parent(path);
        if let Some((_, folder)) = self.folders.iter().find(|(known, _)| known == parent) {
            return Ok(folder.join(name));
        }
        let folder = temporary(parent).map_err(|error| cannot_write(path, &error))?;
        let place = folder.join(name);
        self.folders.push((parent.to_owned(), folder));
        Ok(place)
    }

    /// Moves all finished files to their places.
    pub(crate) fn commit(mut self) -> anyhow::Result<()> {
        interrupt::check()?;
        let _section = interrupt::section();
        for (place, path) in std::mem::take(&mut self.ready) {
            let io = |error: io::Error| cannot_write(&path, &error);
            if let Ok(old) = fs::metadata(&path) {
                fs::set_permissions(&place, old.permissions()).map_err(io)?;
            }
            fs::rename(&place, &path).map_err(io)?;
        }
        for (parent, _) in &self.folders {
            // The names themselves, too, should survive a power cut; not every system can promise that.
            let _ = File::open(parent).and_then(|folder| folder.sync_all());
        }
        Ok(())
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        self.folders.iter().for_each(|(_, folder)| discard(folder));
    }
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn temporary(parent: &Path) -> io::Result<PathBuf> {
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let folder = parent.join(format!(".gage-{}-{number}.tmp", std::process::id()));
    let mut live = LIVE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    fs::create_dir(&folder)?;
    live.push(folder.clone());
    Ok(folder)
}

fn discard(folder: &Path) {
    let mut live = LIVE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    live.retain(|known| known != folder);
    let _ = fs::remove_dir_all(folder);
}

/// Failures of libraries name the temporary file; the person asked for another one.
fn as_output_failure(path: &Path, place: &Path, error: anyhow::Error) -> anyhow::Error {
    if let Some(io) = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>()) {
        return cannot_write(path, io).into();
    }
    let text = format!("{error:#}").replace(&*place.to_string_lossy(), &path.to_string_lossy());
    Failure::new(Exit::Output, text).into()
}
