//! From a preset to the views of one graph.

use crate::graph::{BlockKind, Graph};

use super::view_spec::{Directed, Direction, Preset, Source, ViewSpec};

impl Preset {
    /// The views this preset makes of a graph: its own views whose blocks exist, then one view for every further
    /// block; directed links are treated as `directed` says.
    pub fn specs_for(&self, graph: &Graph, directed: Directed) -> Vec<ViewSpec> {
        let own = self.views.iter().filter(|spec| {
            let source = match &spec.source {
                Source::Block(block) => graph.block(block).is_some(),
                Source::Identity => true,
            };
            source && spec.propagate.as_ref().is_none_or(|p| graph.block(&p.block).is_some())
        });
        let mut specs: Vec<ViewSpec> = own.cloned().collect();
        for block in graph.blocks() {
            // Links that a view is smoothed over are made use of already.
            let used = |spec: &ViewSpec| {
                spec.source == Source::Block(block.name.clone())
                    || spec.propagate.as_ref().is_some_and(|over| over.block == block.name)
            };
            if self.views.iter().any(used) {
                continue;
            }
            let pattern = match block.kind {
                BlockKind::Links { .. } => &self.further_links,
                BlockKind::Attributes => &self.further_attributes,
            };
            if let Some(pattern) = pattern {
                specs.push(ViewSpec {
                    name: block.name.clone(),
                    source: Source::Block(block.name.clone()),
                    ..pattern.clone()
                });
            }
        }
        specs.into_iter().flat_map(|spec| direct(spec, graph, directed)).collect()
    }
}

/// Applies a wish about directions to one specification.
fn direct(spec: ViewSpec, graph: &Graph, directed: Directed) -> Vec<ViewSpec> {
    let Source::Block(block) = &spec.source else { return vec![spec] };
    let is_directed =
        graph.block(block).is_some_and(|block| block.kind == BlockKind::Links { directed: true });
    let turned = |direction, suffix: &str| ViewSpec {
        direction,
        name: format!("{}{suffix}", spec.name),
        ..spec.clone()
    };
    match directed {
        _ if !is_directed => vec![spec],
        Directed::AsGiven => vec![spec],
        Directed::Out => vec![turned(Direction::Out, "")],
        Directed::In => vec![turned(Direction::In, "")],
        Directed::Both => vec![turned(Direction::Out, "-out"), turned(Direction::In, "-in")],
    }
}
