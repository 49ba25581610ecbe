//! Who may talk to the server: the page it gave out itself, and nobody else.
//!
//! Other pages in the same browser can send requests to this machine, and a name that somebody else
//! controls can be made to point here. So the `Host` must be this server by its address or
//! `localhost`, the browser must not say that the request comes from elsewhere, and everything but
//! the page itself needs the secret of this run. The secret stands in the fragment of the printed
//! address, which browsers never send anywhere; the page sends it as a header field, which no other
//! page may set without being allowed to, and nobody is.

use super::request::Request;
use super::response::Response;
use super::token::Token;

/// The header field with the token.
const TOKEN: &str = "x-gage-token";
/// Paths below this need the token.
const SECRET: &str = "/api/";

pub(super) struct Guard {
    hosts: [String; 2],
    token: Token,
}

impl Guard {
    pub(super) fn new(port: u16, token: Token) -> Guard {
        Guard { hosts: ["127.0.0.1", "localhost"].map(|host| format!("{host}:{port}")), token }
    }

    /// Lets a request pass, or says why not.
    pub(super) fn check(&self, request: &Request) -> Result<(), Response> {
        let host = request.field("host")?.unwrap_or_default();
        if !self.hosts.iter().any(|own| own == host) {
            return Err(Response::error(403, "this server answers to its own address only"));
        }
        let site = request.field("sec-fetch-site")?;
        if site.is_some_and(|site| site != "same-origin" && site != "none") {
            return Err(Response::error(403, "requests from other sites are refused"));
        }
        let origin = request.field("origin")?;
        let own = |origin: &str| origin.strip_prefix("http://") == Some(host);
        if origin.is_some_and(|origin| !own(origin)) {
            return Err(Response::error(403, "requests from other origins are refused"));
        }
        if request.method != "GET" && request.method != "POST" {
            return Err(Response::error(405, "only GET and POST are answered"));
        }
        let token = request.field(TOKEN)?.unwrap_or_default();
        if request.path.starts_with(SECRET) && !self.token.is(token) {
            return Err(Response::error(401, "the token of this run is missing or wrong"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(path: &str, fields: &[(&str, &str)]) -> u16 {
        let token = Token::random().unwrap();
        let fill = |value: &str| value.replace("TOKEN", token.as_str());
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), fill(value)));
        let request = Request {
            method: "GET".to_owned(),
            path: path.to_owned(),
            fields: fields.collect(),
            ..Request::default()
        };
        let guard = Guard::new(4000, token);
        guard.check(&request).map_or_else(|response| response.status(), |()| 200)
    }

    #[test]
    fn only_the_own_page_passes() {
        let own = ("Host", "127.0.0.1:4000");
        let token = ("X-Gage-Token", "TOKEN");
        assert_eq!(status("/", &[own]), 200);
        assert_eq!(status("/", &[("Host", "localhost:4000")]), 200);
        assert_eq!(status("/api/about", &[own, token]), 200);
        assert_eq!(status("/api/about", &[own, token, ("Sec-Fetch-Site", "same-origin")]), 200);
        let origin = ("Origin", "http://127.0.0.1:4000");
        assert_eq!(status("/api/about", &[own, token, origin]), 200);
        for host in ["", "evil.example", "evil.example:4000", "127.0.0.1", "127.0.0.1:40000"] {
            assert_eq!(status("/api/about", &[("Host", host), token]), 403, "{host}");
        }
        assert_eq!(status("/", &[]), 403);
        assert_eq!(status("/", &[own, own]), 400);
        assert_eq!(status("/api/about", &[own]), 401);
        assert_eq!(status("/api/about", &[own, ("X-Gage-Token", "TOKENx")]), 401);
        assert_eq!(status("/api/about", &[own, token, token]), 400);
        for site in ["cross-site", "same-site", ""] {
            assert_eq!(status("/", &[own, ("Sec-Fetch-Site", site)]), 403, "{site}");
        }
        for origin in
            ["null", "http://evil.example", "https://127.0.0.1:4000", "http://localhost:4000"]
        {
            assert_eq!(status("/api/about", &[own, token, ("Origin", origin)]), 403, "{origin}");
        }
    }
}
