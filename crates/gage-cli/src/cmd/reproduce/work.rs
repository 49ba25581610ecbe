//! Runs units of work, one at a time.

use std::collections::HashSet;
use std::time::Instant;

use gage_baselines::Scale;
use gage_embed::eval::{
    ClassifyReport, EvalError, EvalObserver, SweepTask, classify_with, link_experiment, sweep,
};
use gage_embed::graph::BlockKind;
use gage_embed::io::{DatasetSpec, load};
use gage_embed::{AnyTall, FitParams, Graph, Lambda, Matrix, Model, fit_with};

use super::baseline;
use super::plan::Plan;
use super::report::{DataFacts, Finished, Outcome, PaperMethod, Skipped, Task, Timing, Unit, View};
use crate::errors::Failure;
use crate::memory;

/// Works off units and remembers the data set it read last.
pub(super) struct Worker<'a> {
    plan: &'a Plan,
    graph: Option<(String, Graph)>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(plan: &'a Plan) -> Worker<'a> {
        Worker { plan, graph: None }
    }

    pub(super) fn run(
        &mut self,
        unit: &Unit,
        observer: &dyn EvalObserver,
    ) -> anyhow::Result<Result<Finished, Skipped>> {
        if self.graph.as_ref().is_none_or(|(name, _)| *name != unit.data) {
            // The old one is dropped first: two large graphs need not fit into memory.
            self.graph = None;
            let graph = load(&DatasetSpec::at(self.plan.place(&unit.data)))?.graph;
            self.graph = Some((unit.data.clone(), graph));
        }
        let Some((_, graph)) = &self.graph else { anyhow::bail!("no graph was read") };
        let available = memory::available_bytes().unwrap_or(MEMORY_LIMIT);
        if let Some(why) = too_large(unit, graph, available) {
            return Ok(Err(Skipped { unit: unit.clone(), why }));
        }
        let job = Job { plan: self.plan, graph, unit, observer };
        let (outcome, views) = match unit.task {
            Task::Data => (Outcome::Data(job.facts()?), Vec::new()),
            Task::Classify => job.classify()?,
            Task::Defaults => job.defaults()?,
            Task::Links => job.links()?,
            Task::Time => job.time()?,
            Task::ClassifySweep | Task::LinkSweep => job.sweep()?,
        };
        Ok(Ok(Finished { unit: unit.clone(), views, outcome }))
    }
}

/// Bytes a baseline may take where the system does not tell what is available.
const MEMORY_LIMIT: u64 = 8_000_000_000;

/// Why a baseline would not fit into memory.
fn too_large(unit: &Unit, graph: &Graph, available: u64) -> Option<String> {
    let method = baseline::of(unit, unit.task != Task::Defaults).ok()?;
    let needed = method.memory_bytes(graph, unit.dim);
    (needed > available).then(|| {
        let [needed, available] = [needed, available].map(|bytes| bytes as f64 / 1e9);
        format!("needs {needed:.1} GB of memory, {available:.1} GB are available")
    })
}

/// A unit and all it needs.
struct Job<'a> {
    plan: &'a Plan,
    graph: &'a Graph,
    unit: &'a Unit,
    observer: &'a dyn EvalObserver,
}

impl Job<'_> {
    fn params(&self) -> anyhow::Result<FitParams> {
        let params = self.plan.fit(self.unit)?;
        params.ok_or_else(|| anyhow::anyhow!("{}: nothing to fit", self.unit.name()))
    }

    fn fit(&self) -> anyhow::Result<Model> {
        Ok(fit_with(self.graph, self.params()?.check()?, self.observer)?)
    }

    fn facts(&self) -> anyhow::Result<DataFacts> {
        let links = self.graph.block("links").filter(|b| matches!(b.kind, BlockKind::Links { .. }));
        let attributes = self.graph.block("attributes");
        let (Some(links), Some(attributes)) = (links, attributes) else {
            let message = format!("{}: found no links or no attributes", self.unit.data);
            return Err(Failure::misfit(message)
                .help("the data sets of the paper have both")
                .into());
        };
        let Matrix::Sparse(matrix) = &links.matrix else { anyhow::bail!("links are sparse") };
        let ends = (0..matrix.rows()).flat_map(|i| matrix.row(i).map(move |(j, _)| (i as u32, j)));
        let pairs: HashSet<(u32, u32)> = ends.map(|(i, j)| (i.min(j), i.max(j))).collect();
        let sizes = self.graph.labels().map(|labels| labels.class_sizes()).unwrap_or_default();
        Ok(DataFacts {
            nodes: self.graph.nodes().len(),
            links: matrix.nnz(),
            pairs: pairs.len(),
            attributes: attributes.matrix.cols(),
            classes: sizes.len(),
            filled_classes: sizes.iter().filter(|&&size| size > 0).count(),
        })
    }

    fn score(&self, numbers: &AnyTall) -> anyhow::Result<ClassifyReport> {
        let Some(labels) = self.graph.labels() else {
            let message = format!("{}: found no labels, expected some to predict", self.unit.data);
            return Err(Failure::misfit(message).help("add labels.npy to its folder").into());
        };
        let params = self.plan.classify(self.unit);
        Ok(match numbers {
            AnyTall::F32(tall) => classify_with(tall, labels, &params, self.observer),
            AnyTall::F64(tall) => classify_with(tall, labels, &params, self.observer),
        }?)
    }

    fn classify(&self) -> anyhow::Result<(Outcome, Vec<View>)> {
        if self.is_baseline() {
            let score = |rows: &AnyTall| self.score(rows);
            let outcome =
                baseline::classify(self.plan, self.unit, self.graph, self.observer, score)?;
            return Ok((outcome, Vec::new()));
        }
        let model = self.fit()?;
        let report = self.score(&model.embedding(&Lambda::Preset)?)?;
        Ok((Outcome::Classify(report), views(&model)?))
    }

    /// As classification, but every embedding has the same scale, whatever made it.
    fn defaults(&self) -> anyhow::Result<(Outcome, Vec<View>)> {
        let (mut rows, seen) = if self.plan.fit(self.unit)?.is_some() {
            let model = self.fit()?;
            (model.embedding(&Lambda::Preset)?.to_f32(), views(&model)?)
        } else {
            let method = baseline::of(self.unit, false)?;
            let seed = self.plan.setting.seed;
            let rows = method.embed(self.graph, self.unit.dim, seed, self.observer)?;
            (rows, Vec::new())
        };
        Scale::MeanSquare.apply(&mut rows);
        Ok((Outcome::Classify(self.score(&AnyTall::F32(rows))?), seen))
    }

    fn is_baseline(&self) -> bool {
        PaperMethod::of(&self.unit.method).is_some()
    }

    fn links(&self) -> anyhow::Result<(Outcome, Vec<View>)> {
        if self.is_baseline() {
            let (hide, observer) = (self.plan.links(), self.observer);
            let outcome = baseline::links(self.unit, self.graph, &hide, observer)?;
            return Ok((outcome, Vec::new()));
        }
        let params = self.params()?;
        let mut seen = Vec::new();
        let report =
            link_experiment(self.graph, &self.plan.links(), self.observer, |graph, seed| {
                let params =
                    FitParams { seed, ..params.clone() }.check().map_err(EvalError::from)?;
                let model = fit_with(graph, params, self.observer)?;
                seen = views(&model)?;
                anyhow::Ok(model.embedding(&Lambda::Preset)?)
            })?;
        Ok((Outcome::Links(report), seen))
    }

    fn time(&self) -> anyhow::Result<(Outcome, Vec<View>)> {
        let (mut seconds, mut seen) = (Vec::new(), Vec::new());
        for done in 0..self.plan.time_repeats {
            self.observer.step(done, self.plan.time_repeats);
            let clock = Instant::now();
            let model = self.fit()?;
            let embedding = model.embedding(&Lambda::Preset)?;
            seconds.push(clock.elapsed().as_secs_f64());
            drop(embedding);
            seen = views(&model)?;
        }
        let mut sorted = seconds.clone();
        sorted.sort_by(f64::total_cmp);
        let median = sorted[sorted.len() / 2];
        let machine = &self.plan.setting.machine;
        let timing = Timing { seconds, median, threads: machine.threads, cpu: machine.cpu.clone() };
        Ok((Outcome::Time(timing), seen))
    }

    fn sweep(&self) -> anyhow::Result<(Outcome, Vec<View>)> {
        let task = match self.unit.task {
            Task::LinkSweep => SweepTask::Links(self.plan.links()),
            _ => SweepTask::Classify(self.plan.classify(self.unit)),
        };
        let params = self.params()?.check()?;
        let report = sweep(self.graph, &params, &self.plan.lambdas(), &task, self.observer)?;
        Ok((Outcome::Sweep(report), Vec::new()))
    }
}

fn views(model: &Model) -> anyhow::Result<Vec<View>> {
    let names = model.views().iter().map(|view| view.name.clone());
    let shares = model.shares(&Lambda::Preset)?;
    Ok(names.zip(shares).map(|(name, share)| View { name, share }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_tables_stay_within_memory() {
        let sparse = |rows, cols| gage_embed::SparseMatrix::empty(rows, cols).unwrap();
        let graph = |nodes| {
            let words = gage_embed::Block::attributes("attributes", sparse(nodes, 18_000));
            Graph::new(gage_embed::Nodes::numbered(nodes)).with_block(words).unwrap()
        };
        let unit = |method: &str| Unit {
            task: Task::Defaults,
            data: "wiki".to_owned(),
            method: method.to_owned(),
            dim: 64,
        };
        let why = too_large(&unit("pane"), &graph(100_000), 8_000_000_000);
        assert_eq!(why.unwrap(), "needs 8.1 GB of memory, 8.0 GB are available");
        assert!(too_large(&unit("pane"), &graph(100_000), 8_100_000_000).is_none());
        assert!(too_large(&unit("pane"), &graph(2_000), 8_000_000_000).is_none());
        assert!(too_large(&unit("ssgc"), &graph(100_000), 8_000_000_000).is_none());
        assert!(too_large(&unit("paper"), &graph(100_000), 0).is_none());
    }
}
