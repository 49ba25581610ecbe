//! Deep attributed network embedding.

use gage_embed::Graph;
use gage_linalg::random::{Stream, mix};
use gage_linalg::{SparseMatrix, Tall};

use super::adam::Adam;
use super::dane_joint::{Batch, Joint, least_similar, linked};
use super::dane_layers::{Activation, Autoencoder, Layer, rows_of};
use super::dane_pretraining::{Pretraining, pretrain};
use super::dane_walks::{self, met_on_walks};
use super::layers::{blank_unknown, simple_links};
use super::scalar::Scalar;
use super::training::at_least_one;
use crate::algebra::{concat_columns, normalise_rows};
use crate::input::Table;
use crate::memory::{self, Sizes};
use crate::method::Method;
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
/// in batches of 100, 500 epochs, weights of the losses as theirs for Wikipedia, dropout of .2 in
/// pre-training only.
///
/// Quirks kept: all epochs but the first make a single step ([`Dane::full_epochs`] makes them
/// whole); the loss of linked nodes subtracts the mean over the diagonal from the mean over all
/// pairs, each pair a row of the batch instead of each row once, so that long codes are punished;
/// least similar nodes are compared by the links of the batch. Quirk of [`Dane::paper`] only: the
/// least similar node is named by its place in the shuffled order, which is then read as a node, so
/// that in effect a random node takes its part; by default it is that node.
///
/// Different: 5,000 steps of pre-training for each layer where theirs has 50,000
/// ([`Dane::original`]), which takes hours for a few thousand nodes; no empty batch where the
/// number of nodes is a multiple of 100, which gives them NaN; nodes nothing is known about get
/// zeros. That each code has half of the columns is an assumption: theirs have 100 each.
///
/// Cost of a step `10 b n 200` flops for `b` rows of a batch, and for attributes alike; memory 12
/// times `n x 200` and as much for attributes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dane {
    /// Steps of pre-training for each of the four layers.
    pub pretraining: usize,
    /// Epochs of joint training.
    pub epochs: usize,
    /// Whether every epoch goes through all nodes.
    pub full_epochs: bool,
    /// Whether the place of the least similar node is read as a node, as in the authors' code.
    pub place_for_node: bool,
    /// Rate of Adam in joint training.
    pub rate: f64,
    /// Weights of reconstruction, of agreement between codes, and of alikeness of linked nodes.
    pub losses: (f64, f64, f64),
}

/// Columns of the hidden layers.
const HIDDEN: (usize, usize) = (200, 500);

/// Nodes in a batch of pre-training and of joint training.
const BATCH: (usize, usize) = (256, 100);

impl Default for Dane {
    fn default() -> Self {
        Dane {
            pretraining: 5000,
            epochs: 500,
            full_epochs: false,
            place_for_node: false,
            rate: 1e-5,
            losses: (1.0, 0.05, 0.05),
        }
    }
}

impl Dane {
    /// As the authors' code has it and the GAGE paper most likely ran it, but for the length of the
    /// pre-training.
    pub fn paper() -> Dane {
        Dane { place_for_node: true, ..Dane::default() }
    }

    /// As the authors' code has it.
    pub fn original() -> Dane {
        Dane { pretraining: 50_000, ..Dane::paper() }
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
        // Two layers as wide as the input, each with its gradient and two means; and of a batch
        // inputs, what is kept of them, what is restored, and their gradients: some eleven blocks.
        let of_branch = |inputs: u64, hidden: usize| {
            memory::sum(&[
                memory::product(&[4 * 2 * 4, inputs, hidden as u64]),
                memory::product(&[4 * 11, BATCH.0 as u64, inputs]),
            ])
        };
        let branches =
            memory::sum(&[of_branch(sizes.nodes, HIDDEN.0), of_branch(sizes.attributes, HIDDEN.1)]);
        let hidden = memory::product(&[4, sizes.nodes, (HIDDEN.1 + dimension) as u64]);
        let walks = dane_walks::memory_bytes(sizes.nodes);
        memory::sum(&[sizes.links, sizes.table, branches, walks, hidden])
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
        self.train(&mut net, [&walks, &table], &links, task)?;
        let mut first = net.structure.encode_table(&walks).converted();
        let mut second = net.attributes.encode_table(&table).converted();
        normalise_rows(&mut first);
        normalise_rows(&mut second);
        let mut rows = concat_columns(&[&first, &second]);
        blank_unknown(&mut rows, &links, &table);
        Ok(rows)
    }
}

fn batches(nodes: usize) -> usize {
    nodes.div_ceil(BATCH.1)
}

impl Dane {
    /// Joint training.
    fn train(
        &self,
        net: &mut Joint<f32>,
        tables: [&Table; 2],
        links: &SparseMatrix,
        task: &Task<'_>,
    ) -> Result<(), Error> {
        let nodes = links.rows();
        let mut adam = Adam::new(self.rate);
        for epoch in 0..self.epochs {
            let mut order: Vec<usize> = (0..nodes).collect();
            Stream::new(task.seed ^ mix(0xda7e + epoch as u64)).shuffle(&mut order);
            let whole = epoch == 0 || self.full_epochs;
            let used = if whole { nodes } else { BATCH.1.min(nodes) };
            let unlike = self.unlike(net, tables, &order, used);
            for (rows, others) in order[..used].chunks(BATCH.1).zip(unlike.chunks(BATCH.1)) {
                let batch = Batch {
                    own: tables.map(|table| rows_of(table, rows)),
                    unlike: tables.map(|table| rows_of(table, others)),
                    linked: linked(links, rows),
                };
                let (loss, gradients) = net.loss_and_gradient(&batch);
                if !loss.is_finite() {
                    return Err(Error::NotFinite { method: task.method });
                }
                adam.step(&mut net.parameters(), &gradients);
                task.step_with_loss(loss)?;
            }
        }
        Ok(())
    }

    /// The nodes that stand for the least similar ones of the first nodes in an order.
    fn unlike(
        &self,
        net: &Joint<f32>,
        tables: [&Table; 2],
        order: &[usize],
        used: usize,
    ) -> Vec<usize> {
        let walks = net.structure.encode(&rows_of(tables[0], &order[..used]));
        let nodes = least_similar(&walks, &net.attributes.encode_table(tables[1]));
        if !self.place_for_node {
            return nodes;
        }
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &node)| place[node] = at);
        nodes.into_iter().map(|node| place[node]).collect()
    }
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
    let between = outer[0].forward_table(table);
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
