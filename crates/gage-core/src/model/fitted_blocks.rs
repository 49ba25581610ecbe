//! The blocks of the fitted graph that take part in a model.

use crate::views::Source;

use super::fitted_model::Model;
use super::fitted_view::FittedView;

impl Model {
    /// The blocks of the fitted graph that take part in the views, with the columns a row of a new
    /// node must have. Links that only smooth other views are among them: their columns are the
    /// fitted nodes.
    pub fn fitted_blocks(&self) -> Vec<(String, usize)> {
        let mut blocks: Vec<(String, usize)> = Vec::new();
        let mut add = |name: &str, columns: usize| {
            if blocks.iter().all(|(known, _)| known != name) {
                blocks.push((name.to_owned(), columns));
            }
        };
        for (k, view) in self.views.iter().enumerate() {
            let recipe = self.tables.as_ref().map(|tables| &tables.views[k].recipe);
            let source = match recipe {
                Some(recipe) => recipe.block.clone(),
                None => self.specified_source(view),
            };
            if let Some(block) = source {
                add(&block, view.columns);
            }
            if let Some(propagation) = recipe.and_then(|recipe| recipe.propagation.as_ref()) {
                add(&propagation.block, self.fitted_nodes());
            }
        }
        blocks
    }

    /// The block a view was made from, by its specification.
    fn specified_source(&self, view: &FittedView) -> Option<String> {
        let specs = self.params.views.as_ref().unwrap_or(&self.params.preset.views);
        // A view of directed links may have been split in two.
        let plain = view.name.strip_suffix("-out").or(view.name.strip_suffix("-in"));
        let spec = [Some(view.name.as_str()), plain]
            .into_iter()
            .flatten()
            .find_map(|name| specs.iter().find(|spec| spec.name == name));
        match spec.map(|spec| &spec.source) {
            Some(Source::Block(block)) => Some(block.clone()),
            Some(Source::Identity) => None,
            None => Some(view.name.clone()),
        }
    }
}
