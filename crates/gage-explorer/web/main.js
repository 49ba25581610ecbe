// The page: joins the map, the panels, the sliders and the address.

import { getBytes, getJson, streamFrames, token } from "./api.js";
import { classColour, NONE, paint, rampCss, readColour, scaleOf } from "./colours.js";
import { $, calm, count, dark, el } from "./dom.js";
import { MapView } from "./map.js";
import { showCompare, showModel, showNear, showNode, showNothing, showSelection, tabs } from "./panel.js";
import { Frame } from "./points.js";
import { completing } from "./search.js";
import { linkable, remember, state } from "./state.js";
import { weightsOf } from "./mix.js";

const map = new MapView($("points"), $("overlay"));
const openTab = tabs();
const hidden = new Set();
let about, colour = null, selected = [], compared = null;

const say = (words) => {
  $("notice").textContent = words;
  $("notice").hidden = !words;
};
const failed = (error) => {
  if (error.name === "AbortError") return;
  const lost = error instanceof TypeError;
  say(lost ? "Nothing answers any more: the program behind this page has ended." : error.message);
};

// Runs work of which only the newest matters; what is under way is given up.
const newest = (work) => {
  let control = null;
  return async (...args) => {
    control?.abort();
    const own = control = new AbortController();
    try { return await work(own.signal, ...args); } catch (error) { failed(error); }
  };
};

// The shares of the model go without saying: written out, they would differ in their last digits, and
// a map that is at rest would move for nothing. A link keeps five digits.
const sharesParam = () => {
  const own = state.shares.every((share, at) => Math.abs(share - about.shares[at]) < 1e-5);
  return own ? {} : { shares: state.shares.join(",") };
};

// The map.
const shownFrame = (frame) => {
  const seen = document.documentElement.dataset;
  seen.frames = String(Number(seen.frames ?? 0) + 1);
  seen.moving = String(frame.moving);
  $("moving").textContent = frame.moving ? `moving: round ${frame.round} of ${frame.rounds}` : `${count(frame.nodes)} nodes`;
  if (!frame.moving || frame.round % 4 === 0) namePlaces();
};

// Layouts at the anchors, for maps that are mixed; nothing while they are being made.
let anchors = null;

const followMap = newest(async (signal) => {
  if (anchors) {
    map.setMix(anchors, weightsOf(state.shares, about.anchors));
    shownFrame(map.frame);
    return;
  }
  if (!about.anchors.length) $("moving").textContent = "moving";
  await streamFrames("/api/map", about.anchors.length ? {} : sharesParam(), signal, (buffer) => {
    const frame = new Frame(buffer);
    map.setFrame(frame);
    shownFrame(frame);
  });
});

// A map of very many nodes does not move by itself: it is mixed from a few layouts, as they come.
const loadAnchors = async () => {
  const got = [], all = about.anchors.length;
  await streamFrames("/api/anchors", {}, undefined, (buffer) => {
    got.push(new Frame(buffer));
    $("mixing").textContent = `the map follows the shares once its layouts are there: ${got.length} of ${all}`;
    $("mixing").hidden = got.length === all;
  });
  if (got.length < all) return undefined;
  anchors = got;
  document.documentElement.dataset.mixed = "true";
  return followMap();
};

const namePlaces = () => {
  const classes = colour?.kind === "classes" && colour.names.length > 1;
  const named = classes && map.frame ? map.frame.places(colour.values, colour.names) : [];
  map.places = named.filter((place) => !hidden.has(place.class));
  map.redraw();
};

// Colours.
const legend = () => {
  const box = $("legend");
  const choice = about.colourings.find((choice) => choice.by === state.colour);
  const name = state.colour === "column" ? JSON.parse(state.column)[2] : choice.title;
  const title = el("div", { className: "soft" }, name);
  if (colour.kind === "numbers") {
    const { low, high } = colour.scale;
    const short = (value) => String(Number(value.toPrecision(3)));
    box.replaceChildren(title, el("div", { className: "ramp" }, short(low), el("i", { style: { background: rampCss() } }), short(high)));
    return;
  }
  const sizes = new Map();
  colour.values.forEach((own) => sizes.set(own, (sizes.get(own) ?? 0) + 1));
  const order = [...sizes.keys()].sort((a, b) => sizes.get(b) - sizes.get(a) || a - b);
  const entry = (own) => {
    const none = own >= colour.names.length;
    const item = el("button", { type: "button", "aria-pressed": "true", title: `${count(sizes.get(own))} nodes; double-click shows only these` },
      el("i", { style: { background: none ? NONE : classColour(own) } }), none ? "(none)" : colour.names[own]);
    item.onclick = () => { if (!hidden.delete(own)) hidden.add(own); repaint(); };
    item.ondblclick = () => { hidden.clear(); order.forEach((other) => other !== own && hidden.add(other)); repaint(); };
    item.dataset.class = own;
    return item;
  };
  box.replaceChildren(title, ...order.map(entry));
};

const repaint = () => {
  for (const item of $("legend").querySelectorAll("button")) item.setAttribute("aria-pressed", String(!hidden.has(Number(item.dataset.class))));
  map.setColour(paint(colour, hidden));
  namePlaces();
};

const loadColour = newest(async (signal) => {
  const params = { by: state.colour };
  if (state.colour === "column") {
    const [block, column] = JSON.parse(state.column || "[]");
    if (block === undefined) return;
    Object.assign(params, { block, column });
  }
  if (state.colour === "moved") {
    Object.assign(params, compared ?? { from_lambda: 0.2, to_lambda: 0.8 });
  }
  const next = readColour(await getBytes("/api/colour", params, signal));
  if (next.kind === "numbers") next.scale = scaleOf(next.values);
  colour = next;
  hidden.clear();
  legend();
  repaint();
});

const colourBy = (by) => {
  state.colour = by;
  $("colour").value = by;
  $("column-box").hidden = by !== "column";
  remember();
  return loadColour();
};

// Nodes.
const loadNear = newest(async (signal) => {
  if (state.node < 0) return;
  const node = state.node;
  const found = await getJson("/api/neighbours", { node, count: 15, ...sharesParam() }, signal);
  if (node !== state.node) return;
  map.near = found.neighbours;
  showNear(found, about, choose);
  map.redraw();
});

const loadNode = newest(async (signal) => {
  const node = await getJson("/api/node", { node: state.node }, signal);
  map.chosenName = node.id;
  showNode(node, choose);
  await loadNear();
});

const choose = (node, move) => {
  state.node = node;
  map.chosen = node;
  map.near = [];
  remember();
  if (node < 0) { showNothing(); map.redraw(); return undefined; }
  if (move && map.frame) map.goTo(node);
  openTab("node");
  return loadNode();
};

// Shares of the views: one slider for the links where there are views of both kinds and they are
// two, else one slider for each view, and the one for the links above them.
const applyShares = async (shares) => {
  state.shares = shares;
  remember();
  showShares();
  await Promise.all([loadNear(), followMap()]);
};

const setLambda = newest(async (signal, lambda) => {
  applyShares(await getJson("/api/shares", { lambda }, signal));
});

const lambdaOf = () => about.views.reduce((sum, view, at) => sum + (view.uses_links ? state.shares[at] : 0), 0);

const slider = (box, id, label, value, moved) => {
  const out = el("output", { id: `${id}-value` });
  const input = el("input", { type: "range", id, min: "0", max: "1", step: "0.01" });
  let touched = -Infinity;
  input.oninput = () => {
    touched = performance.now();
    moved(Number(input.value));
  };
  const show = (value) => {
    // A thumb that is being moved is not pulled back by answers to where it was.
    if (performance.now() - touched > 500) input.value = value;
    out.value = value.toFixed(2);
    input.setAttribute("aria-valuetext", `${label} ${value.toFixed(2)}`);
  };
  show(value);
  box.append(el("label", {}, label, input, out));
  return show;
};

const shown = [];
const makeSliders = () => {
  const box = $("shares"), { views, takes_lambda: takesLambda } = about;
  if (takesLambda) {
    const show = slider(box, "lambda", "\u03bb, share of the links", lambdaOf(), setLambda);
    shown.push(() => show(lambdaOf()));
  }
  if (views.length < 2 || (takesLambda && views.length === 2)) return;
  const each = el("div", { className: "shares" });
  box.append(takesLambda ? el("details", {}, el("summary", {}, "Share of each view"), each) : each);
  views.forEach((view, at) => {
    const show = slider(each, `share-${at}`, view.name, state.shares[at], (value) => {
      const others = state.shares.reduce((sum, share, other) => sum + (other === at ? 0 : share), 0);
      const rest = (share) => (others > 0 ? share * (1 - value) / others : (1 - value) / (views.length - 1));
      applyShares(state.shares.map((share, other) => (other === at ? value : rest(share))));
    });
    shown.push(() => show(state.shares[at]));
  });
};
const showShares = () => shown.forEach((show) => show());

// Selecting.
const select = (nodes) => {
  selected = nodes;
  map.setSelected(nodes);
  openTab(nodes.length || state.node < 0 ? "selection" : "node");
  return showSelection(nodes, about, choose, () => select([])).catch(failed);
};

// Names of nodes under the pointer, fetched when they are first wanted.
const names = new Map();
const nameOf = async (node) => {
  if (!names.has(node)) names.set(node, getJson("/api/names", { from: node, count: 1 }).then((list) => list[0]));
  return names.get(node);
};
const hover = async (node) => {
  map.hover = node;
  map.redraw();
  const tip = $("tip");
  if (node < 0) { tip.hidden = true; return; }
  const id = await nameOf(node).catch(() => "");
  if (map.hover !== node) return;
  const own = colour?.kind === "classes" ? colour.names[colour.values[node]] : colour?.values[node];
  tip.textContent = own === undefined || Number.isNaN(own) ? id : `${id} (${own})`;
  tip.hidden = false;
  const [x, y] = map.place(node);
  tip.style.left = `${Math.max(4, Math.min(map.width - tip.offsetWidth - 4, x + 12))}px`;
  tip.style.top = `${Math.max(4, Math.min(map.height - tip.offsetHeight - 4, y + 12))}px`;
};

// Pointers: one drags or draws, two pinch, none hovers.
const pointers = () => {
  const over = $("overlay"), fingers = new Map();
  let mode = "move", drawing = null, travelled = 0;
  const point = (event) => {
    const box = over.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const setMode = (next) => {
    mode = next;
    over.classList.toggle("pick", mode !== "move");
    for (const item of $("modes").children) {
      const own = item.dataset.mode === mode;
      item.setAttribute("aria-checked", String(own));
      item.tabIndex = own ? 0 : -1;
    }
  };
  [...$("modes").children].forEach((item, at, all) => {
    item.onclick = () => setMode(item.dataset.mode);
    item.onkeydown = (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      const next = all[(at + by + all.length) % all.length];
      setMode(next.dataset.mode);
      next.focus();
    };
  });
  setMode("move");
  const nearest = (x, y, reach) => (map.frame ? map.frame.nearest(...map.toMap(x, y), reach / map.view.scale, map.shown) : -1);
  over.addEventListener("pointerdown", (event) => {
    over.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, point(event));
    travelled = 0;
    const draws = mode !== "move" || event.shiftKey;
    drawing = draws && fingers.size === 1 ? [point(event)] : null;
    over.classList.add("drag");
  });
  over.addEventListener("pointermove", (event) => {
    const [x, y] = point(event), before = fingers.get(event.pointerId);
    if (!before) {
      const node = nearest(x, y, 12);
      if (node !== map.hover) hover(node);
      return;
    }
    travelled += Math.abs(x - before[0]) + Math.abs(y - before[1]);
    fingers.set(event.pointerId, [x, y]);
    if (drawing) {
      const [x0, y0] = drawing[0];
      if (mode === "box") map.lasso = [[x0, y0], [x, y0], [x, y], [x0, y]];
      else { drawing.push([x, y]); map.lasso = drawing; }
      map.redraw();
    } else if (fingers.size === 1) {
      map.pan(x - before[0], y - before[1]);
    } else {
      const other = [...fingers].find(([id]) => id !== event.pointerId)[1];
      const apart = (a) => Math.hypot(a[0] - other[0], a[1] - other[1]) || 1;
      map.zoom(apart([x, y]) / apart(before), (x + other[0]) / 2, (y + other[1]) / 2);
    }
    hover(-1);
  });
  const release = (event) => {
    const tap = fingers.size === 1 && travelled < 8 && event.type === "pointerup";
    fingers.delete(event.pointerId);
    if (!fingers.size) over.classList.remove("drag");
    const polygon = map.lasso;
    map.lasso = null;
    drawing = null;
    if (tap) choose(nearest(...point(event), event.pointerType === "mouse" ? 12 : 24), false);
    else if (polygon && event.type === "pointerup") select(map.frame.inside(polygon.map((at) => map.toMap(...at)), map.shown));
    map.redraw();
  };
  over.addEventListener("pointerup", release);
  over.addEventListener("pointercancel", release);
  over.addEventListener("pointerleave", () => hover(-1));
  over.addEventListener("wheel", (event) => {
    event.preventDefault();
    map.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), ...point(event));
  }, { passive: false });
  over.addEventListener("dblclick", (event) => map.zoom(2, ...point(event)));
  over.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const turn = (by) => about.takes_lambda && setLambda(Math.max(0, Math.min(1, lambdaOf() + by)));
    const act = {
      ArrowLeft: () => map.pan(60, 0), ArrowRight: () => map.pan(-60, 0), ArrowUp: () => map.pan(0, 60),
      ArrowDown: () => map.pan(0, -60), "+": () => map.zoom(1.4), "=": () => map.zoom(1.4), "-": () => map.zoom(1 / 1.4),
      0: () => fit(), Escape: () => { select([]); choose(-1, false); },
      Enter: () => choose(nearest(map.width / 2, map.height / 2, Math.max(map.width, map.height)), false),
      "[": () => turn(-0.05), "]": () => turn(0.05),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
};

const fit = () => { map.fit(); state.view = null; remember(); };

const controls = () => {
  $("in").onclick = () => map.zoom(1.5);
  $("out").onclick = () => map.zoom(1 / 1.5);
  $("fit").onclick = fit;
  let later = 0;
  map.onView = () => {
    clearTimeout(later);
    later = setTimeout(() => { state.view = map.fitted ? null : [map.view.x, map.view.y, map.view.scale]; remember(); }, 200);
  };
  $("link").hidden = !linkable;
  $("link").onclick = async () => {
    remember();
    try { await navigator.clipboard.writeText(location.href); } catch { /* the address bar has it */ }
    $("link").textContent = "Copied";
    setTimeout(() => { $("link").textContent = "Copy link"; }, 1500);
  };
  completing($("search"), $("found"),
    async (words) => (await getJson("/api/search", { q: words })).map((found) => ({ ...found, text: found.id })),
    (found) => choose(found.node, true));
  completing($("column"), $("columns"),
    async (words) => (await getJson("/api/columns", { q: words })).map((found) => ({ ...found, text: found.name })),
    (found) => { state.column = JSON.stringify([found.block, found.column, found.name]); colourBy("column"); });
  $("colour").onchange = () => colourBy($("colour").value);
  dark.addEventListener("change", () => map.redraw());
  calm.addEventListener("change", () => map.redraw());
  // Nodes that the text below the page speaks of.
  document.addEventListener("click", async (event) => {
    const id = event.target.closest("[data-id]")?.dataset.id;
    const found = id === undefined ? [] : await getJson("/api/search", { q: id });
    if (found[0]?.id !== id || id === undefined) return;
    choose(found[0].node, true);
    document.querySelector("main").scrollIntoView({ behavior: calm.matches ? "auto" : "smooth" });
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !["INPUT", "SELECT"].includes(document.activeElement.tagName)) {
      event.preventDefault();
      $("search").focus();
    }
  });
};

// Waits until all candidates are gathered, and tells how far that is.
const whenReady = async (then) => {
  for (;;) {
    const { anchors_done: done, anchors } = await getJson("/api/progress").catch(() => ({}));
    $("gathering").hidden = done === anchors;
    if (done === anchors) break;
    $("gathering").textContent = `gathering candidates: ${done} of ${anchors}`;
    await new Promise((go) => setTimeout(go, 700));
  }
  document.documentElement.dataset.ready = "true";
  return then();
};

const start = async () => {
  if (!token) {
    say("Open the whole address that was printed: the part after # is missing.");
    return;
  }
  about = await getJson("/api/about");
  document.title = `${about.title} - GAGE explorer`;
  $("title").textContent = about.title;
  if (state.shares?.length !== about.views.length) state.shares = about.shares;
  $("colour").replaceChildren(...about.colourings.map((choice) => el("option", { value: choice.by }, choice.title)));
  if (!about.colourings.some((choice) => choice.by === state.colour)) state.colour = about.colourings[0].by;
  if (state.view?.length === 3) { map.view = Object.fromEntries(["x", "y", "scale"].map((name, at) => [name, state.view[at]])); map.fitted = false; }
  makeSliders();
  controls();
  pointers();
  showNothing();
  showSelection([], about);
  whenReady(showModel(about));
  const chosen = () => (state.node < 0 ? null : { node: state.node, id: map.chosenName ?? "" });
  showCompare(about, choose, chosen, (params) => { compared = params; return colourBy("moved"); });
  const ready = [colourBy(state.colour), followMap()];
  if (about.anchors.length) ready.push(loadAnchors());
  if (state.node >= 0 && state.node < about.nodes) choose(state.node, false);
  await Promise.all(ready);
};

start().catch(failed);
