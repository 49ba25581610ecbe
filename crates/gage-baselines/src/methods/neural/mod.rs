//! Neural methods: one- and two-layer networks with hand-written backward passes.
//!
//! Parameters and activations are tall blocks; a layer is a product with a sparse or small matrix,
//! and its backward pass is the product with the transpose. That is all these methods need, so
//! there is no automatic differentiation. Every gradient is compared with finite differences in the
//! tests. Training is in single precision with sums in a fixed order: the same seed gives the same
//! bits at any number of threads.

mod adam;
mod age;
mod age_encoder;
mod age_pairs;
mod autoencoder;
mod dane;
mod dane_joint;
mod dane_layers;
mod dane_pretraining;
mod dane_walks;
mod decoder;
mod dgi;
mod infomax;
mod layers;
mod scalar;
mod training;

#[cfg(test)]
mod gradients;
#[cfg(test)]
mod numpy;

pub use age::Age;
pub use autoencoder::GraphAutoencoder;
pub use dane::Dane;
pub use dgi::Dgi;
