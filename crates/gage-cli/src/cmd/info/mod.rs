//! `gage info`: contents of a file, and the estimated cost of a fit.

mod data;
mod readings;
mod recipe;
mod shards;

use gage_embed::Lambda;
use gage_embed::io::Shards;

use crate::args::InfoArgs;
use crate::model_summary::ModelSummary;
use crate::output::count;
use crate::session::Session;

pub(crate) fn run(args: &InfoArgs, session: &Session) -> anyhow::Result<()> {
    if let Some(path) = &args.data.dataset {
        if Shards::is_at(path) {
            return shards::run(path, session);
        }
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        if matches!(extension.as_str(), "gage" | "safetensors") {
            let summary = ModelSummary::of(&session.model(path)?, &Lambda::Preset)?;
            session.out.warnings(&summary.warnings);
            return session.out.result(&[], &summary, || {
                let new = if summary.takes_new_nodes { "takes" } else { "does not take" };
                let unobserved = match summary.nodes_without_any_view {
                    0 => String::new(),
                    some => format!(", {} nodes without any view", count(some)),
                };
                format!("{}  {new} new nodes{unobserved}\n", summary.text())
            });
        }
    }
    if args.recipe {
        return recipe::run(args, session);
    }
    let dataset = session.load(&args.data)?;
    let spinner = session.spinner("looking the data over");
    let report = data::describe(dataset, args.dim, session.seed)?;
    drop(spinner);
    session.out.result(&[], &report, || report.text())
}
