//! Small data sets, and running the command on them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use gage_testing::Python;
use serde_json::Value;
use tempfile::TempDir;

/// A folder with a small data set in `data/`, in which commands are run.
pub struct Place {
    folder: TempDir,
}

/// Nodes of the small data set.
pub const NODES: usize = 80;

/// Whether two nodes of the small data set are linked: two groups, denser inside than between.
fn linked(i: usize, j: usize) -> bool {
    let hash = (i * 2_654_435_761 + j * 40_503) % 97;
    hash < if i % 2 == j % 2 { 14 } else { 2 }
}

/// Links with ids, one a line.
pub fn edges(nodes: usize) -> String {
    let mut text = "source,target\n".to_owned();
    for i in 0..nodes {
        text.extend((0..i).filter(|&j| linked(i, j)).map(|j| format!("n{i},n{j}\n")));
    }
    text
}

/// Counts of ten words; each group has its own.
pub fn words(nodes: std::ops::Range<usize>) -> String {
    let mut text = "id".to_owned();
    (0..10).for_each(|word| text.push_str(&format!(",word{word}")));
    text.push('\n');
    for i in nodes {
        text.push_str(&format!("n{i}"));
        for word in 0..10 {
            let own = word % 2 == i % 2;
            text.push_str(&format!(",{}", (i * 7 + word * 3) % if own { 5 } else { 2 }));
        }
        text.push('\n');
    }
    text
}

impl Place {
    /// An empty folder.
    pub fn empty() -> Place {
        Place { folder: tempfile::tempdir().unwrap() }
    }

    /// A folder with the small data set as text in `data/`.
    pub fn new() -> Place {
        let place = Place::empty();
        place.write("data/edges.csv", &edges(NODES));
        place.write("data/attributes.csv", &words(0..NODES));
        place
    }

    /// A folder with the small data set and a model of it, `m.gage`, with its embedding `e.npy`.
    pub fn with_model() -> Place {
        let place = Place::new();
        place.ok(&[
            "embed",
            "data",
            "--directed",
            "no",
            "--dim",
            "8",
            "-o",
            "e.npy",
            "--model",
            "m.gage",
        ]);
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    /// Names in the folder, sorted.
    pub fn names(&self) -> Vec<String> {
        list(self.folder.path())
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gage"));
        command.current_dir(self.folder.path()).args(args).stdin(Stdio::null());
        command
    }

    pub fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Runs a command that must succeed; returns what it printed.
    pub fn ok(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs a command with `--json` that must succeed.
    pub fn json(&self, args: &[&str]) -> Value {
        let text = self.ok(&[args, &["--json"]].concat());
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{args:?}: {error}\n{text}"))
    }

    /// Runs a command that must fail with this code; returns the first line and the help of its
    /// message.
    pub fn fails(&self, code: i32, args: &[&str]) -> (String, String) {
        let output = self.run(args);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {text}");
        let find = |start: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(start));
            line.unwrap_or_else(|| panic!("{args:?}: no `{start}` in {text}")).to_owned()
        };
        (find("error: "), find("help: "))
    }
}

pub fn list(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Waits until something holds while a command runs; the command must not end before.
pub fn wait_for(child: &mut Child, what: &str, mut holds: impl FnMut() -> bool) {
    let clock = Instant::now();
    while !holds() {
        assert!(clock.elapsed() < Duration::from_secs(300), "waited too long for {what}");
        assert!(child.try_wait().unwrap().is_none(), "it ended before {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Sends the signal of Ctrl-C.
pub fn interrupt(child: &Child) {
    let done = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(done.success());
}

/// Elements of a page that must be closed are closed as often as opened.
pub fn assert_balanced(html: &str) {
    let structure = ["html", "head", "body", "main", "section", "script", "style", "svg"];
    for tag in structure.into_iter().chain(["table", "tr", "th", "td", "ul"]) {
        let opened =
            html.matches(&format!("<{tag}>")).count() + html.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, html.matches(&format!("</{tag}>")).count(), "<{tag}>");
    }
}

/// Runs Python code in the folder, if there is a Python with numpy and scipy.
pub fn python(place: &Place, code: &str) -> Option<String> {
    Some(Python::with("numpy, scipy")?.run(&place.path(""), &["-c", code]))
}

/// A real data set, if it is there.
pub fn dataset(name: &str) -> Option<String> {
    Some(gage_testing::dataset(name)?.to_string_lossy().into_owned())
}

/// Compares two files; a failure names them instead of printing all their bytes.
pub fn assert_same(place: &Place, a: &str, b: &str) {
    let (first, second) = (place.bytes(a), place.bytes(b));
    let differ = first.iter().zip(&second).position(|(x, y)| x != y);
    let same = differ.is_none() && first.len() == second.len();
    assert!(same, "{a} and {b} differ at {differ:?} ({} and {} bytes)", first.len(), second.len());
}
