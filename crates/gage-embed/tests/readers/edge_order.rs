//! Edge lists read by several threads equal those read line by line.

use std::collections::{BTreeMap, HashMap};

use gage_embed::io::read_edge_list;
use gage_testing::with_threads;

use crate::fuzz::Random;
use crate::support::file;

type Links = BTreeMap<(usize, usize), f64>;

/// The plainest reader there is.
fn sequential(text: &str) -> (Vec<String>, Links) {
    let (mut ids, mut index, mut links) = (Vec::new(), HashMap::new(), Links::new());
    for line in text.lines() {
        let mut ends = line.split('\t').map(|id| {
            *index.entry(id.to_owned()).or_insert_with(|| {
                ids.push(id.to_owned());
                ids.len() - 1
            })
        });
        let (source, target) = (ends.next().expect("source"), ends.next().expect("target"));
        *links.entry((source, target)).or_insert(0.0) += 1.0;
    }
    (ids, links)
}

#[test]
fn ids_keep_the_order_of_first_appearance_with_any_number_of_threads() {
    // Many repeats, ids of every length around the 12 bytes that are kept apart, and far more text
    // than one piece.
    let mut random = Random(7);
    let name = |number: usize| match number % 5 {
        0 => format!("{number:x}"),
        1 => format!("user_{number}"),
        2 => format!("{:0>1$}", number, 11 + number % 4),
        3 => format!("https://example.org/people/{number}"),
        _ => format!("n\u{e4}me-{number}"),
    };
    let mut text = String::new();
    for _ in 0..400_000 {
        let pick = random.below(60_000).min(random.below(60_000));
        let (a, b) = (name(pick), name(random.below(3_000)));
        text.push_str(&format!("{a}\t{b}\n"));
    }
    let numbers: String =
        (0..300_000).map(|_| format!("{}\t{}\n", random.below(9_000), random.below(50))).collect();
    for text in [text, numbers] {
        let (ids, links) = sequential(&text);
        let (_folder, path) = file("edges.tsv", &text);
        for threads in [1, 2, 4] {
            let table = with_threads(threads, || read_edge_list(&path, true)).expect("edges");
            let found: Vec<String> = table.ids.expect("ids").ids().collect();
            assert!(found == ids, "ids with {threads} threads");
            let entries: Links = (0..table.links.rows())
                .flat_map(|row| table.links.row(row).map(move |(col, v)| ((row, col as usize), v)))
                .collect();
            assert!(entries == links, "links with {threads} threads");
        }
    }
}
