//! The page of a model, from the command line.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::schema::check;
use crate::support::{Place, assert_balanced, interrupt};

/// Starts the explorer; returns what it printed first.
fn start(place: &Place, args: &[&str]) -> (Child, Value) {
    let args = [&["explore", "m.gage", "--no-open", "--json"], args].concat();
    let mut command = place.command(&args);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut text = String::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    while !text.ends_with("\n}\n") {
        assert!(out.read_line(&mut text).unwrap() > 0, "it ended before it printed its address");
    }
    check(&text, "explore");
    (child, serde_json::from_str(&text).unwrap())
}

fn get(port: u16, token: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let fields = format!("Host: 127.0.0.1:{port}\r\nX-Gage-Token: {token}\r\nConnection: close");
    write!(stream, "GET {path} HTTP/1.1\r\n{fields}\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

#[cfg(unix)]
#[test]
fn the_page_answers_until_ctrl_c() {
    let place = Place::with_model();
    let (child, report) = start(&place, &["data", "--directed", "no"]);
    let (url, port) = (report["url"].as_str().unwrap(), report["port"].as_u64().unwrap() as u16);
    let token = url.strip_prefix(&format!("http://127.0.0.1:{port}/#token=")).unwrap();
    assert_eq!((&report["command"], &report["nodes"]), (&"explore".into(), &80.into()));
    assert!(get(port, "", "/").starts_with("HTTP/1.1 200"));
    assert!(get(port, "", "/api/about").starts_with("HTTP/1.1 401"));
    assert!(get(port, token, "/api/about").contains("\"has_data\":true"));
    assert!(get(port, token, "/api/map").starts_with("HTTP/1.1 200"));
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let kept = ["data", "e.ids.txt", "e.npy", "m.gage", "m.gage.explore"];
    assert!(place.names().iter().all(|name| kept.contains(&name.as_str())), "{:?}", place.names());
}

#[cfg(unix)]
#[test]
fn nothing_is_kept_where_that_is_not_wanted() {
    let place = Place::with_model();
    let (child, report) = start(&place, &["--no-cache", "--title", "a map"]);
    let (_, token) = report["url"].as_str().unwrap().split_once("#token=").unwrap();
    let port = report["port"].as_u64().unwrap() as u16;
    assert!(get(port, token, "/api/about").contains("\"title\":\"a map\""));
    get(port, token, "/api/map");
    interrupt(&child);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    assert!(!place.path("m.gage.explore").exists());
}

#[test]
fn a_frozen_page_is_one_file_with_harmless_names() {
    let place = Place::with_model();
    let hostile = |node: usize| {
        format!("n{node},{}\n", ["</script><script>alert(1)</script>", "b"][node % 2])
    };
    place.write("labels.csv", &format!("id,label\n{}", (0..80).map(hostile).collect::<String>()));
    let args = ["explore", "m.gage", "--labels", "labels.csv", "-o", "page.html", "--title", "<b>"];
    let report = place.json(&args);
    assert_eq!(report["outputs"], serde_json::json!(["page.html"]));
    let page = place.text("page.html");
    assert_eq!((report["bytes"].as_u64(), &report["nodes"]), (Some(page.len() as u64), &80.into()));
    assert_balanced(&page);
    assert!(!page.contains("<script>alert(1)") && !page.contains("<b>"));
    assert!(page.contains("\\u003c/script\\u003e"));
    // Nothing is loaded from anywhere.
    assert!(page.contains("default-src 'none'") && !page.contains("src="));
    let addresses: Vec<&str> = page.match_indices("http:").map(|(at, _)| &page[at..]).collect();
    // A name that looks like an address, in every drawing.
    assert!(addresses.iter().all(|text| text.starts_with("http://www.w3.org/2000/svg")));
    place.fails(5, &["explore", "m.gage", "-o", "m.gage"]);
}

#[test]
fn what_cannot_be_explored_is_refused() {
    let place = Place::with_model();
    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let (message, help) = place.fails(1, &["explore", "m.gage", "--no-open", "--port", &port]);
    assert!(message.contains(&format!("port {port} of this machine")), "{message}");
    assert!(help.contains("--port"), "{help}");
    place.fails(3, &["explore", "none.gage", "--no-open"]);
    place.write("other/edges.csv", "source,target\nx,y\ny,z\n");
    let (message, _) = place.fails(4, &["explore", "m.gage", "other", "--no-open"]);
    assert!(message.contains("0 of the 80 nodes"), "{message}");
}
