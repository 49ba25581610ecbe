//! `gage generate`: attributed block-model graphs of any size, for trying and measuring.

mod attributes;
mod block_model;
mod rows;

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use gage_embed::io::NpyArray;
use gage_linalg::random::Stream;
use rayon::prelude::*;
use serde::Serialize;

use crate::{make_folder, write_file};

/// Arguments of `gage generate`.
#[derive(Args, Clone, Debug)]
pub struct GenerateArgs {
    /// Folder to write; every command reads it as a data set
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Number of nodes
    #[arg(long, value_name = "N")]
    pub nodes: usize,
    /// Mean number of links of a node
    #[arg(long, default_value_t = 20.0)]
    pub degree: f64,
    /// Mean number of attributes of a node, repeats counted
    #[arg(long, default_value_t = 20.0, value_name = "COUNT")]
    pub attributes_per_node: f64,
    /// Number of different attributes [default: 100 for each class]
    #[arg(long, value_name = "COUNT")]
    pub attributes: Option<usize>,
    /// Number of classes
    #[arg(long, default_value_t = 10)]
    pub classes: usize,
    /// Share of links that stay inside a class, 0 to 1
    #[arg(long, default_value_t = 0.7, value_name = "SHARE")]
    pub homophily: f64,
    /// Share of attributes that a node has because of its class, 0 to 1
    #[arg(long, default_value_t = 0.5, value_name = "SHARE")]
    pub signal: f64,
    /// Exponent of the degree distribution, above 2; 0 gives all nodes the same expected degree
    #[arg(long, default_value_t = 2.5, value_name = "EXPONENT")]
    pub power_law: f64,
}

impl GenerateArgs {
    /// The options these arguments mean.
    pub fn options(&self, seed: u64) -> GenerateOptions {
        GenerateOptions {
            output: self.output.clone(),
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

/// What kind of graph to make.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GenerateOptions {
    /// Folder to write.
    #[serde(skip)]
    pub output: PathBuf,
    /// Number of nodes.
    pub nodes: usize,
    /// Mean number of links of a node; repeated links are merged, so a little less comes out.
    pub degree: f64,
    /// Mean number of attributes of a node, repeats counted.
    pub attributes_per_node: f64,
    /// Number of different attributes.
    pub attributes: usize,
    /// Number of classes.
    pub classes: usize,
    /// Share of links that stay inside a class.
    pub homophily: f64,
    /// Share of attributes that follow the class.
    pub signal: f64,
    /// Exponent of the degree distribution; 0 for equal expected degrees.
    pub power_law: f64,
    /// Seed of everything random.
    pub seed: u64,
}

impl GenerateOptions {
    /// A graph of so many nodes with the defaults of the command.
    pub fn new(output: impl Into<PathBuf>, nodes: usize) -> GenerateOptions {
        GenerateOptions {
            output: output.into(),
            nodes,
            degree: 20.0,
            attributes_per_node: 20.0,
            attributes: 1000,
            classes: 10,
            homophily: 0.7,
            signal: 0.5,
            power_law: 2.5,
            seed: 0,
        }
    }

    fn check(&self) -> Result<()> {
        let share = |name: &str, value: f64| {
            if (0.0..=1.0).contains(&value) {
                return Ok(());
            }
            bail!("{name} = {value} is out of range: give a share from 0 to 1")
        };
        if !(2..=u32::MAX as usize / 2).contains(&self.nodes) {
            bail!("{} nodes are out of range: give 2 to {}", self.nodes, u32::MAX / 2);
        }
        let most = (self.nodes - 1) as f64;
        if !(self.degree > 0.0 && self.degree <= most) {
            bail!("a degree of {} is out of range: give more than 0, at most {most}", self.degree);
        }
        if !(0.0..=1e6).contains(&self.attributes_per_node) {
            bail!(
                "{} attributes a node are out of range: give 0 to 1000000",
                self.attributes_per_node
            );
        }
        if self.classes == 0 || self.classes > self.nodes.min(1 << 16) {
            bail!(
                "{} classes are out of range: give 1 to {}",
                self.classes,
                self.nodes.min(1 << 16)
            );
        }
        if self.attributes < self.classes || self.attributes > u32::MAX as usize / 2 {
            bail!(
                "{} different attributes are out of range: give at least one for each of the {} classes, at most {}",
                self.attributes,
                self.classes,
                u32::MAX / 2
            );
        }
        if self.power_law != 0.0 && !(self.power_law > 2.0 && self.power_law.is_finite()) {
            bail!(
                "an exponent of {} is out of range: give more than 2, or 0 for equal degrees",
                self.power_law
            );
        }
        share("homophily", self.homophily)?;
        share("signal", self.signal)
    }
}

/// What came out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GenerateReport {
    /// The folder.
    pub output: PathBuf,
    /// Number of nodes.
    pub nodes: usize,
    /// Number of links, each counted once.
    pub links: u64,
    /// Mean number of links of a node.
    pub mean_degree: f64,
    /// Largest number of links of a node.
    pub largest_degree: u32,
    /// Share of links inside a class.
    pub homophily: f64,
    /// Number of stored attribute entries.
    pub attribute_entries: u64,
    /// Members of each class.
    pub class_sizes: Vec<u64>,
}

/// Makes a graph and writes `adj.npz`, `features.npz`, `labels.npy` and `meta.json`; says so to `out`.
///
/// The degree-corrected block model (Karrer, Newman 2011) with attributes: every node draws half of its links, from
/// its own class with probability `homophily`, ends in proportion to their expected degrees; and draws its attributes
/// from the words of its class with probability `signal`, else from all. The same options give the same bytes at any
/// number of threads. Time and memory are linear in nodes, links and attribute entries.
pub fn run(options: &GenerateOptions, out: &mut dyn Write) -> Result<GenerateReport> {
    options.check()?;
    make_folder(&options.output)?;
    let classes: Vec<u16> = (0..options.nodes as u64)
        .into_par_iter()
        .map(|node| Stream::keyed(options.seed, 1, node).below(options.classes) as u16)
        .collect();
    let labels = NpyArray::new("<i8", 8, &[options.nodes], |sink| {
        classes.chunks(1 << 14).try_for_each(|chunk| {
            let bytes: Vec<u8> = chunk.iter().flat_map(|&c| i64::from(c).to_le_bytes()).collect();
            sink(&bytes)
        })
    });
    write_file(&options.output.join("labels.npy"), |file| Ok(labels.write(file)?))?;
    drop(labels);
    let links = block_model::links(options, &classes);
    write_file(&options.output.join("adj.npz"), |file| Ok(links.write(options.nodes, file)?))?;
    let inside = links.inside(&classes);
    let (entries, largest) = (links.entries(), links.largest());
    drop(links);
    let words = attributes::draw(options, &classes);
    write_file(&options.output.join("features.npz"), |file| {
        Ok(words.write(options.attributes, file)?)
    })?;
    let mut class_sizes = vec![0u64; options.classes];
    classes.iter().for_each(|&class| class_sizes[class as usize] += 1);
    let report = GenerateReport {
        output: options.output.clone(),
        nodes: options.nodes,
        links: entries / 2,
        mean_degree: entries as f64 / options.nodes as f64,
        largest_degree: largest,
        homophily: inside as f64 / (entries as f64).max(1.0),
        attribute_entries: words.entries(),
        class_sizes,
    };
    let meta = serde_json::json!({
        "name": "generated",
        "source": format!("gage generate {}, attributed degree-corrected block model", env!("CARGO_PKG_VERSION")),
        "label_meaning": "planted class",
        "class_names": (0..options.classes).map(|class| format!("class {class}")).collect::<Vec<_>>(),
        "options": options,
        "N": report.nodes,
        "nnz": entries,
        "d": options.attributes,
        "xnnz": report.attribute_entries,
        "edge_homophily": report.homophily,
        "directed": false,
    });
    let meta = serde_json::to_string_pretty(&meta)?;
    write_file(&options.output.join("meta.json"), |file| Ok(writeln!(file, "{meta}")?))?;
    writeln!(
        out,
        "{}: {} nodes, {} links ({:.1} a node, at most {}), {:.0}% of them inside one of {} classes, {} attribute entries",
        report.output.display(),
        report.nodes,
        report.links,
        report.mean_degree,
        report.largest_degree,
        100.0 * report.homophily,
        options.classes,
        report.attribute_entries
    )?;
    Ok(report)
}
