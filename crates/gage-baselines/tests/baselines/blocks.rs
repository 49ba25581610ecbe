//! Planted groups are found.

use gage_baselines::{methods, named};
use gage_embed::{Hint, NoObserver};

use crate::support::{QUICK, embedding, micro_f1, planted};

#[test]
fn every_method_separates_planted_groups() {
    let graph = planted(240, 4);
    let labels = graph.labels().unwrap();
    for method in QUICK {
        let score = micro_f1(&embedding(method, &graph, 16), labels, 4);
        assert!(score > 0.9, "{method}: {score}, where chance is 0.25");
    }
}

#[test]
fn mean_squared_entries_are_one() {
    let graph = planted(120, 3);
    for method in QUICK {
        let embedding = embedding(method, &graph, 10);
        assert_eq!((embedding.rows(), embedding.cols()), (120, 10), "{method}");
        let square: f64 = embedding.data().iter().map(|&x| f64::from(x).powi(2)).sum();
        assert!((square / 1200.0 - 1.0).abs() < 1e-5, "{method}: {}", square / 1200.0);
    }
}

#[test]
fn the_list_of_methods_is_complete() {
    let names: Vec<&str> = methods().iter().map(|method| method.name()).collect();
    assert_eq!(names[..6], QUICK);
    assert_eq!(names[6..], ["gae", "vgae", "dgi", "age", "dane"]);
    assert!(methods().iter().all(|method| method.describe().len() > 20));
    let error = named("gcn").err().unwrap();
    assert!(error.to_string().contains("gcn"), "{error}");
    let Some(Hint::OneOf(known)) = error.hint() else { panic!("{:?}", error.hint()) };
    assert!(known.contains("svd, ssgc, pane"), "{known}");
}

#[test]
fn another_seed_gives_other_numbers_of_the_same_quality() {
    let graph = planted(240, 4);
    let deepwalk = named("deepwalk").unwrap();
    let (a, b) = (
        deepwalk.embed(&graph, 16, 1, &NoObserver).unwrap(),
        deepwalk.embed(&graph, 16, 2, &NoObserver).unwrap(),
    );
    assert_ne!(a.data(), b.data());
    let labels = graph.labels().unwrap();
    assert!((micro_f1(&a, labels, 4) - micro_f1(&b, labels, 4)).abs() < 0.05);
}
