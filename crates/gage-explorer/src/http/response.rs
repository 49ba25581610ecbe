//! Answers, and the header fields that all of them carry.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

use serde::Serialize;

/// What a page of this server may do: load its own modules, its own style, and its own data.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// Pieces of an answer that is sent while it is made.
pub type Pieces = Box<dyn Iterator<Item = Arc<Vec<u8>>> + Send>;

/// An answer.
pub struct Response {
    status: u16,
    kind: &'static str,
    body: Body,
}

enum Body {
    Whole(Cow<'static, [u8]>),
    Pieces(Pieces),
}

impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Response({}, {})", self.status, self.kind)
    }
}

impl Response {
    /// Bytes of a kind, for instance `text/html; charset=utf-8`.
    pub fn bytes(kind: &'static str, bytes: impl Into<Cow<'static, [u8]>>) -> Response {
        Response { status: 200, kind, body: Body::Whole(bytes.into()) }
    }

    /// A value as JSON.
    pub fn json(value: &impl Serialize) -> Response {
        match serde_json::to_vec(value) {
            Ok(bytes) => Response::bytes("application/json", bytes),
            Err(_) => Response::error(500, "the answer cannot be written as JSON"),
        }
    }

    /// Pieces that are sent as they come.
    pub fn stream(pieces: impl Iterator<Item = Arc<Vec<u8>>> + Send + 'static) -> Response {
        let body = Body::Pieces(Box::new(pieces));
        Response { status: 200, kind: "application/octet-stream", body }
    }

    /// A refusal or a failure, in words.
    pub fn error(status: u16, words: &str) -> Response {
        let body = serde_json::json!({ "error": words }).to_string().into_bytes();
        Response { status, kind: "application/json", body: Body::Whole(body.into()) }
    }

    /// The number of the answer.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// The body in pieces, as they come: one of everything if it was not made piece by piece.
    pub fn into_pieces(self) -> Pieces {
        match self.body {
            Body::Whole(bytes) => Box::new(std::iter::once(Arc::new(bytes.into_owned()))),
            Body::Pieces(pieces) => pieces,
        }
    }

    /// Sends it.
    pub(super) fn write(self, to: &mut impl Write, keep: bool) -> io::Result<()> {
        let mut head = format!("HTTP/1.1 {} {}\r\n", self.status, reason(self.status));
        let connection = if keep { "keep-alive" } else { "close" };
        let mut field = |name: &str, value: &str| head.push_str(&format!("{name}: {value}\r\n"));
        field("Content-Type", self.kind);
        field("Cache-Control", "no-store");
        field("Content-Security-Policy", POLICY);
        field("X-Content-Type-Options", "nosniff");
        field("Referrer-Policy", "no-referrer");
        field("Cross-Origin-Opener-Policy", "same-origin");
        field("Cross-Origin-Resource-Policy", "same-origin");
        field("Connection", connection);
        match self.body {
            Body::Whole(bytes) => {
                field("Content-Length", &bytes.len().to_string());
                head.push_str("\r\n");
                to.write_all(head.as_bytes())?;
                to.write_all(&bytes)?;
            }
            Body::Pieces(pieces) => {
                field("Transfer-Encoding", "chunked");
                head.push_str("\r\n");
                to.write_all(head.as_bytes())?;
                to.flush()?;
                for piece in pieces.filter(|piece| !piece.is_empty()) {
                    write!(to, "{:x}\r\n", piece.len())?;
                    to.write_all(&piece)?;
                    to.write_all(b"\r\n")?;
                    to.flush()?;
                }
                to.write_all(b"0\r\n\r\n")?;
            }
        }
        to.flush()
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        409 => "Conflict",
        411 => "Length Required",
        413 => "Content Too Large",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Internal Server Error",
    }
}
