//! The files of the page, inside the program.

use crate::http::Response;

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Path, kind and content of every file.
const FILES: [(&str, &str, &str); 11] = [
    ("/", HTML, include_str!("../web/index.html")),
    ("/style.css", STYLE, include_str!("../web/style.css")),
    ("/main.js", SCRIPT, include_str!("../web/main.js")),
    ("/api.js", SCRIPT, include_str!("../web/api.js")),
    ("/colours.js", SCRIPT, include_str!("../web/colours.js")),
    ("/dom.js", SCRIPT, include_str!("../web/dom.js")),
    ("/map.js", SCRIPT, include_str!("../web/map.js")),
    ("/panel.js", SCRIPT, include_str!("../web/panel.js")),
    ("/points.js", SCRIPT, include_str!("../web/points.js")),
    ("/search.js", SCRIPT, include_str!("../web/search.js")),
    ("/state.js", SCRIPT, include_str!("../web/state.js")),
];

/// The file at a path; paths are compared whole, so that there is nothing to climb out of.
pub(crate) fn file(path: &str) -> Option<Response> {
    let (_, kind, text) = FILES.iter().find(|(own, _, _)| *own == path)?;
    Some(Response::bytes(kind, text.as_bytes()))
}
