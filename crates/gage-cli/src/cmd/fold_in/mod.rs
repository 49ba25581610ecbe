//! `gage fold-in`: rows for new nodes, from a model and whatever is known about them.

mod attributes;
mod files;
mod links;

use std::path::Path;

use gage_embed::io::{
    AttributeTable, IdColumn, LinkTable, read_attributes, read_attributes_like, read_column_names,
    read_links, read_nodes,
};
use gage_embed::{Directed, FittedView, Model, NewNodes, Nodes, Source, TableEncoding};
use serde::Serialize;

use self::files::Files;

use super::Session;
use crate::args::FoldInArgs;
use crate::errors::Failure;
use crate::inputs::Inputs;
use crate::output::count;
use crate::write::{self, Embedding, Staging};

#[derive(Serialize)]
struct Report {
    command: &'static str,
    outputs: Vec<String>,
    new_nodes: usize,
    columns: usize,
    nodes_without_any_view: Vec<String>,
    remarks: Vec<String>,
}

/// What the files say about new nodes.
struct Tables {
    /// by block
    links: Vec<(String, LinkTable)>,
    /// by block, with the columns the block had at the fit
    attributes: Vec<(String, AttributeTable, usize)>,
    names: Option<Nodes>,
}

pub(crate) fn run(args: &FoldInArgs, session: &Session) -> anyhow::Result<()> {
    let mut remarks = Vec::new();
    let files = files::find(args, &mut remarks)?;
    let inputs = files.paths().fold(Inputs::at(&args.model), |inputs, path| inputs.and(path));
    let mut staging = Staging::new(inputs);
    let planned = write::plan(&mut staging, &args.file.output, args.file.format)?;
    let model = session.model(&args.model)?;
    let tables = read(&model, &files, &args.ids.choice(), &mut remarks)?;
    let nodes = new_nodes(&model, &tables, &mut remarks)?;
    let mut new = NewNodes { count: nodes.len(), blocks: Vec::new() };
    for (name, table) in &tables.links {
        remarks.extend(table.warnings.iter().cloned());
        let directed = match model.relations().and_then(|relations| relations.get(name)) {
            Some(&directed) => directed,
            None => model.params().directed != Directed::AsGiven,
        };
        new.blocks.extend(links::blocks(&model, &nodes, name, table, !directed, &mut remarks)?);
    }
    for (name, table, columns) in &tables.attributes {
        remarks.extend(table.warnings.iter().cloned());
        let block = attributes::block(&model, &nodes, name, table, *columns, &mut remarks)?;
        new.blocks.push(block);
    }
    session.out.remarks("note", &remarks);
    let folded = model.fold_in(&new)?;
    let numbers = model.embed_new(&folded, &args.lambda.lambda())?;
    planned.write(&mut staging, &Embedding { nodes: &nodes, numbers: &numbers })?;
    staging.commit()?;
    let report = Report {
        command: "fold-in",
        outputs: planned.files(),
        new_nodes: nodes.len(),
        columns: numbers.cols(),
        nodes_without_any_view: folded.blind.iter().map(|&node| nodes.id(node)).collect(),
        remarks,
    };
    if let Some(first) = report.nodes_without_any_view.first() {
        let blind = report.nodes_without_any_view.len();
        let text = format!("{blind} new nodes have no view, first `{first}`; their rows are zero");
        session.out.remarks("warning", &[text]);
    }
    if planned.is_stdout() {
        return Ok(());
    }
    session.out.summary(&report, || {
        let files = report.outputs.join(", ");
        format!(
            "{} new nodes x {} columns\nwrote {files}\n",
            count(report.new_nodes),
            report.columns
        )
    })
}

/// Reads everything. A file the model has no use for is refused before it is read.
fn read(
    model: &Model,
    files: &Files,
    ids: &IdColumn,
    remarks: &mut Vec<String>,
) -> anyhow::Result<Tables> {
    let mut tables = Tables { links: Vec::new(), attributes: Vec::new(), names: None };
    let views = files.views.iter().map(|(name, path)| (name.as_str(), path));
    for (name, _) in [
        files.graph.as_ref().map(|p| ("links", p)),
        files.attributes.as_ref().map(|p| ("attributes", p)),
    ]
    .into_iter()
    .flatten()
    .chain(views.clone())
    {
        require(model, name)?;
    }
    if let Some(path) = &files.graph {
        tables.links.push(("links".to_owned(), read_links(path)?));
    }
    if let Some(path) = &files.attributes {
        let columns = require(model, "attributes")?;
        let encoding = encoding(model, "attributes", columns, path, remarks);
        let mut table = match &encoding {
            Some(encoding) => read_attributes_like(path, encoding, ids)?,
            None => read_attributes(path)?,
        };
        if let Some(names) = files.columns.as_ref().filter(|_| table.encoding.is_none()) {
            table.columns = Some(read_column_names(path, table.matrix.cols(), names)?);
        }
        tables.attributes.push(("attributes".to_owned(), table, columns));
    }
    for (name, path) in views {
        let columns = require(model, name)?;
        let relation = match model.relations() {
            Some(relations) => relations.contains_key(name),
            None => columns == model.nodes().len(),
        };
        if relation {
            // A matrix need not be square here: a row per new node, a column per fitted node.
            tables.links.push((name.to_owned(), read_links(path)?));
            continue;
        }
        let encoding = encoding(model, name, columns, path, remarks);
        let table = match &encoding {
            Some(encoding) => read_attributes_like(path, encoding, ids)?,
            None => read_attributes(path)?,
        };
        tables.attributes.push((name.to_owned(), table, columns));
    }
    tables.names = files.nodes.as_deref().map(read_nodes).transpose()?;
    Ok(tables)
}

/// How cells become numbers; models of older versions do not say.
fn encoding(
    model: &Model,
    name: &str,
    columns: usize,
    path: &Path,
    remarks: &mut Vec<String>,
) -> Option<TableEncoding> {
    let encoding = model.encoding(name, columns);
    let matrix = ["npz", "npy", "mtx", "content"];
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if encoding.is_none() && !matrix.contains(&extension.as_str()) {
        remarks.push(format!(
            "`{name}`: the model is of an older version and does not say how its table was scaled, so the new table \
             is scaled by itself; fit again for exact rows"
        ));
    }
    encoding
}

/// The block a view was made from.
fn block_of(model: &Model, view: &FittedView) -> Option<String> {
    let params = model.params();
    let specs = params.views.as_ref().unwrap_or(&params.preset.views);
    // A view of directed links may have been split in two.
    let plain = view.name.strip_suffix("-out").or(view.name.strip_suffix("-in"));
    let spec = [Some(view.name.as_str()), plain]
        .into_iter()
        .flatten()
        .find_map(|name| specs.iter().find(|spec| spec.name == name));
    match spec.map(|spec| &spec.source) {
        Some(Source::Block(block)) => Some(block.clone()),
        Some(Source::Identity) => None,
        None => Some(view.name.clone()),
    }
}

/// The number of columns a block had at the fit; an error if the model does not know the block.
fn require(model: &Model, block: &str) -> anyhow::Result<usize> {
    let blocks: Vec<(Option<String>, usize)> =
        model.views().iter().map(|view| (block_of(model, view), view.columns)).collect();
    if let Some((_, columns)) = blocks.iter().find(|(name, _)| name.as_deref() == Some(block)) {
        return Ok(*columns);
    }
    let mut known: Vec<String> = blocks.into_iter().filter_map(|(name, _)| name).collect();
    known.dedup();
    let message = format!("the model was fitted without `{block}`; it knows {}", known.join(", "));
    Err(Failure::misfit(message).help("leave that file out, or give it the name it had").into())
}

/// Who is new: the names given; or the ids of the tables and of the links that the model does not know; or rows.
fn new_nodes(model: &Model, tables: &Tables, remarks: &mut Vec<String>) -> anyhow::Result<Nodes> {
    if let Some(names) = &tables.names {
        return Ok(names.clone());
    }
    let attributes = tables.attributes.iter().map(|(_, table, _)| table);
    let links = tables.links.iter().map(|(_, table)| table);
    let rows = attributes.clone().find(|t| t.ids.is_none()).map(|t| t.matrix.rows());
    let rows = rows.or(links.clone().find(|t| t.ids.is_none()).map(|t| t.links.rows()));
    let with_ids = attributes.filter_map(|table| table.ids.as_ref());
    let lists: Vec<&Nodes> = with_ids.chain(links.filter_map(|table| table.ids.as_ref())).collect();
    if let Some(rows) = rows {
        if lists.is_empty() {
            return Ok(Nodes::numbered(rows));
        }
        let message = "one file names the new nodes and another has rows without names";
        let help = "give the names of the rows with --nodes, one a line";
        return Err(Failure::misfit(message).help(help).into());
    }
    let known = model.nodes().index();
    let is_known = |id: &str| match model.nodes().is_named() {
        true => known.contains_key(id),
        false => model.nodes().find(id).is_some(),
    };
    let mut seen = std::collections::HashSet::new();
    let mut new: Vec<String> = Vec::new();
    let mut fitted_rows = 0;
    for (at, list) in lists.iter().enumerate() {
        for id in list.ids() {
            if is_known(&id) {
                fitted_rows += usize::from(at < tables.attributes.len());
            } else if seen.insert(id.clone()) {
                new.push(id);
            }
        }
    }
    if fitted_rows > 0 {
        remarks.push(format!("{fitted_rows} rows are of nodes the model already has; left out"));
    }
    if new.is_empty() {
        let message = "found no new node: the model knows every id in the files";
        let help = "use `gage reweight` for the nodes of the model";
        return Err(Failure::misfit(message).help(help).into());
    }
    Ok(Nodes::named(new)?)
}
