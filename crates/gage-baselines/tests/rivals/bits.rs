//! The same bits at any number of threads.

use crate::support::{QUICK, embedding, planted};

#[test]
fn threads_do_not_change_a_bit() {
    // More rows than one unit of work, so that two threads do share it.
    let graph = planted(700, 4);
    let run = |threads: usize| -> Vec<Vec<u32>> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            QUICK
                .iter()
                .map(|method| {
                    embedding(method, &graph, 12).data().iter().map(|x| x.to_bits()).collect()
                })
                .collect()
        })
    };
    let (one, two) = (run(1), run(2));
    for ((method, one), two) in QUICK.iter().zip(&one).zip(&two) {
        assert!(one == two, "{method}: one and two threads differ");
    }
}
