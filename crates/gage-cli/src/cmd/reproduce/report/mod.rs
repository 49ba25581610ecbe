//! The report of `gage reproduce`: tables and figures of the paper, our results beside the
//! published ones.
//!
//! [`Report::new`] turns the outcomes of single units of work into one value; [`page()`] and
//! [`markdown()`] write it. Nothing here fits or measures anything.

mod defaults;
mod differences;
mod document;
mod figures;
mod markdown;
mod method_differences;
mod methods;
mod page;
mod published;
mod setting;
mod standing;
mod table;
mod tables;
mod unit;

pub(super) use document::Report;
pub(super) use markdown::markdown;
pub(super) use methods::{METHODS, PaperMethod};
pub(super) use page::page;
pub(super) use setting::{DEFAULTS, DEFAULTS_DIM, FIGURE_DIM, Machine, PAPER, Setting};
pub(super) use standing::Standing;
pub(super) use unit::{
    DataFacts, Finished, MethodOutcome, Outcome, Skipped, Task, Timing, Unit, View,
};
