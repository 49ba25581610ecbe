//! `gage demo`: a few thousand Debian packages embedded, checked, classified and drawn.

mod data;
mod page;
mod report;
mod study;
mod text;

use std::fs;
use std::time::Instant;

use gage_embed::io::Inputs;

use self::report::DemoReport;
use crate::args::DemoArgs;
use crate::errors::cannot_write;
use crate::session::Session;
use crate::staging::Staging;

pub(crate) fn run(args: &DemoArgs, session: &Session) -> anyhow::Result<()> {
    let clock = Instant::now();
    let folder = args.output.join("debian");
    fs::create_dir_all(&folder).map_err(|error| cannot_write(&folder, &error))?;
    let paths = ["index.html", "debian.gage"].map(|name| args.output.join(name));
    let mut staging = Staging::new(Inputs::at(&folder));
    let [page, model_file] = [staging.claim(&paths[0])?, staging.claim(&paths[1])?];
    let mut outputs = data::unpack(&folder)?;
    let graph = data::read(&folder)?.graph;
    session.out.tell(&text::opening(&graph))?;
    let (model, fit_seconds) = study::fit_model(&graph, session)?;
    session.out.tell(&text::fitted(&model, fit_seconds))?;
    let findings = study::study(&graph, &model, fit_seconds, session)?;
    let model = model.with_certificate(findings.certificate.clone());
    staging.write_at(&model_file, |place| model.save(place))?;
    outputs.extend(paths.iter().map(|path| path.display().to_string()));
    let mut report = DemoReport {
        outputs,
        page: paths[0].clone(),
        model: paths[1].clone(),
        data: folder,
        dimension: model.dimension(),
        passes: model.info().passes,
        total_seconds: clock.elapsed().as_secs_f64(),
        findings,
    };
    let drawing = Instant::now();
    let html = page::page(graph, model, &report, session)?;
    report.findings.seconds.map += drawing.elapsed().as_secs_f64();
    report.total_seconds = clock.elapsed().as_secs_f64();
    staging.write(&page, |out| out.write_all(html.as_bytes()))?;
    staging.commit()?;
    session.out.summary(&report.outputs, &report, || text::findings(&report))
}
