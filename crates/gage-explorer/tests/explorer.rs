//! The explorer over real connections, as a browser and as somebody else would use it.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gage_embed::search::{Metric, Space, nearest};
use gage_embed::{Block, FitParams, Graph, Labels, Lambda, Model, Nodes, SparseMatrix, fit};
use gage_explorer::{Explorer, ExplorerParams, Handler, Request, Running, Server, frozen_page};
use serde_json::Value;

const NODES: usize = 120;

/// Two groups with links and words of their own; names that must be escaped somewhere.
fn graph() -> Graph {
    let mut links = Vec::new();
    let mut words = Vec::new();
    for i in 0..NODES as u32 {
        for j in 0..i {
            if (i * 7919 + j * 104_729) % 97 < if i % 2 == j % 2 { 20 } else { 3 } {
                links.extend([(i, j, 1.0), (j, i, 1.0)]);
            }
        }
        words.extend(
            (0..12)
                .filter(|w| (i * 31 + w * 17) % 5 < 1 + u32::from(w % 2 == i % 2))
                .map(|word| (i, word, 1.0)),
        );
    }
    let name = |node| match node {
        3 => "<b>three</b>, \"3\"".to_owned(),
        _ => format!("n{node}"),
    };
    let links = SparseMatrix::from_triplets(NODES, NODES, &links).unwrap();
    let words = SparseMatrix::from_triplets(NODES, 12, &words).unwrap();
    let classes: Vec<i64> = (0..NODES as i64).map(|node| node % 2).collect();
    Graph::new(Nodes::named((0..NODES).map(name)).unwrap())
        .with_block(Block::links("links", links, false))
        .and_then(|graph| graph.with_block(Block::attributes("attributes", words)))
        .and_then(|graph| graph.with_labels(Labels::from_numbers(&classes)))
        .unwrap()
}

fn model() -> Model {
    let params = FitParams { dimension: gage_embed::Dimension::Fixed(8), ..FitParams::default() };
    fit(&graph(), params.check().unwrap()).unwrap()
}

/// A running server and what its page knows.
struct Page {
    port: u16,
    token: String,
    _running: Running,
}

/// An answer as it came.
struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Answer {
    fn json(&self) -> Value {
        assert_eq!(self.status, 200, "{}", String::from_utf8_lossy(&self.body));
        serde_json::from_slice(&self.body).unwrap()
    }
}

impl Page {
    fn open(cache: Option<PathBuf>) -> Page {
        let server = Server::bind(None).unwrap();
        let (port, url) = (server.port(), server.url());
        let (address, token) = url.split_once("#token=").unwrap();
        assert_eq!(address, format!("http://127.0.0.1:{port}/"));
        let (title, graph) = ("test".to_owned(), Some(graph()));
        let params = ExplorerParams { title, graph, cache, ..ExplorerParams::default() };
        let explorer = Explorer::start(model(), params).unwrap();
        let running = server.start(Arc::new(explorer)).unwrap();
        Page { port, token: token.to_owned(), _running: running }
    }

    /// Sends bytes as they are, and reads until the other side has had enough.
    fn raw(&self, bytes: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        // The server may refuse before it has read everything.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let Some(end) = answer.windows(4).position(|four| four == b"\r\n\r\n") else {
            return Answer { status: 0, head: String::new(), body: answer };
        };
        let head = String::from_utf8(answer[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let body = answer.split_off(end + 4);
        let chunked = head.contains("Transfer-Encoding: chunked");
        Answer { status, body: if chunked { joined(&body) } else { body }, head }
    }

    fn send(&self, method: &str, path: &str, fields: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        for (name, value) in fields {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
        self.raw(&[head.as_bytes(), body].concat())
    }

    fn own(&self) -> [(&str, String); 2] {
        [("Host", format!("127.0.0.1:{}", self.port)), ("X-Gage-Token", self.token.clone())]
    }

    fn get(&self, path: &str) -> Answer {
        self.with_own("GET", path, &[])
    }

    fn with_own(&self, method: &str, path: &str, body: &[u8]) -> Answer {
        let own = self.own();
        let fields: Vec<(&str, &str)> = own.iter().map(|(name, v)| (*name, v.as_str())).collect();
        self.send(method, path, &fields, body)
    }

    /// Asks until candidates of all anchors are there.
    fn once_ready(&self, path: &str) -> Answer {
        loop {
            let answer = self.get(path);
            if answer.status != 503 {
                return answer;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// The pieces of a body that was sent in chunks.
fn joined(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    loop {
        let end = body.windows(2).position(|two| two == b"\r\n").unwrap();
        let length = usize::from_str_radix(std::str::from_utf8(&body[..end]).unwrap(), 16).unwrap();
        if length == 0 {
            return whole;
        }
        whole.extend_from_slice(&body[end + 2..end + 2 + length]);
        body = &body[end + 4 + length..];
    }
}

#[test]
fn neighbours_are_those_of_a_search_at_any_shares() {
    let page = Page::open(None);
    let model = model();
    for (query, lambda) in [
        ("", Lambda::Preset),
        ("&lambda=0", Lambda::Links(0.0)),
        ("&lambda=0.37", Lambda::Links(0.37)),
        ("&lambda=1", Lambda::Links(1.0)),
    ] {
        let space = Space::of_model(&model, &lambda).unwrap();
        let expected = nearest(&space, 17, 10, Metric::Cosine).unwrap();
        let found = page.get(&format!("/api/neighbours?node=17&count=10{query}")).json();
        assert_eq!(found["exact"], true);
        let found = found["neighbours"].as_array().unwrap();
        assert_eq!(found.len(), 10);
        for (near, found) in expected.iter().zip(found) {
            assert_eq!(found["node"], near.node);
            assert!((found["value"].as_f64().unwrap() - near.value).abs() < 1e-12);
            let parts = found["by_view"].as_array().unwrap();
            let sum: f64 = parts.iter().map(|part| part.as_f64().unwrap()).sum();
            assert_eq!(parts.len(), model.views().len());
            assert!((sum - near.value).abs() < 1e-12);
        }
    }
    for bad in ["node=120", "node=x", "", "node=1&lambda=2", "node=1&shares=1", "node=1&shares=a,b"]
    {
        assert_eq!(page.get(&format!("/api/neighbours?{bad}")).status, 400, "{bad}");
    }
}

#[test]
fn the_map_is_streamed_until_it_rests() {
    let page = Page::open(None);
    for query in ["", "?lambda=0.9", "?lambda=0.9", "?lambda=0.1"] {
        let body = page.get(&format!("/api/map{query}")).body;
        let length = 32 + 4 * NODES;
        assert!(!body.is_empty() && body.len().is_multiple_of(length), "{}", body.len());
        let last = &body[body.len() - length..];
        assert_eq!(&last[8..16], &[NODES as u8, 0, 0, 0, 0, 0, 0, 0], "all nodes, at rest");
        let different: std::collections::HashSet<&[u8]> = last[32..].chunks(4).collect();
        assert!(different.len() > NODES / 2, "{} places", different.len());
    }
    assert_eq!(page.get("/api/map?lambda=1.5").status, 400);
}

#[test]
fn nodes_search_colours_and_selections() {
    let page = Page::open(None);
    let about = page.get("/api/about").json();
    assert_eq!((&about["nodes"], &about["takes_lambda"]), (&NODES.into(), &true.into()));
    let found = page.get("/api/search?q=%3CB%3Ethree").json();
    assert_eq!(found[0]["node"], 3);
    let node = page.get("/api/node?node=3").json();
    assert_eq!((&node["id"], &node["classes"][0]), (&found[0]["id"], &"1".into()));
    assert!(node["links"][0]["count"].as_u64().unwrap() > 0);
    assert!(node["attributes"][0]["count"].as_u64().unwrap() > 0);
    assert_eq!(page.get("/api/names?from=118&count=9").json(), serde_json::json!(["n118", "n119"]));
    for by in ["label", "cluster", "degree", "loss", "column&block=attributes&column=2"] {
        let answer = page.get(&format!("/api/colour?by={by}"));
        assert_eq!(answer.status, 200, "{by}");
        let length = u32::from_le_bytes(answer.body[..4].try_into().unwrap()) as usize;
        let head: Value = serde_json::from_slice(&answer.body[4..4 + length]).unwrap();
        let each = if head["kind"] == "classes" { 2 } else { 4 };
        assert_eq!(answer.body.len(), 4 + length + each * NODES, "{by}");
    }
    assert_eq!(page.get("/api/colour?by=column&block=attributes&column=12").status, 400);
    assert_eq!(page.get("/api/colour?by=age").status, 400);
    let chosen: Vec<u8> = [7u32, 3, 5, 3].iter().flat_map(|node| node.to_le_bytes()).collect();
    let selection = page.with_own("POST", "/api/selection", &chosen).json();
    assert_eq!(selection["summary"]["count"], 3);
    assert_eq!(selection["summary"]["classes"][0]["inside"], 1.0);
    let ids: Vec<&Value> =
        selection["nodes"].as_array().unwrap().iter().map(|node| &node["id"]).collect();
    assert_eq!(ids[1..], ["n5", "n7"]);
    let table = String::from_utf8(page.with_own("POST", "/api/export", &chosen).body).unwrap();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "id,class,degree");
    assert!(lines[1].starts_with("\"<b>three</b>, \"\"3\"\"\",1,"), "{}", lines[1]);
    assert!(lines[2].starts_with("n5,1,") && lines[3].starts_with("n7,1,"));
    let parquet = page.with_own("POST", "/api/export?format=parquet", &chosen);
    if about["formats"].as_array().unwrap().contains(&"parquet".into()) {
        assert_eq!((parquet.status, &parquet.body[..4]), (200, &b"PAR1"[..]));
    } else {
        assert_eq!(parquet.status, 400);
    }
    assert_eq!(page.with_own("POST", "/api/export?format=xlsx", &chosen).status, 400);
    for bad in [&[1u8, 2, 3][..], &200u32.to_le_bytes()] {
        assert_eq!(page.with_own("POST", "/api/selection", bad).status, 400);
    }
    assert_eq!(page.with_own("POST", "/api/selection", &[]).json()["summary"]["count"], 0);
}

#[test]
fn without_a_connection_the_answers_are_the_same() {
    let page = Page::open(None);
    let params = ExplorerParams { graph: Some(graph()), threads: Some(1), ..Default::default() };
    let explorer = Explorer::start(model(), params).unwrap();
    let ask = |method: &str, target: &str, body: &[u8]| {
        let request = Request::local(method, target, body.to_vec()).unwrap();
        let response = explorer.answer(&request);
        (response.status(), response.into_pieces().map(|piece| piece.to_vec()).collect::<Vec<_>>())
    };
    for path in ["/api/neighbours?node=17&count=10&lambda=0.3", "/api/node?node=3"] {
        assert_eq!(ask("GET", path, b""), (200, vec![page.get(path).body]), "{path}");
    }
    let frames = ask("GET", "/api/map?lambda=0.7", b"").1;
    assert!(frames.iter().all(|frame| frame.len() == 32 + 4 * NODES));
    assert_eq!(frames.last().unwrap()[12], 0, "at rest");
    assert_eq!(ask("GET", "/api/node?node=120", b"").0, 400);
    assert!(Request::local("GET", "/api/search?q=%zz", Vec::new()).is_none());
    assert!(ask("GET", "/api/anchors", b"").1.is_empty(), "a small map moves by itself");
}

#[test]
fn pages_that_are_one_file_hold_what_they_show() {
    let classes = Labels::from_numbers(&vec![0; NODES]);
    let scale = Some(("<age>".to_owned(), vec![1.5; NODES]));
    let params = ExplorerParams {
        title: "</title><script>".to_owned(),
        graph: Some(graph()),
        labels: Some(classes),
        scale,
        story: "<p>a story</p>".to_owned(),
        ..Default::default()
    };
    let page = frozen_page(model(), params).unwrap();
    assert!(page.contains("<p>a story</p>") && !page.contains("</title><script>"));
    let (_, rest) = page.split_once("id=\"frozen\">").unwrap();
    let data: Value = serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap();
    let by: Vec<&Value> =
        data["about"]["colourings"].as_array().unwrap().iter().map(|c| &c["by"]).collect();
    assert_eq!(by, ["scale", "label", "cluster", "degree", "loss", "moved"]);
    assert!(by[..5].iter().all(|by| data["colours"][by.as_str().unwrap()].is_string()));
    assert_eq!(data["layouts"].as_array().unwrap().len(), 5);
    assert_eq!(data["about"]["anchors"].as_array().unwrap().len(), 5);
    let few = ExplorerParams { scale: Some(("age".to_owned(), vec![1.0])), ..Default::default() };
    let error = frozen_page(model(), few).unwrap_err().to_string();
    assert!(error.contains("1 of the 120 nodes"), "{error}");
}

#[test]
fn comparisons_wait_for_all_candidates() {
    let page = Page::open(None);
    let same = page.once_ready("/api/moved?from_lambda=0.5&to_lambda=0.5").json();
    assert_eq!(same["mean"], 0.0);
    let moved = page.get("/api/moved?from_lambda=0&to_lambda=1&count=5").json();
    let most = moved["nodes"].as_array().unwrap();
    assert_eq!(most.len(), 5);
    assert!(most.windows(2).all(|two| two[0]["changed"].as_f64() >= two[1]["changed"].as_f64()));
    assert!(most[0]["changed"].as_f64().unwrap() >= moved["mean"].as_f64().unwrap());
    assert!(!most[0]["left"].as_array().unwrap().is_empty());
    let agreement = page.get("/api/agreement").json();
    let agreement = agreement.as_array().unwrap();
    assert_eq!(agreement.len(), 11);
    // Words are divided by class here; links are, too.
    assert!(agreement.iter().all(|at| at["agreement"].as_f64().unwrap() > 0.5), "{agreement:?}");
}

#[test]
fn nobody_else_is_answered() {
    let page = Page::open(None);
    let host = format!("127.0.0.1:{}", page.port);
    let token = page.token.as_str();
    let status = |fields: &[(&str, &str)]| page.send("GET", "/api/about", fields, b"").status;
    let (own, pass) = (("Host", host.as_str()), ("X-Gage-Token", token));
    assert_eq!(status(&[own, pass]), 200);
    assert_eq!(status(&[("Host", "evil.example"), pass]), 403);
    assert_eq!(status(&[pass]), 403);
    assert_eq!(status(&[own]), 401);
    assert_eq!(status(&[own, ("X-Gage-Token", "0")]), 401);
    assert_eq!(status(&[own, pass, ("Sec-Fetch-Site", "cross-site")]), 403);
    assert_eq!(status(&[own, pass, ("Origin", "http://evil.example")]), 403);
    // No other site may read an answer or send the token, whatever it asks beforehand.
    let asked = [own, ("Origin", "http://evil.example"), ("Access-Control-Request-Method", "GET")];
    let preflight = page.send("OPTIONS", "/api/about", &asked, b"");
    assert_eq!(preflight.status, 403);
    assert!(!preflight.head.to_lowercase().contains("access-control"));
    assert_eq!(page.with_own("DELETE", "/api/about", b"").status, 405);
    // The token in the address is none: it would end up in logs.
    let path = format!("/api/about?token={token}");
    assert_eq!(page.send("GET", &path, &[own], b"").status, 401);
}

#[test]
fn there_is_nothing_to_climb_out_of() {
    let page = Page::open(None);
    for path in [
        "/../../etc/passwd",
        "/..%2f..%2fetc/passwd",
        "//etc/passwd",
        "/.",
        "/web/main.js",
        "/main.js/",
        "/api",
        "/api/",
        "/api/../style.css",
        "http://127.0.0.1/main.js",
        "*",
    ] {
        let status = page.get(path).status;
        assert!(status == 404 || status == 400, "{path}: {status}");
    }
    let page = page.get("/");
    assert_eq!(page.status, 200);
    assert!(page.head.contains("Content-Security-Policy: default-src 'none'; script-src 'self'"));
    assert!(page.head.contains("X-Content-Type-Options: nosniff"));
}

#[test]
fn huge_broken_and_many_requests_do_no_harm() {
    let page = Page::open(None);
    let own = page.own();
    let head = |length: &str| {
        format!(
            "POST /api/selection HTTP/1.1\r\nHost: {}\r\nX-Gage-Token: {}\r\n\
             Content-Length: {length}\r\n\r\n",
            own[0].1, own[1].1
        )
    };
    assert_eq!(page.raw(head("99999999999").as_bytes()).status, 413);
    let body = vec![0; 9 << 20];
    assert_eq!(page.raw(&[head(&body.len().to_string()).as_bytes(), &body].concat()).status, 413);
    assert_eq!(page.raw(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03").status, 400);
    assert_eq!(page.raw(&[b'a'; 100_000]).status, 431);
    // Half a request and nothing more: the other side left.
    assert_eq!(page.raw(b"GET / HTTP/1.1\r\nHost").status, 0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for node in 0..125 {
                    let path = format!("/api/neighbours?node={}&count=3", node % NODES);
                    let found = page.get(&path).json();
                    assert_eq!(found["neighbours"].as_array().unwrap().len(), 3);
                }
            });
        }
    });
}

#[test]
fn what_was_found_is_kept_for_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("m.gage.explore");
    let page = Page::open(Some(file.clone()));
    page.once_ready("/api/agreement");
    // The map rests on all candidates once the file is there.
    while !file.exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
    let length = 32 + 4 * NODES;
    let body = page.get("/api/map").body;
    let rest = body[body.len() - length..].to_vec();
    drop(page);
    let again = Page::open(Some(file.clone()));
    assert_eq!(again.get("/api/progress").json()["cached"], true);
    let first = again.get("/api/map").body;
    assert_eq!(first[32..length], rest[32..], "the same map at once");
    drop(again);
    // A single wrong bit, and it is made again.
    let mut bytes = std::fs::read(&file).unwrap();
    let at = bytes.len() / 2;
    bytes[at] ^= 1;
    std::fs::write(&file, &bytes).unwrap();
    assert_eq!(Page::open(Some(file.clone())).get("/api/progress").json()["cached"], false);
    std::fs::write(&file, &bytes[..at]).unwrap();
    assert_eq!(Page::open(Some(file)).get("/api/progress").json()["cached"], false);
}

#[test]
fn data_of_other_nodes_are_refused() {
    let other = Graph::new(Nodes::named(["x", "y"]).unwrap());
    let params = ExplorerParams { graph: Some(other), ..ExplorerParams::default() };
    let error = Explorer::start(model(), params).err().unwrap();
    assert_eq!(error.to_string(), "the data have 0 of the 120 nodes of the model");
    assert!(error.hint().is_some());
    let server = Server::bind(None).unwrap();
    let taken = Server::bind(Some(server.port())).err().unwrap().to_string();
    assert!(taken.starts_with(&format!("port {} of this machine", server.port())), "{taken}");
}
