//! Measured accuracy of a model.
//!
//! The model approximates `||y_i - y_j||^2 ~ sum_f c_kf (u_if - u_jf)^2` for every view. A
//! certificate compares both sides over pairs of nodes, states the loss and a lower bound of it for
//! as many columns, and the separation of the axes.

mod bound;
mod certify;
mod distances;
mod measure;
mod node_losses;
mod record;
mod separation;

pub use crate::params::CertificateParams;
pub use certify::certify;
pub use node_losses::node_losses;
pub use record::{Certificate, Estimate, ViewCertificate};

pub(crate) use measure::measure;
