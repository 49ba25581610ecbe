//! The tables of the paper, our numbers beside its own.

mod classify;
mod data;
mod links;
mod paper;
mod time;

pub(super) use classify::{trained, two_averages};
pub(super) use links::linked;
pub(super) use paper::paper_tables;
