//! `gage generate`.

use std::path::PathBuf;

use clap::Args;
use gage_embed::eval::PlantedParams;

/// Make an attributed graph with planted classes, of any size.
#[derive(Args, Clone, Debug)]
pub(crate) struct GenerateArgs {
    /// Folder to write; every command reads it as a data set
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// Number of nodes
    #[arg(long, value_name = "N")]
    nodes: usize,
    /// Mean degree
    #[arg(long, default_value_t = PlantedParams::default().degree)]
    degree: f64,
    /// Mean number of attributes of a node, repeats counted
    #[arg(long, default_value_t = PlantedParams::default().attributes_per_node)]
    #[arg(value_name = "COUNT")]
    attributes_per_node: f64,
    /// Number of different attributes [default: 100 for each class]
    #[arg(long, value_name = "COUNT")]
    attributes: Option<usize>,
    /// Number of classes
    #[arg(long, default_value_t = PlantedParams::default().classes)]
    classes: usize,
    /// Share of links that stay inside a class, 0 to 1
    #[arg(long, default_value_t = PlantedParams::default().homophily, value_name = "SHARE")]
    homophily: f64,
    /// Share of attributes that a node has because of its class, 0 to 1
    #[arg(long, default_value_t = PlantedParams::default().signal, value_name = "SHARE")]
    signal: f64,
    /// Exponent of the degree distribution, above 2; 0 gives all nodes the same expected degree
    #[arg(long, default_value_t = PlantedParams::default().power_law, value_name = "EXPONENT")]
    power_law: f64,
}

impl GenerateArgs {
    /// The graph these flags describe.
    pub(crate) fn params(&self, seed: u64) -> PlantedParams {
        PlantedParams {
            nodes: self.nodes,
            degree: self.degree,
            attributes_per_node: self.attributes_per_node,
            attributes: self.attributes.unwrap_or(self.classes.saturating_mul(100)),
            classes: self.classes,
            homophily: self.homophily,
            signal: self.signal,
            power_law: self.power_law,
            seed,
        }
    }
}
