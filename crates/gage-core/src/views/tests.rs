//! Every kind of view against a dense brute force that shares no code with it.

use faer::Mat;
use proptest::prelude::*;

use crate::graph::{Block, Graph, Matrix, Nodes};
use gage_linalg::random::{Stream, fill_normal};
use gage_linalg::{DenseMatrix, LocalReducer, Precision, SparseMatrix, Tall};

use super::*;

/// A small graph with weighted, partly directed links with self-loops, and attributes; rows may be
/// missing.
struct Case {
    graph: Graph,
    links: Mat<f64>,
    attributes: Mat<f64>,
    links_seen: Vec<bool>,
    attributes_seen: Vec<bool>,
}

fn case(seed: u64, n: usize, d: usize, directed: bool, dense: bool, missing: bool) -> Case {
    let mut stream = Stream::new(seed);
    let mut links = Mat::<f64>::zeros(n, n);
    for _ in 0..2 * n {
        let (i, j) = (stream.below(n), stream.below(n));
        let weight = 0.5 + stream.below(4) as f64;
        links[(i, j)] += weight;
        if !directed && i != j {
            links[(j, i)] += weight;
        }
    }
    let attributes = Mat::from_fn(n, d, |_, _| match stream.below(3) {
        0 => 0.0,
        _ => stream.below(50) as f64 / 7.0 - 2.0,
    });
    let flags = |stream: &mut Stream| -> Vec<bool> {
        let mut seen: Vec<bool> = (0..n).map(|_| !missing || stream.below(10) >= 3).collect();
        // At least two observed nodes, or there is nothing to centre.
        (seen[0], seen[n - 1]) = (true, true);
        seen
    };
    let (links_seen, attributes_seen) = (flags(&mut stream), flags(&mut stream));
    let sparse = |m: &Mat<f64>| {
        let mut entries = Vec::new();
        for i in 0..m.nrows() {
            for j in (0..m.ncols()).filter(|&j| m[(i, j)] != 0.0) {
                // Split in two, so that duplicates have to be summed.
                entries.push((i as u32, j as u32, m[(i, j)] * 0.25));
                entries.push((i as u32, j as u32, m[(i, j)] * 0.75));
            }
        }
        SparseMatrix::from_triplets(m.nrows(), m.ncols(), &entries).unwrap()
    };
    let table = if dense {
        let flat = (0..n).flat_map(|i| (0..d).map(move |j| (i, j)));
        let values = flat.map(|ij| attributes[ij]).collect();
        Block::attributes("attributes", DenseMatrix::from_f64(n, d, values).unwrap())
    } else {
        Block::attributes("attributes", sparse(&attributes))
    };
    let graph = Graph::new(Nodes::numbered(n))
        .with_block(Block::links("links", sparse(&links), directed).observing(links_seen.clone()))
        .unwrap()
        .with_block(table.observing(attributes_seen.clone()))
        .unwrap();
    Case { graph, links, attributes, links_seen, attributes_seen }
}

fn sums(m: &Mat<f64>, self_loops: f64) -> Vec<f64> {
    (0..m.nrows())
        .map(|i| (0..m.ncols()).map(|j| m[(i, j)].abs()).sum::<f64>() + self_loops)
        .collect()
}

fn guarded(x: f64) -> f64 {
    if x > 0.0 { 1.0 / x } else { 0.0 }
}

fn normalised(a: &Mat<f64>, transform: Transform) -> Mat<f64> {
    let n = a.nrows();
    match transform {
        Transform::Symmetric { self_loops } => {
            let (rows, cols) = (sums(a, self_loops), sums(&a.transpose().to_owned(), self_loops));
            Mat::from_fn(n, n, |i, j| {
                let own = if i == j { self_loops } else { 0.0 };
                (a[(i, j)] + own) * guarded(rows[i].sqrt()) * guarded(cols[j].sqrt())
            })
        }
        Transform::RowStochastic { self_loops } => {
            let rows = sums(a, self_loops);
            Mat::from_fn(n, n, |i, j| {
                (a[(i, j)] + if i == j { self_loops } else { 0.0 }) * guarded(rows[i])
            })
        }
        _ => a.clone(),
    }
}

/// The view's matrix and observed nodes, the slow way.
fn brute(case: &Case, spec: &ViewSpec) -> (Mat<f64>, Vec<bool>) {
    let n = case.links.nrows();
    let turned = |direction| match direction {
        Direction::Out => case.links.clone(),
        Direction::In => case.links.transpose().to_owned(),
    };
    let (mut y, mut seen) = match &spec.source {
        Source::Identity => (Mat::identity(n, n), vec![true; n]),
        Source::Block(name) if name == "links" => {
            (normalised(&turned(spec.direction), spec.transform), case.links_seen.clone())
        }
        Source::Block(_) => (case.attributes.clone(), case.attributes_seen.clone()),
    };
    let rows: Vec<usize> = (0..n).filter(|&i| seen[i]).collect();
    match spec.transform {
        Transform::TfIdf | Transform::RootIdf => {
            let root = spec.transform == Transform::RootIdf;
            for j in 0..y.ncols() {
                let df = rows.iter().filter(|&&i| y[(i, j)] != 0.0).count() as f64;
                let idf = ((1.0 + rows.len() as f64) / (1.0 + df)).ln() + 1.0;
                let idf = if root { idf.sqrt() } else { idf };
                (0..n).for_each(|i| y[(i, j)] *= idf);
            }
        }
        Transform::Standardised => {
            for j in 0..y.ncols() {
                let mean = rows.iter().map(|&i| y[(i, j)]).sum::<f64>() / rows.len() as f64;
                let variance = rows.iter().map(|&i| (y[(i, j)] - mean).powi(2)).sum::<f64>()
                    / rows.len() as f64;
                let deviation = variance.sqrt();
                let factor = if deviation > 1e-12 * mean.abs() { 1.0 / deviation } else { 0.0 };
                (0..n).for_each(|i| y[(i, j)] *= factor);
            }
        }
        _ => {}
    }
    if spec.transform == Transform::RowL1 {
        for i in 0..n {
            let sum = (0..y.ncols()).map(|j| y[(i, j)].abs()).sum::<f64>();
            (0..y.ncols()).for_each(|j| y[(i, j)] *= guarded(sum));
        }
    }
    if matches!(spec.transform, Transform::TfIdf | Transform::RootIdf | Transform::RowL2) {
        for i in 0..n {
            let length = (0..y.ncols()).map(|j| y[(i, j)].powi(2)).sum::<f64>().sqrt();
            (0..y.ncols()).for_each(|j| y[(i, j)] *= guarded(length));
        }
    }
    for i in (0..n).filter(|&i| !seen[i]) {
        (0..y.ncols()).for_each(|j| y[(i, j)] = 0.0);
    }
    if let Some(propagate) = &spec.propagate {
        let mut links = turned(propagate.direction);
        let symmetric = matches!(propagate.transform, Transform::Symmetric { .. });
        if symmetric && links != links.transpose() {
            links = &links + links.transpose();
        }
        let step = normalised(&links, propagate.transform);
        let mut power = Mat::<f64>::identity(n, n);
        let mut polynomial = Mat::<f64>::zeros(n, n);
        for a in propagate.steps.coefficients() {
            polynomial += faer::Scale(a) * &power;
            power = &step * &power;
        }
        y = &polynomial * &y;
        let row_sum = |i: usize, only_seen: bool| -> f64 {
            (0..n).filter(|&j| !only_seen || seen[j]).map(|j| polynomial[(i, j)]).sum()
        };
        let mut observed = vec![true; n];
        for i in 0..n {
            let (all, known) = (row_sum(i, false), row_sum(i, true));
            let reached = known > 1e-12 * all;
            let scale = if reached && case.links_seen[i] { all / known } else { 0.0 };
            (0..y.ncols()).for_each(|j| y[(i, j)] *= scale);
            observed[i] = case.links_seen[i] && (reached || (all == 0.0 && seen[i]));
        }
        seen = observed;
    }
    if spec.log_affinity.is_some() {
        let count = seen.iter().filter(|&&seen| seen).count() as f64;
        for j in 0..y.ncols() {
            let rows = (0..n).filter(|&i| seen[i]);
            let mean = rows.map(|i| y[(i, j)].abs()).sum::<f64>() / count;
            for i in 0..n {
                let z: f64 = y[(i, j)];
                y[(i, j)] = z.signum() * (1.0 + z.abs() * guarded(mean)).ln();
            }
        }
    }
    (y, seen)
}

fn brute_gram(y: &Mat<f64>, seen: &[bool]) -> Mat<f64> {
    let n = y.nrows();
    let count = seen.iter().filter(|&&s| s).count() as f64;
    let centring = Mat::from_fn(n, n, |i, j| {
        let both = f64::from(u8::from(seen[i] && seen[j]));
        f64::from(u8::from(i == j && seen[i])) - both / count
    });
    &centring * y * y.transpose() * &centring
}

fn all_specs() -> Vec<ViewSpec> {
    let attributes = ViewSpec::raw("attributes");
    let links = ViewSpec::raw("links");
    let with = |spec: &ViewSpec, transform| ViewSpec { transform, ..spec.clone() };
    let mut specs = vec![
        attributes.clone(),
        with(&attributes, Transform::RowL2),
        with(&attributes, Transform::RowL1),
        with(&attributes, Transform::TfIdf),
        with(&attributes, Transform::RootIdf),
        with(&attributes, Transform::Standardised),
        links.clone(),
        ViewSpec { direction: Direction::In, ..links.clone() },
        with(&links, Transform::Symmetric { self_loops: 0.0 }),
        with(&links, Transform::Symmetric { self_loops: 1.0 }),
        with(&links, Transform::RowStochastic { self_loops: 0.5 }),
    ];
    let normalisations = [
        Transform::Raw,
        Transform::Symmetric { self_loops: 1.0 },
        Transform::RowStochastic { self_loops: 0.0 },
    ];
    let steps = [
        Steps::Power(0),
        Steps::Power(1),
        Steps::Power(3),
        Steps::Mean(2),
        Steps::Polynomial(vec![0.5, 0.0, 0.25]),
    ];
    for transform in normalisations {
        for steps in &steps {
            for (source, direction) in [
                (Source::Identity, Direction::Out),
                (Source::Block("attributes".to_owned()), Direction::In),
            ] {
                let propagate = Propagate {
                    block: "links".to_owned(),
                    transform,
                    direction,
                    steps: steps.clone(),
                };
                let own =
                    if source == Source::Identity { Transform::Raw } else { Transform::TfIdf };
                specs.push(ViewSpec {
                    source,
                    transform: own,
                    propagate: Some(propagate),
                    ..attributes.clone()
                });
            }
        }
    }
    let logarithms = |spec: &ViewSpec| {
        let log_affinity = Some(LogAffinity::default());
        ViewSpec { log_affinity, ..spec.clone() }
    };
    let logarithms: Vec<ViewSpec> = specs.iter().map(logarithms).collect();
    specs.extend(logarithms);
    specs
}

fn tall(m: &Mat<f64>) -> Tall<f64> {
    Tall::from_rows(m.nrows(), m.ncols(), |row, out| {
        out.iter_mut().enumerate().for_each(|(j, out)| *out = m[(row, j)]);
    })
}

fn untall(t: &Tall<f64>) -> Mat<f64> {
    Mat::from_fn(t.rows(), t.cols(), |i, j| t.row(i)[j])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn operators_equal_the_dense_brute_force(
        seed in 0u64..10_000,
        n in 3usize..9,
        d in 1usize..6,
        directed in any::<bool>(),
        dense in any::<bool>(),
        missing in any::<bool>(),
    ) {
        let case = case(seed, n, d, directed, dense, missing);
        let mut values = vec![0.0; n * 3];
        fill_normal(seed, 99, &mut values);
        let v = Mat::from_fn(n, 3, |i, j| values[i * 3 + j]);
        for spec in all_specs() {
            let (y, seen) = brute(&case, &spec);
            let built = Views::build(&case.graph, std::slice::from_ref(&spec), Precision::F64);
            if !seen.iter().any(|&s| s) {
                let refused = matches!(built, Err(ViewError::NothingObserved { .. }));
                prop_assert!(refused);
                continue;
            }
            let built = built.unwrap();
            let view = &built.views()[0];
            let op = CentredGram::new(&view.operator, view.observed.as_ref(), &LocalReducer);
            let observed: Vec<bool> = (0..n).map(|i| op.observes(i)).collect();
            prop_assert_eq!(&observed, &seen, "{:?}", spec);
            let x = brute_gram(&y, &seen);
            let scale = 1.0 + x.norm_l2() + y.norm_l2();
            let b = op.project(&tall(&v), &LocalReducer);
            let mut product = Tall::zeros(n, 3);
            op.expand_into(1.0, &b, &mut product, &LocalReducer);
            let error = (untall(&product) - &x * &v).norm_l2();
            prop_assert!(error < 1e-11 * scale * v.norm_l2(), "X v off by {error}: {spec:?}");
            let error = (untall(&b).transpose() * untall(&b) - v.transpose() * &x * &v).norm_l2();
            prop_assert!(error < 1e-11 * scale * scale, "core off by {error}: {spec:?}");
            let norm = gram_norm(view, &op, (built.node_keys(), false), 1, &LocalReducer);
            prop_assert!(norm.exact);
            let error = (norm.value - x.norm_l2()).abs();
            // The closed form subtracts squares, so it is good to half the digits of the uncentred
            // size.
            let scale = scale + op.uncentred_scale();
            prop_assert!(error < 1e-7 * scale, "norm off by {error}: {spec:?}");
        }
    }
}

#[test]
fn estimated_norms_are_within_a_few_percent() {
    // 8,000 nodes and as many columns: too many to probe one by one, so the estimate is used.
    let n = 8000;
    let mut stream = Stream::new(4);
    let entries: Vec<(u32, u32, f64)> = (0..6 * n)
        .map(|_| {
            let i = stream.below(n);
            // Columns of very different frequency, as words have.
            let j = (stream.below(n) * stream.below(n)) / n;
            (i as u32, j as u32, 1.0)
        })
        .collect();
    let matrix = SparseMatrix::from_triplets(n, n, &entries).unwrap();
    let graph =
        Graph::new(Nodes::numbered(n)).with_block(Block::links("links", matrix, true)).unwrap();
    let plain = ViewSpec::raw("links");
    let propagate = Propagate {
        block: "links".to_owned(),
        transform: Transform::Raw,
        direction: Direction::Out,
        steps: Steps::Power(1),
    };
    let composed =
        ViewSpec { source: Source::Identity, propagate: Some(propagate), ..plain.clone() };
    let norm_of = |spec: ViewSpec| {
        let views = Views::build(&graph, &[spec], Precision::F64).unwrap();
        let view = &views.views()[0];
        let op = CentredGram::new(&view.operator, None, &LocalReducer);
        gram_norm(view, &op, (views.node_keys(), false), 3, &LocalReducer)
    };
    let (exact, estimated) = (norm_of(plain), norm_of(composed));
    assert!(exact.exact && !estimated.exact);
    assert!((estimated.value / exact.value - 1.0).abs() < 0.05, "{estimated:?} {exact:?}");
}

/// The logarithm of attributes that walk along links, of a graph with this many copies of every
/// attribute.
fn log_view(copies: usize, log: LogAffinity) -> Views {
    let (n, d) = (60, 5);
    let mut stream = Stream::new(8);
    let links: Vec<(u32, u32, f64)> =
        (0..3 * n).map(|_| (stream.below(n) as u32, stream.below(n) as u32, 1.0)).collect();
    let mut words = Vec::new();
    for i in 0..n {
        for j in (0..d).filter(|j| (i + j) % 3 > 0) {
            let value = 1.0 + ((i * j) % 4) as f64;
            words.extend((0..copies).map(|copy| (i as u32, (copy * d + j) as u32, value)));
        }
    }
    let links = SparseMatrix::from_triplets(n, n, &links).unwrap();
    let words = SparseMatrix::from_triplets(n, copies * d, &words).unwrap();
    let graph = Graph::new(Nodes::numbered(n))
        .with_block(Block::links("links", links, true))
        .unwrap()
        .with_block(Block::attributes("attributes", words))
        .unwrap();
    let propagate = Propagate {
        block: "links".to_owned(),
        transform: Transform::Symmetric { self_loops: 1.0 },
        direction: Direction::Out,
        steps: Steps::Polynomial(vec![0.5, 0.25, 0.125]),
    };
    let spec = ViewSpec {
        transform: Transform::RowL1,
        propagate: Some(propagate),
        log_affinity: Some(log),
        ..ViewSpec::raw("attributes")
    };
    Views::build(&graph, &[spec], Precision::F64).unwrap()
}

fn gram_of(views: &Views) -> Mat<f64> {
    let op = CentredGram::new(&views.views()[0].operator, None, &LocalReducer);
    let identity = tall(&Mat::identity(views.nodes(), views.nodes()));
    let b = untall(&op.project(&identity, &LocalReducer));
    b.transpose() * &b
}

#[test]
fn principal_directions_of_a_logarithm_lose_nothing_that_is_there() {
    // Sixteen copies of five attributes span five directions.
    let whole = log_view(16, LogAffinity { sampled: 512, kept: 256 });
    let kept = log_view(16, LogAffinity { sampled: 512, kept: 5 });
    assert_eq!((whole.views()[0].cols(), kept.views()[0].cols()), (80, 5));
    let (whole, kept) = (gram_of(&whole), gram_of(&kept));
    let error = (&whole - &kept).norm_l2() / whole.norm_l2();
    assert!(error < 1e-10, "{error}");
    let fewer = gram_of(&log_view(16, LogAffinity { sampled: 512, kept: 2 }));
    let error = (&whole - &fewer).norm_l2() / whole.norm_l2();
    assert!(error > 1e-3 && error < 0.5, "{error}");
}

#[test]
fn a_sample_of_the_columns_of_a_logarithm_estimates_the_whole() {
    let whole = gram_of(&log_view(64, LogAffinity { sampled: 512, kept: 512 }));
    let sampled = log_view(64, LogAffinity { sampled: 160, kept: 160 });
    assert_eq!(sampled.views()[0].cols(), 160);
    // Half of the columns have half of the sum; the scale of a view means nothing.
    let sampled = gram_of(&sampled);
    let cosine = whole.as_ref().col_iter().zip(sampled.as_ref().col_iter());
    let cosine: f64 = cosine.map(|(a, b)| a.transpose() * b).sum();
    let cosine = cosine / (whole.norm_l2() * sampled.norm_l2());
    assert!(cosine > 0.98, "{cosine}");
}

#[test]
fn in_links_are_the_out_links_of_the_transpose() {
    let case = case(5, 30, 3, true, false, false);
    let Matrix::Sparse(links) = &case.graph.block("links").unwrap().matrix else {
        panic!("links are sparse");
    };
    let transposed = Block::links("links", links.transposed(), true);
    let transposed = Graph::new(Nodes::numbered(30)).with_block(transposed).unwrap();
    for transform in [Transform::RowL2, Transform::RowL1, Transform::TfIdf] {
        let norm = |graph: &Graph, direction| {
            let spec = ViewSpec { transform, direction, ..ViewSpec::raw("links") };
            let views = Views::build(graph, &[spec], Precision::F64).unwrap();
            let view = &views.views()[0];
            let op = CentredGram::new(&view.operator, view.observed.as_ref(), &LocalReducer);
            gram_norm(view, &op, (views.node_keys(), false), 1, &LocalReducer).value
        };
        let (a, b) = (norm(&case.graph, Direction::In), norm(&transposed, Direction::Out));
        assert!((a / b - 1.0).abs() < 1e-12, "{transform:?}: {a} {b}");
    }
}
