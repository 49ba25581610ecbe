//! Converts checkpoints back to the state of the solver.

use std::collections::BTreeMap;

use faer::Mat;

use crate::params::CheckedParams;
use crate::progress::Stage;
use crate::solver::basis::BasisState;
use crate::solver::expand::keeps_projections;
use crate::solver::factors::FullFactors;
use crate::solver::info::{InitialInfo, RefineInfo};
use crate::solver::line_search::ViewTerms;
use crate::solver::problem::Problem;
use crate::solver::refine::RefineState;
use crate::solver::view_terms::shared_if_complete;
use crate::views::CentredGram;
use gage_linalg::{AnyTall, Real, Tall};

use super::record::{CheckpointHeader, ImputationRound, RefineCheckpoint, StageCheckpoint};

/// A checkpoint of an earlier fit, to go on from.
#[derive(Debug)]
pub struct FitCheckpoint {
    pub(crate) header: CheckpointHeader,
    pub(crate) tall: BTreeMap<String, AnyTall>,
    pub(crate) small: BTreeMap<String, Vec<f64>>,
}

/// What a checkpoint has of the stages.
pub(crate) struct Restored<T> {
    pub(super) basis: Option<BasisState<T>>,
    pub(super) initial: Option<(FullFactors<T>, InitialInfo)>,
    pub(super) sweeps: Option<RefineState<T>>,
    pub(super) refined: Option<RefineInfo>,
}

impl<T> Default for Restored<T> {
    fn default() -> Self {
        Restored { basis: None, initial: None, sweeps: None, refined: None }
    }
}

impl FitCheckpoint {
    /// The stage that is next.
    pub fn stage(&self) -> Stage {
        self.header.stage.stage()
    }

    /// Passes over each view so far.
    pub fn passes(&self) -> usize {
        self.header.passes()
    }

    /// The round of estimates this belongs to; `sizes` are the numbers of missing entries per
    /// block.
    pub(crate) fn round(&mut self, sizes: &[usize]) -> Result<ImputationRound, String> {
        let number = self.header.round;
        if number == 0 {
            return Ok(ImputationRound::default());
        }
        let change = self.header.change.ok_or("does not say how far its estimates had settled")?;
        let estimates = sizes
            .iter()
            .enumerate()
            .map(|(at, &size)| self.take_small(&format!("estimates{at}"), size))
            .collect::<Result<_, String>>()?;
        Ok(ImputationRound { number, change: Some(change), estimates })
    }

    /// Checks every shape against the problem and moves everything to its workspace.
    pub(super) fn restore<T: Real>(
        mut self,
        problem: &Problem<'_>,
        params: &CheckedParams,
    ) -> Result<Restored<T>, String> {
        let views = problem.ops.len();
        if self.header.passes.len() != views {
            return Err(format!("is of {} views, not {views}", self.header.passes.len()));
        }
        if let Some(op) = problem.ops.first() {
            let tall = std::mem::take(&mut self.tall).into_iter();
            self.tall = tall.map(|(name, tall)| (name, tall.moved_to(op.workspace()))).collect();
        }
        let rows = problem.ops.first().map_or(0, CentredGram::local_rows);
        let passes = std::mem::take(&mut self.header.passes);
        let mut restored = Restored::default();
        match self.header.stage.clone() {
            StageCheckpoint::Basis(checkpoint) => {
                let block = self.take_tall("block", rows, None)?;
                restored.basis = Some(BasisState { block, checkpoint, passes });
                return Ok(restored);
            }
            StageCheckpoint::Factors { initial, refine } => {
                restored.initial = Some((self.factors(problem, params, rows)?, initial));
                restored.refined = refine;
            }
            StageCheckpoint::Refine { initial, sweeps } => {
                let factors: FullFactors<T> = self.factors(problem, params, rows)?;
                restored.sweeps = Some(self.sweeps(problem, sweeps, rows, factors.u.cols())?);
                restored.initial = Some((factors, initial));
            }
        }
        problem.ops.iter().zip(&passes).for_each(|(op, &passes)| op.count_from(passes));
        Ok(restored)
    }

    fn sweeps<T: Real>(
        &mut self,
        problem: &Problem<'_>,
        checkpoint: RefineCheckpoint,
        rows: usize,
        f: usize,
    ) -> Result<RefineState<T>, String> {
        let views = problem.ops.len();
        if checkpoint.losses.len() != views || checkpoint.spread.len() != f {
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
        let previous = match checkpoint.new_by_new {
            None => None,
            Some(new_by_new) => Some((
                self.take_tall("gradient", rows, Some(f))?,
                self.take_tall("direction", rows, Some(f))?,
                new_by_new,
            )),
        };
        Ok(RefineState { checkpoint, terms, previous })
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
        let with_projections = keeps_projections(problem, params);
        for (k, op) in problem.ops.iter().enumerate() {
            c.push(self.take_small(&format!("c{k}"), f)?);
            energies.push(self.take_small(&format!("factor_energy{k}"), f)?);
            if with_projections {
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
        numbers.into_tall().ok_or_else(|| format!("has `{name}` in another precision"))
    }

    fn take_small(&mut self, name: &str, length: usize) -> Result<Vec<f64>, String> {
        let values = self.small.remove(name).ok_or_else(|| format!("lacks `{name}`"))?;
        if values.len() != length {
            return Err(format!("has {} numbers in `{name}`, not {length}", values.len()));
        }
        Ok(values)
    }
}
