//! Positions as bytes.
//!
//! ```text
//! round, rounds (u32) | nodes (u32) | moving (u32) | centre x, centre y, half (f32) | ticket (u32)
//!       | x, y of every node (i16): centre + half * value / 32767
//! ```
//!
//! All little-endian. Half is half the side of the smallest square around the points, so that a
//! position is off by at most `half / 65534`.

use gage_plot::layout::Point;
use rayon::prelude::*;

/// Bytes before the positions.
const HEAD: usize = 32;
/// The largest coordinate.
const MOST: f32 = i16::MAX as f32;

/// When a frame was made.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Moment {
    /// The request it answers.
    pub(super) ticket: u32,
    pub(super) round: usize,
    pub(super) rounds: usize,
    pub(super) moving: bool,
}

/// Positions and when they were taken, as the page reads them.
pub(super) fn encode(points: &[Point], moment: Moment) -> Vec<u8> {
    let ([x, y], half) = square(points);
    let mut bytes = vec![0; HEAD + 4 * points.len()];
    let (head, body) = bytes.split_at_mut(HEAD);
    let Moment { ticket, round, rounds, moving } = moment;
    let words = [round as u32, rounds as u32, points.len() as u32, u32::from(moving)];
    let numbers = [x.to_bits(), y.to_bits(), half.to_bits(), ticket];
    for (out, word) in head.chunks_exact_mut(4).zip(words.into_iter().chain(numbers)) {
        out.copy_from_slice(&word.to_le_bytes());
    }
    let scale = MOST / half;
    body.par_chunks_exact_mut(4).zip(points).with_min_len(4096).for_each(|(out, point)| {
        for (out, (value, centre)) in out.chunks_exact_mut(2).zip([(point[0], x), (point[1], y)]) {
            // Saturates, and maps what is no number to the middle.
            out.copy_from_slice(&(((value - centre) * scale).round() as i16).to_le_bytes());
        }
    });
    bytes
}

/// Centre and half the side of a square around the points.
fn square(points: &[Point]) -> (Point, f32) {
    let bound = |axis: usize| {
        let values = points.iter().map(|point| point[axis]).filter(|value| value.is_finite());
        values.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
    };
    let bounds = [bound(0), bound(1)];
    if bounds.iter().any(|(low, high)| low > high) {
        return ([0.0; 2], 1.0);
    }
    let half = bounds.iter().map(|(low, high)| 0.5 * (high - low)).fold(1e-6, f32::max);
    (bounds.map(|(low, high)| 0.5 * (low + high)), half)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_come_back_within_half_a_step() {
        let points = [[-3.0, 1.0], [5.0, 2.0], [0.25, -7.5], [f32::NAN, 0.0]];
        let moment = Moment { ticket: 9, round: 4, rounds: 7, moving: true };
        let bytes = encode(&points, moment);
        let word = |at: usize| u32::from_le_bytes(bytes[4 * at..4 * at + 4].try_into().unwrap());
        assert_eq!([word(0), word(1), word(2), word(3), word(7)], [4, 7, 4, 1, 9]);
        let [x, y, half] = [4, 5, 6].map(|at| f32::from_bits(word(at)));
        assert_eq!((x, y, half), (1.0, -2.75, 4.75));
        let value = |at: usize| {
            let at = HEAD + 2 * at;
            f32::from(i16::from_le_bytes(bytes[at..at + 2].try_into().unwrap())) / MOST * half
        };
        for (node, point) in points.iter().take(3).enumerate() {
            assert!((value(2 * node) + x - point[0]).abs() <= half / 65534.0 * 1.01);
            assert!((value(2 * node + 1) + y - point[1]).abs() <= half / 65534.0 * 1.01);
        }
        assert_eq!(encode(&[], moment).len(), HEAD);
    }
}
