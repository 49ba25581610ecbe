//! The trait all methods share, and the list of them.

use gage_embed::{Graph, Observer, Tall};

use crate::{ConcatenatedSvd, DeepWalk, Error, Pane, Ssgc, TPine, Tadw};

/// A method that turns a graph into one vector per node.
pub trait Method: Send + Sync {
    /// Short name, by which it is asked for.
    fn name(&self) -> &'static str;

    /// What it does, in one sentence.
    fn describe(&self) -> &'static str;

    /// One row of `dimension` numbers per node, mean squared entry 1. The same `seed` gives the same bits at any number
    /// of threads. The observer hears of every pass and may stop the work between two of them.
    fn embed(
        &self,
        graph: &Graph,
        dimension: usize,
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Tall<f32>, Error>;
}

/// All methods, with their default parameters.
pub fn methods() -> Vec<Box<dyn Method>> {
    vec![
        Box::new(ConcatenatedSvd),
        Box::new(Ssgc::default()),
        Box::new(Pane::default()),
        Box::new(Tadw::default()),
        Box::new(TPine::default()),
        Box::new(DeepWalk::default()),
        Box::new(DeepWalk::paper()),
    ]
}

/// The method of that name, with its default parameters.
///
/// ```
/// assert_eq!(gage_baselines::named("tadw")?.name(), "tadw");
/// assert!(gage_baselines::named("word2vec").is_err());
/// # Ok::<(), gage_baselines::Error>(())
/// ```
pub fn named(name: &str) -> Result<Box<dyn Method>, Error> {
    methods().into_iter().find(|method| method.name() == name).ok_or_else(|| {
        let known: Vec<&str> = methods().iter().map(|method| method.name()).collect();
        Error::UnknownMethod { name: name.to_owned(), known: known.join(", ") }
    })
}
