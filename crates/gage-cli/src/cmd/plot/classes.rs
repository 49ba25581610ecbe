//! What a map is coloured by, in the order of its nodes: classes, or numbers.

use std::path::Path;

use gage_embed::{Labels, Nodes};
use gage_plot::{DISTINCT_CLASSES, values};

use crate::args::evaluate::LabelArgs;
use crate::args::{JoinArgs, LabelKind};
use crate::errors::Failure;
use crate::labels;
use crate::session::Session;

/// What the nodes are coloured by.
pub(super) enum Colouring {
    Nothing,
    Classes(Labels),
    Numbers(Vec<Option<f64>>),
}

impl Colouring {
    /// Takes labels as classes or as numbers: as the option says, else as they look, which is said.
    pub(super) fn of(
        labels: Labels,
        kind: Option<LabelKind>,
        session: &Session,
    ) -> Result<Colouring, Failure> {
        let numbers = values::numbers(&labels).filter(|_| kind != Some(LabelKind::Category));
        match numbers {
            Some(numbers) if kind.is_some() || values::are_a_scale(&numbers) => {
                if kind.is_none() {
                    let text = "the labels are taken as numbers and coloured by ranges; \
                         --label-kind category makes each a class";
                    session.out.notes(&[text.to_owned()]);
                }
                return Ok(Colouring::Numbers(numbers));
            }
            None if kind == Some(LabelKind::Number) => {
                let message = "--label-kind number: some labels are no numbers";
                return Err(Failure::misfit(message).help("use --label-kind category"));
            }
            _ => {}
        }
        let classes = (0..labels.len()).filter_map(|node| labels.of(node).first());
        let classes = classes.collect::<std::collections::HashSet<_>>().len();
        if classes > DISTINCT_CLASSES {
            let text = format!("{classes} classes, of which {DISTINCT_CLASSES} look different");
            session.out.warnings(&[text]);
        }
        Ok(Colouring::Classes(labels))
    }

    /// The word for it.
    pub(super) fn name(&self) -> Option<&'static str> {
        match self {
            Colouring::Nothing => None,
            Colouring::Classes(_) => Some("classes"),
            Colouring::Numbers(_) => Some("numbers"),
        }
    }
}

/// Reads classes from a file of labels, or from a data set that has them. Labels of nodes that the
/// model does not have are left out.
pub(super) fn read(
    path: &Path,
    label_column: Option<&str>,
    nodes: &Nodes,
    rule: JoinArgs,
    session: &Session,
) -> anyhow::Result<Labels> {
    let label_column = label_column.map(str::to_owned);
    let join = LabelArgs { ignore_unknown: true, label_column, rule };
    let labels = labels::read(path, nodes, &join, session)?;
    Ok(if path.is_dir() { labels } else { named(labels, path) })
}

/// Names of numbered classes from a `meta.json` beside the labels, as data set folders have it.
fn named(labels: Labels, path: &Path) -> Labels {
    let text = std::fs::read_to_string(path.with_file_name("meta.json")).ok();
    let meta = text.and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
    let names: Vec<String> = meta
        .as_ref()
        .and_then(|meta| meta.get("class_names")?.as_array())
        .map(|list| list.iter().filter_map(|name| Some(name.as_str()?.to_owned())).collect())
        .unwrap_or_default();
    let numbered =
        labels.class_names().iter().enumerate().all(|(at, name)| *name == at.to_string());
    if numbered && names.len() >= labels.class_names().len() {
        labels.rename(&names)
    } else {
        labels
    }
}
