//! The parts of a data set as they were read, before alignment.

use gage_core::graph::{ATTRIBUTES, LINKS, Nodes};

use crate::contents::{AttributeTable, LinkTable};
use crate::dataset::join_rule::{Align, IdSpelling};
use crate::dataset::spelling::{IdPart, Ids, settle};
use crate::error::{Origin, ReadError};
use crate::labels::LabelTable;
use crate::reading::Reading;

/// A part of a data set and where it is from.
pub(crate) struct Part<T> {
    pub(crate) name: String,
    pub(crate) origin: Origin,
    pub(crate) value: T,
}

/// What the links of one relation are called beside all links of their file: by the relation, if it
/// is the main file.
pub fn relation_block(links: &str, relation: &str) -> String {
    match (links, relation) {
        (LINKS, LINKS | ATTRIBUTES) => format!("{LINKS}:{relation}"),
        (LINKS, _) => relation.to_owned(),
        _ => format!("{links}:{relation}"),
    }
}

/// Everything that was read, not yet put together.
#[derive(Default)]
pub(crate) struct Parts {
    pub(crate) nodes: Option<Part<Nodes>>,
    pub(crate) links: Vec<Part<LinkTable>>,
    pub(crate) attributes: Vec<Part<AttributeTable>>,
    pub(crate) labels: Option<Part<LabelTable>>,
    pub(crate) class_names: Option<Vec<String>>,
    pub(crate) info: Vec<String>,
    pub(crate) warnings: Vec<String>,
}

impl Parts {
    /// What was taken as what in the tables among them.
    pub(crate) fn readings(&self) -> Vec<Reading> {
        let links = self.links.iter().filter_map(|part| part.value.reading.as_ref());
        let tables = self.attributes.iter().filter_map(|part| part.value.reading.as_ref());
        let labels = self.labels.iter().filter_map(|part| part.value.reading.as_ref());
        links.chain(tables).chain(labels).cloned().collect()
    }

    /// Refuses ids of which spellings differ, or gives them one spelling, as the caller says.
    pub(crate) fn settle_ids(&mut self, spelling: IdSpelling) -> Result<(), ReadError> {
        let nodes = self.nodes.iter_mut();
        let mut all: Vec<IdPart<'_>> =
            nodes.map(|part| IdPart::new(&part.origin, Ids::Rows(&mut part.value))).collect();
        all.extend(self.attributes.iter_mut().filter_map(|part| {
            Some(IdPart::new(&part.origin, Ids::Rows(part.value.ids.as_mut()?)))
        }));
        let links = self.links.iter_mut();
        all.extend(links.map(|part| IdPart::new(&part.origin, Ids::Ends(&mut part.value))));
        all.extend(self.labels.iter_mut().filter_map(|part| {
            Some(IdPart::new(&part.origin, Ids::List(part.value.ids.as_mut()?)))
        }));
        let note = settle(&mut all, spelling)?;
        self.info.extend(note);
        Ok(())
    }

    /// Gives each relation of a list of links a part of its own, beside that of all its links.
    pub(crate) fn split_relations(&mut self) {
        let mut all = Vec::with_capacity(self.links.len());
        for mut part in std::mem::take(&mut self.links) {
            let relations = std::mem::take(&mut part.value.relations);
            let (ids, semantics) = (part.value.ids.clone(), part.value.semantics);
            let (name, origin) = (part.name.clone(), part.origin.clone());
            all.push(part);
            for (relation, links) in relations {
                let value = LinkTable::new(ids.clone(), links, semantics);
                let name = relation_block(&name, &relation);
                all.push(Part { name, origin: origin.clone(), value });
            }
        }
        self.links = all;
    }

    /// Where rows are joined by position, the ids of tables and labels say nothing about that;
    /// those of the first table name the nodes.
    pub(crate) fn forget_ids(&mut self, align: Align) {
        if align != Align::Position {
            return;
        }
        for part in &mut self.attributes {
            let Some(value) = part.value.ids.take() else { continue };
            let (name, origin) = ("nodes".to_owned(), part.origin.clone());
            self.nodes.get_or_insert(Part { name, origin, value });
        }
        if let Some(part) = &mut self.labels {
            part.value.ids = None;
        }
    }
}
