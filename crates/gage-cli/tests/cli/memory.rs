//! Fits within a limit of memory, which the system enforces, end in the same bits as without.
#![cfg(target_os = "linux")]

use std::fs;
use std::process::{Command, Output};

use crate::support::{Place, assert_same};

/// A graph whose tall blocks (29 MB each) are far more than its matrices.
fn place() -> Place {
    let place = Place::empty();
    let size = ["--nodes", "80000", "--degree", "6", "--attributes-per-node", "6"];
    place.ok(&[&["generate", "-o", "data", "--quiet"], &size[..]].concat());
    place
}

const FIT: [&str; 6] = ["embed", "--dim", "60", "--preset", "balanced", "--quiet"];

/// Runs `gage` with at most so many MiB of memory that is not a mapped file.
fn limited(place: &Place, mebibytes: usize, args: &[&str]) -> Output {
    let program = place.command(args);
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("ulimit -d {}; exec \"$0\" \"$@\"", mebibytes * 1024));
    shell.arg(program.get_program()).args(program.get_args());
    // The standard library deadlocks where it has no memory left for the backtrace of having no
    // memory left.
    shell.current_dir(place.path(".")).env_remove("RUST_BACKTRACE");
    shell.output().unwrap()
}

#[test]
fn a_limit_that_the_system_enforces_is_kept_and_changes_no_bit() {
    let place = place();
    place.ok(&[&FIT[..], &["data", "-o", "plain.npy", "--model", "plain.gage"]].concat());
    place.ok(&["convert", "data", "mapped", "--mapped", "--quiet"]);
    assert!(place.path("mapped/adj.csr").is_file() && place.path("mapped/features.csr").is_file());
    fs::create_dir(place.path("scratch")).unwrap();
    let within = ["--max-memory", "84MiB", "--scratch", "scratch", "--threads", "2"];
    let out = ["mapped", "-o", "limited.npy", "--model", "limited.gage"];
    let run = limited(&place, 96, &[&FIT[..], &out, &within].concat());
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert_same(&place, "plain.npy", "limited.npy");
    assert_same(&place, "plain.gage", "limited.gage");
    assert_eq!(fs::read_dir(place.path("scratch")).unwrap().count(), 0, "files are left");
    // Without the option the same limit is too little: the one above was real.
    let control = ["mapped", "-o", "control.npy", "--threads", "2"];
    assert!(!limited(&place, 96, &[&FIT[..], &control].concat()).status.success());
}

#[test]
fn a_limit_that_cannot_be_kept_is_refused_before_the_work() {
    let place = place();
    let args = |more: &[&'static str]| [&FIT[..], &["data", "-o", "e.npy"], more].concat();
    for (more, words) in [
        (&["--max-memory", "3MiB"][..], "are not enough"),
        (&["--max-memory", "4 parsecs"], "no unit of memory"),
        (&["--max-memory", "1GiB", "--scratch", "nowhere"], "nowhere: found no folder"),
        (&["--scratch", "."], "--max-memory"),
    ] {
        let run = place.command(&args(more)).output().unwrap();
        let text = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(!run.status.success() && text.contains(words), "{more:?}: {text}");
    }
    assert!(!place.path("e.npy").exists());
}
