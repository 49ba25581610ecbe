//! HTTP/1.1 for one page on this machine: bounded requests, a guard, plain and streamed answers.

mod guard;
mod query;
mod request;
mod response;
mod server;
mod token;

pub use request::Request;
pub use response::{Pieces, Response};
pub use server::{Handler, Running, Server};

pub(crate) use query::Query;
