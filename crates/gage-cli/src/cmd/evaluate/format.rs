//! How the tables of evaluations show numbers.

use gage_embed::eval::Spread;

/// A mean and its standard deviation, as every table shows them.
pub(super) fn spread(value: &Spread) -> String {
    format!("{:.4} ± {:.4}", value.mean, value.deviation)
}

/// A share in percent.
pub(super) fn percent(share: f64) -> String {
    format!("{}%", (share * 1e4).round() / 1e2)
}

/// A row of a table.
pub(super) fn row<S: ToString>(cells: impl IntoIterator<Item = S>) -> Vec<String> {
    cells.into_iter().map(|cell| cell.to_string()).collect()
}
