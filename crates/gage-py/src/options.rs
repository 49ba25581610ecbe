//! Options of a fit, as Python gives them: a [`FitRequest`] in JSON.

use gage_embed::io::{ColumnOptions, IdColumn};
use gage_embed::{CheckedParams, Error, FitParams, FitRequest, Graph, Lambda, Model};

use crate::errors::BindingError;

/// The parameters that options mean for a graph.
pub(crate) fn fit_params(options: &str, graph: &Graph) -> Result<FitParams, BindingError> {
    let request: FitRequest = serde_json::from_str(options)?;
    Ok(request.params(graph.nodes().len())?)
}

/// The same, checked.
pub(crate) fn checked_params(options: &str, graph: &Graph) -> Result<CheckedParams, BindingError> {
    Ok(fit_params(options, graph)?.check()?)
}

/// What is said about the columns of tables and edge lists, in JSON; and the column of ids.
pub(crate) fn column_options(
    said: Option<&str>,
    ids: IdColumn,
) -> Result<ColumnOptions, BindingError> {
    let mut options: ColumnOptions =
        said.map_or(Ok(ColumnOptions::default()), serde_json::from_str)?;
    options.ids = ids;
    Ok(options)
}

/// Shares of the views: one number for those that use links, or one for each view, or the model's
/// own.
pub(crate) fn lambda(lam: Option<f64>, shares: Option<Vec<f64>>) -> Lambda {
    match (lam, shares) {
        (_, Some(shares)) => Lambda::PerView(shares),
        (Some(lam), None) => Lambda::Links(lam),
        (None, None) => Lambda::Preset,
    }
}

/// The same for a fitted model. What the library refuses as a share for an end without views is a
/// warning in Python, as long as the other end has a share: one estimator then serves tables with
/// and without links.
pub(crate) fn lambda_of(
    model: &Model,
    lam: Option<f64>,
    shares: Option<Vec<f64>>,
) -> (Lambda, Option<Error>) {
    let wanted = lambda(lam, shares);
    let Lambda::Links(value) = wanted else { return (wanted, None) };
    match model.lambda_ends().check(value) {
        Err(error @ Error::EmptyEnd { possible, .. }) if value > 0.0 && value < 1.0 => {
            (Lambda::Links(f64::from(possible)), Some(error))
        }
        _ => (wanted, None),
    }
}
