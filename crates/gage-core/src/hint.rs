//! Remedies for errors, as values that each front end renders in its own terms.

use std::borrow::Cow;
use std::fmt;

/// A remedy. `Display` renders it in the terms of the library; the command and Python name their
/// own options where they have them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hint {
    /// A remedy that names no option of any front end.
    Text(Cow<'static, str>),
    /// The path is wrong.
    CheckPath,
    /// The path is wrong, or may not be read or written.
    CheckAccess,
    /// The data are probably not the ones that were meant.
    CheckData,
    /// The labels are probably not the ones that were meant.
    CheckLabels,
    /// The data must be those the model was fitted to.
    FittedData,
    /// A name must be one of these.
    OneOf(String),
    /// Requests at most so many columns.
    FewerColumns {
        /// the largest dimension
        most: usize,
    },
    /// Give one share per view, none of them negative.
    Shares,
    /// Lambda can only give everything to one end, since the other has no view.
    OtherEnd {
        /// the only possible value, 0 or 1
        lambda: u8,
    },
    /// Give the number of clusters, or labels.
    ClusterCount,
    /// Give links, and name their relation.
    ChooseLinks,
    /// Say whether and how links have a direction.
    Direction,
    /// Say whether rows are joined by id or by position.
    Align,
    /// Say whether ids that differ only in case or surrounding blanks are the same.
    IdSpelling,
    /// Say which column holds the ids, or that rows are in the order of the nodes.
    IdColumn,
    /// Say what the cells of this column are.
    ColumnKind {
        /// the column
        column: String,
        /// the kinds that are plausible
        kinds: &'static str,
    },
    /// This column may be what nodes are to be classified by: leave it out, or say that it holds
    /// the labels, or that it is an attribute.
    PossibleLabel(String),
    /// Say which columns hold the two ends of links.
    LinkEnds,
    /// Say whether the first row names the columns.
    Header,
    /// Say which column holds the labels.
    LabelColumn,
    /// Say that this column holds the weights, if it does.
    WeightColumn(String),
    /// Leave the column of relations out.
    LeaveRelationsOut,
    /// Say after how many days a link weighs half as much.
    HalfLife,
    /// Say whether a text is links or a table.
    GraphOrTable,
    /// A function of Python reads the file, and the Python package takes the result.
    ThroughPython(&'static str),
    /// Take less memory: a limit beyond which blocks go to files, or fewer columns.
    LessMemory,
    /// The scale of the input leaves the range of numbers.
    Rescale,
    /// The rows leave the range of an index; an exact search takes them.
    ExactSearch,
    /// The library was built without the reader of this format.
    Feature(&'static str),
    /// A file of this kind was expected.
    Expect(Artifact),
    /// An embedding was expected; a model must be turned into one first.
    EmbedModel,
    /// Make this file again.
    Rebuild(Artifact),
}

/// A kind of file that this project writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Artifact {
    /// A fitted model.
    Model,
    /// A model that keeps what new nodes need.
    ModelWithLoadings,
    /// An index of nearest nodes.
    Index,
    /// An embedding, in any format.
    Embedding,
    /// A sparse matrix in the format of this project.
    Csr,
}

impl fmt::Display for Artifact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Artifact::Model => "a model file",
            Artifact::ModelWithLoadings => "a model with loadings",
            Artifact::Index => "an index",
            Artifact::Embedding => "a whole file of an embedding",
            Artifact::Csr => "a matrix file",
        })
    }
}

impl Hint {
    /// The remedy for a file that a newer version wrote.
    pub const UPDATE: Hint = Hint::Text(Cow::Borrowed("update the program"));
}

impl From<&'static str> for Hint {
    fn from(text: &'static str) -> Hint {
        Hint::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Hint {
    fn from(text: String) -> Hint {
        Hint::Text(Cow::Owned(text))
    }
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Hint::Text(text) => text,
            Hint::CheckPath => "check the path and the working directory",
            Hint::CheckAccess => "check the path and its permissions",
            Hint::CheckData => "check that the right data were given",
            Hint::CheckLabels => "check that the right labels were given",
            Hint::FittedData => "give the data the model was made from",
            Hint::OneOf(known) => return write!(f, "there are: {known}"),
            Hint::FewerColumns { most } => return write!(f, "ask for at most {most} columns"),
            Hint::Shares => "give one number per view, such as 0.3, 1, 0.3",
            Hint::OtherEnd { lambda } => {
                return write!(f, "only lambda {lambda} is possible; shares weigh single views");
            }
            Hint::ClusterCount => "give their number, or labels",
            Hint::ChooseLinks => "give links, and say which relation is meant",
            Hint::Direction => "say whether links have a direction, and which one to use",
            Hint::Align => "say whether rows are joined by id or by position",
            Hint::IdSpelling => "say whether such ids are one node or several",
            Hint::IdColumn => "say which column holds the ids, or that the rows are in order",
            Hint::ColumnKind { column, kinds } => {
                return write!(f, "say if column `{column}` is {kinds}");
            }
            Hint::PossibleLabel(column) => {
                return write!(
                    f,
                    "leave `{column}` out, or say that it holds labels or attributes"
                );
            }
            Hint::LinkEnds => "say which columns hold source and target",
            Hint::Header => "say whether the first row names the columns",
            Hint::LabelColumn => "say which column holds the labels",
            Hint::WeightColumn(column) => {
                return write!(f, "say that column `{column}` holds weights if it does");
            }
            Hint::LeaveRelationsOut => "leave the column of relations out",
            Hint::HalfLife => "give a half-life to let old links weigh less",
            Hint::GraphOrTable => "name it as the graph or as the attributes",
            Hint::ThroughPython(function) => {
                return write!(f, "read it in Python with {function}, and give the result");
            }
            Hint::LessMemory => {
                "limit the memory of the workspace, so that blocks go to files, or ask for fewer \
                 columns"
            }
            Hint::Rescale => "check the scale of the input",
            Hint::ExactSearch => "rescale the rows, or search without an index",
            Hint::Feature(name) => return write!(f, "build with the feature `{name}`"),
            Hint::EmbedModel => "make an embedding of it if this is a model",
            Hint::Expect(artifact) => return write!(f, "expected {artifact}"),
            Hint::Rebuild(artifact) => return write!(f, "make {artifact} again"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_carries_its_data() {
        assert_eq!(Hint::FewerColumns { most: 7 }.to_string(), "ask for at most 7 columns");
        assert_eq!(Hint::Rebuild(Artifact::Index).to_string(), "make an index again");
        assert_eq!(Hint::from("close the quote").to_string(), "close the quote");
    }
}
