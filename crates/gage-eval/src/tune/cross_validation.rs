//! Preset, dimension and shares chosen by cross-validation on training labels.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::sweep::even_lambdas;
use crate::classify::{
    F1Scores, LogisticParams, Split, TrainSize, classify_split, fold_nodes, split,
};
use crate::observe::{Counter, EvalObserver};
use crate::spread::Spread;
use gage_core::fit_with;
use gage_core::graph::{Graph, Labels};
use gage_core::holdout::{EvalError, at_least_one};
use gage_core::model::{Lambda, Model};
use gage_core::params::FitParams;
use gage_linalg::AnyTall;

/// What a choice should make large.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TuneMeasure {
    /// Pooled F1.
    #[default]
    MicroF1,
    /// Mean F1 of the classes.
    MacroF1,
}

/// What to try, and how to choose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuneParams {
    /// Fits to make, one each: presets, dimensions, weights in the fit.
    pub candidates: Vec<FitParams>,
    /// Shares of the views that use links, tried with every fit besides the shares of its preset.
    pub lambdas: Vec<f64>,
    /// Whether to go on from the best of these by changing the share of one view at a time, where
    /// there are more than two views.
    pub search_shares: bool,
    /// Share of the labelled nodes whose labels are kept aside for the test.
    pub holdout: f64,
    /// Folds of the other labelled nodes.
    pub folds: usize,
    /// How classifiers are trained.
    pub logistic: LogisticParams,
    /// What the choice should make large.
    pub measure: TuneMeasure,
    /// Decides the test nodes and the folds.
    pub seed: u64,
}

impl Default for TuneParams {
    /// The default fit, eleven shares, a fifth of the labels kept aside, five folds.
    fn default() -> Self {
        TuneParams {
            candidates: vec![FitParams::default()],
            lambdas: even_lambdas(11),
            search_shares: true,
            holdout: 0.2,
            folds: 5,
            logistic: LogisticParams::default(),
            measure: TuneMeasure::default(),
            seed: 0,
        }
    }
}

/// One thing that was tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// Number of the fit among the candidates.
    pub candidate: usize,
    /// Name of its preset.
    pub preset: String,
    /// Columns it gave.
    pub columns: usize,
    /// Weights in the fit, if they were not the preset's.
    pub weights: Option<Vec<f64>>,
    /// Shares as they were requested.
    pub lambda: Lambda,
    /// One share per view.
    pub shares: Vec<f64>,
    /// Pooled F1 over the folds.
    pub micro_f1: Spread,
    /// Mean F1 of the classes over the folds.
    pub macro_f1: Spread,
}

/// What was tried, what was chosen, and what that is worth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuneReport {
    /// What the choice was to make large.
    pub measure: TuneMeasure,
    /// Nodes whose labels the choice was made with.
    pub train_nodes: usize,
    /// Nodes whose labels were held out.
    pub test_nodes: usize,
    /// Folds.
    pub folds: usize,
    /// Everything tried, in order.
    pub tried: Vec<Tried>,
    /// Position of the choice in `tried`: the first of the largest means.
    pub choice: usize,
    /// Score of the choice on the test nodes, after training on all other labelled nodes.
    pub test: F1Scores,
    /// Score on the test nodes of what stands first in `tried`: the first candidate with the shares
    /// of its preset.
    pub test_untuned: F1Scores,
}

/// A choice with the model behind it.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// What was tried and what came out.
    pub report: TuneReport,
    /// The fit of the choice; the chosen shares are its own, so that [`Lambda::Preset`] means them.
    pub model: Model,
}

/// Chooses a fit and the shares of its views by cross-validation, and tests the choice on held-out
/// labels.
///
/// The labels of the test nodes are removed before anything is tried, so they cannot take part in
/// the choice. The embeddings themselves use no labels at all. Cost: one fit per candidate, and for
/// each of its shares as many classifiers as there are folds.
pub fn tune(
    graph: &Graph,
    labels: &Labels,
    params: &TuneParams,
    observer: &dyn EvalObserver,
) -> Result<Tuned, EvalError> {
    at_least_one(&[("fits to try", params.candidates.len())])?;
    if !(params.holdout > 0.0 && params.holdout < 1.0) {
        let (name, value) = ("share of labels to hold out", params.holdout);
        return Err(EvalError::Parameter { name, value, bound: "between 0 and 1" });
    }
    let whole = split(labels, TrainSize::Share(1.0 - params.holdout), params.seed, 0)?;
    let seen = without(labels, &whole.test);
    let filled = seen.class_sizes().iter().filter(|&&size| size > 0).count();
    if filled < 2 {
        let what = "classes with members among the training labels, to tell apart";
        return Err(EvalError::TooFew { what, needed: 2, found: filled });
    }
    let folds = fold_nodes(&whole.train, params.folds, params.seed)?;
    let planned = params.candidates.len() * (2 + params.lambdas.len());
    let mut search = Search {
        params,
        seen: &seen,
        folds: &folds,
        counter: Counter::new(observer, planned),
        tried: Vec::new(),
    };
    // The best so far: its position among everything tried, and the model behind it.
    let mut best: Option<(usize, Model)> = None;
    let mut untuned = None;
    for (candidate, fit) in params.candidates.iter().enumerate() {
        let model = fit_with(graph, fit.clone().check()?, observer)?;
        search.counter.step()?;
        if untuned.is_none() {
            untuned = Some(test(&model.embedding(&Lambda::Preset)?, labels, &whole, params)?);
        }
        let at = search.explore(candidate, &model)?;
        let better = |(old, _): &(usize, Model)| search.value(at) > search.value(*old);
        if best.as_ref().is_none_or(better) {
            best = Some((at, model));
        }
    }
    let none = EvalError::TooFew { what: "fits to try", needed: 1, found: 0 };
    let ((choice, mut model), test_untuned) = best.zip(untuned).ok_or(none)?;
    let test = test(&model.embedding(&search.tried[choice].lambda)?, labels, &whole, params)?;
    model.set_shares(&search.tried[choice].shares);
    let report = TuneReport {
        measure: params.measure,
        train_nodes: whole.train.len(),
        test_nodes: whole.test.len(),
        folds: params.folds,
        tried: search.tried,
        choice,
        test,
        test_untuned,
    };
    Ok(Tuned { report, model })
}

/// The labels without those of the given nodes.
fn without(labels: &Labels, nodes: &[u32]) -> Labels {
    let lists = (0..labels.len()).map(|node| match nodes.binary_search(&(node as u32)) {
        Ok(_) => Vec::new(),
        Err(_) => labels.of(node).to_vec(),
    });
    Labels::from_lists(labels.class_names().to_vec(), lists)
}

fn test(
    embedding: &AnyTall,
    labels: &Labels,
    split: &Split,
    params: &TuneParams,
) -> Result<F1Scores, EvalError> {
    let outcome = match embedding {
        AnyTall::F32(tall) => classify_split(tall, labels, split, &params.logistic),
        AnyTall::F64(tall) => classify_split(tall, labels, split, &params.logistic),
    };
    Ok(outcome?.scores)
}

/// The state of a search. It holds no label of a test node.
struct Search<'a> {
    params: &'a TuneParams,
    seen: &'a Labels,
    folds: &'a [Split],
    counter: Counter<'a>,
    tried: Vec<Tried>,
}

impl Search<'_> {
    fn value(&self, at: usize) -> f64 {
        match self.params.measure {
            TuneMeasure::MicroF1 => self.tried[at].micro_f1.mean,
            TuneMeasure::MacroF1 => self.tried[at].macro_f1.mean,
        }
    }

    /// Whether a fit was tried with these shares, but for their sum.
    fn was_tried(&self, candidate: usize, shares: &[f64]) -> bool {
        let total: f64 = shares.iter().sum();
        let same = |tried: &Tried| {
            tried.shares.iter().zip(shares).all(|(a, b)| (a - b / total).abs() < 1e-9)
        };
        self.tried.iter().any(|tried| tried.candidate == candidate && same(tried))
    }

    /// Tries shares with one fit; returns the position of the best, the first at a tie.
    fn explore(&mut self, candidate: usize, model: &Model) -> Result<usize, EvalError> {
        let mut best = self.attempt(candidate, model, Lambda::Preset)?;
        let of_links = model.views().iter().filter(|view| view.uses_links).count();
        // With views of one kind only there is nothing for lambda to weigh.
        if of_links > 0 && of_links < model.views().len() {
            for &lambda in &self.params.lambdas {
                let at = self.attempt(candidate, model, Lambda::Links(lambda))?;
                best = if self.value(at) > self.value(best) { at } else { best };
            }
        }
        if !self.params.search_shares || model.views().len() < 3 {
            return Ok(best);
        }
        for view in 0..model.views().len() {
            for factor in [0.0, 0.5, 2.0] {
                let mut shares = self.tried[best].shares.clone();
                // A view that counts for nothing can only be brought back by a share of its own.
                let own = if shares[view] > 0.0 { factor * shares[view] } else { 0.1 * factor };
                if own == shares[view] || shares.iter().sum::<f64>() - shares[view] + own <= 0.0 {
                    continue;
                }
                shares[view] = own;
                if self.was_tried(candidate, &shares) {
                    continue;
                }
                let at = self.attempt(candidate, model, Lambda::PerView(shares))?;
                best = if self.value(at) > self.value(best) { at } else { best };
            }
        }
        Ok(best)
    }

    fn attempt(
        &mut self,
        candidate: usize,
        model: &Model,
        lambda: Lambda,
    ) -> Result<usize, EvalError> {
        let embedding = model.embedding(&lambda)?;
        let (seen, params) = (self.seen, self.params);
        let scores: Vec<F1Scores> = self
            .folds
            .par_iter()
            .with_max_len(1)
            .map(|fold| test(&embedding, seen, fold, params))
            .collect::<Result<_, _>>()?;
        let fit = &params.candidates[candidate];
        self.tried.push(Tried {
            candidate,
            preset: fit.preset.name.clone(),
            columns: model.dimension(),
            weights: fit.weights.clone(),
            shares: model.shares(&lambda)?,
            lambda,
            micro_f1: Spread::of(scores.iter().map(|scores| scores.micro)),
            macro_f1: Spread::of(scores.iter().map(|scores| scores.macro_present)),
        });
        self.counter.step()?;
        Ok(self.tried.len() - 1)
    }
}
