// What stands beside the map: a node and why others are near it, a selection, two lambdas compared,
// and the model.

import { getJson, post } from "./api.js";
import { classColour } from "./colours.js";
import { $, count, el, svg, table } from "./dom.js";

const percent = (share) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
const number = (value) => Number(value.toPrecision(4)).toString();

// Tabs as the keyboard expects them: arrows move between them.
export const tabs = () => {
  const all = [...$("tabs").children];
  const open = (tab, focus) => {
    all.forEach((other) => {
      const own = other === tab;
      other.setAttribute("aria-selected", String(own));
      other.tabIndex = own ? 0 : -1;
      $(other.getAttribute("aria-controls")).hidden = !own;
    });
    if (focus) tab.focus();
  };
  all.forEach((tab, at) => {
    tab.onclick = () => open(tab);
    tab.onkeydown = (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (by) open(all[(at + by + all.length) % all.length], true);
    };
  });
  open(all[0]);
  return (name) => open($(`tab-${name}`));
};

const key = (views) => el("div", { className: "key" }, ...views.map((view, at) => el("span", {},
  el("i", { style: { background: classColour(at) } }), view.name)));

// One neighbour: its name, what each view contributes as a bar, and the cosine.
const nearRow = (near, views, choose) => {
  const parts = near.by_view.map((part, at) => `${views[at].name} ${part.toFixed(3)}`).join(", ");
  const bar = el("span", { className: "bar", "aria-hidden": "true" }, ...near.by_view.map((part, at) =>
    el("i", { style: { width: `${100 * Math.max(0, Math.min(1, part))}%`, background: classColour(at) } })));
  return el("li", {}, el("button", {
    type: "button", title: parts, "data-node": String(near.node), "data-value": String(near.value),
    "aria-label": `${near.id}, similarity ${near.value.toFixed(3)}: ${parts}`,
    onclick: () => choose(near.node, true),
  }, el("b", {}, near.id), bar, el("span", {}, near.value.toFixed(3))));
};

export const showNear = (found, about, choose) => {
  const box = $("near");
  if (!box) return;
  if (!about.has_neighbours) {
    box.replaceChildren(el("p", { className: "soft" }, "This page has too many nodes to hold the neighbours of each."));
    return;
  }
  if (!found.neighbours.length) {
    box.replaceChildren(el("p", { className: "soft" }, "Its row is zero here, so nothing is near it."));
    return;
  }
  box.replaceChildren(key(about.views), el("ol", { className: "near" },
    ...found.neighbours.map((near) => nearRow(near, about.views, choose))));
  if (!found.exact) box.append(el("p", { className: "soft" }, "Among the candidates of this node."));
};

const chips = (items) => el("div", { className: "chips" }, ...items);

export const showNode = (node, choose) => {
  const attributes = node.attributes.filter((list) => list.count).flatMap((list) => [
    el("h3", {}, `${list.block}: ${count(list.count)}`),
    chips(list.shown.map((cell) => el("span", {}, cell.value === 1 ? cell.name : `${cell.name} ${number(cell.value)}`))),
  ]);
  const links = node.links.flatMap((list) => [
    el("h3", {}, `${list.block}: ${count(list.count)}`),
    chips(list.shown.map((other) => el("button", { type: "button", onclick: () => choose(other.node, true) }, other.id))),
  ]);
  $("node").replaceChildren(
    el("h2", { id: "node-id" }, node.id), el("div", { className: "soft" }, node.classes.join(", ")),
    el("h3", {}, "Near it, and why"), el("div", { id: "near", "aria-live": "polite" }), ...links, ...attributes);
};

export const showNothing = () => $("node").replaceChildren(el("p", { className: "soft" },
  "Click a point, or find a node by its id: here is who is near it, and which views say so."));

const nodeButton = (node, choose) =>
  el("button", { type: "button", onclick: () => choose(node.node, true) }, node.id);

const FORMATS = { csv: "Export as CSV", parquet: "Ids as Parquet" };

const save = async (nodes, format) => {
  const file = await (await post("/api/export", nodes, { format })).blob();
  const link = el("a", { href: URL.createObjectURL(file), download: `selection.${format}` });
  link.click();
  URL.revokeObjectURL(link.href);
};

export const showSelection = async (nodes, about, choose, clear) => {
  const box = $("selection");
  if (!nodes.length) {
    box.replaceChildren(el("p", { className: "soft" },
      "Draw a box or a lasso on the map (or drag with Shift) to see what its nodes have in common."));
    return;
  }
  const { summary, nodes: first } = await (await post("/api/selection", nodes)).json();
  const share = (item) => [item.name, item.mean ? number(item.inside) : percent(item.inside),
    item.mean ? number(item.overall) : percent(item.overall)];
  const heads = (what) => [what, { title: "selected", number: true }, { title: "all", number: true }];
  const part = (title, items) => (items.length ? [el("h3", {}, title), table(title, heads(title), items.map(share))] : []);
  box.replaceChildren(
    el("h2", { id: "selected" }, `${count(summary.count)} nodes`),
    el("div", { className: "row" },
      ...about.formats.map((format) => el("button",
        { type: "button", id: `export-${format}`, onclick: () => save(nodes, format) }, FORMATS[format])),
      el("button", { type: "button", onclick: clear }, "Clear")),
    ...part("Classes", summary.classes), ...part("Typical of them", summary.columns),
    ...summary.links.flatMap((links) => [
      el("p", {}, `${links.block}: ${count(links.inside)} ends inside, ${count(links.leaving)} leave.`),
      ...part(`Nodes they link to (${links.block})`, links.to),
    ]),
    el("h3", {}, first.length < summary.count ? `The first ${count(first.length)}` : "All"),
    table("Selected nodes", ["id", "class"], first.map((node) => [nodeButton(node, choose), node.class ?? ""])));
};

const lambdaField = (id, label, value) => el("label", {}, `${label} `, el("input", {
  id, type: "number", min: "0", max: "1", step: "0.05", value: String(value), style: { width: "5.4em" },
}));

// The neighbours of a node at two lambdas, those that are on one side only in bold.
const sideBySide = async (node, lambdas, choose) => {
  const ask = (lambda) => getJson("/api/neighbours", { node: node.node, count: 15, lambda });
  const lists = (await Promise.all(lambdas.map(ask))).map((found) => found.neighbours);
  const known = lists.map((list) => new Set(list.map((near) => near.node)));
  const cell = (side, near) => {
    if (!near) return "";
    const own = !known[1 - side].has(near.node);
    return el("div", { className: own ? "own" : "" }, nodeButton(near, choose), ` ${near.value.toFixed(2)}`);
  };
  const longest = Math.max(...lists.map((list) => list.length));
  const rows = Array.from({ length: longest }, (_, at) => lists.map((list, side) => cell(side, list[at])));
  return [el("h3", {}, `Near ${node.id}; in bold what is on one side only`),
    table(`Near ${node.id}`, lambdas.map((lambda) => `\u03bb = ${lambda}`), rows)];
};

// Two lambdas side by side: around the chosen node, and what moved most on the whole map.
export const showCompare = (about, choose, chosen, colourBy) => {
  const box = $("compare");
  if (!about.takes_lambda) {
    box.replaceChildren(el("p", { className: "soft" }, "This model has views of one kind only, so there is no lambda to compare."));
    return;
  }
  const result = el("div", { "aria-live": "polite" });
  const run = async () => {
    const params = { from_lambda: $("from").value, to_lambda: $("to").value };
    try {
      const found = await getJson("/api/moved", params);
      const names = (list) => list.map((other) => other.id).join(", ");
      const node = chosen();
      const lambdas = [params.from_lambda, params.to_lambda];
      result.replaceChildren(
        ...(node ? await sideBySide(node, lambdas, choose) : []),
        el("p", {}, `On average ${percent(found.mean)} of the 15 nearest nodes change.`),
        table("What moved most", ["node", { title: "changed", number: true }, "\u2212 leave, + come"],
          found.nodes.map((node) => [nodeButton(node, choose), percent(node.changed),
            el("div", {}, el("div", {}, `\u2212 ${names(node.left)}`), el("div", {}, `+ ${names(node.came)}`))])));
      colourBy(params);
    } catch (error) { result.replaceChildren(el("p", {}, error.message)); }
  };
  box.replaceChildren(el("p", { className: "soft" }, "Which nodes change their neighbours most between two shares of the links?"),
    el("div", { className: "row" }, lambdaField("from", "from", 0.2), lambdaField("to", "to", 0.8),
      el("button", { type: "button", id: "moved", onclick: run }, "Compare")), result);
};

const line = (points) => {
  const [wide, high, left, low] = [320, 150, 36, 22];
  const values = points.map((point) => point.agreement);
  const [least, most] = [Math.min(...values), Math.max(...values)], span = Math.max(most - least, 1e-6);
  const x = (lambda) => left + lambda * (wide - left - 8);
  const y = (value) => 8 + (most - value) / span * (high - low - 16);
  const text = (x, y, words, anchor) => svg("text", { x, y, "text-anchor": anchor }, words);
  const path = points.map((point, at) => `${at ? "L" : "M"}${x(point.lambda)},${y(point.agreement)}`).join("");
  return svg("svg", { viewBox: `0 0 ${wide} ${high}`, role: "img",
    "aria-label": points.map((point) => `lambda ${point.lambda}: ${percent(point.agreement)}`).join("; ") },
  svg("path", { d: path, fill: "none", stroke: "currentColor", "stroke-width": 2 }),
  ...points.map((point) => svg("circle", { cx: x(point.lambda), cy: y(point.agreement), r: 3, fill: "currentColor" })),
  text(left - 5, 13, percent(most), "end"), text(left - 5, high - low - 2, percent(least), "end"),
  text(x(0), high - 5, "\u03bb = 0", "start"), text(x(1), high - 5, "1", "end"));
};

// Returns what to do once all candidates are known.
export const showModel = (about) => {
  const box = $("model"), size = `${count(about.nodes)} nodes, ${about.columns} columns`;
  if (about.preset === null) {
    box.replaceChildren(el("p", {}, size), el("p", { className: "soft" }, "Rows of an embedding: nearness is the cosine between them."));
    return async () => {};
  }
  const views = about.views.map((view) => [view.name, count(view.observed), view.loss.toFixed(4)]);
  const facts = `${size}, preset ${about.preset}, relative loss ${about.relative_loss.toFixed(4)}`;
  box.replaceChildren(el("p", {}, facts),
    el("h3", {}, "Views"), table("Views", ["view", { title: "nodes", number: true }, { title: "loss", number: true }], views),
    el("h3", {}, "Certificate"));
  if (about.certificate) {
    const rows = about.certificate.views.map((view) => [view.view, view.distance_error.value.toFixed(4), view.loss.toFixed(4), view.least_loss.toFixed(4)]);
    const right = (title) => ({ title, number: true });
    box.append(table("Certificate", ["view", right("distance error"), right("loss"), right("least possible")], rows));
  } else {
    box.append(el("p", { className: "soft" }, "The model carries none."));
  }
  const sweep = el("div", { id: "sweep" });
  box.append(el("h3", {}, "Near nodes of the same class, along lambda"), sweep);
  const run = async () => {
    try {
      sweep.replaceChildren(line(await getJson("/api/agreement")));
    } catch (error) {
      sweep.replaceChildren(el("p", { className: "soft" }, error.message));
    }
  };
  if (about.has_classes && about.takes_lambda) return run;
  sweep.append(el("p", { className: "soft" }, about.has_classes
    ? "The views are all of one kind, so there is no lambda." : "There are no classes."));
  return async () => {};
};
