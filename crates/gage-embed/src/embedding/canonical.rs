//! One form for every model: columns in a fixed order, with fixed length and sign.
//!
//! The loss does not care about the order, the signs or the lengths of the columns of `U`. We sort columns by energy
//! `sum_k w_k^2 c_kf^2`, give them length one, and choose the sign by the first odd moment of the column that is clearly
//! not zero. None of these depends on the order of the nodes, so permuting the nodes permutes the rows and nothing else.

use crate::linalg::{Real, Reducer, Tall, sum_over_rows};
use crate::solver::FullFactors;

/// A moment below this share of its absolute counterpart says nothing about the sign.
const CLEAR: f64 = 1e-6;

/// Brings the factors into canonical form.
pub(crate) fn canonical_form<T: Real>(
    factors: &mut FullFactors<T>,
    weights: &[f64],
    reducer: &dyn Reducer,
) {
    let columns = factors.u.cols();
    let moments = column_moments(&factors.u, reducer);
    let lengths: Vec<f64> = (0..columns).map(|f| moments[f].square.sqrt()).collect();
    for c in &mut factors.c {
        for (c, length) in c.iter_mut().zip(&lengths) {
            *c *= length * length;
        }
    }
    let energy =
        |f: usize| -> f64 { factors.c.iter().zip(weights).map(|(c, w)| (w * c[f]).powi(2)).sum() };
    let mut order: Vec<usize> = (0..columns).collect();
    order.sort_by(|&a, &b| energy(b).total_cmp(&energy(a)).then(a.cmp(&b)));
    let factor: Vec<f64> = (0..columns)
        .map(|f| {
            let dead = lengths[f] == 0.0 || energy(f) == 0.0;
            if dead { 0.0 } else { moments[f].sign() / lengths[f] }
        })
        .collect();
    let rearrange = |tall: &mut Tall<T>| {
        tall.par_update_rows(|_, values| {
            let old = values.to_vec();
            for (value, &f) in values.iter_mut().zip(&order) {
                *value = T::from_f64(old[f].to_f64() * factor[f]);
            }
        });
    };
    rearrange(&mut factors.u);
    factors.projections.iter_mut().for_each(rearrange);
    for c in &mut factors.c {
        let old = c.clone();
        c.iter_mut().zip(&order).for_each(|(c, &f)| *c = old[f]);
    }
}

/// Sums of powers of the entries of one column.
#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    square: f64,
    /// Sums of `u^3`, `u^5`, `u^7` and of their absolute values.
    odd: [(f64, f64); 3],
}

impl Moments {
    fn sign(&self) -> f64 {
        let clear = self.odd.iter().find(|(sum, absolute)| sum.abs() > CLEAR * absolute);
        clear.map_or(1.0, |(sum, _)| sum.signum())
    }
}

fn column_moments<T: Real>(u: &Tall<T>, reducer: &dyn Reducer) -> Vec<Moments> {
    const KINDS: usize = 7;
    let columns = u.cols();
    // Entries are divided by the largest of their column, or high powers would leave the range of numbers.
    let mut largest = sum_over_rows(
        u.rows(),
        columns,
        || vec![0.0f64; columns],
        |range, largest| {
            for row in range {
                for (largest, x) in largest.iter_mut().zip(u.row(row)) {
                    *largest = largest.max(x.to_f64().abs());
                }
            }
        },
        |left, right| left.iter_mut().zip(right).for_each(|(l, r)| *l = l.max(r)),
    );
    // Any common scale will do; the sum over workers is one that all of them know.
    reducer.sum_f64(&mut largest);
    let mut sums = sum_over_rows(
        u.rows(),
        KINDS * columns,
        || vec![0.0; KINDS * columns],
        |range, sums| {
            for row in range {
                for (f, x) in u.row(row).iter().enumerate() {
                    let x = if largest[f] > 0.0 { x.to_f64() / largest[f] } else { 0.0 };
                    let (x2, slot) = (x * x, &mut sums[KINDS * f..KINDS * (f + 1)]);
                    slot[0] += x2;
                    for (pair, power) in
                        [x2 * x, x2 * x2 * x, x2 * x2 * x2 * x].into_iter().enumerate()
                    {
                        slot[1 + 2 * pair] += power;
                        slot[2 + 2 * pair] += power.abs();
                    }
                }
            }
        },
        |left, right| left.iter_mut().zip(right).for_each(|(l, r)| *l += r),
    );
    reducer.sum_f64(&mut sums);
    sums.chunks_exact(KINDS)
        .zip(&largest)
        .map(|(s, scale)| Moments {
            square: s[0] * scale * scale,
            odd: [(s[1], s[2]), (s[3], s[4]), (s[5], s[6])],
        })
        .collect()
}
