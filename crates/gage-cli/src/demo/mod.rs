//! `gage demo`: a few thousand Debian packages embedded, checked, classified and drawn.

mod data;
mod page;
mod story;
mod study;

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use serde::Serialize;

pub(crate) use story::grouped;
pub use study::{LOOKS, Look, Score, Seconds, Sizes, Story, TOLD};

use crate::{make_folder, write_file};

/// Arguments of `gage demo`.
#[derive(Args, Clone, Debug)]
pub struct DemoArgs {
    /// Folder for the page, the model and the data
    #[arg(short, long, value_name = "DIR", default_value = "gage-demo")]
    pub output: PathBuf,
}

impl DemoArgs {
    /// The options these arguments mean.
    pub fn options(&self, seed: u64) -> DemoOptions {
        DemoOptions { output: self.output.clone(), seed }
    }
}

/// Where the demo writes, and its seed.
#[derive(Clone, Debug)]
pub struct DemoOptions {
    /// Folder for the page, the model and the data.
    pub output: PathBuf,
    /// Seed of everything random.
    pub seed: u64,
}

/// What the demo found.
#[derive(Clone, Debug, Serialize)]
pub struct DemoReport {
    /// The page.
    pub page: PathBuf,
    /// The model.
    pub model: PathBuf,
    /// The data set.
    pub data: PathBuf,
    /// Counts of the data.
    pub sizes: Sizes,
    /// Columns of the embedding.
    pub dimension: usize,
    /// Passes over the data.
    pub passes: usize,
    /// Seconds each part took.
    pub seconds: Seconds,
    /// Seconds in all.
    pub total_seconds: f64,
    /// What the model promises, measured.
    pub certificate: gage_embed::model::Certificate,
    /// Score of always answering the largest section.
    pub chance: f64,
    /// How well sections are told apart.
    pub scores: Vec<Score>,
    /// Similar packages.
    pub stories: Vec<Story>,
}

/// Runs the demo; the story goes to `out`, everything else to the folder.
pub fn run(options: &DemoOptions, out: &mut dyn Write) -> Result<DemoReport> {
    let started = Instant::now();
    make_folder(&options.output)?;
    let folder = options.output.join("debian");
    data::unpack(&folder)?;
    let graph = data::read(&folder)?.graph;
    story::opening(&graph, out)?;
    let (model, fit_seconds) = study::fit_model(&graph, options.seed)?;
    story::fitted(&model, fit_seconds, out)?;
    let study = study::study(&graph, &model, fit_seconds, options.seed)?;
    let model = model.with_certificate(study.certificate.clone());
    let paths = ["index.html", "debian.gage"].map(|name| options.output.join(name));
    model.save(&paths[1])?;
    let report = DemoReport {
        page: paths[0].clone(),
        model: paths[1].clone(),
        data: folder,
        sizes: study.sizes.clone(),
        dimension: model.dimension(),
        passes: model.info().passes,
        seconds: study.seconds.clone(),
        total_seconds: started.elapsed().as_secs_f64(),
        certificate: study.certificate.clone(),
        chance: study.chance,
        scores: study.scores.clone(),
        stories: study.stories.clone(),
    };
    let page = page::page(&graph, &study.views, &report)?;
    write_file(&report.page, |out| Ok(out.write_all(page.as_bytes())?))?;
    story::findings(&report, out)?;
    Ok(report)
}
