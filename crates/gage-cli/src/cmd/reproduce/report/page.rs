//! The report as HTML.

use std::fmt::Write as _;

use gage_plot::chart::{Chart, Line};
use gage_plot::escape;

use super::differences::COLUMNS;
use super::document::Report;
use super::figures::{Figure, Panel, short};
use super::table::{Cell, Source, Style, Table};

const STYLE: &str = include_str!("page.css");
const TITLE: &str = "GAGE: the paper's experiments, run again";

/// The whole page. Writing to a string does not fail, so results of `write!` are ignored.
pub(in crate::cmd::reproduce) fn page(report: &Report) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{TITLE}</title>\n<style>{STYLE}</style></head>\n<body><main>\n<h1>{TITLE}</h1>\n"
    );
    list(&mut out, report.standings.iter().map(|standing| standing.line()));
    let notes = report.preface();
    let _ = writeln!(out, "<p class=\"soft\">{}</p>", escape(&notes.join(" ")));
    for table in &report.tables {
        heading(&mut out, &table.id, &table.title);
        if !table.note.is_empty() {
            let _ = writeln!(out, "<p class=\"soft\">{}</p>", escape(&table.note));
        }
        whole_table(&mut out, table);
    }
    below(&mut out, report);
    if !report.standings.is_empty() {
        differences(&mut out, report);
    }
    for figure in &report.figures {
        charts(&mut out, figure);
    }
    if !report.not_run.is_empty() {
        heading(&mut out, "not-run", "Not run");
        let lines = report.not_run.iter().map(|s| format!("{}: {}", s.unit.name(), s.why));
        list(&mut out, lines);
    }
    about(&mut out, report);
    out.push_str("</main></body></html>\n");
    out
}

fn heading(out: &mut String, id: &str, title: &str) {
    let _ = writeln!(out, "<h2 id=\"{}\">{}</h2>", escape(id), escape(title));
}

fn list(out: &mut String, lines: impl Iterator<Item = String>) {
    out.push_str("<ul>");
    for line in lines {
        let _ = write!(out, "<li>{}</li>", escape(&line));
    }
    out.push_str("</ul>\n");
}

fn head(out: &mut String, columns: &[&str]) {
    out.push_str("<div class=\"scroll\"><table>\n<thead><tr>");
    for column in columns {
        let _ = write!(out, "<th scope=\"col\">{}</th>", escape(column));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
}

fn whole_table(out: &mut String, table: &Table) {
    let columns: Vec<&str> =
        std::iter::once("").chain(table.columns.iter().map(String::as_str)).collect();
    head(out, &columns);
    for row in &table.rows {
        let class = if row.source == Source::Ours { " class=\"ours\"" } else { "" };
        let _ = write!(out, "<tr{class}><th scope=\"row\">{}</th>", escape(&row.name));
        for &cell in &row.cells {
            one_cell(out, table, cell, row.source);
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
}

fn one_cell(out: &mut String, table: &Table, cell: Option<Cell>, source: Source) {
    let text = escape(&table.text(cell, source));
    let (best, above) = cell.map_or((false, false), |c| (c.best, c.at_or_above_published));
    let classes = [(best, "best"), (above, "above")];
    let classes: Vec<&str> = classes.into_iter().filter(|c| c.0).map(|c| c.1).collect();
    let text = match (text.split_once(" ± "), table.style) {
        (Some((mean, deviation)), Style::Scores) => {
            format!("{mean} <span class=\"sd\">± {deviation}</span>")
        }
        _ => text,
    };
    let mark = if above { "▲ " } else { "" };
    let _ = write!(out, "<td class=\"{}\">{mark}{text}</td>", classes.join(" "));
}

fn below(out: &mut String, report: &Report) {
    let lines: Vec<String> = report
        .standings
        .iter()
        .flat_map(|s| s.below.iter().map(|cell| format!("{}: {cell}", s.preset)))
        .collect();
    if !lines.is_empty() {
        heading(out, "below", "Cells below the best published number");
        list(out, lines.into_iter());
    }
}

fn differences(out: &mut String, report: &Report) {
    heading(out, "differences", "Where methods of the paper differ from its published numbers");
    if report.differences.is_empty() {
        out.push_str("<p>Nowhere by more than two published standard deviations.</p>\n");
        return;
    }
    out.push_str(
        "<p class=\"soft\">Differences of more than two published standard deviations.</p>\n",
    );
    head(out, &COLUMNS);
    for found in &report.differences {
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{:.4} ± {:.4}</td>\
             <td>{:.4} ± {:.4}</td>\
             <td>{:+.1}</td><td class=\"words\">{}</td></tr>",
            escape(&found.method),
            escape(&found.data),
            found.dimension,
            escape(&found.measure),
            found.published,
            found.published_deviation,
            found.ours.mean,
            found.ours.deviation,
            found.deviations,
            escape(&found.reason)
        );
    }
    out.push_str("</tbody></table></div>\n");
}

fn charts(out: &mut String, figure: &Figure) {
    heading(out, &figure.id, &figure.title);
    let caption = escape(&figure.caption());
    let _ = writeln!(out, "<p class=\"soft\">{caption}</p>\n<div class=\"charts\">");
    for panel in &figure.panels {
        let _ = writeln!(out, "<figure>{}</figure>", chart(panel).svg());
    }
    out.push_str("</div>\n");
}

fn chart(panel: &Panel) -> Chart {
    let lines = panel.series.iter().map(|series| {
        let values = series.values.iter().zip(&panel.lambdas);
        let points = values.map(|(value, &lambda)| (lambda, value.mean, value.deviation));
        Line::new(short(&series.measure), points)
    });
    Chart {
        title: panel.title.clone(),
        x_label: "lambda".to_owned(),
        lines: lines.collect(),
        width: 460.0,
        height: 320.0,
        ..Chart::default()
    }
}

fn about(out: &mut String, report: &Report) {
    let setting = &report.setting;
    heading(out, "about", "About");
    let _ = writeln!(
        out,
        "<p>Made by <code>gage reproduce</code> {}, seed {}, on {} threads of {} ({}). Every \
         number, shuffle by shuffle, is \
         in <code>report.json</code>.</p>",
        setting.version,
        setting.seed,
        setting.machine.threads,
        escape(&setting.machine.cpu),
        setting.machine.os
    );
}
