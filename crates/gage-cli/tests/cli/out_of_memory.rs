//! Under a limit of the system on memory every command ends soon: done, or with the exit code and
//! the message of running out of memory, and without a file left behind.

use std::process::{Command, Output};

use crate::support::Place;

/// Exit code of running out of memory.
const MEMORY: i32 = 6;

/// A graph and a model of it.
fn place() -> Place {
    let place = Place::empty();
    place.ok(&["generate", "-o", "data", "--nodes", "6000", "--quiet"]);
    place.ok(&["embed", "data", "-o", "e.npy", "--model", "m.gage", "--dim", "32", "--quiet"]);
    place
}

/// Runs `gage` with at most so many MiB of addresses and ten seconds of processor time. A minute
/// of the clock ends a run that waits for something, however busy the machine is.
fn limited(place: &Place, mebibytes: usize, args: &[&str]) -> Output {
    let program = place.command(args);
    let mut shell = Command::new("sh");
    let limits = format!("ulimit -v {}; ulimit -t 10", mebibytes << 10);
    shell.arg("-c").arg(format!("{limits}; exec timeout -s KILL 60 \"$@\""));
    shell.arg("sh").arg(program.get_program()).args(program.get_args());
    // Making a backtrace takes memory, too; where there was none it never ended.
    shell.current_dir(place.path(".")).env("RUST_BACKTRACE", "1");
    shell.output().unwrap()
}

/// The least memory in which the program starts, found with a command that does nothing.
fn least(place: &Place) -> usize {
    let starts = |&limit: &usize| limited(place, limit, &["--version"]).status.success();
    (16..512).step_by(8).find(starts).expect("a program that starts in 512 MiB")
}

/// Runs a command at many limits; it must end well at all of them, and run out of memory at some.
fn check(place: &Place, limits: impl Iterator<Item = usize>, args: &[&str]) {
    let before = place.names();
    let mut codes = Vec::new();
    for limit in limits {
        let run = limited(place, limit, args);
        let text = String::from_utf8_lossy(&run.stderr).into_owned();
        let code = run.status.code();
        match code {
            Some(0) => ["out.npy", "out.ids.txt"]
                .map(|name| place.path(name))
                .into_iter()
                .filter(|path| path.exists())
                .for_each(|path| std::fs::remove_file(path).unwrap()),
            Some(MEMORY) => {
                let found = ["out of memory (", "out of memory in", "cannot start threads"];
                let says = found.iter().any(|words| text.contains(words));
                assert!(says && text.contains("help: "), "{limit} MiB: {text}");
            }
            _ => panic!("{args:?}, {limit} MiB: {:?}, {text}", run.status),
        }
        assert_eq!(place.names(), before, "{limit} MiB: files are left: {text}");
        codes.push(code);
    }
    assert!(codes.contains(&Some(MEMORY)), "{args:?}: every limit was enough: {codes:?}");
}

#[test]
fn an_embedding_at_twenty_limits_of_memory() {
    let place = place();
    let least = least(&place);
    let limits = (0..20).map(|step| least + 10 * step);
    check(&place, limits, &["embed", "data", "-o", "out.npy", "--dim", "32", "--threads", "2"]);
    // Without the limit it runs through.
    place.ok(&["embed", "data", "-o", "out.npy", "--dim", "32", "--quiet"]);
}

#[test]
fn new_nodes_and_nearest_nodes_at_limits_of_memory() {
    let place = place();
    let least = least(&place);
    let limits = || (0..6).map(|step| least + 4 * step);
    let new = ["fold-in", "m.gage", "--attributes", "data/features.npz", "-o", "out.npy"];
    check(&place, limits(), &new);
    let near = |limit| limited(&place, limit, &["similar", "e.npy", "1", "2"]);
    for limit in limits() {
        let run = near(limit);
        assert!(matches!(run.status.code(), Some(0 | MEMORY)), "{limit} MiB: {run:?}");
    }
}

#[test]
fn more_threads_than_make_sense_are_refused() {
    let place = Place::new();
    let args = ["embed", "data", "-o", "out.npy", "--dim", "4", "--threads", "100000"];
    let (message, _) = place.fails(2, &args);
    assert!(message.contains("100000 threads") && message.contains("at most"), "{message}");
}
