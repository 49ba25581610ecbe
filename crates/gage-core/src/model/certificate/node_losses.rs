//! The loss of every node.

use faer::Mat;

use crate::error::Error;
use crate::graph::Graph;
use crate::model::Model;
use crate::progress::{Observer, Stage};
use crate::solver::Context;
use crate::views::CentredGram;
use gage_linalg::Tall;
use gage_linalg::kernel::{cross_gram, times_small};
use gage_linalg::random::Stream;

use super::certify::{Measured, on_views_of};

/// Random signs that the rows of residuals are multiplied by.
const PROBES: usize = 48;

/// The share of every node's row that the model does not reproduce, over all views: with
/// `R_k = X_k - U diag(c_k) U^T` at Gram norm one and the weights of the loss,
/// `sum_k w_k^2 ||R_k e_i||^2 / sum_k w_k^2 ||X_k e_i||^2`.
///
/// Both sides are estimated with the same random signs `z`, since `E (R z)_i^2 = ||R e_i||^2`; the
/// sums over all nodes are those of the loss. Not a number for a node whose rows are zero. Cost:
/// two passes with 48 columns for each view. The nodes of the graph stand in the order of the
/// model's.
pub fn node_losses(
    model: &Model,
    graph: &Graph,
    seed: u64,
    observer: &dyn Observer,
) -> Result<Vec<f64>, Error> {
    let measure = |measured: &Measured<'_>, ctx: &Context<'_>| losses(measured, seed, ctx);
    let work = || on_views_of(model, graph, observer, measure);
    Error::catch_memory(|| Stage::Certificate, work)
}

fn losses(measured: &Measured<'_>, seed: u64, ctx: &Context<'_>) -> Result<Vec<f64>, Error> {
    let Measured { problem, u, c } = measured;
    let nodes = u.rows();
    let sign = |row: usize, out: &mut [f64]| {
        let mut stream = Stream::keyed(seed, 0x10_55, row as u64);
        out.iter_mut().for_each(|out| *out = if stream.unit() < 0.5 { -1.0 } else { 1.0 });
    };
    let signs = Tall::<f64>::from_rows(nodes, PROBES, sign);
    let (mut missed, mut whole) = (vec![0.0; nodes], vec![0.0; nodes]);
    for (k, op) in problem.ops.iter().enumerate().filter(|(k, _)| problem.energies[*k] > 0.0) {
        let weight = problem.weights[k] * problem.weights[k];
        let observed = Tall::<f64>::from_rows(nodes, PROBES, |row, out: &mut [f64]| {
            if op.observes(row) {
                out.copy_from_slice(signs.row(row));
            }
        });
        let mut true_rows = Tall::<f64>::zeros(nodes, PROBES);
        op.expand_into(1.0, &op.project(&observed, ctx.reducer), &mut true_rows, ctx.reducer);
        let model_rows = reproduced(op, u, &c[k], &observed, ctx);
        for node in (0..nodes).filter(|&node| op.observes(node)) {
            let pairs = || true_rows.row(node).iter().zip(model_rows.row(node));
            missed[node] += weight * pairs().map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
            whole[node] += weight * pairs().map(|(x, _)| x * x).sum::<f64>();
        }
        ctx.report(Stage::Certificate, 0, None)?;
    }
    let ratio = |(missed, whole): (f64, f64)| if whole > 0.0 { missed / whole } else { f64::NAN };
    Ok(missed.into_iter().zip(whole).map(ratio).collect())
}

/// `J U diag(c) U^T J z`, where `J` takes the mean over the observed nodes away.
fn reproduced(
    op: &CentredGram<'_>,
    u: &Tall<f64>,
    c: &[f64],
    z: &Tall<f64>,
    ctx: &Context<'_>,
) -> Tall<f64> {
    let products = cross_gram(u, &centred(op, z, ctx), ctx.reducer);
    let scaled = Mat::from_fn(u.cols(), z.cols(), |f, at| c[f] * products[(f, at)]);
    centred(op, &times_small(u, scaled.as_ref()), ctx)
}

fn centred(op: &CentredGram<'_>, z: &Tall<f64>, ctx: &Context<'_>) -> Tall<f64> {
    let mean = op.mean_over_observed(z, ctx.reducer);
    Tall::from_rows(z.rows(), z.cols(), |row, out: &mut [f64]| {
        if op.observes(row) {
            let values = z.row(row).iter().zip(&mean);
            out.iter_mut().zip(values).for_each(|(out, (x, m))| *out = x - m);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Block, LINKS, Matrix, Nodes};
    use crate::model::certify;
    use crate::progress::NoObserver;
    use crate::{CertificateParams, Dimension, FitParams, fit};
    use gage_linalg::SparseMatrix;

    /// Eighty nodes in a ring of two groups, and three nodes that are like nothing else.
    fn graph() -> Graph {
        let mut links = Vec::new();
        for i in 0..80u32 {
            for by in 1..6 {
                let j = (i + 2 * by) % 80;
                links.extend([(i, j, 1.0), (j, i, 1.0)]);
            }
        }
        let mut stream = Stream::new(4);
        for odd in 80..83u32 {
            for _ in 0..4 {
                let other = stream.below(80) as u32;
                links.extend([(odd, other, 1.0), (other, odd, 1.0)]);
            }
        }
        let links = SparseMatrix::from_triplets(83, 83, &links).unwrap();
        Graph::new(Nodes::numbered(83)).with_block(Block::links("links", links, false)).unwrap()
    }

    /// Squared lengths of the rows of `J A A^T J`, written out.
    fn row_energies(graph: &Graph) -> Vec<f64> {
        let n = graph.nodes().len();
        let Matrix::Sparse(links) = &graph.block(LINKS).unwrap().matrix else { unreachable!() };
        let mut dense = Mat::<f64>::zeros(n, n);
        for row in 0..n {
            links.row(row).for_each(|(col, value)| dense[(row, col as usize)] = value);
        }
        let centre = Mat::from_fn(n, n, |i, j| f64::from(u8::from(i == j)) - 1.0 / n as f64);
        let gram = &centre * &dense * dense.transpose() * &centre;
        (0..n).map(|i| (0..n).map(|j| gram[(i, j)] * gram[(i, j)]).sum()).collect()
    }

    /// Of one view: the energies of the rows weigh the losses of the nodes to that of the model.
    #[test]
    fn losses_of_nodes_add_up_to_the_loss_of_the_model() {
        let graph = graph();
        let params = FitParams::preset("paper").unwrap();
        let params = FitParams { dimension: Dimension::Fixed(6), ..params };
        let model = fit(&graph, params.check().unwrap()).unwrap();
        let losses = node_losses(&model, &graph, 1, &NoObserver).unwrap();
        assert!(losses.iter().all(|loss| *loss >= 0.0));
        let params = CertificateParams::default();
        let views = certify(&model, &graph, &params, &NoObserver).unwrap().views;
        let [view] = &views[..] else { panic!("one view: {views:?}") };
        let energies = row_energies(&graph);
        let missed: f64 = losses.iter().zip(&energies).map(|(loss, energy)| loss * energy).sum();
        let found = missed / energies.iter().sum::<f64>();
        assert!((found - view.loss).abs() < 0.1 * view.loss, "{found} for {}", view.loss);
        // What no few columns can say is missed most.
        let least_odd = losses[80..].iter().copied().fold(f64::INFINITY, f64::min);
        assert!(least_odd > found, "{least_odd} for {found}");
        assert_eq!(losses, node_losses(&model, &graph, 1, &NoObserver).unwrap());
    }
}
