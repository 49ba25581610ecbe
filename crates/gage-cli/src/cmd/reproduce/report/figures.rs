//! The sensitivity figures.

use gage_embed::eval::{SweepReport, SweepSeries};
use serde::Serialize;

use super::setting::PAPER;
use super::unit::{Finished, Outcome, Task};

/// One of the sensitivity figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Short name.
    pub id: String,
    /// Heading.
    pub title: String,
    /// Charts, side by side.
    pub panels: Vec<Panel>,
}

/// One chart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Panel {
    /// Heading.
    pub title: String,
    /// What is measured.
    pub measure: String,
    /// Columns of the embedding.
    pub columns: usize,
    /// Fits it took.
    pub fits: usize,
    /// Shares of the links.
    pub lambdas: Vec<f64>,
    /// Lines.
    pub series: Vec<SweepSeries>,
}

impl Figure {
    /// What to know when reading it.
    pub(super) fn caption(&self) -> String {
        let each: Vec<String> = self
            .panels
            .iter()
            .map(|panel| format!("{}: {} columns, {} fits", panel.title, panel.columns, panel.fits))
            .collect();
        let one = self.panels.first().filter(|panel| panel.fits == 1);
        let made =
            one.map_or(each.join("; "), |panel| format!("{} columns, one fit", panel.columns));
        let average = if one.is_some() { " Macro F1 is over the classes that occur." } else { "" };
        format!(
            "Preset paper. {made}. Bands and ± are one standard deviation. With lambda 1 only the \
             links count, with 0 only \
             the attributes.{average}"
        )
    }
}

/// The sensitivity figures: one for each classified data set, one for link prediction.
pub(super) fn figures(units: &[Finished]) -> Vec<Figure> {
    let swept = |task: Task, folder: &str| {
        let found = units.iter().find(|f| f.unit.task == task && f.unit.data == folder)?;
        match &found.outcome {
            Outcome::Sweep(report) => Some((report, found.unit.dim)),
            _ => None,
        }
    };
    let panel = |title: String, measure: &str, (report, dim): (&SweepReport, usize)| Panel {
        title,
        measure: measure.to_owned(),
        columns: dim,
        fits: report.fits,
        lambdas: report.lambdas.clone(),
        series: report.series.iter().filter(|s| s.measure.starts_with(measure)).cloned().collect(),
    };
    let mut figures: Vec<Figure> = Vec::new();
    for paper in PAPER {
        if let Some(found) = swept(Task::ClassifySweep, paper.folder) {
            let panels = ["micro F1", "macro F1"]
                .map(|measure| panel(format!("{}, {measure}", paper.name), measure, found));
            figures.push(Figure {
                id: format!("lambda-classify-{}", paper.folder),
                title: format!("Effect of lambda on node classification, {}", paper.name),
                panels: panels.to_vec(),
            });
        }
    }
    let links: Vec<Panel> = PAPER
        .iter()
        .filter_map(|paper| {
            let found = swept(Task::LinkSweep, paper.folder)?;
            Some(panel(paper.name.to_owned(), "A", found))
        })
        .collect();
    if !links.is_empty() {
        figures.push(Figure {
            id: "lambda-links".to_owned(),
            title: "Effect of lambda on link prediction".to_owned(),
            panels: links,
        });
    }
    figures
}

/// The part of a measure that tells the lines of one panel apart.
pub(super) fn short(measure: &str) -> &str {
    measure.split_once(", ").map_or(measure, |(_, rest)| rest.trim_end_matches(" trained"))
}
