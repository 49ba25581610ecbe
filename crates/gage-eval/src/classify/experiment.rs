//! Node classification over random splits.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::f1::{F1Scores, f1_scores};
use super::logistic::{Logistic, LogisticParams};
use super::splits::{Split, TrainSize, labelled_nodes, split_nodes};
use crate::observe::{EvalObserver, check};
use crate::spread::Spread;
use gage_core::graph::Labels;
use gage_core::holdout::{EvalError, at_least_one, check_rows, same_length};
use gage_core::solver::NoObserver;
use gage_linalg::{Real, Tall};

/// What to try.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassifyParams {
    /// Numbers of training nodes to try.
    pub train: Vec<TrainSize>,
    /// Random splits for each of them.
    pub shuffles: usize,
    /// How to train; holds `C`.
    pub logistic: LogisticParams,
    /// Decides the splits.
    pub seed: u64,
}

impl Default for ClassifyParams {
    fn default() -> Self {
        ClassifyParams {
            train: [0.9, 0.5, 0.1].map(TrainSize::Share).to_vec(),
            shuffles: 10,
            logistic: LogisticParams::default(),
            seed: 0,
        }
    }
}

/// Scores for one number of training nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainReport {
    /// What was requested.
    pub train: TrainSize,
    /// Training nodes of each shuffle.
    pub train_nodes: usize,
    /// Test nodes of each shuffle.
    pub test_nodes: usize,
    /// Pooled F1.
    pub micro_f1: Spread,
    /// Mean F1 of the classes present among the test nodes or the predictions.
    pub macro_f1: Spread,
    /// Mean F1 of all classes, the empty ones counting as 0.
    pub macro_f1_all_classes: Spread,
    /// Share of test nodes predicted exactly.
    pub accuracy: Spread,
    /// Scores of each shuffle.
    pub runs: Vec<F1Scores>,
    /// Classifiers, over all shuffles and classes, that stopped short of the tolerance.
    pub unconverged: usize,
}

/// What came out of [`classify()`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassifyReport {
    /// Number of classes, empty ones included.
    pub classes: usize,
    /// Names of the classes without a member.
    pub empty_classes: Vec<String>,
    /// Whether some node has several labels.
    pub multi_label: bool,
    /// Nodes with a label.
    pub labelled: usize,
    /// One entry per number of training nodes, in the order requested.
    pub results: Vec<TrainReport>,
}

/// Trains and tests one-vs-rest logistic regression on random splits of the labelled nodes.
///
/// With one label per node the class of the highest score is predicted. When some node has several,
/// the *true number of labels of each test node is given* and the classes of the highest scores are
/// predicted; this protocol is common for graphs but knows more than a real predictor would.
///
/// Classes without a member are named in the report and left out of `macro_f1`, which averages over
/// the classes that are true or predicted for some test node, as scikit-learn does;
/// `macro_f1_all_classes` divides the same sum by the number of all classes. Cost: `shuffles` times
/// the number of training sizes times that of [`Logistic::fit`], all in parallel.
///
/// ```
/// use gage_embed::eval::{ClassifyParams, classify};
/// use gage_embed::{Labels, Tall};
/// let points = Tall::from_rows(40, 1, |row, out: &mut [f32]| out[0] = row as f32 - 19.5);
/// let labels = Labels::from_numbers(&(0..40).map(|node| node / 20).collect::<Vec<_>>());
/// let report = classify(&points, &labels, &ClassifyParams::default())?;
/// assert!(report.results[0].micro_f1.mean > 0.9);
/// # Ok::<(), gage_embed::eval::EvalError>(())
/// ```
pub fn classify<T: Real>(
    embedding: &Tall<T>,
    labels: &Labels,
    params: &ClassifyParams,
) -> Result<ClassifyReport, EvalError> {
    classify_with(embedding, labels, params, &NoObserver)
}

/// As [`classify()`], reporting every split to an observer that may also stop the work.
pub fn classify_with<T: Real>(
    embedding: &Tall<T>,
    labels: &Labels,
    params: &ClassifyParams,
    observer: &dyn EvalObserver,
) -> Result<ClassifyReport, EvalError> {
    params.logistic.check()?;
    same_length("rows of the embedding", embedding.rows(), "labelled nodes", labels.len())?;
    at_least_one(&[("training sizes", params.train.len()), ("shuffles", params.shuffles)])?;
    let nodes = labelled_nodes(labels);
    let sizes = labels.class_sizes();
    let filled = sizes.iter().filter(|&&size| size > 0).count();
    if filled < 2 {
        let what = "classes with members, to tell apart";
        return Err(EvalError::TooFew { what, needed: 2, found: filled });
    }
    check_rows(embedding, &nodes)?;
    for size in &params.train {
        size.of(nodes.len())?;
    }
    let runs: Vec<(usize, usize)> = (0..params.train.len())
        .flat_map(|size| (0..params.shuffles).map(move |shuffle| (size, shuffle)))
        .collect();
    let done = AtomicUsize::new(0);
    observer.step(0, runs.len());
    let outcomes: Vec<Run> = runs
        .par_iter()
        // One run at a time per task: runs differ widely in cost.
        .with_max_len(1)
        .map(|&(size, shuffle)| {
            check(observer)?;
            let split = split_nodes(&nodes, params.train[size], params.seed, shuffle)?;
            let outcome = classify_split(embedding, labels, &split, &params.logistic)?;
            observer.step(done.fetch_add(1, Ordering::SeqCst) + 1, runs.len());
            let (scores, unconverged) = (outcome.scores, outcome.unconverged);
            let (train_nodes, test_nodes) = (split.train.len(), split.test.len());
            Ok(Run { scores, train_nodes, test_nodes, unconverged })
        })
        .collect::<Result<_, EvalError>>()?;
    Ok(report(labels, nodes.len(), &params.train, &outcomes))
}

/// The report of as many runs for each training size, one size after the other.
pub(super) fn report(
    labels: &Labels,
    labelled: usize,
    train: &[TrainSize],
    runs: &[Run],
) -> ClassifyReport {
    let sizes = labels.class_sizes();
    let empty = labels.class_names().iter().zip(&sizes).filter(|&(_, &size)| size == 0);
    let of_each = runs.chunks((runs.len() / train.len().max(1)).max(1));
    ClassifyReport {
        classes: sizes.len(),
        empty_classes: empty.map(|(name, _)| name.clone()).collect(),
        multi_label: labels.is_multi_label(),
        labelled,
        results: of_each.zip(train).map(|(runs, &train)| summarise(train, runs)).collect(),
    }
}

/// Outcome of one split.
pub(super) struct Run {
    pub(super) scores: F1Scores,
    pub(super) train_nodes: usize,
    pub(super) test_nodes: usize,
    pub(super) unconverged: usize,
}

/// What came out of one split.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SplitOutcome {
    /// Scores on the test nodes.
    pub scores: F1Scores,
    /// Predicted classes of each test node, in the order of the split.
    pub predicted: Vec<Vec<u32>>,
    /// Classifiers that stopped short of the tolerance.
    pub unconverged: usize,
}

/// Trains on the training nodes of one split and predicts its test nodes; see [`classify()`].
pub fn classify_split<T: Real>(
    embedding: &Tall<T>,
    labels: &Labels,
    split: &Split,
    params: &LogisticParams,
) -> Result<SplitOutcome, EvalError> {
    let model = Logistic::fit(embedding, labels, &split.train, params)?;
    let truth: Vec<&[u32]> = split.test.iter().map(|&node| labels.of(node as usize)).collect();
    let counts: Vec<usize> = truth.iter().map(|classes| classes.len()).collect();
    let predicted = model.predict_top(embedding, &split.test, &counts)?;
    Ok(SplitOutcome {
        scores: f1_scores(&truth, &predicted, labels.class_names().len())?,
        predicted,
        unconverged: model.fits().iter().filter(|fit| !fit.converged).count(),
    })
}

fn summarise(train: TrainSize, runs: &[Run]) -> TrainReport {
    let spread = |part: fn(&F1Scores) -> f64| Spread::of(runs.iter().map(|run| part(&run.scores)));
    TrainReport {
        train,
        train_nodes: runs.first().map_or(0, |run| run.train_nodes),
        test_nodes: runs.first().map_or(0, |run| run.test_nodes),
        micro_f1: spread(|scores| scores.micro),
        macro_f1: spread(|scores| scores.macro_present),
        macro_f1_all_classes: spread(|scores| scores.macro_all),
        accuracy: spread(|scores| scores.accuracy),
        runs: runs.iter().map(|run| run.scores).collect(),
        unconverged: runs.iter().map(|run| run.unconverged).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{clouds, labels, random, random_classes};
    use gage_linalg::random::Stream;

    fn params(shares: &[f64], shuffles: usize) -> ClassifyParams {
        let train = shares.iter().map(|&share| TrainSize::Share(share)).collect();
        ClassifyParams { train, shuffles, ..ClassifyParams::default() }
    }

    /// Mean accuracy must lie within five standard errors of chance for `classes` even classes.
    fn assert_chance(report: &ClassifyReport, classes: usize) {
        for result in &report.results {
            let chance = 1.0 / classes as f64;
            // The test sets of different shuffles overlap, so only one of them counts as
            // independent evidence.
            let error = (chance * (1.0 - chance) / result.test_nodes as f64).sqrt();
            let mean = result.micro_f1.mean;
            assert!((mean - chance).abs() < 5.0 * error, "{mean} is not chance {chance}");
        }
    }

    #[test]
    fn a_random_embedding_scores_at_chance() {
        let labels = labels(&random_classes(3000, 5, 11));
        assert_chance(
            &classify(&random(3000, 16, 12), &labels, &params(&[0.5, 0.1], 4)).unwrap(),
            5,
        );
    }

    #[test]
    fn shuffled_labels_score_at_chance() {
        let (embedding, mut numbers) = clouds(3000, 16, 5, 3.0, 13);
        let informed = classify(&embedding, &labels(&numbers), &params(&[0.5], 2)).unwrap();
        assert!(informed.results[0].micro_f1.mean > 0.95);
        Stream::new(14).shuffle(&mut numbers);
        let report = classify(&embedding, &labels(&numbers), &params(&[0.5, 0.9], 4)).unwrap();
        assert_chance(&report, 5);
    }

    #[test]
    fn test_labels_do_not_reach_the_classifier() {
        // Changing the label of every test node must not change a single weight.
        let (embedding, numbers) = clouds(200, 6, 3, 1.0, 15);
        let known = labels(&numbers);
        let split = super::super::splits::split(&known, TrainSize::Share(0.5), 1, 0).unwrap();
        let mut changed = numbers;
        for &node in &split.test {
            changed[node as usize] = (changed[node as usize] + 1) % 3;
        }
        let logistic = LogisticParams::default();
        let before = Logistic::fit(&embedding, &known, &split.train, &logistic).unwrap();
        let after = Logistic::fit(&embedding, &labels(&changed), &split.train, &logistic).unwrap();
        for class in 0..3 {
            assert_eq!(before.weights(class), after.weights(class));
        }
    }

    #[test]
    fn empty_classes_are_named_and_kept_out_of_the_average() {
        let (embedding, numbers) = clouds(300, 6, 3, 4.0, 16);
        // Classes 0, 2, 5 of six.
        let spread: Vec<i64> = numbers.iter().map(|&class| [0, 2, 5][class as usize]).collect();
        let report = classify(&embedding, &labels(&spread), &params(&[0.5], 3)).unwrap();
        assert_eq!(report.empty_classes, ["1", "3", "4"]);
        let result = &report.results[0];
        assert!((result.macro_f1.mean - 2.0 * result.macro_f1_all_classes.mean).abs() < 1e-12);
        assert!(result.macro_f1.mean > 0.9);
        assert_eq!(result.runs.len(), 3);
    }

    #[test]
    fn several_labels_per_node() {
        let embedding = random(400, 4, 17);
        // One label per positive coordinate; nodes without any stay unlabelled.
        let lists = (0..400).map(|node| {
            (0..4).filter(|&class| embedding.row(node)[class as usize] > 0.0).collect::<Vec<u32>>()
        });
        let labels = Labels::from_lists((0..4).map(|c| c.to_string()).collect(), lists);
        let report = classify(&embedding, &labels, &params(&[0.5], 2)).unwrap();
        assert!(report.multi_label && report.labelled < 400);
        assert!(report.results[0].micro_f1.mean > 0.95, "{:?}", report.results[0].micro_f1);
    }

    #[test]
    fn seeds_change_the_result_and_threads_do_not() {
        let (embedding, numbers) = clouds(400, 6, 3, 0.5, 18);
        let labels = labels(&numbers);
        let run = |threads: usize, seed: u64| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let params = ClassifyParams { seed, ..params(&[0.5], 3) };
            pool.install(|| classify(&embedding, &labels, &params).unwrap())
        };
        assert_eq!(run(1, 0), run(3, 0));
        assert_ne!(run(1, 0), run(1, 1));
    }

    #[test]
    fn impossible_requests_are_errors() {
        let embedding = random(10, 2, 1);
        let known = labels(&[0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
        assert!(classify(&embedding, &known, &params(&[], 2)).is_err());
        assert!(classify(&embedding, &known, &params(&[0.5], 0)).is_err());
        assert!(classify(&embedding, &known, &params(&[1.5], 1)).is_err());
        assert!(classify(&embedding, &labels(&[-1; 10]), &params(&[0.5], 1)).is_err());
        assert!(classify(&embedding, &labels(&[0; 9]), &params(&[0.5], 1)).is_err());
    }
}
