//! Attraction along edges, repulsion between random pairs.

use gage_linalg::random::mix;
use rayon::prelude::*;

use super::fuzzy::Fuzzy;
use super::point::Point;
use gage_linalg::random::Stream;

/// The closeness of two points is `1 / (1 + TIGHT d^2)`.
const TIGHT: f32 = 1.6;
/// Random points that push a point in one round.
const PUSHES: usize = 16;
/// How much repulsion there is for one unit of attraction.
const REPULSION: f32 = 2.5;
/// Longest way a single push moves a point before the step size.
const LONGEST: f32 = 4.0;
/// Pull towards the middle, so that groups with few edges to the others do not drift away from
/// them.
const GRAVITY: f32 = 0.012;
/// First step size. The weights of a row sum to one and the pull of an edge is at most `2 TIGHT d`,
/// so a step of `0.5 / TIGHT` takes a point at most to the mean of its neighbours: the rounds
/// cannot swing.
const STEP: f32 = 0.5 / TIGHT;

/// Moves the points for so many rounds, ever more slowly.
///
/// Objective as in UMAP: `sum_ij w_ij log q_ij + sum_ij log(1 - q_ij)` with `q = 1 / (1 + a d^2)`,
/// its gradient scaled by one over the weight of each node's edges.
pub(super) fn optimise(
    graph: &Fuzzy,
    mut points: Vec<Point>,
    rounds: usize,
    seed: u64,
) -> Vec<Point> {
    let nodes = points.len();
    let mut moved = points.clone();
    for round in 0..rounds {
        let left = 1.0 - round as f32 / rounds as f32;
        let step = STEP * left;
        let key = mix(seed ^ mix(0xf07ce + round as u64));
        moved.par_iter_mut().with_min_len(256).enumerate().for_each(|(node, out)| {
            let here = points[node];
            let span = graph.starts[node] as usize..graph.starts[node + 1] as usize;
            let mut force = here.map(|x| -GRAVITY * x);
            for at in span {
                let there = points[graph.rows[at] as usize];
                let by = [there[0] - here[0], there[1] - here[1]];
                let pull = 2.0 * TIGHT * graph.weights[at] / (1.0 + TIGHT * square(by));
                force[0] += pull * by[0];
                force[1] += pull * by[1];
            }
            let mut stream = Stream::keyed(key, 0, node as u64);
            for _ in 0..PUSHES {
                let other = stream.below(nodes);
                let there = points[other];
                let by = [here[0] - there[0], here[1] - there[1]];
                let distance = square(by);
                let push = 2.0 / ((0.001 + distance) * (1.0 + TIGHT * distance));
                let clip = |x: f32| x.clamp(-LONGEST, LONGEST) * (REPULSION / PUSHES as f32);
                force[0] += clip(push * by[0]);
                force[1] += clip(push * by[1]);
            }
            *out = [here[0] + step * force[0], here[1] + step * force[1]];
        });
        std::mem::swap(&mut points, &mut moved);
    }
    points
}

#[inline]
fn square(by: Point) -> f32 {
    by[0] * by[0] + by[1] * by[1]
}
