//! The table of the data sets.

use crate::cmd::reproduce::report::published::Published;
use crate::cmd::reproduce::report::setting::PAPER;
use crate::cmd::reproduce::report::table::{Cell, Row, Source, Style, Table, column_names};
use crate::cmd::reproduce::report::unit::{Finished, Outcome, Task};

pub(super) fn data(published: &Published, units: &[Finished]) -> Option<Table> {
    let mut rows = Vec::new();
    for paper in PAPER {
        let found = Finished::find(units, Task::Data, paper.folder, "", None);
        let Some(Outcome::Data(facts)) = found.map(|found| &found.outcome) else { continue };
        let count = |value: usize| Some(Cell::of(value as f64));
        if let Some(theirs) = published.data.iter().find(|data| data.dataset == paper.name) {
            rows.push(Row {
                name: format!("{}, the paper", paper.name),
                source: Source::Published,
                cells: vec![
                    count(theirs.nodes),
                    count(theirs.links),
                    None,
                    count(theirs.attributes),
                    count(theirs.classes),
                    None,
                ],
            });
        }
        rows.push(Row {
            name: format!("{}, the files", paper.name),
            source: Source::Ours,
            cells: vec![
                count(facts.nodes),
                count(facts.links),
                count(facts.pairs),
                count(facts.attributes),
                count(facts.classes),
                count(facts.filled_classes),
            ],
        });
    }
    let names = ["nodes", "links", "linked pairs", "attributes", "classes", "classes with members"];
    (!rows.is_empty()).then(|| Table {
        id: "data".to_owned(),
        title: "Data sets (Table 2)".to_owned(),
        note: "Links are stored entries of the adjacency, so an undirected link counts twice, in \
               the paper's table as well; \
               of BlogCatalog the paper counts every edge four times. Two of the 19 classes of \
               Wikipedia have no member."
            .to_owned(),
        style: Style::Counts,
        absent: "–",
        columns: column_names(names),
        rows,
    })
}
