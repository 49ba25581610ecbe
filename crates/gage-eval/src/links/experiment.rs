//! Link prediction over random removals: hide links, embed the rest, score.

use serde::{Deserialize, Serialize};

use crate::observe::{Counter, EvalObserver};
use crate::spread::Spread;
use gage_core::graph::Graph;
use gage_core::holdout::{
    EvalError, HiddenLinks, LinkReport, LinkScore, LinkSplit, StillLinked, at_least_one,
    hide_links, score_links,
};
use gage_linalg::AnyTall;
use gage_linalg::random::mix;

/// What to try.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkExperiment {
    /// Block of links to take from; the first one of the graph if `None`.
    pub block: Option<String>,
    /// Share of the links to hide, between 0 and 1.
    pub remove: f64,
    /// Random removals.
    pub shuffles: usize,
    /// How pairs are scored, each from the same embedding.
    pub scores: Vec<LinkScore>,
    /// Decides what is hidden, and seeds the embeddings.
    pub seed: u64,
}

impl Default for LinkExperiment {
    /// Half of the links, five times, dot products.
    fn default() -> Self {
        LinkExperiment {
            block: None,
            remove: 0.5,
            shuffles: 5,
            scores: vec![LinkScore::Dot],
            seed: 0,
        }
    }
}

impl LinkExperiment {
    pub(crate) fn check(&self) -> Result<(), EvalError> {
        at_least_one(&[("shuffles", self.shuffles), ("link scores", self.scores.len())])
    }

    /// The graph of one shuffle, and the seed of its embedding.
    pub fn hide(&self, graph: &Graph, shuffle: usize) -> Result<(HiddenLinks, u64), EvalError> {
        let seed = self.seed ^ mix(shuffle as u64);
        Ok((hide_links(graph, self.block.as_deref(), self.remove, seed)?, seed))
    }
}

/// Results of one way to score pairs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkScoreReport {
    /// How pairs were scored.
    pub score: LinkScore,
    /// Area under the ROC curve.
    pub auc: Spread,
    /// Average precision.
    pub average_precision: Spread,
    /// Results of each shuffle.
    pub runs: Vec<LinkReport>,
}

/// What came out of [`link_experiment`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkExperimentReport {
    /// The block the links were taken from.
    pub block: String,
    /// Whether its links have a direction.
    pub directed: bool,
    /// Links hidden in each shuffle, and pairs without a link they are distinguished from.
    pub hidden: usize,
    /// Other blocks that still join hidden pairs, counted in the first shuffle.
    pub still_linked: Vec<StillLinked>,
    /// One entry per way to score, in the order requested.
    pub results: Vec<LinkScoreReport>,
}

/// Hides links, embeds what is left and scores the hidden links against as many pairs without a
/// link, `shuffles` times.
///
/// `embed` is given the graph without the hidden links (and without labels) and a seed, and returns
/// one row per node; any method can stand there. Cost: `shuffles` times that of [`hide_links`],
/// `embed` and the scores.
///
/// ```
/// use gage_embed::eval::{EvalError, LinkExperiment, link_experiment};
/// use gage_embed::{AnyTall, Block, Graph, NoObserver, Nodes, SparseMatrix, Tall};
/// let pairs = (0..40u32).flat_map(|i| (0..40).map(move |j| (i, j, 1.0)));
/// let links: Vec<_> = pairs.filter(|&(i, j, _)| i != j && i / 20 == j / 20).collect();
/// let cliques = Block::links("links", SparseMatrix::from_triplets(40, 40, &links)?, false);
/// let graph = Graph::new(Nodes::numbered(40)).with_block(cliques)?;
/// let side = |row: usize, out: &mut [f32]| out[0] = if row < 20 { 1.0 } else { -1.0 };
/// let sides = |_: &Graph, _| Ok::<_, EvalError>(AnyTall::F32(Tall::from_rows(40, 1, side)));
/// let report = link_experiment(&graph, &LinkExperiment::default(), &NoObserver, sides)?;
/// assert_eq!(report.results[0].auc.mean, 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn link_experiment<E: From<EvalError>>(
    graph: &Graph,
    params: &LinkExperiment,
    observer: &dyn EvalObserver,
    mut embed: impl FnMut(&Graph, u64) -> Result<AnyTall, E>,
) -> Result<LinkExperimentReport, E> {
    params.check()?;
    let mut counter = Counter::new(observer, params.shuffles);
    let mut runs: Vec<Vec<LinkReport>> = vec![Vec::new(); params.scores.len()];
    let mut first = None;
    for shuffle in 0..params.shuffles {
        let (hidden, seed) = params.hide(graph, shuffle)?;
        let embedding = embed(&hidden.graph, seed)?;
        for (runs, score) in runs.iter_mut().zip(score_all(&embedding, &hidden.split, params)?) {
            runs.push(score);
        }
        first.get_or_insert(hidden);
        counter.step()?;
    }
    let hidden = first.ok_or(EvalError::TooFew { what: "shuffles", needed: 1, found: 0 })?;
    let results = params.scores.iter().zip(runs).map(|(&score, runs)| LinkScoreReport {
        score,
        auc: Spread::of(runs.iter().map(|run| run.auc)),
        average_precision: Spread::of(runs.iter().map(|run| run.average_precision)),
        runs,
    });
    Ok(LinkExperimentReport {
        results: results.collect(),
        hidden: hidden.split.held_out.len(),
        block: hidden.block,
        directed: hidden.directed,
        still_linked: hidden.still_linked,
    })
}

/// Scores one embedding in every way requested.
pub(crate) fn score_all(
    embedding: &AnyTall,
    split: &LinkSplit,
    params: &LinkExperiment,
) -> Result<Vec<LinkReport>, EvalError> {
    let score = |&score: &LinkScore| match embedding {
        AnyTall::F32(tall) => score_links(tall, split, score),
        AnyTall::F64(tall) => score_links(tall, split, score),
    };
    params.scores.iter().map(score).collect()
}
