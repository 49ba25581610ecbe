//! Runs the demo: `cargo run --release -p gage-cli --example demo [FOLDER]`.

use gage_cli::demo::{DemoOptions, run};

fn main() -> anyhow::Result<()> {
    let output = std::env::args_os().nth(1).map_or_else(|| "gage-demo".into(), Into::into);
    run(&DemoOptions { output, seed: 0 }, &mut std::io::stdout().lock())?;
    Ok(())
}
