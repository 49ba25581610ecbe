//! A fitted model: canonical form, views' coefficients, new nodes, certificate.

mod append;
mod canonical_form;
mod certificate;
mod fitted_blocks;
mod fitted_model;
mod fitted_view;
mod fold_in;
mod fold_in_tables;
mod from_stages;
mod lambda;
mod left_out;
mod neighbour_rows;
mod new_nodes;
mod partial_rows;
mod partial_rows_cost;
mod partial_table;
mod row_products;
mod row_regression;

pub use certificate::{
    Certificate, CertificateParams, Estimate, ViewCertificate, certify, node_losses,
};
pub use fitted_model::{FitInfo, Model};
pub use fitted_view::FittedView;
pub use lambda::{Lambda, LambdaEnds};
pub use new_nodes::{FEW_ENTRIES, FoldedIn, NewBlock, NewNodes};

pub(crate) use canonical_form::canonical_form;
pub(crate) use certificate::measure;
pub(crate) use fold_in_tables::{FoldInTables, ViewTable, tables_cost};
pub(crate) use from_stages::{Outcome, model_from_stages};
pub(crate) use left_out::{induced, new_blocks};
pub(crate) use partial_table::PartialRows;
