//! Readers, against real data, files written by real Python, and broken files.
#![allow(missing_docs, clippy::print_stderr, reason = "tests")]

mod alignment;
mod allocation;
mod broken;
mod broken_binary;
mod broken_text;
mod edge_order;
mod encoding;
mod file_order;
mod fuzz;
mod graph_files;
mod joining;
mod misfit;
#[cfg(feature = "parquet")]
mod parquet_files;
mod python;
mod readings;
mod real;
mod support;
mod text;

#[global_allocator]
static ALLOCATOR: allocation::Watching = allocation::Watching;
