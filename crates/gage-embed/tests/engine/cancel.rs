//! Observers see every stage, and can stop a fit.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::*;
use gage_embed::solver::{RefineParams, Stage};
use gage_embed::*;

struct Watch {
    seen: Mutex<Vec<Progress>>,
    calls: AtomicUsize,
    stop_at: usize,
}

impl Observer for Watch {
    fn progress(&self, progress: &Progress) {
        self.seen.lock().unwrap().push(*progress);
        self.calls.fetch_add(1, Ordering::SeqCst);
    }
    fn cancelled(&self) -> bool {
        self.calls.load(Ordering::SeqCst) >= self.stop_at
    }
}

fn watch(stop_at: usize) -> Watch {
    Watch { seen: Mutex::new(Vec::new()), calls: AtomicUsize::new(0), stop_at }
}

#[test]
fn a_fit_can_be_watched_and_stopped_at_every_point() {
    let planted = planted(1200, 5, 2, 2);
    let graph = graph_of(&planted.views, None);
    let params = FitParams {
        refine: Some(RefineParams { max_sweeps: 2, tolerance: 0.0 }),
        certificate: Some(CertificateParams::default()),
        ..params(4)
    };
    let all = watch(usize::MAX);
    fit_with(&graph, params.clone().check().unwrap(), &all).unwrap();
    let seen = all.seen.into_inner().unwrap();
    for stage in [Stage::Norms, Stage::Basis, Stage::Factors, Stage::Refine, Stage::Certificate] {
        assert!(seen.iter().any(|p| p.stage == stage), "{stage:?} was never reported");
    }
    assert!(seen.iter().all(|p| p.stage == Stage::Certificate || p.passes <= p.planned_passes));
    for stop_at in 1..=seen.len() {
        let result = fit_with(&graph, params.clone().check().unwrap(), &watch(stop_at));
        let stage = seen[stop_at - 1].stage;
        assert_eq!(result.err(), Some(Error::Cancelled { stage }), "stopped at report {stop_at}");
    }
}
