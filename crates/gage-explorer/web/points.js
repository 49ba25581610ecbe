// Frames of positions as the server sends them.

const MOST = 32767;

export class Frame {
  constructor(buffer) {
    const head = new DataView(buffer);
    this.round = head.getUint32(0, true);
    this.rounds = head.getUint32(4, true);
    this.nodes = head.getUint32(8, true);
    this.moving = head.getUint32(12, true) === 1;
    this.centre = [head.getFloat32(16, true), head.getFloat32(20, true)];
    this.half = head.getFloat32(24, true);
    this.ticket = head.getUint32(28, true);
    this.grid = new Int16Array(buffer, 32, 2 * this.nodes);
  }

  x(node) { return this.centre[0] + this.half * this.grid[2 * node] / MOST; }
  y(node) { return this.centre[1] + this.half * this.grid[2 * node + 1] / MOST; }

  // What several frames make, each counted by its weight: the positions of the page itself, as the
  // graphics card mixes them.
  static mixed(frames, weights) {
    const used = frames.map((frame, at) => ({ frame, weight: weights[at] })).filter(({ weight }) => weight > 0);
    if (used.length === 1) return used[0].frame;
    const [{ frame: { nodes } }] = used;
    const centre = [0, 1].map((axis) => used.reduce((sum, { frame, weight }) => sum + weight * frame.centre[axis], 0));
    const half = used.reduce((sum, { frame, weight }) => sum + weight * frame.half, 0);
    const buffer = new ArrayBuffer(32 + 4 * nodes), head = new DataView(buffer), grid = new Int16Array(buffer, 32);
    head.setUint32(8, nodes, true);
    [...centre, half].forEach((value, at) => head.setFloat32(16 + 4 * at, value, true));
    const scales = used.map(({ frame, weight }) => weight * frame.half / half), grids = used.map(({ frame }) => frame.grid);
    for (let at = 0; at < 2 * nodes; at++) {
      let sum = 0;
      for (let own = 0; own < grids.length; own++) sum += scales[own] * grids[own][at];
      grid[at] = Math.round(sum);
    }
    return new Frame(buffer);
  }

  // A box around all but the outermost points of each side.
  bounds() { return (this.box ??= this.findBounds()); }

  findBounds() {
    const side = (axis) => {
      const counts = new Uint32Array(512);
      for (let at = axis; at < this.grid.length; at += 2) counts[(this.grid[at] + 32768) >> 7]++;
      const cut = this.nodes / 400;
      let low = 0, high = 511, sum = 0;
      while (low < 511 && (sum += counts[low]) <= cut) low++;
      sum = 0;
      while (high > 0 && (sum += counts[high]) <= cut) high--;
      const place = (cell) => this.centre[axis] + this.half * ((cell << 7) - 32768) / MOST;
      return [place(low), place(high + 1)];
    };
    return [side(0), side(1)];
  }

  // The node nearest to a point, if nearer than `reach`.
  nearest(x, y, reach, shown) {
    const toGrid = MOST / this.half, r = reach * toGrid;
    const gx = (x - this.centre[0]) * toGrid, gy = (y - this.centre[1]) * toGrid;
    let best = -1, least = r * r;
    for (let node = 0; node < this.nodes; node++) {
      const dx = this.grid[2 * node] - gx, dy = this.grid[2 * node + 1] - gy;
      const square = dx * dx + dy * dy;
      if (square < least && shown(node)) { least = square; best = node; }
    }
    return best;
  }

  // The nodes inside a polygon of points.
  inside(polygon, shown) {
    const [xs, ys] = [0, 1].map((axis) => polygon.map((point) => point[axis]));
    const [left, right] = [Math.min(...xs), Math.max(...xs)];
    const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
    const found = [];
    for (let node = 0; node < this.nodes; node++) {
      const x = this.x(node), y = this.y(node);
      if (x < left || x > right || y < top || y > bottom || !shown(node)) continue;
      let within = false;
      for (let at = 0, last = polygon.length - 1; at < polygon.length; last = at++) {
        const crosses = (ys[at] > y) !== (ys[last] > y);
        if (crosses && x < (xs[last] - xs[at]) * (y - ys[at]) / (ys[last] - ys[at]) + xs[at]) within = !within;
      }
      if (within) found.push(node);
    }
    return found;
  }

  // The middle of the densest place of every class, largest classes first.
  places(classes, names, most = 24) {
    const cells = 24, [[x0, x1], [y0, y1]] = this.bounds();
    const cell = (value, low, high) =>
      Math.max(0, Math.min(cells - 1, Math.floor((value - low) / Math.max(high - low, 1e-9) * cells)));
    const sizes = new Uint32Array(names.length);
    for (let node = 0; node < this.nodes; node++) if (classes[node] < names.length) sizes[classes[node]]++;
    const largest = [...sizes.keys()].filter((name) => sizes[name])
      .sort((a, b) => sizes[b] - sizes[a] || a - b).slice(0, most);
    const rank = new Int16Array(names.length).fill(-1);
    largest.forEach((name, at) => { rank[name] = at; });
    const counts = largest.map(() => new Uint32Array(cells * cells));
    const at = (node) => cell(this.y(node), y0, y1) * cells + cell(this.x(node), x0, x1);
    for (let node = 0; node < this.nodes; node++) {
      const own = classes[node] < names.length ? rank[classes[node]] : -1;
      if (own >= 0) counts[own][at(node)]++;
    }
    const best = counts.map((all) => all.indexOf(all.reduce((a, b) => Math.max(a, b), 0)));
    const sums = largest.map(() => [0, 0, 0]);
    for (let node = 0; node < this.nodes; node++) {
      const own = classes[node] < names.length ? rank[classes[node]] : -1;
      if (own < 0 || at(node) !== best[own]) continue;
      sums[own][0] += this.x(node);
      sums[own][1] += this.y(node);
      sums[own][2]++;
    }
    return largest.map((name, own) => ({ name: names[name], class: name,
      x: sums[own][0] / sums[own][2], y: sums[own][1] / sums[own][2] }));
  }
}
