//! Fits that were killed go on where they were.
#![cfg(unix)]

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::support::{Place, assert_same, interrupt, list, wait_for};

/// A generated graph on which a fit takes long enough to be killed in the middle.
fn place() -> Place {
    let place = Place::empty();
    let size = ["--nodes", "12000", "--degree", "10", "--attributes-per-node", "10"];
    place.ok(&[&["generate", "-o", "data", "--quiet"], &size[..]].concat());
    place
}

const FIT: [&str; 5] = ["embed", "data", "--dim", "48", "--refine"];

/// An uninterrupted run.
fn reference(place: &Place) -> Value {
    place.json(&[&FIT[..], &["-o", "whole.npy", "--model", "whole.gage"]].concat())
}

/// A run with checkpoints; its outputs are `e.npy` and `m.gage`.
fn checked<'a>(every: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let out = ["-o", "e.npy", "--model", "m.gage", "--checkpoint", "points"];
    [&FIT[..], &out, &["--checkpoint-every", every], more].concat()
}

fn state_files(place: &Place) -> Vec<PathBuf> {
    if !place.path("points").is_dir() {
        return Vec::new();
    }
    let names = list(&place.path("points"));
    let states =
        names.iter().filter(|name| name.ends_with(".state.gage") && !name.starts_with('.'));
    states.map(|name| place.path("points").join(name)).collect()
}

/// Every state there is, and when it was written.
fn states(place: &Place) -> Vec<(PathBuf, SystemTime)> {
    let written = |path: &PathBuf| fs::metadata(path).ok()?.modified().ok();
    state_files(place)
        .into_iter()
        .filter_map(|path| Some((path.clone(), written(&path)?)))
        .collect()
}

/// Runs until `wanted` states were kept, one after the other, and kills the process; returns the
/// file of the last one.
fn killed(place: &Place, args: &[&str], wanted: usize) -> PathBuf {
    let mut seen = states(place);
    let before = seen.len();
    let mut child =
        place.command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    for _ in 0..wanted {
        let mut new = None;
        wait_for(&mut child, "a state of the fit", || {
            new = states(place).into_iter().find(|state| !seen.contains(state));
            new.is_some()
        });
        seen.extend(new);
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!place.path("e.npy").exists() && !place.path("m.gage").exists());
    assert!(seen.len() > before);
    seen.pop().unwrap().0
}

fn assert_whole(place: &Place) {
    assert_same(place, "whole.npy", "e.npy");
    assert_same(place, "whole.gage", "m.gage");
    assert_eq!(state_files(place), Vec::<PathBuf>::new(), "the state outlived the fit");
    for name in ["e.npy", "m.gage"] {
        fs::remove_file(place.path(name)).unwrap();
    }
    fs::remove_dir_all(place.path("points")).unwrap();
}

fn says(report: &Value, list: &str, words: &str) -> bool {
    let found = report[list].as_array().unwrap();
    found.iter().any(|text| text.as_str().unwrap().contains(words))
}

#[test]
fn a_killed_fit_goes_on_to_the_same_bits() {
    let place = place();
    let whole = reference(&place);
    let passes = whole["passes"].as_u64().unwrap();
    assert_eq!(whole["passes_done"].as_u64(), Some(passes));
    let mut done = Vec::new();
    // In the basis, and in the refinement; then once more from where the second run was killed.
    for kills in [&[2][..], &[9], &[1, 3]] {
        kills.iter().for_each(|&wanted| {
            let _ = killed(&place, &checked("0", &[]), wanted);
        });
        let report = place.json(&checked("0", &[]));
        assert_eq!(report["resumed"], true, "{report}");
        assert!(report["resumed_at"].is_string() && says(&report, "notes", "cut short"));
        assert_eq!(report["passes"].as_u64(), Some(passes));
        done.push(report["passes_done"].as_u64().unwrap());
        assert_whole(&place);
    }
    assert!(done.iter().all(|&done| done < passes), "{done:?} of {passes}");
    assert!(done[1] < done[0], "a later state leaves less to do: {done:?}");
}

#[test]
fn useless_states_are_reported_and_the_fit_starts_anew() {
    let place = place();
    reference(&place);
    let anew = |what: &str, list: &str| {
        let report = place.json(&checked("3600", &[]));
        assert_eq!(report["resumed"], false, "{what}");
        assert_eq!(report["passes"], report["passes_done"], "{what}");
        assert!(says(&report, "data_warnings", list), "{what}: {}", report["data_warnings"]);
    };
    let path = killed(&place, &checked("0", &[]), 2);
    let good = fs::read(&path).unwrap();
    for damage in ["cut", "changed", "empty"] {
        let mut bytes = good.clone();
        match damage {
            "cut" => bytes.truncate(good.len() / 2),
            "changed" => bytes[good.len() / 3] ^= 4,
            _ => bytes.clear(),
        }
        fs::create_dir_all(place.path("points")).unwrap();
        fs::write(&path, bytes).unwrap();
        anew(damage, "not a readable state of a fit");
        assert_whole(&place);
    }
    // The state of another fit beside where this one's would be, and then in its place.
    let other = killed(&place, &checked("0", &["--seed", "5"]), 1);
    assert_ne!(other, path);
    fs::copy(&other, place.path("other")).unwrap();
    anew("beside", "are of other data, other parameters or another version");
    assert!(other.exists(), "the state of another fit was removed");
    fs::remove_dir_all(place.path("points")).unwrap();
    fs::create_dir_all(place.path("points")).unwrap();
    fs::copy(place.path("other"), &path).unwrap();
    for name in ["e.npy", "m.gage"] {
        fs::remove_file(place.path(name)).unwrap();
    }
    anew("in its place", "belongs to other data, other parameters or another version");
    assert_whole(&place);
}

#[test]
fn ctrl_c_keeps_where_the_fit_stands() {
    let place = place();
    reference(&place);
    // Never due by itself: only Ctrl-C makes it keep anything. The first attempts may hit the
    // reading of the data.
    let mut pause = Duration::from_millis(200);
    while state_files(&place).is_empty() {
        let mut child = place
            .command(&checked("3600", &[]))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(pause);
        assert!(child.try_wait().unwrap().is_none(), "the fit was over too soon to test this");
        assert!(state_files(&place).is_empty());
        interrupt(&child);
        assert_eq!(child.wait().unwrap().code(), Some(130));
        pause = pause.mul_f64(1.3);
    }
    let report = place.json(&checked("3600", &[]));
    assert_eq!(report["resumed"], true);
    assert!(report["passes_done"].as_u64() < report["passes"].as_u64());
    assert_whole(&place);
}

#[test]
#[cfg(target_os = "linux")]
fn a_finished_fit_that_cannot_be_kept_is_a_warning() {
    let place = Place::new();
    let args = ["embed", "data", "-o", "e.npy", "--dim", "4", "--checkpoint", "points"];
    let program = place.command(&[&args[..], &["--directed", "no"]].concat());
    let mut shell = std::process::Command::new("sh");
    // A write beyond the limit fails like one on a full disk. The embedding is small enough.
    shell.arg("-c").arg("trap '' XFSZ; ulimit -f 8; exec \"$@\"").arg("sh");
    shell.arg(program.get_program()).args(program.get_args()).current_dir(place.path("."));
    let run = shell.output().unwrap();
    let text = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(run.status.success(), "{text}");
    assert!(text.contains("warning: the finished fit was not kept"), "{text}");
    assert!(place.path("e.npy").is_file());
    assert_eq!(list(&place.path("points")), Vec::<String>::new());
}

#[test]
#[cfg(target_os = "linux")]
fn a_mapped_file_that_is_cut_short_in_use_is_an_error() {
    let place = place();
    place.ok(&["convert", "data", "mapped", "--mapped", "--quiet"]);
    let args = ["embed", "mapped", "-o", "e.npy", "--dim", "48", "--refine", "--threads", "1"];
    let kept = ["--checkpoint", "points", "--checkpoint-every", "0"];
    let mut command = place.command(&[&args[..], &kept].concat());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    // The fit is under way, and has passes over the data before it.
    wait_for(&mut child, "a state", || !state_files(&place).is_empty());
    fs::OpenOptions::new()
        .write(true)
        .open(place.path("mapped/adj.csr"))
        .unwrap()
        .set_len(0)
        .unwrap();
    let run = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&run.stderr).into_owned();
    assert_eq!(run.status.code(), Some(3), "{text}");
    assert!(text.contains("cut short while it was in use"), "{text}");
    assert!(place.names().iter().all(|name| !name.ends_with(".tmp") && name != "e.npy"));
}
