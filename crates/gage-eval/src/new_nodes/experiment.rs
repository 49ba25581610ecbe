//! Holds out nodes, fits the others, folds the held-out ones in, and compares with fits of the same
//! data.

use serde::{Deserialize, Serialize};

use super::report::{FoldInReport, KnownData, NewNodesReport, OwnDataReport};
use super::rows::{Classifier, mean_cosine, mean_length, rows_of};
use crate::classify::{LogisticParams, TrainSize, split_nodes};
use crate::observe::{Counter, EvalObserver};
use crate::spread::Spread;
use gage_core::fit_with;
use gage_core::graph::{Graph, Labels};
use gage_core::holdout::{EvalError, HeldOutNodes, at_least_one, hold_out_nodes, rows_as_new};
use gage_core::model::{Lambda, Model};
use gage_core::params::FitParams;
use gage_linalg::AnyTall;
use gage_linalg::random::mix;

/// What to try.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewNodesParams {
    /// How everything is fitted. Weights for views by hand hold where all data are known.
    pub fit: FitParams,
    /// Shares of the views in the embedding.
    pub lambda: Lambda,
    /// Share of the nodes to hold out, between 0 and 1.
    pub hold_out: f64,
    /// Random hold-outs.
    pub shuffles: usize,
    /// How classifiers are trained.
    pub logistic: LogisticParams,
    /// Decides who is held out, and seeds the fits.
    pub seed: u64,
}

impl Default for NewNodesParams {
    /// The default fit, a tenth of the nodes, five times.
    fn default() -> Self {
        NewNodesParams {
            fit: FitParams::default(),
            lambda: Lambda::Preset,
            hold_out: 0.1,
            shuffles: 5,
            logistic: LogisticParams::default(),
            seed: 0,
        }
    }
}

/// Measures how good rows of new nodes are: nodes are held out, the others are fitted, and the
/// held-out ones are folded in by their attributes alone, by their links to fitted nodes alone, and
/// by both.
///
/// A classifier trained on the fitted rows predicts the classes of the rows folded in. Beside it
/// stands a classifier trained on the same nodes in an embedding that was fitted to the same data
/// of all nodes, new ones included. Links among new nodes are in neither. Nothing of the held-out
/// nodes reaches the fit. Cost: four fits a shuffle, and as many classifiers.
///
/// ```
/// use gage_embed::eval::{NewNodesParams, PlantedGraph, PlantedParams, evaluate_new_nodes};
/// use gage_embed::{Block, Dimension, FitParams, Graph, NoObserver, Nodes};
/// let planted = PlantedGraph::new(PlantedParams { nodes: 300, ..Default::default() })?;
/// let graph = Graph::new(Nodes::numbered(300))
///     .with_block(Block::links("links", planted.links(), false))?
///     .with_block(Block::attributes("attributes", planted.attributes()))?;
/// let labels = planted.labels();
/// let fit = FitParams { dimension: Dimension::Fixed(8), ..FitParams::default() };
/// let params = NewNodesParams { fit, shuffles: 1, ..NewNodesParams::default() };
/// let report = evaluate_new_nodes(&graph, &labels, &params, &NoObserver)?;
/// assert_eq!((report.fitted, report.held_out, report.results.len()), (270, 30, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn evaluate_new_nodes(
    graph: &Graph,
    labels: &Labels,
    params: &NewNodesParams,
    observer: &dyn EvalObserver,
) -> Result<NewNodesReport, EvalError> {
    at_least_one(&[("shuffles", params.shuffles)])?;
    if !(params.hold_out > 0.0 && params.hold_out < 1.0) {
        let (name, value) = ("share of nodes to hold out", params.hold_out);
        return Err(EvalError::Parameter { name, value, bound: "between 0 and 1" });
    }
    let cases = KnownData::cases(graph);
    let mut counter = Counter::new(observer, params.shuffles * (1 + cases.len()));
    let mut runs = Vec::with_capacity(params.shuffles);
    for shuffle in 0..params.shuffles {
        let held = hold_out(graph, params, shuffle)?;
        let seed = params.seed ^ mix(shuffle as u64);
        let fit = FitParams { seed, ..params.fit.clone() };
        let task = Task { graph, labels, params, held: &held, fit, observer };
        runs.push(task.run(&cases, &mut counter)?);
    }
    Ok(summarise(&cases, &runs))
}

/// One hold-out. Nodes without a label are held out, too.
fn hold_out(
    graph: &Graph,
    params: &NewNodesParams,
    shuffle: usize,
) -> Result<HeldOutNodes, EvalError> {
    let nodes: Vec<u32> = (0..graph.nodes().len() as u32).collect();
    let fitted = TrainSize::Share(1.0 - params.hold_out);
    let split = split_nodes(&nodes, fitted, params.seed, shuffle)?;
    hold_out_nodes(graph, &split.test)
}

/// What one shuffle measures.
struct Run {
    fitted: usize,
    held_out: usize,
    columns: usize,
    cases: Vec<Case>,
    own: (f64, f64),
}

/// One case of one shuffle.
struct Case {
    folded_in: f64,
    fitted: f64,
    length: f64,
    unobserved: usize,
}

/// One hold-out to measure.
struct Task<'a> {
    graph: &'a Graph,
    labels: &'a Labels,
    params: &'a NewNodesParams,
    held: &'a HeldOutNodes,
    fit: FitParams,
    observer: &'a dyn EvalObserver,
}

impl Task<'_> {
    fn run(&self, cases: &[KnownData], counter: &mut Counter<'_>) -> Result<Run, EvalError> {
        let HeldOutNodes { fitted, kept, held_out, .. } = self.held;
        let fit = FitParams { loadings: true, ..self.fit.clone() };
        let model = fit_with(fitted, fit.check()?, self.observer)?;
        counter.step()?;
        let rows = model.embedding(&self.params.lambda)?;
        let classifier = Classifier::train(&rows, kept, self.labels, &self.params.logistic)?;
        let length = mean_length(&rows);
        let ratio = |rows: &AnyTall| if length > 0.0 { mean_length(rows) / length } else { 0.0 };
        let mut measured = Vec::with_capacity(cases.len());
        for &case in cases {
            let known = case.of(&self.held.new, self.graph);
            let folded = model.fold_in(&known)?;
            let new = model.embed_new(&folded, &self.params.lambda)?;
            measured.push(Case {
                folded_in: classifier.micro_f1(&new, held_out)?,
                fitted: self.fitted_together(case)?,
                length: ratio(&new),
                unobserved: folded.unobserved.len(),
            });
            counter.step()?;
        }
        let own = self.own_data(&model)?;
        Ok(Run {
            fitted: kept.len(),
            held_out: held_out.len(),
            columns: model.dimension(),
            cases: measured,
            own: (mean_cosine(&own, &rows), ratio(&own)),
        })
    }

    /// Micro F1 of the held-out nodes in an embedding fitted to the same data of all nodes.
    fn fitted_together(&self, case: KnownData) -> Result<f64, EvalError> {
        let HeldOutNodes { together, kept, held_out, .. } = self.held;
        let mut graph = Graph::new(together.nodes().clone());
        for block in together.blocks().iter().filter(|block| case.includes(block)) {
            graph = graph.with_block(block.clone()).map_err(gage_core::Error::from)?;
        }
        let mut fit = FitParams { loadings: false, ..self.fit.clone() };
        if case != KnownData::Everything {
            fit.weights = None;
        }
        let model = fit_with(&graph, fit.check()?, self.observer)?;
        // Shares are those of the views a part of the data has.
        let lambda =
            if case == KnownData::Everything { &self.params.lambda } else { &Lambda::Preset };
        let rows = model.embedding(lambda)?;
        let logistic = &self.params.logistic;
        let classifier = Classifier::train(&rows_of(&rows, kept), kept, self.labels, logistic)?;
        classifier.micro_f1(&rows_of(&rows, held_out), held_out)
    }

    /// Rows of the fitted nodes, folded in by their own data.
    fn own_data(&self, model: &Model) -> Result<AnyTall, EvalError> {
        let HeldOutNodes { kept, .. } = self.held;
        let folded = model.fold_in(&rows_as_new(self.graph, kept, kept)?)?;
        Ok(model.embed_new(&folded, &self.params.lambda)?)
    }
}

fn summarise(cases: &[KnownData], runs: &[Run]) -> NewNodesReport {
    let report = |(at, &known): (usize, &KnownData)| {
        let of =
            |value: fn(&Case) -> f64| Spread::of(runs.iter().map(move |r| value(&r.cases[at])));
        FoldInReport {
            known,
            folded_in: of(|case| case.folded_in),
            fitted: of(|case| case.fitted),
            difference: of(|case| case.folded_in - case.fitted),
            length: of(|case| case.length),
            unobserved: runs.iter().map(|run| run.cases[at].unobserved).sum(),
        }
    };
    let first = |value: fn(&Run) -> usize| runs.first().map_or(0, value);
    NewNodesReport {
        fitted: first(|run| run.fitted),
        held_out: first(|run| run.held_out),
        columns: first(|run| run.columns),
        results: cases.iter().enumerate().map(report).collect(),
        own: OwnDataReport {
            cosine: Spread::of(runs.iter().map(|run| run.own.0)),
            length: Spread::of(runs.iter().map(|run| run.own.1)),
        },
    }
}
