//! Scores on real data.

use crate::support::{dataset, embedding, micro_f1};

#[test]
#[ignore]
fn measure() {
    for name in ["webkb", "planetoid_cora", "wiki"] {
        let Some(graph) = dataset(name) else { return };
        let labels = graph.labels().unwrap();
        for method in std::env::var("METHODS")
            .unwrap_or("svd,ssgc,pane,tadw,tpine,deepwalk".into())
            .split(',')
        {
            let clock = std::time::Instant::now();
            let e = embedding(method, &graph, 64);
            let t = clock.elapsed().as_secs_f64();
            let text = format!("{name} {method} {:.4} ({t:.1} s)\n", micro_f1(&e, labels, 10));
            std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes()).unwrap();
        }
    }
}
