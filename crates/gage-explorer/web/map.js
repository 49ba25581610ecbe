// The map: points with WebGL2, or with Canvas2D where there is none; lines and names on a second
// canvas above. Positions move from one frame to the next on the graphics card.

import { calm, css } from "./dom.js";
import { Frame } from "./points.js";

// Sets of positions that can be mixed: two of a moving map, or five anchors and where it was before.
export const SLOTS = 6;
const slots = Array.from({ length: SLOTS }, (_, at) => at);

const VERTEX = `#version 300 es
in vec2 ${slots.map((at) => `p${at}`).join(", ")};
in vec4 colour;
uniform vec3 square[${SLOTS}];
uniform float weight[${SLOTS}];
uniform float size;
uniform vec2 centre, scale;
out vec4 shade;
void main() {
  vec2 place = vec2(0.0);
  ${slots.map((at) => `place += weight[${at}] * (p${at} * square[${at}].z + square[${at}].xy);`).join("\n  ")}
  gl_Position = colour.a > 0.0 ? vec4((place - centre) * scale, 0.0, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
  gl_PointSize = size;
  shade = colour;
}`;
const FRAGMENT = `#version 300 es
precision highp float;
in vec4 shade;
uniform float size, opacity;
out vec4 result;
void main() {
  float far = length(gl_PointCoord - 0.5) * size;
  float edge = clamp(0.5 * size - far, 0.0, 1.0);
  result = vec4(shade.rgb, shade.a * opacity * edge);
}`;

class Gl {
  constructor(canvas) {
    const gl = canvas.getContext("webgl2", { alpha: false, antialias: false, powerPreference: "low-power" });
    if (!gl) throw new Error("no WebGL2");
    const shader = (kind, source) => {
      const made = gl.createShader(kind);
      gl.shaderSource(made, source);
      gl.compileShader(made);
      return made;
    };
    const program = gl.createProgram();
    gl.attachShader(program, shader(gl.VERTEX_SHADER, VERTEX));
    gl.attachShader(program, shader(gl.FRAGMENT_SHADER, FRAGMENT));
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    gl.useProgram(program);
    this.gl = gl;
    this.canvas = canvas;
    this.place = new Proxy({}, { get: (_, name) => gl.getUniformLocation(program, name) });
    this.slots = slots.map((at) => this.attribute(program, `p${at}`, 2, gl.SHORT));
    this.colour = this.attribute(program, "colour", 4, gl.UNSIGNED_BYTE);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  }

  get kind() { return "webgl2"; }

  attribute(program, name, parts, kind) {
    const { gl } = this, at = gl.getAttribLocation(program, name), buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.vertexAttribPointer(at, parts, kind, true, 0, 0);
    return { at, buffer, held: null };
  }

  // What is there already is not sent again.
  load(slot, values) {
    const { gl } = this;
    if (slot.held === values) return;
    gl.bindBuffer(gl.ARRAY_BUFFER, slot.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.DYNAMIC_DRAW);
    gl.enableVertexAttribArray(slot.at);
    slot.held = values;
  }

  setFrames(frames) {
    this.slots.forEach((slot, at) => {
      if (frames[at]) this.load(slot, frames[at].grid);
      else { this.gl.disableVertexAttribArray(slot.at); slot.held = null; }
    });
  }

  setColour(values) { this.load(this.colour, values); }

  draw({ frames, weights, view, ground, size, opacity }) {
    const { gl, canvas, place } = this;
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(ground[0] / 255, ground[1] / 255, ground[2] / 255, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform3fv(place.square, slots.flatMap((at) => (frames[at] ? [...frames[at].centre, frames[at].half] : [0, 0, 0])));
    gl.uniform1fv(place.weight, slots.map((at) => weights[at] ?? 0));
    gl.uniform2f(place.centre, view.x, view.y);
    gl.uniform2f(place.scale, 2 * view.scale / canvas.width, -2 * view.scale / canvas.height);
    gl.uniform1f(place.size, size);
    gl.uniform1f(place.opacity, opacity);
    gl.drawArrays(gl.POINTS, 0, frames[0].nodes);
  }
}

class Flat {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false });
  }

  get kind() { return "canvas2d"; }

  setFrames() {}

  setColour(values) { this.colour = values; }

  draw({ frames, weights, view, ground, size, opacity }) {
    const { canvas, context, colour } = this;
    context.globalAlpha = 1;
    context.fillStyle = `rgb(${ground})`;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.globalAlpha = opacity;
    const frame = Frame.mixed(frames, weights);
    let last = -1;
    for (let node = 0; node < frame.nodes; node++) {
      const at = 4 * node;
      if (!colour[at + 3]) continue;
      const x = (frame.x(node) - view.x) * view.scale + canvas.width / 2;
      const y = (frame.y(node) - view.y) * view.scale + canvas.height / 2;
      if (x < -size || y < -size || x > canvas.width + size || y > canvas.height + size) continue;
      const key = (colour[at] << 16) | (colour[at + 1] << 8) | colour[at + 2];
      if (key !== last) { context.fillStyle = `rgb(${colour[at]},${colour[at + 1]},${colour[at + 2]})`; last = key; }
      context.fillRect(x - size / 2, y - size / 2, size, size);
    }
  }
}

const STEP = 110;

export class MapView {
  constructor(canvas, overlay) {
    this.overlay = overlay;
    this.canvas = canvas;
    // `?canvas` in the address leaves WebGL out, to see the other renderer.
    try {
      if (location.search === "?canvas") throw new Error("not wanted");
      this.renderer = new Gl(canvas);
    } catch (error) {
      if (location.search !== "?canvas") console.warn(`no WebGL2: ${error.message}`);
      // A canvas that was given to one kind of drawing has no other.
      this.canvas = canvas.cloneNode();
      canvas.replaceWith(this.canvas);
      this.renderer = new Flat(this.canvas);
    }
    document.documentElement.dataset.renderer = this.renderer.kind;
    this.canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    this.canvas.addEventListener("webglcontextrestored", () => {
      this.renderer = new Gl(this.canvas);
      this.renderer.setFrames(this.frames);
      if (this.colour) this.renderer.setColour(this.colour);
      this.redraw();
    });
    this.context = overlay.getContext("2d");
    this.view = { x: 0, y: 0, scale: 1 };
    this.fitted = true;
    this.frames = [];
    this.from = [];
    this.to = [];
    this.moved = 1;
    this.chosen = -1;
    this.near = [];
    this.hover = -1;
    this.lasso = null;
    this.places = [];
    this.selected = null;
    this.drawn = 0;
    new ResizeObserver(() => this.resize()).observe(overlay);
  }

  // A new frame; the points glide there from where they are.
  setFrame(frame) {
    const last = this.frame ?? frame;
    this.anchors = null;
    // What is drawn already keeps its place, so that it is not sent again.
    const [first] = this.frames;
    this.glide(first === last ? [last, frame] : [frame, last], first === last ? [1, 0] : [0, 1], first === last ? [0, 1] : [1, 0]);
  }

  // Frames at the anchors, and how much each counts; the points glide there.
  setMix(anchors, weights) {
    if (this.anchors === anchors) {
      this.glide(this.frames, this.weights(), [...weights, 0]);
    } else {
      this.anchors = anchors;
      this.glide([...anchors, this.frame ?? anchors[0]], [...anchors.map(() => 0), 1], [...weights, 0]);
    }
  }

  glide(frames, from, to) {
    if (frames !== this.frames) this.renderer.setFrames(frames);
    [this.frames, this.from, this.to, this.goal] = [frames, from, to, null];
    this.moved = calm.matches ? 1 : 0;
    this.began = performance.now();
    if (this.fitted) this.fit();
    this.redraw();
  }

  // The frame that the map moves to, or shows.
  get frame() {
    if (!this.frames.length) return null;
    return (this.goal ??= Frame.mixed(this.frames, this.to));
  }

  weights() { return this.to.map((to, at) => this.from[at] + this.moved * (to - this.from[at])); }

  setColour(bytes) {
    this.base = bytes;
    this.emphasise();
  }

  // Nodes that are not selected fade.
  emphasise() {
    if (!this.base) return;
    this.colour = this.base.slice();
    if (this.selected) {
      for (let node = 0; node < this.colour.length / 4; node++) {
        if (!this.selected.has(node)) this.colour[4 * node + 3] = Math.min(this.colour[4 * node + 3], 38);
      }
    }
    this.renderer.setColour(this.colour);
    this.redraw();
  }

  setSelected(nodes) {
    this.selected = nodes.length ? new Set(nodes) : null;
    this.emphasise();
  }

  shown = (node) => !this.base || this.base[4 * node + 3] > 0;

  // Between the document, in CSS pixels, and the layout.
  toScreen(x, y) {
    return [(x - this.view.x) * this.view.scale + this.width / 2, (y - this.view.y) * this.view.scale + this.height / 2];
  }
  toMap(x, y) {
    return [(x - this.width / 2) / this.view.scale + this.view.x, (y - this.height / 2) / this.view.scale + this.view.y];
  }

  // Where a node is at this moment of its way.
  place(node) {
    let [x, y] = [0, 0];
    this.weights().forEach((weight, at) => {
      if (weight) { x += weight * this.frames[at].x(node); y += weight * this.frames[at].y(node); }
    });
    return this.toScreen(x, y);
  }

  fit() {
    const [[x0, x1], [y0, y1]] = this.frame.bounds();
    const wide = Math.max(x1 - x0, 1e-6), high = Math.max(y1 - y0, 1e-6);
    this.view = { x: (x0 + x1) / 2, y: (y0 + y1) / 2, scale: 0.92 * Math.min(this.width / wide, this.height / high) };
    this.fitted = true;
    this.redraw();
  }

  zoom(by, x = this.width / 2, y = this.height / 2) {
    const [mx, my] = this.toMap(x, y);
    this.view.scale *= by;
    const [nx, ny] = this.toMap(x, y);
    this.view.x += mx - nx;
    this.view.y += my - ny;
    this.touched();
  }

  pan(dx, dy) {
    this.view.x -= dx / this.view.scale;
    this.view.y -= dy / this.view.scale;
    this.touched();
  }

  // Brings a node to the middle, and nearer if the whole map is shown.
  goTo(node) {
    this.view.x = this.frame.x(node);
    this.view.y = this.frame.y(node);
    if (this.fitted) this.view.scale *= 3;
    this.touched();
  }

  touched() {
    this.fitted = false;
    this.onView?.();
    this.redraw();
  }

  resize() {
    const box = this.overlay.getBoundingClientRect();
    [this.width, this.height] = [Math.max(1, box.width), Math.max(1, box.height)];
    this.ratio = Math.min(window.devicePixelRatio || 1, 2);
    for (const canvas of [this.canvas, this.overlay]) {
      canvas.width = Math.round(this.width * this.ratio);
      canvas.height = Math.round(this.height * this.ratio);
    }
    if (this.frame && this.fitted) this.fit();
    // At once: a canvas of a new size is empty until drawn.
    this.draw(performance.now());
  }

  redraw() {
    if (this.queued) return;
    this.queued = true;
    requestAnimationFrame((now) => { this.queued = false; this.draw(now); });
  }

  draw(now) {
    if (!this.frames.length || !this.colour || !this.width) return;
    if (this.moved < 1) this.moved = Math.min(1, (now - this.began) / STEP);
    const [{ nodes }] = this.frames, { ratio, view } = this;
    const crowd = Math.sqrt(this.width * this.height / Math.max(nodes, 1));
    const size = Math.max(1.6, Math.min(9, 0.55 * crowd * Math.min(3, Math.max(1, this.zoomed() ** 0.5)))) * ratio;
    const ground = css("--paper").match(/[0-9a-f]{2}/gi).slice(0, 3).map((part) => parseInt(part, 16));
    this.renderer.draw({
      frames: this.frames, weights: this.weights(), ground, size, opacity: nodes > 30000 ? 0.6 : 0.85,
      view: { x: view.x, y: view.y, scale: view.scale * ratio },
    });
    this.drawOver();
    this.drawn++;
    if (this.moved < 1) this.redraw();
  }

  zoomed() {
    const [[x0, x1], [y0, y1]] = this.frame.bounds();
    const whole = 0.92 * Math.min(this.width / Math.max(x1 - x0, 1e-6), this.height / Math.max(y1 - y0, 1e-6));
    return this.view.scale / whole;
  }

  drawOver() {
    const { context, ratio } = this;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    this.taken = [];
    const ink = css("--ink"), accent = css("--accent");
    if (this.chosen >= 0) {
      const [x, y] = this.place(this.chosen);
      context.strokeStyle = accent;
      for (const { node, value } of this.near) {
        const [toX, toY] = this.place(node);
        context.globalAlpha = 0.25 + 0.6 * Math.max(0, Math.min(1, value));
        context.lineWidth = 1.4;
        context.beginPath();
        context.moveTo(x, y);
        context.lineTo(toX, toY);
        context.stroke();
        this.ring(toX, toY, 5, accent, 1.5);
      }
      context.globalAlpha = 1;
      this.ring(x, y, 8, ink, 3);
      this.name(this.chosenName ?? "", x, y - 17, "700 13px", true);
      if (this.zoomed() > 2.2) this.near.forEach(({ node, id }) => {
        const [toX, toY] = this.place(node);
        this.name(id, toX, toY - 12, "500 12px", false);
      });
    }
    for (const { name, x, y } of this.places) {
      const [toX, toY] = this.toScreen(x, y);
      this.name(name, toX, toY, "600 12.5px", false);
    }
    if (this.hover >= 0) this.ring(...this.place(this.hover), 7, ink, 2);
    if (this.lasso?.length > 1) {
      context.beginPath();
      this.lasso.forEach(([x, y], at) => context[at ? "lineTo" : "moveTo"](x, y));
      context.closePath();
      context.fillStyle = accent;
      context.globalAlpha = 0.14;
      context.fill();
      context.globalAlpha = 1;
      context.strokeStyle = accent;
      context.lineWidth = 1.5;
      context.stroke();
    }
  }

  ring(x, y, radius, colour, width) {
    const { context } = this;
    context.beginPath();
    context.arc(x, y, radius, 0, 7);
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.stroke();
  }

  // Text with a halo, where no other text stands; a little higher or lower if need be.
  name(text, x, y, font, always) {
    const { context } = this;
    context.font = `${font} system-ui, sans-serif`;
    const wide = context.measureText(text).width;
    const free = (at) => this.taken.every(([ox, oy, w]) => Math.abs(ox - x) > (w + wide) / 2 + 5 || Math.abs(oy - at) > 16);
    const tries = [0, 15, -15, 30, -30].map((by) => y + by);
    const at = tries.find(free) ?? (always ? y : undefined);
    if (at === undefined || x < -wide || x > this.width + wide || at < 0 || at > this.height) return;
    this.taken.push([x, at, wide]);
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    context.lineWidth = 4;
    context.strokeStyle = css("--paper");
    context.strokeText(text, x, at);
    context.fillStyle = css("--ink");
    context.fillText(text, x, at);
  }
}
