//! The name of an index file.

use std::path::{Path, PathBuf};

use gage_core::model::Lambda;

use crate::space::Metric;

/// Where the index of a model or an embedding for these shares and this metric is by default:
/// `M.gage.index`, `M.gage.lambda-0.3.index`, `M.gage.distance.index`.
pub fn index_path(rows: &Path, lambda: &Lambda, metric: Metric) -> PathBuf {
    let mut name = rows.file_name().unwrap_or_default().to_os_string();
    match lambda {
        Lambda::Preset => {}
        Lambda::Links(lambda) => name.push(format!(".lambda-{lambda}")),
        Lambda::PerView(shares) => {
            name.push(".shares");
            shares.iter().for_each(|share| name.push(format!("-{share}")));
        }
    }
    if metric == Metric::Distance {
        name.push(".distance");
    }
    name.push(".index");
    rows.with_file_name(name)
}
