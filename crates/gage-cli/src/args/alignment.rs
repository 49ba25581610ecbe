//! Flags that say how rows meet nodes; `docs/joining.md` states the rule.

use clap::{Args, ValueEnum};
use gage_embed::io::{Align, IdSpelling, JoinRule};

/// How rows meet nodes.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct JoinArgs {
    /// How rows meet nodes [default: by id where both sides have ids, by position otherwise; what
    /// can be read both ways is refused]
    #[arg(long, value_enum, help_heading = "Input")]
    pub(crate) align: Option<AlignArg>,
    #[command(flatten)]
    pub(crate) ids: SpellingArgs,
}

/// Which ids are the same.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct SpellingArgs {
    /// Which ids are the same [default: ids that differ only in case or blanks are refused]
    #[arg(long = "ids", value_enum, help_heading = "Input")]
    spelling: Option<SpellingArg>,
}

impl SpellingArgs {
    /// The rule of the readers.
    pub(crate) fn spelling(self) -> IdSpelling {
        match self.spelling {
            None => IdSpelling::Auto,
            Some(SpellingArg::Exact) => IdSpelling::Exact,
            Some(SpellingArg::FoldCase) => IdSpelling::FoldCase,
        }
    }
}

impl JoinArgs {
    /// The rule of the readers.
    pub(crate) fn rule(self) -> JoinRule {
        JoinRule {
            align: match self.align {
                None => Align::Auto,
                Some(AlignArg::Id) => Align::Id,
                Some(AlignArg::Position) => Align::Position,
            },
            spelling: self.ids.spelling(),
        }
    }
}

/// How rows meet nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AlignArg {
    /// by their ids
    Id,
    /// in their order; ids of tables are names only
    Position,
}

/// Which ids are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SpellingArg {
    /// those that are the same letter by letter
    Exact,
    /// those that differ only in case or surrounding blanks, too
    FoldCase,
}
