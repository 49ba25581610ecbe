//! The list of all methods, by name.

use crate::Error;
use crate::method::Method;
use crate::methods::{
    Age, ConcatenatedSvd, Dane, DeepWalk, Dgi, GraphAutoencoder, Pane, Ssgc, TPine, Tadw,
};

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
        Box::new(GraphAutoencoder::plain()),
        Box::new(GraphAutoencoder::variational()),
        Box::new(Dgi::default()),
        Box::new(Age::default()),
        Box::new(Dane::default()),
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
}
