//! What others published for a protocol: accuracies in percent, with their sources.

use gage_embed::eval::Protocol;
use serde::{Deserialize, Serialize};

/// Accuracies of one method.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Published {
    #[serde(skip_serializing)]
    protocol: Protocol,
    /// The method.
    pub(super) method: String,
    pub(super) cora: f64,
    pub(super) citeseer: f64,
    pub(super) pubmed: f64,
    /// Where the numbers are printed.
    pub(super) source: String,
}

/// The published accuracies for a protocol, in the order of publication.
pub(super) fn published(protocol: Protocol) -> Vec<Published> {
    // Compiled in and read by a test, so the default is never taken.
    let all: Vec<Published> =
        serde_json::from_str(include_str!("published.json")).unwrap_or_default();
    all.into_iter().filter(|found| found.protocol == protocol).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_percentages_with_a_source() {
        let found = published(Protocol::Planetoid);
        assert!(found.len() >= 6);
        for row in &found {
            let numbers = [row.cora, row.citeseer, row.pubmed];
            assert!(numbers.iter().all(|x| (50.0..100.0).contains(x)), "{}", row.method);
            assert!(row.source.contains("20"), "{} has no source with a year", row.method);
        }
    }
}
