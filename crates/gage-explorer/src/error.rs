//! Why a model cannot be explored.

use gage_embed::Hint;

/// Why a model cannot be explored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExplorerError {
    /// The port is taken, or loopback cannot be used.
    #[error("port {port} of this machine: cannot listen: {source}")]
    Listen {
        /// the port, 0 for any
        port: u16,
        /// why
        source: std::io::Error,
    },
    /// The system has no random numbers to make a token of.
    #[error("the system gives no random numbers: {0}")]
    Random(String),
    /// The data do not have the nodes of the model.
    #[error("the data have {found} of the {expected} nodes of the model")]
    OtherNodes {
        /// nodes of the model that the data have
        found: usize,
        /// nodes of the model
        expected: usize,
    },
    /// There are more nodes than the page can number.
    #[error("the model has {nodes} nodes, but this shows at most {most}")]
    TooManyNodes {
        /// nodes of the model
        nodes: usize,
        /// the largest number
        most: usize,
    },
    /// The data of a page cannot be written as JSON.
    #[error("the data of the page cannot be written as JSON")]
    Page,
    /// The model cannot be evaluated.
    #[error(transparent)]
    Model(#[from] gage_embed::Error),
    /// A thread could not be started.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}

impl ExplorerError {
    /// What to do about it, if anything is known.
    pub fn hint(&self) -> Option<Hint> {
        match self {
            ExplorerError::Listen { .. } => Some("choose another port, or none".into()),
            ExplorerError::OtherNodes { .. } => Some(Hint::FittedData),
            ExplorerError::Model(error) => error.hint(),
            _ => None,
        }
    }
}
