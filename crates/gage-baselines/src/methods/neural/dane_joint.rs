//! Joint training of deep attributed network embedding: its losses and their gradients.

use gage_linalg::{SparseMatrix, Tall};

use super::dane_layers::{Autoencoder, squared_error};
use super::layers::{combine, times, times_transposed};
use super::scalar::{Scalar, sigmoid, softplus};

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
    pub(super) fn parameters(&mut self) -> Vec<&mut Tall<T>> {
        let mut all = self.structure.parameters();
        all.extend(self.attributes.parameters());
        all
    }

    /// The weighted sum of the losses of a batch, and its gradient in the order of the parameters.
    pub(super) fn loss_and_gradient(&self, batch: &Batch<T>) -> (f64, Vec<Tall<T>>) {
        let nets = [&self.structure, &self.attributes];
        let own = [0, 1].map(|k| nets[k].forward(&batch.own[k]));
        let unlike = [0, 1].map(|k| nets[k].forward(&batch.unlike[k]));
        let codes = Codes { own: [&own[0][1], &own[1][1]], unlike: [&unlike[0][1], &unlike[1][1]] };
        let (mut loss, to_codes) = self.losses_of_codes(&codes, &batch.linked);
        let mut gradients = Vec::new();
        for k in [0, 1] {
            let first = (&own[k], &batch.own[k], &to_codes[k]);
            let second = (&unlike[k], &batch.unlike[k], &to_codes[2 + k]);
            let both = [first, second].map(|(outputs, input, to_code)| {
                let (error, gradient) = self.reconstruction(&outputs[3], input);
                loss += error;
                nets[k].backward(input, outputs, gradient, to_code)
            });
            let pairs = both[0].iter().zip(&both[1]);
            gradients.extend(pairs.map(|(a, b)| combine(a, b, |a, b| a + b)));
        }
        (loss, gradients)
    }

    /// The loss of a reconstruction and its gradient.
    fn reconstruction(&self, output: &Tall<T>, input: &Tall<T>) -> (f64, Tall<T>) {
        let (error, mut gradient) = squared_error(output, input);
        let factor = T::from_f64(self.losses.0);
        gradient.par_update_rows(|_, row| row.iter_mut().for_each(|x| *x = factor * *x));
        (self.losses.0 * error, gradient)
    }

    /// Losses of agreement and of linked nodes, and their gradients by the four codes: of walks and
    /// of attributes, of the batch and then of its least similar nodes.
    fn losses_of_codes(&self, codes: &Codes<'_, T>, linked: &Tall<T>) -> (f64, [Tall<T>; 4]) {
        let (_, of_agreement, of_links) = self.losses;
        let all = [codes.own[0], codes.own[1], codes.unlike[0], codes.unlike[1]];
        let mut loss = 0.0;
        let mut gradients = all.map(|codes| {
            let (part, gradient) = alike_when_linked(codes, linked, of_links);
            loss += part;
            gradient
        });
        // Both codes of a node shall agree, those of a node and its least similar one shall not.
        for (walks, attributes, alike) in [(0, 1, true), (2, 1, false), (0, 3, false)] {
            let (part, of_walks, of_attributes) =
                agree(all[walks], all[attributes], alike, of_agreement);
            loss += part;
            gradients[walks] = combine(&gradients[walks], &of_walks, |a, b| a + b);
            gradients[attributes] = combine(&gradients[attributes], &of_attributes, |a, b| a + b);
        }
        (loss, gradients)
    }
}

/// Codes of a batch and of its least similar nodes, those of walks first.
struct Codes<'a, T> {
    own: [&'a Tall<T>; 2],
    unlike: [&'a Tall<T>; 2],
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

/// Cross entropy between `linked` and `sigmoid(h_i^T h_j)`: the mean over all pairs less the mean
/// over the pairs of a node with itself (as the authors' broadcasting has it), times a factor.
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

/// The links among some nodes; every node counts as linked to itself.
pub(super) fn linked<T: Scalar>(links: &SparseMatrix, rows: &[usize]) -> Tall<T> {
    Tall::from_rows(rows.len(), rows.len(), |at, out: &mut [T]| {
        let own = &links.indices()[links.row_range(rows[at])];
        for (out, other) in out.iter_mut().zip(rows) {
            if *other == rows[at] || own.binary_search(&(*other as u32)).is_ok() {
                *out = T::ONE;
            }
        }
    })
}

/// For every row of walk codes the row of attribute codes with the lowest cosine.
pub(super) fn least_similar<T: Scalar>(walks: &Tall<T>, attributes: &Tall<T>) -> Vec<usize> {
    let length = |row: &[T]| row.iter().map(|x| x.to_f64().powi(2)).sum::<f64>().sqrt();
    let units = Tall::<T>::from_rows(attributes.rows(), attributes.cols(), |row, out| {
        // The length of a walk code changes no order, so it need not be divided by.
        let length = length(attributes.row(row)).max(1e-12);
        out.iter_mut().zip(attributes.row(row)).for_each(|(out, x)| {
            *out = T::from_f64(x.to_f64() / length);
        });
    });
    let mut lowest = Vec::with_capacity(walks.rows());
    // A block of rows at a time: no table of all pairs is kept.
    for top in (0..walks.rows()).step_by(ROWS_AT_A_TIME) {
        let count = ROWS_AT_A_TIME.min(walks.rows() - top);
        let part = Tall::<T>::from_rows(count, walks.cols(), |row, out| {
            out.copy_from_slice(walks.row(top + row));
        });
        let products = times_transposed(&part, &units);
        lowest.extend((0..count).map(|row| {
            let all = products.row(row).iter().enumerate();
            all.min_by(|a, b| a.1.to_f64().total_cmp(&b.1.to_f64())).map_or(0, |(at, _)| at)
        }));
    }
    lowest
}

/// Walk codes that are compared with all attribute codes at once.
const ROWS_AT_A_TIME: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_similar_row_has_the_lowest_cosine() {
        let table = |seed| {
            Tall::<f64>::from_rows(300, 4, |row, out| {
                gage_linalg::random::fill_normal(seed, row as u64, out);
            })
        };
        let (walks, attributes) = (table(1), table(2));
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let cosine = |i: usize, j: usize| {
            let (a, b) = (walks.row(i), attributes.row(j));
            dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
        };
        for (i, &found) in least_similar(&walks, &attributes).iter().enumerate() {
            let lowest = (0..300).map(|j| cosine(i, j)).fold(f64::INFINITY, f64::min);
            assert!((cosine(i, found) - lowest).abs() < 1e-12, "{i}: {found}");
        }
    }

    #[test]
    fn a_node_counts_as_linked_to_itself() {
        let links = SparseMatrix::from_triplets(4, 4, &[(1, 3, 1.0), (3, 1, 1.0)]).unwrap();
        let found: Tall<f64> = linked(&links, &[3, 0, 1]);
        assert_eq!(found.data(), [1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]);
    }
}
