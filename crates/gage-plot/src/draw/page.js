"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  $("search").placeholder = `Find a ${data.words[0]}`;
  $("search").setAttribute("aria-label", `Find a ${data.words[0]}`);
  $("classes").textContent = data.words[1];
  const numbers = (text) => {
    const raw = atob(text), bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    return new Uint16Array(bytes.buffer);
  };
  const count = data.names.length, NONE = 65535;
  const classes = numbers(data.classes);
  const layouts = data.layouts.map((one) => {
    const raw = numbers(one.points), points = new Float32Array(2 * count);
    for (let i = 0; i < 2 * count; i++) points[i] = raw[i] / 65535;
    return { label: one.label, points, similar: numbers(one.similar) };
  });
  const sizes = new Array(data.class_names.length).fill(0);
  let unclassed = 0;
  for (let i = 0; i < count; i++) classes[i] === NONE ? unclassed++ : sizes[classes[i]]++;
  const className = (node) => (classes[node] === NONE ? "" : data.class_names[classes[node]]);
  const hidden = new Set();
  const shown = (node) => !hidden.has(classes[node]);

  const canvas = $("canvas"), context = canvas.getContext("2d"), tip = $("tip");
  const darkMode = matchMedia("(prefers-color-scheme: dark)");
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let current = layouts.length > 1 ? Math.floor(layouts.length / 2) : 0;
  let points = layouts[current].points.slice();
  let width = 0, height = 0, side = 1, ratio = 1;
  let zoom = 1, left = 0, top = 0, chosen = -1, hover = -1, marked = [], queued = false;

  // Colours and marks, as in palette.rs.
  const lighter = (colour) => {
    if (!darkMode.matches) return colour;
    const part = (at) => Math.round(parseInt(colour.slice(at, at + 2), 16) * 0.75 + 64);
    return `rgb(${part(1)},${part(3)},${part(5)})`;
  };
  const look = (name) => {
    if (name === NONE) return [lighter(data.no_class), 0];
    const colours = data.colours.length;
    return [lighter(data.colours[name % colours]), Math.floor(name / data.per_mark) % 4];
  };
  const mark = (to, shape, x, y, r) => {
    to.beginPath();
    if (shape === 0) to.arc(x, y, r, 0, 2 * Math.PI);
    else if (shape === 1) to.rect(x - 0.886 * r, y - 0.886 * r, 1.772 * r, 1.772 * r);
    else {
      const corners = shape === 2 ? [[0, -1.55], [1.35, 0.78], [-1.35, 0.78]] : [[0, -1.25], [1.25, 0], [0, 1.25], [-1.25, 0]];
      corners.forEach(([dx, dy], at) => to[at ? "lineTo" : "moveTo"](x + dx * r, y + dy * r));
      to.closePath();
    }
  };
  const sprites = new Map();
  const sprite = (name, r) => {
    const key = `${name}/${r}`;
    if (!sprites.has(key)) {
      const size = Math.ceil(3.4 * r * ratio) + 2, image = document.createElement("canvas");
      image.width = image.height = size;
      const to = image.getContext("2d"), [colour, shape] = look(name);
      to.fillStyle = colour;
      mark(to, shape, size / 2, size / 2, r * ratio);
      to.fill();
      sprites.set(key, image);
    }
    return sprites.get(key);
  };

  // Points in an order that favours no class.
  const order = Uint32Array.from({ length: count }, (_, i) => i);
  let state = 12345;
  for (let i = count - 1; i > 0; i--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const j = state % (i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }

  const screenX = (node) => left + points[2 * node] * side * zoom;
  const screenY = (node) => top + points[2 * node + 1] * side * zoom;
  const radius = () => {
    const base = Math.min(5, Math.max(1.2, side * Math.sqrt(0.14 / (Math.max(count, 1) * Math.PI))));
    return Math.round(Math.min(9, base * Math.pow(zoom, 0.35)) * 4) / 4;
  };

  // Where the name of a class stands: the middle of its densest place.
  const densest = () => {
    const cells = 20, tables = sizes.map(() => new Uint16Array(cells * cells));
    const cell = (x) => Math.min(cells - 1, Math.floor(x * cells));
    for (let i = 0; i < count; i++) {
      if (classes[i] !== NONE) tables[classes[i]][cell(points[2 * i + 1]) * cells + cell(points[2 * i])]++;
    }
    const best = tables.map((table) => {
      let most = -1, place = 0;
      for (let at = 0; at < table.length; at++) {
        if (!table[at]) continue;
        let sum = table[at];
        const x = at % cells, y = (at - x) / cells;
        for (let row = Math.max(0, y - 1); row <= Math.min(cells - 1, y + 1); row++) {
          for (let col = Math.max(0, x - 1); col <= Math.min(cells - 1, x + 1); col++) sum += table[row * cells + col];
        }
        if (sum > most) { most = sum; place = at; }
      }
      return place;
    });
    const sums = sizes.map(() => [0, 0, 0]);
    for (let i = 0; i < count; i++) {
      if (classes[i] === NONE) continue;
      const at = best[classes[i]], x = at % cells, y = (at - x) / cells;
      if (Math.abs(cell(points[2 * i]) - x) <= 1 && Math.abs(cell(points[2 * i + 1]) - y) <= 1) {
        const sum = sums[classes[i]];
        sum[0] += points[2 * i]; sum[1] += points[2 * i + 1]; sum[2]++;
      }
    }
    return sums.map(([x, y, n]) => (n ? [x / n, y / n] : null));
  };
  let places = densest();

  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const text = (words, x, y, size, weight) => {
    context.font = `${weight} ${size}px system-ui, sans-serif`;
    context.lineWidth = 4;
    context.lineJoin = "round";
    context.strokeStyle = css("--paper");
    context.fillStyle = css("--ink");
    context.strokeText(words, x, y);
    context.fillText(words, x, y);
  };
  const ring = (node, r, colour, wide) => {
    context.beginPath();
    context.arc(screenX(node), screenY(node), r, 0, 2 * Math.PI);
    context.lineWidth = wide;
    context.strokeStyle = colour;
    context.stroke();
  };

  const drawNames = () => {
    if (!data.named) return;
    const taken = [];
    context.textAlign = "center";
    context.textBaseline = "middle";
    const small = side < 480 ? 12 : 14;
    const bySize = sizes.map((size, name) => [size, name]).filter((one) => one[0] && !hidden.has(one[1])).sort((a, b) => b[0] - a[0]).slice(0, 32);
    for (const [, name] of bySize) {
      if (!places[name]) continue;
      context.font = `600 ${small}px system-ui, sans-serif`;
      const words = data.class_names[name], wide = context.measureText(words).width;
      const x = left + places[name][0] * side * zoom;
      const y0 = top + places[name][1] * side * zoom;
      const tries = [0];
      for (let step = 1; step < 10; step++) tries.push(step * 9, -step * 9);
      const free = (y) => taken.every(([ox, oy, w]) => Math.abs(ox - x) > (w + wide) / 2 + 4 || Math.abs(oy - y) > small + 3);
      const by = tries.find((step) => free(y0 + step));
      if (by === undefined) continue;
      taken.push([x, y0 + by, wide]);
      text(words, x, y0 + by, small, 600);
    }
  };

  const draw = () => {
    queued = false;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const r = radius();
    context.globalAlpha = count > 50000 && zoom < 3 ? 0.55 : 0.85;
    for (const node of order) {
      if (!shown(node)) continue;
      const x = screenX(node), y = screenY(node);
      if (x < -12 || y < -12 || x > width + 12 || y > height + 12) continue;
      const image = sprite(classes[node], r), size = image.width / ratio;
      context.drawImage(image, x - size / 2, y - size / 2, size, size);
    }
    context.globalAlpha = 1;
    drawNames();
    const accent = css("--accent");
    marked.forEach((node) => ring(node, r + 3, accent, 1.5));
    const named = chosen >= 0 ? [chosen, ...(zoom > 1.5 ? marked : [])] : [];
    if (chosen >= 0) ring(chosen, r + 5, css("--ink"), 3);
    const taken = [];
    for (const node of named) {
      const x = screenX(node), y = screenY(node) - r - 12;
      context.font = "600 13px system-ui, sans-serif";
      const wide = context.measureText(data.names[node]).width;
      if (taken.some(([ox, oy, w]) => Math.abs(ox - x) < (w + wide) / 2 + 4 && Math.abs(oy - y) < 16)) continue;
      taken.push([x, y, wide]);
      text(data.names[node], x, y, 13, node === chosen ? 700 : 500);
    }
    if (hover >= 0) ring(hover, r + 3, css("--ink"), 2);
  };
  const redraw = () => { if (!queued) { queued = true; requestAnimationFrame(draw); } };

  const home = () => { zoom = 1; left = (width - side) / 2; top = (height - side) / 2; redraw(); };
  const resize = () => {
    const box = canvas.getBoundingClientRect(), before = side;
    width = box.width; height = box.height;
    ratio = Math.min(window.devicePixelRatio || 1, 3);
    canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio);
    side = Math.max(50, Math.min(width, height));
    sprites.clear();
    if (zoom === 1 || before === 1) home();
    // At once: a resized canvas is empty until drawn.
    draw();
  };
  const zoomBy = (factor, x = width / 2, y = height / 2) => {
    const next = Math.min(60, Math.max(0.6, zoom * factor)), by = next / zoom;
    left = x - (x - left) * by; top = y - (y - top) * by; zoom = next;
    redraw();
  };

  // Pointers: one drags, two pinch, none hovers.
  const nearest = (x, y, reach) => {
    let best = -1, least = reach * reach;
    for (let node = 0; node < count; node++) {
      if (!shown(node)) continue;
      const dx = screenX(node) - x, dy = screenY(node) - y, square = dx * dx + dy * dy;
      if (square < least) { least = square; best = node; }
    }
    return best;
  };
  const showTip = (node) => {
    tip.hidden = node < 0;
    if (node < 0) return;
    const small = document.createElement("small");
    small.textContent = className(node);
    tip.replaceChildren(document.createTextNode(data.names[node]), small);
    const x = screenX(node), y = screenY(node);
    tip.style.left = `${Math.max(4, Math.min(width - tip.offsetWidth - 4, x + 12))}px`;
    tip.style.top = `${Math.max(4, Math.min(height - tip.offsetHeight - 4, y + 12))}px`;
  };
  const point = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const fingers = new Map();
  let travelled = 0;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, point(event));
    travelled = 0;
    canvas.classList.add("drag");
  });
  canvas.addEventListener("pointermove", (event) => {
    const [x, y] = point(event), before = fingers.get(event.pointerId);
    if (!before) {
      const node = nearest(x, y, 14);
      if (node !== hover) { hover = node; showTip(node); redraw(); }
      return;
    }
    travelled += Math.abs(x - before[0]) + Math.abs(y - before[1]);
    if (fingers.size === 1) {
      left += x - before[0]; top += y - before[1];
    } else {
      const other = [...fingers].find(([id]) => id !== event.pointerId)[1];
      const apart = (a) => Math.hypot(a[0] - other[0], a[1] - other[1]) || 1;
      zoomBy(apart([x, y]) / apart(before), (x + other[0]) / 2, (y + other[1]) / 2);
    }
    fingers.set(event.pointerId, [x, y]);
    hover = -1; showTip(-1); redraw();
  });
  const release = (event) => {
    const tap = fingers.size === 1 && travelled < 8 && event.type === "pointerup";
    fingers.delete(event.pointerId);
    if (!fingers.size) canvas.classList.remove("drag");
    if (tap) choose(nearest(...point(event), event.pointerType === "mouse" ? 14 : 24), false);
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", () => { hover = -1; showTip(-1); redraw(); });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const [x, y] = point(event);
    zoomBy(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), x, y);
  }, { passive: false });
  canvas.addEventListener("dblclick", (event) => zoomBy(2, ...point(event)));
  canvas.addEventListener("keydown", (event) => {
    const act = {
      ArrowLeft: () => { left += 60; }, ArrowRight: () => { left -= 60; }, ArrowUp: () => { top += 60; },
      ArrowDown: () => { top -= 60; }, "+": () => zoomBy(1.4), "=": () => zoomBy(1.4), "-": () => zoomBy(1 / 1.4),
      0: home, Escape: () => choose(-1, false),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
    redraw();
  });
  $("in").onclick = () => zoomBy(1.5);
  $("out").onclick = () => zoomBy(1 / 1.5);
  $("home").onclick = home;

  // The chosen node and what is similar to it.
  const element = (kind, words, parent) => {
    const made = document.createElement(kind);
    made.textContent = words;
    parent.append(made);
    return made;
  };
  const similar = (layout, node) => [...layouts[layout].similar.slice(node * data.similar, (node + 1) * data.similar)];
  const choose = (node, move) => {
    chosen = node;
    marked = node >= 0 && data.similar ? similar(current, node) : [];
    const box = $("chosen");
    box.replaceChildren();
    if (node >= 0) {
      element("h3", data.names[node], box);
      element("span", className(node), box).className = "soft";
      if (data.similar) layouts.forEach((layout, at) => {
        element("h4", `Like it: ${layout.label}`, box);
        similar(at, node).forEach((other, rank) => {
          const item = element("button", data.names[other], box);
          item.type = "button";
          item.className = "node";
          item.title = className(other);
          item.onclick = () => choose(other, true);
          if (rank + 1 < data.similar) box.append(", ");
        });
      });
    }
    if (node >= 0 && move) {
      hidden.delete(classes[node]);
      pressed();
      zoom = Math.max(zoom, 4);
      left = width / 2 - points[2 * node] * side * zoom;
      top = height / 2 - points[2 * node + 1] * side * zoom;
    }
    redraw();
  };

  // Layouts.
  const show = (to) => {
    if (to === current) return;
    const from = points.slice(), goal = layouts[to].points, started = performance.now();
    current = to;
    [...$("layouts").children].forEach((item, at) => {
      item.setAttribute("aria-checked", at === to);
      item.tabIndex = at === to ? 0 : -1;
    });
    if (chosen >= 0) choose(chosen, false);
    const step = (now) => {
      if (current !== to) return;
      const t = calm.matches ? 1 : Math.min(1, (now - started) / 700), ease = t * t * (3 - 2 * t);
      const held = chosen >= 0 && zoom > 1.5 ? [screenX(chosen), screenY(chosen)] : null;
      for (let i = 0; i < points.length; i++) points[i] = from[i] + ease * (goal[i] - from[i]);
      if (held) { left += held[0] - screenX(chosen); top += held[1] - screenY(chosen); }
      if (t === 1) places = densest();
      draw();
      if (t < 1) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  };
  if (layouts.length > 1) layouts.forEach((layout, at) => {
    const item = element("button", layout.label, $("layouts"));
    item.type = "button";
    item.setAttribute("role", "radio");
    item.setAttribute("aria-checked", at === current);
    item.tabIndex = at === current ? 0 : -1;
    item.onclick = () => show(at);
    item.onkeydown = (event) => {
      const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      const next = (at + by + layouts.length) % layouts.length;
      $("layouts").children[next].focus();
      show(next);
    };
  });

  // Legend.
  const entries = new Map();
  const pressed = () => entries.forEach((item, name) => item.setAttribute("aria-pressed", !hidden.has(name)));
  const swatch = (item, name) => {
    const image = item.querySelector("canvas"), to = image.getContext("2d"), [colour, shape] = look(name);
    to.clearRect(0, 0, 42, 42);
    to.fillStyle = colour;
    mark(to, shape, 21, 21, 13);
    to.fill();
  };
  const entry = (name, words, size) => {
    const item = document.createElement("button"), image = document.createElement("canvas");
    item.type = "button";
    image.width = image.height = 42;
    item.append(image);
    element("span", words, item);
    item.title = `${words}: ${size}; double-click shows only this one`;
    item.onclick = () => { hidden.has(name) ? hidden.delete(name) : hidden.add(name); pressed(); redraw(); };
    item.ondblclick = () => { entries.forEach((_, other) => hidden.add(other)); hidden.delete(name); pressed(); redraw(); };
    entries.set(name, item);
    $("legend").append(item);
    swatch(item, name);
  };
  sizes.forEach((size, name) => { if (size) entry(name, data.class_names[name], size); });
  if (unclassed && entries.size) entry(NONE, "(none)", unclassed);
  $("all").onclick = () => { hidden.clear(); pressed(); redraw(); };
  $("none").onclick = () => { entries.forEach((_, name) => hidden.add(name)); pressed(); redraw(); };
  if (data.class_names.some((name) => name.length > 13)) $("legend").classList.add("wide");
  if (!entries.size) document.querySelector(".legend-head").hidden = true;
  pressed();

  // Search: names that start with the words first, then names that contain them.
  const input = $("search"), found = $("found");
  const lower = data.names.map((name) => name.toLowerCase());
  let hits = [], at = 0;
  const list = () => {
    const words = input.value.trim().toLowerCase(), starts = [], holds = [];
    if (words) for (let node = 0; node < count && starts.length < 8; node++) {
      const place = lower[node].indexOf(words);
      if (place === 0) starts.push(node); else if (place > 0 && holds.length < 8) holds.push(node);
    }
    const exact = words ? lower.indexOf(words) : -1;
    hits = [...new Set([...(exact >= 0 ? [exact] : []), ...starts, ...holds])].slice(0, 8);
    at = 0;
    mark_hit();
  };
  const close = () => { found.hidden = true; input.setAttribute("aria-expanded", "false"); input.removeAttribute("aria-activedescendant"); };
  const take = (node) => { input.value = data.names[node]; close(); choose(node, true); };
  const mark_hit = () => {
    found.replaceChildren();
    hits.forEach((node, rank) => {
      const item = element("li", data.names[node], found);
      item.id = `hit${rank}`;
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", rank === at);
      item.onpointerdown = (event) => { event.preventDefault(); take(node); };
    });
    found.hidden = !hits.length;
    input.setAttribute("aria-expanded", !found.hidden);
    if (hits.length) input.setAttribute("aria-activedescendant", `hit${at}`);
  };
  input.addEventListener("input", list);
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    if (!hits.length || found.hidden) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      at = (at + (event.key === "ArrowDown" ? 1 : hits.length - 1)) % hits.length;
      mark_hit();
    } else if (event.key === "Enter") {
      event.preventDefault();
      take(hits[at]);
    }
  });

  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-node]");
    const node = link ? data.names.indexOf(link.dataset.node) : -1;
    if (node < 0) return;
    choose(node, true);
    document.querySelector(".map").scrollIntoView({ behavior: calm.matches ? "auto" : "smooth" });
  });
  darkMode.addEventListener("change", () => { sprites.clear(); entries.forEach((item, name) => swatch(item, name)); redraw(); });
  new ResizeObserver(resize).observe(canvas);
  resize();
})();
