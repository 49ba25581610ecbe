//! Models and checkpoints as bytes and files.

mod atomic;
mod checksum;
mod model_file;
mod model_reader;
mod model_writer;
mod state_file;
mod tensor_file;

pub use atomic::{write_atomically, write_synced};
pub use model_file::ModelFileError;
pub use state_file::StateFileError;
