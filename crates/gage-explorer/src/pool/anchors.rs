//! The shares at which candidates are looked for.

use gage_embed::{AnyTall, Error, Lambda, Model, Tall};
use gage_linalg::Real;

/// Shares of two anchors that differ by less than this are the same anchor.
const SAME: f64 = 0.02;

/// Most anchors: each costs a search for the neighbours of all nodes.
const MOST: usize = 6;

/// The shares at which neighbours are looked for: those given, the views with links alone, those
/// without, all views evenly, and each view alone, those that count most first; at most six. With
/// one view for links and one for attributes that is lambda 1/2, 1 and 0.
pub fn anchors(shares: &[f64], uses_links: &[bool]) -> Vec<Vec<f64>> {
    let views = shares.len();
    let part = |links: bool| {
        let own = shares.iter().zip(uses_links).map(|(s, l)| if *l == links { *s } else { 0.0 });
        let total: f64 = own.clone().sum();
        (total > 0.0).then(|| own.map(|share| share / total).collect::<Vec<f64>>())
    };
    let alone = |&view: &usize| (0..views).map(|other| f64::from(other == view)).collect();
    let mut order: Vec<usize> = (0..views).collect();
    order.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]).then(a.cmp(&b)));
    let even = vec![1.0 / views as f64; views];
    let wanted = [part(true), part(false), Some(even)].into_iter().flatten();
    let mut anchors: Vec<Vec<f64>> = vec![shares.to_vec()];
    for anchor in wanted.chain(order.iter().map(alone)) {
        let near = |other: &Vec<f64>| other.iter().zip(&anchor).all(|(a, b)| (a - b).abs() < SAME);
        if anchors.len() < MOST && !anchors.iter().any(near) {
            anchors.push(anchor);
        }
    }
    anchors
}

/// The anchors of a model whose views have these shares.
pub(crate) fn anchors_of(model: &Model, shares: &[f64]) -> Vec<Vec<f64>> {
    let uses_links: Vec<bool> = model.views().iter().map(|view| view.uses_links).collect();
    anchors(shares, &uses_links)
}

/// The rows of `E(lambda)` at length one, in single precision. Zero rows stay.
pub(crate) fn unit_rows_at(model: &Model, shares: &[f64]) -> Result<Tall<f32>, Error> {
    let factors = model.column_factors(&Lambda::PerView(shares.to_vec()))?;
    Ok(match model.factors() {
        AnyTall::F32(rows) => scaled(rows, &factors),
        AnyTall::F64(rows) => scaled(rows, &factors),
    })
}

fn scaled<T: Real>(rows: &Tall<T>, factors: &[f64]) -> Tall<f32> {
    Tall::from_rows(rows.rows(), rows.cols(), |row, out: &mut [f32]| {
        let values = || rows.row(row).iter().zip(factors).map(|(x, f)| x.to_f64() * f);
        let square: f64 = values().map(|x| x * x).sum();
        let scale = if square > 0.0 && square.is_finite() { 1.0 / square.sqrt() } else { 0.0 };
        out.iter_mut().zip(values()).for_each(|(out, x)| *out = (x * scale) as f32);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_the_corners_and_the_middle() {
        let two = anchors(&[0.5, 0.5], &[true, false]);
        assert_eq!(two, [vec![0.5, 0.5], vec![1.0, 0.0], vec![0.0, 1.0]]);
        assert_eq!(anchors(&[0.8, 0.2], &[true, false]).len(), 4);
        assert_eq!(anchors(&[1.0], &[true]), [[1.0]]);
        let three = anchors(&[0.2, 0.3, 0.5], &[true, true, false]);
        assert_eq!(three[1], [0.4, 0.6, 0.0]);
        assert_eq!(three.len(), MOST);
        assert_eq!(anchors(&[0.1; 9], &[true; 9]).len(), MOST);
    }
}
