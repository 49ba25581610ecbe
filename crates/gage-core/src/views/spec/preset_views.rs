//! The views that a preset makes of a graph.

use crate::graph::{BlockKind, Graph};

use super::preset::Preset;
use super::view_spec::{DirectedViews, Direction, Source, ViewSpec};

impl Preset {
    /// The views this preset makes of a graph: its own views whose blocks exist, then one view for
    /// every further block. `directed` selects the views of directed links.
    pub fn specs_for(&self, graph: &Graph, directed: DirectedViews) -> Vec<ViewSpec> {
        let own = self
            .views
            .iter()
            .filter(|spec| spec.blocks().all(|block| graph.block(block).is_some()));
        let mut specs: Vec<ViewSpec> = own.cloned().collect();
        for block in graph.blocks() {
            // Links that a view is smoothed over count as used.
            let used = |spec: &ViewSpec| spec.blocks().any(|name| name == block.name);
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
        specs.into_iter().flat_map(|spec| expand_directions(spec, graph, directed)).collect()
    }
}

/// Applies `directed` to one specification.
fn expand_directions(spec: ViewSpec, graph: &Graph, directed: DirectedViews) -> Vec<ViewSpec> {
    let Source::Block(block) = &spec.source else { return vec![spec] };
    let is_directed =
        graph.block(block).is_some_and(|block| block.kind == BlockKind::Links { directed: true });
    let with_direction = |direction, suffix: &str| ViewSpec {
        direction,
        name: format!("{}{suffix}", spec.name),
        ..spec.clone()
    };
    match directed {
        _ if !is_directed => vec![spec],
        DirectedViews::AsGiven => vec![spec],
        DirectedViews::Out => vec![with_direction(Direction::Out, "")],
        DirectedViews::In => vec![with_direction(Direction::In, "")],
        DirectedViews::Both => {
            vec![with_direction(Direction::Out, "-out"), with_direction(Direction::In, "-in")]
        }
    }
}
