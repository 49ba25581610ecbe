//! `gage evaluate tune`.

use gage_embed::eval::{
    LogisticParams, Tried, TuneMeasure, TuneParams, TuneReport, Tuned, even_lambdas, tune,
};
use gage_embed::io::{EmbeddingRef, EmbeddingWriter};
use gage_embed::preset_selection::select_by_rule;
use gage_embed::{Columns, FitParams, FitRequest, Graph, Lambda};
use serde::Serialize;

use super::format::{row, spread};
use crate::args::evaluate::{MeasureArg, TuneArgs};
use crate::errors::Failure;
use crate::interrupt;
use crate::output::{count, table};
use crate::session::Session;
use crate::staging::Staging;

#[derive(Serialize)]
struct Report {
    data: String,
    nodes: usize,
    seed: u64,
    fits: usize,
    /// for each fit the preset or the file of the recipe, in the order of `candidate`
    candidates: Vec<String>,
    #[serde(skip)]
    outputs: Vec<String>,
    #[serde(flatten)]
    result: TuneReport,
    /// names of the views of the choice, in the order of its shares
    views: Vec<String>,
}

pub(crate) fn run(args: &TuneArgs, session: &Session) -> anyhow::Result<()> {
    let mut staging = Staging::new(args.data.inputs()?);
    let output = args.output.as_deref();
    let planned =
        output.map(|path| EmbeddingWriter::plan(&mut staging, path, args.format)).transpose()?;
    let model_file = args.model.as_deref().map(|path| staging.claim(path)).transpose()?;
    let dataset = session.load_for_fit(&args.data)?;
    let Some(labels) = dataset.graph.labels() else {
        let message = format!("{}: found no labels, expected some to choose by", args.data.title());
        return Err(Failure::misfit(message).help("give them with --labels").into());
    };
    let candidates = candidates(args, &dataset.graph, session.seed)?;
    let (names, candidates): (Vec<String>, Vec<FitParams>) = candidates.into_iter().unzip();
    let params = params(args, candidates, session.seed);
    let steps = session.steps("cross-validation");
    let Tuned { report: result, model } = tune(&dataset.graph, labels, &params, &steps)?;
    drop(steps);
    interrupt::check()?;
    let mut outputs = Vec::new();
    if let Some(planned) = &planned {
        let numbers = model.embedding(&Lambda::Preset)?;
        planned.write(&mut staging, &EmbeddingRef { nodes: model.nodes(), values: &numbers })?;
        outputs.extend_from_slice(planned.files());
    }
    if let (Some(target), Some(path)) = (&model_file, &args.model) {
        staging.write_at(target, |place| model.save(place))?;
        outputs.push(path.display().to_string());
    }
    staging.commit()?;
    if planned.is_some_and(|planned| planned.is_stdout()) {
        return Ok(());
    }
    let report = Report {
        data: args.data.title(),
        nodes: dataset.graph.nodes().len(),
        seed: session.seed,
        fits: params.candidates.len(),
        candidates: names,
        outputs,
        result,
        views: model.views().iter().map(|view| view.name.clone()).collect(),
    };
    session.out.result(&report.outputs, &report, || text(&report))
}

fn params(args: &TuneArgs, candidates: Vec<FitParams>, seed: u64) -> TuneParams {
    TuneParams {
        candidates,
        lambdas: even_lambdas(usize::from(args.steps)),
        search_shares: !args.lambda_only,
        holdout: args.holdout.0,
        folds: args.folds,
        logistic: LogisticParams { c: args.c, ..LogisticParams::default() },
        measure: match args.measure {
            MeasureArg::Micro => TuneMeasure::MicroF1,
            MeasureArg::Macro => TuneMeasure::MacroF1,
        },
        seed,
    }
}

/// A fit to try, and the preset or the file of the recipe that its views are of.
type Candidate = (String, FitParams);

/// One fit for every preset or recipe, number of columns and weights.
fn candidates(args: &TuneArgs, graph: &Graph, seed: u64) -> anyhow::Result<Vec<Candidate>> {
    let columns: Vec<Columns> = match &args.dims[..] {
        [] => vec![Columns::Default],
        dims => dims.iter().map(|columns| Columns::Fixed(columns.get())).collect(),
    };
    let (mut candidates, mut used) = (Vec::new(), vec![false; args.weights.len()]);
    for (name, recipe) in args.views()? {
        let preset = if recipe.is_some() { FitRequest::default().preset } else { name.clone() };
        let base = FitRequest {
            preset,
            recipe,
            directed: args.data.direction(),
            precision: args.precision.into(),
            seed,
            loadings: args.model.is_some(),
            ..FitRequest::default()
        };
        let mut weights = vec![None];
        if !args.weights.is_empty() {
            let views = view_count(&base, graph)?;
            // Weights belong to the presets that make as many views.
            for (given, used) in args.weights.iter().zip(&mut used).filter(|w| w.0.0.len() == views)
            {
                *used = true;
                weights.push(Some(given.0.clone()));
            }
        }
        for &columns in &columns {
            for weights in &weights {
                let request = FitRequest { columns, weights: weights.clone(), ..base.clone() };
                candidates.push((name.clone(), request.params(graph.nodes().len())?));
            }
        }
    }
    if let Some(at) = used.iter().position(|used| !used) {
        let given = &args.weights[at].0;
        let message =
            format!("nothing tried has {} views of this data, as many as --weights", given.len());
        let help = "give one weight per view of a preset or recipe";
        return Err(Failure::usage(message).help(help).into());
    }
    Ok(candidates)
}

/// How many views a preset or recipe makes of a graph.
fn view_count(request: &FitRequest, graph: &Graph) -> anyhow::Result<usize> {
    if let Some(recipe) = &request.recipe {
        return Ok(recipe.views.len());
    }
    let preset = FitParams::preset(&request.preset)?.preset;
    let directed = request.directed;
    let rule = preset.selection;
    let selected = rule.and_then(|rule| select_by_rule(graph, rule, directed));
    let views = selected.map_or(preset, |(preset, _)| preset).specs_for(graph, directed);
    Ok(views.len())
}

/// Shares as they were requested.
fn lambda(tried: &Tried) -> String {
    let round = |share: f64| (share * 1e3).round() / 1e3;
    match &tried.lambda {
        Lambda::Preset => "preset".to_owned(),
        Lambda::Links(lambda) => format!("lambda {}", round(*lambda)),
        Lambda::PerView(_) => {
            let shares: Vec<String> =
                tried.shares.iter().map(|&share| round(share).to_string()).collect();
            format!("shares {}", shares.join(","))
        }
    }
}

fn text(report: &Report) -> String {
    let result = &report.result;
    let mut text = format!(
        "{} nodes; {} labels to choose by in {} folds, {} kept aside; {} fits, {} things tried\n",
        count(report.nodes),
        count(result.train_nodes),
        result.folds,
        count(result.test_nodes),
        report.fits,
        result.tried.len(),
    );
    let mut rows = vec![row(["views", "columns", "weights", "shares", "micro F1", "macro F1", ""])];
    rows.extend(result.tried.iter().enumerate().map(|(at, tried)| {
        let weights = tried.weights.as_ref().map_or_else(
            || "preset".to_owned(),
            |weights| weights.iter().map(f64::to_string).collect::<Vec<_>>().join(","),
        );
        vec![
            report.candidates[tried.candidate].clone(),
            tried.columns.to_string(),
            weights,
            lambda(tried),
            spread(&tried.micro_f1),
            spread(&tried.macro_f1),
            if at == result.choice { "<-".to_owned() } else { String::new() },
        ]
    }));
    text.push_str(&table(&rows));
    let choice = &result.tried[result.choice];
    let shares: Vec<String> = report
        .views
        .iter()
        .zip(&choice.shares)
        .map(|(view, share)| format!("{view} {share:.3}"))
        .collect();
    text.push_str(&format!(
        "chosen: {} {}, {} columns, {} ({})\n",
        if choice.preset == report.candidates[choice.candidate] { "preset" } else { "recipe" },
        report.candidates[choice.candidate],
        choice.columns,
        lambda(choice),
        shares.join(", ")
    ));
    text.push_str(&format!(
        "on the labels kept aside: micro F1 {:.4}, macro F1 {:.4} (the first line untuned: {:.4}, \
         {:.4})\n",
        result.test.micro,
        result.test.macro_present,
        result.test_untuned.micro,
        result.test_untuned.macro_present
    ));
    if !report.outputs.is_empty() {
        text.push_str(&format!("wrote {}\n", report.outputs.join(", ")));
    }
    text
}
