//! Parameters of a fit, and their checked form.

mod basis;
mod certificate;
mod fit;
mod refine;
mod request;
mod specs;

pub use basis::BasisParams;
pub use certificate::CertificateParams;
pub use fit::{CheckedParams, Dimension, FitParams};
pub use refine::RefineParams;
pub use request::{Columns, FitRequest};

pub(crate) use specs::specs;
