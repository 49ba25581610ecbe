//! The memory a fit was said to take, against what it takes.

use std::process::Command;

use crate::common::*;
use gage_embed::solver::RefineParams;
use gage_embed::*;

const CHILD: &str = "GAGE_MEMORY_CHILD";

/// Resident memory in bytes: now, and at its peak.
fn resident() -> Option<(usize, usize)> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let field = |name: &str| -> Option<usize> {
        let line = status.lines().find(|line| line.starts_with(name))?;
        line.split_whitespace().nth(1)?.parse::<usize>().ok().map(|kib| kib * 1024)
    };
    Some((field("VmRSS:")?, field("VmHWM:")?))
}

/// Runs one fit in this (fresh) process and prints what was planned and what was used.
#[test]
fn child_that_measures_one_fit() {
    let Ok(job) = std::env::var(CHILD) else { return };
    let words: Vec<&str> = job.split(' ').collect();
    let [name, dimension, sweeps] = words[..] else { panic!("{job}") };
    let max_sweeps = sweeps.parse().unwrap();
    let graph = dataset(name).unwrap();
    let params = FitParams {
        dimension: Dimension::Fixed(dimension.parse().unwrap()),
        refine: (max_sweeps > 0).then_some(RefineParams { max_sweeps, tolerance: 0.0 }),
        ..FitParams::default()
    }
    .check()
    .unwrap();
    let plan = plan(&graph, &params).unwrap();
    let (before, _) = resident().unwrap();
    // What the peak counts from: everything resident now except the input, which the plan counts
    // itself.
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    let model = fit(&graph, params).unwrap();
    let (_, peak) = resident().unwrap();
    let used = peak - before + plan.input_bytes;
    eprintln!("MEASURED {} {} {} {}", plan.peak_bytes(), used, plan.passes, model.info().passes);
}

#[test]
fn the_memory_estimate_is_within_a_quarter() {
    if !cfg!(target_os = "linux") {
        return gage_testing::skip("peak memory is read from /proc");
    }
    let cases =
        [("wordnet", 128, 0), ("debian_bookworm", 128, 0), ("wordnet", 48, 0), ("wordnet", 48, 3)];
    for (name, dimension, sweeps) in cases {
        if dataset(name).is_none() {
            continue;
        }
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["memory::child_that_measures_one_fit", "--exact", "--nocapture"])
            .env(CHILD, format!("{name} {dimension} {sweeps}"))
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned()
            + &String::from_utf8_lossy(&output.stdout);
        let line = text.lines().find(|line| line.contains("MEASURED"));
        let line = line.unwrap_or_else(|| panic!("the child failed: {text}"));
        let numbers: Vec<f64> =
            line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let [planned, used, planned_passes, passes] = numbers[..] else { panic!("{line}") };
        eprintln!(
            "{name} {dimension} {sweeps}: planned {:.0} MB, used {:.0} MB",
            planned / 1e6,
            used / 1e6
        );
        let ratio = planned / used;
        assert!(
            (0.75..=1.25).contains(&ratio),
            "{name} {dimension} {sweeps}: planned {planned}, used {used}"
        );
        assert!(passes <= planned_passes && passes >= 0.75 * planned_passes, "{line}");
    }
}
