//! `gage embed --method`: baselines through the same command.

use crate::support::{NODES, Place, assert_same};

const RIVALS: [&str; 6] = ["svd", "ssgc", "pane", "tadw", "tpine", "deepwalk"];

#[test]
fn every_baseline_embeds_and_says_which_it_is() {
    let place = Place::new();
    for method in RIVALS {
        let out = format!("{method}.npy");
        let base =
            ["embed", "data", "--directed", "no", "--dim", "6", "--method", method, "-o", &out];
        let report = place.json(&base);
        assert_eq!(report["method"], method);
        assert_eq!(
            (report["nodes"].as_u64(), report["columns"].as_u64()),
            (Some(NODES as u64), Some(6))
        );
        assert_eq!(report["outputs"][0], out.as_str());
        place.ok(&[&base[..8], &["-o", "again.npy", "--threads", "1"]].concat());
        assert_same(&place, &out, "again.npy");
    }
    let report = place.json(&["embed", "data", "--dim", "6", "--directed", "no", "-o", "e.npy"]);
    assert_eq!(report["method"], "gage");
    let help = place.ok(&["embed", "--help"]);
    assert!(RIVALS.iter().all(|method| help.contains(&format!("- {method}:"))), "{help}");
    let words = place.ok(&["embed", "data", "--method", "ssgc", "--dim", "4", "-o", "e.npy"]);
    assert!(words.contains("80 nodes x 4 columns (f32), method ssgc: "), "{words}");
}

#[test]
fn what_only_gage_has_is_refused() {
    let place = Place::new();
    let own: [&[&str]; 11] = [
        &["--model", "m.gage"],
        &["--checkpoint", "points"],
        &["--lambda", "0.5"],
        &["--shares", "1,1,1"],
        &["--preset", "balanced"],
        &["--weights", "1,1"],
        &["--precision", "f32"],
        &["--tolerance", "1e-3"],
        &["--refine"],
        &["--certify"],
        &["--dim", "auto"],
    ];
    for option in own {
        let base = ["embed", "data", "-o", "e.npy", "--method", "tadw"];
        let (error, help) = place.fails(2, &[&base[..], option].concat());
        assert!(error.contains(option[0]) && error.contains("`tadw`"), "{error}");
        assert!(help.contains(option[0]), "{help}");
    }
    assert_eq!(place.names(), ["data"]);
}

#[test]
fn variants_and_scales_change_the_rows_and_what_is_unknown_is_refused() {
    let place = Place::new();
    let base = ["embed", "data", "--directed", "no", "--dim", "4", "--method", "tadw"];
    let run = |out: &str, more: &[&str]| place.json(&[&base[..], &["-o", out], more].concat());
    let report = run("usual.csv", &[]);
    assert_eq!((&report["variant"], &report["scale"]), (&"default".into(), &"mean-square".into()));
    assert!(report["memory_bytes"].as_u64().unwrap() > 1000);
    let report = run("paper.csv", &["--variant", "paper", "--scale", "rows"]);
    assert_eq!((&report["variant"], &report["scale"]), (&"paper".into(), &"rows".into()));
    run("none.csv", &["--scale", "none"]);
    let numbers = |name: &str| -> Vec<Vec<f64>> {
        let text = place.text(name);
        let lines = text.lines().skip(1);
        lines.map(|line| line.split(',').skip(1).map(|x| x.parse().unwrap()).collect()).collect()
    };
    let square = |row: &Vec<f64>| row.iter().map(|x| x * x).sum::<f64>();
    let (usual, paper, none) = (numbers("usual.csv"), numbers("paper.csv"), numbers("none.csv"));
    let mean = usual.iter().map(square).sum::<f64>() / (4 * NODES) as f64;
    assert!((mean - 1.0).abs() < 1e-4, "{mean}");
    assert!(paper.iter().all(|row| (square(row) - 1.0).abs() < 1e-4 || square(row) == 0.0));
    let total = |rows: &[Vec<f64>]| rows.iter().map(square).sum::<f64>();
    let factor = (total(&usual) / total(&none)).sqrt();
    assert!((factor - 1.0).abs() > 0.1, "{factor}");
    for (a, b) in usual.iter().flatten().zip(none.iter().flatten()) {
        assert!((a - factor * b).abs() < 1e-4 * (1.0 + a.abs()), "{a} and {b}");
    }
    let (error, help) = place.fails(2, &[&base[..], &["-o", "e.npy", "--variant", "x"]].concat());
    assert!(
        error.contains("`tadw` has no variant `x`") && help.contains("paper"),
        "{error} {help}"
    );
    for own in [["--variant", "paper"], ["--scale", "rows"]] {
        let (error, _) = place.fails(2, &[&["embed", "data", "-o", "e.npy"][..], &own].concat());
        assert!(error.contains(own[0]) && error.contains("baselines"), "{error}");
    }
}

#[test]
fn a_baseline_that_cannot_fit_into_memory_is_refused_before_it_begins() {
    let place = Place::new();
    let base = ["embed", "data", "--directed", "no", "--method", "dgi", "-o", "e.npy"];
    let (error, help) = place.fails(6, &[&base[..], &["--max-memory", "10KiB"]].concat());
    assert!(error.contains("`dgi` needs about") && error.contains("available"), "{error}");
    assert!(help.contains("fewer columns"), "{help}");
    assert_eq!(place.names(), ["data"]);
}

#[test]
fn what_a_baseline_needs_is_said() {
    let place = Place::new();
    let graph =
        ["embed", "--graph", "data/edges.csv", "--directed", "no", "--dim", "4", "-o", "e.npy"];
    let (error, help) = place.fails(4, &[&graph[..], &["--method", "pane"]].concat());
    assert!(
        error.contains("`pane` needs attributes") && help.contains("deepwalk"),
        "{error} {help}"
    );
    place.ok(&[&graph[..], &["--method", "deepwalk"]].concat());
    let output = place.run(&["embed", "data", "-o", "e.npy", "--method", "gcn"]);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("gcn") && text.contains("tpine"), "{text}");
}
