//! The same bits at any number of threads.

use gage_baselines::{DeepWalk, Method};
use gage_embed::NoObserver;
use gage_testing::with_threads;

use crate::support::{QUICK, embedding, planted};

#[test]
fn threads_do_not_change_a_bit() {
    // More rows than one unit of work, so that two threads do share it.
    let graph = planted(600, 4);
    let short = DeepWalk { walks: 1, length: 20, ..DeepWalk::default() };
    let run = |threads: usize| -> Vec<Vec<u32>> {
        let one = |name: &&str| match *name {
            "deepwalk" => short.embed(&graph, 12, 0, &NoObserver).unwrap(),
            name => embedding(name, &graph, 12),
        };
        let bits = |name| one(name).data().iter().map(|x| x.to_bits()).collect();
        with_threads(threads, || QUICK.iter().map(bits).collect())
    };
    let (one, two) = (run(1), run(2));
    for ((method, one), two) in QUICK.iter().zip(&one).zip(&two) {
        assert!(one == two, "{method}: one and two threads differ");
    }
}
