//! `gage certify`: the accuracy of a model, measured on data.

use std::path::Path;

use gage_embed::io::{Inputs, reorder};
use gage_embed::model::{Certificate, certify};
use gage_embed::views::DirectedViews;
use gage_embed::{CertificateParams, Model};
use serde::Serialize;

use crate::args::{CertifyArgs, DirectedArg};
use crate::interrupt;
use crate::model_summary::certificate_text;
use crate::session::Session;
use crate::staging::Staging;

#[derive(Serialize)]
struct Report<'a> {
    model: String,
    nodes: usize,
    columns: usize,
    #[serde(flatten)]
    certificate: &'a Certificate,
    least_separation: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
}

pub(crate) fn run(args: &CertifyArgs, session: &Session) -> anyhow::Result<()> {
    let mut staging = Staging::new(args.data.inputs()?.join(Inputs::at(&args.model)));
    let target = args.output.as_deref().map(|path| staging.claim(path)).transpose()?;
    let model = session.model(&args.model)?;
    let mut data = args.data.clone();
    data.directed = data.directed.or_else(|| directions_of(&model));
    let dataset = session.load(&data)?;
    let rule = data.join.rule();
    let graph = reorder(dataset.graph, model.nodes(), Path::new(&data.title()), rule)?;
    let params = CertificateParams { seed: session.seed, ..CertificateParams::default() };
    let bar = session.bar();
    let certificate = certify(&model, &graph, &params, &bar)?;
    drop(bar);
    interrupt::check()?;
    let (nodes, columns) = (model.nodes().len(), model.dimension());
    if let Some(target) = &target {
        let model = model.with_certificate(certificate.clone());
        staging.write_at(target, |place| model.save(place))?;
    }
    staging.commit()?;
    let report = Report {
        model: args.model.display().to_string(),
        nodes,
        columns,
        certificate: &certificate,
        least_separation: certificate.least_separation(),
        output: args.output.as_ref().map(|path| path.display().to_string()),
    };
    let outputs: Vec<String> = report.output.clone().into_iter().collect();
    session.out.result(&outputs, &report, || certificate_text(&certificate))
}

/// The data are read as they were for the fit. A fit with directions says so; for any other,
/// reading the links as undirected changes nothing if they are symmetric, and repeats `--directed
/// no` if they are not.
fn directions_of(model: &Model) -> Option<DirectedArg> {
    let directed = |wanted: bool| {
        model.relations().is_some_and(|all| all.values().any(|&directed| directed == wanted))
    };
    if directed(true) && directed(false) {
        // Only the files themselves can have said so.
        return None;
    }
    match model.params().directed {
        DirectedViews::AsGiven if directed(true) => Some(DirectedArg::Out),
        DirectedViews::AsGiven => Some(DirectedArg::No),
        DirectedViews::Out => Some(DirectedArg::Out),
        DirectedViews::In => Some(DirectedArg::In),
        DirectedViews::Both => Some(DirectedArg::Both),
    }
}
