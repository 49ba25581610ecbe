//! Pairs of near nodes, with one number per view.

use gage_embed::{AnyTall, Model, Tall};
use gage_linalg::Real;
use gage_linalg::kernel::TopK;
use gage_plot::layout::Neighbours;
use rayon::prelude::*;

/// Near nodes of every node, and what each view says of the pair.
///
/// A number per view and pair is its inner product `g_k(i, j) = sum_f c_kf u_if u_jf`. With those
/// of the nodes with themselves, the cosine at any shares is
/// `sum_k s_k g_k(i, j) / sqrt(sum_k s_k g_k(i, i) sum_k s_k g_k(j, j))`.
///
/// Memory: `4 (K + 1)` bytes per candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct Pool {
    pub(crate) views: usize,
    /// Where the candidates of each node begin; one more at the end.
    pub(crate) starts: Vec<u64>,
    pub(crate) rows: Vec<u32>,
    /// `views` numbers per candidate.
    pub(crate) products: Vec<f32>,
    /// `views` numbers per node.
    pub(crate) own: Vec<f32>,
}

impl Pool {
    /// The union of lists of neighbours of the nodes of a model. Cost: one inner product per view
    /// and candidate.
    pub fn new(model: &Model, lists: &[Neighbours]) -> Pool {
        match model.factors() {
            AnyTall::F32(rows) => Pool::of_rows(rows, &coefficients(model), lists),
            AnyTall::F64(rows) => Pool::of_rows(rows, &coefficients(model), lists),
        }
    }

    /// Neighbours of rows of length one, whose only view is their cosine.
    pub(crate) fn of_unit_rows(found: &Neighbours) -> Pool {
        let nodes = found.rows.len() / found.k.max(1);
        let cosine = |square: &f32| 1.0 - 0.5 * square;
        Pool {
            views: 1,
            starts: (0..=nodes).map(|node| (node * found.k) as u64).collect(),
            rows: found.rows.clone(),
            products: found.squares.iter().map(cosine).collect(),
            own: vec![1.0; nodes],
        }
    }

    fn of_rows<T: Real>(rows: &Tall<T>, views: &[Vec<f64>], lists: &[Neighbours]) -> Pool {
        let nodes = rows.rows();
        let union: Vec<Vec<u32>> = (0..nodes)
            .into_par_iter()
            .with_min_len(256)
            .map(|node| {
                let of = |list: &Neighbours| list.rows[node * list.k..(node + 1) * list.k].to_vec();
                let mut all: Vec<u32> = lists.iter().flat_map(of).collect();
                all.sort_unstable();
                all.dedup();
                all
            })
            .collect();
        let product = |a: usize, b: usize, view: &[f64]| -> f32 {
            let terms = rows.row(a).iter().zip(rows.row(b)).zip(view);
            terms.map(|((x, y), c)| c * x.to_f64() * y.to_f64()).sum::<f64>() as f32
        };
        let pairs = |(node, others): (usize, &Vec<u32>)| -> Vec<f32> {
            let of = |&other: &u32| views.iter().map(move |v| product(node, other as usize, v));
            others.iter().flat_map(of).collect()
        };
        let products = union.par_iter().enumerate().with_min_len(64).flat_map_iter(pairs).collect();
        let own = (0..nodes).flat_map(|node| views.iter().map(move |v| product(node, node, v)));
        let mut starts = vec![0];
        let mut end = 0;
        starts.extend(union.iter().map(|list| {
            end += list.len() as u64;
            end
        }));
        let own = own.collect();
        Pool { views: views.len(), starts, rows: union.concat(), products, own }
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.starts.len() - 1
    }

    /// Candidates of a node.
    pub fn candidates(&self, node: usize) -> &[u32] {
        &self.rows[self.span(node)]
    }

    /// Bytes it takes.
    pub fn bytes(&self) -> usize {
        8 * self.starts.len() + 4 * (self.rows.len() + self.products.len() + self.own.len())
    }

    fn span(&self, node: usize) -> std::ops::Range<usize> {
        self.starts[node] as usize..self.starts[node + 1] as usize
    }

    /// Squared length of a row at these shares.
    fn square(&self, node: usize, shares: &[f64]) -> f64 {
        let own = &self.own[node * self.views..(node + 1) * self.views];
        own.iter().zip(shares).map(|(g, s)| f64::from(*g) * s).sum()
    }

    /// The `k` nearest candidates of a node at these shares, nearest first, with their cosines;
    /// equally near ones in the order of the nodes. None for a row without a direction.
    pub fn nearest(&self, node: usize, shares: &[f64], k: usize) -> Vec<(u32, f64)> {
        let own = self.square(node, shares);
        if own <= 0.0 {
            return Vec::new();
        }
        let mut best = TopK::new(k);
        let span = self.span(node);
        let products = self.products[span.start * self.views..].chunks_exact(self.views);
        for (&other, parts) in self.rows[span].iter().zip(products) {
            let square = self.square(other as usize, shares);
            if square > 0.0 {
                let sum: f64 = parts.iter().zip(shares).map(|(g, s)| f64::from(*g) * s).sum();
                best.offer(-sum / (own * square).sqrt(), other);
            }
        }
        best.into_sorted().into_iter().map(|(key, other)| (other, -key)).collect()
    }

    /// What each view contributes to the cosine of a node and one of its candidates.
    pub fn parts(&self, node: usize, other: u32, shares: &[f64]) -> Vec<f64> {
        let span = self.span(node);
        let Some(at) = self.rows[span.clone()].iter().position(|&row| row == other) else {
            return Vec::new();
        };
        let length = (self.square(node, shares) * self.square(other as usize, shares)).sqrt();
        let at = (span.start + at) * self.views;
        let products = self.products[at..at + self.views].iter().zip(shares);
        products.map(|(g, s)| f64::from(*g) * s / length.max(f64::MIN_POSITIVE)).collect()
    }

    /// The `k` nearest candidates of every node as a layout takes them. Nodes with fewer are filled
    /// up with candidates that no view says anything about, at the distance of strangers.
    pub fn neighbours(&self, shares: &[f64], k: usize) -> Neighbours {
        let least = (0..self.nodes()).map(|node| self.span(node).len()).min().unwrap_or(0);
        let k = k.min(least);
        let list = |node: usize| {
            let mut list = self.nearest(node, shares, k);
            if list.len() < k {
                let known: Vec<u32> = list.iter().map(|entry| entry.0).collect();
                let rest = self.candidates(node).iter().filter(|row| !known.contains(row));
                list.extend(rest.take(k - known.len()).map(|&row| (row, 0.5)));
                list.sort_by(|a, b| b.1.total_cmp(&a.1));
            }
            // Rows of length one: the cosine tells the squared distance.
            list.into_iter().map(|(row, cosine)| (row, (2.0 - 2.0 * cosine).max(0.0) as f32))
        };
        let all = (0..self.nodes()).into_par_iter().with_min_len(256).flat_map_iter(list);
        let (rows, squares) = all.unzip();
        Neighbours { k, rows, squares }
    }
}

fn coefficients(model: &Model) -> Vec<Vec<f64>> {
    model.views().iter().map(|view| view.coefficients.clone()).collect()
}
