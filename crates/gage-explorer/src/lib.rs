//! The explorer: a page on this machine that shows a fitted model.
//!
//! ```text
//! browser <-- HTTP, loopback only --> http (guard, requests, responses)
//!                                       |
//!                                      api  -- content: nodes, colours, selections, search
//!                                       |
//!                                      map  -- worker: newest shares win, frames are streamed
//!                                       |
//!                                     pool  -- candidates of every node, re-ranked at any shares
//! ```
//!
//! *Any lambda is a new ranking, not a new search.* The inner product of two rows is linear in the
//! shares, `<e_i, e_j> = sum_k lambda_k sum_f c_kf u_if u_jf`, so one number per view and pair is
//! enough to know a cosine at any shares. The [`Pool`] holds these numbers for the nearest 30 of
//! every node at a few anchors (the model's own shares, lambda 1 and 0, views alone).
//! The map takes its neighbours from it. What the page lists for a chosen node is
//! exact: all rows are compared, as [`gage_embed::search::nearest`] does it.
//!
//! *The map follows.* A new layout starts from the positions of the last one, with the steps of its
//! last third, and is streamed while it moves. Above 100,000 nodes that would take too long: then
//! layouts at five anchors are made once, each held to the first, and the page mixes them.
//!
//! *Nobody else listens.* See [`Server`].

mod api;
mod assets;
mod content;
mod error;
mod explorer;
mod frozen;
mod http;
mod map;
mod pool;
mod threads;

pub use assets::{WIDGET, notebook_page};
pub use content::ExplorerParams;
pub use error::ExplorerError;
pub use explorer::{Explorer, cache_beside};
pub use frozen::{MapPage, frozen_page, map_page};
pub use http::{Handler, Pieces, Request, Response, Running, Server};
pub use pool::{Pool, anchors};
