//! Checkpoints: work that was finished is not done twice.
//!
//! For now there is one point at which a run can resume: the finished fit. A model file holds it without loss, so what
//! follows (weighting, writing) gives the same bits. A stage with a state of its own would be one more file under the
//! same key: [`Checkpoint::file`] names it.

use std::fs;
use std::path::{Path, PathBuf};

use gage_embed::Model;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::errors::{Exit, Failure, cannot_write};
use crate::inputs::Inputs;
use crate::write::{Staging, Target};

/// The checkpoints of one run: inputs and parameters decide which run it is.
pub(crate) struct Checkpoint {
    folder: PathBuf,
    key: String,
}

impl Checkpoint {
    /// Opens (or makes) the folder and finds out which run this is. Reads every input once.
    pub(crate) fn open(
        folder: &Path,
        inputs: &Inputs,
        parameters: &impl Serialize,
    ) -> anyhow::Result<Checkpoint> {
        fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))?;
        let mut digest = Sha256::new();
        digest.update(concat!("gage ", env!("CARGO_PKG_VERSION"), "\0"));
        digest.update(serde_json::to_vec(parameters)?);
        inputs.digest(&mut digest).map_err(|error| {
            Failure::new(Exit::Input, format!("the inputs cannot be read: {error}"))
                .help("check that all files exist and may be read")
        })?;
        let hash = digest.finalize();
        let key = hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        Ok(Checkpoint { folder: folder.to_owned(), key })
    }

    /// The file of one stage.
    fn file(&self, stage: &str) -> PathBuf {
        self.folder.join(format!("{}.{stage}.gage", self.key))
    }

    /// The finished fit of an earlier run, if there is one. A damaged file counts as none.
    pub(crate) fn finished(&self) -> Option<Model> {
        Model::load(self.file("fit")).ok()
    }

    /// Keeps a finished fit.
    pub(crate) fn keep(&self, model: &Model) -> anyhow::Result<()> {
        let mut staging = Staging::new(Inputs::default());
        let target: Target = staging.claim(&self.file("fit"))?;
        staging.write_at(&target, |path| model.save(path))?;
        staging.commit()
    }
}
