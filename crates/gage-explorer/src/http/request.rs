//! Reading a request, with a bound on everything.

use std::io::{self, Read};
use std::time::{Duration, Instant};

use super::query::Query;
use super::response::Response;

/// Largest head of a request, in bytes.
const MOST_HEAD: usize = 16 << 10;
/// Largest number of header fields.
const MOST_FIELDS: usize = 64;
/// Largest body: a selection of two million nodes.
const MOST_BODY: usize = 8 << 20;
/// Longest time for a head or a body to arrive once it has begun.
const LONGEST: Duration = Duration::from_secs(20);

/// A request that passed the guard.
#[derive(Debug, Default)]
pub struct Request {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) query: Query,
    pub(super) fields: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
    pub(super) keep: bool,
}

impl Request {
    /// A request of this process itself: a path with its query, as it would stand in an address.
    /// Nothing if the query is broken.
    pub fn local(method: &str, target: &str, body: Vec<u8>) -> Option<Request> {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let (method, path) = (method.to_owned(), path.to_owned());
        Some(Request { method, path, query: Query::parse(query)?, body, ..Request::default() })
    }

    /// `GET` or `POST`.
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The path as it was sent, without the query.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What was sent along.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    pub(crate) fn query(&self) -> &Query {
        &self.query
    }

    /// The value of a header field that may stand once only.
    pub(super) fn field(&self, name: &str) -> Result<Option<&str>, Response> {
        let mut values = self.fields.iter().filter(|(own, _)| own.eq_ignore_ascii_case(name));
        match (values.next(), values.next()) {
            (_, Some(_)) => Err(Response::error(400, "a header field stands twice")),
            (first, None) => Ok(first.map(|(_, value)| value.as_str())),
        }
    }
}

/// Why there is no request.
#[derive(Debug)]
pub(super) enum Broken {
    /// The other side left, or was silent for too long.
    Gone,
    /// It must be refused, and the connection closed.
    Refused(Response),
}

impl From<io::Error> for Broken {
    fn from(_: io::Error) -> Broken {
        Broken::Gone
    }
}

impl From<Response> for Broken {
    fn from(response: Response) -> Broken {
        Broken::Refused(response)
    }
}

/// Reads the head of a request. `left` is what was read beyond the request before.
pub(super) fn read_head(from: &mut impl Read, left: &mut Vec<u8>) -> Result<Request, Broken> {
    let mut begun = None::<Instant>;
    loop {
        if !left.is_empty() {
            let clock = *begun.get_or_insert_with(Instant::now);
            if let Some((request, length)) = parse(left)? {
                left.drain(..length);
                return Ok(request);
            }
            if left.len() >= MOST_HEAD {
                return Err(Response::error(431, "the head of the request is too long").into());
            }
            if clock.elapsed() > LONGEST {
                return Err(Broken::Gone);
            }
        }
        read_more(from, left)?;
    }
}

/// Reads the body that the head announces.
pub(super) fn read_body(
    from: &mut impl Read,
    left: &mut Vec<u8>,
    request: &mut Request,
) -> Result<(), Broken> {
    if request.field("transfer-encoding")?.is_some() {
        return Err(Response::error(411, "give the length of the body").into());
    }
    let length = match request.field("content-length")? {
        None => 0,
        Some(digits) if digits.bytes().all(|digit| digit.is_ascii_digit()) => {
            digits.parse().unwrap_or(usize::MAX)
        }
        Some(_) => return Err(Response::error(400, "the length of the body is no number").into()),
    };
    if length > MOST_BODY {
        return Err(Response::error(413, "the body of the request is too long").into());
    }
    let begun = Instant::now();
    while left.len() < length {
        if begun.elapsed() > LONGEST {
            return Err(Broken::Gone);
        }
        read_more(from, left)?;
    }
    request.body = left.drain(..length).collect();
    Ok(())
}

fn read_more(from: &mut impl Read, left: &mut Vec<u8>) -> Result<(), Broken> {
    let mut chunk = [0; 8 << 10];
    match from.read(&mut chunk) {
        Ok(0) => Err(Broken::Gone),
        Ok(length) => {
            left.extend_from_slice(&chunk[..length]);
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The head at the beginning of `bytes`, and its length; nothing if it is not complete.
fn parse(bytes: &[u8]) -> Result<Option<(Request, usize)>, Response> {
    let mut fields = [httparse::EMPTY_HEADER; MOST_FIELDS];
    let mut head = httparse::Request::new(&mut fields);
    let length = match head.parse(bytes) {
        Ok(httparse::Status::Complete(length)) if length <= MOST_HEAD => length,
        Ok(httparse::Status::Complete(_)) => {
            return Err(Response::error(431, "the head of the request is too long"));
        }
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => {
            return Err(Response::error(431, "too many header fields"));
        }
        Err(_) => return Err(Response::error(400, "this is no HTTP request")),
    };
    let target = head.path.unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let query = Query::parse(query).ok_or_else(|| Response::error(400, "the query is broken"))?;
    let text = |value: &[u8]| String::from_utf8(value.to_vec());
    let fields: Result<Vec<(String, String)>, _> = head
        .headers
        .iter()
        .map(|field| Ok((field.name.to_owned(), text(field.value)?)))
        .collect::<Result<_, std::string::FromUtf8Error>>();
    let fields = fields.map_err(|_| Response::error(400, "a header field is no text"))?;
    let mut request = Request {
        method: head.method.unwrap_or_default().to_owned(),
        path: path.to_owned(),
        query,
        fields,
        body: Vec::new(),
        keep: head.version == Some(1),
    };
    let close = request.field("connection")?.is_some_and(|v| v.eq_ignore_ascii_case("close"));
    request.keep &= !close;
    Ok(Some((request, length)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Request, Broken> {
        let (mut from, mut left) = (bytes, Vec::new());
        let mut request = read_head(&mut from, &mut left)?;
        read_body(&mut from, &mut left, &mut request)?;
        Ok(request)
    }

    fn status(bytes: &[u8]) -> u16 {
        match read(bytes) {
            Err(Broken::Refused(response)) => response.status(),
            Err(Broken::Gone) => 0,
            Ok(_) => 200,
        }
    }

    #[test]
    fn requests_are_read_whole() {
        let request =
            read(b"POST /a?b=1 HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nxyz").unwrap();
        assert_eq!((request.method(), request.path(), request.body()), ("POST", "/a", &b"xyz"[..]));
        assert_eq!(request.query().get("b"), Some("1"));
        assert_eq!(request.field("HOST").unwrap(), Some("h"));
        assert!(request.keep);
    }

    #[test]
    fn everything_has_a_bound() {
        assert_eq!(status(b"GET / HTTP/1.1\r\nContent-Length: 9000000\r\n\r\n"), 413);
        let huge = b"GET / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n";
        assert_eq!(status(huge), 413);
        assert_eq!(status(b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"), 400);
        let twice = b"GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n";
        assert_eq!(status(twice), 400);
        assert_eq!(status(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"), 411);
        let long = format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(MOST_HEAD));
        assert_eq!(status(long.as_bytes()), 431);
        let many = format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(MOST_FIELDS + 1));
        assert_eq!(status(many.as_bytes()), 431);
        assert_eq!(status(b"\x16\x03\x01 this is TLS"), 400);
        assert_eq!(status(b"GET /?q=%zz HTTP/1.1\r\n\r\n"), 400);
        assert_eq!(status(b"GET / HTTP/1.1\r\nHost"), 0);
    }
}
