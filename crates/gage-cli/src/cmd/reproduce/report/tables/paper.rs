//! All tables of the paper, in its order.

use crate::cmd::reproduce::report::published::Published;
use crate::cmd::reproduce::report::setting::{PAPER, Setting};
use crate::cmd::reproduce::report::table::Table;
use crate::cmd::reproduce::report::unit::Finished;

use super::classify::classify;
use super::data::data;
use super::links::links;
use super::time::time;

/// All tables for which there is an outcome.
pub(in crate::cmd::reproduce::report) fn paper_tables(
    published: &Published,
    setting: &Setting,
    units: &[Finished],
) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    tables.extend(data(published, units));
    for paper in PAPER {
        let dims = paper.dims.into_iter();
        tables.extend(dims.filter_map(|dim| classify(published, setting, units, paper, dim)));
    }
    tables.extend(links(published, setting, units));
    tables.extend(time(published, setting, units));
    tables
}
