//! What the demo says in the terminal.

use std::io::Write;

use anyhow::Result;
use gage_embed::{Graph, Model};

use super::DemoReport;
use super::study::{LOOKS, Score};

/// A number with commas between thousands.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Before the work starts.
pub(super) fn opening(graph: &Graph, out: &mut dyn Write) -> Result<()> {
    writeln!(
        out,
        "gage demo: {} Debian packages, two ways to know them",
        grouped(graph.nodes().len())
    )?;
    writeln!(out)?;
    writeln!(out, "  links   which packages need which")?;
    writeln!(out, "  words   what their descriptions say")?;
    writeln!(out)?;
    out.flush()?;
    Ok(())
}

/// After the fit, since what follows takes longer.
pub(super) fn fitted(model: &Model, seconds: f64, out: &mut dyn Write) -> Result<()> {
    writeln!(
        out,
        "One fit for both: {} columns, {} passes over the data, {seconds:.2} s.",
        model.dimension(),
        model.info().passes
    )?;
    out.flush()?;
    Ok(())
}

/// Scores in rows: one for each embedding, with what to call it and its scores at each share of training packages.
pub(super) fn rows(scores: &[Score]) -> Vec<(String, Vec<&Score>)> {
    let same = |a: &Score, b: &Score| a.embedding == b.embedding && a.lambda == b.lambda;
    let name = |score: &Score| match score.lambda {
        Some(lambda) => format!("both, λ = {lambda}"),
        None => score.embedding.to_owned(),
    };
    scores.chunk_by(same).map(|row| (name(&row[0]), row.iter().collect())).collect()
}

/// Everything else.
pub(super) fn findings(report: &DemoReport, out: &mut dyn Write) -> Result<()> {
    let sizes = &report.sizes;
    writeln!(out)?;
    writeln!(
        out,
        "  packages  {:>8}    links      {:>8}",
        grouped(sizes.nodes),
        grouped(sizes.links)
    )?;
    writeln!(
        out,
        "  words     {:>8}    word uses  {:>8}",
        grouped(sizes.words),
        grouped(sizes.word_uses)
    )?;
    writeln!(out)?;
    writeln!(
        out,
        "Does it keep what it promises? Squared distances of the model against those of the data:"
    )?;
    writeln!(out)?;
    writeln!(
        out,
        "  {:<12}{:>10}{:>20}{:>10}{:>10}",
        "view", "error", "95% interval", "loss", "least"
    )?;
    for view in &report.certificate.views {
        let error = view.distance_error;
        let interval = format!("{:.3} to {:.3}", error.low, error.high);
        writeln!(
            out,
            "  {:<12}{:>10.3}{:>20}{:>10.3}{:>10.3}",
            view.view, error.value, interval, view.loss, view.least_loss
        )?;
    }
    writeln!(out)?;
    writeln!(
        out,
        "  `least` is the smallest loss that any {} columns can have for that view alone: rare links",
        report.dimension
    )?;
    writeln!(out, "  and rare words have a long tail, which a short vector leaves out.")?;
    writeln!(out)?;
    writeln!(
        out,
        "Can a plain classifier tell the {} sections from {} numbers a package? Micro / macro F1, five splits",
        sizes.sections, report.dimension
    )?;
    writeln!(out, "(always answering the largest section: {:.3} micro):", report.chance)?;
    writeln!(out)?;
    writeln!(out, "  {:<16}{:>18}{:>20}", "fitted to", "half trained on", "a tenth trained on")?;
    for (name, row) in rows(&report.scores) {
        write!(out, "  {name:<16}")?;
        for (score, width) in row.iter().zip([18, 20]) {
            let cell = format!("{:.3} / {:.3}", score.micro_f1.mean, score.macro_f1.mean);
            write!(out, "{cell:>width$}")?;
        }
        writeln!(out)?;
    }
    writeln!(out)?;
    writeln!(out, "The same model, read at three values of lambda (nothing is fitted again):")?;
    for story in &report.stories {
        writeln!(out)?;
        writeln!(out, "  like {} ({})", story.package, story.section)?;
        for (look, list) in LOOKS.iter().zip(&story.similar) {
            let names: Vec<&str> = list.iter().take(4).map(|entry| entry.0.as_str()).collect();
            writeln!(out, "    {:<4}{:<12}{}", look.lambda, look.name, names.join(", "))?;
        }
    }
    let seconds = &report.seconds;
    writeln!(out)?;
    writeln!(
        out,
        "{:.1} s in all: fit {:.1}, certificate {:.1}, classifiers {:.1}, similar packages and maps {:.1}.",
        report.total_seconds, seconds.fit, seconds.certify, seconds.classify, seconds.map
    )?;
    writeln!(out)?;
    writeln!(out, "  map    {}   (open it in a browser)", report.page.display())?;
    writeln!(out, "  model  {}", report.model.display())?;
    writeln!(
        out,
        "  data   {}   (an ordinary data set folder: try `gage embed` on it)",
        report.data.display()
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_are_grouped() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
