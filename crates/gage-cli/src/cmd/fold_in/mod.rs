//! `gage fold-in`: rows of new nodes, from a model and their links or attributes.

mod destination;
mod files;

use std::path::Path;

use gage_embed::Model;
use gage_embed::graph::TableEncoding;
use gage_embed::io::Inputs;
use gage_embed::io::{
    AlignedNewNodes, ColumnOptions, NewDataError, NewTables, align_new_nodes, fitted_width,
    is_relation, read_attributes, read_attributes_like, read_column_names, read_links_with,
    read_nodes,
};
use serde::Serialize;

use self::destination::Destination;
use self::files::Files;

use crate::args::FoldInArgs;
use crate::errors::{Exit, Failure, remark};
use crate::output::count;
use crate::session::Session;
use crate::staging::Staging;

#[derive(Serialize)]
struct Report {
    #[serde(skip)]
    outputs: Vec<String>,
    new_nodes: usize,
    /// nodes that stand before the new ones in what was written
    #[serde(skip_serializing_if = "Option::is_none")]
    appended_to: Option<usize>,
    columns: usize,
    nodes_without_any_view: Vec<String>,
    remarks: Vec<String>,
    #[serde(skip)]
    warnings: Vec<String>,
}

pub(crate) fn run(args: &FoldInArgs, session: &Session) -> anyhow::Result<()> {
    let mut remarks = Vec::new();
    let files = files::find(args, &mut remarks)?;
    let inputs = files.paths().fold(Inputs::at(&args.model), |inputs, path| inputs.and(path));
    let mut staging = Staging::new(inputs);
    let destination = Destination::plan(args, &mut staging)?;
    let model = session.model(&args.model)?;
    let mut tables = read(&model, &files, &args.reading.options(), &mut remarks)?;
    tables.spelling = args.ids.spelling();
    say_readings(&mut tables, session, &mut remarks);
    let AlignedNewNodes { nodes, data: new, remarks: more } =
        align_new_nodes(&model, tables).map_err(misfit)?;
    remarks.extend(more);
    session.out.notes(&remarks);
    let spinner = session.spinner("rows of new nodes");
    let folded = model.fold_in(&new)?;
    let (columns, fitted) = (model.dimension(), model.nodes().len());
    destination.write(model, (&nodes, &folded), &args.lambda.lambda(), &mut staging)?;
    staging.commit()?;
    drop(spinner);
    let report = Report {
        outputs: destination.files().to_vec(),
        new_nodes: nodes.len(),
        appended_to: args.append.then_some(fitted),
        columns,
        nodes_without_any_view: folded.unobserved.iter().map(|&node| nodes.id(node)).collect(),
        remarks,
        warnings: folded.warnings(|node| nodes.id(node)),
    };
    session.out.warnings(&report.warnings);
    if let Some(first) = report.nodes_without_any_view.first() {
        let unobserved = report.nodes_without_any_view.len();
        let text =
            format!("{unobserved} new nodes have no view, first `{first}`; their rows are zero");
        session.out.warnings(&[text]);
    }
    if destination.is_stdout() {
        return Ok(());
    }
    session.out.summary(&report.outputs, &report, || {
        let files = report.outputs.join(", ");
        let behind = report.appended_to.map(|nodes| format!(", behind {} others", count(nodes)));
        format!(
            "{} new nodes x {} columns{}\nwrote {files}\n",
            count(report.new_nodes),
            report.columns,
            behind.unwrap_or_default()
        )
    })
}

/// Reads everything. A file the model has no use for is refused before it is read.
fn read(
    model: &Model,
    files: &Files,
    columns_as: &ColumnOptions,
    remarks: &mut Vec<String>,
) -> anyhow::Result<NewTables> {
    let mut tables = NewTables::default();
    let views = files.views.iter().map(|(name, path)| (name.as_str(), path));
    for (name, _) in [
        files.graph.as_ref().map(|p| ("links", p)),
        files.attributes.as_ref().map(|p| ("attributes", p)),
    ]
    .into_iter()
    .flatten()
    .chain(views.clone())
    {
        fitted_width(model, name).map_err(misfit)?;
    }
    if let Some(path) = &files.graph {
        tables.add_links(model, "links", read_links_with(path, columns_as)?);
    }
    if let Some(path) = &files.attributes {
        let columns = fitted_width(model, "attributes").map_err(misfit)?;
        let encoding = encoding(model, "attributes", columns, path, remarks);
        let mut table = match &encoding {
            Some(encoding) => read_attributes_like(path, encoding, columns_as)?,
            None => read_attributes(path)?,
        };
        if let Some(names) = files.columns.as_ref().filter(|_| table.encoding.is_none()) {
            table.columns = Some(read_column_names(path, table.matrix.cols(), names)?);
        }
        tables.attributes.push(("attributes".to_owned(), table));
    }
    for (name, path) in views {
        let columns = fitted_width(model, name).map_err(misfit)?;
        if is_relation(model, name).map_err(misfit)? {
            // A matrix need not be square here: a row per new node, a column per fitted node.
            tables.add_links(model, name, read_links_with(path, columns_as)?);
            continue;
        }
        let encoding = encoding(model, name, columns, path, remarks);
        let table = match &encoding {
            Some(encoding) => read_attributes_like(path, encoding, columns_as)?,
            None => read_attributes(path)?,
        };
        tables.attributes.push((name.to_owned(), table));
    }
    tables.names = files.nodes.as_deref().map(read_nodes).transpose()?;
    Ok(tables)
}

/// Says what was taken as what, and the remarks of the readers with their remedies.
fn say_readings(tables: &mut NewTables, session: &Session, remarks: &mut Vec<String>) {
    let links = tables.links.iter().filter_map(|part| part.1.reading.clone());
    let readings = links.chain(tables.attributes.iter().filter_map(|part| part.1.reading.clone()));
    session.out.readings(&readings.collect::<Vec<_>>());
    let links = tables.links.iter_mut().map(|part| &mut part.1.warnings);
    for warnings in links.chain(tables.attributes.iter_mut().map(|part| &mut part.1.warnings)) {
        remarks.extend(warnings.drain(..).map(|note| remark(&note)));
    }
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
            "`{name}`: the model is of an older version and does not say how its table was scaled, \
             so the new table \
             is scaled by itself; fit again for exact rows"
        ));
    }
    encoding
}

fn misfit(error: NewDataError) -> Failure {
    Failure::of(Exit::Misfit, &error, Some(&error.hint))
}
