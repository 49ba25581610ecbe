//! What a model promises, measured.
//!
//! The model says `||y_i - y_j||^2 ~ sum_f c_kf (u_if - u_jf)^2` for every view. A certificate compares both sides over
//! pairs of nodes, states the loss and the least loss any model with as many columns could have, and says how well the
//! axes are determined.

mod bound;
mod certify;
mod distances;
mod measure;
mod record;
mod separation;

pub use crate::params::CertificateParams;
pub use certify::certify;
pub use record::{Certificate, Estimate, ViewCertificate};

pub(crate) use measure::measure;
