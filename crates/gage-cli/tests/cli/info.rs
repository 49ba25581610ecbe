//! `gage info`, completions, manual pages and help.

use crate::support::{NODES, Place, list};

#[test]
fn a_data_set_in_numbers() {
    let place = Place::new();
    place.write("data/labels.csv", "id,label\nn0,a\nn1,b\nn2,a\n");
    let info = place.json(&["info", "data", "--directed", "no"]);
    assert_eq!(info["nodes"], NODES);
    assert_eq!(info["blocks"][0]["kind"], "links");
    assert_eq!(info["blocks"][0]["directed"], false);
    assert!(info["blocks"][0]["components"].as_u64().unwrap() >= 1);
    assert_eq!(info["labels"]["labelled_nodes"], 3);
    assert!(info["plan"]["peak_bytes"].as_u64().unwrap() > 1000);
    assert_eq!(info["suggestion"]["preset"], "auto");
    assert!(info["facts"]["mean_degree"].as_f64().unwrap() > 0.0);
    let text = place.ok(&["info", "data", "--directed", "no"]);
    for part in
        ["80 nodes, with names", "undirected", "components", "passes", "suggested: --preset"]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn scores_tell_links_between_like_nodes_from_others() {
    let place = Place::empty();
    let (mut like, mut unlike) = (String::from("source,target\n"), String::from("source,target\n"));
    let (mut table, mut random) = (String::new(), 7u64);
    // Four kinds of nodes with forty words each, of which every node has ten.
    for i in 0..240usize {
        for step in 1..6 {
            like.push_str(&format!("n{i},n{}\n", (i + 4 * step * step) % 240));
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            unlike.push_str(&format!("n{i},n{}\n", (random >> 33) % 240));
        }
        for k in 0..10 {
            table.push_str(&format!("{} {}\n", i + 1, 40 * (i % 4) + (7 * i + 3 * k) % 40 + 1));
        }
    }
    let entries = table.lines().count();
    let header =
        format!("%%MatrixMarket matrix coordinate pattern general\n240 160 {entries}\n{table}");
    place.write("like/edges.csv", &like);
    place.write("unlike/edges.csv", &unlike);
    let names: String = (0..240).map(|i| format!("n{i}\n")).collect();
    for folder in ["like", "unlike"] {
        place.write(&format!("{folder}/features.mtx"), &header);
        place.write(&format!("{folder}/nodes.txt"), &names);
    }
    // What eight smoothings tell less of hidden attributes than those of the node itself.
    let lost = |folder: &str| {
        let info = place.json(&["info", folder, "--directed", "no"]);
        let score = |source: &str| info["facts"]["prediction"][source].as_f64().unwrap();
        score("own") - score("far")
    };
    let (like, unlike) = (lost("like"), lost("unlike"));
    assert!(like < 0.05 && unlike > 0.2, "{like} {unlike}");
    let text = place.ok(&["info", "like", "--directed", "no"]);
    assert!(text.contains("hidden attributes of 240 nodes"), "{text}");
}

#[test]
fn a_model_in_numbers() {
    let place = Place::with_model();
    let info = place.json(&["info", "m.gage"]);
    assert_eq!((&info["nodes"], &info["columns"]), (&NODES.into(), &8.into()));
    assert_eq!(info["takes_new_nodes"], true);
    assert!(place.ok(&["info", "m.gage"]).contains("takes new nodes"));
}

#[test]
fn help_shows_examples_and_exit_codes() {
    let place = Place::empty();
    let help = place.ok(&["--help"]);
    assert!(help.contains("Exit codes:") && help.contains("130") && help.contains("Examples:"));
    for command in [
        "embed",
        "reweight",
        "fold-in",
        "certify",
        "similar",
        "info",
        "convert",
        "completions",
        "man",
    ] {
        let text = place.ok(&[command, "--help"]);
        assert!(text.contains("Examples:"), "{command}");
        for flag in ["--json", "--quiet", "--threads", "--seed"] {
            assert!(text.contains(flag), "{command} {flag}");
        }
    }
}

#[test]
fn completions_and_manual_pages() {
    let place = Place::empty();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(place.ok(&["completions", shell]).contains("reweight"), "{shell}");
    }
    assert!(place.ok(&["man"]).contains(".TH gage 1"));
    place.ok(&["man", "--dir", "pages", "--quiet"]);
    let pages = list(&place.path("pages"));
    assert!(
        pages.contains(&"gage.1".to_owned()) && pages.contains(&"gage-embed.1".to_owned()),
        "{pages:?}"
    );
    assert!(place.text("pages/gage-embed.1").contains("checkpoint"));
}
