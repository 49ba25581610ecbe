//! One-vs-rest logistic regression: train on given rows, predict given rows.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::design::{Design, affine};
use super::newton::{self, Stop};
use gage_core::graph::Labels;
use gage_core::holdout::{EvalError, check_rows, same_length};
use gage_linalg::{Real, Tall};

/// Largest C; beyond it the penalty is below rounding.
const MAX_C: f64 = 1e12;

/// How to train.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogisticParams {
    /// Weight of the data against the penalty, as scikit-learn's `C`. Above 0, at most 1e12.
    pub c: f64,
    /// Stop when the gradient, relative to that at zero weights, is below this times the share of
    /// the rarer side (members or the rest). LIBLINEAR's rule; scikit-learn uses 1e-4 there.
    pub tolerance: f64,
    /// Largest number of Newton steps for one class.
    pub max_iterations: usize,
}

impl Default for LogisticParams {
    fn default() -> Self {
        LogisticParams { c: 1.0, tolerance: 1e-6, max_iterations: 100 }
    }
}

impl LogisticParams {
    pub(super) fn check(&self) -> Result<(), EvalError> {
        let fault = |name, value, bound| Err(EvalError::Parameter { name, value, bound });
        if !(self.c > 0.0 && self.c <= MAX_C) {
            return fault("C", self.c, "above 0 and at most 1e12");
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            return fault("tolerance", self.tolerance, "above 0 and below 1");
        }
        if self.max_iterations == 0 {
            return fault("max_iterations", 0.0, "at least 1");
        }
        Ok(())
    }
}

/// How the training of one class went.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassFit {
    /// Number of the class.
    pub class: u32,
    /// Training nodes in the class.
    pub members: usize,
    /// Newton steps taken.
    pub iterations: usize,
    /// Length of the last gradient, relative to that at zero weights.
    pub relative_gradient: f64,
    /// Whether the tolerance was reached.
    pub converged: bool,
}

/// One linear classifier per class that has training nodes.
///
/// Class k minimises `|w|^2 / 2 + C sum_i log(1 + exp(-y_i w^T (x_i, 1)))`, `y_i = 1` for members
/// of k and -1 for the rest: the objective of scikit-learn's
/// `LogisticRegression(solver="liblinear", C=C)` in a one-vs-rest scheme. The constant feature
/// makes the intercept, which is penalised like any other weight, as LIBLINEAR does.
///
/// ```
/// use gage_embed::eval::{Logistic, LogisticParams};
/// use gage_embed::{Labels, Tall};
/// let points = Tall::from_rows(6, 1, |row, out: &mut [f32]| out[0] = row as f32 - 2.5);
/// let labels = Labels::from_numbers(&[0, 0, 0, 1, 1, 1]);
/// let model = Logistic::fit(&points, &labels, &[0, 1, 4, 5], &LogisticParams::default())?;
/// assert_eq!(model.predict(&points, &[2, 3])?, [0, 1]);
/// # Ok::<(), gage_embed::eval::EvalError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Logistic {
    features: usize,
    classes: usize,
    fits: Vec<ClassFit>,
    /// One row per entry of `fits`: the weights, then the intercept.
    weights: Vec<f64>,
}

impl Logistic {
    /// Trains on the given rows, each of which must have a label. Classes without a training node
    /// are left out and never predicted. A node may have several classes; it is then a member of
    /// each.
    ///
    /// Cost, for n rows, p columns, K classes: `n p^2 + p^3 / 3` flops once, and per class a few
    /// dozen products of `4 n p` flops, sometimes another `n p^2`. Classes are trained in parallel;
    /// nothing is copied.
    pub fn fit<T: Real>(
        embedding: &Tall<T>,
        labels: &Labels,
        rows: &[u32],
        params: &LogisticParams,
    ) -> Result<Logistic, EvalError> {
        params.check()?;
        same_length("rows of the embedding", embedding.rows(), "labelled nodes", labels.len())?;
        if rows.is_empty() {
            return Err(EvalError::TooFew { what: "training nodes", needed: 1, found: 0 });
        }
        check_rows(embedding, rows)?;
        if let Some(&row) = rows.iter().find(|&&row| labels.of(row as usize).is_empty()) {
            return Err(EvalError::Unlabelled { row });
        }
        let classes = labels.class_names().len();
        let mut members = vec![0; classes];
        for &class in rows.iter().flat_map(|&row| labels.of(row as usize)) {
            members[class as usize] += 1;
        }
        let present: Vec<u32> =
            (0..classes as u32).filter(|&class| members[class as usize] > 0).collect();
        let design = Design::new(embedding, rows);
        let initial = newton::initial_factor(&design, params.c);
        let solved: Vec<(ClassFit, Vec<f64>)> = present
            .par_iter()
            .map(|&class| {
                let positive: Vec<bool> =
                    rows.iter().map(|&row| labels.of(row as usize).contains(&class)).collect();
                let members = members[class as usize];
                let rarer = members.min(rows.len() - members).max(1);
                let relative_gradient = params.tolerance * rarer as f64 / rows.len() as f64;
                let stop = Stop { relative_gradient, max_iterations: params.max_iterations };
                let solution = newton::minimise(&design, &positive, params.c, &initial, stop);
                let fit = ClassFit {
                    class,
                    members,
                    iterations: solution.iterations,
                    relative_gradient: solution.relative_gradient,
                    converged: solution.relative_gradient <= relative_gradient,
                };
                (fit, solution.weights)
            })
            .collect();
        let (fits, weights): (Vec<_>, Vec<_>) = solved.into_iter().unzip();
        Ok(Logistic { features: embedding.cols(), classes, fits, weights: weights.concat() })
    }

    /// How the training went, one record per class that had training nodes, in rising order of the
    /// class.
    pub fn fits(&self) -> &[ClassFit] {
        &self.fits
    }

    /// Weights and intercept of a class; `None` if it had no training node.
    pub fn weights(&self, class: u32) -> Option<(&[f64], f64)> {
        let at = self.fits.iter().position(|fit| fit.class == class)?;
        let width = self.features + 1;
        let (weights, intercept) =
            self.weights[at * width..(at + 1) * width].split_at(self.features);
        Some((weights, intercept[0]))
    }

    /// `w^T (x, 1)` of every class for the given rows: one row of as many scores as there are
    /// classes per node, minus infinity for classes without training nodes. Cost `2 n p K` flops.
    pub fn scores<T: Real>(
        &self,
        embedding: &Tall<T>,
        rows: &[u32],
    ) -> Result<Tall<f64>, EvalError> {
        if embedding.cols() != self.features {
            return Err(EvalError::Width { expected: self.features, found: embedding.cols() });
        }
        check_rows(embedding, rows)?;
        let width = self.features + 1;
        Ok(Tall::from_rows(rows.len(), self.classes, |at, out: &mut [f64]| {
            out.fill(f64::NEG_INFINITY);
            for (fit, weights) in self.fits.iter().zip(self.weights.chunks_exact(width)) {
                out[fit.class as usize] = affine(embedding.row(rows[at] as usize), weights);
            }
        }))
    }

    /// The class of the highest score for each of the given rows; the lower number at a tie.
    pub fn predict<T: Real>(
        &self,
        embedding: &Tall<T>,
        rows: &[u32],
    ) -> Result<Vec<u32>, EvalError> {
        let best = self.predict_top(embedding, rows, &vec![1; rows.len()])?;
        // Training nodes have labels, so at least one class is scored.
        Ok(best.into_iter().map(|best| best.first().copied().unwrap_or(0)).collect())
    }

    /// The `counts[i]` classes of highest score for row i, in rising order of the class: the usual
    /// protocol for several labels per node, where the number of labels of a node is given and
    /// which ones are requested. Fewer come back only when fewer classes had training nodes.
    pub fn predict_top<T: Real>(
        &self,
        embedding: &Tall<T>,
        rows: &[u32],
        counts: &[usize],
    ) -> Result<Vec<Vec<u32>>, EvalError> {
        same_length("rows", rows.len(), "label counts", counts.len())?;
        let scores = self.scores(embedding, rows)?;
        let top = |(at, &count): (usize, &usize)| {
            let scores = scores.row(at);
            let mut order: Vec<u32> = self.fits.iter().map(|fit| fit.class).collect();
            order.sort_by(|&a, &b| scores[b as usize].total_cmp(&scores[a as usize]));
            order.truncate(count);
            order.sort_unstable();
            order
        };
        Ok(counts.par_iter().enumerate().map(top).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{clouds, labels, random};
    use proptest::prelude::*;

    #[test]
    fn well_separated_classes_are_told_apart() {
        let (embedding, numbers) = clouds(600, 8, 4, 5.0, 3);
        let (train, test): (Vec<u32>, Vec<u32>) = (0..600).partition(|row| row % 2 == 0);
        let model =
            Logistic::fit(&embedding, &labels(&numbers), &train, &LogisticParams::default())
                .unwrap();
        assert!(model.fits().iter().all(|fit| fit.converged));
        let predicted = model.predict(&embedding, &test).unwrap();
        let right = predicted
            .iter()
            .zip(&test)
            .filter(|&(&class, &row)| i64::from(class) == numbers[row as usize])
            .count();
        assert!(right >= 298, "{right} of 300");
    }

    #[test]
    fn bits_do_not_depend_on_threads() {
        let (embedding, numbers) = clouds(1500, 30, 5, 1.0, 4);
        let (labels, rows) = (labels(&numbers), (0..1500).collect::<Vec<u32>>());
        let fit = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                Logistic::fit(&embedding, &labels, &rows, &LogisticParams::default())
                    .unwrap()
                    .weights
            })
        };
        assert_eq!(fit(1), fit(4));
    }

    #[test]
    fn single_precision_is_accepted_and_close() {
        let (embedding, numbers) = clouds(300, 10, 3, 1.0, 6);
        let (labels, rows) = (labels(&numbers), (0..300).collect::<Vec<u32>>());
        let params = LogisticParams::default();
        let wide = Logistic::fit(&embedding, &labels, &rows, &params).unwrap();
        let narrow = Logistic::fit(&embedding.converted::<f32>(), &labels, &rows, &params).unwrap();
        for (wide, narrow) in wide.weights.iter().zip(&narrow.weights) {
            assert!((wide - narrow).abs() < 1e-4);
        }
    }

    #[test]
    fn untrained_classes_are_never_predicted() {
        let embedding = random(40, 3, 7);
        let labels = labels(&(0..40).map(|row| [0, 2, 4][row % 3]).collect::<Vec<_>>());
        let train: Vec<u32> = (0..40).filter(|row| row % 3 != 2).collect();
        let model = Logistic::fit(&embedding, &labels, &train, &LogisticParams::default()).unwrap();
        assert!(model.weights(0).is_some() && model.weights(4).is_none());
        let all: Vec<u32> = (0..40).collect();
        let top = model.predict_top(&embedding, &all, &[5; 40]).unwrap();
        assert!(top.iter().all(|top| top == &[0, 2]));
    }

    proptest! {
        #[test]
        fn extreme_numbers_give_finite_weights(
            entries in prop::collection::vec(0usize..8, 60),
            classes in prop::collection::vec(0i64..3, 20),
            c in prop::sample::select(vec![1e-300, 1e-9, 1.0, 1e12]),
        ) {
            const ENTRIES: [f64; 8] = [0.0, 1.0, -1.0, 1e30, -1e30, 1e-300, 1e8, -0.5];
            let embedding = Tall::from_rows(20, 3, |row, out: &mut [f64]| {
                (0..3).for_each(|column| out[column] = ENTRIES[entries[3 * row + column]]);
            });
            let rows: Vec<u32> = (0..20).collect();
            let params = LogisticParams { c, ..LogisticParams::default() };
            let model = Logistic::fit(&embedding, &labels(&classes), &rows, &params).unwrap();
            prop_assert!(model.weights.iter().all(|weight| weight.is_finite()));
            prop_assert!(model.predict(&embedding, &rows).unwrap().iter().all(|&class| class < 3));
        }
    }

    #[test]
    fn faults_are_named() {
        let mut embedding = random(5, 2, 1);
        let known = labels(&[0, 1, -1, 0, 1]);
        let params = LogisticParams::default();
        let fit = |embedding: &Tall<f64>, rows: &[u32], params: &LogisticParams| {
            Logistic::fit(embedding, &known, rows, params).map(|_| ())
        };
        assert_eq!(fit(&embedding, &[0, 2], &params), Err(EvalError::Unlabelled { row: 2 }));
        assert_eq!(fit(&embedding, &[5], &params), Err(EvalError::RowRange { row: 5, rows: 5 }));
        assert!(matches!(fit(&embedding, &[], &params), Err(EvalError::TooFew { .. })));
        assert!(matches!(fit(&random(4, 2, 1), &[0], &params), Err(EvalError::Lengths { .. })));
        for c in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let params = LogisticParams { c, ..params };
            assert!(matches!(fit(&embedding, &[0, 1], &params), Err(EvalError::Parameter { .. })));
        }
        embedding.row_mut(1)[1] = f64::NAN;
        assert!(matches!(
            fit(&embedding, &[0, 1], &params),
            Err(EvalError::NotFinite { row: 1, column: 1, .. })
        ));
        assert_eq!(fit(&embedding, &[0, 4], &params), Ok(()));
    }
}
