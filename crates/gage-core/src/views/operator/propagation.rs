//! Polynomials of a propagation matrix.

use gage_linalg::kernel::RowInit;
use gage_linalg::{Real, Tall};

use super::factor::Factor;

/// `sum_t coefficients[t] P^t` for a square propagation matrix `P`.
#[derive(Clone, Debug)]
pub(crate) struct Propagation {
    pub(crate) step: Factor,
    pub(crate) coefficients: Vec<f64>,
}

impl Propagation {
    /// How much of a row comes from the row itself, of what it is made of.
    pub(crate) fn share_of_own_row(&self) -> f64 {
        let all: f64 = self.coefficients.iter().sum();
        match self.coefficients.first() {
            Some(own) if all > 0.0 => own / all,
            _ => 0.0,
        }
    }

    /// `out = begin + factor * p(P) z` by Horner's rule; `step(factor, x, begin, out)` multiplies
    /// by `P` or `P^T`. Two blocks alternate as input and output. Each step initialises its rows
    /// with the term it adds.
    pub(crate) fn horner<T: Real>(
        &self,
        factor: f64,
        z: &Tall<T>,
        begin: RowInit<'_, T>,
        out: &mut Tall<T>,
        step: impl Fn(f64, &Tall<T>, RowInit<'_, T>, &mut Tall<T>),
    ) {
        // The highest coefficient scales `z` in the first step.
        let (highest, lower) = match self.coefficients.split_last() {
            Some((&highest, lower)) => (highest, lower),
            None => (0.0, &[][..]),
        };
        let plus = |coefficient: f64, z| Some((coefficient, z)).filter(|_| coefficient != 0.0);
        let Some((&last, middle)) = lower.split_first() else {
            let begin = RowInit { multiple: plus(factor * highest, z), ..begin };
            out.par_update_rows(|row, values| begin.fill(row, values));
            return;
        };
        let mut sum: Option<Tall<T>> = None;
        let mut spare: Option<Tall<T>> = None;
        for (at, &coefficient) in middle.iter().rev().enumerate() {
            let mut next =
                spare.take().unwrap_or_else(|| Tall::uninit_in(z.workspace(), z.rows(), z.cols()));
            let begin = RowInit { multiple: plus(coefficient, z), ..RowInit::OVERWRITE };
            let scale = if at == 0 { highest } else { 1.0 };
            step(scale, sum.as_ref().unwrap_or(z), begin, &mut next);
            spare = sum.replace(next);
        }
        let scale = if middle.is_empty() { highest } else { 1.0 };
        let begin = RowInit { multiple: plus(factor * last, z), ..begin };
        step(factor * scale, sum.as_ref().unwrap_or(z), begin, out);
    }
}
