//! Layouts at a few shares, between which the page mixes.

use gage_embed::Model;
use gage_plot::layout::{Movement, Point, usual_rounds};

use super::frame::{Moment, encode};
use crate::pool::{Pool, anchors_of};

/// Most anchors: what one vertex of the page can mix, beside where it came from.
const MOST: usize = 5;
/// Neighbours a node is held to.
pub(crate) const NEIGHBOURS: usize = 15;
/// Anchors nearer than this are one.
const SAME: f64 = 0.02;

/// The shares at which layouts are made: those of the model first, then the first of the pool's
/// anchors, then the middles of two that are farthest from all. With one view of links and one of
/// attributes that is lambda 1/2, 1, 0, 3/4 and 1/4.
pub(crate) fn layout_anchors(model: &Model, shares: &[f64]) -> Vec<Vec<f64>> {
    filled(anchors_of(model, shares))
}

fn filled(mut anchors: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    anchors.truncate(MOST);
    while anchors.len() < MOST {
        let near = |point: &Vec<f64>| {
            let all = anchors.iter().map(|anchor| distance(anchor, point));
            all.fold(f64::INFINITY, f64::min)
        };
        let pairs = (0..anchors.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        let middles = pairs.map(|(a, b)| middle(&anchors[a], &anchors[b]));
        let mut best: Option<(f64, Vec<f64>)> = None;
        for point in middles {
            let far = near(&point);
            // The first of equally far ones, whatever the last digits say.
            if far > best.as_ref().map_or(SAME, |best| best.0 + 1e-9) {
                best = Some((far, point));
            }
        }
        match best {
            Some((_, point)) => anchors.push(point),
            None => break,
        }
    }
    anchors
}

fn middle(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(x, y)| 0.5 * (x + y)).collect()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
}

/// The layout at an anchor: from the first layout, and held to it, so that every node has a place
/// that is about the same on all. Calls `go_on` before every round; nothing if that says no.
pub(crate) fn anchored_layout(
    pool: &Pool,
    shares: &[f64],
    first: &[Point],
    seed: u64,
    mut go_on: impl FnMut() -> bool,
) -> Option<Vec<Point>> {
    if first.len() < 3 {
        return Some(first.to_vec());
    }
    let usual = usual_rounds(first.len());
    let neighbours = pool.neighbours(shares, NEIGHBOURS);
    let movement = Movement::new(&neighbours, first.to_vec(), usual, seed);
    let mut movement = movement.from_round(usual - usual / 3).tethered(first.to_vec());
    while go_on() {
        if !movement.advance() {
            return Some(movement.points().to_vec());
        }
    }
    None
}

/// A layout that rests, as the page reads it.
pub(crate) fn resting_frame(points: &[Point]) -> Vec<u8> {
    encode(points, Moment::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_views_have_five_anchors_along_lambda() {
        let of = |anchors: &[[f64; 2]]| -> Vec<f64> {
            let all = filled(anchors.iter().map(|anchor| anchor.to_vec()).collect());
            all.into_iter().map(|anchor| anchor[0]).collect()
        };
        assert_eq!(of(&[[0.5, 0.5], [1.0, 0.0], [0.0, 1.0]]), [0.5, 1.0, 0.0, 0.75, 0.25]);
        let uneven = of(&[[0.8, 0.2], [1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]);
        assert_eq!(uneven, [0.8, 1.0, 0.0, 0.5, 0.25]);
        assert_eq!(filled(vec![vec![1.0]]), [[1.0]]);
        assert_eq!(filled(vec![vec![0.25; 4]; 6]).len(), MOST);
    }
}
