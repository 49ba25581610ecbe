//! Other methods of the paper, run in its setting.

use std::time::Instant;

use gage_baselines::{Method, Scale};
use gage_embed::eval::{ClassifyReport, EvalObserver, LinkExperiment, link_experiment};
use gage_embed::{AnyTall, Graph};

use super::plan::Plan;
use super::report::{MethodOutcome, Outcome, PaperMethod, Timing, Unit};

/// The baseline a unit runs: in the setting of the paper for its tables, else in its default one.
pub(super) fn of(unit: &Unit, in_paper: bool) -> anyhow::Result<Box<dyn Method>> {
    Ok(match PaperMethod::of(&unit.method).filter(|_| in_paper) {
        Some(method) => gage_baselines::variant(&unit.method, method.variant(&unit.data))?,
        None => gage_baselines::named(&unit.method)?,
    })
}

/// Embeds once, takes the time, and classifies the rows as they come out and scaled.
pub(super) fn classify(
    plan: &Plan,
    unit: &Unit,
    graph: &Graph,
    observer: &dyn EvalObserver,
    score: impl Fn(&AnyTall) -> anyhow::Result<ClassifyReport>,
) -> anyhow::Result<Outcome> {
    let method = of(unit, true)?;
    let clock = Instant::now();
    let rows = method.embed_at(Scale::None, graph, unit.dim, plan.setting.seed, observer)?;
    let seconds = clock.elapsed().as_secs_f64();
    let machine = &plan.setting.machine;
    let mut scaled = rows.clone();
    Scale::MeanSquare.apply(&mut scaled);
    Ok(Outcome::Method(MethodOutcome {
        timing: Timing {
            seconds: vec![seconds],
            median: seconds,
            threads: machine.threads,
            cpu: machine.cpu.clone(),
        },
        memory_bytes: method.memory_bytes(graph, unit.dim),
        unscaled: score(&AnyTall::F32(rows))?,
        scaled: score(&AnyTall::F32(scaled))?,
    }))
}

/// Predicts hidden links by dot products, which no scale changes the order of.
pub(super) fn links(
    unit: &Unit,
    graph: &Graph,
    experiment: &LinkExperiment,
    observer: &dyn EvalObserver,
) -> anyhow::Result<Outcome> {
    let method = of(unit, true)?;
    let report = link_experiment(graph, experiment, observer, |graph, seed| {
        anyhow::Ok(AnyTall::F32(method.embed(graph, unit.dim, seed, observer)?))
    })?;
    Ok(Outcome::Links(report))
}
