//! Where the other methods of the paper, run here, differ from its published numbers.

use gage_embed::eval::Spread;

use super::differences::{Difference, Pair, TOLD};
use super::methods::{METHODS, PaperMethod};
use super::published::Published;
use super::setting::{PAPER, PaperData};
use super::tables::{linked, trained};
use super::unit::{Finished, MethodOutcome};

/// Differences of all other methods, and how many cells were compared.
pub(super) fn method_differences(
    published: &Published,
    units: &[Finished],
) -> (Vec<Difference>, usize) {
    let (mut found, mut cells) = (Vec::new(), 0);
    for method in &METHODS {
        for paper in PAPER {
            let classified = paper.dims.into_iter().flat_map(|dimension| {
                let outcome = Finished::of_method(units, paper.folder, method.baseline, dimension);
                outcome.map_or_else(Vec::new, |outcome| {
                    classification(published, outcome, method, paper, dimension)
                })
            });
            for pair in classified.chain(links(published, units, method, paper)) {
                cells += 1;
                found.extend(pair.difference());
            }
        }
    }
    (found, cells)
}

/// One comparison for each share of training nodes and each average; macro F1 over all classes.
fn classification<'a>(
    published: &Published,
    outcome: &'a MethodOutcome,
    method: &'a PaperMethod,
    paper: PaperData,
    dimension: usize,
) -> Vec<Pair<'a>> {
    let mut pairs = Vec::new();
    for train in [0.9, 0.5, 0.1] {
        let theirs = published.classified(paper.name, method.published, dimension, train);
        let ours = (trained(&outcome.unscaled, train), trained(&outcome.scaled, train));
        let (Some(theirs), (Some(unscaled), Some(scaled))) = (theirs, ours) else { continue };
        let mut add = |name: &str, published: (Option<f64>, Option<f64>), ours: [&'a Spread; 2]| {
            pairs.extend(published.0.map(|_| Pair {
                method: method.published,
                paper,
                dimension,
                measure: format!("{name}, {}% trained", train * 100.0),
                published,
                ours: ours[0],
                reason: reason(method, paper, published, ours[1]),
            }));
        };
        let micro = [&unscaled.micro_f1, &scaled.micro_f1];
        add("micro F1", (theirs.micro_f1, theirs.micro_std), micro);
        let averages = [&unscaled.macro_f1_all_classes, &scaled.macro_f1_all_classes];
        add("macro F1", (theirs.macro_f1, theirs.macro_std), averages);
    }
    pairs
}

/// What may explain a difference: the scale, if it is gone with the rows scaled.
fn reason(
    method: &PaperMethod,
    paper: PaperData,
    published: (Option<f64>, Option<f64>),
    scaled: &Spread,
) -> String {
    let open = method.reason(paper.folder);
    let (Some(mean), Some(deviation)) = published else { return open };
    match (scaled.mean - mean).abs() <= TOLD * deviation {
        true => format!("scaled to a mean square of 1 it agrees ({:.4})", scaled.mean),
        false => format!("{open}; scaled {:.4}", scaled.mean),
    }
}

fn links<'a>(
    published: &Published,
    units: &'a [Finished],
    method: &'a PaperMethod,
    paper: PaperData,
) -> Vec<Pair<'a>> {
    let theirs = published.linked(paper.name, method.published);
    let (Some(ours), Some(theirs)) = (linked(units, paper.folder, method.baseline), theirs) else {
        return Vec::new();
    };
    let cells = [
        ("AUC", theirs.auc, theirs.auc_std, &ours.auc),
        ("AP", theirs.ap, theirs.ap_std, &ours.average_precision),
    ];
    let pairs = cells.map(|(measure, mean, deviation, ours)| Pair {
        method: method.published,
        paper,
        dimension: paper.link_dim,
        measure: measure.to_owned(),
        published: (Some(mean), Some(deviation)),
        ours,
        reason: method.reason(paper.folder),
    });
    pairs.into_iter().collect()
}
