//! Where the methods of the paper, run again, differ from its published numbers.

use gage_embed::eval::Spread;
use serde::Serialize;

use super::published::Published;
use super::setting::{PAPER, PaperData};
use super::tables::{linked, trained, two_averages};
use super::unit::{Finished, Outcome, Task};

/// Published standard deviations beyond which a difference is reported.
pub(super) const TOLD: f64 = 2.0;

const EMPTY_CLASSES: &str = "two of the 19 classes of the file have no member; over all 19 classes \
                             the average counts them \
                             as zero, over those that occur it does not, and which one the paper \
                             took is not said";
const RARE_CLASSES: &str = "some class has no member among the test nodes of some splits; over all \
                            classes the average \
                            counts it as zero, over those that occur it does not, and which one \
                            the paper took is not said";
const FOUR_TIMES: &str = "the paper counts every edge of BlogCatalog four times; if links were \
                          hidden from such a list, \
                          copies of them stayed in its graph";
const UNKNOWN: &str = "no explanation known; splits and solver differ";

/// Headings of a table of differences.
pub(super) const COLUMNS: [&str; 8] =
    ["Method", "Data", "Columns", "Measure", "Published", "Here", "Standard deviations", "Why"];

/// One number that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// What the paper calls the method.
    pub method: String,
    /// What the paper calls the data set.
    pub data: String,
    /// Columns of the embedding.
    pub dimension: usize,
    /// What was measured.
    pub measure: String,
    /// The published mean.
    pub published: f64,
    /// The published standard deviation.
    pub published_deviation: f64,
    /// Ours.
    pub ours: Spread,
    /// How many published standard deviations ours is above.
    pub deviations: f64,
    /// Why, as far as known.
    pub reason: String,
}

impl Difference {
    /// Whether it is one of the paper's own method.
    pub fn is_of_paper(&self) -> bool {
        self.method == OWN
    }
}

/// What the paper calls its own method.
const OWN: &str = "GAGE";

/// A comparison that may turn out to be a difference.
pub(super) struct Pair<'a> {
    pub(super) method: &'a str,
    pub(super) paper: PaperData,
    pub(super) dimension: usize,
    pub(super) measure: String,
    /// Mean and deviation.
    pub(super) published: (Option<f64>, Option<f64>),
    pub(super) ours: &'a Spread,
    pub(super) reason: String,
}

impl Pair<'_> {
    pub(super) fn difference(self) -> Option<Difference> {
        let (Some(published), Some(deviation)) = self.published else { return None };
        let deviations = (self.ours.mean - published) / deviation.max(1e-12);
        (deviations.abs() > TOLD).then(|| Difference {
            method: self.method.to_owned(),
            data: self.paper.name.to_owned(),
            dimension: self.dimension,
            measure: self.measure,
            published,
            published_deviation: deviation,
            ours: *self.ours,
            deviations,
            reason: self.reason,
        })
    }
}

pub(super) fn differences(published: &Published, units: &[Finished]) -> Vec<Difference> {
    let mut found = Vec::new();
    for paper in PAPER {
        for dimension in paper.dims {
            classification(published, units, paper, dimension, &mut found);
        }
    }
    for paper in PAPER {
        let theirs = published.linked(paper.name, OWN);
        let (Some(ours), Some(theirs)) = (linked(units, paper.folder, "paper"), theirs) else {
            continue;
        };
        let reason = if paper.folder == "blogcatalog" { FOUR_TIMES } else { UNKNOWN };
        let cells = [
            ("AUC", theirs.auc, theirs.auc_std, &ours.auc),
            ("AP", theirs.ap, theirs.ap_std, &ours.average_precision),
        ];
        found.extend(cells.into_iter().filter_map(|(measure, mean, deviation, ours)| {
            let published = (Some(mean), Some(deviation));
            let reason = format!("{reason}{}", closest(units, paper.folder, measure, mean));
            let (dimension, measure) = (paper.link_dim, measure.to_owned());
            Pair { method: OWN, paper, dimension, measure, published, ours, reason }.difference()
        }));
    }
    found
}

/// The lambda at which ours comes closest to a published link score: the paper does not say which
/// one it took.
fn closest(units: &[Finished], data: &str, measure: &str, published: f64) -> String {
    let unit = Finished::find(units, Task::LinkSweep, data, "paper", None);
    let Some(Outcome::Sweep(report)) = unit.map(|unit| &unit.outcome) else { return String::new() };
    let series = report.series.iter().find(|series| series.measure == measure);
    let points = series.into_iter().flat_map(|series| series.values.iter().zip(&report.lambdas));
    let away = |value: &Spread| (value.mean - published).abs();
    match points.min_by(|a, b| away(a.0).total_cmp(&away(b.0))) {
        Some((value, lambda)) => format!(
            "; the paper does not say which lambda its link scores have, ours are closest at \
             lambda {lambda:.1}: {:.4}",
            value.mean
        ),
        None => String::new(),
    }
}

fn classification(
    published: &Published,
    units: &[Finished],
    paper: PaperData,
    dimension: usize,
    found: &mut Vec<Difference>,
) {
    let unit = Finished::find(units, Task::Classify, paper.folder, "paper", Some(dimension));
    let Some(Outcome::Classify(report)) = unit.map(|unit| &unit.outcome) else { return };
    let other = if paper.folder == "blogcatalog" { FOUR_TIMES } else { UNKNOWN };
    for train in [0.9, 0.5, 0.1] {
        let theirs = published.classified(paper.name, OWN, dimension, train);
        let (Some(ours), Some(theirs)) = (trained(report, train), theirs) else { continue };
        let percent = train * 100.0;
        let pair = |measure: String, published, ours, reason| {
            let reason = str::to_owned(reason);
            Pair { method: OWN, paper, dimension, measure, published, ours, reason }.difference()
        };
        let micro = (theirs.micro_f1, theirs.micro_std);
        found.extend(pair(format!("micro F1, {percent}% trained"), micro, &ours.micro_f1, other));
        let macro_f1 = (theirs.macro_f1, theirs.macro_std);
        let classes = if report.empty_classes.is_empty() { RARE_CLASSES } else { EMPTY_CLASSES };
        let averages = match two_averages(report) {
            false => vec![("", &ours.macro_f1_all_classes, other)],
            true => vec![
                (", all classes", &ours.macro_f1_all_classes, classes),
                (", occurring classes", &ours.macro_f1, classes),
            ],
        };
        for (which, ours, reason) in averages {
            let measure = format!("macro F1{which}, {percent}% trained");
            found.extend(pair(measure, macro_f1, ours, reason));
        }
    }
}
