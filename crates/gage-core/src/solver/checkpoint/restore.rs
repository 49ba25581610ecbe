//! Kept states, made ready for the solver again.

use std::collections::BTreeMap;

use faer::Mat;

use crate::params::CheckedParams;
use crate::progress::Stage;
use crate::views::CentredGram;
use gage_linalg::{AnyTall, Real, Tall};

use super::record::{Point, Round, StateHeader};
use crate::solver::basis::BasisSoFar;
use crate::solver::factors::FullFactors;
use crate::solver::incomplete_rows::keeps_projections;
use crate::solver::info::{RefineInfo, StartInfo};
use crate::solver::line_search::ViewTerms;
use crate::solver::problem::Problem;
use crate::solver::refine::{RefineSoFar, shared_if_complete};

/// A state that was kept, to go on from.
#[derive(Debug)]
pub struct FitState {
    pub(crate) header: StateHeader,
    pub(crate) tall: BTreeMap<String, AnyTall>,
    pub(crate) small: BTreeMap<String, Vec<f64>>,
}

/// A state made ready for the solver.
#[allow(clippy::large_enum_variant, reason = "one value per fit, moved once")]
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

    /// Checks every shape against the problem and moves everything to its workspace.
    pub(crate) fn restore<T: Real>(
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
