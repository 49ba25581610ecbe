//! Tables of node classification.

use gage_embed::eval::{ClassifyReport, TrainReport, TrainSize};

use crate::cmd::reproduce::report::methods::METHODS;
use crate::cmd::reproduce::report::published::Published;
use crate::cmd::reproduce::report::setting::{PaperData, Setting};
use crate::cmd::reproduce::report::table::{
    Cell, Row, Source, Style, Table, measured, ours, rounded,
};
use crate::cmd::reproduce::report::unit::{Finished, Outcome, Task};

/// Shares of training nodes of the paper.
const TRAIN: [f64; 3] = [0.9, 0.5, 0.1];

/// Results for one share of training nodes.
pub(in crate::cmd::reproduce::report) fn trained(
    report: &ClassifyReport,
    share: f64,
) -> Option<&TrainReport> {
    report.results.iter().find(|result| result.train == TrainSize::Share(share))
}

/// Whether the two macro averages differ as they are printed: some class is empty, or too rare for
/// every test set.
pub(in crate::cmd::reproduce::report) fn two_averages(report: &ClassifyReport) -> bool {
    let differ = |r: &TrainReport| rounded(r.macro_f1.mean) != rounded(r.macro_f1_all_classes.mean);
    report.results.iter().any(differ)
}

/// The table of a data set and a dimension.
pub(super) fn classify(
    published: &Published,
    setting: &Setting,
    units: &[Finished],
    paper: PaperData,
    dim: usize,
) -> Option<Table> {
    let mine: Vec<(&str, &ClassifyReport)> = setting
        .presets
        .iter()
        .filter_map(|preset| {
            let found = Finished::find(units, Task::Classify, paper.folder, preset, Some(dim))?;
            let Outcome::Classify(report) = &found.outcome else { return None };
            Some((preset.as_str(), report))
        })
        .collect();
    let (_, first) = mine.first()?;
    let both = mine.iter().any(|(_, report)| two_averages(report));
    let percent = TRAIN.map(|share| format!("{}%", share * 100.0));
    let mut names: Vec<String> =
        percent.iter().flat_map(|p| [format!("micro {p}"), format!("macro {p}")]).collect();
    if both {
        names.extend(percent.iter().map(|p| format!("macro {p}, occurring classes")));
    }
    let theirs = published.methods().into_iter().flat_map(|method| {
        let mut cells = published_scores(published, paper, method, dim);
        cells.resize(names.len(), None);
        let row = Row { name: method.to_owned(), source: Source::Published, cells };
        std::iter::once(row).chain(run_here(units, paper, method, dim, both))
    });
    let own = mine.iter().map(|(preset, report)| Row {
        name: ours(preset),
        source: Source::Ours,
        cells: own_scores(report, both),
    });
    let rows = theirs.chain(own).collect();
    let table = Table {
        id: format!("classify-{}-{dim}", paper.folder),
        title: format!("Node classification, {}, {dim} columns", paper.name),
        note: if both { about_averages(first) } else { String::new() },
        style: Style::Scores,
        absent: "–",
        columns: names,
        rows,
    };
    Some(table.marked())
}

/// Rows of a method of the paper that was run here, as it comes out and scaled.
fn run_here(
    units: &[Finished],
    paper: PaperData,
    method: &str,
    dim: usize,
    both: bool,
) -> Vec<Row> {
    let own = METHODS.iter().find(|own| own.published == method);
    let outcome = own.and_then(|own| Finished::of_method(units, paper.folder, own.baseline, dim));
    let Some(outcome) = outcome else { return Vec::new() };
    let row =
        |name, report| Row { name, source: Source::Baseline, cells: own_scores(report, both) };
    let scaled = format!("{}, scaled", measured(method));
    vec![row(measured(method), &outcome.unscaled), row(scaled, &outcome.scaled)]
}

fn published_scores(
    published: &Published,
    paper: PaperData,
    method: &str,
    dim: usize,
) -> Vec<Option<Cell>> {
    let cells = TRAIN.iter().flat_map(|&train| {
        let cell = published.classified(paper.name, method, dim, train);
        [
            cell.and_then(|cell| Cell::published(cell.micro_f1, cell.micro_std)),
            cell.and_then(|cell| Cell::published(cell.macro_f1, cell.macro_std)),
        ]
    });
    cells.collect()
}

/// Micro and macro F1 for every share; then the other macro average, if requested.
fn own_scores(report: &ClassifyReport, both: bool) -> Vec<Option<Cell>> {
    let results = TRAIN.map(|share| trained(report, share));
    let mut cells: Vec<Option<Cell>> = results
        .iter()
        .flat_map(|result| {
            let micro = result.map(|result| result.micro_f1.into());
            [micro, result.map(|result| result.macro_f1_all_classes.into())]
        })
        .collect();
    if both {
        cells.extend(results.iter().map(|result| result.map(|result| result.macro_f1.into())));
    }
    cells
}

fn about_averages(report: &ClassifyReport) -> String {
    let empty = match report.empty_classes.len() {
        0 => String::new(),
        empty => format!("the {empty} that have no member, and "),
    };
    format!(
        "The macro averages beside the published ones are over all {} classes of the file; the \
         last columns leave out \
         {empty}split by split a class that is neither true nor predicted for any test node.",
        report.classes
    )
}
