//! The tables and figures of the paper, our numbers beside its own.

use gage_embed::eval::{ClassifyReport, LinkScoreReport, TrainReport, TrainSize};

use super::published::Published;
use super::setting::{FIGURE_DIM, PAPER, PaperData, Setting};
use super::table::{Cell, Row, Source, Style, Table, rounded};
use super::unit::{Finished, Outcome, Task};

/// Shares of training nodes of the paper.
const TRAIN: [f64; 3] = [0.9, 0.5, 0.1];

/// All tables for which there is an outcome.
pub(super) fn paper_tables(
    published: &Published,
    setting: &Setting,
    units: &[Finished],
) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    tables.extend(data(published, units));
    for paper in PAPER {
        let dims = paper.dims.into_iter();
        tables.extend(dims.filter_map(|dim| classify(published, setting, units, paper, dim)));
    }
    tables.extend(links(published, setting, units));
    tables.extend(time(published, setting, units));
    tables
}

/// The row name of a preset of ours.
pub(super) fn ours(preset: &str) -> String {
    format!("gage {preset}")
}

fn columns<S: ToString>(names: impl IntoIterator<Item = S>) -> Vec<String> {
    names.into_iter().map(|name| name.to_string()).collect()
}

fn data(published: &Published, units: &[Finished]) -> Option<Table> {
    let mut rows = Vec::new();
    for paper in PAPER {
        let found = Finished::find(units, Task::Data, paper.folder, "", None);
        let Some(Outcome::Data(facts)) = found.map(|found| &found.outcome) else { continue };
        let count = |value: usize| Some(Cell::of(value as f64));
        if let Some(theirs) = published.data.iter().find(|data| data.dataset == paper.name) {
            rows.push(Row {
                name: format!("{}, the paper", paper.name),
                source: Source::Published,
                cells: vec![
                    count(theirs.nodes),
                    count(theirs.links),
                    None,
                    count(theirs.attributes),
                    count(theirs.classes),
                    None,
                ],
            });
        }
        rows.push(Row {
            name: format!("{}, the files", paper.name),
            source: Source::Ours,
            cells: vec![
                count(facts.nodes),
                count(facts.links),
                count(facts.pairs),
                count(facts.attributes),
                count(facts.classes),
                count(facts.filled_classes),
            ],
        });
    }
    let names = ["nodes", "links", "linked pairs", "attributes", "classes", "classes with members"];
    (!rows.is_empty()).then(|| Table {
        id: "data".to_owned(),
        title: "Data sets (Table 2)".to_owned(),
        note: "Links are stored entries of the adjacency, so an undirected link counts twice, in \
               the paper's table as well; \
               of BlogCatalog the paper counts every edge four times. Two of the 19 classes of \
               Wikipedia have no member."
            .to_owned(),
        style: Style::Counts,
        absent: "–",
        columns: columns(names),
        rows,
    })
}

/// Results for one share of training nodes.
pub(super) fn trained(report: &ClassifyReport, share: f64) -> Option<&TrainReport> {
    report.results.iter().find(|result| result.train == TrainSize::Share(share))
}

/// Whether the two macro averages differ as they are printed: some class is empty, or too rare for
/// every test set.
pub(super) fn two_averages(report: &ClassifyReport) -> bool {
    let differ = |r: &TrainReport| rounded(r.macro_f1.mean) != rounded(r.macro_f1_all_classes.mean);
    report.results.iter().any(differ)
}

fn classify(
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
    let theirs = published.methods().into_iter().map(|method| {
        let mut cells = published_scores(published, paper, method, dim);
        cells.resize(names.len(), None);
        Row { name: method.to_owned(), source: Source::Published, cells }
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

/// The link scores of a unit.
pub(super) fn linked<'a>(
    units: &'a [Finished],
    data: &str,
    preset: &str,
) -> Option<&'a LinkScoreReport> {
    match &Finished::find(units, Task::Links, data, preset, None)?.outcome {
        Outcome::Links(report) => report.results.first(),
        _ => None,
    }
}

fn links(published: &Published, setting: &Setting, units: &[Finished]) -> Option<Table> {
    let any = |paper: &PaperData| {
        setting.link_presets.iter().any(|preset| linked(units, paper.folder, preset).is_some())
    };
    let papers: Vec<PaperData> = PAPER.into_iter().filter(any).collect();
    if papers.is_empty() {
        return None;
    }
    let names =
        papers.iter().flat_map(|paper| ["AUC", "AP"].map(|m| format!("{} {m}", paper.name)));
    let theirs = published.methods().into_iter().map(|method| Row {
        name: method.to_owned(),
        source: Source::Published,
        cells: papers
            .iter()
            .flat_map(|paper| {
                let cell = published.linked(paper.name, method);
                [
                    cell.and_then(|cell| Cell::published(Some(cell.auc), Some(cell.auc_std))),
                    cell.and_then(|cell| Cell::published(Some(cell.ap), Some(cell.ap_std))),
                ]
            })
            .collect(),
    });
    let own = setting.link_presets.iter().map(|preset| Row {
        name: ours(preset),
        source: Source::Ours,
        cells: papers
            .iter()
            .flat_map(|paper| {
                let found = linked(units, paper.folder, preset);
                [
                    found.map(|found| found.auc.into()),
                    found.map(|found| found.average_precision.into()),
                ]
            })
            .collect(),
    });
    let dims: Vec<String> =
        papers.iter().map(|paper| format!("{} for {}", paper.link_dim, paper.name)).collect();
    let table = Table {
        id: "links".to_owned(),
        title: "Link prediction, half of the links hidden".to_owned(),
        note: format!("Columns of the embeddings: {}.", dims.join(", ")),
        style: Style::Scores,
        absent: "–",
        columns: columns(names),
        rows: theirs.chain(own).collect(),
    };
    Some(table.marked())
}

fn time(published: &Published, setting: &Setting, units: &[Finished]) -> Option<Table> {
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
    let theirs = published.methods().into_iter().map(|method| Row {
        name: method.to_owned(),
        source: Source::Published,
        cells: papers
            .iter()
            .map(|paper| {
                let found = published
                    .time
                    .iter()
                    .find(|timed| timed.dataset == paper.name && timed.algorithm == method)?;
                Some(Cell::of(found.seconds))
            })
            .collect(),
    });
    let own = setting.presets.iter().map(|preset| Row {
        name: ours(preset),
        source: Source::Ours,
        cells: papers
            .iter()
            .map(|paper| Some(Cell::of(timed(paper.folder, preset)?.median)))
            .collect(),
    });
    let note = format!(
        "Ours: median of {} on {} threads of {}, from data in memory to embedding in memory. The \
         published times are \
         from the authors' machine, so only orders of magnitude compare; those of DANE include its \
         random walks. \
         The lowest is bold, and ▲ is at or below the lowest published one.",
        if first.seconds.len() == 1 {
            "1 fit".to_owned()
        } else {
            format!("{} fits", first.seconds.len())
        },
        first.threads,
        first.cpu
    );
    let table = Table {
        id: "time".to_owned(),
        title: format!("Running time in seconds, {FIGURE_DIM} columns"),
        note,
        style: Style::Seconds,
        absent: "–",
        columns: columns(papers.iter().map(|paper| paper.name)),
        rows: theirs.chain(own).collect(),
    };
    Some(table.marked())
}
