//! Why a drawing could not be made.

/// Why a drawing could not be made. All of them come from encoders that write to memory.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlotError {
    /// The compressor of PNG failed.
    #[error(transparent)]
    Compress(#[from] std::io::Error),
    /// Text could not be formatted.
    #[error(transparent)]
    Format(#[from] std::fmt::Error),
    /// The data of a page could not be written as JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}
