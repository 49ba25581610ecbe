//! The memory a method is said to take, against what it takes.

use std::process::Command;

use gage_baselines::{Age, Dane, Dgi, GraphAutoencoder, Method};
use gage_embed::{Block, Graph, NoObserver, Nodes, SparseMatrix};
use gage_linalg::random::Stream;

const CHILD: &str = "GAGE_BASELINE_MEMORY_CHILD";

/// Random links and words.
fn graph(nodes: usize, degree: usize, words: usize, filled: usize) -> Graph {
    let mut random = Stream::new(11);
    let (mut links, mut text) = (Vec::new(), Vec::new());
    for i in 0..nodes as u32 {
        for _ in 0..degree / 2 {
            let j = random.below(nodes) as u32;
            links.extend([(i, j, 1.0), (j, i, 1.0)]);
        }
        text.extend((0..filled).map(|_| (i, random.below(words) as u32, 1.0)));
    }
    let links = SparseMatrix::from_triplets(nodes, nodes, &links).unwrap();
    let text = SparseMatrix::from_triplets(nodes, words, &text).unwrap();
    Graph::new(Nodes::numbered(nodes))
        .with_block(Block::links("links", links, false))
        .and_then(|graph| graph.with_block(Block::attributes("attributes", text)))
        .unwrap()
}

/// Every network with as few rounds as reach its peak.
fn quick() -> Vec<Box<dyn Method>> {
    vec![
        Box::new(GraphAutoencoder { epochs: 2, ..GraphAutoencoder::plain() }),
        Box::new(GraphAutoencoder { epochs: 2, ..GraphAutoencoder::variational() }),
        Box::new(Dgi { epochs: 2, ..Dgi::default() }),
        Box::new(Age { epochs: 2, renew: 1, ..Age::default() }),
        Box::new(Dane { pretraining: 2, epochs: 1, ..Dane::default() }),
    ]
}

/// Resident memory in bytes: now, and at its peak.
fn resident() -> (usize, usize) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let field = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 1024
    };
    (field("VmRSS:"), field("VmHWM:"))
}

/// Runs one method in this (fresh) process and prints what was said and what was used.
#[test]
fn child_that_measures_one_method() {
    let Ok(job) = std::env::var(CHILD) else { return };
    let words: Vec<&str> = job.split(' ').collect();
    let sizes: Vec<usize> = words[1..].iter().map(|word| word.parse().unwrap()).collect();
    let graph = graph(sizes[0], sizes[1], sizes[2], sizes[3]);
    let method = quick().into_iter().find(|method| method.name() == words[0]).unwrap();
    let said = method.memory_bytes(&graph, sizes[4]);
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = resident().0;
    method.embed(&graph, sizes[4], 0, &NoObserver).unwrap();
    eprintln!("MEASURED {said} {}", resident().1 - before);
}

#[test]
fn what_is_said_is_between_the_peak_and_twice_the_peak() {
    if !cfg!(target_os = "linux") {
        return gage_testing::skip("peak memory is read from /proc");
    }
    let mut faults = Vec::new();
    // Many nodes; many attributes.
    for sizes in ["1500 8 800 20 400", "400 8 8000 20 200"] {
        for method in quick() {
            let output = Command::new(std::env::current_exe().unwrap())
                .args(["memory::child_that_measures_one_method", "--exact", "--nocapture"])
                .env(CHILD, format!("{} {sizes}", method.name()))
                .output()
                .unwrap();
            let text = String::from_utf8_lossy(&output.stderr).into_owned()
                + &String::from_utf8_lossy(&output.stdout);
            let line = text.lines().find_map(|line| Some(line.split_once("MEASURED ")?.1));
            let line = line.unwrap_or_else(|| panic!("the child failed: {text}"));
            let numbers: Vec<f64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
            let ratio = numbers[0] / numbers[1];
            let what = format!(
                "{sizes}, {}: said {:.1} MB, used {:.1} MB, ratio {ratio:.2}",
                method.name(),
                numbers[0] / 1e6,
                numbers[1] / 1e6
            );
            eprintln!("{what}");
            if !(1.0..=2.0).contains(&ratio) {
                faults.push(what);
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
