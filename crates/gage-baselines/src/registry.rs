//! The list of all methods, by name, and of their named settings.

use crate::Error;
use crate::method::Method;
use crate::methods::{
    Age, ConcatenatedSvd, Dane, DeepWalk, Dgi, GraphAutoencoder, Pane, Ssgc, TPine, Tadw,
};

/// The setting that every method has.
const DEFAULT: &str = "default";

/// All methods in all their settings; the default of each comes first.
///
/// `paper` is what the GAGE paper says of its comparison; where it gives different numbers for its
/// data sets, their names follow. `original` is the authors' own setting where the default is not.
fn settings() -> Vec<(&'static str, Box<dyn Method>)> {
    vec![
        (DEFAULT, Box::new(ConcatenatedSvd)),
        (DEFAULT, Box::new(Ssgc::default())),
        (DEFAULT, Box::new(Pane::default())),
        (DEFAULT, Box::new(Tadw::default())),
        ("paper", Box::new(Tadw::original())),
        (DEFAULT, Box::new(TPine::default())),
        ("paper-wikipedia", Box::new(TPine::with_neighbours(8))),
        ("paper-webkb", Box::new(TPine::with_neighbours(40))),
        ("paper-blogcatalog", Box::new(TPine::with_neighbours(50))),
        (DEFAULT, Box::new(DeepWalk::default())),
        ("paper", Box::new(DeepWalk::paper())),
        (DEFAULT, Box::new(GraphAutoencoder::plain())),
        ("paper", Box::new(GraphAutoencoder::plain().as_in_paper())),
        ("original", Box::new(GraphAutoencoder::plain().as_in_original())),
        (DEFAULT, Box::new(GraphAutoencoder::variational())),
        ("paper", Box::new(GraphAutoencoder::variational().as_in_paper())),
        ("original", Box::new(GraphAutoencoder::variational().as_in_original())),
        (DEFAULT, Box::new(Dgi::default())),
        ("paper", Box::new(Dgi::paper())),
        (DEFAULT, Box::new(Age::default())),
        ("paper", Box::new(Age::default())),
        ("original-cora", Box::new(Age::cora())),
        (DEFAULT, Box::new(Dane::default())),
        ("paper", Box::new(Dane::paper())),
        ("original", Box::new(Dane::original())),
    ]
}

/// All methods, with their default parameters.
pub fn methods() -> Vec<Box<dyn Method>> {
    let defaults = settings().into_iter().filter(|(variant, _)| *variant == DEFAULT);
    defaults.map(|(_, method)| method).collect()
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

/// Names of the settings of a method, `default` first; empty if there is no such method.
pub fn variants(name: &str) -> Vec<&'static str> {
    let own = settings().into_iter().filter(|(_, method)| method.name() == name);
    own.map(|(variant, _)| variant).collect()
}

/// The method of that name in one of its settings.
///
/// ```
/// assert_eq!(gage_baselines::variants("dgi"), ["default", "paper"]);
/// assert_eq!(gage_baselines::variant("dgi", "paper")?.name(), "dgi");
/// assert!(gage_baselines::variant("dgi", "quick").is_err());
/// # Ok::<(), gage_baselines::Error>(())
/// ```
pub fn variant(name: &str, variant: &str) -> Result<Box<dyn Method>, Error> {
    named(name)?;
    let mut all = settings().into_iter();
    let found = all.find(|(setting, method)| method.name() == name && *setting == variant);
    found.map(|(_, method)| method).ok_or_else(|| Error::UnknownVariant {
        method: name.to_owned(),
        variant: variant.to_owned(),
        known: variants(name).join(", "),
    })
}

#[cfg(test)]
mod tests {
    use gage_embed::{Block, Graph, Nodes, SparseMatrix};

    use super::*;

    #[test]
    fn memory_grows_with_the_graph() {
        let graph = |nodes: usize| {
            let links: Vec<_> = (1..nodes as u32).map(|i| (0, i, 1.0)).collect();
            let words: Vec<_> = (0..nodes as u32).map(|i| (i, i % 9, 1.0)).collect();
            let links = SparseMatrix::from_triplets(nodes, nodes, &links).unwrap();
            let words = SparseMatrix::from_triplets(nodes, 9, &words).unwrap();
            let graph = Graph::new(Nodes::numbered(nodes));
            let graph = graph.with_block(Block::links("links", links, false)).unwrap();
            graph.with_block(Block::attributes("attributes", words)).unwrap()
        };
        let (small, large) = (graph(100), graph(10_000));
        for method in methods() {
            let bytes = |graph: &Graph| method.memory_bytes(graph, 16);
            assert!(bytes(&small) > 0, "{}", method.name());
            assert!(bytes(&large) > 50 * bytes(&small), "{}", method.name());
        }
    }

    #[test]
    fn every_method_has_a_default_and_names_of_settings_are_not_used_twice() {
        for method in methods() {
            let mut names = variants(method.name());
            assert_eq!(names[0], DEFAULT, "{}", method.name());
            for name in &names {
                assert_eq!(variant(method.name(), name).unwrap().name(), method.name());
            }
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{}", method.name());
        }
        let error = variant("gae", "quick").err().unwrap();
        assert!(error.to_string().contains("`quick`"), "{error}");
        let Error::UnknownVariant { known, .. } = error else { panic!("{error}") };
        assert_eq!(known, "default, paper, original");
    }

    #[test]
    fn what_cannot_fit_into_memory_is_refused() {
        let graph = Graph::new(Nodes::numbered(1000));
        let method = named("gae").unwrap();
        let needed = method.memory_bytes(&graph, 16);
        assert_eq!(method.check_memory(&graph, 16, needed), Ok(needed));
        let error = method.check_memory(&graph, 16, needed - 1).unwrap_err();
        assert_eq!(error, Error::Memory { method: "gae", needed, available: needed - 1 });
        let error = Error::Memory { method: "gae", needed: 8_100_000_000, available: 2_000_000 };
        let said = "method `gae` needs about 8.1 GB of memory, 0.0 GB are available";
        assert_eq!(error.to_string(), said);
    }
}
