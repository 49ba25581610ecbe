//! Summaries of models and certificates as text and JSON.

use gage_embed::model::Certificate;
use gage_embed::preset_selection::Selection;
use gage_embed::{Lambda, Model};
use serde::Serialize;

use crate::output::{count, table};

/// One view of a model.
#[derive(Serialize)]
pub(crate) struct ViewSummary {
    pub(crate) name: String,
    pub(crate) weight: f64,
    pub(crate) share: f64,
    pub(crate) uses_links: bool,
    pub(crate) observed: usize,
    pub(crate) columns: usize,
    pub(crate) relative_loss: f64,
}

/// Summary of a model.
#[derive(Serialize)]
pub(crate) struct ModelSummary {
    pub(crate) nodes: usize,
    pub(crate) named: bool,
    pub(crate) columns: usize,
    pub(crate) precision: String,
    pub(crate) preset: String,
    /// What the preset found and chose, if it chose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) choice: Option<Selection>,
    pub(crate) seed: u64,
    pub(crate) passes: usize,
    pub(crate) relative_loss: f64,
    pub(crate) takes_new_nodes: bool,
    /// How many of the last nodes are not of the fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) appended_nodes: Option<usize>,
    pub(crate) nodes_without_any_view: usize,
    pub(crate) views: Vec<ViewSummary>,
    #[serde(skip)]
    pub(crate) warnings: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) certificate: Option<Certificate>,
}

impl ModelSummary {
    /// Describes a model, with the shares that `lambda` gives its views.
    pub(crate) fn of(model: &Model, lambda: &Lambda) -> anyhow::Result<ModelSummary> {
        let shares = model.shares(lambda)?;
        let (params, info) = (model.params(), model.info());
        Ok(ModelSummary {
            nodes: model.nodes().len(),
            named: model.nodes().is_named(),
            columns: model.dimension(),
            precision: format!("{:?}", model.factors().precision()).to_lowercase(),
            preset: params.preset.name.clone(),
            choice: info.choice.clone(),
            seed: params.seed,
            passes: info.passes,
            relative_loss: info.relative_loss,
            takes_new_nodes: model.takes_new_nodes(),
            appended_nodes: Some(model.nodes().len() - model.fitted_nodes()).filter(|&n| n > 0),
            nodes_without_any_view: info.unobserved_nodes.len(),
            views: model
                .views()
                .iter()
                .zip(shares)
                .map(|(view, share)| ViewSummary {
                    name: view.name.clone(),
                    weight: view.weight,
                    share,
                    uses_links: view.uses_links,
                    observed: view.observed,
                    columns: view.columns,
                    relative_loss: view.relative_loss,
                })
                .collect(),
            warnings: info.warnings.clone(),
            certificate: model.certificate().cloned(),
        })
    }

    /// The same for people.
    pub(crate) fn text(&self) -> String {
        let mut text = format!(
            "{} nodes x {} columns ({}), preset {}, {} passes, relative loss {:.4}\n",
            count(self.nodes),
            self.columns,
            self.precision,
            self.preset,
            self.passes,
            self.relative_loss
        );
        if let Some(appended) = self.appended_nodes {
            text.push_str(&format!("the last {} nodes were appended\n", count(appended)));
        }
        if let Some(choice) = &self.choice {
            text.push_str(&format!("{}: {}\n", self.preset, choice.rationale));
        }
        let mut rows = vec![
            ["view", "weight", "share", "part of", "nodes", "columns", "loss"]
                .map(String::from)
                .to_vec(),
        ];
        rows.extend(self.views.iter().map(|view| {
            vec![
                view.name.clone(),
                format!("{}", (1e3 * view.weight).round() / 1e3),
                format!("{:.3}", view.share),
                if view.uses_links { "lambda" } else { "1 - lambda" }.to_owned(),
                count(view.observed),
                count(view.columns),
                format!("{:.4}", view.relative_loss),
            ]
        }));
        text.push_str(&table(&rows));
        if let Some(certificate) = &self.certificate {
            text.push_str(&certificate_text(certificate));
        }
        text
    }
}

/// A certificate for people.
pub(crate) fn certificate_text(certificate: &Certificate) -> String {
    let header =
        ["certificate", "distance error", "95% interval", "loss", "least possible", "pairs"];
    let mut rows = vec![header.map(String::from).to_vec()];
    rows.extend(certificate.views.iter().map(|view| {
        let error = &view.distance_error;
        let interval = if view.all_pairs {
            "exact".to_owned()
        } else {
            format!("{:.4} to {:.4}", error.low, error.high)
        };
        // An estimated bound comes from Ritz values and may be a little too large.
        let about = if view.least_loss_exact { "" } else { "~" };
        vec![
            view.view.clone(),
            format!("{:.4}", error.value),
            interval,
            format!("{:.4}", view.loss),
            format!("{about}{:.4}", view.least_loss),
            count(view.pairs),
        ]
    }));
    let least = certificate.least_separation();
    format!("{}  least separation of two axes: {least:.2e} (at 0 they may turn)\n", table(&rows))
}
