//! Deep attributed network embedding.

use gage_embed::Graph;
use gage_linalg::random::{Stream, mix};
use gage_linalg::{SparseMatrix, Tall};

use super::adam::Adam;
use super::dane_layers::{Activation, Autoencoder, Layer, Pretraining, pretrain, squared_error};
use super::layers::{combine, simple_links, times, times_transposed};
use super::scalar::{Scalar, sigmoid, softplus};
use super::training::at_least_one;
use crate::algebra::{concat_columns, normalise_rows};
use crate::input::Table;
use crate::memory::{self, Sizes};
use crate::method::Method;
use crate::methods::deepwalk::Walks;
use crate::task::Task;
use crate::{Error, input};

/// Deep attributed network embedding (Gao and Huang, IJCAI 2018).
///
/// Two autoencoders, one of attributes and one of who is met within ten steps of random walks. Both
/// are pre-trained layer by layer and then trained together: codes of one node shall agree, codes
/// of linked nodes shall be alike, and the code of every node shall differ from its least similar
/// one. The embedding is both codes with rows of length one, side by side, each of half the
/// columns.
///
/// As in the authors' code: hidden layers of 200 (walks) and 500 (attributes), Adam with rate 1e-5
/// in batches of 100, 500 epochs, of which all but the first make a single step
/// ([`Dane::full_epochs`] makes them whole); weights of the losses as theirs for Wikipedia.
/// Different: 5,000 steps of pre-training for each layer where theirs has 50,000, which takes hours
/// for a few thousand nodes; the least similar node is that node, where theirs confuses positions
/// with nodes. Cost of a step `12 b n 200` flops for `b` rows of a batch; memory 12 times `n x 200`
/// and as much for attributes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dane {
    /// Steps of pre-training for each of the four layers.
    pub pretraining: usize,
    /// Epochs of joint training.
    pub epochs: usize,
    /// Whether every epoch goes through all nodes.
    pub full_epochs: bool,
    /// Rate of Adam in joint training.
    pub rate: f64,
    /// Weights of reconstruction, of agreement between codes, and of alikeness of linked nodes.
    pub losses: (f64, f64, f64),
}

/// Walks from every node, their length, and the steps within which nodes count as met.
const WALKS: (usize, usize, usize) = (10, 80, 10);

/// Columns of the hidden layers.
const HIDDEN: (usize, usize) = (200, 500);

/// Nodes in a batch of pre-training and of joint training.
const BATCH: (usize, usize) = (256, 100);

impl Default for Dane {
    fn default() -> Self {
        let losses = (1.0, 0.05, 0.05);
        Dane { pretraining: 5000, epochs: 500, full_epochs: false, rate: 1e-5, losses }
    }
}

impl Method for Dane {
    fn name(&self) -> &'static str {
        "dane"
    }

    fn describe(&self) -> &'static str {
        "deep attributed network embedding: autoencoders of walks and attributes that agree"
    }

    fn is_slow(&self) -> bool {
        true
    }

    fn memory_bytes(&self, graph: &Graph, dimension: usize) -> u64 {
        let sizes = Sizes::of(graph);
        // Two layers as wide as the input, each with its gradient and two means.
        let of_layers = |inputs: u64, hidden: usize| {
            memory::product(&[4 * 2 * 4, inputs, (hidden + dimension) as u64])
        };
        let layers = [
            of_layers(sizes.nodes, HIDDEN.0),
            of_layers(sizes.attributes, HIDDEN.1),
            // Pairs met on walks: at most all steps of all walks, kept twice while they are sorted.
            memory::product(&[2 * 24, sizes.nodes, (WALKS.0 * WALKS.2) as u64]),
        ];
        memory::sum(&[sizes.links, sizes.table, memory::sum(&layers), sizes.blocks(HIDDEN.1)])
    }

    fn run(&self, task: &Task<'_>) -> Result<Tall<f64>, Error> {
        let (dimension, seed) = (task.dimension, task.seed);
        at_least_one("epochs", self.epochs)?;
        let links = simple_links(&input::links(task)?)?;
        let table = input::attributes(task)?;
        let walks = Table::Sparse(met_on_walks(&links, seed)?);
        let steps =
            if self.full_epochs { self.epochs * batches(table.rows()) } else { self.epochs };
        task.plan(4 * self.pretraining + steps + batches(table.rows()));
        let code = dimension.div_ceil(2);
        let how = Pretraining { steps: self.pretraining, batch: BATCH.0, keep: 0.8 };
        let sigmoid_out = Activation::Sigmoid;
        let structure = pretrained::<f32>(&walks, (HIDDEN.0, code), sigmoid_out, how, seed, task)?;
        let linear = Activation::Linear;
        let attributes = pretrained::<f32>(&table, (HIDDEN.1, code), linear, how, mix(seed), task)?;
        let mut net = Joint { structure, attributes, losses: self.losses };
        net.train(self, [&walks, &table], &links, task)?;
        let [mut first, mut second] = net.codes([&walks, &table]).map(|codes| codes.converted());
        normalise_rows(&mut first);
        normalise_rows(&mut second);
        Ok(concat_columns(&[&first, &second]))
    }
}

fn batches(nodes: usize) -> usize {
    nodes.div_ceil(BATCH.1)
}

/// One for nodes that stand within ten steps of each other on any walk, both ways, without loops.
fn met_on_walks(links: &SparseMatrix, seed: u64) -> Result<SparseMatrix, Error> {
    let (count, length, window) = WALKS;
    let walks = Walks::new(links, count, length, seed);
    let mut met: Vec<Vec<u32>> = vec![Vec::new(); links.rows()];
    let mut walk = Vec::new();
    for pass in 0..count {
        for &start in walks.starts() {
            walks.walk(pass, start, &mut walk);
            for (at, &node) in walk.iter().enumerate() {
                let near = &walk[at + 1..walk.len().min(at + 1 + window)];
                met[node as usize].extend(near.iter().filter(|other| **other != node));
            }
        }
        for own in &mut met {
            own.sort_unstable();
            own.dedup();
        }
    }
    let ordered = met.iter().enumerate().flat_map(|(node, own)| {
        own.iter().flat_map(move |&other| [(node as u32, other), (other, node as u32)])
    });
    let mut pairs: Vec<(u32, u32)> = ordered.collect();
    pairs.sort_unstable();
    pairs.dedup();
    let entries: Vec<(u32, u32, f64)> = pairs.into_iter().map(|(i, j)| (i, j, 1.0)).collect();
    Ok(SparseMatrix::from_triplets(links.rows(), links.rows(), &entries)?)
}

/// Some rows of a table, zeros included.
fn rows_of<T: Scalar>(table: &Table, rows: &[usize]) -> Tall<T> {
    Tall::from_rows(rows.len(), table.cols(), |at, out: &mut [T]| {
        table.each(rows[at], |col, value| out[col] = T::from_f64(value));
    })
}

/// An autoencoder of a table, each layer trained with its counterpart on what the layer before puts
/// out.
fn pretrained<T: Scalar>(
    table: &Table,
    (hidden, code): (usize, usize),
    output: Activation,
    how: Pretraining,
    seed: u64,
    task: &Task<'_>,
) -> Result<Autoencoder<T>, Error> {
    let (nodes, inputs) = (table.rows(), table.cols());
    let mut outer = [
        Layer::new(inputs, hidden, Activation::Leaky, mix(seed ^ 1)),
        Layer::new(hidden, inputs, output, mix(seed ^ 2)),
    ];
    pretrain(&mut outer, nodes, &|rows| rows_of(table, rows), how, mix(seed ^ 3), task)?;
    let all: Vec<usize> = (0..nodes).collect();
    let mut between = Tall::<T>::zeros(nodes, hidden);
    for part in all.chunks(1024) {
        let put_out = outer[0].forward(&rows_of(table, part));
        part.iter().enumerate().for_each(|(at, &node)| {
            between.row_mut(node).copy_from_slice(put_out.row(at));
        });
    }
    let mut inner = [
        Layer::new(hidden, code, Activation::Linear, mix(seed ^ 4)),
        Layer::new(code, hidden, Activation::Leaky, mix(seed ^ 5)),
    ];
    let pick = |rows: &[usize]| {
        Tall::from_rows(rows.len(), hidden, |at, out: &mut [T]| {
            out.copy_from_slice(between.row(rows[at]));
        })
    };
    pretrain(&mut inner, nodes, &pick, how, mix(seed ^ 6), task)?;
    let ([first, last], [second, third]) = (outer, inner);
    Ok(Autoencoder::new(vec![first, second, third, last]))
}

/// Both autoencoders in joint training.
pub(super) struct Joint<T> {
    pub(super) structure: Autoencoder<T>,
    pub(super) attributes: Autoencoder<T>,
    pub(super) losses: (f64, f64, f64),
}

/// Inputs of a batch and of its least similar nodes, walks first, and the links inside the batch.
pub(super) struct Batch<T> {
    pub(super) own: [Tall<T>; 2],
    pub(super) unlike: [Tall<T>; 2],
    pub(super) linked: Tall<T>,
}

impl<T: Scalar> Joint<T> {
    fn train(
        &mut self,
        params: &Dane,
        tables: [&Table; 2],
        links: &SparseMatrix,
        task: &Task<'_>,
    ) -> Result<(), Error> {
        let nodes = links.rows();
        let mut adam = Adam::new(params.rate);
        for epoch in 0..params.epochs {
            let unlike = least_similar(&self.codes(tables));
            let mut order: Vec<usize> = (0..nodes).collect();
            Stream::new(task.seed ^ mix(0xda7e + epoch as u64)).shuffle(&mut order);
            let whole = epoch == 0 || params.full_epochs;
            let count = if whole { batches(nodes) } else { 1 };
            for rows in order.chunks(BATCH.1).take(count) {
                let others: Vec<usize> = rows.iter().map(|&row| unlike[row]).collect();
                let batch = Batch {
                    own: tables.map(|table| rows_of(table, rows)),
                    unlike: tables.map(|table| rows_of(table, &others)),
                    linked: linked(links, rows),
                };
                let (loss, gradients) = self.loss_and_gradient(&batch);
                if !loss.is_finite() {
                    return Err(Error::NotFinite { method: task.method });
                }
                adam.step(&mut self.parameters(), &gradients);
                task.step_with_loss(loss)?;
            }
        }
        Ok(())
    }

    pub(super) fn parameters(&mut self) -> Vec<&mut Tall<T>> {
        let mut all = self.structure.parameters();
        all.extend(self.attributes.parameters());
        all
    }

    /// Codes of all nodes, those of walks first.
    fn codes(&self, tables: [&Table; 2]) -> [Tall<T>; 2] {
        let encode = |net: &Autoencoder<T>, table: &Table| {
            let nodes: Vec<usize> = (0..table.rows()).collect();
            let parts: Vec<Tall<T>> =
                nodes.chunks(1024).map(|part| net.encode(&rows_of(table, part))).collect();
            let cols = parts.first().map_or(0, Tall::cols);
            Tall::from_rows(nodes.len(), cols, |row, out: &mut [T]| {
                out.copy_from_slice(parts[row / 1024].row(row % 1024));
            })
        };
        [encode(&self.structure, tables[0]), encode(&self.attributes, tables[1])]
    }

    /// The weighted sum of the losses of a batch, and its gradient in the order of the parameters.
    pub(super) fn loss_and_gradient(&self, batch: &Batch<T>) -> (f64, Vec<Tall<T>>) {
        let (of_error, of_agreement, of_links) = self.losses;
        let nets = [&self.structure, &self.attributes];
        let own = [0, 1].map(|k| nets[k].forward(&batch.own[k]));
        let unlike = [0, 1].map(|k| nets[k].forward(&batch.unlike[k]));
        let zeros = |codes: &Tall<T>| Tall::<T>::zeros(codes.rows(), codes.cols());
        // Gradients of the codes of the batch and of its least similar nodes.
        let mut to_own = [zeros(&own[0][1]), zeros(&own[1][1])];
        let mut to_unlike = [zeros(&unlike[0][1]), zeros(&unlike[1][1])];
        let mut loss = 0.0;
        let agreement = [
            (&own[0][1], &own[1][1], true),
            (&unlike[0][1], &own[1][1], false),
            (&own[0][1], &unlike[1][1], false),
        ];
        for (which, (walks, attributes, alike)) in agreement.into_iter().enumerate() {
            let (part, to_walks, to_attributes) = agree(walks, attributes, alike, of_agreement);
            loss += part;
            let first = if which == 1 { &mut to_unlike[0] } else { &mut to_own[0] };
            *first = combine(first, &to_walks, |a, b| a + b);
            let second = if which == 2 { &mut to_unlike[1] } else { &mut to_own[1] };
            *second = combine(second, &to_attributes, |a, b| a + b);
        }
        for k in [0, 1] {
            for (codes, gradient) in
                [(&own[k][1], &mut to_own[k]), (&unlike[k][1], &mut to_unlike[k])]
            {
                let (part, to_codes) = alike_when_linked(codes, &batch.linked, of_links);
                loss += part;
                *gradient = combine(gradient, &to_codes, |a, b| a + b);
            }
        }
        let mut gradients = Vec::new();
        for k in [0, 1] {
            let sides = [
                (&own[k], &batch.own[k], &to_own[k]),
                (&unlike[k], &batch.unlike[k], &to_unlike[k]),
            ];
            let mut both: Vec<Vec<Tall<T>>> = Vec::new();
            for (outputs, input, to_code) in sides {
                let (error, mut gradient) = squared_error(&outputs[3], input);
                loss += of_error * error;
                let factor = T::from_f64(of_error);
                gradient.par_update_rows(|_, row| row.iter_mut().for_each(|x| *x = factor * *x));
                both.push(nets[k].backward(input, outputs, gradient, to_code));
            }
            let pairs = both[0].iter().zip(&both[1]);
            gradients.extend(pairs.map(|(a, b)| combine(a, b, |a, b| a + b)));
        }
        (loss, gradients)
    }
}

/// Cross entropy of `sigmoid(a_i^T b_i)`, the mean over rows times a factor, and its gradients.
fn agree<T: Scalar>(a: &Tall<T>, b: &Tall<T>, alike: bool, factor: f64) -> (f64, Tall<T>, Tall<T>) {
    let scale = factor / a.rows().max(1) as f64;
    let products: Vec<f64> = (0..a.rows())
        .map(|row| a.row(row).iter().zip(b.row(row)).map(|(a, b)| a.to_f64() * b.to_f64()).sum())
        .collect();
    let loss: f64 = products.iter().map(|s| softplus(if alike { -s } else { *s })).sum();
    let target = if alike { 1.0 } else { 0.0 };
    let along = |other: &Tall<T>| {
        Tall::from_rows(other.rows(), other.cols(), |row, out: &mut [T]| {
            let factor = T::from_f64(scale * (sigmoid(products[row]) - target));
            out.iter_mut().zip(other.row(row)).for_each(|(out, x)| *out = factor * *x);
        })
    };
    (scale * loss, along(b), along(a))
}

/// Cross entropy between links and `sigmoid(h_i^T h_j)`: the mean over all pairs less the mean over
/// the pairs of a node with itself (as the authors' broadcasting has it), times a factor.
fn alike_when_linked<T: Scalar>(codes: &Tall<T>, linked: &Tall<T>, factor: f64) -> (f64, Tall<T>) {
    let rows = codes.rows();
    let inverse = 1.0 / rows.max(1) as f64;
    let mut products = times_transposed(codes, codes);
    let mut loss = 0.0;
    for i in 0..rows {
        for j in 0..rows {
            let share = if i == j { inverse * inverse - inverse } else { inverse * inverse };
            let (s, target) = (products.row(i)[j].to_f64(), linked.row(i)[j].to_f64());
            loss += factor * share * (softplus(s) - target * s);
            products.row_mut(i)[j] = T::from_f64(factor * share * (sigmoid(s) - target));
        }
    }
    // The derivatives are symmetric, as links are: both ends of a pair get the same.
    let half = times(&products, codes);
    (loss, combine(&half, &half, |a, b| a + b))
}

/// The links among some nodes.
fn linked<T: Scalar>(links: &SparseMatrix, rows: &[usize]) -> Tall<T> {
    Tall::from_rows(rows.len(), rows.len(), |at, out: &mut [T]| {
        let own = &links.indices()[links.row_range(rows[at])];
        for (out, other) in out.iter_mut().zip(rows) {
            if own.binary_search(&(*other as u32)).is_ok() {
                *out = T::ONE;
            }
        }
    })
}

/// For every node the one whose attribute code has the lowest cosine to its walk code.
fn least_similar<T: Scalar>([walks, attributes]: &[Tall<T>; 2]) -> Vec<usize> {
    use rayon::prelude::*;
    let length = |row: &[T]| row.iter().map(|x| x.to_f64().powi(2)).sum::<f64>().sqrt();
    let lengths: Vec<f64> =
        (0..attributes.rows()).map(|row| length(attributes.row(row)).max(1e-12)).collect();
    let lowest = |from: usize| {
        let own = walks.row(from);
        let cosine = |to: usize| {
            let products = own.iter().zip(attributes.row(to));
            products.map(|(a, b)| a.to_f64() * b.to_f64()).sum::<f64>() / lengths[to]
        };
        let all = (0..attributes.rows()).map(|to| (cosine(to), to));
        all.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(from, |(_, to)| to)
    };
    (0..walks.rows()).into_par_iter().map(lowest).collect()
}
