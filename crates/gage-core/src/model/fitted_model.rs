//! A fitted model, from which every embedding is read off.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::graph::{Nodes, TableEncoding};
use crate::model::certificate::Certificate;
use crate::params::FitParams;
use crate::solver::{BasisInfo, CoreAlsInfo, DimensionInfo, PencilInfo, RefineInfo};
use gage_linalg::AnyTall;

use super::fitted_view::FittedView;
use super::fold_in_tables::FoldInTables;
use super::lambda::Lambda;

/// What the fit did, stage by stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FitInfo {
    /// Passes over each view (multiplications by `Y` or `Y^T` at full width) in all.
    pub passes: usize,
    /// The basis.
    pub basis: BasisInfo,
    /// The number of columns.
    pub dimension: DimensionInfo,
    /// The pencil.
    pub pencil: PencilInfo,
    /// Least squares on the core.
    pub core_als: CoreAlsInfo,
    /// Refinement at full size, if it was asked for.
    pub refine: Option<RefineInfo>,
    /// Loss relative to `sum_k w_k^2 ||X_k||^2`.
    pub relative_loss: f64,
    /// Nodes the model was found on, when not all nodes have every view.
    pub complete_nodes: Option<usize>,
    /// Nodes without any view: their rows are zero and mean nothing.
    #[serde(rename = "blind_nodes")]
    pub unobserved_nodes: Vec<usize>,
    /// Single entries that were missing and estimated, and the mean change of the last round relative to their spread.
    pub imputed: Option<(usize, f64)>,
    /// Things a user should know.
    pub warnings: Vec<String>,
    /// What the preset saw and chose, if it chose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<crate::preset_selection::Selection>,
}

/// A fitted model: `U` (one row per node), coefficients of every view, and what is needed to use and check them.
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
    /// how tables became numbers, by block; `None` in models of older versions, which do not say
    pub(crate) encodings: Option<BTreeMap<String, TableEncoding>>,
    /// blocks of links, and whether they have a direction; `None` as above
    pub(crate) relations: Option<BTreeMap<String, bool>>,
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

    /// What the fit did.
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

    /// Whether new nodes can be folded in.
    pub fn takes_new_nodes(&self) -> bool {
        self.tables.is_some()
    }

    /// Names of the columns of an attribute block of the fitted graph, if it had any.
    pub fn column_names(&self, block: &str) -> Option<&[String]> {
        self.columns.get(block).map(Vec::as_slice)
    }

    /// How the cells of a table become the columns of an attribute block of the fitted graph: as those of the fitted
    /// table did, or as they are if a matrix was fitted. `None` for models of older versions, which do not say.
    pub fn encoding(&self, block: &str, width: usize) -> Option<TableEncoding> {
        let known = self.encodings.as_ref()?.get(block).cloned();
        let names = self.column_names(block).filter(|names| names.len() == width);
        Some(known.unwrap_or_else(|| TableEncoding::of_matrix(names, width)))
    }

    /// The blocks of links of the fitted graph, and whether each has a direction. `None` for models of older versions,
    /// which do not say.
    pub fn relations(&self) -> Option<&BTreeMap<String, bool>> {
        self.relations.as_ref()
    }

    /// Shares of the views on the simplex.
    pub fn shares(&self, lambda: &Lambda) -> Result<Vec<f64>, Error> {
        lambda.resolve(&self.views)
    }

    /// Makes these shares the fitted ones, one per view in their order.
    pub fn set_shares(&mut self, shares: &[f64]) {
        self.views.iter_mut().zip(shares).for_each(|(view, &share)| view.share = share);
    }

    /// Factors of the columns in `E(lambda)`: `sqrt(sum_k lambda_k c_kf)`, times the scale of the embedding.
    pub fn column_factors(&self, lambda: &Lambda) -> Result<Vec<f64>, Error> {
        let shares = self.shares(lambda)?;
        let mut factors: Vec<f64> = (0..self.dimension())
            .map(|f| {
                let views = self.views.iter().zip(&shares);
                views.map(|(view, share)| share * view.coefficients[f]).sum::<f64>().sqrt()
            })
            .collect();
        if let Some(wanted) = self.params.preset.scale.mean_square() {
            // Mean squared entry as asked, over the nodes that have a row. Columns of U have length one over all nodes, so
            // the factors alone say what the sum of squares is.
            let rows = (self.nodes.len() - self.info.unobserved_nodes.len()) as f64;
            let total: f64 = factors.iter().map(|f| f * f).sum();
            let mean = total / (rows * factors.len() as f64).max(1.0) / wanted;
            if mean > 0.0 {
                factors.iter_mut().for_each(|f| *f /= mean.sqrt());
            }
        }
        Ok(factors)
    }

    /// The embedding `E(lambda)`: one row per node. Costs one multiplication per number; nothing is fitted again.
    pub fn embedding(&self, lambda: &Lambda) -> Result<AnyTall, Error> {
        Ok(self.factors.clone().scale_columns(&self.column_factors(lambda)?))
    }

    /// As [`embedding`](Self::embedding), with the nodes, in the memory of the model: for whoever needs nothing else of it.
    pub fn into_embedding(self, lambda: &Lambda) -> Result<(Nodes, AnyTall), Error> {
        let factors = self.column_factors(lambda)?;
        Ok((self.nodes, self.factors.scale_columns(&factors)))
    }
}
