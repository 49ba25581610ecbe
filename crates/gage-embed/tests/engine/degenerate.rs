//! Strange input: finite output with sensible info, or an error value. Never a panic.

use crate::common::*;
use gage_embed::solver::RefineParams;
use gage_embed::views::ViewSpec;
use gage_embed::*;

fn links(n: usize, edges: &[(u32, u32)]) -> SparseMatrix {
    let both: Vec<(u32, u32, f64)> =
        edges.iter().flat_map(|&(i, j)| [(i, j, 1.0), (j, i, 1.0)]).collect();
    SparseMatrix::from_triplets(n, n, &both).unwrap()
}

fn graph(n: usize, edges: &[(u32, u32)], attributes: Option<Matrix>) -> Graph {
    let graph = Graph::new(Nodes::numbered(n))
        .with_block(Block::links("links", links(n, edges), false))
        .unwrap();
    match attributes {
        Some(matrix) => graph.with_block(Block::attributes("attributes", matrix)).unwrap(),
        None => graph,
    }
}

fn random_table(n: usize, d: usize, scale: f64) -> Matrix {
    let mut numbers = Random::new(n as u64);
    let values = (0..n * d).map(|_| numbers.symmetric() * scale).collect();
    DenseMatrix::from_f64(n, d, values).unwrap().into()
}

fn offset_table(n: usize, d: usize, offset: f64) -> Matrix {
    let mut numbers = Random::new(3);
    let values = (0..n * d).map(|_| offset + numbers.symmetric()).collect();
    DenseMatrix::from_f64(n, d, values).unwrap().into()
}

fn finite(model: &Model) {
    for lambda in [Lambda::Preset, Lambda::Links(0.0), Lambda::Links(1.0)] {
        // A share for links (or for the rest) needs at least one view to go to.
        let due = match lambda {
            Lambda::Links(share) => model.views().iter().any(|v| v.uses_links == (share > 0.5)),
            _ => true,
        };
        let embedding = model.embedding(&lambda);
        assert_eq!(embedding.is_ok(), due, "{lambda:?}: {:?}", embedding.err());
        let Ok(e) = embedding else { continue };
        for row in 0..e.rows() {
            assert!(e.row_f64(row).iter().all(|x| x.is_finite()), "row {row} at {lambda:?}");
        }
    }
    assert!(model.info().relative_loss.is_finite());
    assert!(
        model.views().iter().all(|v| v.coefficients.iter().all(|c| c.is_finite() && *c >= 0.0))
    );
}

#[test]
fn singular_slabs_and_odd_graphs_are_fine() {
    let edges: Vec<(u32, u32)> = (0..5).map(|i| (2 * i, 2 * i + 1)).collect();
    let ring: Vec<(u32, u32)> = (0..40).map(|i| (i, (i + 1) % 40)).collect();
    let constant = Matrix::from(DenseMatrix::from_f64(40, 3, vec![7.0; 120]).unwrap());
    let mut sparse_ones = Vec::new();
    (0..40).for_each(|i| (0..3).for_each(|j| sparse_ones.push((i, j, 5.0))));
    let sparse_constant = Matrix::from(SparseMatrix::from_triplets(40, 3, &sparse_ones).unwrap());
    let cases: Vec<(&str, Graph, Option<&str>)> = vec![
        ("five edges", graph(40, &edges, Some(random_table(40, 6, 1.0))), None),
        ("constant attributes", graph(40, &ring, Some(constant)), Some("tells no two nodes apart")),
        (
            "constant sparse",
            graph(40, &ring, Some(sparse_constant)),
            Some("tells no two nodes apart"),
        ),
        ("one attribute", graph(40, &ring, Some(random_table(40, 1, 1.0))), None),
        (
            "no edges",
            graph(40, &[], Some(random_table(40, 4, 1.0))),
            Some("tells no two nodes apart"),
        ),
        ("links only", graph(40, &ring, None), None),
        ("two nodes", graph(2, &[], Some(random_table(2, 3, 1.0))), None),
        ("huge numbers", graph(40, &ring, Some(random_table(40, 4, 1e12))), None),
        ("huger numbers", graph(40, &ring, Some(random_table(40, 4, 1e60))), None),
        ("large offset", graph(40, &ring, Some(offset_table(40, 4, 1e6))), None),
        ("subnormal numbers", graph(40, &ring, Some(random_table(40, 4, 1e-310))), None),
        ("tiny numbers", graph(40, &ring, Some(random_table(40, 4, 1e-100))), None),
    ];
    for (what, graph, warning) in cases {
        let n = graph.nodes().len();
        for preset in ["paper", "balanced", "auto", "links", "walks"] {
            for precision in [Precision::F32, Precision::F64] {
                for (direct, dimension) in [(1024, n.min(8)), (0, n.min(8)), (1024, n), (0, n)] {
                    let mut params = FitParams {
                        dimension: Dimension::Fixed(dimension),
                        precision,
                        refine: Some(RefineParams::default()),
                        certificate: Some(CertificateParams::default()),
                        ..FitParams::preset(preset).unwrap()
                    };
                    params.basis.direct_nodes = direct;
                    // A preset that chooses leaves out views that say nothing, and need not warn of
                    // them.
                    let warning = warning.filter(|_| params.preset.selection.is_none());
                    match fit(&graph, params.check().unwrap()) {
                        Ok(model) => {
                            finite(&model);
                            if let Some(warning) = warning {
                                let warnings = &model.info().warnings;
                                let told = warnings.iter().any(|w| w.contains(warning));
                                // tf-idf rows of constant attributes are constant too.
                                assert!(told, "{what} {preset}: {warnings:?}");
                            }
                        }
                        Err(error) => panic!("{what}, {preset}, {precision:?}: {error}"),
                    }
                }
            }
        }
    }
}

#[test]
fn scale_of_the_data_changes_nothing_but_the_scale() {
    let ring: Vec<(u32, u32)> = (0..60).map(|i| (i, (i * 7 + 1) % 60)).collect();
    let one = fitted(&graph(60, &ring, Some(random_table(60, 5, 1.0))), balanced(6));
    for scale in [1e-310, 1e-100, 1e-9, 1e12, 1e60, 1e140] {
        let other = fitted(&graph(60, &ring, Some(random_table(60, 5, scale))), balanced(6));
        let gap = difference(one.factors(), other.factors());
        // Subnormal numbers have lost digits before they come here.
        let bound = if scale < 1e-300 { 1e-2 } else { 1e-6 };
        assert!(gap < bound, "scale {scale}: {gap}");
    }
}

fn balanced(dimension: usize) -> FitParams {
    FitParams {
        dimension: Dimension::Fixed(dimension),
        precision: Precision::F64,
        ..FitParams::default()
    }
}

#[test]
fn impossible_requests_are_errors_with_bound_and_value() {
    let ring: Vec<(u32, u32)> = (0..9).map(|i| (i, (i + 1) % 10)).collect();
    let ten = graph(10, &ring, None);
    let error = |graph: &Graph, params: FitParams| {
        params.check().and_then(|params| fit(graph, params)).unwrap_err().to_string()
    };
    let text = error(&ten, params(11));
    assert!(text.contains("11") && text.contains("10"), "{text}");
    let text = error(&ten, params(0));
    assert!(text.contains("dimension 0"), "{text}");
    let text = error(&graph(1, &[], None), params(1));
    assert!(text.contains("at least 2") && text.contains("found 1"), "{text}");
    let text = error(&Graph::new(Nodes::numbered(5)), params(2));
    assert!(text.contains("no view"), "{text}");
    let text = error(&graph(10, &[], None), params(2));
    assert!(text.contains("every view is zero"), "{text}");
    let text = error(&ten, FitParams { weights: Some(vec![1.0, 2.0]), ..params(2) });
    assert!(text.contains("2 weights given for 1 views"), "{text}");
    let text = error(&ten, FitParams { weights: Some(vec![f64::NAN]), ..params(2) });
    assert!(text.contains("weights"), "{text}");
    let wanted = ViewSpec::raw("nothing");
    let text = error(&ten, FitParams { views: Some(vec![wanted]), ..params(2) });
    assert!(text.contains("nothing") && text.contains("links"), "{text}");
    let infinite = DenseMatrix::from_f64(10, 1, vec![f64::INFINITY; 10]).unwrap();
    let text = error(&graph(10, &ring, Some(infinite.into())), params(2));
    assert!(text.contains("row 0, column 0"), "{text}");
    let hint = FitParams::preset("nonsense").unwrap_err().hint();
    assert!(matches!(&hint, Some(Hint::OneOf(known)) if known.contains("paper, balanced")));
    let model = fitted(&ten, params(2));
    assert!(model.embedding(&Lambda::Links(1.5)).is_err());
    assert!(model.embedding(&Lambda::PerView(vec![0.5, 0.5])).is_err());
    assert!(model.embedding(&Lambda::PerView(vec![-1.0])).is_err());
}

#[test]
fn isolated_nodes_and_components_do_not_disturb_each_other() {
    // Two components with different structure and two isolated nodes.
    let mut edges: Vec<(u32, u32)> = (0..10).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
    edges.extend((10..20).map(|i| (i, if i == 19 { 10 } else { i + 1 })));
    let model = fitted(&graph(22, &edges, None), params(6));
    finite(&model);
    let e = model.embedding(&Lambda::Preset).unwrap();
    let (a, b) = (e.row_f64(20), e.row_f64(21));
    assert!(a.iter().zip(&b).all(|(x, y)| (x - y).abs() < 1e-9), "isolated nodes look alike");
}
