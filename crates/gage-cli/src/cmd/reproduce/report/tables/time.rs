//! The table of running times.

use crate::cmd::reproduce::report::methods::METHODS;
use crate::cmd::reproduce::report::published::Published;
use crate::cmd::reproduce::report::setting::{FIGURE_DIM, PAPER, PaperData, Setting};
use crate::cmd::reproduce::report::table::{
    Cell, Row, Source, Style, Table, column_names, measured, ours,
};
use crate::cmd::reproduce::report::unit::{Finished, Outcome, Task, Timing};

pub(super) fn time(published: &Published, setting: &Setting, units: &[Finished]) -> Option<Table> {
    let timed =
        |data: &str, preset: &str| match &Finished::find(units, Task::Time, data, preset, None)?
            .outcome
        {
            Outcome::Time(timing) => Some(timing),
            _ => None,
        };
    let any = |paper: &PaperData| setting.presets.iter().any(|p| timed(paper.folder, p).is_some());
    let papers: Vec<PaperData> = PAPER.into_iter().filter(any).collect();
    let first = setting.presets.iter().find_map(|p| timed(papers.first()?.folder, p))?;
    let theirs = published.methods().into_iter().flat_map(|method| {
        let cells = papers.iter().map(|paper| {
            let mut all = published.time.iter();
            let found = all.find(|t| t.dataset == paper.name && t.algorithm == method)?;
            Some(Cell::of(found.seconds))
        });
        let cells = cells.collect();
        let row = Row { name: method.to_owned(), source: Source::Published, cells };
        std::iter::once(row).chain(run_here(units, &papers, method))
    });
    let own = setting.presets.iter().map(|preset| Row {
        name: ours(preset),
        source: Source::Ours,
        cells: papers
            .iter()
            .map(|paper| Some(Cell::of(timed(paper.folder, preset)?.median)))
            .collect(),
    });
    let table = Table {
        id: "time".to_owned(),
        title: format!("Running time in seconds, {FIGURE_DIM} columns"),
        note: note(first),
        style: Style::Seconds,
        absent: "–",
        columns: column_names(papers.iter().map(|paper| paper.name)),
        rows: theirs.chain(own).collect(),
    };
    Some(table.marked())
}

/// The row of a method of the paper that was run here on some of its data sets.
fn run_here(units: &[Finished], papers: &[PaperData], method: &str) -> Option<Row> {
    let own = METHODS.iter().find(|own| own.published == method)?;
    let cells = papers.iter().map(|paper| {
        let outcome = Finished::of_method(units, paper.folder, own.baseline, FIGURE_DIM)?;
        Some(Cell::of(outcome.timing.median))
    });
    let row = Row { name: measured(method), source: Source::Baseline, cells: cells.collect() };
    row.cells.iter().any(Option::is_some).then_some(row)
}

fn note(first: &Timing) -> String {
    let fits = match first.seconds.len() {
        1 => "1 fit".to_owned(),
        count => format!("{count} fits"),
    };
    format!(
        "Ours: median of {fits} on {} threads of {}, from data in memory to embedding in memory. \
         The published times are from the authors' machine, so only orders of magnitude compare; \
         those of DANE include its random walks. Other methods were run once each. The lowest is \
         bold, and ▲ is at or below the lowest published one.",
        first.threads, first.cpu
    )
}
