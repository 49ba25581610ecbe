//! Flags for the location of a data set and its reader options.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use gage_embed::io::{DatasetSpec, Directed as ReadDirected, MatNames, ZeroRows};
use gage_embed::io::{Inputs, exists};
use gage_embed::views::DirectedViews;
use serde::Serialize;

use crate::args::{ColumnArgs, JoinArgs};
use crate::errors::{Exit, Failure};

/// A data set: one folder or file, or files one by one.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct DataArgs {
    /// Folder (adj|edges|graph.*, features|attributes.*, labels.*, nodes.*, views/*), .mat file, or
    /// graph file
    #[arg(value_name = "DATASET")]
    pub(crate) dataset: Option<PathBuf>,
    /// Graph: square matrix (.npz, .npy, .mtx), edge list, or graph file (.graphml, .gexf, .gml,
    /// .net, .json)
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) graph: Option<PathBuf>,
    /// Attributes: matrix with one row per node, or table with ids
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) attributes: Option<PathBuf>,
    /// A further graph or attribute table, by name; may be given more than once
    #[arg(long = "view", value_name = "NAME=FILE", value_parser = named_file)]
    #[arg(help_heading = "Input")]
    pub(crate) views: Vec<(String, PathBuf)>,
    /// Classes of the nodes (never used for the embedding)
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) labels: Option<PathBuf>,
    /// Names of the nodes, one a line, in row order
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) nodes: Option<PathBuf>,
    /// Names of the attribute columns, one a line
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) columns: Option<PathBuf>,
    /// What an all-zero row of a matrix file means: the node has nothing, or nothing is known about
    /// it
    #[arg(long, value_enum, default_value_t = ZeroRowsArg::Zero, help_heading = "Input")]
    pub(crate) zero_rows: ZeroRowsArg,
    /// Directed links: describe a node by its out-links, its in-links, or both; `no` ignores
    /// directions. Without this, edge lists are undirected, and matrices that are not symmetric are
    /// described by out-links
    #[arg(long, value_enum, help_heading = "Input")]
    pub(crate) directed: Option<DirectedArg>,
    #[command(flatten)]
    pub(crate) reading: ColumnArgs,
    #[command(flatten)]
    pub(crate) join: JoinArgs,
    /// Variables of a .mat file: links, attributes, labels
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', help_heading = "Input")]
    pub(crate) mat_names: Vec<String>,
}

/// What an all-zero row means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ZeroRowsArg {
    /// nothing is known about the node
    Missing,
    /// the node has no links, no attributes
    #[default]
    Zero,
}

/// What directions mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DirectedArg {
    /// by the nodes it links to
    Out,
    /// by the nodes that link to it
    In,
    /// two views
    Both,
    /// links have no direction
    No,
}

pub(super) fn named_file(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, path)) if !name.is_empty() && !path.is_empty() => {
            Ok((name.to_owned(), PathBuf::from(path)))
        }
        _ => Err("expected NAME=FILE, for instance coauthors=coauthors.csv".to_owned()),
    }
}

/// The failure of a path that leads nowhere.
pub(crate) fn missing(path: &std::path::Path) -> Failure {
    let message = format!(
        "{}: whole file: found no such file or folder, expected a readable input",
        path.display()
    );
    Failure::new(Exit::Input, message).help("check the path and the working directory")
}

impl DataArgs {
    /// Whether any data are named.
    pub(crate) fn is_given(&self) -> bool {
        self.dataset.is_some()
            || self.graph.is_some()
            || self.attributes.is_some()
            || !self.views.is_empty()
    }

    /// Options of the readers.
    pub(crate) fn spec(&self) -> Result<DatasetSpec, Failure> {
        if !self.is_given() {
            let help = "give a folder, a .mat file or a graph file, or --graph and --attributes";
            return Err(Failure::usage("no data set was given").help(help));
        }
        let mat = match &self.mat_names[..] {
            [] => MatNames::default(),
            [links, attributes, labels] => MatNames {
                links: links.clone(),
                attributes: attributes.clone(),
                labels: labels.clone(),
            },
            other => {
                let message = format!("--mat-names: found {} names, expected three", other.len());
                let help =
                    "name the variables of links, attributes and labels: network,feature,group";
                return Err(Failure::usage(message).help(help));
            }
        };
        Ok(DatasetSpec {
            source: self.dataset.clone(),
            graph: self.graph.clone(),
            attributes: self.attributes.clone(),
            views: self.views.clone(),
            labels: self.labels.clone(),
            nodes: self.nodes.clone(),
            columns: self.columns.clone(),
            zero_rows: match self.zero_rows {
                ZeroRowsArg::Missing => ZeroRows::Missing,
                ZeroRowsArg::Zero => ZeroRows::Zero,
            },
            directed: match self.directed {
                None => ReadDirected::Auto,
                Some(DirectedArg::No) => ReadDirected::No,
                Some(_) => ReadDirected::Yes,
            },
            reading: self.reading.options(),
            mat,
            join: self.join.rule(),
        })
    }

    /// How directed links become views.
    pub(crate) fn direction(&self) -> DirectedViews {
        match self.directed {
            // The preset decides, and the model remembers which relations have a direction.
            None | Some(DirectedArg::No) => DirectedViews::AsGiven,
            Some(DirectedArg::Out) => DirectedViews::Out,
            Some(DirectedArg::In) => DirectedViews::In,
            Some(DirectedArg::Both) => DirectedViews::Both,
        }
    }

    /// The files behind it.
    pub(crate) fn inputs(&self) -> Result<Inputs, Failure> {
        Ok(Inputs::of(&self.spec()?))
    }

    /// A path that leads nowhere is the most common mistake, and worth its own words.
    pub(crate) fn check_paths(&self) -> Result<(), Failure> {
        match self.paths().find(|path| !exists(path)) {
            Some(path) => Err(missing(path)),
            None => Ok(()),
        }
    }

    /// How to name the data set in a message.
    pub(crate) fn title(&self) -> String {
        let first = [&self.dataset, &self.graph, &self.attributes].into_iter().flatten().next();
        let view = self.views.first().map(|view| &view.1);
        first.or(view).map(|path| path.display().to_string()).unwrap_or_default()
    }
}
