//! Terminal output of the demo.

use std::fmt::Write;

use gage_embed::model::Certificate;
use gage_embed::{Graph, Model};

use super::report::{DemoReport, Findings, LOOKS, Score, Sizes};
use crate::output::with_commas;

/// Writes a line. Writing to a string cannot fail.
macro_rules! line {
    ($out:expr $(, $($part:tt)+)?) => {
        { let _ = writeln!($out $(, $($part)+)?); }
    };
}

/// Before the work starts.
pub(super) fn opening(graph: &Graph) -> String {
    let packages = with_commas(graph.nodes().len());
    format!(
        "gage demo: {packages} Debian packages, two ways to know them\n\n  \
         links   which packages need which\n  \
         words   what their descriptions say\n\n"
    )
}

/// After the fit, since what follows takes longer.
pub(super) fn fitted(model: &Model, seconds: f64) -> String {
    let (columns, passes) = (model.dimension(), model.info().passes);
    format!("One fit for both: {columns} columns, {passes} passes over the data, {seconds:.2} s.\n")
}

/// Scores in rows: one for each embedding, with what to call it and its scores at each share of
/// training packages.
pub(super) fn rows(scores: &[Score]) -> Vec<(String, Vec<&Score>)> {
    let same = |a: &Score, b: &Score| a.embedding == b.embedding && a.lambda == b.lambda;
    let name = |score: &Score| match score.lambda {
        Some(lambda) => format!("both, λ = {lambda}"),
        None => score.embedding.to_owned(),
    };
    scores.chunk_by(same).map(|row| (name(&row[0]), row.iter().collect())).collect()
}

/// Everything else.
pub(super) fn findings(report: &DemoReport) -> String {
    let mut out = String::new();
    let found = &report.findings;
    sizes(&found.sizes, &mut out);
    certificate(&found.certificate, report.dimension, &mut out);
    scores(found, report.dimension, &mut out);
    stories(found, &mut out);
    let seconds = &found.seconds;
    line!(
        out,
        "\n{:.1} s in all: fit {:.1}, certificate {:.1}, classifiers {:.1}, similar packages and \
         maps {:.1}.\n",
        report.total_seconds,
        seconds.fit,
        seconds.certify,
        seconds.classify,
        seconds.map
    );
    line!(out, "  map    {}   (open it in a browser)", report.page.display());
    line!(out, "  model  {}", report.model.display());
    let data = report.data.display();
    line!(out, "  data   {data}   (an ordinary data set folder: try `gage embed` on it)");
    out
}

fn sizes(sizes: &Sizes, out: &mut String) {
    let [nodes, links, words, uses] =
        [sizes.nodes, sizes.links, sizes.words, sizes.word_uses].map(with_commas);
    line!(out, "\n  packages  {nodes:>8}    links      {links:>8}");
    line!(out, "  words     {words:>8}    word uses  {uses:>8}\n");
}

fn certificate(certificate: &Certificate, columns: usize, out: &mut String) {
    line!(
        out,
        "Does it keep what it promises? Squared distances of the model against those of the \
         data:\n"
    );
    let head = ["error", "95% interval", "loss", "least"];
    line!(out, "  {:<12}{:>10}{:>20}{:>10}{:>10}", "view", head[0], head[1], head[2], head[3]);
    for view in &certificate.views {
        let error = view.distance_error;
        let interval = format!("{:.3} to {:.3}", error.low, error.high);
        line!(
            out,
            "  {:<12}{:>10.3}{interval:>20}{:>10.3}{:>10.3}",
            view.view,
            error.value,
            view.loss,
            view.least_loss
        );
    }
    line!(
        out,
        "\n  `least` is the smallest loss that any {columns} columns can have for that view alone: \
         rare links\n  and rare words have a long tail, which a short vector leaves out.\n"
    );
}

fn scores(found: &Findings, columns: usize, out: &mut String) {
    line!(
        out,
        "Can a plain classifier tell the {} sections from {columns} numbers a package? Micro / \
         macro F1, five splits\n(always answering the largest section: {:.3} micro):\n",
        found.sizes.sections,
        found.chance
    );
    line!(out, "  {:<16}{:>18}{:>20}", "fitted to", "half trained on", "a tenth trained on");
    for (name, row) in rows(&found.scores) {
        let _ = write!(out, "  {name:<16}");
        for (score, width) in row.iter().zip([18, 20]) {
            let cell = format!("{:.3} / {:.3}", score.micro_f1.mean, score.macro_f1.mean);
            let _ = write!(out, "{cell:>width$}");
        }
        line!(out);
    }
}

fn stories(found: &Findings, out: &mut String) {
    line!(out, "\nThe same model, read at three values of lambda (nothing is fitted again):");
    for story in &found.stories {
        line!(out, "\n  like {} ({})", story.package, story.section);
        for (look, list) in LOOKS.iter().zip(&story.similar) {
            let names: Vec<&str> = list.iter().take(4).map(|entry| entry.0.as_str()).collect();
            line!(out, "    {:<4}{:<12}{}", look.lambda, look.name, names.join(", "));
        }
    }
}
