//! Errors as text, with what to do about them, and who says so.

use std::fmt::Write;

use gage_core::Error as FitError;
use gage_io::ReadError;

/// An error with its remedy; of a rank on its host, if there are several.
pub fn text(error: &anyhow::Error, origin: Option<&str>) -> String {
    let mut text = match origin {
        Some(origin) => format!("error: {origin}: {error:#}"),
        None => format!("error: {error:#}"),
    };
    let hint = match (error.downcast_ref::<FitError>(), error.downcast_ref::<ReadError>()) {
        (Some(error), _) => error.hint().map(|hint| hint.to_string()),
        (_, Some(error)) => Some(error.hint().to_string()),
        _ => None,
    };
    if let Some(hint) = hint {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n  help: {hint}");
    }
    text
}
