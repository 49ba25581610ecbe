//! The HTML page of the demo.

use std::fmt::Write;

use anyhow::Result;
use gage_embed::eval::Spread;
use gage_embed::{Graph, Model};
use gage_explorer::{ExplorerParams, frozen_page};
use gage_plot::escape;

use super::report::{DemoReport, LOOKS, Score};
use super::text::rows;
use crate::output::with_commas;
use crate::session::Session;

const TITLE: &str = "Debian packages, by links and by words";

/// Builds the page: the explorer of the model, and below it what was found.
pub(super) fn page(
    graph: Graph,
    model: Model,
    report: &DemoReport,
    session: &Session,
) -> Result<String> {
    let mut story = before(report)?;
    similar(report, &mut story)?;
    scores(report, &mut story)?;
    certificate(report, &mut story)?;
    about(&mut story)?;
    let (title, seed) = (TITLE.to_owned(), session.seed);
    let params =
        ExplorerParams { title, graph: Some(graph), story, seed, ..ExplorerParams::default() };
    let _spinner = session.spinner("maps");
    Ok(frozen_page(model, params)?)
}

fn before(report: &DemoReport) -> Result<String> {
    let sizes = &report.findings.sizes;
    let mut out = String::from(
        "<p>Every package is known in two ways: by the packages it needs or is needed by \
         (<b>links</b>), and by the words of \
         its description (<b>words</b>). One model was fitted to both. The number λ says how much \
         the links count, and \
         changing it costs nothing: move its slider and watch map and neighbours.</p>\n\
         <ul class=\"tiles\">",
    );
    let tiles = [
        (with_commas(sizes.nodes), "packages"),
        (with_commas(sizes.links), "links"),
        (with_commas(sizes.word_uses), "word uses"),
        (format!("{}", sizes.sections), "sections"),
        (format!("{:.2} s", report.findings.seconds.fit), "to fit the model"),
    ];
    for (number, what) in tiles {
        write!(out, "<li><b>{number}</b><span>{what}</span></li>")?;
    }
    out.push_str("</ul>");
    Ok(out)
}

fn similar(report: &DemoReport, out: &mut String) -> Result<()> {
    out.push_str(
        "<h2>Similar packages at three values of λ</h2>\n<p>Choose any package on the map \
         to see its own list.</p>\n\
         <div class=\"scroll\"><table>\n<caption>Most similar first, by the cosine of the \
         embedding rows</caption>\n\
         <thead><tr><th scope=\"col\">Package</th>",
    );
    for look in LOOKS {
        write!(out, "<th scope=\"col\">λ = {}, {}</th>", look.lambda, look.name)?;
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for story in &report.findings.stories {
        let (name, section) = (escape(&story.package), escape(&story.section));
        write!(
            out,
            "<tr><th scope=\"row\"><button type=\"button\" data-id=\"{name}\">{name}</button><br>\
             <span class=\"soft\">{section}</span></th>"
        )?;
        for list in &story.similar {
            out.push_str("<td><ol>");
            for (other, cosine) in list {
                write!(out, "<li>{} <span class=\"soft\">{cosine:.2}</span></li>", escape(other))?;
            }
            out.push_str("</ol></td>");
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
    Ok(())
}

fn scores(report: &DemoReport, out: &mut String) -> Result<()> {
    write!(
        out,
        "<h2>Can a classifier tell the section?</h2>\n<p>Logistic regression on {} numbers a \
         package, {} sections, five \
         random splits; always answering the largest section would score {:.2}. The fit used no \
         label. Whatever λ, a model \
         of both views knows both: λ says how near things are, not what is known.</p>\n\
         <div class=\"scroll\"><table>\n<caption>F1 score, mean ± standard deviation; best in \
         bold</caption>\n\
         <thead><tr><th scope=\"col\">Fitted to</th>",
        report.dimension, report.findings.sizes.sections, report.findings.chance
    )?;
    for share in ["half", "a tenth"] {
        for kind in ["micro", "macro"] {
            write!(out, "<th scope=\"col\" class=\"n\">{kind}, {share} trained on</th>")?;
        }
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    let cells = |row: &[&Score]| -> Vec<Spread> {
        row.iter().flat_map(|score| [score.micro_f1, score.macro_f1]).collect()
    };
    let rows = rows(&report.findings.scores);
    let best = |column: usize| {
        let all = rows.iter().filter_map(|row| cells(&row.1).get(column).copied());
        all.map(|cell| cell.mean).fold(0.0, f64::max)
    };
    for (name, row) in &rows {
        write!(out, "<tr><th scope=\"row\">{}</th>", escape(name))?;
        for (column, cell) in cells(row).iter().enumerate() {
            let class = if cell.mean == best(column) { "n best" } else { "n" };
            write!(out, "<td class=\"{class}\">{:.3} ± {:.3}</td>", cell.mean, cell.deviation)?;
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
    Ok(())
}

fn certificate(report: &DemoReport, out: &mut String) -> Result<()> {
    write!(
        out,
        "<h2>Certificate</h2>\n<p>The model promises to reproduce the squared distances between \
         packages in every view. \
         Here they are compared, over pairs of packages; the loss stands beside the least that any \
         model with {} columns \
         could have for that view alone: rare links and rare words have a long tail, which a short \
         vector leaves out.</p>\n<div class=\"scroll\"><table>\n<thead><tr><th \
         scope=\"col\">View</th>\
         <th scope=\"col\" class=\"n\">Distance error</th><th scope=\"col\" class=\"n\">95% \
         interval</th>\
         <th scope=\"col\" class=\"n\">Pairs</th><th scope=\"col\" class=\"n\">Loss</th>\
         <th scope=\"col\" class=\"n\">Least possible</th></tr></thead>\n<tbody>\n",
        report.dimension
    )?;
    for view in &report.findings.certificate.views {
        let error = view.distance_error;
        writeln!(
            out,
            "<tr><th scope=\"row\">{}</th><td class=\"n\">{:.3}</td><td class=\"n\">{:.3} to \
             {:.3}</td>\
             <td class=\"n\">{}</td><td class=\"n\">{:.3}</td><td class=\"n\">{:.3}</td></tr>",
            escape(&view.view),
            error.value,
            error.low,
            error.high,
            with_commas(view.pairs),
            view.loss,
            view.least_loss
        )?;
    }
    out.push_str("</tbody></table></div>\n");
    Ok(())
}

fn about(out: &mut String) -> Result<()> {
    write!(
        out,
        "<h2>About</h2>\n<p>Made by <code>gage demo</code> {}. The folder of this page also holds \
         the data \
         (<code>debian/</code>) and the model (<code>debian.gage</code>). The data is an extract \
         of the package \
         metadata of Debian 12; of the descriptions only word counts are kept. Places on the map \
         come from a layout that \
         keeps near packages near; distances across the map mean little.</p>\n",
        env!("CARGO_PKG_VERSION")
    )?;
    Ok(())
}
