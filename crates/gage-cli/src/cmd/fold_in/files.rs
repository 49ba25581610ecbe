//! Finding the files that describe new nodes.

use std::path::{Path, PathBuf};

use crate::args::{FoldInArgs, missing};
use crate::errors::{Exit, Failure};

/// The files of a fold-in.
#[derive(Default)]
pub(super) struct Files {
    pub(super) graph: Option<PathBuf>,
    pub(super) attributes: Option<PathBuf>,
    pub(super) views: Vec<(String, PathBuf)>,
    pub(super) nodes: Option<PathBuf>,
}

impl Files {
    /// All of them.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        let single = [&self.graph, &self.attributes, &self.nodes].into_iter().flatten();
        single.chain(self.views.iter().map(|view| &view.1)).map(PathBuf::as_path)
    }

    /// Attribute tables by the name of their block.
    pub(super) fn tables(&self) -> impl Iterator<Item = (&str, &Path)> {
        let main = self.attributes.as_deref().map(|path| ("attributes", path));
        main.into_iter()
            .chain(self.views.iter().map(|(name, path)| (name.as_str(), path.as_path())))
    }
}

/// Files named on the command line, and those of the folder for what was not named.
pub(super) fn find(args: &FoldInArgs) -> anyhow::Result<Files> {
    let mut files = Files {
        graph: args.graph.clone(),
        attributes: args.attributes.clone(),
        views: args.views.clone(),
        nodes: args.nodes.clone(),
    };
    match &args.new {
        Some(path) if path.is_dir() => {
            files.graph = files.graph.or(by_stem(path, &["adj", "edges", "graph"])?);
            files.attributes = files.attributes.or(by_stem(path, &["features", "attributes"])?);
            files.nodes = files.nodes.or(by_stem(path, &["nodes"])?);
            let views = path.join("views");
            for path in if views.is_dir() { list(&views)? } else { Vec::new() } {
                let name = stem(&path);
                if !files.views.iter().any(|(taken, _)| *taken == name) {
                    files.views.push((name, path));
                }
            }
        }
        // A single file is links, as everywhere.
        Some(path) => files.graph = files.graph.or(Some(path.clone())),
        None => {}
    }
    if let Some(path) = files.paths().find(|path| !path.exists()) {
        return Err(missing(path).into());
    }
    if files.graph.is_none() && files.attributes.is_none() && files.views.is_empty() {
        let message = "nothing is said about the new nodes";
        let help = "give a folder with edges.* or attributes.*, or --graph and --attributes";
        return Err(Failure::usage(message).help(help).into());
    }
    Ok(files)
}

fn list(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let fail = |error: std::io::Error| {
        Failure::new(Exit::Input, format!("{}: cannot be listed: {error}", folder.display()))
            .help("check its permissions")
    };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(fail)? {
        paths.push(entry.map_err(fail)?.path());
    }
    paths.retain(|path| path.is_file());
    paths.sort();
    Ok(paths)
}

fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    name.split('.').next().unwrap_or_default().to_owned()
}

fn by_stem(folder: &Path, stems: &[&str]) -> anyhow::Result<Option<PathBuf>> {
    let paths = list(folder)?;
    let found = |wanted: &str| paths.iter().find(|path| stem(path).to_lowercase() == *wanted);
    Ok(stems.iter().find_map(|wanted| found(wanted)).cloned())
}
