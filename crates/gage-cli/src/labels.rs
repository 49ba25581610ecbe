//! Reads the classes of the nodes of an embedding.

use std::path::Path;

use gage_embed::io::{
    AlignedLabels, DatasetSpec, LabelTable, Origin, align_labels, exists, load, read_labels_with,
};
use gage_embed::{Labels, Nodes};

use crate::args::evaluate::LabelArgs;
use crate::args::missing;
use crate::errors::{self, Failure};
use crate::session::Session;

/// Reads labels and joins them with the nodes by the rule for data sets.
pub(crate) fn read(
    path: &Path,
    nodes: &Nodes,
    join: &LabelArgs,
    session: &Session,
) -> anyhow::Result<Labels> {
    if !exists(path) {
        return Err(missing(path).into());
    }
    let table = read_table(path, join, session)?;
    let rows = table.labels.len();
    let to = Origin::Memory("the embedding".to_owned());
    let AlignedLabels { labels, unknown, info } =
        align_labels(nodes, to, table, path, join.rule.rule())?;
    let mut notes: Vec<String> = info.iter().map(errors::remark).collect();
    if let Some((count, first)) = unknown {
        let text = format!(
            "{}: {count} of {rows} labels are for nodes that the embedding does not have, the \
             first for `{first}`",
            path.display()
        );
        if !join.ignore_unknown {
            let example = nodes.id(0);
            let help = format!(
                "ids of the embedding look like `{example}` and must match exactly; \
                 --ignore-unknown leaves the others out"
            );
            return Err(Failure::misfit(text).help(help).into());
        }
        notes.push(format!("{text}; they are left out"));
    }
    let without = (0..labels.len()).filter(|&node| labels.of(node).is_empty()).count();
    if without > 0 {
        notes.push(format!("{without} of {} nodes of the embedding have no label", labels.len()));
    }
    session.out.notes(&notes);
    Ok(labels)
}

fn read_table(path: &Path, join: &LabelArgs, session: &Session) -> anyhow::Result<LabelTable> {
    let mat = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("mat"));
    if !path.is_dir() && !mat {
        let table = read_labels_with(path, &join.options())?;
        session.out.readings(table.reading.as_slice());
        return Ok(table);
    }
    let (reading, rule) = (join.options(), join.rule.rule());
    let graph = load(&DatasetSpec { reading, join: rule, ..DatasetSpec::at(path) })?.graph;
    let Some(labels) = graph.labels() else {
        let message = format!("{}: found no labels, expected a data set with some", path.display());
        return Err(Failure::misfit(message).help("name the file of labels itself").into());
    };
    let ids = graph.nodes().is_named().then(|| graph.nodes().ids().collect());
    Ok(LabelTable { ids, labels: labels.clone(), reading: None })
}
