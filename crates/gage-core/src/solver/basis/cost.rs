//! The cost of the basis.

use crate::cost::{Cost, ProblemSize};
use crate::params::BasisParams;

/// Bytes, passes and multiply-adds of a basis, at most.
pub(crate) fn basis_cost(size: &ProblemSize, params: &BasisParams) -> Cost {
    let (nodes, views) = (size.nodes, size.view_columns.len());
    let widths = params.planned_widths(views, size.columns, nodes);
    let width = size.basis_width(params);
    // The block, all projections (which are transformed where they are), scratch of one pass.
    let bytes = size.block(nodes, width) + size.projections(width) + size.scratch(width);
    if params.is_direct(nodes) {
        let square = (width * width) as f64 * size.described_rows() as f64;
        return Cost {
            bytes,
            passes: 1,
            pass_columns: width,
            gram_flops: 0.5 * square,
            update_flops: square,
            ..Cost::default()
        };
    }
    // Every block is made by one pass and multiplied by another. Of the block and of all
    // projections there is a Gram matrix, and the next ones are made of them.
    let rows = size.tall_rows() as f64;
    let squares: usize = widths.iter().map(|b| b * b).sum();
    let products: usize = widths.windows(2).map(|b| b[0] * b[1]).sum();
    Cost {
        bytes,
        passes: 2 * widths.len(),
        pass_columns: 2 * widths.iter().sum::<usize>(),
        working_gram_flops: 0.5 * rows * squares as f64,
        working_update_flops: rows * products as f64,
        ..Cost::default()
    }
}
