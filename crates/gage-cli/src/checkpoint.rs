//! Checkpoint files of a fit.
//!
//! Two files are named by the fingerprint of the fit (a hash of data, parameters and version): the
//! finished model, and before that the state of the iteration. Both are written atomically.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use gage_embed::io::{Inputs, Target};
use gage_embed::solver::{CheckpointStore, FitCheckpoint, FitCheckpointRef, fingerprint};
use gage_embed::{CheckedParams, Graph, Model};
use gage_linalg::Workspace;

use crate::errors::{Failure, cannot_write};
use crate::staging::Staging;

/// The checkpoints of one fit.
pub(crate) struct Checkpoint {
    folder: PathBuf,
    fingerprint: String,
}

/// The checkpoint of an unfinished fit.
pub(crate) struct Left {
    pub(crate) state: Option<FitCheckpoint>,
    /// Things a user should know.
    pub(crate) warnings: Vec<String>,
}

impl Checkpoint {
    /// Makes the folder, so that a wrong place is refused before the work begins.
    pub(crate) fn prepare(folder: &Path) -> Result<(), Failure> {
        fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))
    }

    /// The checkpoints of a fit in a folder.
    pub(crate) fn of(folder: &Path, graph: &Graph, params: &CheckedParams) -> Checkpoint {
        Checkpoint { folder: folder.to_owned(), fingerprint: fingerprint(graph, params) }
    }

    /// The file of one stage.
    fn file(&self, stage: &str) -> PathBuf {
        self.folder.join(format!("{}.{stage}.gage", self.fingerprint))
    }

    /// The finished fit of an earlier run, if there is one. A damaged file counts as none.
    pub(crate) fn finished(&self) -> Option<Model> {
        Model::load(self.file("fit")).ok()
    }

    /// The state in which an earlier run left the fit, in the workspace of the fit to come.
    pub(crate) fn left(&self, workspace: &Workspace) -> Left {
        let path = self.file("state");
        let mut warnings = Vec::new();
        let state = match path.try_exists() {
            Ok(false) => None,
            _ => FitCheckpoint::load_in(&path, workspace)
                .map_err(|error| warnings.push(anew(&path, &error)))
                .ok(),
        };
        if state.is_none() && warnings.is_empty() && self.holds_others() {
            warnings.push(format!(
                "{}: the fits under way here are of other data, other parameters or another \
                 version; this one starts anew",
                self.folder.display()
            ));
        }
        Left { state, warnings }
    }

    /// Why the state kept here is not used after all.
    pub(crate) fn refused(&self, error: &gage_embed::Error) -> String {
        anew(&self.file("state"), error)
    }

    /// Whether this folder has checkpoints of other unfinished fits.
    fn holds_others(&self) -> bool {
        let own = self.file("state");
        fs::read_dir(&self.folder).into_iter().flatten().flatten().any(|entry| {
            let path = entry.path();
            path != own && path.to_string_lossy().ends_with(".state.gage")
        })
    }

    /// Keeps states of the fit from now on, at most one every so often.
    pub(crate) fn keeper(&self, every: Duration) -> Keeper {
        let last = Mutex::new(Instant::now());
        Keeper { path: self.file("state"), every, last, failure: Mutex::new(None) }
    }

    /// Keeps a finished fit; its state is no longer needed.
    pub(crate) fn keep(&self, model: &Model) -> anyhow::Result<()> {
        let mut staging = Staging::new(Inputs::default());
        let target: Target = staging.claim(&self.file("fit"))?;
        staging.write_at(&target, |path| model.save(path))?;
        staging.commit()?;
        // What cannot be removed is only in the way: the finished fit comes first.
        let _ = fs::remove_file(self.file("state"));
        let unfinished = format!(".{}.state.gage.", self.fingerprint);
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            // A process that was killed while it wrote a state.
            if entry.file_name().to_string_lossy().starts_with(&unfinished) {
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(())
    }
}

fn anew(path: &Path, error: &dyn std::fmt::Display) -> String {
    format!("{}: {error}; the fit starts anew", path.display())
}

/// Writes states of a fit to one file.
pub(crate) struct Keeper {
    path: PathBuf,
    every: Duration,
    last: Mutex<Instant>,
    failure: Mutex<Option<String>>,
}

impl Keeper {
    /// What went wrong, if anything did. A state that cannot be kept does not stop the fit.
    pub(crate) fn failure(&self) -> Option<String> {
        lock(&self.failure).clone()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl CheckpointStore for Keeper {
    fn due(&self) -> bool {
        self.failure().is_none() && lock(&self.last).elapsed() >= self.every
    }

    fn save(&self, state: &FitCheckpointRef<'_>) {
        if let Err(error) = state.save(&self.path) {
            let path = self.path.display();
            *lock(&self.failure) = Some(format!("{path}: the state was not kept: {error}"));
        }
        // Counted from the end of the writing, so that slow disks do not take all the time.
        *lock(&self.last) = Instant::now();
    }
}
