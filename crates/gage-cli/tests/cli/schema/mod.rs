//! What `--json` prints: every command and every kind of failure, against the schema in `docs`.

mod validate;

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use self::validate::Schema;
use crate::support::Place;

/// Refuses objects that name a member twice, which other readers overlook.
struct Unique;

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Unique, D::Error> {
        reader.deserialize_any(Unique)
    }
}

impl<'de> Visitor<'de> for Unique {
    type Value = Unique;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Unique, A::Error> {
        let mut names = BTreeSet::new();
        while let Some((name, _)) = map.next_entry::<String, Unique>()? {
            if let Some(name) = names.replace(name) {
                return Err(A::Error::custom(format!("`{name}` is there twice")));
            }
        }
        Ok(Unique)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Unique, A::Error> {
        while list.next_element::<Unique>()?.is_some() {}
        Ok(Unique)
    }

    fn visit_unit<E>(self) -> Result<Unique, E> {
        Ok(Unique)
    }
    fn visit_bool<E>(self, _: bool) -> Result<Unique, E> {
        Ok(Unique)
    }
    fn visit_u64<E>(self, _: u64) -> Result<Unique, E> {
        Ok(Unique)
    }
    fn visit_i64<E>(self, _: i64) -> Result<Unique, E> {
        Ok(Unique)
    }
    fn visit_f64<E>(self, _: f64) -> Result<Unique, E> {
        Ok(Unique)
    }
    fn visit_str<E>(self, _: &str) -> Result<Unique, E> {
        Ok(Unique)
    }
}

/// The schema as users find it.
fn schema() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/gage-output.schema.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Parses a document and checks it against the schema and the envelope.
fn checked(schema: &Schema<'_>, text: &[u8], command: Option<&str>) -> Value {
    let shown = String::from_utf8_lossy(text);
    let fail = |error: String| -> Value { panic!("{command:?}: {error}\n{shown}") };
    if let Err(error) = serde_json::from_slice::<Unique>(text) {
        return fail(error.to_string());
    }
    let value: Value = serde_json::from_slice(text).unwrap();
    schema.check(&value).unwrap_or_else(|error| drop(fail(error)));
    assert_eq!(value["command"].as_str(), command, "{shown}");
    value
}

/// A data set with labels, a model of it, and what else the commands read.
fn place() -> Place {
    let place = Place::with_model();
    let labels = (0..80).map(|node| format!("n{node},{}\n", ["even", "odd"][node % 2]));
    place.write("labels.csv", &format!("id,label\n{}", labels.collect::<String>()));
    place.write("new.csv", "id,word0,word1\nx,3,0\ny,0,2\n");
    // An embedding of one part, as `gage-mpi embed` leaves it.
    place.write("parts/parts.json", r#"{"ranks": 1, "nodes": 80}"#);
    for (from, to) in [("e.npy", "part-00000.npy"), ("e.ids.txt", "part-00000.ids.txt")] {
        std::fs::copy(place.path(from), place.path("parts").join(to)).unwrap();
    }
    place
}

/// Every command, in an order in which each finds the files it needs.
const COMMANDS: &[(&str, &[&str])] = &[
    ("embed", &["embed", "data", "-o", "a.npy", "--dim", "8", "--directed", "no", "--certify"]),
    ("embed", &["embed", "data", "-o", "b.npy", "--method", "deepwalk", "--dim", "8"]),
    ("reweight", &["reweight", "m.gage", "--lambda", "0.5", "-o", "r.csv"]),
    ("fold-in", &["fold-in", "m.gage", "--attributes", "new.csv", "-o", "n.csv"]),
    ("fold-in", &["fold-in", "m.gage", "--attributes", "new.csv", "--append", "-o", "more.gage"]),
    ("info", &["info", "more.gage"]),
    ("certify", &["certify", "m.gage", "data", "-o", "c.gage"]),
    ("similar", &["similar", "m.gage", "n1", "n2", "-k", "3"]),
    ("index", &["index", "m.gage"]),
    ("similar", &["similar", "m.gage", "n1", "--index", "m.gage.index"]),
    ("info", &["info", "data", "--labels", "labels.csv"]),
    ("info", &["info", "m.gage"]),
    ("info", &["info", "data", "--recipe"]),
    ("convert", &["convert", "data", "links.npz"]),
    ("convert", &["convert", "data", "folder"]),
    ("convert", &["convert", "e.npy", "e.csv"]),
    ("convert", &["convert", "data", "shards", "--shards", "2", "--directed", "no"]),
    ("info", &["info", "shards"]),
    ("merge", &["merge", "parts", "-o", "merged.npy"]),
    ("explore", &["explore", "m.gage", "data", "--directed", "no", "-o", "page.html"]),
    ("plot", &["plot", "m.gage", "-o", "map.svg", "--labels", "labels.csv"]),
    ("plot", &["plot", "e.npy", "-o", "map.svg"]),
    ("generate", &["generate", "-o", "made", "--nodes", "300"]),
    ("evaluate classify", &["evaluate", "classify", "e.npy", "--labels", "labels.csv"]),
    ("evaluate links", &["evaluate", "links", "data", "--dim", "8", "--shuffles", "2"]),
    ("evaluate cluster", &["evaluate", "cluster", "e.npy", "--labels", "labels.csv"]),
    ("evaluate cluster", &["evaluate", "cluster", "e.npy", "--clusters", "2"]),
    (
        "evaluate new-nodes",
        &["evaluate", "new-nodes", "data", "--labels", "labels.csv", "--dim", "8"],
    ),
    (
        "evaluate sweep",
        &["evaluate", "sweep", "data", "--labels", "labels.csv", "--dim", "8", "-o", "sweep.svg"],
    ),
    ("evaluate tune", &["evaluate", "tune", "data", "--labels", "labels.csv", "--dims", "8"]),
    ("completions", &["completions", "bash"]),
    ("man", &["man"]),
    ("man", &["man", "--dir", "pages"]),
];

#[test]
fn every_command_prints_what_the_schema_says() {
    let (place, schema) = (place(), schema());
    let schema = Schema::new(&schema);
    for (command, args) in COMMANDS {
        let text = place.ok(&[args, &["--json"][..]].concat());
        let value = checked(&schema, text.as_bytes(), Some(command));
        for output in value["outputs"].as_array().unwrap() {
            assert!(place.path(output.as_str().unwrap()).exists(), "{args:?}: {output}");
        }
    }
    // The two commands that take a while have tests of their own, which check them, too.
    let named = COMMANDS.iter().map(|(command, _)| command.split(' ').next().unwrap());
    let named: BTreeSet<&str> = named.chain(["demo", "reproduce", "help"]).collect();
    let help = place.ok(&["--help"]);
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty()).filter(|line| &line[2..3] != " ");
    for command in listed.map(|line| line.split_whitespace().next().unwrap()) {
        assert!(named.contains(command), "`gage {command} --json` is not checked");
    }
}

/// Checks the JSON of a command that has its test elsewhere.
pub fn check(text: &str, command: &str) {
    checked(&Schema::new(&schema()), text.as_bytes(), Some(command));
}

#[test]
fn notes_and_warnings_are_part_of_the_document() {
    let place = place();
    let value = place.json(&["convert", "data", "links.npz"]);
    let told = value["warnings"].as_array().unwrap();
    let left_out = |text: &Value| text.as_str().unwrap().contains("left out: attributes");
    assert!(told.iter().any(left_out), "{told:?}");
    // Also of a command that fails after it remarked something.
    place.write("few.csv", "id,label\nn1,a\nn2,a\n");
    let args = ["evaluate", "classify", "e.npy", "--labels", "few.csv", "--json"];
    let output = place.run(&args);
    let value: Value = serde_json::from_slice(&output.stderr).unwrap();
    let told = value["notes"][0].as_str().unwrap();
    assert!(told.contains("78 of 80 nodes"), "{told}");
}

#[test]
fn failures_have_the_same_envelope() {
    let (place, schema) = (Place::new(), schema());
    let schema = Schema::new(&schema);
    let cases: &[(i32, Option<&str>, &[&str], &str)] = &[
        (2, None, &[], "requires a subcommand"),
        (2, None, &["nonsense"], "nonsense"),
        (2, Some("embed"), &["embed", "--nonsense"], "--nonsense"),
        (2, Some("embed"), &["embed", "d", "-o", "x.npy", "--dim", "none"], "--dim"),
        (2, Some("similar"), &["similar", "m.gage"], "<NODE>"),
        (2, Some("evaluate"), &["evaluate"], "requires a subcommand"),
        (2, Some("evaluate sweep"), &["evaluate", "sweep", "data", "--steps", "x"], "--steps"),
        (2, Some("embed"), &["embed", "-o", "x.npy"], "no data set"),
        (3, Some("embed"), &["embed", "nowhere", "-o", "x.npy"], "nowhere"),
        (4, Some("embed"), &["embed", "data", "--dim", "500", "-o", "x.npy"], "500"),
        (5, Some("embed"), &["embed", "data", "-o", "nowhere/x.npy"], "nowhere/x.npy"),
    ];
    for (code, command, args, part) in cases {
        let output = place.run(&[args, &["--json"][..]].concat());
        assert_eq!(output.status.code(), Some(*code), "{args:?}");
        assert!(output.stdout.is_empty(), "{args:?}");
        let value = checked(&schema, &output.stderr, *command);
        assert_eq!(value["exit_code"], *code);
        let message = value["error"].as_str().unwrap();
        assert!(message.contains(part) && !message.starts_with("error"), "{args:?}: {message}");
        assert!(!value["help"].as_str().unwrap().is_empty(), "{args:?}");
    }
    // Help and version are no failure.
    assert!(place.ok(&["embed", "--help", "--json"]).contains("Usage"));
}
