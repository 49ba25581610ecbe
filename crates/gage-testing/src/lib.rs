//! What the tests of several crates share. It depends on none of them.
//!
//! Real data sets and a Python with packages need not be there: what needs them is left out, and
//! says so. With `CI=true` that is a failure.

#![allow(clippy::panic, clippy::print_stderr, reason = "only tests use it")]

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Says loudly that something is not tested; a failure with `CI=true`.
pub fn skip(what: &str) {
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{what}, which CI must have");
    eprintln!("\nSKIPPED: {what}\n");
}

/// A real data set: a folder or file below `GAGE_DATASETS`, or below the default place.
pub fn dataset(name: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/datasets");
    let path = std::env::var_os("GAGE_DATASETS").map_or(beside, PathBuf::from).join(name);
    if path.exists() {
        return Some(path);
    }
    skip(&format!("there is no data set {}; set GAGE_DATASETS", path.display()));
    None
}

/// A Python with some packages.
pub struct Python(String);

impl Python {
    /// The interpreter that `GAGE_PYTHON` names, or `python3`, if it can import these modules.
    pub fn with(modules: &str) -> Option<Python> {
        let python = std::env::var("GAGE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let output = Command::new(&python).args(["-c", &format!("import {modules}")]).output();
        if output.is_ok_and(|output| output.status.success()) {
            return Some(Python(python));
        }
        skip(&format!("`{python}` cannot import {modules}; set GAGE_PYTHON"));
        None
    }

    /// Runs Python in a folder; returns what it printed. It must succeed.
    pub fn run<S: AsRef<OsStr>>(&self, folder: &Path, args: &[S]) -> String {
        let output = Command::new(&self.0)
            .current_dir(folder)
            // Threads of several libraries at once are slower than one.
            .envs([("OMP_NUM_THREADS", "1"), ("OPENBLAS_NUM_THREADS", "1")])
            .args(args)
            .output()
            .unwrap_or_else(|error| panic!("{}: {error}", self.0));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{} failed:\n{errors}", self.0);
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }
}

/// Runs something on so many threads.
pub fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.unwrap_or_else(|error| panic!("{threads} threads: {error}")).install(work)
}

/// Random numbers that do not depend on those of the library (xorshift, 64 bits).
pub struct Random(u64);

impl Random {
    /// The numbers that belong to a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) | 1)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in [-1, 1).
    pub fn symmetric(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// Uniform among the whole numbers below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        ((self.unit() * bound as f64) as usize).min(bound - 1)
    }

    /// Roughly normal: a sum of twelve uniform numbers, centred.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }
}
