//! Errors of a fit.

use thiserror::Error;

use crate::graph::GraphError;
use crate::hint::{Artifact, Hint};
use crate::progress::Stage;
use crate::views::ViewError;
use gage_linalg::SparseError;
use gage_linalg::memory::{OutOfMemory, catch};

/// Why a fit, a fold-in or an embedding could not be made.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The views could not be built.
    #[error(transparent)]
    View(#[from] ViewError),
    /// Nodes and blocks do not fit together.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// A matrix could not be built.
    #[error(transparent)]
    Sparse(#[from] SparseError),
    /// Too few nodes for distances.
    #[error("an embedding needs at least {least} nodes, found {found}")]
    TooFewNodes {
        /// the least number
        least: usize,
        /// what was given
        found: usize,
    },
    /// More columns than nodes.
    #[error(
        "dimension {found} is out of range: it must be at least 1 and at most {most}, \
         the number of nodes"
    )]
    Dimension {
        /// the largest possible
        most: usize,
        /// what was requested
        found: usize,
    },
    /// Every view is zero after centring: all nodes look alike.
    #[error(
        "every view is zero after centring: in none of the {views} views do any two nodes differ"
    )]
    NothingToEmbed {
        /// number of views
        views: usize,
    },
    /// A parameter out of its range.
    #[error("parameter `{name}` is {value}, but must be {bound}")]
    Parameter {
        /// its name
        name: &'static str,
        /// what was given
        value: String,
        /// what is allowed
        bound: &'static str,
    },
    /// Numbers that should be as many as the views.
    #[error("{found} {what} given for {views} views ({names})")]
    PerView {
        /// weights or shares
        what: &'static str,
        /// how many were given
        found: usize,
        /// how many are needed
        views: usize,
        /// names of the views
        names: String,
    },
    /// Shares that are negative, not finite, or all zero.
    #[error("shares must be finite, not negative, and not all zero, but are {found:?}")]
    Shares {
        /// what was given
        found: Vec<f64>,
    },
    /// Lambda gives a share to an end that has no view.
    #[error(
        "lambda {lambda} gives {share} of the embedding to views {end}, but none does: \
         the views are {views}"
    )]
    EmptyEnd {
        /// what was given
        lambda: f64,
        /// what the empty end would get
        share: f64,
        /// with or without links
        end: &'static str,
        /// what views there are
        views: String,
        /// the only value that gives it none
        possible: u8,
    },
    /// No block of the only kind that a fit may see.
    #[error("only {only} were requested, but the graph has none (it has: {present})")]
    NothingLeft {
        /// what was to be left
        only: &'static str,
        /// blocks there are
        present: String,
    },
    /// A preset of that name does not exist.
    #[error("there is no preset `{name}`")]
    UnknownPreset {
        /// what was requested
        name: String,
        /// what there is
        known: String,
    },
    /// The observer stopped the run.
    #[error("cancelled during stage {stage:?}")]
    Cancelled {
        /// what was being done
        stage: Stage,
    },
    /// A computation left the range of numbers.
    #[error("{stage:?} produced a number that is not finite")]
    NotFinite {
        /// what was being done
        stage: Stage,
    },
    /// New nodes do not fit the fitted model.
    #[error("new nodes: {reason}")]
    NewNodes {
        /// what does not fit, and what would
        reason: String,
    },
    /// Something that needs all rows in one process.
    #[error("{what} is not possible over several workers")]
    Workers {
        /// what needs all rows
        what: String,
    },
    /// A checkpoint that cannot be resumed.
    #[error("the kept state of a fit {reason}")]
    State {
        /// what is wrong with it
        reason: String,
    },
    /// A block beyond the limit of memory could not be kept in a file.
    #[error(
        "the limit of memory could not be kept, because a file for what is beyond it \
         could not be made: {reason}"
    )]
    MemoryLimit {
        /// message of the system
        reason: String,
    },
    /// Memory ran out.
    #[error("out of memory in stage {stage:?}: {bytes} bytes could not be allocated")]
    OutOfMemory {
        /// what was being done
        stage: Stage,
        /// size of the block that was not to be had
        bytes: usize,
    },
    /// More threads than make sense; they would take longer to start than the work.
    #[error(
        "{found} threads are out of range: there must be at least 1 and at most {most}, \
         four times the processors"
    )]
    Threads {
        /// the largest number
        most: usize,
        /// what was requested
        found: usize,
    },
    /// The model was fitted without the tables that new nodes need.
    #[error("this model holds no loadings, so it cannot take new nodes")]
    NoLoadings,
}

impl Error {
    /// Runs work of a stage; a block that cannot be allocated is an error. The stage is determined
    /// after it, where the work itself goes through several.
    pub(crate) fn catch_memory<R>(
        stage: impl FnOnce() -> Stage,
        work: impl FnOnce() -> Result<R, Error>,
    ) -> Result<R, Error> {
        let lacking = |lack: OutOfMemory| Error::OutOfMemory { stage: stage(), bytes: lack.bytes };
        catch(work).map_err(lacking)?
    }

    /// What to do about it, if anything is known.
    pub fn hint(&self) -> Option<Hint> {
        match self {
            Error::View(error) => error.hint(),
            Error::Graph(error) => error.hint(),
            Error::TooFewNodes { .. } => Some(Hint::CheckData),
            Error::Dimension { most, .. } => Some(Hint::FewerColumns { most: *most }),
            Error::NothingToEmbed { .. } => {
                Some("check the data: are all rows equal, or all of them empty?".into())
            }
            Error::PerView { .. } => Some("give one for each".into()),
            Error::Shares { .. } => Some(Hint::Shares),
            Error::EmptyEnd { possible, .. } => Some(Hint::OtherEnd { lambda: *possible }),
            Error::NothingLeft { .. } => Some(Hint::CheckData),
            Error::UnknownPreset { known, .. } => Some(Hint::OneOf(known.clone())),
            Error::NotFinite { .. } => Some(Hint::Rescale),
            Error::NewNodes { .. } => Some(Hint::FittedData),
            Error::MemoryLimit { .. } => {
                Some("make room for temporary files, or allow more memory".into())
            }
            Error::OutOfMemory { .. } => Some(Hint::LessMemory),
            Error::NoLoadings => Some(Hint::Rebuild(Artifact::ModelWithLoadings)),
            Error::Workers { .. } => Some("fit in one process, or give views by hand".into()),
            Error::Sparse(_)
            | Error::Parameter { .. }
            | Error::Threads { .. }
            | Error::Cancelled { .. }
            | Error::State { .. } => None,
        }
    }
}
