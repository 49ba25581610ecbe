//! The setting of a report: data sets of the paper, parameters, program and machine.

use serde::Serialize;

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
    /// Whether few shuffles and the smallest dimension were requested.
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
    /// Other methods of the paper that are run, by the names of their baselines.
    pub methods: Vec<String>,
    /// Other methods in the comparison of defaults.
    #[serde(rename = "rivals")]
    pub baselines: Vec<String>,
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
