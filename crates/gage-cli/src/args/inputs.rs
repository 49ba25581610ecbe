//! The inputs of a command, of which only one may be standard input.

use std::path::{Path, PathBuf};

use gage_embed::io::repeated_stream;

use super::evaluate::EvaluateCommand;
use super::{Command, DataArgs};
use crate::errors::Failure;

impl Command {
    /// Refuses the same stream for two inputs: what comes out of it can be only one of them.
    pub(crate) fn check_streams(&self) -> Result<(), Failure> {
        let Some(path) = repeated_stream(&self.inputs()) else { return Ok(()) };
        let message = format!("{}: found as two inputs, expected one", path.display());
        Err(Failure::usage(message).help("only one input may be `-`; name a file for the other"))
    }

    /// Files and streams that the command reads.
    fn inputs(&self) -> Vec<&Path> {
        match self {
            Command::Embed(args) => args.data.paths().collect(),
            Command::Info(args) => args.data.paths().collect(),
            Command::Certify(args) => one(&args.model).chain(args.data.paths()).collect(),
            Command::FoldIn(args) => {
                let files = [&args.new, &args.graph, &args.attributes, &args.nodes, &args.columns];
                let views = args.views.iter().map(|view| view.1.as_path());
                let files = files.into_iter().flatten().map(PathBuf::as_path);
                one(&args.model).chain(files).chain(views).collect()
            }
            Command::Plot(args) => one(&args.model).chain(args.labels.as_deref()).collect(),
            Command::Similar(args) => one(&args.model).chain(args.index.as_deref()).collect(),
            Command::Evaluate(args) => match &args.task {
                EvaluateCommand::Classify(task) => {
                    one(&task.embedding.embedding).chain(one(&task.labels)).collect()
                }
                EvaluateCommand::Cluster(task) => {
                    one(&task.embedding.embedding).chain(task.labels.as_deref()).collect()
                }
                EvaluateCommand::Links(task) => task.data.paths().collect(),
                EvaluateCommand::Sweep(task) => task.data.paths().collect(),
                EvaluateCommand::Tune(task) => task.data.paths().collect(),
                EvaluateCommand::NewNodes(task) => task.data.paths().collect(),
            },
            _ => Vec::new(),
        }
    }
}

fn one(path: &Path) -> impl Iterator<Item = &Path> {
    std::iter::once(path)
}

impl DataArgs {
    /// Everything a data set is made of, as it was named.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        let given = [&self.dataset, &self.graph, &self.attributes, &self.labels, &self.nodes];
        let views = self.views.iter().map(|view| view.1.as_path());
        let given = given.into_iter().chain([&self.columns]).flatten().map(PathBuf::as_path);
        given.chain(views)
    }
}
