//! Progress on a terminal: nothing when standard error is not one, or with `--quiet`.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use gage_embed::eval::EvalObserver;
use gage_embed::solver::Stage;
use gage_embed::{Observer, Progress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::exhausted::set_stage;
use crate::interrupt;

/// A bar that also carries Ctrl-C into the fit.
pub(crate) struct Bar {
    bar: ProgressBar,
    /// While the bar lives, Ctrl-C stops the fit instead of the process.
    _section: interrupt::Section,
}

fn visible(quiet: bool) -> bool {
    !quiet && std::io::stderr().is_terminal()
}

/// How often what is shown changes at least.
const TICK: Duration = Duration::from_millis(500);

/// A bar of that template and length, hidden where progress is not shown.
fn bar(quiet: bool, template: &str, length: u64) -> ProgressBar {
    let target = match visible(quiet) {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::hidden(),
    };
    let bar = ProgressBar::with_draw_target(Some(length), target);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
    // One step may take minutes: spinner and clock show that it is under way. That takes a thread,
    // which there may be no memory for where nobody looks.
    if visible(quiet) {
        bar.enable_steady_tick(TICK);
    }
    bar
}

impl Bar {
    pub(crate) fn new(quiet: bool) -> Bar {
        let template =
            "{spinner} {msg:<24} [{bar:28}] {pos}/{len} passes{prefix}  {elapsed_precise}";
        let bar = bar(quiet, template, 0);
        // Before the first report of the fit the preset looks at the graph.
        bar.set_message(name(Stage::Views));
        set_stage(name(Stage::Views));
        Bar { bar, _section: interrupt::section() }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Bar {
    fn progress(&self, progress: &Progress) {
        // The plan is an upper bound; a later stage may still report more passes than planned.
        self.bar.set_length(progress.planned_passes.max(progress.passes) as u64);
        self.bar.set_position(progress.passes as u64);
        set_stage(name(progress.stage));
        self.bar.set_message(name(progress.stage));
        let loss = progress.relative_loss.map(|loss| format!("  loss {loss:.4}"));
        // Nothing can be said about the time left before a first pass has been timed.
        let left = (progress.passes > 0).then(|| {
            let passes = progress.planned_passes.saturating_sub(progress.passes);
            let each = self.bar.elapsed().as_secs_f64() / progress.passes as f64;
            format!("  at most {:.0} s left", each * passes as f64)
        });
        self.bar.set_prefix([loss, left].map(Option::unwrap_or_default).concat());
    }

    fn cancelled(&self) -> bool {
        interrupt::requested()
    }
}

/// A stage, for people.
pub(crate) fn name(stage: Stage) -> &'static str {
    match stage {
        Stage::Views => "building the views",
        Stage::Norms => "norms of the views",
        Stage::Basis => "common basis",
        Stage::Factors => "factors",
        Stage::MissingRows => "rows lacking a view",
        Stage::Refine => "refinement",
        Stage::Loadings => "tables for new nodes",
        Stage::Certificate => "certificate",
        Stage::NewNodes => "rows of new nodes",
        Stage::Embedding => "embedding",
        Stage::OtherMethod => "steps",
        _ => "working",
    }
}

/// A bar over the steps of an evaluation; the fits within it are named beside.
pub(crate) struct Steps {
    bar: ProgressBar,
    what: &'static str,
    /// While the bar lives, Ctrl-C stops the work before its next step.
    _section: interrupt::Section,
}

impl Steps {
    pub(crate) fn new(quiet: bool, what: &'static str) -> Steps {
        let template = "{spinner} {msg:<24} [{bar:28}] {pos}/{len}  {elapsed_precise}, {eta} left";
        let bar = bar(quiet, template, 0);
        bar.set_message(what);
        set_stage(what);
        Steps { bar, what, _section: interrupt::section() }
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Steps {
    fn progress(&self, progress: &Progress) {
        self.bar.set_message(name(progress.stage));
    }

    fn cancelled(&self) -> bool {
        interrupt::requested()
    }
}

impl EvalObserver for Steps {
    fn step(&self, done: usize, planned: usize) {
        self.bar.set_length(planned as u64);
        self.bar.set_position(done as u64);
        self.bar.set_message(self.what);
    }
}

/// A bar over units of work of unequal cost; the steps of an evaluation move it within its unit.
pub(crate) struct Units {
    bar: ProgressBar,
    count: usize,
    done: AtomicUsize,
    /// cost of the finished units, and of the current one
    before: AtomicU64,
    cost: AtomicU64,
    /// While the bar lives, Ctrl-C stops the work before its next step.
    _section: interrupt::Section,
}

impl Units {
    pub(crate) fn new(quiet: bool, count: usize, cost: u64) -> Units {
        let template = "{spinner} {msg:<36} [{bar:24}] {prefix}  {elapsed_precise}, {eta} left";
        let bar = bar(quiet, template, cost);
        let zero = || AtomicU64::new(0);
        let (done, before, cost) = (AtomicUsize::new(0), zero(), zero());
        Units { bar, count, done, before, cost, _section: interrupt::section() }
    }

    /// A unit begins.
    pub(crate) fn begin(&self, name: String, cost: u64) {
        self.cost.store(cost, Ordering::Relaxed);
        let number = self.done.load(Ordering::Relaxed) + 1;
        self.bar.set_prefix(format!("{number}/{}", self.count));
        self.bar.set_message(name);
    }

    /// The unit ends.
    pub(crate) fn end(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
        let cost = self.cost.swap(0, Ordering::Relaxed);
        let before = self.before.fetch_add(cost, Ordering::Relaxed) + cost;
        self.bar.set_position(before);
    }
}

impl Drop for Units {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Units {
    fn progress(&self, _: &Progress) {}

    fn cancelled(&self) -> bool {
        interrupt::requested()
    }
}

impl EvalObserver for Units {
    fn step(&self, done: usize, planned: usize) {
        let share = done as f64 / planned.max(1) as f64;
        let within = (self.cost.load(Ordering::Relaxed) as f64 * share.min(1.0)) as u64;
        self.bar.set_position(self.before.load(Ordering::Relaxed) + within);
    }
}

/// A spinner for work of unknown length; removed when dropped.
pub(crate) struct Spinner(ProgressBar);

impl Spinner {
    pub(crate) fn new(quiet: bool, message: impl Into<String>) -> Spinner {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}  {elapsed_precise}") {
            bar.set_style(style);
        }
        if visible(quiet) {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            bar.set_message(message.into());
            bar.enable_steady_tick(TICK);
        } else {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        Spinner(bar)
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
