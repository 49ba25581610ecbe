//! Maps of models.

use crate::support::{Place, assert_balanced};

/// A model with names that try to leave their place, and labels that do.
fn hostile() -> Place {
    let place = Place::empty();
    let name = |node: usize| match node {
        0 => "<script>alert(1)</script>".to_owned(),
        1 => "\"\"onload='alert(1)' & \u{1}]]>".to_owned(),
        _ => format!("node {node}"),
    };
    let quoted = |node| format!("\"{}\"", name(node));
    let mut edges = "source,target\n".to_owned();
    for i in 0..60 {
        let ends = |&j: &usize| i / 30 == j / 30 && (i * 7 + j * 7) % 5 < 2;
        edges.extend((0..i).filter(ends).map(|j| format!("{},{}\n", quoted(i), quoted(j))));
    }
    place.write("data/edges.csv", &edges);
    let words = (0..60).map(|i| format!("{},{},{}\n", quoted(i), i / 30, i % 9));
    place.write("data/attributes.csv", &format!("id,a,b\n{}", words.collect::<String>()));
    place.ok(&["embed", "data", "-o", "e.npy", "--model", "m.gage", "--dim", "8"]);
    let info = place.json(&["info", "m.gage"]);
    let count = usize::try_from(info["nodes"].as_u64().unwrap()).unwrap();
    let half = |i| if i < count / 2 { "</title><script>x()</script>\n" } else { "b & c\n" };
    place.write("labels.txt", &(0..count).map(half).collect::<String>());
    place
}

const MAP: [&str; 8] =
    ["plot", "m.gage", "--dark", "--title", "<b>map</b>", "--lambda", "0.5", "-o"];

#[test]
fn names_are_harmless_in_every_picture() {
    let place = hostile();
    for name in ["map.svg", "map.html", "map.png"] {
        let args = [&MAP[..], &[name, "--labels", "labels.txt", "--size", "300"]].concat();
        let report = place.json(&args);
        assert_eq!((&report["nodes"], &report["classes"]), (&60.into(), &2.into()));
        assert_eq!(report["outputs"], serde_json::json!([name]));
        let bytes = place.bytes(name);
        assert_eq!(report["bytes"], bytes.len());
        if name == "map.png" {
            assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
            continue;
        }
        let text = String::from_utf8(bytes).unwrap();
        assert!(!text.contains("<script>alert") && !text.contains("<script>x()"), "{name}");
        assert!(!text.contains("<b>map") && !text.contains('\u{1}'), "{name}");
        if name == "map.svg" {
            assert!(text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
            assert_eq!(text.matches("<title>").count(), 61);
            assert_eq!(text.matches("<path").count(), text.matches("</path>").count() + 2);
        } else {
            assert_balanced(&text);
            assert!(text.contains("\\u003cscript\\u003ealert(1)"));
        }
    }
}

#[test]
fn bad_requests_are_errors_that_help() {
    let place = hostile();
    let fails = |code, output, more: &[&str]| {
        place.fails(code, &[&["plot", "m.gage", "-o", output][..], more].concat())
    };
    assert!(fails(2, "map.gif", &[]).1.contains(".svg, .png or .html"));
    place.write("few.txt", "a\nb\n");
    let (message, _) = fails(4, "map.svg", &["--labels", "few.txt"]);
    assert!(message.contains("found 2 labels in the first for 60 nodes"), "{message}");
    place.write("other.csv", "x,a\ny,b\n");
    let (message, _) = fails(4, "map.svg", &["--labels", "other.csv"]);
    assert!(message.contains("first `x`"), "{message}");
    fails(5, "no/such/map.svg", &[]);
    fails(3, "map.svg", &["--labels", "none.txt"]);
    let output = place.run(&[&MAP[..], &["map.svg", "--size", "99"]].concat());
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("'--size <PIXELS>': 99 is not in 100..=20000"), "{text}");
    assert!(!place.path("map.svg").exists());
}

#[test]
fn an_embedding_is_coloured_by_classes_or_by_numbers() {
    let place = Place::with_model();
    let column = |name: &str, value: &dyn Fn(usize) -> String| {
        let rows = (0..80).map(|node| format!("n{node},{}\n", value(node)));
        place.write(name, &format!("id,label\n{}", rows.collect::<String>()));
    };
    column("ages.csv", &|node| format!("{}.5", 18 + node / 2));
    column("years.csv", &|node| (1950 + node / 10).to_string());
    column("many.csv", &|node| format!("class {}", node % 60));
    let map = |labels: &str, more: &[&str]| {
        let args = ["plot", "e.npy", "-o", "map.svg", "--labels", labels];
        place.json(&[&args[..], more].concat())
    };
    let ages = map("ages.csv", &[]);
    assert_eq!((&ages["coloured_by"], &ages["classes"]), (&"numbers".into(), &8.into()));
    assert!(ages["notes"].to_string().contains("--label-kind category"), "{ages}");
    let svg = place.text("map.svg");
    assert!(svg.contains("18.5 to 22.5 (10)") && !svg.contains("font-weight=\"600\""), "{svg}");
    place.ok(&["plot", "e.npy", "-o", "map.html", "--labels", "ages.csv"]);
    let page = place.text("map.html");
    assert!(page.contains("\"by\":\"scale\"") && !page.contains("\"by\":\"label\""));
    // Few whole numbers may be either, and are classes unless they are said to be numbers.
    let years = map("years.csv", &[]);
    assert_eq!((&years["coloured_by"], &years["classes"]), (&"classes".into(), &8.into()));
    assert_eq!(map("years.csv", &["--label-kind", "number"])["coloured_by"], "numbers");
    assert_eq!(map("ages.csv", &["--label-kind", "category"])["coloured_by"], "classes");
    let many = map("many.csv", &[]);
    assert!(many["warnings"].to_string().contains("60 classes, of which 48"), "{many}");
    let args = ["plot", "e.npy", "-o", "map.svg", "--labels", "many.csv"];
    let (message, _) = place.fails(4, &[&args[..], &["--label-kind", "number"]].concat());
    assert!(message.contains("are no numbers"), "{message}");
    // An embedding has its shares already.
    place.fails(2, &["plot", "e.npy", "-o", "map.svg", "--lambda", "0.5"]);
}
