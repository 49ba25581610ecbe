//! A task at every share of the links, from one fit.

use serde::{Deserialize, Serialize};

use crate::classify::{ClassifyParams, TrainSize, classify_with};
use crate::cluster::{ClusterParams, cluster};
use crate::links::{LinkExperiment, score_all};
use crate::observe::{Counter, EvalObserver, check};
use crate::spread::Spread;
use gage_core::graph::{Graph, Labels};
use gage_core::holdout::{EvalError, at_least_one};
use gage_core::holdout::{LinkReport, LinkScore};
use gage_core::model::{Lambda, LambdaEnds, Model};
use gage_core::params::{CheckedParams, FitParams};
use gage_core::prepare;
use gage_core::solver::{FitContext, Observer, Progress};
use gage_linalg::AnyTall;

/// What is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SweepTask {
    /// Node classification.
    Classify(ClassifyParams),
    /// Link prediction: one fit for every shuffle, since each hides other links.
    Links(LinkExperiment),
    /// Clustering.
    Cluster(ClusterParams),
}

/// One measure at every share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepSeries {
    /// What was measured, in words.
    pub measure: String,
    /// One value per share, in their order.
    pub values: Vec<Spread>,
}

/// The share at which a measure is largest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BestLambda {
    /// What was measured.
    pub measure: String,
    /// The first share with the largest mean.
    pub lambda: f64,
    /// The value there.
    pub value: Spread,
}

/// What came out of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepReport {
    /// Fits it took.
    pub fits: usize,
    /// Shares of the views that use links.
    pub lambdas: Vec<f64>,
    /// Which views these are, and which share the rest.
    pub ends: LambdaEnds,
    /// The measures.
    pub series: Vec<SweepSeries>,
    /// Where each is largest. Chosen with the labels or links it is measured on, so it flatters: to
    /// choose a share and know what it is worth, use [`tune`](crate::tune()).
    pub best: Vec<BestLambda>,
}

/// `steps` shares from 0 to 1, evenly spaced; a single one is 0.5.
pub fn even_lambdas(steps: usize) -> Vec<f64> {
    match steps {
        1 => vec![0.5],
        _ => (0..steps).map(|step| step as f64 / (steps - 1) as f64).collect(),
    }
}

/// Fits once and measures the task at every share. Classes come from the labels of the graph.
///
/// Cost: one fit (one for every shuffle of [`SweepTask::Links`]), and the task once for every
/// share.
pub fn sweep(
    graph: &Graph,
    params: &CheckedParams,
    lambdas: &[f64],
    task: &SweepTask,
    observer: &dyn EvalObserver,
) -> Result<SweepReport, EvalError> {
    let SweepTask::Links(links) = task else {
        let labels = graph.labels();
        if labels.is_none() && matches!(task, SweepTask::Classify(_)) {
            return Err(EvalError::TooFew { what: "labelled nodes", needed: 2, found: 0 });
        }
        let model = fit_both_ends(graph, params.clone(), lambdas, observer)?;
        let report = sweep_model(&model, labels, lambdas, task, observer)?;
        return Ok(SweepReport { fits: 1, ..report });
    };
    links.check()?;
    at_least_one(&[("shares to try", lambdas.len())])?;
    // Runs by share, then by shuffle, each with one result per way to score.
    let mut runs: Vec<Vec<Vec<LinkReport>>> = vec![Vec::new(); lambdas.len()];
    let mut ends = LambdaEnds::default();
    let mut counter = Counter::new(observer, links.shuffles * (lambdas.len() + 1));
    for shuffle in 0..links.shuffles {
        let (hidden, seed) = links.hide(graph, shuffle)?;
        let params = FitParams { seed, loadings: false, ..(**params).clone() }.check()?;
        let model = fit_both_ends(&hidden.graph, params, lambdas, observer)?;
        ends = model.lambda_ends();
        counter.step()?;
        for (runs, &lambda) in runs.iter_mut().zip(lambdas) {
            let embedding = model.embedding(&Lambda::Links(lambda))?;
            runs.push(score_all(&embedding, &hidden.split, links)?);
            counter.step()?;
        }
    }
    let measured = runs.iter().map(|runs| link_measures(runs, &links.scores)).collect();
    Ok(SweepReport { fits: links.shuffles, ..report(lambdas, ends, measured) })
}

/// Fits a model whose views can be weighed by all of these shares; others are refused before the
/// work.
fn fit_both_ends(
    graph: &Graph,
    params: CheckedParams,
    lambdas: &[f64],
    observer: &dyn EvalObserver,
) -> Result<Model, EvalError> {
    let ctx = FitContext { observer, ..FitContext::default() };
    let prepared = prepare(graph, params, &ctx)?;
    let ends = prepared.lambda_ends();
    lambdas.iter().try_for_each(|&lambda| ends.check(lambda))?;
    Ok(prepared.fit(&ctx)?)
}

/// Measures classification or clustering with a model at every share; nothing is fitted. Links
/// cannot be measured with a model that has seen them all.
pub fn sweep_model(
    model: &Model,
    labels: Option<&Labels>,
    lambdas: &[f64],
    task: &SweepTask,
    observer: &dyn EvalObserver,
) -> Result<SweepReport, EvalError> {
    at_least_one(&[("shares to try", lambdas.len())])?;
    let mut counter = Counter::new(observer, lambdas.len());
    let mut measured = Vec::with_capacity(lambdas.len());
    for &lambda in lambdas {
        check(observer)?;
        let embedding = model.embedding(&Lambda::Links(lambda))?;
        let within = Within(observer);
        measured.push(match (task, labels) {
            (SweepTask::Classify(params), Some(labels)) => {
                class_measures(&embedding, labels, params, &within)?
            }
            (SweepTask::Cluster(params), labels) => {
                cluster_measures(&embedding, labels, params, &within)?
            }
            (SweepTask::Classify(_), None) => {
                return Err(EvalError::TooFew { what: "labelled nodes", needed: 2, found: 0 });
            }
            (SweepTask::Links(_), _) => {
                return Err(EvalError::TooFew { what: "hidden links", needed: 1, found: 0 });
            }
        });
        counter.step()?;
    }
    Ok(report(lambdas, model.lambda_ends(), measured))
}

/// Carries cancellation into the steps of a step, but not their counts.
struct Within<'a>(&'a dyn EvalObserver);

impl Observer for Within<'_> {
    fn progress(&self, progress: &Progress) {
        self.0.progress(progress);
    }
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

impl EvalObserver for Within<'_> {}

/// Named values at one share.
type Measures = Vec<(String, Spread)>;

fn class_measures(
    embedding: &AnyTall,
    labels: &Labels,
    params: &ClassifyParams,
    observer: &dyn EvalObserver,
) -> Result<Measures, EvalError> {
    let report = match embedding {
        AnyTall::F32(tall) => classify_with(tall, labels, params, observer),
        AnyTall::F64(tall) => classify_with(tall, labels, params, observer),
    }?;
    let name = |measure: &str, train: TrainSize| match train {
        TrainSize::Share(share) => format!("{measure}, {}% trained", percent(share)),
        TrainSize::Count(count) => format!("{measure}, {count} nodes trained"),
    };
    let measures = report.results.iter().flat_map(|result| {
        let (micro, macro_f1) = (name("micro F1", result.train), name("macro F1", result.train));
        [(micro, result.micro_f1), (macro_f1, result.macro_f1)]
    });
    Ok(measures.collect())
}

/// A share in percent, without needless digits.
fn percent(share: f64) -> f64 {
    (share * 1e4).round() / 1e2
}

fn cluster_measures(
    embedding: &AnyTall,
    labels: Option<&Labels>,
    params: &ClusterParams,
    observer: &dyn EvalObserver,
) -> Result<Measures, EvalError> {
    let found = cluster(embedding, labels, params, observer)?;
    let all = [
        ("NMI", found.nmi),
        ("ARI", found.ari),
        ("accuracy", found.accuracy),
        ("silhouette", found.silhouette),
    ];
    Ok(all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect())
}

fn link_measures(runs: &[Vec<LinkReport>], scores: &[LinkScore]) -> Measures {
    let spread = |at: usize, part: fn(&LinkReport) -> f64| {
        Spread::of(runs.iter().map(move |run| part(&run[at])))
    };
    let measures = scores.iter().enumerate().flat_map(|(at, score)| {
        let by = if scores.len() > 1 { format!(", {}", score.name()) } else { String::new() };
        [
            (format!("AUC{by}"), spread(at, |run| run.auc)),
            (format!("AP{by}"), spread(at, |run| run.average_precision)),
        ]
    });
    measures.collect()
}

/// Turns values by share into values by measure.
fn report(lambdas: &[f64], ends: LambdaEnds, measured: Vec<Measures>) -> SweepReport {
    let mut series: Vec<SweepSeries> = Vec::new();
    for (measure, value) in measured.into_iter().flatten() {
        match series.iter_mut().find(|series| series.measure == measure) {
            Some(series) => series.values.push(value),
            None => series.push(SweepSeries { measure, values: vec![value] }),
        }
    }
    // A measure that some share lacks (a single cluster has no silhouette) could not be
    // distinguished by share.
    series.retain(|series| series.values.len() == lambdas.len());
    let best = series.iter().filter_map(|series| {
        let values = series.values.iter().zip(lambdas);
        // Of equal means the first is kept.
        let (value, &lambda) =
            values.reduce(|best, next| if next.0.mean > best.0.mean { next } else { best })?;
        Some(BestLambda { measure: series.measure.clone(), lambda, value: *value })
    });
    let best = best.collect();
    SweepReport { fits: 0, lambdas: lambdas.to_vec(), ends, series, best }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_even_and_end_at_both_ends() {
        assert_eq!(even_lambdas(3), [0.0, 0.5, 1.0]);
        assert_eq!(even_lambdas(11)[10], 1.0);
        assert_eq!(even_lambdas(1), [0.5]);
        assert!(even_lambdas(0).is_empty());
    }

    #[test]
    fn the_best_share_is_the_first_of_the_largest() {
        let value = |mean| ("m".to_owned(), Spread { mean, deviation: 0.1 });
        let measured = vec![vec![value(0.2)], vec![value(0.9)], vec![value(0.9)]];
        let found = report(&[0.0, 0.5, 1.0], LambdaEnds::default(), measured);
        assert_eq!((found.best[0].lambda, found.best[0].value.mean), (0.5, 0.9));
        assert_eq!(found.series[0].values.len(), 3);
    }
}
