//! Right-hand sides of products with an operator.

use std::borrow::Cow;

use gage_linalg::kernel::SparseSignSketch;
use gage_linalg::{Real, Tall, Workspace};

/// The right-hand side of a product: a dense tall block, or a sparse sign sketch.
#[derive(Clone, Copy)]
pub(crate) enum Input<'a, T> {
    Tall(&'a Tall<T>),
    Sketch(&'a SparseSignSketch),
}

impl<'a, T: Real> From<&'a Tall<T>> for Input<'a, T> {
    fn from(tall: &'a Tall<T>) -> Self {
        Input::Tall(tall)
    }
}

impl<'a, T: Real> Input<'a, T> {
    pub(crate) fn cols(&self) -> usize {
        match self {
            Input::Tall(tall) => tall.cols(),
            Input::Sketch(sketch) => sketch.cols(),
        }
    }

    pub(crate) fn to_dense(self, workspace: &Workspace) -> Cow<'a, Tall<T>> {
        match self {
            Input::Tall(tall) => Cow::Borrowed(tall),
            Input::Sketch(sketch) => Cow::Owned(sketch.to_dense(workspace)),
        }
    }
}
