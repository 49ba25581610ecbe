//! Finding the files that describe new nodes.

use std::path::{Path, PathBuf};

use gage_embed::io::{exists, find_files};

use crate::args::{FoldInArgs, missing};
use crate::errors::Failure;

/// The files of a fold-in.
#[derive(Default)]
pub(super) struct Files {
    pub(super) graph: Option<PathBuf>,
    pub(super) attributes: Option<PathBuf>,
    pub(super) columns: Option<PathBuf>,
    pub(super) views: Vec<(String, PathBuf)>,
    pub(super) nodes: Option<PathBuf>,
}

impl Files {
    /// All of them.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        let single = [&self.graph, &self.attributes, &self.columns, &self.nodes];
        let views = self.views.iter().map(|view| &view.1);
        single.into_iter().flatten().chain(views).map(PathBuf::as_path)
    }
}

/// Files named on the command line, and those of the folder for what was not named.
pub(super) fn find(args: &FoldInArgs, remarks: &mut Vec<String>) -> anyhow::Result<Files> {
    let mut files = Files {
        graph: args.graph.clone(),
        attributes: args.attributes.clone(),
        columns: args.columns.clone(),
        views: args.views.clone(),
        nodes: args.nodes.clone(),
    };
    match &args.new {
        Some(path) if path.is_dir() => {
            let (found, notes) = find_files(path)?;
            remarks.extend(notes);
            files.graph = files.graph.or(found.graph);
            if files.attributes.is_none() {
                files.columns = files.columns.or(found.columns);
            }
            files.attributes = files.attributes.or(found.attributes);
            files.nodes = files.nodes.or(found.nodes);
            for (name, path) in found.views {
                if !files.views.iter().any(|(taken, _)| *taken == name) {
                    files.views.push((name, path));
                }
            }
        }
        // A single file is links, as everywhere.
        Some(path) => files.graph = files.graph.or(Some(path.clone())),
        None => {}
    }
    if let Some(path) = files.paths().find(|path| !exists(path)) {
        return Err(missing(path).into());
    }
    if files.graph.is_none() && files.attributes.is_none() && files.views.is_empty() {
        let message = "nothing is said about the new nodes";
        let help = "give a folder with edges.* or attributes.*, or --graph and --attributes";
        return Err(Failure::usage(message).help(help).into());
    }
    Ok(files)
}
