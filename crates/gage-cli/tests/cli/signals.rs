//! Ctrl-C and broken pipes.

#![cfg(target_os = "linux")]

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Place, interrupt, list, wait_for};

/// A graph that takes long enough to be interrupted.
fn long_work() -> Place {
    let place = Place::empty();
    let mut edges = String::with_capacity(1 << 24);
    let mut state = 1u64;
    for node in 0..200_000u64 {
        for _ in 0..6 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            edges.push_str(&format!("{node} {}\n", (state >> 33) % 200_000));
        }
    }
    place.write("edges.txt", &edges);
    place
}

/// A fit that keeps its state in `points` whenever it can.
fn start(place: &Place) -> Child {
    let data = ["embed", "edges.txt", "--directed", "no", "-o", "e.npy", "--model", "m.gage"];
    let fit = ["--dim", "128", "--refine", "--checkpoint", "points", "--checkpoint-every", "0"];
    let mut command = place.command(&[&data[..], &fit].concat());
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits until the fit is under way.
fn wait_for_fit(place: &Place, child: &mut Child) {
    let points = place.path("points");
    let kept = || points.is_dir() && list(&points).iter().any(|n| n.ends_with(".state.gage"));
    wait_for(child, "a state of the fit", kept);
}

/// Waits for the end of an interrupted command: it says so, and leaves no output.
fn assert_interrupted(place: &Place, child: Child) {
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{text}");
    assert!(text.lines().any(|line| line == "error: interrupted"), "{text}");
    let kept = ["edges.txt", "points"];
    assert!(place.names().iter().all(|name| kept.contains(&name.as_str())), "{:?}", place.names());
}

#[test]
fn ctrl_c_while_reading_ends_with_130_and_leaves_no_file() {
    let place = long_work();
    let mut child = start(&place);
    // Interrupted as soon as the file is mapped; parsing it takes much longer than to notice that.
    let maps = format!("/proc/{}/maps", child.id());
    let mapped = || std::fs::read_to_string(&maps).is_ok_and(|text| text.contains("edges.txt"));
    wait_for(&mut child, "reading", mapped);
    interrupt(&child);
    assert_interrupted(&place, child);
}

#[test]
fn ctrl_c_while_fitting_ends_with_130_and_leaves_no_file() {
    let place = long_work();
    let mut child = start(&place);
    wait_for_fit(&place, &mut child);
    interrupt(&child);
    assert_interrupted(&place, child);
}

#[test]
fn a_second_ctrl_c_ends_at_once() {
    let place = long_work();
    let mut child = start(&place);
    wait_for_fit(&place, &mut child);
    interrupt(&child);
    let clock = Instant::now();
    interrupt(&child);
    assert_interrupted(&place, child);
    assert!(clock.elapsed() < Duration::from_secs(2), "{:?}", clock.elapsed());
}

#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    let place = Place::with_model();
    for args in [
        &["reweight", "m.gage", "-o", "-", "--format", "csv"][..],
        &["completions", "bash"],
        &["info", "m.gage"],
    ] {
        let mut child =
            place.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(output.stderr.is_empty(), "{args:?}");
    }
}
