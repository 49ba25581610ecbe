//! Text-associated DeepWalk.

use faer::Mat;
use gage_embed::{Graph, SparseMatrix, Tall};
use gage_linalg::LocalReducer;
use gage_linalg::kernel::{add_scaled, cross_gram, gram, times_small};
use gage_linalg::random::fill_normal;
use gage_linalg::small::PsdSolver;

use crate::algebra::{Stored, concat_columns, times, times_columns, truncated_svd};
use crate::input::{Links, Table, map_sparse};
use crate::memory::{self, Sizes};
use crate::method::Method;
use crate::task::Task;
use crate::{Error, input};

/// Network representation learning with rich text information (Yang, Liu, Zhao, Sun and Chang,
/// IJCAI 2015), in the form of its original code.
///
/// `M = (P + P^2) / 2`, where `P` has every row of the links divided by its number of entries
/// (directed links as `A + A^T`). `T = U S` is the truncated SVD of the text, of rank `text_rank`.
/// With `T'` the columns of `T` at length 1, `|M - W^T H T'^T|^2 + (ridge / 2) (|W|^2 + |H|^2)` is
/// lowered by `sweeps` rounds of exact least squares in `W` and in `H`, from a random normal `H`.
/// The embedding is `[W^T, T H^T]`, half of the columns each, every column at length 1.
///
/// **Our choice** is the weighting of the text: [`TadwText::UnitRows`] scores higher than that of
/// the original code ([`TadwText::Original`]) on every data set tried, WebKB, Cora and Wiki, so the
/// baseline gets it.
///
/// The columns of `T'` are orthonormal, so all rounds work on `M T'`, which is computed once by
/// products with `P`; nothing `n x n` is formed. A node without links has an empty row in `M`; its
/// vector comes from its text. Of an odd number of columns `W` gets the one more. Cost: one
/// truncated SVD, two products with the links, `O(n text_rank dimension)` a round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tadw {
    /// How the text is weighted.
    pub text: TadwText,
    /// Rank of the text.
    pub text_rank: usize,
    /// Strength of the penalty, above 0.
    pub ridge: f64,
    /// Rounds of alternating least squares.
    pub sweeps: usize,
}

/// How [`Tadw`] weights the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TadwText {
    /// Rows of length 1.
    #[default]
    UnitRows,
    /// As the original code does: binary attributes times `ln(n / df)`, others as they are.
    Original,
}

impl TadwText {
    fn weighted(self, table: &Table) -> Result<Table, Error> {
        let mut binary = true;
        (0..table.rows()).for_each(|row| table.each(row, |_, value| binary &= value == 1.0));
        match self {
            TadwText::UnitRows => table.unit_rows(),
            TadwText::Original if !binary => Ok(table.clone()),
            TadwText::Original => {
                let (frequency, nodes) = (table.document_frequencies(), table.rows() as f64);
                table.mapped(|_, col, value| value * (nodes / frequency[col]).ln())
            }
        }
    }
}

impl Tadw {
    /// With the text weighted as in the original code.
    pub fn original() -> Tadw {
        Tadw { text: TadwText::Original, ..Tadw::default() }
    }
}

impl Default for Tadw {
    fn default() -> Self {
        Tadw { text: TadwText::UnitRows, text_rank: 200, ridge: 0.2, sweeps: 10 }
    }
}

impl Method for Tadw {
    fn name(&self) -> &'static str {
        "tadw"
    }

    fn describe(&self) -> &'static str {
        "random-walk matrix of order 2 factorised through the text"
    }

    fn memory_bytes(&self, graph: &Graph, dimension: usize) -> u64 {
        let sizes = Sizes::of(graph);
        let svd = sizes.svd(sizes.attributes, self.text_rank);
        let blocks = sizes.blocks(3 * self.text_rank + 3 * dimension);
        memory::sum(&[sizes.links, sizes.table, svd, blocks])
    }

    fn run(&self, task: &Task<'_>) -> Result<Tall<f64>, Error> {
        if !(self.ridge > 0.0 && self.ridge.is_finite()) {
            let bound = "a finite number above 0";
            return Err(Error::Parameter { name: "ridge", value: self.ridge.to_string(), bound });
        }
        let (links, table) = (input::links(task)?, input::attributes(task)?);
        task.plan(self.sweeps);
        let text = truncated_svd(
            &Stored::from(self.text.weighted(&table)?),
            self.text_rank,
            task.seed,
            task,
        )?;
        let target = two_steps(&transition(&links)?, &text.left);
        let half = task.dimension.div_ceil(2);
        let (nodes_part, text_part) = self.factors(&target, half, task)?;
        let through_text = times_small(&text.scaled_left(), text_part.transpose());
        Ok(concat_columns(&[&unit_columns(&nodes_part), &unit_columns(&through_text)]))
    }
}

impl Tadw {
    /// Key of the random start of `H` in [`gage_linalg::random::fill_normal`], row after row.
    pub const START: u64 = 0x7ad3;

    /// `W^T` and `H` from `M T'`.
    fn factors(
        &self,
        target: &Tall<f64>,
        rank: usize,
        task: &Task<'_>,
    ) -> Result<(Tall<f64>, Mat<f64>), Error> {
        let width = target.cols();
        let mut start = vec![0.0; rank * width];
        fill_normal(task.seed, Tadw::START, &mut start);
        let mut text = Mat::from_fn(rank, width, |i, j| start[i * width + j]);
        let mut nodes = Tall::zeros(target.rows(), rank);
        for _ in 0..self.sweeps.max(1) {
            // W^T = M T' H^T (H H^T + ridge / 2)^-1
            let solver = self.solver(&text * text.transpose());
            nodes = times_small(target, solver.solve(text.as_ref()).transpose());
            // H = (W W^T + ridge / 2)^-1 W M T'
            let solver = self.solver(gram(&nodes, &LocalReducer));
            text = solver.solve(cross_gram(&nodes, target, &LocalReducer).as_ref());
            task.step()?;
        }
        Ok((nodes, text))
    }

    fn solver(&self, mut square: Mat<f64>) -> PsdSolver {
        (0..square.ncols()).for_each(|f| square[(f, f)] += self.ridge / 2.0);
        PsdSolver::new(square.as_ref())
    }
}

/// Every row of the undirected links divided by its number of entries.
fn transition(links: &Links) -> Result<SparseMatrix, Error> {
    let links = links.undirected()?;
    map_sparse(&links, |row, _, value| value / links.row_range(row).len() as f64)
}

/// `(P x + P P x) / 2`.
fn two_steps(transition: &SparseMatrix, x: &Tall<f64>) -> Tall<f64> {
    let mut once = times(transition, x);
    let twice = times(transition, &once);
    add_scaled(&mut once, 1.0, &twice);
    times_columns(&once, &vec![0.5; once.cols()])
}

/// Every column divided by its length; columns of zeros stay.
fn unit_columns(table: &Tall<f64>) -> Tall<f64> {
    let squares = gram(table, &LocalReducer);
    let inverse = |f: usize| if squares[(f, f)] > 0.0 { 1.0 / squares[(f, f)].sqrt() } else { 0.0 };
    times_columns(table, &(0..table.cols()).map(inverse).collect::<Vec<f64>>())
}
