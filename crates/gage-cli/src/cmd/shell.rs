//! `gage completions` and `gage man`.

use clap::CommandFactory;
use gage_embed::io::Inputs;
use serde_json::json;

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::errors::cannot_write;
use crate::session::Session;
use crate::staging::Staging;

pub(crate) fn completions(args: &CompletionsArgs, session: &Session) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "gage", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    session.out.result(&[], &json!({ "script": script.as_str() }), || script.clone())
}

pub(crate) fn man(args: &ManArgs, session: &Session) -> anyhow::Result<()> {
    let mut root = Cli::command();
    // Global flags reach the pages of the commands only once the tree is built.
    root.build();
    let Some(folder) = &args.dir else {
        let text = String::from_utf8_lossy(&page(root)?).into_owned();
        return session.out.result(&[], &json!({ "page": text.as_str() }), || text.clone());
    };
    std::fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))?;
    let mut staging = Staging::new(Inputs::default());
    let mut files = Vec::new();
    let commands: Vec<clap::Command> = root.get_subcommands().cloned().collect();
    let commands = commands.into_iter().filter(|command| command.get_name() != "help");
    let named = commands.map(|command| (format!("gage-{}", command.get_name()), command));
    for (name, command) in std::iter::once(("gage".to_owned(), root.clone())).chain(named) {
        let path = folder.join(format!("{name}.1"));
        let target = staging.claim(&path)?;
        let text = page(command)?;
        staging.write(&target, |out| out.write_all(&text))?;
        files.push(path.display().to_string());
    }
    staging.commit()?;
    session.out.summary(&files, &json!({}), || format!("wrote {}\n", files.join(", ")))
}

fn page(command: clap::Command) -> anyhow::Result<Vec<u8>> {
    let mut text = Vec::new();
    clap_mangen::Man::new(command).render(&mut text)?;
    Ok(text)
}
