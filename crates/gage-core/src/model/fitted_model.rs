//! A fitted model and its embeddings.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::graph::{Nodes, TableEncoding};
use crate::model::Certificate;
use crate::params::FitParams;
use crate::progress::Stage;
use crate::solver::{BasisInfo, CoreAlsInfo, DimensionInfo, PencilInfo, RefineInfo};
use crate::views::EmbeddingScale;
use gage_linalg::AnyTall;

use super::fitted_view::FittedView;
use super::fold_in_tables::FoldInTables;
use super::lambda::{Lambda, LambdaEnds};

/// Information on a fit, stage by stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FitInfo {
    /// Passes over each view (full-width products with `Y` or `Y^T`).
    pub passes: usize,
    /// The basis.
    pub basis: BasisInfo,
    /// The number of columns.
    pub dimension: DimensionInfo,
    /// The pencil.
    pub pencil: PencilInfo,
    /// Least squares on the core.
    pub core_als: CoreAlsInfo,
    /// Refinement at full size, if requested.
    pub refine: Option<RefineInfo>,
    /// Loss relative to `sum_k w_k^2 ||X_k||^2`.
    pub relative_loss: f64,
    /// Number of nodes with all views, if not all nodes have all views.
    pub complete_nodes: Option<usize>,
    /// Nodes without any view. Their rows are zero.
    #[serde(rename = "blind_nodes")]
    pub unobserved_nodes: Vec<usize>,
    /// Number of imputed entries, and the mean change of the last round relative to their spread.
    pub imputed: Option<(usize, f64)>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// The evidence of a preset that selects its views.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<crate::preset_selection::Selection>,
}

/// A fitted model: `U` with one row per node, the coefficients of every view, and tables for new
/// nodes.
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) nodes: Nodes,
    pub(crate) factors: AnyTall,
    pub(crate) views: Vec<FittedView>,
    pub(crate) params: FitParams,
    pub(crate) info: FitInfo,
    pub(crate) certificate: Option<Certificate>,
    pub(crate) tables: Option<FoldInTables>,
    pub(crate) columns: BTreeMap<String, Vec<String>>,
    /// table encodings by block; `None` in models of older versions
    pub(crate) encodings: Option<BTreeMap<String, TableEncoding>>,
    /// blocks of links and whether they are directed; `None` in models of older versions
    pub(crate) relations: Option<BTreeMap<String, bool>>,
    /// how many of the last nodes were appended after the fit
    pub(crate) appended: usize,
    /// what a front end wants to find again with the model, by name
    pub(crate) annotations: BTreeMap<String, String>,
}

impl Model {
    /// The nodes, in the order of the rows.
    pub fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    /// `U`: columns of length one, sorted by energy, with fixed signs.
    pub fn factors(&self) -> &AnyTall {
        &self.factors
    }

    /// The views with their coefficients.
    pub fn views(&self) -> &[FittedView] {
        &self.views
    }

    /// Number of columns.
    pub fn dimension(&self) -> usize {
        self.factors.cols()
    }

    /// The parameters it was fitted with.
    pub fn params(&self) -> &FitParams {
        &self.params
    }

    /// Information on the fit.
    pub fn info(&self) -> &FitInfo {
        &self.info
    }

    /// The certificate, if one was made.
    pub fn certificate(&self) -> Option<&Certificate> {
        self.certificate.as_ref()
    }

    /// Attaches a certificate.
    pub fn with_certificate(mut self, certificate: Certificate) -> Model {
        self.certificate = Some(certificate);
        self
    }

    /// What a front end keeps with the model, by name.
    pub fn annotations(&self) -> &BTreeMap<String, String> {
        &self.annotations
    }

    /// Replaces what a front end keeps with the model.
    pub fn with_annotations(mut self, annotations: BTreeMap<String, String>) -> Model {
        self.annotations = annotations;
        self
    }

    /// Whether new nodes can be folded in.
    pub fn takes_new_nodes(&self) -> bool {
        self.tables.is_some()
    }

    /// Names of the columns of an attribute block of the fitted graph, if it had any.
    pub fn column_names(&self, block: &str) -> Option<&[String]> {
        self.columns.get(block).map(Vec::as_slice)
    }

    /// The encoding of the cells of a table in an attribute block of the fitted graph; the identity
    /// if a matrix was fitted. `None` for models of older versions.
    pub fn encoding(&self, block: &str, width: usize) -> Option<TableEncoding> {
        let known = self.encodings.as_ref()?.get(block).cloned();
        let names = self.column_names(block).filter(|names| names.len() == width);
        Some(known.unwrap_or_else(|| TableEncoding::of_matrix(names, width)))
    }

    /// The blocks of links of the fitted graph, and whether each is directed. `None` for models of
    /// older versions.
    pub fn relations(&self) -> Option<&BTreeMap<String, bool>> {
        self.relations.as_ref()
    }

    /// The views that lambda divides between.
    pub fn lambda_ends(&self) -> LambdaEnds {
        LambdaEnds::new(self.views.iter().map(|view| (view.name.as_str(), view.uses_links)))
    }

    /// Shares of the views on the simplex.
    pub fn shares(&self, lambda: &Lambda) -> Result<Vec<f64>, Error> {
        lambda.resolve(&self.views)
    }

    /// Replaces the shares of the views.
    pub fn set_shares(&mut self, shares: &[f64]) {
        self.views.iter_mut().zip(shares).for_each(|(view, &share)| view.share = share);
    }

    /// Column factors of `E(lambda)`: `sqrt(sum_k lambda_k c_kf)` times the scale of the embedding.
    /// Where all rows get one length, they are what `U` is multiplied by before.
    pub fn column_factors(&self, lambda: &Lambda) -> Result<Vec<f64>, Error> {
        let shares = self.shares(lambda)?;
        let mut factors: Vec<f64> = (0..self.dimension())
            .map(|f| {
                let views = self.views.iter().zip(&shares);
                views.map(|(view, share)| share * view.coefficients[f]).sum::<f64>().sqrt()
            })
            .collect();
        if let Some(wanted) = self.params.preset.scale.mean_square() {
            // Columns of `U` have norm one, so the factors give the sum of squares. The mean is
            // over the fitted nodes that have a row.
            let fitted = self.nodes.all() - self.appended;
            let unobserved = self.info.unobserved_nodes.partition_point(|&node| node < fitted);
            let rows = (fitted - unobserved) as f64;
            let total: f64 = factors.iter().map(|f| f * f).sum();
            let mean = total / (rows * factors.len() as f64).max(1.0) / wanted;
            if mean > 0.0 {
                factors.iter_mut().for_each(|f| *f /= mean.sqrt());
            }
        }
        Ok(factors)
    }

    /// The embedding `E(lambda)`, one row per node, on the scale of the preset. Costs one
    /// multiplication per entry, and three where all rows get one length.
    pub fn embedding(&self, lambda: &Lambda) -> Result<AnyTall, Error> {
        let factors = self.column_factors(lambda)?;
        let scale = self.params.preset.scale;
        let scaled = || Ok(on_scale(self.factors.clone(), &factors, scale));
        Error::catch_memory(|| Stage::Embedding, scaled)
    }

    /// As [`embedding`](Self::embedding), with the nodes, and in the memory of the model.
    pub fn into_embedding(self, lambda: &Lambda) -> Result<(Nodes, AnyTall), Error> {
        let factors = self.column_factors(lambda)?;
        let scale = self.params.preset.scale;
        let scaled = || Ok((self.nodes, on_scale(self.factors, &factors, scale)));
        Error::catch_memory(|| Stage::Embedding, scaled)
    }
}

/// Rows of `U` as rows of the embedding: columns times their factors, and then rows at one length
/// where the scale says so.
pub(super) fn on_scale(rows: AnyTall, factors: &[f64], scale: EmbeddingScale) -> AnyTall {
    let rows = rows.scale_columns(factors);
    match scale.row_length(rows.cols()) {
        Some(length) => rows.scale_rows_to(length),
        None => rows,
    }
}
