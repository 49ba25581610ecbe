//! Outputs of a command: committed together at its end, discarded on Ctrl-C.

use std::ops::{Deref, DerefMut};
use std::sync::LazyLock;

use gage_embed::io::{self, Inputs, TemporaryFolders};

use crate::interrupt;

static TEMPORARY: LazyLock<TemporaryFolders> = LazyLock::new(TemporaryFolders::default);

/// Removes the temporary folders of all unfinished outputs.
pub(crate) fn remove_all() {
    TEMPORARY.remove_all();
}

/// As [`remove_all`], without waiting for a thread that makes one.
pub(crate) fn try_remove_all() {
    TEMPORARY.try_remove_all();
}

/// The outputs of one command.
pub(crate) struct Staging(io::Staging);

impl Staging {
    pub(crate) fn new(inputs: Inputs) -> Staging {
        Staging(io::Staging::new(inputs, &TEMPORARY))
    }

    /// Moves all finished files to their paths, unless Ctrl-C was pressed.
    pub(crate) fn commit(self) -> anyhow::Result<()> {
        interrupt::check()?;
        let _section = interrupt::section();
        Ok(self.0.commit()?)
    }
}

impl Deref for Staging {
    type Target = io::Staging;

    fn deref(&self) -> &io::Staging {
        &self.0
    }
}

impl DerefMut for Staging {
    fn deref_mut(&mut self) -> &mut io::Staging {
        &mut self.0
    }
}
