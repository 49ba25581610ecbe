//! The report as Markdown.

use std::fmt::Write as _;

use super::differences::COLUMNS;
use super::document::Report;
use super::figures::{Figure, short};
use super::table::{Source, Table};

/// The whole text. Writing to a string does not fail, so results of `write!` are ignored.
pub(in crate::cmd::reproduce) fn markdown(report: &Report) -> String {
    let mut out = "# GAGE: the paper's experiments, run again\n\n".to_owned();
    list(&mut out, report.standings.iter().map(|standing| standing.line()));
    let _ = writeln!(out, "{}", report.preface().join("\n"));
    for table in &report.tables {
        whole_table(&mut out, table);
    }
    let below = report
        .standings
        .iter()
        .flat_map(|s| s.below.iter().map(|cell| format!("{}: {cell}", s.preset)));
    let below: Vec<String> = below.collect();
    if !below.is_empty() {
        out.push_str("\n## Cells below the best published number\n\n");
        list(&mut out, below.into_iter());
    }
    if !report.standings.is_empty() {
        differences(&mut out, report);
    }
    report.figures.iter().for_each(|figure| values(&mut out, figure));
    if !report.not_run.is_empty() {
        out.push_str("\n## Not run\n\n");
        list(&mut out, report.not_run.iter().map(|s| format!("{}: {}", s.unit.name(), s.why)));
    }
    let setting = &report.setting;
    let _ = writeln!(
        out,
        "\nMade by `gage reproduce` {}, seed {}, on {} threads of {} ({}).",
        setting.version,
        setting.seed,
        setting.machine.threads,
        setting.machine.cpu,
        setting.machine.os
    );
    out
}

fn list(out: &mut String, lines: impl Iterator<Item = String>) {
    lines.for_each(|line| {
        let _ = writeln!(out, "- {line}");
    });
    out.push('\n');
}

fn line(out: &mut String, cells: impl IntoIterator<Item = String>) {
    let cells: Vec<String> = cells.into_iter().map(|cell| cell.replace('|', "\\|")).collect();
    let _ = writeln!(out, "| {} |", cells.join(" | "));
}

fn head(out: &mut String, columns: &[String]) {
    line(out, columns.iter().cloned());
    let _ = writeln!(out, "|---|{}", "--:|".repeat(columns.len().saturating_sub(1)));
}

fn whole_table(out: &mut String, table: &Table) {
    let _ = writeln!(out, "\n## {}\n", table.title);
    if !table.note.is_empty() {
        let _ = writeln!(out, "{}\n", table.note);
    }
    let columns: Vec<String> =
        std::iter::once(String::new()).chain(table.columns.iter().cloned()).collect();
    head(out, &columns);
    for row in &table.rows {
        let cells = row.cells.iter().map(|&cell| {
            let text = table.text(cell, row.source);
            let (best, above) = cell.map_or((false, false), |c| (c.best, c.at_or_above_published));
            let text = if best { format!("**{text}**") } else { text };
            if above { format!("▲ {text}") } else { text }
        });
        let name = match row.source {
            Source::Ours => format!("`{}`", row.name),
            _ => row.name.clone(),
        };
        line(out, std::iter::once(name).chain(cells));
    }
}

fn differences(out: &mut String, report: &Report) {
    out.push_str("\n## Where methods of the paper differ from its published numbers\n\n");
    if report.differences.is_empty() {
        out.push_str("Nowhere by more than two published standard deviations.\n");
        return;
    }
    out.push_str("Differences of more than two published standard deviations.\n\n");
    head(out, &COLUMNS.map(str::to_owned));
    for found in &report.differences {
        line(
            out,
            [
                found.method.clone(),
                found.data.clone(),
                found.dimension.to_string(),
                found.measure.clone(),
                format!("{:.4} ± {:.4}", found.published, found.published_deviation),
                format!("{:.4} ± {:.4}", found.ours.mean, found.ours.deviation),
                format!("{:+.1}", found.deviations),
                found.reason.clone(),
            ],
        );
    }
}

fn values(out: &mut String, figure: &Figure) {
    let _ = writeln!(out, "\n## {}\n\n{}", figure.title, figure.caption());
    for panel in &figure.panels {
        let _ = writeln!(out, "\n{}:\n", panel.title);
        let lines = panel.series.iter().map(|series| short(&series.measure).to_owned());
        head(out, &std::iter::once("lambda".to_owned()).chain(lines).collect::<Vec<_>>());
        for (at, lambda) in panel.lambdas.iter().enumerate() {
            let lambda = format!("{}", (lambda * 1e4).round() / 1e4);
            let values = panel.series.iter().map(|series| {
                let value = series.values[at];
                format!("{:.4} ± {:.4}", value.mean, value.deviation)
            });
            line(out, std::iter::once(lambda).chain(values));
        }
    }
}
