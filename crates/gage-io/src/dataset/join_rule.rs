//! What a caller says about how rows meet nodes; `docs/joining.md` states the rule.

use std::str::FromStr;

use gage_core::Hint;

use crate::error::ReadError;

/// How rows with ids meet nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Align {
    /// By the rule; what can be read both ways is refused.
    #[default]
    Auto,
    /// By their ids; rows without ids are positions, and ids are never taken for row numbers or for
    /// names of rows in order.
    Id,
    /// In their order; the ids of tables are names only.
    Position,
}

/// When two spellings of an id are one node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IdSpelling {
    /// Ids that differ only in case or surrounding blanks are refused, unless a table or a list of
    /// nodes has a row for each.
    #[default]
    Auto,
    /// Ids are the same only letter by letter.
    Exact,
    /// Case and surrounding blanks do not count; the spelling that comes first is kept.
    FoldCase,
}

/// What a caller says about how rows meet nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JoinRule {
    /// Ids or positions.
    pub align: Align,
    /// Which ids are the same.
    pub spelling: IdSpelling,
}

/// Finds a value by its name.
fn named<T: Copy>(what: &str, text: &str, known: &[(&str, T)]) -> Result<T, ReadError> {
    let found = known.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
    found.ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let origin = crate::error::Origin::Memory(what.to_owned());
        let (found, known) = (format!("`{text}`"), names.join(" or "));
        ReadError::wrong_kind(origin, found, known.clone(), Hint::OneOf(known))
    })
}

impl FromStr for Align {
    type Err = ReadError;

    fn from_str(text: &str) -> Result<Align, ReadError> {
        named("align", text, &[("id", Align::Id), ("position", Align::Position)])
    }
}

impl FromStr for IdSpelling {
    type Err = ReadError;

    fn from_str(text: &str) -> Result<IdSpelling, ReadError> {
        let known = [("exact", IdSpelling::Exact), ("fold-case", IdSpelling::FoldCase)];
        named("ids", text, &known)
    }
}
