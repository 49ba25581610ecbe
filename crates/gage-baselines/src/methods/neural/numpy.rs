//! Ten steps of every network against a dense version in NumPy that knows the losses only, from the
//! same weights with the same random numbers.

use std::path::Path;

use gage_embed::{Graph, NoObserver, Nodes};
use gage_linalg::random::Stream;
use gage_linalg::{SparseMatrix, Tall};
use gage_testing::Python;
use tempfile::TempDir;

use super::adam::Adam;
use super::age_encoder::Encoder;
use super::autoencoder::Autoencoder;
use super::dane_joint::{Batch, Joint};
use super::dane_layers::{Activation, Autoencoder as Dense, Layer};
use super::dane_pretraining::{denoising_loss, dropped, parameters};
use super::gradients::{links, normal};
use super::infomax::Infomax;
use super::layers::Features;
use super::scalar::Scalar;
use super::training::{Network, Schedule, train};
use crate::input::Table;
use crate::task::Task;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/baselines/networks.py");
const STEPS: usize = 10;

/// A folder with arrays for NumPy.
struct Arrays {
    folder: TempDir,
    list: String,
}

impl Arrays {
    fn new() -> Arrays {
        Arrays { folder: tempfile::tempdir().unwrap(), list: String::new() }
    }

    fn put<T: Scalar>(&mut self, name: &str, block: &Tall<T>) {
        let bytes: Vec<u8> = block.data().iter().flat_map(|x| x.to_f64().to_le_bytes()).collect();
        std::fs::write(self.folder.path().join(format!("{name}.bin")), bytes).unwrap();
        self.list.push_str(&format!("{name} {} {}\n", block.rows(), block.cols()));
    }

    fn put_parameters<T: Scalar>(&mut self, parameters: Vec<&mut Tall<T>>) {
        for (at, block) in parameters.into_iter().enumerate() {
            self.put(&format!("parameter-{at}"), block);
        }
    }

    fn put_graph(&mut self, links: &SparseMatrix, table: &Table) {
        let links = Table::Sparse(links.clone());
        for (name, table) in [("links", &links), ("attributes", table)] {
            let dense = Tall::<f64>::from_rows(table.rows(), table.cols(), |row, out| {
                table.each(row, |col, value| out[col] = value);
            });
            self.put(name, &dense);
        }
    }

    /// Runs NumPy and compares losses and parameters after all steps.
    fn compare<T: Scalar>(
        self,
        python: &Python,
        (method, rate): (&str, f64),
        losses: &[f64],
        parameters: Vec<&mut Tall<T>>,
        tolerance: f64,
    ) {
        let folder = self.folder.path();
        std::fs::write(folder.join("arrays.txt"), &self.list).unwrap();
        python.run(folder, &[SCRIPT, method, &rate.to_string()]);
        assert_eq!(losses.len(), STEPS);
        assert!((losses[0] - losses[STEPS - 1]).abs() > 1e-3 * losses[0].abs(), "{losses:?}");
        close(&format!("{method}: losses"), losses, &read(folder, "losses"), tolerance);
        for (at, block) in parameters.into_iter().enumerate() {
            let ours: Vec<f64> = block.data().iter().map(|x| x.to_f64()).collect();
            let what = format!("{method}: parameter {at}");
            close(&what, &ours, &read(folder, &format!("after-{at}")), tolerance);
        }
    }
}

fn read(folder: &Path, name: &str) -> Vec<f64> {
    let bytes = std::fs::read(folder.join(format!("{name}.bin"))).unwrap();
    bytes.chunks_exact(8).map(|word| f64::from_le_bytes(word.try_into().unwrap())).collect()
}

fn close(what: &str, ours: &[f64], theirs: &[f64], tolerance: f64) {
    assert_eq!(ours.len(), theirs.len(), "{what}");
    let largest = theirs.iter().fold(0.0f64, |top, x| top.max(x.abs()));
    for (at, (a, b)) in ours.iter().zip(theirs).enumerate() {
        assert!((a - b).abs() <= tolerance * largest.max(1e-3), "{what}, {at}: {a} and {b}");
    }
}

/// Attributes of eleven nodes: positive numbers with holes.
fn table() -> Table {
    let mut random = Stream::new(3);
    let mut entries = Vec::new();
    for i in 0..11 {
        for j in 0..6 {
            if j == i % 6 || random.unit() < 0.5 {
                entries.push((i, j, 0.2 + random.unit()));
            }
        }
    }
    Table::Sparse(SparseMatrix::from_triplets(11, 6, &entries).unwrap())
}

/// Trains ten epochs as methods do.
fn trained<T: Scalar>(net: &mut impl Network<T>, rate: f64) -> Vec<f64> {
    let graph = Graph::new(Nodes::numbered(11));
    let task = Task::new("test", &graph, 3, 0, &NoObserver).unwrap();
    train(net, &Schedule { rate, epochs: STEPS, patience: None }, &task).unwrap()
}

fn graph_autoencoders<T: Scalar>(python: &Python, tolerance: f64) {
    for (variational, method) in [(false, "gae"), (true, "vgae")] {
        let (links, table) = (links(), table());
        let mut net = Autoencoder::<T>::new(&links, Features::new(&table), variational, (5, 3), 7);
        let mut arrays = Arrays::new();
        arrays.put_graph(&links, &table);
        arrays.put_parameters(net.parameters());
        (0..STEPS).for_each(|step| arrays.put(&format!("noise-{step}"), &net.noise(step, 3)));
        let losses = trained(&mut net, 0.01);
        arrays.compare(python, (method, 0.01), &losses, net.parameters(), tolerance);
    }
}

fn infomax<T: Scalar>(python: &Python, tolerance: f64) {
    let table = table();
    let features = Features::new(&table.rows_of_sum_one().unwrap());
    let mut net = Infomax::<T>::new(links(), features, 4, 7);
    let mut arrays = Arrays::new();
    arrays.put_graph(&links(), &table);
    arrays.put_parameters(net.parameters());
    for step in 0..STEPS {
        let order = net.order(step);
        let order = Tall::<f64>::from_rows(11, 1, |row, out| out[0] = order[row] as f64);
        arrays.put(&format!("order-{step}"), &order);
    }
    let losses = trained(&mut net, 0.01);
    arrays.compare(python, ("dgi", 0.01), &losses, net.parameters(), tolerance);
}

fn adaptive<T: Scalar>(python: &Python, tolerance: f64) {
    let table = table();
    let mut net = Encoder::<T>::new(links(), &table, 3, 5, 7);
    let mut arrays = Arrays::new();
    arrays.put_graph(&links(), &table);
    arrays.put_parameters(net.parameters());
    let (mut adam, mut losses, mut random) = (Adam::new(0.01), Vec::new(), Stream::new(1));
    for step in 0..STEPS {
        let mut pair = || (random.below(11) as u32, random.below(11) as u32);
        let similar: Vec<(u32, u32)> = (0..8).map(|_| pair()).collect();
        let dissimilar: Vec<(u32, u32)> = (0..8).map(|_| pair()).collect();
        let pairs = Tall::<f64>::from_rows(16, 3, |row, out| {
            let (i, j) = if row < 8 { similar[row] } else { dissimilar[row - 8] };
            out.copy_from_slice(&[i.into(), j.into(), f64::from(u8::from(row < 8))]);
        });
        arrays.put(&format!("pairs-{step}"), &pairs);
        let (loss, gradient) = net.loss_and_gradient(&similar, &dissimilar).unwrap();
        losses.push(loss);
        adam.step(&mut net.parameters(), &gradient);
    }
    arrays.compare(python, ("age", 0.01), &losses, net.parameters(), tolerance);
}

fn block<T: Scalar>(rows: usize, cols: usize, seed: u64) -> Tall<T> {
    normal(rows, cols, seed).converted()
}

fn attributed<T: Scalar>(python: &Python, tolerance: f64) {
    let branch = |inputs, output, seed| {
        Dense::<T>::new(vec![
            Layer::new(inputs, 5, Activation::Leaky, seed),
            Layer::new(5, 3, Activation::Linear, seed + 1),
            Layer::new(3, 5, Activation::Leaky, seed + 2),
            Layer::new(5, inputs, output, seed + 3),
        ])
    };
    let mut net = Joint {
        structure: branch(7, Activation::Sigmoid, 1),
        attributes: branch(6, Activation::Linear, 11),
        losses: (0.7, 0.5, 0.3),
    };
    let mut arrays = Arrays::new();
    let weights = Tall::<f64>::from_rows(1, 3, |_, out| out.copy_from_slice(&[0.7, 0.5, 0.3]));
    arrays.put("weights", &weights);
    arrays.put_parameters(net.parameters());
    let (mut adam, mut losses) = (Adam::new(0.01), Vec::new());
    for step in 0..STEPS {
        let seed = 100 + 10 * step as u64;
        // Links of four nodes without loops, which the description adds and subtracts by itself.
        let linked = |i: usize, j: usize| i != j && (i + j + step).is_multiple_of(2);
        let of = |loops: bool| {
            Tall::<T>::from_rows(4, 4, |i, out| {
                let one = |j| linked(i, j) || (loops && i == j);
                out.iter_mut().enumerate().for_each(|(j, x)| {
                    *x = if one(j) { T::ONE } else { T::ZERO };
                });
            })
        };
        let batch = Batch {
            own: [block(4, 7, seed), block(4, 6, seed + 1)],
            unlike: [block(4, 7, seed + 2), block(4, 6, seed + 3)],
            linked: of(true),
        };
        for k in [0, 1] {
            arrays.put(&format!("own-{k}-{step}"), &batch.own[k]);
            arrays.put(&format!("unlike-{k}-{step}"), &batch.unlike[k]);
        }
        arrays.put(&format!("linked-{step}"), &of(false));
        let (loss, gradient) = net.loss_and_gradient(&batch);
        losses.push(loss);
        adam.step(&mut net.parameters(), &gradient);
    }
    arrays.compare(python, ("dane", 0.01), &losses, net.parameters(), tolerance);
}

fn pretraining<T: Scalar>(python: &Python, tolerance: f64) {
    let mut pair =
        [Layer::<T>::new(7, 5, Activation::Leaky, 1), Layer::new(5, 7, Activation::Sigmoid, 2)];
    let mut arrays = Arrays::new();
    arrays.put_parameters(parameters(&mut pair));
    let (mut adam, mut losses) = (Adam::new(0.01), Vec::new());
    let ones = |cols| Tall::<T>::from_rows(9, cols, |_, out| out.fill(T::ONE));
    for step in 0..STEPS {
        let (rows, key) = (block(9, 7, 50 + step as u64), 1000 + step as u64);
        arrays.put(&format!("rows-{step}"), &rows);
        arrays.put(&format!("mask-{step}"), &dropped(&ones(7), 0.8, key));
        let key_of_hidden = gage_linalg::random::mix(key);
        arrays.put(&format!("hidden-mask-{step}"), &dropped(&ones(5), 0.8, key_of_hidden));
        let (loss, gradient) = denoising_loss(&pair, &rows, 0.8, key);
        losses.push(loss);
        adam.step(&mut parameters(&mut pair), &gradient);
    }
    arrays.compare(python, ("dane-pretraining", 0.01), &losses, parameters(&mut pair), tolerance);
}

fn all<T: Scalar>(python: &Python, tolerance: f64) {
    graph_autoencoders::<T>(python, tolerance);
    infomax::<T>(python, tolerance);
    adaptive::<T>(python, tolerance);
    attributed::<T>(python, tolerance);
    pretraining::<T>(python, tolerance);
}

#[test]
fn ten_steps_agree_with_numpy_in_double_precision() {
    let Some(python) = Python::with("numpy") else { return };
    all::<f64>(&python, 1e-9);
}

#[test]
fn ten_steps_agree_with_numpy_in_the_precision_of_training() {
    let Some(python) = Python::with("numpy") else { return };
    all::<f32>(&python, 1e-4);
}
