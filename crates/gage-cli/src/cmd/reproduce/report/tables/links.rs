//! The table of link prediction.

use gage_embed::eval::LinkScoreReport;

use crate::cmd::reproduce::report::methods::METHODS;
use crate::cmd::reproduce::report::published::Published;
use crate::cmd::reproduce::report::setting::{PAPER, PaperData, Setting};
use crate::cmd::reproduce::report::table::{
    Cell, Row, Source, Style, Table, column_names, measured, ours,
};
use crate::cmd::reproduce::report::unit::{Finished, Outcome, Task};

/// The link scores of a unit.
pub(in crate::cmd::reproduce::report) fn linked<'a>(
    units: &'a [Finished],
    data: &str,
    preset: &str,
) -> Option<&'a LinkScoreReport> {
    match &Finished::find(units, Task::Links, data, preset, None)?.outcome {
        Outcome::Links(report) => report.results.first(),
        _ => None,
    }
}

pub(super) fn links(published: &Published, setting: &Setting, units: &[Finished]) -> Option<Table> {
    let any = |paper: &PaperData| {
        setting.link_presets.iter().any(|preset| linked(units, paper.folder, preset).is_some())
    };
    let papers: Vec<PaperData> = PAPER.into_iter().filter(any).collect();
    if papers.is_empty() {
        return None;
    }
    let names =
        papers.iter().flat_map(|paper| ["AUC", "AP"].map(|m| format!("{} {m}", paper.name)));
    let theirs = published.methods().into_iter().flat_map(|method| {
        let row = published_row(published, &papers, method);
        std::iter::once(row).chain(run_here(units, &papers, method))
    });
    let own = setting.link_presets.iter().map(|preset| Row {
        name: ours(preset),
        source: Source::Ours,
        cells: own_scores(units, &papers, preset),
    });
    let dims: Vec<String> =
        papers.iter().map(|paper| format!("{} for {}", paper.link_dim, paper.name)).collect();
    let table = Table {
        id: "links".to_owned(),
        title: "Link prediction, half of the links hidden".to_owned(),
        note: format!("Columns of the embeddings: {}.", dims.join(", ")),
        style: Style::Scores,
        absent: "–",
        columns: column_names(names),
        rows: theirs.chain(own).collect(),
    };
    Some(table.marked())
}

fn published_row(published: &Published, papers: &[PaperData], method: &str) -> Row {
    let cells = papers.iter().flat_map(|paper| {
        let cell = published.linked(paper.name, method);
        [
            cell.and_then(|cell| Cell::published(Some(cell.auc), Some(cell.auc_std))),
            cell.and_then(|cell| Cell::published(Some(cell.ap), Some(cell.ap_std))),
        ]
    });
    Row { name: method.to_owned(), source: Source::Published, cells: cells.collect() }
}

/// The row of a method of the paper that was run here on some of its data sets.
fn run_here(units: &[Finished], papers: &[PaperData], method: &str) -> Option<Row> {
    let own = METHODS.iter().find(|own| own.published == method)?;
    let cells = own_scores(units, papers, own.baseline);
    let row = Row { name: measured(method), source: Source::Baseline, cells };
    row.cells.iter().any(Option::is_some).then_some(row)
}

fn own_scores(units: &[Finished], papers: &[PaperData], method: &str) -> Vec<Option<Cell>> {
    let cells = papers.iter().flat_map(|paper| {
        let found = linked(units, paper.folder, method);
        [found.map(|found| found.auc.into()), found.map(|found| found.average_precision.into())]
    });
    cells.collect()
}
