//! The observed nodes of a view.

use crate::graph::{Block, Mask, Matrix};
use gage_linalg::workers::Partition;
use gage_linalg::{Reducer, Tall, Workspace};

use crate::views::operator::{Diagonal, Operator, Propagation};

/// Observed nodes of a block: its mask without the rows of a dense matrix that are all NaN.
pub(crate) fn block_mask(block: &Block) -> Option<Mask> {
    let Matrix::Dense(dense) = &block.matrix else { return block.observed.clone() };
    let known = |row: usize| {
        dense.cols() == 0 || (0..dense.cols()).any(|col| !dense.get(row, col).is_nan())
    };
    let flags: Vec<bool> = (0..dense.rows())
        .map(|row| block.observed.as_ref().is_none_or(|mask| mask.contains(row)) && known(row))
        .collect();
    let mask = Mask::new(flags);
    (block.observed.is_some() || mask.count() < mask.len()).then_some(mask)
}

/// Row factors with zeros at the unobserved nodes.
pub(crate) fn masked(left: Diagonal, mask: Option<&Mask>) -> Diagonal {
    let Some(mask) = mask else { return left };
    Some(
        (0..mask.len())
            .map(|row| {
                let factor = left.as_ref().map_or(1.0, |left| left[row]);
                if mask.contains(row) { factor } else { 0.0 }
            })
            .collect(),
    )
}

/// Smoothing reads observed rows only: `y_i = sum_j p_ij m_j a_j * (sum_j p_ij) / (sum_j p_ij
/// m_j)`. A node whose own row is unobserved is described by its observed neighbours. A node
/// without any is unobserved.
pub(crate) fn smoothed_observation(
    propagation: &Propagation,
    rows: Option<Mask>,
    links: Option<&Mask>,
    (all_nodes, reducer): (&Partition, &dyn Reducer),
) -> (Diagonal, Option<Mask>) {
    if rows.is_none() && links.is_none() {
        return (None, None);
    }
    let nodes = all_nodes.own().len();
    let operator = Operator {
        workspace: Workspace::default(),
        propagation: Some(propagation.clone()),
        base: None,
        row_scale: None,
        local_rows: nodes,
        cols: all_nodes.clone(),
    };
    let reached = |mask: Option<&Mask>| {
        let start = Tall::<f64>::from_rows(nodes, 1, |row, out| {
            out[0] = f64::from(mask.is_none_or(|mask| mask.contains(row)));
        });
        let mut out = Tall::<f64>::zeros(nodes, 1);
        operator.apply(1.0, (&start).into(), &mut out, reducer);
        out
    };
    let (all, known) = (reached(None), reached(rows.as_ref()));
    let scale: Vec<f64> = (0..nodes)
        .map(|node| {
            let linked = links.is_none_or(|mask| mask.contains(node));
            let (all, known) = (all.row(node)[0], known.row(node)[0]);
            if linked && known > 1e-12 * all { all / known } else { 0.0 }
        })
        .collect();
    // An isolated node without self-loop has a known, empty row.
    let observed = (0..nodes)
        .map(|node| {
            let linked = links.is_none_or(|mask| mask.contains(node));
            let own = rows.as_ref().is_none_or(|mask| mask.contains(node));
            linked && (scale[node] > 0.0 || (all.row(node)[0] == 0.0 && own))
        })
        .collect();
    (Some(scale.into()), Some(Mask::new(observed)))
}
