//! `gage reproduce`: the experiments of the paper, run again.

mod baseline;
mod parts;
mod plan;
mod report;
mod work;

use std::fs;
use std::path::Path;

use gage_embed::io::{Inputs, Target, WriteError};
use serde::Serialize;

use self::parts::Parts;
use self::plan::Plan;
use self::report::{Finished, Report, Skipped, Standing, Unit, markdown, page};
use self::work::Worker;
use crate::args::ReproduceArgs;
use crate::errors::{Exit, Failure, cannot_write};
use crate::interrupt;
use crate::progress::Units;
use crate::session::Session;
use crate::staging::Staging;

#[derive(Serialize)]
struct Summary {
    #[serde(skip)]
    outputs: Vec<String>,
    units: usize,
    resumed: usize,
    not_run: usize,
    /// of the paper's own method
    differences: usize,
    differences_of_methods: usize,
    cells_of_methods: usize,
    standings: Vec<Standing>,
}

pub(crate) fn run(args: &ReproduceArgs, session: &Session) -> anyhow::Result<()> {
    let plan = Plan::new(args, session.seed)?;
    let files = ["report.html", "report.json", "report.md"].map(|name| args.output.join(name));
    let folder = args.output.join("parts");
    fs::create_dir_all(&folder).map_err(|error| cannot_write(&folder, &error))?;
    let inputs = plan.folders().iter().fold(Inputs::default(), |inputs, place| inputs.and(place));
    let mut staging = Staging::new(inputs);
    let targets: Vec<Target> =
        files.iter().map(|path| staging.claim(path)).collect::<Result<_, WriteError>>()?;

    let mut parts = Parts::new(&folder);
    let mut finished = Vec::with_capacity(plan.units.len());
    for unit in &plan.units {
        let key = parts.key(unit, &plan)?;
        finished.push(if args.fresh { None } else { parts.find(unit, &key) });
    }
    let resumed = finished.iter().flatten().count();
    let outcome = work_off(&plan, &mut finished, &mut parts, session);
    if interrupt::requested() {
        return Err(stopped(&folder).into());
    }
    let mut skipped = plan.skipped.clone();
    skipped.extend(outcome?);

    let units: Vec<Finished> = finished.into_iter().flatten().collect();
    let report = Report::new(plan.setting, units, skipped)?;
    for (target, text) in targets.iter().zip([page(&report), report.json()?, markdown(&report)]) {
        staging.write(target, |out| out.write_all(text.as_bytes()))?;
    }
    staging.commit()?;
    let summary = Summary {
        outputs: files.iter().map(|path| path.display().to_string()).collect(),
        units: report.units.len(),
        resumed,
        not_run: report.not_run.len(),
        differences: report.differences.iter().filter(|found| found.is_of_paper()).count(),
        differences_of_methods: report.differences.iter().filter(|d| !d.is_of_paper()).count(),
        cells_of_methods: report.cells_of_methods,
        standings: report.standings,
    };
    session.out.summary(&summary.outputs, &summary, || text(&summary))
}

/// Does every unit that is not there yet, and keeps it; returns those that do not fit into memory.
fn work_off(
    plan: &Plan,
    finished: &mut [Option<Finished>],
    parts: &mut Parts,
    session: &Session,
) -> anyhow::Result<Vec<Skipped>> {
    let mut skipped = Vec::new();
    let left: Vec<usize> = (0..finished.len()).filter(|&at| finished[at].is_none()).collect();
    let costs: Vec<u64> = left.iter().map(|&at| plan.cost(&plan.units[at])).collect();
    let bar = Units::new(session.quiet, left.len(), costs.iter().sum());
    let mut worker = Worker::new(plan);
    for (&at, cost) in left.iter().zip(costs) {
        let unit: &Unit = &plan.units[at];
        bar.begin(unit.name(), cost);
        match worker.run(unit, &bar)? {
            Ok(result) => {
                let key = parts.key(unit, plan)?;
                parts.keep(&result, &key)?;
                finished[at] = Some(result);
            }
            Err(left_out) => skipped.push(left_out),
        }
        bar.end();
    }
    Ok(skipped)
}

fn stopped(parts: &Path) -> Failure {
    let help = format!(
        "what is finished is kept in {}; the same command goes on from there",
        parts.display()
    );
    Failure::new(Exit::Interrupted, "interrupted").help(help)
}

fn text(summary: &Summary) -> String {
    let mut text =
        format!("{} units, {} of them from earlier runs", summary.units, summary.resumed);
    if summary.not_run > 0 {
        text.push_str(&format!("; {} not run", summary.not_run));
    }
    text.push('\n');
    for standing in &summary.standings {
        text.push_str(&format!("{}\n", standing.line()));
    }
    if !summary.standings.is_empty() {
        text.push_str(&format!(
            "the paper's method differs from its published numbers by more than two standard \
             deviations in {} cells; the \
             report says why\n",
            summary.differences
        ));
    }
    if summary.cells_of_methods > 0 {
        text.push_str(&format!(
            "the other methods, run here, differ from their published numbers by more than two \
             standard deviations in {} of {} cells\n",
            summary.differences_of_methods, summary.cells_of_methods
        ));
    }
    text.push_str(&format!("wrote {}\n", summary.outputs.join(", ")));
    text
}
