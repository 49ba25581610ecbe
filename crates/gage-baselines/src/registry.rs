//! The list of all methods, by name.

use crate::Error;
use crate::method::Method;
use crate::methods::{ConcatenatedSvd, DeepWalk, Pane, Ssgc, TPine, Tadw};

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
