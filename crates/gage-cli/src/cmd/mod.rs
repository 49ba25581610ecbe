//! The commands, one file or folder each.

mod certify;
mod convert;
mod describe;
mod embed;
mod evaluate;
mod fold_in;
mod index;
mod info;
mod reproduce;
mod reweight;
mod rival;
mod searched;
mod shell;
mod similar;

use std::path::Path;

use gage_embed::io::{Note, load};
use gage_embed::{Graph, Model};

use crate::args::{Command, DataArgs, GlobalArgs};
use crate::errors;
use crate::interrupt;
use crate::output::Output;
use crate::progress::{Bar, Spinner, Steps};

/// What every command works with.
pub(crate) struct Session {
    pub(crate) out: Output,
    pub(crate) quiet: bool,
    pub(crate) seed: u64,
}

/// A data set, and how it was understood in the words of the command.
pub(crate) struct Loaded {
    pub(crate) graph: Graph,
    pub(crate) info: Vec<String>,
    pub(crate) warnings: Vec<String>,
}

impl Session {
    /// Sets up threads and Ctrl-C as the flags say.
    pub(crate) fn new(global: &GlobalArgs) -> Session {
        interrupt::install();
        if let Some(threads) = global.threads {
            // Fails only if the pool exists already, which at this point it does not.
            let _ = rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build_global();
        }
        Session {
            out: Output::new(global.json, global.quiet),
            quiet: global.quiet,
            seed: global.seed,
        }
    }

    /// A progress bar for a fit, which also carries Ctrl-C into it.
    pub(crate) fn bar(&self) -> Bar {
        Bar::new(self.quiet)
    }

    /// A progress bar for an evaluation, which also carries Ctrl-C into it.
    pub(crate) fn steps(&self, what: &'static str) -> Steps {
        Steps::new(self.quiet, what)
    }

    /// Reads a data set and says how it was understood.
    pub(crate) fn load(&self, data: &DataArgs) -> anyhow::Result<Loaded> {
        let spinner = Spinner::new(self.quiet, format!("reading {}", data.title()));
        data.check_paths()?;
        let dataset = load(&data.spec()?)?;
        drop(spinner);
        let said = |notes: &[Note]| notes.iter().map(errors::remark).collect::<Vec<_>>();
        let (info, warnings) = (said(&dataset.info), said(&dataset.warnings));
        self.out.remarks("note", &info);
        self.out.remarks("warning", &warnings);
        interrupt::check()?;
        Ok(Loaded { graph: dataset.graph, info, warnings })
    }

    /// Reads a model.
    pub(crate) fn model(&self, path: &Path) -> anyhow::Result<Model> {
        let spinner = Spinner::new(self.quiet, format!("reading {}", path.display()));
        let model = Model::load(path)?;
        drop(spinner);
        Ok(model)
    }
}

/// Runs one command.
pub(crate) fn run(command: &Command, session: &Session) -> anyhow::Result<()> {
    match command {
        Command::Embed(args) => embed::run(args, session),
        Command::Reweight(args) => reweight::run(args, session),
        Command::FoldIn(args) => fold_in::run(args, session),
        Command::Certify(args) => certify::run(args, session),
        Command::Similar(args) => similar::run(args, session),
        Command::Index(args) => index::run(args, session),
        Command::Info(args) => info::run(args, session),
        Command::Convert(args) => convert::run(args, session),
        Command::Evaluate(args) => evaluate::run(args, session),
        Command::Reproduce(args) => reproduce::run(args, session),
        Command::Plot(args) => {
            session.out.story(|out| gage_cli::plot::run(&args.options(session.seed), out))
        }
        Command::Generate(args) => {
            session.out.story(|out| gage_cli::generate::run(&args.options(session.seed), out))
        }
        Command::Demo(args) => {
            session.out.story(|out| gage_cli::demo::run(&args.options(session.seed), out))
        }
        Command::Completions(args) => shell::completions(args),
        Command::Man(args) => shell::man(args, session),
    }
}
