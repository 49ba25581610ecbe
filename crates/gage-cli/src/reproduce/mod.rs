//! What `gage reproduce` writes: the tables and figures of the paper with our numbers beside the published ones.
//!
//! [`Report::new`] turns the outcomes of single units of work into one value, from which the page, the JSON and the
//! Markdown are written. Nothing here fits or measures anything.

mod defaults;
mod differences;
mod figures;
mod html;
mod markdown;
mod published;
mod standing;
mod table;
mod tables;
mod unit;

use serde::Serialize;

pub use differences::Difference;
pub use published::{Classified, Counted, Linked, Published, Timed};
pub use standing::Standing;
pub use table::{Cell, Row, Source, Style, Table};
pub use unit::{DataFacts, Finished, Outcome, Skipped, Task, Timing, Unit, View};

use gage_embed::eval::SweepSeries;

/// A data set of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaperData {
    /// Folder it is in.
    pub folder: &'static str,
    /// What the paper calls it.
    pub name: &'static str,
    /// Columns of the classified embeddings.
    pub dims: [usize; 2],
    /// Columns for link prediction.
    pub link_dim: usize,
}

/// The data sets of the paper, in its order.
pub const PAPER: [PaperData; 3] = [
    PaperData { folder: "wiki", name: "Wikipedia", dims: [64, 128], link_dim: 128 },
    PaperData { folder: "webkb", name: "WebKB", dims: [64, 128], link_dim: 64 },
    PaperData { folder: "blogcatalog", name: "BlogCatalog", dims: [128, 256], link_dim: 256 },
];

/// Columns for which the paper gives running times and draws its figures.
pub const FIGURE_DIM: usize = 128;

/// Folders of the data sets on which defaults are compared.
pub const DEFAULTS: [&str; 10] = [
    "planetoid_cora",
    "planetoid_citeseer",
    "pubmed",
    "wiki",
    "webkb",
    "blogcatalog",
    "acm3025_multiview",
    "fb100_amherst41",
    "debian_bookworm",
    "wordnet",
];

/// Columns with which defaults are compared.
pub const DEFAULTS_DIM: usize = 64;

/// What the numbers were made with.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Setting {
    /// Version of this program.
    pub version: &'static str,
    /// Seed of everything random.
    pub seed: u64,
    /// Whether few shuffles and the smallest dimension were asked for.
    pub quick: bool,
    /// Random splits for classification.
    pub classify_shuffles: usize,
    /// Random removals for link prediction.
    pub link_shuffles: usize,
    /// Random splits of the comparison of defaults.
    pub defaults_shuffles: usize,
    /// Presets that are classified and timed.
    pub presets: Vec<String>,
    /// Presets that predict links.
    pub link_presets: Vec<String>,
    /// Other methods in the comparison of defaults.
    pub rivals: Vec<String>,
    /// The machine.
    pub machine: Machine,
}

/// The machine a report was made on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Machine {
    /// Threads used.
    pub threads: usize,
    /// Model of the processor.
    pub cpu: String,
    /// Operating system.
    pub os: &'static str,
}

impl Machine {
    /// This machine.
    pub fn here() -> Machine {
        // Where there is no such file, the architecture has to do.
        let cpu = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("model name"))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        });
        Machine {
            threads: rayon::current_num_threads(),
            cpu: cpu.unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
            os: std::env::consts::OS,
        }
    }
}

/// One of the sensitivity figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Short name.
    pub id: String,
    /// Heading.
    pub title: String,
    /// Charts, side by side.
    pub panels: Vec<Panel>,
}

/// One chart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Panel {
    /// Heading.
    pub title: String,
    /// What is measured.
    pub measure: String,
    /// Columns of the embedding.
    pub columns: usize,
    /// Fits it took.
    pub fits: usize,
    /// Shares of the links.
    pub lambdas: Vec<f64>,
    /// Lines.
    pub series: Vec<SweepSeries>,
}

/// Everything the page, the JSON and the Markdown say.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// What the numbers were made with.
    pub setting: Setting,
    /// How each of our presets stands against the best published numbers.
    pub standings: Vec<Standing>,
    /// Tables, in the order of the paper.
    pub tables: Vec<Table>,
    /// Where the paper's own method differs from its published numbers, and why.
    pub differences: Vec<Difference>,
    /// Figures, in the order of the paper.
    pub figures: Vec<Figure>,
    /// What was left out, and why.
    pub not_run: Vec<Skipped>,
    /// Every number behind the tables and figures.
    pub units: Vec<Finished>,
}

impl Report {
    /// Puts outcomes beside the published numbers.
    pub fn new(
        setting: Setting,
        units: Vec<Finished>,
        not_run: Vec<Skipped>,
    ) -> anyhow::Result<Report> {
        let published = Published::load()?;
        let mut tables = tables::paper_tables(&published, &setting, &units);
        let standings = standing::standings(&tables, &setting);
        tables.extend(defaults::tables(&setting, &units));
        Ok(Report {
            differences: differences::differences(&published, &units),
            figures: figures::figures(&units),
            setting,
            standings,
            tables,
            not_run,
            units,
        })
    }

    /// The page: one file that needs no other.
    pub fn html(&self) -> String {
        html::page(self)
    }

    /// The Markdown.
    pub fn markdown(&self) -> String {
        markdown::text(self)
    }

    /// The JSON.
    pub fn json(&self) -> anyhow::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// What to know before reading the tables, one sentence an item.
    fn preface(&self) -> Vec<String> {
        let setting = &self.setting;
        let shuffles = |count: usize, what: &str| match count {
            1 => format!("1 {what}"),
            _ => format!("{count} {what}s"),
        };
        let mut notes = vec![
            format!(
                "Means and sample standard deviations over {} (classification) and {} (link prediction), seed {}; \
                 published numbers are copied from the paper.",
                shuffles(setting.classify_shuffles, "random split"),
                shuffles(setting.link_shuffles, "random removal"),
                setting.seed
            ),
            "One-vs-rest logistic regression with an l2 penalty, C = 1. Hidden links are scored by dot products.".to_owned(),
            "Macro F1 beside published numbers is the mean over all classes of the label file, a class without a member \
             counting as zero: this is the average the paper seems to use, and the lower one. Where it differs from the \
             mean over the classes that occur, both are shown."
                .to_owned(),
            "The best number of each column is bold. A number of ours at or above the best published one, to the four \
             digits that are printed, is marked ▲."
                .to_owned(),
        ];
        if setting.quick {
            notes.insert(0, "A quick run: few shuffles, smallest dimension.".to_owned());
        }
        notes
    }
}
