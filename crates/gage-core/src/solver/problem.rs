//! The scaled problem: views with norms and weights.

use crate::error::Error;
use crate::graph::Mask;
use crate::progress::Stage;
use crate::views::{CentredGram, GramBuilder, GramNorm, View, Views, gram_norm};
use gage_linalg::Reducer;

use super::context::Context;

/// Prepared views. Every `Y_k` is divided by `sqrt(||X_k||_F)`, so that all Gram matrices have norm
/// one whatever the units of the data, and `weights` are what the loss weights become in these
/// units, the largest being one.
pub(crate) struct Problem<'a> {
    pub(crate) views: &'a Views,
    pub(crate) ops: Vec<CentredGram<'a>>,
    pub(crate) weights: Vec<f64>,
    pub(crate) norms: Vec<GramNorm>,
    /// `||X_k||^2` in these units: 1, or 0 for a view without any distances.
    pub(crate) energies: Vec<f64>,
}

impl<'a> Problem<'a> {
    /// Measures every view. With `balance` a weight refers to the view at norm one, otherwise to
    /// the view as it is; with `form`, the columns that views will be multiplied by, Gram matrices
    /// are formed where that is faster.
    pub(crate) fn new(
        views: &'a Views,
        balance: bool,
        form: Option<f64>,
        seed: u64,
        ctx: &Context<'_>,
    ) -> Result<Problem<'a>, Error> {
        let mut ops = Vec::with_capacity(views.views().len());
        let mut norms = Vec::with_capacity(views.views().len());
        let mut builder = form.map(GramBuilder::new);
        for view in views.views() {
            let (op, norm) = measured(view, views.node_keys(), builder.as_mut(), seed, ctx)?;
            ops.push(op);
            norms.push(norm);
            ctx.report(Stage::Norms, 0, None)?;
        }
        let weights = loss_weights(views, &norms, balance)?;
        let energies = norms.iter().map(|n| f64::from(u8::from(n.value > 0.0))).collect();
        Ok(Problem { views, ops, weights, norms, energies })
    }

    /// Passes over the data so far: the largest count of any view.
    pub(crate) fn passes(&self) -> usize {
        self.ops.iter().map(CentredGram::passes).max().unwrap_or(0)
    }

    /// Passes of this run alone, without those of an earlier one that it resumes.
    pub(crate) fn passes_done(&self) -> usize {
        self.ops.iter().map(CentredGram::passes_done).max().unwrap_or(0)
    }

    /// Passes over every view so far.
    pub(crate) fn passes_of_each(&self) -> Vec<usize> {
        self.ops.iter().map(CentredGram::passes).collect()
    }

    /// `sum_k w_k^2 ||X_k||^2`.
    pub(crate) fn total(&self) -> f64 {
        self.weights.iter().zip(&self.energies).map(|(w, e)| w * w * e).sum()
    }

    /// The local nodes that have every view, unless all have.
    pub(crate) fn complete_nodes(&self) -> Option<Mask> {
        if self.ops.iter().all(|op| !op.partial()) {
            return None;
        }
        let rows = self.ops[0].local_rows();
        let flags = (0..rows).map(|row| self.ops.iter().all(|op| op.observes(row))).collect();
        Some(Mask::new(flags))
    }

    /// The same views over the nodes of `mask` only.
    pub(crate) fn restricted(
        &self,
        mask: &'a Mask,
        seed: u64,
        reducer: &dyn Reducer,
    ) -> Problem<'a> {
        let mut ops = Vec::with_capacity(self.ops.len());
        let mut energies = Vec::with_capacity(self.ops.len());
        for (k, view) in self.views.views().iter().enumerate() {
            let mut op = CentredGram::new(&view.operator, Some(mask), reducer);
            let norm = gram_norm(view, &op, (self.views.node_keys(), false), seed, reducer);
            op.unit = self.ops[k].unit;
            op.reset_passes();
            energies.push((norm.value * op.unit * op.unit).powi(2));
            ops.push(op);
        }
        Problem {
            views: self.views,
            ops,
            weights: self.weights.clone(),
            norms: self.norms.clone(),
            energies,
        }
    }
}

/// The Gram operator of a view, scaled to norm one, and its norm.
fn measured<'a>(
    view: &'a View,
    node_keys: &[u64],
    builder: Option<&mut GramBuilder<'a>>,
    seed: u64,
    ctx: &Context<'_>,
) -> Result<(CentredGram<'a>, GramNorm), Error> {
    let mut op = CentredGram::new(&view.operator, view.observed.as_ref(), ctx.reducer);
    // Several workers form nothing, but measure as exactly.
    let formed = builder.as_ref().is_some_and(|b| b.would_build(view, ctx.reducer));
    let alone = builder.filter(|_| ctx.reducer.is_single());
    let explicit = alone.and_then(|builder| builder.build(view));
    let mut norm = match &explicit {
        Some(explicit) => GramNorm { value: explicit.squared.sqrt(), exact: true },
        None => gram_norm(view, &op, (node_keys, formed), seed, ctx.reducer),
    };
    if !norm.value.is_finite() {
        return Err(Error::NotFinite { stage: Stage::Norms });
    }
    // What centring should have cancelled but rounding left over is no distance: the squared norm
    // is a difference of numbers of size `uncentred^2`, known to about 1e-15 of that.
    if norm.value <= 1e-7 * op.uncentred_scale() {
        norm.value = 0.0;
    }
    op.unit = if norm.value > 0.0 { 1.0 / norm.value.sqrt() } else { 0.0 };
    op.explicit = explicit.map(|explicit| explicit.gram);
    op.reset_passes();
    Ok((op, norm))
}

/// Weights of the views at norm one, the largest being one.
fn loss_weights(views: &Views, norms: &[GramNorm], balance: bool) -> Result<Vec<f64>, Error> {
    let raw: Vec<f64> = views
        .views()
        .iter()
        .zip(norms)
        .map(|(view, norm)| match (balance, norm.value > 0.0) {
            (_, false) => 0.0,
            (true, true) => view.weight,
            (false, true) => view.weight * norm.value * view.data_scale().powi(2),
        })
        .collect();
    if raw.iter().any(|w| !w.is_finite()) {
        return Err(Error::NotFinite { stage: Stage::Norms });
    }
    let largest = raw.iter().copied().fold(0.0, f64::max);
    if largest <= 0.0 {
        return Err(Error::NothingToEmbed { views: norms.len() });
    }
    Ok(raw.iter().map(|w| w / largest).collect())
}
