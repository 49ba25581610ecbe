// Between layouts at a few shares, the anchors: how much each counts at other shares.

const dot = (a, b) => a.reduce((sum, value, at) => sum + value * b[at], 0);
const minus = (a, b) => a.map((value, at) => value - b[at]);

// What a miss of the shares costs, against taking far anchors.
const MISS = 1e3;
const SWEEPS = 300;

// Weights that are not negative and sum to one, mix the anchors to the shares as nearly as that is
// possible, and prefer near anchors:
//   least  MISS |sum_j w_j a_j - s|^2 + sum_j w_j |a_j - s|^2.
// On a line of anchors these are the two on either side. Found by moving weight between pairs.
export const weightsOf = (shares, anchors) => {
  const apart = anchors.map((anchor) => minus(anchor, shares));
  const far = apart.map((by) => dot(by, by));
  const weights = anchors.map((_, at) => (far[at] === Math.min(...far) ? 1 : 0));
  const sum = weights.reduce((a, b) => a + b, 0);
  weights.forEach((weight, at) => { weights[at] = weight / sum; });
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    let moved = 0;
    for (let i = 0; i < anchors.length; i++) for (let j = 0; j < i; j++) {
      const by = minus(anchors[i], anchors[j]), curve = 2 * MISS * dot(by, by);
      if (!(curve > 0)) continue;
      const miss = shares.map((_, view) => dot(weights, apart.map((own) => own[view])));
      const slope = 2 * MISS * dot(miss, by) + far[i] - far[j];
      const step = Math.max(-weights[i], Math.min(weights[j], -slope / curve));
      weights[i] += step;
      weights[j] -= step;
      moved = Math.max(moved, Math.abs(step));
    }
    if (moved < 1e-7) break;
  }
  return weights;
};
