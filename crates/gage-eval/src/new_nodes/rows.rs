//! Lengths, cosines and classes of rows.

use crate::classify::{Logistic, LogisticParams, f1_scores};
use gage_core::graph::Labels;
use gage_core::holdout::EvalError;
use gage_linalg::{AnyTall, Tall};

fn length(row: &[f64]) -> f64 {
    row.iter().map(|value| value * value).sum::<f64>().sqrt()
}

/// Mean length of the rows.
pub(super) fn mean_length(rows: &AnyTall) -> f64 {
    let lengths = (0..rows.rows()).map(|row| length(&rows.row_f64(row)));
    lengths.sum::<f64>() / rows.rows().max(1) as f64
}

/// Mean cosine of the rows of two tables, over those that are not zero.
pub(super) fn mean_cosine(a: &AnyTall, b: &AnyTall) -> f64 {
    let cosine = |row: usize| {
        let (a, b) = (a.row_f64(row), b.row_f64(row));
        let dot: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
        let lengths = length(&a) * length(&b);
        (lengths > 0.0).then(|| dot / lengths)
    };
    let cosines: Vec<f64> = (0..a.rows()).filter_map(cosine).collect();
    cosines.iter().sum::<f64>() / cosines.len().max(1) as f64
}

/// A classifier of rows, and the nodes of the whole graph that it is asked about.
pub(super) struct Classifier<'a> {
    labels: &'a Labels,
    trained: Logistic,
}

impl<'a> Classifier<'a> {
    /// Trains on rows of the given nodes: row `i` of the table is that of `nodes[i]`.
    pub(super) fn train(
        rows: &AnyTall,
        nodes: &[u32],
        labels: &'a Labels,
        params: &LogisticParams,
    ) -> Result<Classifier<'a>, EvalError> {
        let own = labels_of(labels, nodes);
        let labelled: Vec<u32> =
            (0..nodes.len() as u32).filter(|&row| !own.of(row as usize).is_empty()).collect();
        let trained = match rows {
            AnyTall::F32(rows) => Logistic::fit(rows, &own, &labelled, params)?,
            AnyTall::F64(rows) => Logistic::fit(rows, &own, &labelled, params)?,
        };
        Ok(Classifier { labels, trained })
    }

    /// Micro F1 on the labelled ones of the given nodes; the number of labels of each is given.
    pub(super) fn micro_f1(&self, rows: &AnyTall, nodes: &[u32]) -> Result<f64, EvalError> {
        let own = labels_of(self.labels, nodes);
        let asked: Vec<u32> =
            (0..nodes.len() as u32).filter(|&row| !own.of(row as usize).is_empty()).collect();
        let truth: Vec<&[u32]> = asked.iter().map(|&row| own.of(row as usize)).collect();
        let counts: Vec<usize> = truth.iter().map(|classes| classes.len()).collect();
        let predicted = match rows {
            AnyTall::F32(rows) => self.trained.predict_top(rows, &asked, &counts)?,
            AnyTall::F64(rows) => self.trained.predict_top(rows, &asked, &counts)?,
        };
        Ok(f1_scores(&truth, &predicted, self.labels.class_names().len())?.micro)
    }
}

/// The labels of some nodes, in their order.
fn labels_of(labels: &Labels, nodes: &[u32]) -> Labels {
    let lists = nodes.iter().map(|&node| labels.of(node as usize).to_vec());
    Labels::from_lists(labels.class_names().to_vec(), lists)
}

/// Some rows of a table, in the order given.
pub(super) fn rows_of(table: &AnyTall, nodes: &[u32]) -> AnyTall {
    let row = |at: usize, out: &mut [f64]| out.copy_from_slice(&table.row_f64(nodes[at] as usize));
    AnyTall::F64(Tall::from_rows(nodes.len(), table.cols(), row))
}
