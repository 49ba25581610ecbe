//! Checkpoints: every process keeps its own rows.
//!
//! A process that is killed while it writes must not take the checkpoint of the others with it. So
//! the last two are kept, and a fit goes on from the newest that all processes have: they save in
//! step, so they are never further apart.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, ensure};
use gage_core::solver::{CheckpointStore, FitCheckpoint, FitCheckpointRef};
use gage_io::write_atomically;
use gage_linalg::{Reducer, Workspace};
use serde::{Deserialize, Serialize};

/// The checkpoints of one process.
pub struct Checkpoints {
    folder: PathBuf,
    rank: usize,
    /// Number of the last one, and why one could not be written.
    state: Mutex<(u64, Option<String>)>,
}

/// What a folder of checkpoints belongs to.
#[derive(PartialEq, Serialize, Deserialize)]
struct Owner {
    ranks: usize,
    shards: String,
    request: String,
    version: String,
}

impl Checkpoints {
    /// The checkpoints in a folder, and the one to go on from.
    pub fn open(
        folder: &Path,
        (shards, request): (&str, &str),
        workspace: &Workspace,
        reducer: &dyn Reducer,
    ) -> anyhow::Result<(Checkpoints, Option<FitCheckpoint>)> {
        fs::create_dir_all(folder).with_context(|| format!("{}", folder.display()))?;
        let owner = Owner {
            ranks: reducer.size(),
            shards: shards.to_owned(),
            request: request.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let path = folder.join("checkpoint.json");
        if path.exists() {
            let text = fs::read_to_string(&path)?;
            let found: Owner = serde_json::from_str(&text)
                .with_context(|| format!("{}: not of a fit over MPI", path.display()))?;
            ensure!(
                found.ranks == owner.ranks,
                "{}: the checkpoint is of {} processes, and these are {}; start as many, or name \
                 another folder",
                folder.display(),
                found.ranks,
                owner.ranks
            );
            ensure!(
                found == owner,
                "{}: the checkpoint is of other data, other options or another version; name \
                 another folder",
                folder.display()
            );
        }
        // All have looked before the first one writes.
        let mut own: Vec<u64> = numbers(folder, reducer.rank());
        own.resize(2, 0);
        let all = reducer.gather_u64(&own);
        if reducer.rank() == 0 {
            write_atomically(&path, |out| serde_json::to_writer(out, &owner).map_err(Into::into))
                .map_err(|error: std::io::Error| error)
                .with_context(|| format!("{}", path.display()))?;
        }
        let everywhere = |number: &u64| *number > 0 && all.chunks(2).all(|of| of.contains(number));
        let last = own.iter().copied().filter(everywhere).max().unwrap_or(0);
        let this = Checkpoints {
            folder: folder.to_owned(),
            rank: reducer.rank(),
            state: Mutex::new((last, None)),
        };
        let found = match last {
            0 => None,
            _ => Some(FitCheckpoint::load_in(this.file(last), workspace)?),
        };
        Ok((this, found))
    }

    fn file(&self, number: u64) -> PathBuf {
        self.folder.join(format!("rank-{:05}-{number:06}.gage", self.rank))
    }

    /// Why the last checkpoint could not be written, if it could not.
    pub fn trouble(&self) -> Option<String> {
        self.state.lock().ok()?.1.clone()
    }
}

/// The numbers of the checkpoints of a process, at most the last two.
fn numbers(folder: &Path, rank: usize) -> Vec<u64> {
    let prefix = format!("rank-{rank:05}-");
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut numbers: Vec<u64> = files
        .filter_map(|file| {
            let name = file.file_name().into_string().ok()?;
            name.strip_prefix(&prefix)?.strip_suffix(".gage")?.parse().ok()
        })
        .collect();
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    numbers.truncate(2);
    numbers
}

impl CheckpointStore for Checkpoints {
    fn save(&self, checkpoint: &FitCheckpointRef<'_>) {
        let Ok(mut state) = self.state.lock() else { return };
        let number = state.0 + 1;
        let written: std::io::Result<()> =
            write_atomically(&self.file(number), |out| checkpoint.write_to(out));
        match written {
            // A full disk must not end the fit: it goes on without.
            Err(error) => state.1 = Some(error.to_string()),
            Ok(()) => {
                state.0 = number;
                if number > 2 {
                    let _ = fs::remove_file(self.file(number - 2));
                }
            }
        }
    }
}
