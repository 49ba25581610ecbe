//! Presets and other methods side by side on many data sets.

use gage_embed::eval::{ClassifyReport, TrainReport};

use super::setting::{DEFAULTS, DEFAULTS_DIM, Setting};
use super::table::{Cell, Row, Source, Style, Table, ours};
use super::tables::trained;
use super::unit::{Finished, Outcome, Task};

/// Shares of training nodes in this comparison.
const TRAIN: [f64; 2] = [0.5, 0.1];

/// One table for each measure and share of training nodes.
pub(super) fn tables(setting: &Setting, units: &[Finished]) -> Vec<Table> {
    let of = |data: &str, method: &str| -> Option<&ClassifyReport> {
        match &Finished::find(units, Task::Defaults, data, method, None)?.outcome {
            Outcome::Classify(report) => Some(report),
            _ => None,
        }
    };
    let presets = setting.presets.iter().map(|preset| (preset, Source::Ours));
    let baselines = setting.baselines.iter().map(|name| (name, Source::Baseline));
    let methods: Vec<(&String, Source)> = presets.chain(baselines).collect();
    let data: Vec<&str> = DEFAULTS
        .into_iter()
        .filter(|data| methods.iter().any(|(method, _)| of(data, method).is_some()))
        .collect();
    if data.is_empty() {
        return Vec::new();
    }
    let mut tables = Vec::new();
    type Part = fn(&TrainReport) -> Cell;
    let measures: [(&str, Part); 2] =
        [("micro F1", |r| r.micro_f1.into()), ("macro F1", |r| r.macro_f1.into())];
    for share in TRAIN {
        for (measure, part) in measures {
            let rows = methods.iter().map(|&(method, source)| Row {
                name: if source == Source::Ours { ours(method) } else { method.clone() },
                source,
                cells: data
                    .iter()
                    .map(|data| trained(of(data, method)?, share).map(part))
                    .collect(),
            });
            let rows: Vec<Row> = rows.collect();
            let percent = share * 100.0;
            let table = Table {
                id: format!("defaults-{}-{percent}", &measure[..5]),
                title: format!("Defaults on many data sets: {measure}, {percent}% trained"),
                note: format!(
                    "{DEFAULTS_DIM} columns, {} random splits; all embeddings scaled to a mean \
                     squared entry of 1. The \
                     macro average is over the classes that occur. The second mean is over the \
                     data sets on which every \
                     method was run.",
                    setting.defaults_shuffles
                ),
                style: Style::Scores,
                absent: "not run",
                columns: data.iter().map(|&name| name.to_owned()).collect(),
                rows,
            };
            tables.push(summarised(table).marked());
        }
    }
    tables
}

/// Adds the means of every row, and the distance of `auto` from the best of the others.
fn summarised(mut table: Table) -> Table {
    let data = table.columns.len();
    let everywhere: Vec<bool> =
        (0..data).map(|column| table.rows.iter().all(|row| row.cells[column].is_some())).collect();
    for row in &mut table.rows {
        let values: Vec<Option<f64>> = row.cells.iter().map(|c| c.map(|c| c.value)).collect();
        let mean = |values: &[f64]| {
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        let whole: Option<Vec<f64>> = values.iter().copied().collect();
        let common: Vec<f64> =
            values.iter().zip(&everywhere).filter(|p| *p.1).filter_map(|p| *p.0).collect();
        row.cells.push(whole.and_then(|values| mean(&values)).map(Cell::of));
        row.cells.push(mean(&common).map(Cell::of));
    }
    let common = everywhere.iter().filter(|all| **all).count();
    table.columns.extend(["mean".to_owned(), format!("mean of {common}")]);
    let auto = table.rows.iter().find(|row| row.name == ours("auto"));
    let Some(auto) = auto.map(|row| row.cells.clone()) else { return table };
    let others = table.rows.iter().filter(|row| row.name != ours("auto"));
    let best = others.fold(vec![f64::NEG_INFINITY; auto.len()], |best, row| {
        let cells = row.cells.iter().map(|c| c.map_or(f64::NEG_INFINITY, |c| c.value));
        best.into_iter().zip(cells).map(|(a, b)| a.max(b)).collect()
    });
    let cells = auto.iter().zip(best).map(|(auto, best)| {
        auto.filter(|_| best.is_finite()).map(|auto| Cell::of(auto.value - best))
    });
    let row = Row {
        name: "auto minus best other".into(),
        source: Source::Derived,
        cells: cells.collect(),
    };
    table.rows.push(row);
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auto_is_compared_with_the_best_other_method() {
        let row = |name: &str, source, values: [Option<f64>; 2]| Row {
            name: name.to_owned(),
            source,
            cells: values.map(|v| v.map(Cell::of)).to_vec(),
        };
        let table = Table {
            id: String::new(),
            title: String::new(),
            note: String::new(),
            style: Style::Scores,
            absent: "not run",
            columns: vec!["a".into(), "b".into()],
            rows: vec![
                row("gage auto", Source::Ours, [Some(0.8), Some(0.5)]),
                row("gage paper", Source::Ours, [Some(0.7), Some(0.6)]),
                row("tadw", Source::Baseline, [Some(0.9), None]),
            ],
        };
        let table = summarised(table).marked();
        let values = |row: usize| -> Vec<Option<f64>> {
            let round = |c: Cell| (c.value * 1e9).round() / 1e9;
            table.rows[row].cells.iter().map(|c| c.map(round)).collect()
        };
        assert_eq!(table.columns, ["a", "b", "mean", "mean of 1"]);
        assert_eq!(values(0), [Some(0.8), Some(0.5), Some(0.65), Some(0.8)]);
        assert_eq!(values(2), [Some(0.9), None, None, Some(0.9)]);
        assert_eq!(values(3), [Some(-0.1), Some(-0.1), Some(0.0), Some(-0.1)]);
        assert!(table.rows[2].cells[0].is_some_and(|cell| cell.best));
    }
}
