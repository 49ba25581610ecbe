//! The command as people and scripts run it: real files in, real files out, exit codes.

mod convert;
#[cfg(unix)]
mod cookbook;
mod demo;
mod embed;
mod evaluate;
mod explore;
mod failures;
mod formats;
mod generate;
mod info;
mod joins;
mod memory;
mod methods;
mod models;
mod new_nodes;
#[cfg(target_os = "linux")]
mod out_of_memory;
mod plot;
mod readings;
mod real;
mod reproduce;
mod resume;
mod schema;
mod search;
mod signals;
#[cfg(unix)]
mod streams;
mod support;
mod views;
