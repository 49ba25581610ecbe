//! One run of a method: its checks at the start, its progress, and the scale of its result.

use std::sync::atomic::{AtomicUsize, Ordering};

use gage_embed::{Graph, Observer, Progress, Stage, Tall};
use rayon::prelude::*;

use crate::Error;

/// What a run was asked for.
pub(crate) struct Task<'a> {
    pub(crate) method: &'static str,
    pub(crate) graph: &'a Graph,
    pub(crate) dimension: usize,
    pub(crate) seed: u64,
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
    pub(crate) fn plan(&self, steps: usize) {
        self.planned.fetch_add(steps, Ordering::Relaxed);
    }

    /// Reports one step; an error when the observer wants to stop.
    pub(crate) fn tick(&self) -> Result<(), Error> {
        let passes = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        self.observer.progress(&Progress {
            stage: Stage::OtherMethod,
            passes,
            planned_passes: self.planned.load(Ordering::Relaxed).max(passes),
            relative_loss: None,
        });
        if self.observer.cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }

    /// The first `dimension` columns, padded with zeros, times the number that makes the mean squared entry 1.
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

/// Tables side by side, one row per node.
pub(crate) fn beside(parts: &[&Tall<f64>]) -> Tall<f64> {
    let rows = parts.first().map_or(0, |part| part.rows());
    let cols = parts.iter().map(|part| part.cols()).sum();
    Tall::from_rows(rows, cols, |row, out: &mut [f64]| {
        let mut rest = out;
        for part in parts {
            let (head, tail) = rest.split_at_mut(part.cols());
            head.copy_from_slice(part.row(row));
            rest = tail;
        }
    })
}

/// The same table with every column multiplied by a number.
pub(crate) fn times_columns(table: &Tall<f64>, factors: &[f64]) -> Tall<f64> {
    Tall::from_rows(table.rows(), table.cols(), |row, out: &mut [f64]| {
        for ((out, x), factor) in out.iter_mut().zip(table.row(row)).zip(factors) {
            *out = x * factor;
        }
    })
}

/// Divides every row by its length; rows of zeros stay.
pub(crate) fn normalise_rows(table: &mut Tall<f64>) {
    table.par_update_rows(|_, row| {
        let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > 0.0 {
            row.iter_mut().for_each(|x| *x /= length);
        }
    });
}
