//! Progress on standard error, from the first process.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use gage_core::{Observer, Progress};

/// Time between two lines of one stage.
const PAUSE: Duration = Duration::from_secs(2);

/// Prints a line for every stage, and for long ones from time to time.
pub struct Lines {
    quiet: bool,
    last: Mutex<Option<(String, Instant)>>,
}

impl Lines {
    pub fn new(quiet: bool) -> Lines {
        Lines { quiet, last: Mutex::new(None) }
    }
}

impl Observer for Lines {
    fn progress(&self, progress: &Progress) {
        if self.quiet {
            return;
        }
        let stage = format!("{:?}", progress.stage).to_lowercase();
        let Ok(mut last) = self.last.lock() else { return };
        if last.as_ref().is_some_and(|(known, at)| *known == stage && at.elapsed() < PAUSE) {
            return;
        }
        let loss = progress.relative_loss.map_or(String::new(), |loss| format!(", loss {loss:.4}"));
        eprintln!("{stage}: pass {} of {}{loss}", progress.passes, progress.planned_passes);
        *last = Some((stage, Instant::now()));
    }
}
