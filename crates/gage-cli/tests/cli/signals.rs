//! Ctrl-C and broken pipes.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::Place;

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

fn start(place: &Place) -> Child {
    let args = [
        "embed",
        "edges.txt",
        "--directed",
        "no",
        "-o",
        "e.npy",
        "--model",
        "m.gage",
        "--dim",
        "128",
        "--refine",
    ];
    place.command(&args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

fn interrupt(child: &Child) {
    let done = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(done.success());
}

fn wait(child: &mut Child) -> Option<i32> {
    let clock = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        assert!(clock.elapsed() < Duration::from_secs(120), "still running after Ctrl-C");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
#[cfg(unix)]
fn ctrl_c_ends_with_130_and_leaves_no_file() {
    let place = long_work();
    // While reading, and while fitting.
    for pause in [100, 4000] {
        let mut child = start(&place);
        std::thread::sleep(Duration::from_millis(pause));
        assert!(child.try_wait().unwrap().is_none(), "the work was over too soon to test this");
        interrupt(&child);
        assert_eq!(wait(&mut child), Some(130), "after {pause} ms");
        let mut text = String::new();
        child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
        assert!(text.lines().any(|line| line == "error: interrupted"), "{text}");
        assert_eq!(place.names(), ["edges.txt"], "after {pause} ms");
    }
}

#[test]
#[cfg(unix)]
fn a_second_ctrl_c_ends_at_once() {
    let place = long_work();
    let mut child = start(&place);
    std::thread::sleep(Duration::from_millis(4000));
    interrupt(&child);
    std::thread::sleep(Duration::from_millis(50));
    if child.try_wait().unwrap().is_none() {
        interrupt(&child);
    }
    let clock = Instant::now();
    assert_eq!(wait(&mut child), Some(130));
    assert!(clock.elapsed() < Duration::from_secs(2), "{:?}", clock.elapsed());
    assert_eq!(place.names(), ["edges.txt"]);
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
