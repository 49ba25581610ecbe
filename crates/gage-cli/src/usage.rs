//! The command line itself: parsed, or refused in text or JSON.

use std::ffi::OsString;

use clap::{CommandFactory, Parser};

use crate::args::Cli;
use crate::errors::{Exit, Failure, report};
use crate::output::Output;

/// Parses the command line and says where its results go. `--help`, `--version` and mistakes are
/// printed, and their exit code returned; mistakes are JSON if the command line wants JSON.
pub(crate) fn parse(arguments: &[OsString]) -> Result<(Cli, Output), u8> {
    let name = command_name(arguments);
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            let asked = arguments.iter().take_while(|&one| one != "--").any(|one| one == "--json");
            if asked && error.use_stderr() {
                return Err(report(failure(&error), &Output::new(true, true, name)));
            }
            // Help is printed, too. Nothing can be reported where the output is closed.
            let _ = error.print();
            return Err(u8::try_from(error.exit_code()).unwrap_or(Exit::Usage as u8));
        }
    };
    let out = Output::new(cli.global.json, cli.global.quiet, name);
    Ok((cli, out))
}

/// The command among arguments, with its subcommand: `evaluate sweep`.
fn command_name(arguments: &[OsString]) -> Option<String> {
    let (root, mut names) = (Cli::command(), Vec::new());
    let mut at = &root;
    for argument in arguments.iter().skip(1) {
        if let Some(found) = argument.to_str().and_then(|name| at.find_subcommand(name)) {
            names.push(found.get_name());
            at = found;
        }
    }
    (!names.is_empty()).then(|| names.join(" "))
}

/// A mistake on the command line: what is wrong, then tips and how it is used.
fn failure(error: &clap::Error) -> Failure {
    let text = error.render().to_string();
    let mut parts = text.split("\n\n").map(one_line).filter(|part| !part.is_empty());
    let message = parts.next().unwrap_or_default();
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    Failure::usage(message).help(parts.collect::<Vec<_>>().join("; "))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn commands_are_found_among_options_and_files() {
        let name = |text| command_name(&arguments(text));
        assert_eq!(
            name("gage --threads 2 evaluate sweep index").as_deref(),
            Some("evaluate sweep")
        );
        assert_eq!(name("gage embed evaluate -o sweep").as_deref(), Some("embed"));
        assert_eq!(name("gage nonsense"), None);
    }

    #[test]
    fn a_mistake_has_its_message_and_its_help_apart() {
        let error = Cli::try_parse_from(arguments("gage similar m.gage")).unwrap_err();
        let failure = failure(&error);
        assert!(failure.to_string().ends_with("not provided: <NODE>..."), "{failure}");
    }
}
