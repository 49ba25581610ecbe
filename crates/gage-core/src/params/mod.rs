//! Parameters of a fit, and their checked form.

mod basis;
mod certificate;
mod fit;
mod only;
mod refine;
mod request;
mod specs;

pub use basis::BasisParams;
pub use certificate::CertificateParams;
pub use fit::{CheckedParams, Dimension, FitParams};
pub use only::Only;
pub use refine::RefineParams;
pub use request::{Columns, FitRequest};

pub(crate) use only::visible;
pub(crate) use specs::{specs, unused_blocks};
