//! The state that all commands share: output, progress, seed, and readers whose notes are printed.

use std::num::NonZeroUsize;
use std::path::Path;

use gage_embed::graph::BlockKind;
use gage_embed::io::{Note, Reading, is_stream, load};
use gage_embed::{Graph, Model, check_threads};
use rayon::ThreadPoolBuilder;

use crate::args::{DataArgs, DirectedArg, GlobalArgs};
use crate::errors::{self, Exit, Failure};
use crate::exhausted::{set_stage, write_failure};
use crate::interrupt;
use crate::output::Output;
use crate::progress::{Bar, Spinner, Steps};
use crate::staging;

/// What every command works with.
pub(crate) struct Session {
    pub(crate) out: Output,
    pub(crate) quiet: bool,
    pub(crate) seed: u64,
}

/// A data set, and how it was understood in the words of the command.
pub(crate) struct Loaded {
    pub(crate) graph: Graph,
    pub(crate) warnings: Vec<String>,
    /// what was taken as what in tables
    pub(crate) readings: Vec<Reading>,
}

impl Session {
    /// Sets up threads and Ctrl-C according to the flags.
    pub(crate) fn new(global: &GlobalArgs, out: Output) -> anyhow::Result<Session> {
        interrupt::install(end_at_once);
        start_threads(global.threads)?;
        Ok(Session { out, quiet: global.quiet, seed: global.seed })
    }

    /// A progress bar for a fit, which also carries Ctrl-C into it.
    pub(crate) fn bar(&self) -> Bar {
        Bar::new(self.quiet)
    }

    /// A progress bar for an evaluation, which also carries Ctrl-C into it.
    pub(crate) fn steps(&self, what: &'static str) -> Steps {
        Steps::new(self.quiet, what)
    }

    /// A spinner for work of unknown length.
    pub(crate) fn spinner(&self, message: impl Into<String>) -> Spinner {
        Spinner::new(self.quiet, message)
    }

    /// Reads a data set and prints notes on how it was interpreted.
    pub(crate) fn load(&self, data: &DataArgs) -> anyhow::Result<Loaded> {
        let spinner = self.spinner(format!("reading {}", data.title()));
        set_stage("reading the data");
        data.check_paths()?;
        let dataset = load(&data.spec()?)?;
        drop(spinner);
        set_stage("working");
        let said = |notes: &[Note]| notes.iter().map(errors::remark).collect::<Vec<_>>();
        let (info, warnings) = (said(&dataset.info), said(&dataset.warnings));
        self.out.readings(&dataset.readings);
        self.out.notes(&info);
        self.out.warnings(&warnings);
        interrupt::check()?;
        Ok(Loaded { graph: dataset.graph, warnings, readings: dataset.readings })
    }

    /// Reads a data set that will be fitted; says so if its links turned out to be directed.
    pub(crate) fn load_for_fit(&self, data: &DataArgs) -> anyhow::Result<Loaded> {
        let mut dataset = self.load(data)?;
        if let Some(warning) = direction_warning(&dataset.graph, data.directed) {
            self.out.warnings(std::slice::from_ref(&warning));
            dataset.warnings.push(warning);
        }
        Ok(dataset)
    }

    /// Reads a model.
    pub(crate) fn model(&self, path: &Path) -> anyhow::Result<Model> {
        let spinner = self.spinner(format!("reading {}", path.display()));
        set_stage("reading a model");
        if is_stream(path) {
            let message = format!("{}: found a pipe, expected a file", path.display());
            let failure = Failure::new(Exit::Input, message);
            return Err(failure.help("write the model to a file, which is mapped").into());
        }
        let model = Model::load(path)?;
        set_stage("working");
        drop(spinner);
        Ok(model)
    }
}

/// Leaves nothing behind when Ctrl-C ends the process at once, and says so.
fn end_at_once() {
    staging::remove_all();
    let help = "nothing was written; run it again";
    write_failure(format_args!("interrupted"), help, Exit::Interrupted);
}

/// Starts the threads of all parallel work; as many as there are processors if no number is given.
fn start_threads(threads: Option<NonZeroUsize>) -> anyhow::Result<()> {
    if let Some(threads) = threads {
        check_threads(threads.get())?;
    }
    let builder = ThreadPoolBuilder::new().num_threads(threads.map_or(0, NonZeroUsize::get));
    builder.build_global().map_err(|error| {
        let failure = Failure::new(Exit::Memory, format!("cannot start threads: {error}"));
        failure.help("allow more memory or threads, or ask for fewer with --threads").into()
    })
}

/// A matrix that is not symmetric is directed; a user who did not say what directions mean should
/// hear of it.
fn direction_warning(graph: &Graph, directed: Option<DirectedArg>) -> Option<String> {
    let is_directed = |graph: &Graph| {
        graph.blocks().iter().any(|block| block.kind == BlockKind::Links { directed: true })
    };
    (directed.is_none() && is_directed(graph)).then(|| {
        "the links are not symmetric, so they are directed: preset auto describes a node by both \
         ends of its links, the others by its out-links; if they have no direction use --directed \
         no, else choose with --directed out|in|both"
            .to_owned()
    })
}
