//! `gage fold-in`: rows for new nodes, from a model and whatever is known about them.

mod attributes;
mod files;
mod links;

use gage_embed::io::{AttributeTable, LinkTable, read_attributes, read_links, read_nodes};
use gage_embed::{Directed, FittedView, Matrix, Model, NewNodes, Nodes, Source};
use serde::Serialize;

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
    links: Option<LinkTable>,
    attributes: Vec<(String, AttributeTable)>,
    names: Option<Nodes>,
}

pub(crate) fn run(args: &FoldInArgs, session: &Session) -> anyhow::Result<()> {
    let files = files::find(args)?;
    let inputs = files.paths().fold(Inputs::at(&args.model), |inputs, path| inputs.and(path));
    let mut staging = Staging::new(inputs);
    let planned = write::plan(&mut staging, &args.file.output, args.file.format)?;
    let model = session.model(&args.model)?;
    // A table the model has no use for is refused before it is read.
    let columns: Vec<usize> =
        files.tables().map(|(name, _)| require(&model, name)).collect::<anyhow::Result<_>>()?;
    if files.graph.is_some() {
        require(&model, "links")?;
    }
    let mut remarks = Vec::new();
    let tables = Tables {
        links: files.graph.as_deref().map(read_links).transpose()?,
        attributes: files
            .tables()
            .map(|(name, path)| Ok((name.to_owned(), read_attributes(path)?)))
            .collect::<anyhow::Result<_>>()?,
        names: files.nodes.as_deref().map(read_nodes).transpose()?,
    };
    let nodes = new_nodes(&model, &tables, &mut remarks)?;
    let mut new = NewNodes { count: nodes.len(), blocks: Vec::new() };
    if let Some(table) = &tables.links {
        remarks.extend(table.warnings.iter().cloned());
        let undirected = model.params().directed == Directed::AsGiven;
        new.blocks.extend(links::blocks(&model, &nodes, table, undirected, &mut remarks)?);
    }
    for ((name, table), columns) in tables.attributes.iter().zip(columns) {
        remarks.extend(table.warnings.iter().cloned());
        if table.ids.is_some() && matches!(table.matrix, Matrix::Dense(_)) {
            remarks.push(format!(
                "`{name}`: numbers and words of a table are scaled by that table alone, not by the fitted one; \
                 for exact rows give a matrix (.npz, .npy, .mtx) with the columns of the fit"
            ));
        }
        let block = attributes::block(&model, &nodes, name, table, columns, &mut remarks)?;
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
    let rows =
        tables.attributes.iter().find(|(_, t)| t.ids.is_none()).map(|(_, t)| t.matrix.rows());
    let rows = rows.or(tables.links.as_ref().filter(|t| t.ids.is_none()).map(|t| t.links.rows()));
    let with_ids = tables.attributes.iter().filter_map(|(_, table)| table.ids.as_ref());
    let lists: Vec<&Nodes> =
        with_ids.chain(tables.links.as_ref().and_then(|table| table.ids.as_ref())).collect();
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
