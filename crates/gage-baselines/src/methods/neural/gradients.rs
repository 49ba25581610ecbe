//! Every gradient against finite differences, in double precision.

use gage_embed::SparseMatrix;
use gage_linalg::Tall;
use gage_linalg::random::fill_normal;

use super::age_encoder::Encoder;
use super::autoencoder::Autoencoder;
use super::dane_joint::{Batch, Joint};
use super::dane_layers::{Activation, Autoencoder as Dense, Layer};
use super::dane_pretraining::{denoising_loss, parameters};
use super::infomax::Infomax;
use super::layers::Features;
use super::training::Network;
use crate::input::Table;

/// Eleven nodes in a ring with chords.
pub(super) fn links() -> SparseMatrix {
    let mut entries = Vec::new();
    for i in 0..11u32 {
        for j in [(i + 1) % 11, (i * i + 3) % 11] {
            if i != j {
                entries.extend([(i, j, 1.0), (j, i, 1.0)]);
            }
        }
    }
    entries.sort_by_key(|entry| (entry.0, entry.1));
    entries.dedup();
    SparseMatrix::from_triplets(11, 11, &entries).unwrap()
}

pub(super) fn normal(rows: usize, cols: usize, seed: u64) -> Tall<f64> {
    Tall::from_rows(rows, cols, |row, out| fill_normal(seed, row as u64, out))
}

/// Central differences along every parameter.
fn check<N>(
    mut net: N,
    parameters: impl Fn(&mut N) -> Vec<&mut Tall<f64>>,
    loss: impl Fn(&N) -> (f64, Vec<Tall<f64>>),
) {
    let (_, gradient) = loss(&net);
    assert_eq!(gradient.len(), parameters(&mut net).len());
    let step = 1e-5;
    for (at, by) in gradient.iter().enumerate() {
        for entry in 0..by.data().len() {
            let before = parameters(&mut net)[at].data()[entry];
            let mut at_offset = |offset: f64| {
                parameters(&mut net)[at].data_mut()[entry] = before + offset;
                loss(&net).0
            };
            let difference = (at_offset(step) - at_offset(-step)) / (2.0 * step);
            at_offset(0.0);
            let (ours, scale) = (by.data()[entry], 1.0 + difference.abs());
            assert!(
                (ours - difference).abs() < 1e-7 * scale,
                "parameter {at}, entry {entry}: {ours} and {difference}"
            );
        }
    }
}

#[test]
fn graph_autoencoders() {
    for variational in [false, true] {
        let links = links();
        let features = Features::Dense(normal(11, 6, 1));
        let net = Autoencoder::new(&links, features, variational, (5, 3), 7);
        check(net, |net| net.parameters(), |net| net.loss_and_gradient(4));
    }
}

#[test]
fn deep_graph_infomax() {
    let net = Infomax::new(links(), Features::Dense(normal(11, 6, 1)), 4, 7);
    check(net, |net| net.parameters(), |net| net.loss_and_gradient(4));
}

#[test]
fn adaptive_graph_encoding() {
    let table = Table::Dense(normal(11, 6, 1));
    let net = Encoder::<f64>::new(links(), &table, 3, 5, 7);
    let similar = [(0, 1), (3, 3), (4, 8), (0, 1)];
    let dissimilar = [(2, 9), (10, 0), (5, 6), (7, 1)];
    check(net, |net| net.parameters(), |net| net.loss_and_gradient(&similar, &dissimilar).unwrap());
}

#[test]
fn deep_attributed_network_embedding() {
    let branch = |inputs, output, seed| {
        Dense::new(vec![
            Layer::new(inputs, 5, Activation::Leaky, seed),
            Layer::new(5, 3, Activation::Linear, seed + 1),
            Layer::new(3, 5, Activation::Leaky, seed + 2),
            Layer::new(5, inputs, output, seed + 3),
        ])
    };
    let net = Joint {
        structure: branch(7, Activation::Sigmoid, 1),
        attributes: branch(6, Activation::Linear, 11),
        losses: (0.7, 0.5, 0.3),
    };
    let linked = Tall::from_rows(4, 4, |i, out: &mut [f64]| {
        out.iter_mut().enumerate().for_each(|(j, x)| *x = f64::from(u8::from((i + j) % 3 == 1)));
    });
    let batch = Batch {
        own: [normal(4, 7, 21), normal(4, 6, 22)],
        unlike: [normal(4, 7, 23), normal(4, 6, 24)],
        linked,
    };
    check(net, |net| net.parameters(), |net| net.loss_and_gradient(&batch));
}

#[test]
fn pre_training_of_a_layer() {
    for output in [Activation::Sigmoid, Activation::Linear] {
        let pair = [Layer::new(7, 5, Activation::Leaky, 1), Layer::new(5, 7, output, 2)];
        let clean = normal(4, 7, 3);
        check(pair, parameters, |pair| denoising_loss(pair, &clean, 0.8, 9));
    }
}
