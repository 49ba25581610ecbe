//! Published results of the paper.

use anyhow::Context;
use serde::Deserialize;

/// Counts of a data set.
#[derive(Clone, Debug, Deserialize)]
pub struct Counted {
    /// What the paper calls it.
    pub dataset: String,
    /// Nodes.
    pub nodes: usize,
    /// Links, as the paper counts them.
    pub links: usize,
    /// Attribute columns.
    pub attributes: usize,
    /// Classes.
    pub classes: usize,
}

/// One method, data set, dimension and training share.
#[derive(Clone, Debug, Deserialize)]
pub struct Classified {
    /// Data set.
    pub dataset: String,
    /// Method.
    pub algorithm: String,
    /// Columns.
    pub dim: usize,
    /// Share of training nodes.
    pub train: f64,
    /// Micro F1.
    pub micro_f1: Option<f64>,
    /// Its standard deviation.
    pub micro_std: Option<f64>,
    /// Macro F1.
    pub macro_f1: Option<f64>,
    /// Its standard deviation.
    pub macro_std: Option<f64>,
}

/// One method and data set.
#[derive(Clone, Debug, Deserialize)]
pub struct Linked {
    /// Data set.
    pub dataset: String,
    /// Method.
    pub algorithm: String,
    /// Area under the ROC curve.
    pub auc: f64,
    /// Its standard deviation.
    pub auc_std: f64,
    /// Average precision.
    pub ap: f64,
    /// Its standard deviation.
    pub ap_std: f64,
}

/// Running time of one method on one data set.
#[derive(Clone, Debug, Deserialize)]
pub struct Timed {
    /// Data set.
    pub dataset: String,
    /// Method.
    pub algorithm: String,
    /// Seconds, the random walks of DANE included.
    pub seconds: f64,
}

/// All tables of the paper.
#[derive(Clone, Debug, Deserialize)]
pub struct Published {
    /// Table of data sets.
    pub data: Vec<Counted>,
    /// The three classification tables.
    pub classification: Vec<Classified>,
    /// Link prediction.
    pub link_prediction: Vec<Linked>,
    /// Running times.
    pub time: Vec<Timed>,
}

impl Published {
    /// The tables this program carries.
    pub fn load() -> anyhow::Result<Published> {
        serde_json::from_str(include_str!("published.json")).context("the published tables")
    }

    /// Methods, in the order of the paper.
    pub fn methods(&self) -> Vec<&str> {
        let mut methods: Vec<&str> = Vec::new();
        for cell in &self.classification {
            if !methods.contains(&cell.algorithm.as_str()) {
                methods.push(&cell.algorithm);
            }
        }
        methods
    }

    /// One cell of the classification tables.
    pub fn classified(
        &self,
        dataset: &str,
        algorithm: &str,
        dim: usize,
        train: f64,
    ) -> Option<&Classified> {
        self.classification.iter().find(|cell| {
            cell.dataset == dataset
                && cell.algorithm == algorithm
                && cell.dim == dim
                && cell.train == train
        })
    }

    /// One cell of the link-prediction table.
    pub fn linked(&self, dataset: &str, algorithm: &str) -> Option<&Linked> {
        self.link_prediction.iter().find(|c| c.dataset == dataset && c.algorithm == algorithm)
    }
}

#[cfg(test)]
mod tests {
    use super::super::setting::PAPER;
    use super::*;

    #[test]
    fn every_cell_of_the_paper_is_there() {
        let published = Published::load().unwrap();
        let methods = published.methods();
        let nine =
            ["GAGE", "T-PINE", "Deepwalk", "Graph-AE", "Graph-VAE", "TADW", "DGI", "AGE", "DANE"];
        assert_eq!(methods, nine);
        assert_eq!(published.data.len(), 3);
        assert_eq!(published.classification.len(), 9 * 3 * 2 * 3);
        assert_eq!(published.link_prediction.len(), 9 * 3);
        assert_eq!(published.time.len(), 9 * 3);
        for data in PAPER {
            assert!(published.data.iter().any(|counted| counted.dataset == data.name));
            for method in &methods {
                assert!(published.linked(data.name, method).is_some(), "{} {method}", data.name);
                let timed = published.time.iter().filter(|timed| {
                    timed.dataset == data.name && timed.algorithm == *method && timed.seconds > 0.0
                });
                assert_eq!(timed.count(), 1, "{} {method}", data.name);
                for (dim, train) in data.dims.iter().flat_map(|&d| [(d, 0.9), (d, 0.5), (d, 0.1)]) {
                    let cell = published.classified(data.name, method, dim, train).unwrap();
                    // The paper has none where two methods did not work.
                    let none = data.name == "BlogCatalog"
                        && dim == 256
                        && matches!(*method, "Graph-AE" | "Graph-VAE");
                    for value in [cell.micro_f1, cell.micro_std, cell.macro_f1, cell.macro_std] {
                        assert_eq!(value.is_none(), none, "{cell:?}");
                        assert!(value.is_none_or(|value| value > 0.0 && value < 1.0), "{cell:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn numbers_are_those_of_the_paper() {
        let published = Published::load().unwrap();
        let gage = published.classified("Wikipedia", "GAGE", 128, 0.5).unwrap();
        assert_eq!((gage.micro_f1, gage.macro_std), (Some(0.736), Some(0.0198)));
        let age = published.linked("Wikipedia", "AGE").unwrap();
        assert_eq!((age.auc, age.ap_std), (0.9173, 0.0048));
        let blog = published.data.iter().find(|data| data.dataset == "BlogCatalog").unwrap();
        assert_eq!((blog.links, blog.attributes), (686_972, 8_189));
    }
}
