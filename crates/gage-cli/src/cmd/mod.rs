//! The commands, one file or folder each.

mod certify;
mod convert;
mod demo;
mod embed;
mod evaluate;
mod explore;
mod fold_in;
mod generate;
mod index;
mod info;
mod merge;
mod plot;
mod reproduce;
mod reweight;
mod shell;
mod similar;

use crate::args::Command;
use crate::session::Session;

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
        Command::Merge(args) => merge::run(args, session),
        Command::Evaluate(args) => evaluate::run(args, session),
        Command::Reproduce(args) => reproduce::run(args, session),
        Command::Explore(args) => explore::run(args, session),
        Command::Plot(args) => plot::run(args, session),
        Command::Generate(args) => generate::run(args, session),
        Command::Demo(args) => demo::run(args, session),
        Command::Completions(args) => shell::completions(args, session),
        Command::Man(args) => shell::man(args, session),
    }
}
