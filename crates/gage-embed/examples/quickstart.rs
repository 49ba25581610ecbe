//! Where a Rust program would start: a graph with attributes in, vectors out.
//!
//! `cargo run --example quickstart` uses a small made-up graph;
//! `cargo run --example quickstart -- FOLDER` reads a data set folder (`adj.npz`, `features.npz`, ...).
#![allow(clippy::print_stdout)]

use std::error::Error;

use gage_embed::io::{DatasetSpec, load};
use gage_embed::{
    Block, CertificateParams, Dimension, FitParams, Graph, Lambda, Nodes, SparseMatrix, fit,
};

fn main() -> Result<(), Box<dyn Error>> {
    let graph = match std::env::args().nth(1) {
        Some(folder) => load(&DatasetSpec::at(folder))?.graph,
        None => two_teams()?,
    };
    let columns = graph.nodes().len().min(64) / 2;
    let params = FitParams {
        dimension: Dimension::Fixed(columns),
        certificate: Some(CertificateParams::default()),
        ..FitParams::preset("balanced")?
    };
    let model = fit(&graph, params.check()?)?;

    println!("{} nodes, {columns} columns, {} passes", graph.nodes().len(), model.info().passes);
    for warning in &model.info().warnings {
        println!("note: {warning}");
    }
    if let Some(certificate) = model.certificate() {
        for view in &certificate.views {
            println!(
                "view {:10}  squared distances off by {:.1}% (loss {:.3}, least possible {:.3})",
                view.view,
                100.0 * view.distance_error.value,
                view.loss,
                view.least_loss
            );
        }
    }

    // One fit serves every lambda: the neighbours of the first node by links, by both, by attributes.
    for lambda in [1.0, 0.5, 0.0] {
        let embedding = model.embedding(&Lambda::Links(lambda))?;
        let first = embedding.row_f64(0);
        let distance = |node: usize| -> f64 {
            first.iter().zip(embedding.row_f64(node)).map(|(a, b)| (a - b).powi(2)).sum()
        };
        let mut others: Vec<usize> = (1..embedding.rows()).collect();
        others.sort_by(|&a, &b| distance(a).total_cmp(&distance(b)));
        let names: Vec<String> = others.iter().take(3).map(|&n| model.nodes().id(n)).collect();
        println!("lambda {lambda}: nearest to {}: {}", model.nodes().id(0), names.join(", "));
    }
    Ok(())
}

/// Two teams that work together (links), whose members share trades across teams (attributes).
fn two_teams() -> Result<Graph, Box<dyn Error>> {
    let names = ["ann", "bob", "cem", "dai", "eva", "fay", "gus", "hal"];
    let mut links = Vec::new();
    for team in [0u32, 4] {
        for i in team..team + 4 {
            links.extend((team..team + 4).filter(|&j| j != i).map(|j| (i, j, 1.0)));
        }
    }
    let trades: Vec<(u32, u32, f64)> =
        (0..8).flat_map(|i| [(i, i % 4, 2.0), (i, 4 + i % 2, 1.0)]).collect();
    Ok(Graph::new(Nodes::named(names)?)
        .with_block(Block::links("links", SparseMatrix::from_triplets(8, 8, &links)?, false))?
        .with_block(Block::attributes("attributes", SparseMatrix::from_triplets(8, 6, &trades)?))?)
}
