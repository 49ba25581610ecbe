//! `gage evaluate`: how good an embedding is, measured with fair splits.

mod classify;
mod cluster;
mod format;
mod links;
mod new_nodes;
mod published;
mod sweep;
mod tune;

use crate::args::evaluate::{EvaluateArgs, EvaluateCommand};
use crate::session::Session;

pub(crate) fn run(args: &EvaluateArgs, session: &Session) -> anyhow::Result<()> {
    match &args.task {
        EvaluateCommand::Classify(args) => classify::run(args, session),
        EvaluateCommand::Links(args) => links::run(args, session),
        EvaluateCommand::Cluster(args) => cluster::run(args, session),
        EvaluateCommand::NewNodes(args) => new_nodes::run(args, session),
        EvaluateCommand::Sweep(args) => sweep::run(args, session),
        EvaluateCommand::Tune(args) => tune::run(args, session),
    }
}
