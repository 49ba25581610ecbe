//! A fit on one part of a graph.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::graph::{Block, BlockKind, Graph};

/// The only part of a graph that a fit may see: the views, their weights and what a preset measures
/// come from it alone. A share of zero is weaker, since all views have part in the common factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Only {
    /// Blocks of links.
    Links,
    /// Blocks of attributes.
    Attributes,
}

impl Only {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Only::Links => "links",
            Only::Attributes => "attributes",
        }
    }

    fn keeps(self, block: &Block) -> bool {
        matches!(block.kind, BlockKind::Links { .. }) == (self == Only::Links)
    }
}

/// The part of a graph that a fit may see.
pub(crate) fn visible(graph: &Graph, only: Option<Only>) -> Result<Cow<'_, Graph>, Error> {
    let Some(only) = only else { return Ok(Cow::Borrowed(graph)) };
    let part = graph.with_blocks_of(|block| only.keeps(block));
    if part.blocks().is_empty() {
        let present: Vec<&str> = graph.blocks().iter().map(|block| block.name.as_str()).collect();
        return Err(Error::NothingLeft { only: only.name(), present: present.join(", ") });
    }
    Ok(Cow::Owned(part))
}
