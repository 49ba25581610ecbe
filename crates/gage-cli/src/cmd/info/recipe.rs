//! `gage info --recipe`: the views a preset would fit, to be edited and given back.

use gage_embed::io::recipe_text;
use gage_embed::solver::{FitContext, prepare};
use gage_embed::views::ViewRecipe;
use gage_embed::{Columns, FitRequest};
use serde::Serialize;

use crate::args::InfoArgs;
use crate::interrupt;
use crate::session::Session;

#[derive(Serialize)]
struct Report {
    preset: &'static str,
    recipe: ViewRecipe,
    /// Why a preset that selects its views took these.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

pub(super) fn run(args: &InfoArgs, session: &Session) -> anyhow::Result<()> {
    let dataset = session.load_for_fit(&args.data)?;
    let preset = args.preset.unwrap_or_default().name();
    let nodes = dataset.graph.nodes().len();
    let request = FitRequest {
        preset: preset.to_owned(),
        columns: Columns::Fixed(args.dim.min(nodes)),
        directed: args.data.direction(),
        seed: session.seed,
        ..FitRequest::default()
    };
    let bar = session.bar();
    let ctx = FitContext { observer: &bar, ..FitContext::default() };
    let prepared = prepare(&dataset.graph, request.params(nodes)?.check()?, &ctx)?;
    let (recipe, ends) = (prepared.recipe(), prepared.lambda_ends());
    let reason = prepared.selection().map(|selection| selection.rationale.clone());
    drop(prepared);
    drop(bar);
    interrupt::check()?;
    let report = Report { preset, recipe, reason };
    session.out.result(&[], &report, || {
        let mut remarks = vec![format!("preset {preset} for {}", args.data.title())];
        remarks.extend(report.reason.clone());
        remarks.push(ends.to_string());
        recipe_text(&report.recipe, &remarks)
    })
}
