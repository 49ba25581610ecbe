//! Where a fit stands, as plain values: enough to go on and end in the same bits.
//!
//! A fit offers its state at a few boundaries: before every iteration of the basis, after every sweep of the refinement,
//! and when the factors are there. What is recomputed when it goes on (norms, projections, core tensor) is a fixed
//! function of what is kept. States are borrowed, so that offering one costs no memory.

use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use crate::progress::Stage;
use gage_linalg::{AnyTallRef, Real};

use crate::solver::factors::FullFactors;
use crate::solver::info::{RefineInfo, StartInfo};

/// Where the iteration stands when one begins: everything small.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct BasisPoint {
    pub(in crate::solver) iterations: usize,
    pub(in crate::solver) captured_energy: Vec<f64>,
    /// Columns the model will have, as far as is known.
    pub(in crate::solver) columns: usize,
    /// Share of the energy that this many columns captured last.
    pub(in crate::solver) captured: f64,
}

/// Where the refinement stands when a sweep begins: everything small.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RefinePoint {
    pub(crate) losses: Vec<f64>,
    pub(crate) spread: Vec<f64>,
    pub(in crate::solver) loss: f64,
    pub(in crate::solver) history: Vec<f64>,
    pub(in crate::solver) passes: usize,
    /// Product of the last gradient and its step, if there was a sweep before.
    pub(crate) new_by_new: Option<f64>,
}

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
    pub(in crate::solver) fn stage(&self) -> Stage {
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
    pub(in crate::solver) fn passes(&self) -> usize {
        self.point.inner_passes() + self.passes.iter().copied().max().unwrap_or(0)
    }
}

/// The state of a fit, to be kept. See [`StateKeeper`].
#[derive(Debug)]
pub struct FitSnapshot<'a> {
    pub(crate) header: StateHeader,
    pub(crate) tall: Vec<(String, AnyTallRef<'a>)>,
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

/// A state as a stage knows it; what belongs to the whole fit is added by [`Keeping`].
pub(crate) struct Draft<'a> {
    pub(crate) passes: Vec<usize>,
    pub(crate) point: Point,
    pub(crate) tall: Vec<(String, AnyTallRef<'a>)>,
    pub(crate) small: Vec<(String, Vec<f64>)>,
}

impl<'a> Draft<'a> {
    /// A state with factors.
    pub(crate) fn of_factors<T: Real>(
        passes: Vec<usize>,
        point: Point,
        factors: &'a FullFactors<T>,
    ) -> Draft<'a> {
        let mut tall = vec![("u".to_owned(), AnyTallRef::from(&factors.u))];
        let mut small = Vec::new();
        for (k, (c, energy)) in factors.c.iter().zip(&factors.energies).enumerate() {
            small.push((format!("c{k}"), c.clone()));
            small.push((format!("seen{k}"), energy.clone()));
        }
        for (k, projection) in factors.projections.iter().enumerate() {
            tall.push((format!("projection{k}"), AnyTallRef::from(projection)));
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
