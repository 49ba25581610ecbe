//! Units of work: each can be done, stored and found again by itself.

use gage_embed::eval::{ClassifyReport, LinkExperimentReport, SweepReport};
use serde::{Deserialize, Serialize};

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Count the data.
    Data,
    /// Classify nodes.
    Classify,
    /// Predict hidden links.
    Links,
    /// Take the time of a fit.
    Time,
    /// Classify at every lambda.
    ClassifySweep,
    /// Predict links at every lambda.
    LinkSweep,
    /// Classify, in the comparison of defaults.
    Defaults,
}

impl Task {
    /// Short name, fit for a file.
    pub fn name(self) -> &'static str {
        match self {
            Task::Data => "data",
            Task::Classify => "classify",
            Task::Links => "links",
            Task::Time => "time",
            Task::ClassifySweep => "classify-sweep",
            Task::LinkSweep => "link-sweep",
            Task::Defaults => "defaults",
        }
    }
}

/// One unit of work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// What is done.
    pub task: Task,
    /// Folder of the data set.
    pub data: String,
    /// Preset or baseline; empty where none is needed.
    pub method: String,
    /// Columns of the embedding, 0 where there is none.
    pub dim: usize,
}

impl Unit {
    /// A name for people and files.
    pub fn name(&self) -> String {
        let parts = [self.task.name(), &self.data, &self.method].map(str::to_owned);
        let dim = if self.dim > 0 { self.dim.to_string() } else { String::new() };
        let parts: Vec<String> =
            parts.into_iter().chain([dim]).filter(|part| !part.is_empty()).collect();
        parts.join("-")
    }
}

/// Counts of a data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataFacts {
    /// Nodes.
    pub nodes: usize,
    /// Stored links: both directions of an undirected one count.
    pub links: usize,
    /// Pairs of nodes that are linked.
    pub pairs: usize,
    /// Attribute columns.
    pub attributes: usize,
    /// Classes of the label file.
    pub classes: usize,
    /// Classes with a member.
    pub filled_classes: usize,
}

/// Seconds of a fit, data in memory to embedding in memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Seconds of each fit.
    pub seconds: Vec<f64>,
    /// Their median.
    pub median: f64,
    /// Threads used.
    pub threads: usize,
    /// Model of the processor.
    pub cpu: String,
}

/// An embedding by another method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MethodOutcome {
    /// Seconds of the one run.
    pub timing: Timing,
    /// Bytes at the peak, estimated beforehand.
    pub memory_bytes: u64,
    /// Scores of the rows as they come out.
    pub unscaled: ClassifyReport,
    /// Scores of the rows with a mean squared entry of 1.
    pub scaled: ClassifyReport,
}

/// What came out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Counts.
    Data(DataFacts),
    /// Scores of classes.
    Classify(ClassifyReport),
    /// Time and scores of another method.
    Method(MethodOutcome),
    /// Scores of links.
    Links(LinkExperimentReport),
    /// Seconds.
    Time(Timing),
    /// Scores at every lambda.
    Sweep(SweepReport),
}

/// A view of a fit and its share in the embedding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct View {
    /// Name of the view.
    pub name: String,
    /// Its share.
    pub share: f64,
}

/// A unit that was done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finished {
    /// What was done.
    pub unit: Unit,
    /// Views of the (last) fit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub views: Vec<View>,
    /// What came out.
    pub outcome: Outcome,
}

impl Finished {
    /// What another method of the paper came to.
    pub(super) fn of_method<'a>(
        units: &'a [Finished],
        data: &str,
        baseline: &str,
        dim: usize,
    ) -> Option<&'a MethodOutcome> {
        match &Finished::find(units, Task::Classify, data, baseline, Some(dim))?.outcome {
            Outcome::Method(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// The unit of this task and data set, with this method and dimension, if it was done.
    pub(super) fn find<'a>(
        units: &'a [Finished],
        task: Task,
        data: &str,
        method: &str,
        dim: Option<usize>,
    ) -> Option<&'a Finished> {
        units.iter().find(|finished| {
            let unit = &finished.unit;
            unit.task == task
                && unit.data == data
                && unit.method == method
                && dim.is_none_or(|dim| unit.dim == dim)
        })
    }
}

/// A unit that was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// What was left out.
    pub unit: Unit,
    /// Why.
    pub why: String,
}
