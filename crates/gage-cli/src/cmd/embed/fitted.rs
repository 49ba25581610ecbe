//! The model of an embedding: taken from a checkpoint, resumed from one, or fitted.

use std::time::Instant;

use gage_embed::solver::{FitContext, FitWork, Prepared, prepare};
use gage_embed::{CheckedParams, Error, Graph, Lambda, Model, Observer};

use crate::args::EmbedArgs;
use crate::checkpoint::Checkpoint;
use crate::interrupt;
use crate::memory::MemoryLimit;
use crate::progress;
use crate::session::Session;

/// A fit and how it came about.
pub(super) struct Fitted {
    pub(super) model: Model,
    pub(super) resumed: bool,
    pub(super) work: FitWork,
    pub(super) warnings: Vec<String>,
    /// Seconds to read the data, and to fit.
    pub(super) seconds: [f64; 2],
}

/// Reads the data and fits them as far as a checkpoint does not hold the fit already.
pub(super) fn obtain(args: &EmbedArgs, session: &Session) -> anyhow::Result<Fitted> {
    let clock = Instant::now();
    let request = args.request(session.seed)?;
    let dataset = session.load_for_fit(&args.data)?;
    let read = clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    let graph = &dataset.graph;
    let params = request.params(graph.nodes().len())?.check()?;
    let mut run = Run { args, session, warnings: dataset.warnings };
    let (model, work, resumed) = match &args.checkpoint {
        Some(folder) => run.fit_kept(&Checkpoint::of(folder, graph, &params), graph, params)?,
        None => {
            let bar = session.bar();
            let (prepared, ctx) = run.prepare(graph, &params, &bar)?;
            let (model, work) = prepared.resume(None, &ctx)?;
            (model, work, false)
        }
    };
    interrupt::check()?;
    let Run { warnings, .. } = run;
    let seconds = [read, clock.elapsed().as_secs_f64()];
    Ok(Fitted { model, resumed, work, warnings, seconds })
}

/// An unfinished fit, and what was warned of.
struct Run<'a> {
    args: &'a EmbedArgs,
    session: &'a Session,
    warnings: Vec<String>,
}

impl Run<'_> {
    fn note(&self, text: String) {
        self.session.out.notes(std::slice::from_ref(&text));
    }

    fn warn(&mut self, text: String) {
        self.session.out.warnings(std::slice::from_ref(&text));
        self.warnings.push(text);
    }

    /// Selects and builds the views, in a workspace that is limited if memory is.
    fn prepare<'g, 'o>(
        &self,
        graph: &'g Graph,
        params: &CheckedParams,
        observer: &'o dyn Observer,
    ) -> anyhow::Result<(Prepared<'g>, FitContext<'o>)> {
        let scratch = self.args.scratch.as_deref();
        let limit = self.args.max_memory;
        let limit = limit.map(|limit| MemoryLimit::new(limit, scratch, graph)).transpose()?;
        let workspace = limit.as_ref().map(MemoryLimit::workspace).unwrap_or_default();
        let ctx = FitContext { observer, workspace, ..FitContext::default() };
        let prepared = prepare(graph, params.clone(), &ctx)?;
        if let Lambda::Links(lambda) = self.args.lambda.lambda() {
            prepared.lambda_ends().check(lambda)?;
        }
        if let Some(limit) = &limit {
            let plan = prepared.plan();
            limit.apply(&plan)?;
            limit.note(&plan).into_iter().for_each(|text| self.note(text));
        }
        Ok((prepared, ctx))
    }

    /// Takes up what an earlier run left, if it is of use, and keeps what this one does.
    fn fit_kept(
        &mut self,
        checkpoint: &Checkpoint,
        graph: &Graph,
        params: CheckedParams,
    ) -> anyhow::Result<(Model, FitWork, bool)> {
        if let Some(model) = checkpoint.finished() {
            self.note("resumed from a finished fit in the checkpoint folder".to_owned());
            return Ok((model, FitWork { passes: 0, resumed: None }, true));
        }
        let bar = self.session.bar();
        let (prepared, ctx) = self.prepare(graph, &params, &bar)?;
        let left = checkpoint.left(&ctx.workspace);
        left.warnings.into_iter().for_each(|text| self.warn(text));
        if let Some(state) = left.state.as_ref().filter(|state| prepared.accepts(state)) {
            let (stage, passes) = (progress::name(state.stage()), state.passes());
            self.note(format!("resumed a fit cut short after {passes} passes, at: {stage}"));
        }
        let keeper = checkpoint.keeper(self.args.checkpoint_every);
        let ctx = FitContext { checkpoints: Some(&keeper), ..ctx };
        let outcome = match prepared.resume(left.state, &ctx) {
            Err(error @ Error::State { .. }) => {
                self.warn(checkpoint.refused(&error));
                prepare(graph, params, &ctx)?.resume(None, &ctx)
            }
            outcome => outcome,
        };
        if let Some(failure) = keeper.failure() {
            self.warn(failure);
        }
        let (model, work) = outcome?;
        interrupt::check()?;
        if let Err(error) = checkpoint.keep(&model) {
            // A full disk of checkpoints is no reason to lose a finished fit.
            interrupt::check()?;
            self.warn(format!("the finished fit was not kept for later runs: {error}"));
        }
        let resumed = work.resumed.is_some();
        Ok((model, work, resumed))
    }
}
