//! Contents of a report, independent of its form (HTML, Markdown, JSON).

use serde::Serialize;

use super::differences::{Difference, differences};
use super::figures::{Figure, figures};
use super::method_differences::method_differences;
use super::published::Published;
use super::setting::Setting;
use super::standing::{Standing, standings};
use super::table::Table;
use super::unit::{Finished, Skipped};
use super::{defaults, tables};

/// Contents of the page, the JSON and the Markdown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// What the numbers were made with.
    pub setting: Setting,
    /// Each of our presets compared with the best published numbers.
    pub standings: Vec<Standing>,
    /// Tables, in the order of the paper.
    pub tables: Vec<Table>,
    /// Where methods of the paper differ from its published numbers, its own first, and why.
    pub differences: Vec<Difference>,
    /// Numbers of other methods that were compared with published ones.
    pub cells_of_methods: usize,
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
        let standings = standings(&tables, &setting);
        tables.extend(defaults::tables(&setting, &units));
        let mut differences = differences(&published, &units);
        let (of_methods, cells_of_methods) = method_differences(&published, &units);
        differences.extend(of_methods);
        Ok(Report {
            differences,
            cells_of_methods,
            figures: figures(&units),
            setting,
            standings,
            tables,
            not_run,
            units,
        })
    }

    /// The JSON.
    pub fn json(&self) -> anyhow::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// What to know before reading the tables, one sentence an item.
    pub fn preface(&self) -> Vec<String> {
        let setting = &self.setting;
        let shuffles = |count: usize, what: &str| match count {
            1 => format!("1 {what}"),
            _ => format!("{count} {what}s"),
        };
        let mut notes = vec![
            format!(
                "Means and sample standard deviations over {} (classification) and {} (link \
                 prediction), seed {}; \
                 published numbers are copied from the paper.",
                shuffles(setting.classify_shuffles, "random split"),
                shuffles(setting.link_shuffles, "random removal"),
                setting.seed
            ),
            "One-vs-rest logistic regression with an l2 penalty, C = 1. Hidden links are scored by \
             dot products.".to_owned(),
            "Macro F1 beside published numbers is the mean over all classes of the label file, a \
             class without a member \
             counting as zero: this is the average the paper seems to use, and the lower one. \
             Where it differs from the \
             mean over the classes that occur, both are shown."
                .to_owned(),
            "The best number of each column is bold. A number of ours at or above the best \
             published one, to the four \
             digits that are printed, is marked ▲."
                .to_owned(),
        ];
        if !setting.methods.is_empty() {
            notes.push(
                "Methods \"run here\" are our own, from their published descriptions, in the \
                 setting of the paper as far as it says; first as they come out, then scaled to a \
                 mean squared entry of 1, since a fixed penalty depends on the scale."
                    .to_owned(),
            );
        }
        if setting.quick {
            notes.insert(0, "A quick run: few shuffles, smallest dimension.".to_owned());
        }
        notes
    }
}
