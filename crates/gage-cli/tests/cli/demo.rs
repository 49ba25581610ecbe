//! The demo, maps and made-up graphs, from options to files.

use std::path::Path;

use gage_cli::demo::{self, DemoOptions};
use gage_cli::generate::{self, GenerateOptions};
use gage_cli::plot::{self, PlotOptions, Theme};
use gage_embed::io::{DatasetSpec, load};
use gage_embed::{Block, Dimension, FitParams, Graph, Lambda, Model, Nodes, SparseMatrix, fit};
use gage_plot::layout::LayoutParams;
use gage_testing::{Python, with_threads};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Elements of a page that must be closed are closed as often as opened.
fn assert_balanced(html: &str) {
    for tag in
        ["html", "head", "body", "main", "section", "table", "tr", "td", "script", "style", "ul"]
    {
        let opened =
            html.matches(&format!("<{tag}>")).count() + html.matches(&format!("<{tag} ")).count();
        let closed = html.matches(&format!("</{tag}>")).count();
        assert_eq!(opened, closed, "<{tag}>");
    }
}

#[test]
fn the_demo_runs_and_its_numbers_make_sense() -> Outcome {
    let folder = tempfile::tempdir()?;
    let mut told = Vec::new();
    let output = folder.path().join("out");
    let report = demo::run(&DemoOptions { output: output.clone(), seed: 0 }, &mut told)?;
    let told = String::from_utf8(told)?;
    for part in ["3,824", "links alone", "words alone", "both, λ = 0.5", "like gimp", "index.html"]
    {
        assert!(told.contains(part), "{part} is not in\n{told}");
    }

    // Files: the page, the model, the data, nothing half-written.
    let mut files: Vec<String> = std::fs::read_dir(&output)?
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    files.sort();
    assert_eq!(files, ["debian", "debian.gage", "index.html"]);
    let model = Model::load(&report.model)?;
    assert_eq!((model.nodes().len(), model.dimension()), (3824, 128));
    let data = load(&DatasetSpec::at(&report.data))?;
    assert!(data.warnings.is_empty(), "{:?}", data.warnings);
    assert_eq!(data.graph.labels().unwrap().class_names().len(), 25);

    // The page stands alone.
    let page = std::fs::read_to_string(&report.page)?;
    assert!(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
    assert!(page.contains("<meta charset=\"utf-8\">") && page.contains("<title>Debian packages"));
    for outside in ["http://", "https://", "src=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside} in the page");
    }
    assert_balanced(&page);

    // Numbers.
    assert!(report.certificate.views.len() == 2 && report.passes > 0);
    for view in &report.certificate.views {
        assert!(view.distance_error.value > 0.0 && view.distance_error.value < 1.0);
        assert!(view.least_loss <= view.loss + 1e-3 && view.loss < 1.0);
    }
    let micro = |embedding: &str, train: f64| -> f64 {
        let all = report.scores.iter().filter(|s| s.embedding == embedding && s.train == train);
        all.map(|score| score.micro_f1.mean).fold(0.0, f64::max)
    };
    for train in [0.5, 0.1] {
        let (links, words) = (micro("links alone", train), micro("words alone", train));
        assert!(links > 3.0 * report.chance && words > 3.0 * report.chance);
        // Not only better than the worse of the two: better than either.
        assert!(micro("both", train) > links.max(words), "{:?}", report.scores);
    }
    assert!(report.scores.iter().all(|s| s.macro_f1.mean > 0.0 && s.macro_f1.mean < 1.0));
    for story in &report.stories {
        assert!(story.similar.iter().all(|list| list.len() == 6));
        let falls = |list: &Vec<(String, f64)>| list.is_sorted_by(|a, b| a.1 >= b.1);
        assert!(story.similar.iter().all(falls));
    }
    Ok(())
}

/// Two groups with names that try to leave their place.
fn hostile_model(path: &Path) -> Outcome {
    let names: Vec<String> = (0..60)
        .map(|node| match node {
            0 => "<script>alert(1)</script>".to_owned(),
            1 => "\"onload='alert(1)' & \u{1}]]>".to_owned(),
            _ => format!("node {node}"),
        })
        .collect();
    let ends = |i: u32, j: u32| i / 30 == j / 30 && i != j && (i * 7 + j * 7) % 5 < 2;
    let links: Vec<(u32, u32, f64)> = (0..60)
        .flat_map(|i| (0..60).filter(move |&j| ends(i, j)).map(move |j| (i, j, 1.0)))
        .collect();
    let words: Vec<(u32, u32, f64)> =
        (0..60).flat_map(|i| [(i, i / 30, 1.0), (i, 2 + i % 9, 1.0)]).collect();
    let graph = Graph::new(Nodes::named(&names)?)
        .with_block(Block::links("links", SparseMatrix::from_triplets(60, 60, &links)?, false))?
        .with_block(Block::attributes(
            "attributes",
            SparseMatrix::from_triplets(60, 11, &words)?,
        ))?;
    let params = FitParams { dimension: Dimension::Fixed(8), ..FitParams::default() };
    fit(&graph, params.check()?)?.save(path)?;
    Ok(())
}

fn plot_options(model: &Path, output: &Path, labels: Option<&Path>) -> PlotOptions {
    PlotOptions {
        model: model.to_owned(),
        output: output.to_owned(),
        labels: labels.map(Path::to_owned),
        lambda: Lambda::Links(0.5),
        size: 300,
        title: Some("<b>map</b>".to_owned()),
        theme: Theme::Dark,
        layout: LayoutParams::default(),
    }
}

#[test]
fn names_are_harmless_in_every_picture() -> Outcome {
    let folder = tempfile::tempdir()?;
    let (model, labels) = (folder.path().join("m.gage"), folder.path().join("labels.txt"));
    hostile_model(&model)?;
    let classes: String = (0..60)
        .map(|i| if i < 30 { "</title><script>x()</script>\n" } else { "b & c\n" })
        .collect();
    std::fs::write(&labels, classes)?;
    for name in ["map.svg", "map.html", "map.png"] {
        let output = folder.path().join(name);
        let mut said = Vec::new();
        let report = plot::run(&plot_options(&model, &output, Some(&labels)), &mut said)?;
        assert_eq!((report.nodes, report.classes), (60, 2));
        let bytes = std::fs::read(&output)?;
        if name == "map.png" {
            assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
            continue;
        }
        let text = String::from_utf8(bytes)?;
        assert!(!text.contains("<script>alert") && !text.contains("<script>x()"), "{name}");
        assert!(!text.contains("<b>map") && !text.contains('\u{1}'), "{name}");
        if name == "map.svg" {
            assert!(text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
            assert_eq!(text.matches("<title>").count(), 61);
            assert_eq!(text.matches("<path").count(), text.matches("</path>").count() + 2);
        } else {
            assert_balanced(&text);
            assert!(text.contains("\\u003cscript\\u003ealert(1)"));
        }
    }
    Ok(())
}

#[test]
fn bad_requests_are_errors_that_help() -> Outcome {
    let folder = tempfile::tempdir()?;
    let model = folder.path().join("m.gage");
    hostile_model(&model)?;
    let failure = |options: &PlotOptions| plot::run(options, &mut Vec::new()).unwrap_err();
    let error = failure(&plot_options(&model, &folder.path().join("map.gif"), None));
    assert!(error.to_string().contains(".svg, .png or .html"), "{error}");
    let labels = folder.path().join("labels.txt");
    std::fs::write(&labels, "a\nb\n")?;
    let error = failure(&plot_options(&model, &folder.path().join("map.svg"), Some(&labels)));
    assert!(error.to_string().contains("2 labels, but the model has 60 nodes"), "{error}");
    std::fs::write(&labels, "x,a\ny,b\n")?;
    let error = failure(&plot_options(&model, &folder.path().join("map.svg"), Some(&labels)));
    assert!(format!("{error:#}").contains("ids look like `x`"), "{error:#}");
    let error = failure(&plot_options(&model, &folder.path().join("no/such/map.svg"), None));
    assert!(error.to_string().contains("cannot write"), "{error}");
    assert!(!folder.path().join("map.svg").exists());

    let good = GenerateOptions::new(folder.path().join("g"), 100);
    for bad in [
        GenerateOptions { nodes: 1, ..good.clone() },
        GenerateOptions { degree: f64::NAN, ..good.clone() },
        GenerateOptions { degree: 1000.0, ..good.clone() },
        GenerateOptions { homophily: 1.5, ..good.clone() },
        GenerateOptions { signal: -0.1, ..good.clone() },
        GenerateOptions { classes: 0, ..good.clone() },
        GenerateOptions { classes: 101, ..good.clone() },
        GenerateOptions { attributes: 3, ..good.clone() },
        GenerateOptions { power_law: 1.5, ..good.clone() },
        GenerateOptions { attributes_per_node: f64::INFINITY, ..good },
    ] {
        assert!(generate::run(&bad, &mut Vec::new()).is_err(), "{bad:?}");
    }
    Ok(())
}

#[test]
fn generated_graphs_are_as_asked() -> Outcome {
    let folder = tempfile::tempdir()?;
    let options = GenerateOptions {
        classes: 5,
        attributes: 400,
        homophily: 0.8,
        seed: 3,
        ..GenerateOptions::new(folder.path(), 20_000)
    };
    let report = generate::run(&options, &mut Vec::new())?;
    let data = load(&DatasetSpec::at(folder.path()))?;
    assert!(data.warnings.is_empty(), "{:?}", data.warnings);
    let labels = data.graph.labels().unwrap();
    let gage_embed::Matrix::Sparse(links) = &data.graph.block("links").unwrap().matrix else {
        panic!("links are sparse")
    };
    assert!(links.is_symmetric());
    assert_eq!(links.nnz() as u64, 2 * report.links);
    // Merging repeated links costs a few of them.
    let degree = links.nnz() as f64 / 20_000.0;
    assert!(degree > 18.5 && degree < 20.5, "{degree}");
    assert!((degree - report.mean_degree).abs() < 1e-9);
    let (mut inside, mut largest) = (0, 0);
    for node in 0..20_000 {
        assert!(links.row(node).all(|(other, _)| other as usize != node));
        largest = largest.max(links.row(node).count());
        inside += links.row(node).filter(|e| labels.of(e.0 as usize) == labels.of(node)).count();
    }
    let homophily = inside as f64 / links.nnz() as f64;
    assert!((homophily - 0.8).abs() < 0.02, "{homophily}");
    // A power law has hubs; equal expected degrees have none.
    assert!(largest > 200, "{largest}");
    let even = GenerateOptions { power_law: 0.0, output: folder.path().join("even"), ..options };
    assert!(generate::run(&even, &mut Vec::new())?.largest_degree < 60);
    let words = data.graph.block("attributes").unwrap();
    assert_eq!(words.matrix.cols(), 400);
    let per_node = words.matrix.nnz() as f64 / 20_000.0;
    assert!(per_node > 14.0 && per_node < 20.5, "{per_node}");
    Ok(())
}

#[test]
fn generated_bytes_do_not_depend_on_threads_but_on_the_seed() -> Outcome {
    let folder = tempfile::tempdir()?;
    let make = |name: &str, threads: usize, seed: u64| {
        let output = folder.path().join(name);
        let options = GenerateOptions { seed, ..GenerateOptions::new(&output, 15_000) };
        with_threads(threads, || generate::run(&options, &mut Vec::new())).unwrap();
        ["adj.npz", "features.npz", "labels.npy", "meta.json"]
            .map(|file| std::fs::read(output.join(file)).unwrap())
    };
    let one = make("one", 1, 7);
    assert_eq!(one, make("two", 2, 7));
    assert!(make("other", 2, 8).iter().zip(&one).all(|(a, b)| a != b));
    Ok(())
}

#[test]
fn an_embedding_finds_the_planted_classes() -> Outcome {
    use gage_embed::eval::{ClassifyParams, TrainSize, classify};
    let folder = tempfile::tempdir()?;
    let options = GenerateOptions { classes: 4, ..GenerateOptions::new(folder.path(), 3000) };
    generate::run(&options, &mut Vec::new())?;
    let graph = load(&DatasetSpec::at(folder.path()))?.graph;
    let params = FitParams { dimension: Dimension::Fixed(16), ..FitParams::default() };
    let embedding = fit(&graph, params.check()?)?.embedding(&Lambda::Links(0.5))?.to_f32();
    let tries =
        ClassifyParams { train: vec![TrainSize::Share(0.5)], shuffles: 1, ..Default::default() };
    let report = classify(&embedding, graph.labels().unwrap(), &tries)?;
    let score = report.results[0].micro_f1.mean;
    assert!(score > 0.9, "{score}");
    Ok(())
}

#[test]
fn scipy_reads_what_is_generated() -> Outcome {
    let Some(python) = Python::with("numpy, scipy") else { return Ok(()) };
    let folder = tempfile::tempdir()?;
    let report = generate::run(&GenerateOptions::new(folder.path(), 2000), &mut Vec::new())?;
    let script = "
import json, numpy as np, scipy.sparse as sp, zipfile
assert zipfile.ZipFile('adj.npz').testzip() is None
a, x, y = sp.load_npz('adj.npz'), sp.load_npz('features.npz'), np.load('labels.npy')
for m in (a, x):
    m.check_format(full_check=True)
    assert m.has_canonical_format and m.indices.dtype == m.indptr.dtype == np.int32
assert (a != a.T).nnz == 0 and a.diagonal().sum() == 0 and set(a.data) == {1}
assert y.dtype == np.int64 and y.min() == 0 and y.max() == 9
r, c = a.nonzero()
meta = json.load(open('meta.json'))
assert abs((y[r] == y[c]).mean() - meta['edge_homophily']) < 1e-12
print(a.shape, a.nnz, x.shape, x.nnz)
";
    let printed = python.run(folder.path(), &["-c", script]);
    let expected =
        format!("(2000, 2000) {} (2000, 1000) {}", 2 * report.links, report.attribute_entries);
    assert_eq!(printed, expected);
    Ok(())
}
