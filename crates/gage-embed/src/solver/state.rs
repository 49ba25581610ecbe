//! Where a fit stands, as plain values: enough to go on and end in the same bits.
//!
//! A fit offers its state at a few boundaries: before every iteration of the basis, after every sweep of the refinement,
//! and when the factors are there. What is recomputed when it goes on (norms, projections, core tensor) is a fixed
//! function of what is kept. States are borrowed, so that offering one costs no memory.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use faer::Mat;
use serde::{Deserialize, Serialize};

use crate::linalg::{Numbers, NumbersRef, Real, Tall};
use crate::params::CheckedParams;
use crate::views::CentredGram;

use super::basis::{BasisPoint, BasisSoFar};
use super::line_search::ViewTerms;
use super::observe::Stage;
use super::problem::Problem;
use super::refine::{FullFactors, RefineInfo, RefinePoint, RefineSoFar, shared_if_complete};
use super::start::{StartInfo, keeps_projections};

/// Keeps states of a fit, so that it can be taken up again. Called between passes over the data.
pub trait StateKeeper: Sync {
    /// Whether a state offered now would be kept.
    fn due(&self) -> bool {
        true
    }
    /// Keeps a state; the one before it is no longer needed. Also called, due or not, when the observer stops the fit.
    fn keep(&self, state: &FitSnapshot<'_>);
}

/// How far a fit has come: everything small.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Point {
    /// An iteration of the basis begins.
    Basis(BasisPoint),
    /// A sweep of the refinement begins.
    Refine { start: StartInfo, so_far: RefinePoint },
    /// The factors are found, and refined if that was asked for.
    Factors { start: StartInfo, refine: Option<RefineInfo> },
}

impl Point {
    fn stage(&self) -> Stage {
        match self {
            Point::Basis(_) => Stage::Basis,
            Point::Refine { .. } => Stage::Refine,
            Point::Factors { .. } => Stage::Factors,
        }
    }

    /// Passes over a problem of fewer nodes, which came before.
    fn inner_passes(&self) -> usize {
        match self {
            Point::Basis(_) => 0,
            Point::Refine { start, .. } | Point::Factors { start, .. } => start.inner_passes,
        }
    }
}

/// The round of estimating single missing entries, and the entries it works with.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Round {
    pub(crate) number: usize,
    /// How much the entries changed in the refill before this round.
    pub(crate) change: Option<f64>,
    /// Estimated entries, per block.
    pub(crate) filled: Vec<Vec<f64>>,
}

/// The small part of a state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct StateHeader {
    pub(crate) fingerprint: String,
    pub(crate) round: usize,
    pub(crate) change: Option<f64>,
    /// Passes over every view.
    pub(crate) passes: Vec<usize>,
    pub(crate) point: Point,
}

impl StateHeader {
    fn passes(&self) -> usize {
        self.point.inner_passes() + self.passes.iter().copied().max().unwrap_or(0)
    }
}

/// The state of a fit, to be kept. See [`StateKeeper`].
#[derive(Debug)]
pub struct FitSnapshot<'a> {
    pub(crate) header: StateHeader,
    pub(crate) tall: Vec<(String, NumbersRef<'a>)>,
    pub(crate) small: Vec<(String, Vec<f64>)>,
}

impl FitSnapshot<'_> {
    /// What would be done next.
    pub fn stage(&self) -> Stage {
        self.header.point.stage()
    }

    /// Passes over each view so far.
    pub fn passes(&self) -> usize {
        self.header.passes()
    }
}

/// A state that was kept, to go on from.
#[derive(Debug)]
pub struct FitState {
    pub(crate) header: StateHeader,
    pub(crate) tall: BTreeMap<String, Numbers>,
    pub(crate) small: BTreeMap<String, Vec<f64>>,
}

/// A state made ready for the solver.
pub(crate) enum Restored<T> {
    Basis(BasisSoFar<T>),
    Refine { factors: FullFactors<T>, start: StartInfo, so_far: RefineSoFar<T> },
    Factors { factors: FullFactors<T>, start: StartInfo, refine: Option<RefineInfo> },
}

impl FitState {
    /// What is to be done next.
    pub fn stage(&self) -> Stage {
        self.header.point.stage()
    }

    /// Passes over each view so far.
    pub fn passes(&self) -> usize {
        self.header.passes()
    }

    /// The round of estimates this state belongs to; `sizes` are the numbers of missing entries per block.
    pub(crate) fn round(&mut self, sizes: &[usize]) -> Result<Round, String> {
        let number = self.header.round;
        if number == 0 {
            return Ok(Round::default());
        }
        let change = self.header.change.ok_or("does not say how far its estimates had settled")?;
        let filled = sizes
            .iter()
            .enumerate()
            .map(|(at, &size)| self.take_small(&format!("filled{at}"), size))
            .collect::<Result<_, String>>()?;
        Ok(Round { number, change: Some(change), filled })
    }

    /// Checks every shape against the problem.
    pub(crate) fn restore<T: Real>(
        mut self,
        problem: &Problem<'_>,
        params: &CheckedParams,
    ) -> Result<Restored<T>, String> {
        let views = problem.ops.len();
        if self.header.passes.len() != views {
            return Err(format!("is of {} views, not {views}", self.header.passes.len()));
        }
        let rows = problem.ops.first().map_or(0, CentredGram::local_rows);
        let passes = std::mem::take(&mut self.header.passes);
        let count = || {
            problem.ops.iter().zip(&passes).for_each(|(op, &passes)| op.count_from(passes));
        };
        match self.header.point.clone() {
            Point::Basis(point) => {
                let vectors = self.take_tall("vectors", rows, None)?;
                Ok(Restored::Basis(BasisSoFar { vectors, point, passes }))
            }
            Point::Factors { start, refine } => {
                let factors = self.factors(problem, params, rows)?;
                count();
                Ok(Restored::Factors { factors, start, refine })
            }
            Point::Refine { start, so_far: point } => {
                let factors: FullFactors<T> = self.factors(problem, params, rows)?;
                let f = factors.u.cols();
                if point.losses.len() != views || point.spread.len() != f {
                    return Err("does not fit the number of views or columns".to_owned());
                }
                let (mut energies, mut grams) = (Vec::new(), Vec::new());
                for k in 0..views {
                    energies.push(self.take_small(&format!("energy{k}"), f)?);
                    grams.push(self.take_small(&format!("gram{k}"), f * f)?);
                }
                let gram = |k: usize| Mat::from_fn(f, f, |i, j| grams[k][i * f + j]);
                let grams = shared_if_complete(&problem.ops, gram).into_iter();
                let terms = energies.into_iter().zip(grams);
                let terms = terms.map(|(energy, gram)| ViewTerms { energy, gram }).collect();
                let previous = match point.new_by_new {
                    None => None,
                    Some(new_by_new) => Some((
                        self.take_tall("gradient", rows, Some(f))?,
                        self.take_tall("direction", rows, Some(f))?,
                        new_by_new,
                    )),
                };
                count();
                let so_far = RefineSoFar { point, terms, previous };
                Ok(Restored::Refine { factors, start, so_far })
            }
        }
    }

    fn factors<T: Real>(
        &mut self,
        problem: &Problem<'_>,
        params: &CheckedParams,
        rows: usize,
    ) -> Result<FullFactors<T>, String> {
        let u: Tall<T> = self.take_tall("u", rows, None)?;
        let f = u.cols();
        let mut c = Vec::with_capacity(problem.ops.len());
        let mut energies = Vec::with_capacity(problem.ops.len());
        let mut projections = Vec::new();
        let kept = keeps_projections(problem, params);
        for (k, op) in problem.ops.iter().enumerate() {
            c.push(self.take_small(&format!("c{k}"), f)?);
            energies.push(self.take_small(&format!("seen{k}"), f)?);
            if kept {
                projections.push(self.take_tall(&format!("projection{k}"), op.cols(), Some(f))?);
            }
        }
        Ok(FullFactors { u, c, energies, projections })
    }

    fn take_tall<T: Real>(
        &mut self,
        name: &str,
        rows: usize,
        cols: Option<usize>,
    ) -> Result<Tall<T>, String> {
        let numbers = self.tall.remove(name).ok_or_else(|| format!("lacks `{name}`"))?;
        let (found_rows, found_cols) = (numbers.rows(), numbers.cols());
        if found_rows != rows || found_cols == 0 || cols.is_some_and(|cols| cols != found_cols) {
            return Err(format!("has `{name}` of size {found_rows} x {found_cols}"));
        }
        T::owned(numbers).ok_or_else(|| format!("has `{name}` in another precision"))
    }

    fn take_small(&mut self, name: &str, length: usize) -> Result<Vec<f64>, String> {
        let values = self.small.remove(name).ok_or_else(|| format!("lacks `{name}`"))?;
        if values.len() != length {
            return Err(format!("has {} numbers in `{name}`, not {length}", values.len()));
        }
        Ok(values)
    }
}

/// A state as a stage knows it; what belongs to the whole fit is added by [`Keeping`].
pub(crate) struct Draft<'a> {
    pub(crate) passes: Vec<usize>,
    pub(crate) point: Point,
    pub(crate) tall: Vec<(String, NumbersRef<'a>)>,
    pub(crate) small: Vec<(String, Vec<f64>)>,
}

impl<'a> Draft<'a> {
    /// A state with factors.
    pub(crate) fn of_factors<T: Real>(
        passes: Vec<usize>,
        point: Point,
        factors: &'a FullFactors<T>,
    ) -> Draft<'a> {
        let mut tall = vec![("u".to_owned(), T::borrowed(&factors.u))];
        let mut small = Vec::new();
        for (k, (c, energy)) in factors.c.iter().zip(&factors.energies).enumerate() {
            small.push((format!("c{k}"), c.clone()));
            small.push((format!("seen{k}"), energy.clone()));
        }
        for (k, projection) in factors.projections.iter().enumerate() {
            tall.push((format!("projection{k}"), T::borrowed(projection)));
        }
        Draft { passes, point, tall, small }
    }
}

/// A keeper, and what identifies the fit.
pub(crate) struct Keeping<'a> {
    pub(crate) keeper: &'a dyn StateKeeper,
    pub(crate) fingerprint: &'a str,
    pub(crate) round: &'a Round,
    /// Whether the state of the boundary passed last was kept.
    pub(crate) kept: AtomicBool,
}

impl Keeping<'_> {
    pub(crate) fn keep(&self, draft: Draft<'_>) {
        let Draft { passes, point, tall, mut small } = draft;
        let filled = self.round.filled.iter().enumerate();
        small.extend(filled.map(|(at, values)| (format!("filled{at}"), values.clone())));
        let header = StateHeader {
            fingerprint: self.fingerprint.to_owned(),
            round: self.round.number,
            change: self.round.change,
            passes,
            point,
        };
        self.keeper.keep(&FitSnapshot { header, tall, small });
    }
}
