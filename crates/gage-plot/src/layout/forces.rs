//! Attraction along edges, repulsion between random pairs.

use gage_linalg::random::{Stream, mix};
use rayon::prelude::*;

use super::fuzzy::{self, Fuzzy};
use super::neighbours::Neighbours;
use super::point::Point;

/// The closeness of two points is `1 / (1 + TIGHT d^2)`.
const TIGHT: f32 = 1.6;
/// Random points that push a point in one round.
const PUSHES: usize = 16;
/// How much repulsion there is for one unit of attraction.
const REPULSION: f32 = 10.0;
/// Weight of the place that a point is held to, beside its edges, whose weights sum to one.
const TETHER: f32 = 0.1;
/// Longest way a single push moves a point before the step size.
const LONGEST: f32 = 4.0;
/// First step size. The weights of a row sum to one and the pull of an edge is at most `2 TIGHT d`,
/// so a step of `0.5 / TIGHT` takes a point at most to the mean of its neighbours: the rounds
/// cannot swing.
const STEP: f32 = 0.5 / TIGHT;

/// Points on their way to a layout: the attracting graph, where the points are, and how many rounds
/// are left. Every round moves all points, each less far than the round before.
///
/// Objective as in UMAP: `sum_ij w_ij log q_ij + sum_ij log(1 - q_ij)` with `q = 1 / (1 + a d^2)`,
/// its gradient scaled by one over the weight of each node's edges. A round costs `O(n)`.
pub struct Movement {
    graph: Fuzzy,
    points: Vec<Point>,
    moved: Vec<Point>,
    round: usize,
    rounds: usize,
    seed: u64,
    home: Option<Vec<Point>>,
}

impl Movement {
    /// Points that start at `first` and are held to these neighbours.
    ///
    /// # Panics
    ///
    /// If there is not one point per node.
    pub fn new(neighbours: &Neighbours, first: Vec<Point>, rounds: usize, seed: u64) -> Movement {
        let graph = fuzzy::graph(neighbours);
        assert_eq!(graph.starts.len(), first.len() + 1, "one point for every node");
        let moved = first.clone();
        Movement { graph, moved, points: first, round: 0, rounds, seed, home: None }
    }

    /// Leaves out the rounds before this one, for points that are near a layout already.
    pub fn from_round(mut self, round: usize) -> Movement {
        self.round = round.min(self.rounds);
        self
    }

    /// Holds every point to a place of its own, as a neighbour of little weight would: related
    /// layouts that are held to the same places can be mixed.
    ///
    /// # Panics
    ///
    /// If there is not one place per node.
    pub fn tethered(mut self, home: Vec<Point>) -> Movement {
        assert_eq!(home.len(), self.points.len(), "one place for every node");
        self.home = Some(home);
        self
    }

    /// Where the points are now.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Rounds done, and rounds in all.
    pub fn progress(&self) -> (usize, usize) {
        (self.round, self.rounds)
    }

    /// Moves all points once; does nothing at rest. Returns whether there are rounds left.
    pub fn advance(&mut self) -> bool {
        if self.round < self.rounds {
            self.run_round();
            self.round += 1;
        }
        self.round < self.rounds
    }

    /// Runs all rounds that are left.
    pub fn finish(mut self) -> Vec<Point> {
        while self.advance() {}
        self.points
    }

    fn run_round(&mut self) {
        let Movement { graph, points, moved, round, rounds, seed, home } = self;
        let step = STEP * (1.0 - *round as f32 / *rounds as f32);
        let key = mix(*seed ^ mix(0xf07ce + *round as u64));
        moved.par_iter_mut().with_min_len(256).enumerate().for_each(|(node, out)| {
            let here = points[node];
            let edges = attraction(graph, points, node);
            let push = repulsion(points, here, &mut Stream::keyed(key, 0, node as u64));
            let back = home.as_ref().map_or([0.0; 2], |home| pull(here, home[node], TETHER));
            *out = [0, 1].map(|axis| here[axis] + step * (edges[axis] + push[axis] + back[axis]));
        });
        std::mem::swap(points, moved);
    }
}

/// The pull of a node's edges.
fn attraction(graph: &Fuzzy, points: &[Point], node: usize) -> Point {
    let here = points[node];
    let mut force = [0.0; 2];
    for at in graph.starts[node] as usize..graph.starts[node + 1] as usize {
        let by = pull(here, points[graph.rows[at] as usize], graph.weights[at]);
        force[0] += by[0];
        force[1] += by[1];
    }
    force
}

/// The pull of an edge.
fn pull(here: Point, there: Point, weight: f32) -> Point {
    let by = [there[0] - here[0], there[1] - here[1]];
    let pull = 2.0 * TIGHT * weight / (1.0 + TIGHT * square(by));
    [pull * by[0], pull * by[1]]
}

/// The push of random points.
fn repulsion(points: &[Point], here: Point, stream: &mut Stream) -> Point {
    let clip = |x: f32| x.clamp(-LONGEST, LONGEST) * (REPULSION / PUSHES as f32);
    let mut force = [0.0; 2];
    for _ in 0..PUSHES {
        let there = points[stream.below(points.len())];
        let by = [here[0] - there[0], here[1] - there[1]];
        let distance = square(by);
        let push = 2.0 / ((0.001 + distance) * (1.0 + TIGHT * distance));
        force[0] += clip(push * by[0]);
        force[1] += clip(push * by[1]);
    }
    force
}

#[inline]
fn square(by: Point) -> f32 {
    by[0] * by[0] + by[1] * by[1]
}
