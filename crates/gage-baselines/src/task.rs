//! One run of a method: its checks at the start, its progress, and the scale of its result.

use std::sync::atomic::{AtomicUsize, Ordering};

use gage_embed::solver::Stage;
use gage_embed::{Graph, Observer, Progress, Tall};
use rayon::prelude::*;

use crate::Error;

/// One run of a method: what was requested, and where it reports.
pub struct Task<'a> {
    /// Name of the method.
    pub method: &'static str,
    /// The graph to embed.
    pub graph: &'a Graph,
    /// Columns of the embedding.
    pub dimension: usize,
    /// Decides everything random.
    pub seed: u64,
    observer: &'a dyn Observer,
    done: AtomicUsize,
    planned: AtomicUsize,
}

impl<'a> Task<'a> {
    /// Checks what every method checks.
    pub(crate) fn new(
        method: &'static str,
        graph: &'a Graph,
        dimension: usize,
        seed: u64,
        observer: &'a dyn Observer,
    ) -> Result<Task<'a>, Error> {
        if graph.nodes().is_empty() {
            return Err(Error::NoNodes);
        }
        if dimension == 0 {
            return Err(Error::Dimension);
        }
        let (done, planned) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Ok(Task { method, graph, dimension, seed, observer, done, planned })
    }

    /// Announces further steps, at most this many.
    pub fn plan(&self, steps: usize) {
        self.planned.fetch_add(steps, Ordering::Relaxed);
    }

    /// Reports one step; an error when the observer wants to stop.
    pub fn step(&self) -> Result<(), Error> {
        self.report(None)
    }

    /// As [`step`](Task::step), after an epoch with this loss relative to that of an embedding of
    /// zeros.
    pub fn step_with_loss(&self, relative_loss: f64) -> Result<(), Error> {
        self.report(Some(relative_loss))
    }

    fn report(&self, relative_loss: Option<f64>) -> Result<(), Error> {
        let passes = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        self.observer.progress(&Progress {
            stage: Stage::OtherMethod,
            passes,
            planned_passes: self.planned.load(Ordering::Relaxed).max(passes),
            relative_loss,
        });
        if self.observer.cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }

    /// The first `dimension` columns, padded with zeros, times the number that makes the mean
    /// squared entry 1.
    pub(crate) fn finish(&self, raw: &Tall<f64>) -> Result<Tall<f32>, Error> {
        let columns = raw.cols().min(self.dimension);
        let largest = raw
            .data()
            .iter()
            .fold(0.0f64, |top, x| if x.is_finite() { top.max(x.abs()) } else { f64::INFINITY });
        if !largest.is_finite() {
            return Err(Error::NotFinite { method: self.method });
        }
        // Divided by the largest entry first: squares of tiny numbers would vanish.
        let squares: Vec<f64> = raw
            .data()
            .par_chunks(raw.cols().max(1))
            .map(|row| row[..columns].iter().map(|x| (x / largest).powi(2)).sum())
            .collect();
        let mean = squares.iter().sum::<f64>() / (raw.rows() * self.dimension) as f64;
        if largest == 0.0 || mean == 0.0 {
            return Err(Error::NothingToEmbed { method: self.method });
        }
        let root = mean.sqrt();
        Ok(Tall::from_rows(raw.rows(), self.dimension, |row, out: &mut [f32]| {
            for (out, x) in out.iter_mut().zip(raw.row(row)) {
                *out = (x / largest / root) as f32;
            }
        }))
    }
}
