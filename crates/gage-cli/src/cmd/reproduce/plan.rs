//! Units of work, ordered by data set so that each is read once.

use std::path::PathBuf;

use gage_embed::eval::{ClassifyParams, LinkExperiment, TrainSize, even_lambdas};
use gage_embed::io::read_labels;
use gage_embed::{Dimension, FitParams};
use serde::Serialize;

use super::report::{
    DEFAULTS, DEFAULTS_DIM, FIGURE_DIM, METHODS, Machine, PAPER, PaperMethod, Setting, Skipped,
    Task, Unit,
};
use crate::args::{PartArg, ReproduceArgs};
use crate::errors::{Exit, Failure};

/// The data sets live here, one folder each; these files are looked for before anything is done.
const FILES: [&str; 3] = ["adj.npz", "features.npz", "labels.npy"];

/// Baselines that take long on large graphs.
const SLOW: [&str; 2] = ["deepwalk", "tadw"];
/// Nodes above which they are left out.
const SLOW_LIMIT: usize = 20_000;

/// Baselines to compare with; slow ones have to be requested.
fn baselines(slow: bool) -> Vec<String> {
    let methods = gage_baselines::methods().into_iter().filter(|method| slow || !method.is_slow());
    methods.map(|method| method.name().to_owned()).collect()
}

/// Methods of the paper to run: those that were named, else with `--all` every one, else those that
/// take seconds.
fn paper_methods(args: &ReproduceArgs) -> Result<Vec<String>, Failure> {
    let all = || METHODS.iter().map(|method| method.baseline);
    let own = |name: &String| all().any(|baseline| baseline == name);
    match &args.methods[..] {
        [] if args.all => Ok(all().map(str::to_owned).collect()),
        [] => Ok(QUICK.map(str::to_owned).to_vec()),
        [none] if none == "none" => Ok(Vec::new()),
        names => match names.iter().find(|name| !own(name)) {
            None => Ok(names.to_vec()),
            Some(name) => {
                let known: Vec<&str> = all().collect();
                let message =
                    format!("--methods: found `{name}`, expected some of {}", known.join(", "));
                Err(Failure::usage(message).help("or `none` for published numbers alone"))
            }
        },
    }
}

/// Methods of the paper that take seconds.
const QUICK: [&str; 2] = ["tpine", "tadw"];

/// Nodes of a data set, by its labels: the smallest of its files.
fn nodes(labels: &std::path::Path) -> anyhow::Result<usize> {
    Ok(read_labels(labels)?.labels.len())
}

/// Everything to do and how.
pub(super) struct Plan {
    folder: PathBuf,
    pub(super) setting: Setting,
    pub(super) units: Vec<Unit>,
    pub(super) skipped: Vec<Skipped>,
    /// Fits to take the time of.
    pub(super) time_repeats: usize,
}

/// Everything but the data that changes the outcome of a unit.
#[derive(Serialize)]
pub(super) struct Parameters {
    fit: Option<FitParams>,
    classify: Option<ClassifyParams>,
    links: Option<LinkExperiment>,
    lambdas: Option<Vec<f64>>,
    time: Option<(usize, Machine)>,
    variant: Option<&'static str>,
}

impl Plan {
    pub(super) fn new(args: &ReproduceArgs, seed: u64) -> anyhow::Result<Plan> {
        // Unknown presets are reported first; those of a part that is not requested do
        // not matter.
        let classified = [PartArg::Tables, PartArg::Time, PartArg::Defaults];
        let presets =
            if classified.iter().any(|&part| args.wants(part)) { &args.presets[..] } else { &[] };
        let link_presets = if args.wants(PartArg::Links) { &args.link_presets[..] } else { &[] };
        for name in presets.iter().chain(link_presets) {
            FitParams::preset(name)?;
        }
        let shuffles = |usual| if args.quick { 2 } else { usual };
        let mut plan = Plan {
            folder: args.folder.clone(),
            setting: Setting {
                version: env!("CARGO_PKG_VERSION"),
                seed,
                quick: args.quick,
                classify_shuffles: shuffles(10),
                link_shuffles: shuffles(5),
                defaults_shuffles: shuffles(3),
                presets: presets.to_vec(),
                link_presets: link_presets.to_vec(),
                methods: paper_methods(args)?,
                baselines: if args.wants(PartArg::Defaults) {
                    baselines(args.slow)
                } else {
                    Vec::new()
                },
                machine: Machine::here(),
            },
            units: Vec::new(),
            skipped: Vec::new(),
            time_repeats: if args.quick { 1 } else { 3 },
        };
        plan.choose(args)?;
        Ok(plan)
    }

    fn choose(&mut self, args: &ReproduceArgs) -> anyhow::Result<()> {
        let papers = PAPER.iter().map(|data| data.folder).filter(|_| {
            [PartArg::Tables, PartArg::Links, PartArg::Time, PartArg::Figures]
                .iter()
                .any(|&part| args.wants(part))
        });
        let mut known: Vec<&str> = papers.collect();
        if args.wants(PartArg::Defaults) {
            known.extend(DEFAULTS.iter().filter(|data| !PAPER.iter().any(|p| p.folder == **data)));
            if known.len() < DEFAULTS.len() {
                known = DEFAULTS.to_vec();
            }
        }
        if let Some(name) = args.datasets.iter().find(|name| !known.contains(&name.as_str())) {
            let message =
                format!("--datasets: found `{name}`, expected some of {}", known.join(", "));
            return Err(Failure::usage(message).help("name folders of DATASETS_DIR").into());
        }
        known.retain(|name| args.datasets.is_empty() || args.datasets.iter().any(|d| d == name));
        self.check_folders(&known)?;
        for data in known {
            self.paper_units(data, args);
            if args.wants(PartArg::Defaults) && DEFAULTS.contains(&data) {
                self.default_units(data, args.slow)?;
            }
        }
        Ok(())
    }

    fn check_folders(&self, names: &[&str]) -> Result<(), Failure> {
        for name in names {
            let lacks = FILES.iter().find(|file| !self.folder.join(name).join(file).is_file());
            let Some(file) = lacks else { continue };
            let place = self.folder.join(name);
            let found = if place.is_dir() { format!("no {file}") } else { "no such folder".into() };
            let message = format!(
                "{}: found {found}, expected a data set with {}",
                place.display(),
                FILES.join(", ")
            );
            let help = format!(
                "{} must hold the folders {}; leave some out with --datasets",
                self.folder.display(),
                names.join(", ")
            );
            return Err(Failure::new(Exit::Input, message).help(help));
        }
        Ok(())
    }

    fn paper_units(&mut self, folder: &str, args: &ReproduceArgs) {
        let Some(paper) = PAPER.iter().find(|data| data.folder == folder) else { return };
        let unit = |task, method: &str, dim| Unit {
            task,
            data: folder.to_owned(),
            method: method.to_owned(),
            dim,
        };
        let dims = if args.quick { &paper.dims[..1] } else { &paper.dims[..] };
        if args.wants(PartArg::Tables) {
            self.units.push(unit(Task::Data, "", 0));
            for &dim in dims {
                let presets = args.presets.iter();
                self.units.extend(presets.map(|preset| unit(Task::Classify, preset, dim)));
                let methods = self.setting.methods.iter();
                self.units.extend(methods.map(|method| unit(Task::Classify, method, dim)));
            }
        }
        if args.wants(PartArg::Links) {
            let presets = args.link_presets.iter();
            let methods = presets.chain(&self.setting.methods);
            self.units.extend(methods.map(|method| unit(Task::Links, method, paper.link_dim)));
        }
        if args.wants(PartArg::Time) {
            let presets = args.presets.iter();
            self.units.extend(presets.map(|preset| unit(Task::Time, preset, FIGURE_DIM)));
        }
        if args.wants(PartArg::Figures) {
            let dim = if args.quick { paper.dims[0] } else { FIGURE_DIM };
            self.units.push(unit(Task::ClassifySweep, "paper", dim));
            self.units.push(unit(Task::LinkSweep, "paper", paper.link_dim));
        }
    }

    fn default_units(&mut self, folder: &str, slow: bool) -> anyhow::Result<()> {
        let large = nodes(&self.place(folder).join("labels.npy"))? > SLOW_LIMIT;
        for method in self.setting.presets.iter().chain(&self.setting.baselines) {
            let unit = Unit {
                task: Task::Defaults,
                data: folder.to_owned(),
                method: method.clone(),
                dim: DEFAULTS_DIM,
            };
            if large && !slow && SLOW.contains(&method.as_str()) {
                let why = format!("slow on more than {SLOW_LIMIT} nodes; --slow runs it");
                self.skipped.push(Skipped { unit, why });
            } else {
                self.units.push(unit);
            }
        }
        Ok(())
    }

    /// The folder of a data set.
    pub(super) fn place(&self, data: &str) -> PathBuf {
        self.folder.join(data)
    }

    /// The folders of all data sets, once each.
    pub(super) fn folders(&self) -> Vec<PathBuf> {
        let mut folders: Vec<PathBuf> =
            self.units.iter().map(|unit| self.place(&unit.data)).collect();
        folders.dedup();
        folders
    }

    /// The fit of a unit; `None` where nothing of ours is fitted.
    pub(super) fn fit(&self, unit: &Unit) -> anyhow::Result<Option<FitParams>> {
        let baseline = PaperMethod::of(&unit.method).is_some()
            || self.setting.baselines.contains(&unit.method);
        if unit.task == Task::Data || baseline {
            return Ok(None);
        }
        Ok(Some(FitParams {
            dimension: Dimension::Fixed(unit.dim),
            seed: self.setting.seed,
            loadings: false,
            ..FitParams::preset(&unit.method)?
        }))
    }

    /// How nodes are classified.
    pub(super) fn classify(&self, unit: &Unit) -> ClassifyParams {
        let usual = ClassifyParams { seed: self.setting.seed, ..ClassifyParams::default() };
        match unit.task {
            Task::Defaults => ClassifyParams {
                train: [0.5, 0.1].map(TrainSize::Share).to_vec(),
                shuffles: self.setting.defaults_shuffles,
                ..usual
            },
            _ => ClassifyParams { shuffles: self.setting.classify_shuffles, ..usual },
        }
    }

    /// How links are hidden.
    pub(super) fn links(&self) -> LinkExperiment {
        LinkExperiment {
            shuffles: self.setting.link_shuffles,
            seed: self.setting.seed,
            ..LinkExperiment::default()
        }
    }

    /// Every lambda of the figures.
    pub(super) fn lambdas(&self) -> Vec<f64> {
        even_lambdas(11)
    }

    /// What makes a unit the same unit again.
    pub(super) fn parameters(&self, unit: &Unit) -> anyhow::Result<Parameters> {
        let task = unit.task;
        let classifies = matches!(task, Task::Classify | Task::ClassifySweep | Task::Defaults);
        let sweeps = matches!(task, Task::ClassifySweep | Task::LinkSweep);
        Ok(Parameters {
            fit: self.fit(unit)?,
            classify: classifies.then(|| self.classify(unit)),
            links: matches!(task, Task::Links | Task::LinkSweep).then(|| self.links()),
            lambdas: sweeps.then(|| self.lambdas()),
            // Seconds are those of one machine; nothing else depends on it.
            time: (task == Task::Time).then(|| (self.time_repeats, self.setting.machine.clone())),
            variant: PaperMethod::of(&unit.method)
                .filter(|_| task != Task::Defaults)
                .map(|method| method.variant(&unit.data)),
        })
    }

    /// Rough cost of a unit, for the time left.
    pub(super) fn cost(&self, unit: &Unit) -> u64 {
        let place = self.place(&unit.data);
        let bytes: u64 = ["adj.npz", "features.npz"]
            .iter()
            .filter_map(|file| Some(std::fs::metadata(place.join(file)).ok()?.len()))
            .sum();
        let factor = match unit.task {
            Task::Data => 1,
            Task::Classify | Task::Defaults => 10,
            Task::Links => 5 * self.setting.link_shuffles as u64,
            Task::Time => 5 * self.time_repeats as u64,
            Task::ClassifySweep => 40,
            Task::LinkSweep => 8 * self.setting.link_shuffles as u64,
        };
        // A network trains for minutes where a fit takes a second.
        let trained = PaperMethod::of(&unit.method).filter(|_| !QUICK.contains(&&*unit.method));
        let factor = if trained.is_some() { 50 * factor } else { factor };
        (bytes / 10_000 + 20) * factor * (unit.dim as u64 + 16) / 16
    }
}
