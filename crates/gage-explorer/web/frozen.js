// The same questions as in api.js, answered from data inside the page: a frozen explorer has no
// server. Layouts at a few shares are mixed; neighbours are ranked again among the candidates.

const data = JSON.parse(document.getElementById("frozen").textContent);
const bytes = (text) => {
  const raw = atob(text), out = new Uint8Array(raw.length);
  for (let at = 0; at < raw.length; at++) out[at] = raw.charCodeAt(at);
  return out.buffer;
};
const { about, ids } = data;
const views = about.views.length;
const starts = new Uint32Array(bytes(data.starts)), rows = new Uint32Array(bytes(data.rows));
const products = new Float32Array(bytes(data.products)), own = new Float32Array(bytes(data.own));
const layouts = data.layouts.map(bytes);
const lower = ids.map((id) => id.toLowerCase());
const classes = data.colours.label && new Uint16Array(
  bytes(data.colours.label), 4 + new DataView(bytes(data.colours.label)).getUint32(0, true));
const classOf = (node) => data.class_names[classes?.[node]] ?? null;

export const token = "frozen";

const mixed = (lambda) => data.ends[0].map((share, at) => share + lambda * (data.ends[1][at] - share));
const sharesOf = (params, prefix = "") => {
  const [lambda, shares] = [params[`${prefix}lambda`], params[`${prefix}shares`]];
  if (lambda !== undefined) return mixed(Number(lambda));
  return shares === undefined ? about.shares : shares.split(",").map(Number);
};

const square = (node, shares) => shares.reduce((sum, share, at) => sum + share * own[views * node + at], 0);

const nearest = (node, shares, most) => {
  const length = square(node, shares), found = [];
  if (length <= 0) return found;
  for (let at = starts[node]; at < starts[node + 1]; at++) {
    const other = square(rows[at], shares);
    if (other <= 0) continue;
    const scale = Math.sqrt(length * other);
    const byView = shares.map((share, view) => share * products[views * at + view] / scale);
    found.push({ node: rows[at], value: byView.reduce((sum, part) => sum + part, 0), by_view: byView });
  }
  return found.sort((a, b) => b.value - a.value || a.node - b.node).slice(0, most);
};

const named = (node) => ({ node, id: ids[node] });

const changes = (params) => {
  const sides = [sharesOf(params, "from_"), sharesOf(params, "to_")];
  const of = (node) => sides.map((shares) => nearest(node, shares, 15).map((near) => near.node));
  return ids.map((_, node) => {
    const [left, came] = of(node), all = Math.max(left.length, came.length);
    return { ...named(node), changed: all ? 1 - left.filter((near) => came.includes(near)).length / all : 0,
      left: left.filter((near) => !came.includes(near)).slice(0, 4).map(named),
      came: came.filter((near) => !left.includes(near)).slice(0, 4).map(named) };
  });
};

const search = (words) => {
  const wanted = words.trim().toLowerCase();
  const ranked = wanted ? lower.flatMap((name, node) => {
    const at = name.indexOf(wanted);
    return at < 0 ? [] : [{ node, rank: [name === wanted ? 0 : at > 0 ? 2 : 1, name.length, node] }];
  }) : [];
  const before = (a, b) => a.rank.reduce((sign, value, at) => sign || value - b.rank[at], 0);
  return ranked.sort(before).slice(0, 8).map(({ node }) => named(node));
};

const answers = {
  "/api/about": () => about,
  "/api/progress": () => ({ anchors_done: 1, anchors: 1 }),
  "/api/shares": (params) => sharesOf(params),
  "/api/names": ({ from, count }) => ids.slice(from, from + count),
  "/api/search": ({ q }) => search(q),
  "/api/columns": () => [],
  "/api/node": ({ node }) => ({ ...named(node), classes: [classOf(node)].filter(Boolean), attributes: [], links: [] }),
  "/api/neighbours": (params) => ({ shares: sharesOf(params), exact: false,
    neighbours: nearest(params.node, sharesOf(params), params.count).map((near) => ({ ...near, id: ids[near.node] })) }),
  "/api/agreement": () => data.agreement,
  "/api/moved": (params) => {
    const all = changes(params);
    return { mean: all.reduce((sum, node) => sum + node.changed, 0) / all.length,
      nodes: all.sort((a, b) => b.changed - a.changed || a.node - b.node).slice(0, 25) };
  },
};

export const getJson = async (path, params = {}) => answers[path](params);

export const getBytes = async (_, params) => {
  if (params.by !== "moved") return bytes(data.colours[params.by]);
  const head = '{"kind":"numbers"}  ';
  const out = new Uint8Array(4 + head.length + 4 * ids.length);
  new DataView(out.buffer).setUint32(0, head.length, true);
  out.set(new TextEncoder().encode(head), 4);
  out.set(new Uint8Array(Float32Array.from(changes(params), (node) => node.changed).buffer), 4 + head.length);
  return out.buffer;
};

const quoted = (cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

const summary = (nodes) => {
  const counts = new Map(), all = new Map();
  nodes.forEach((node) => counts.set(classOf(node), (counts.get(classOf(node)) ?? 0) + 1));
  ids.forEach((_, node) => all.set(classOf(node), (all.get(classOf(node)) ?? 0) + 1));
  const shares = [...counts].filter(([name]) => name !== null).sort((a, b) => b[1] - a[1]).slice(0, 16);
  const share = ([name, count]) => ({ name, inside: count / nodes.length, overall: all.get(name) / ids.length, mean: false });
  return { count: nodes.length, classes: shares.map(share), columns: [], links: [] };
};

export const post = async (path, selected) => {
  const nodes = [...selected].sort((a, b) => a - b);
  if (path === "/api/export") {
    const row = (node) => [ids[node], ...(classes ? [classOf(node) ?? ""] : [])].map(quoted).join(",");
    const text = [classes ? "id,class" : "id", ...nodes.map(row)].join("\n");
    return { blob: async () => new Blob([`${text}\n`], { type: "text/csv" }) };
  }
  const first = nodes.slice(0, 500).map((node) => ({ ...named(node), class: classOf(node) }));
  return { json: async () => ({ summary: summary(nodes), nodes: first }) };
};

// The layouts at the anchors, between which the page mixes; the first is that of the model's shares.
export const streamFrames = async (path, _, __, show) => {
  const sent = path === "/api/map" ? layouts.slice(0, 1) : layouts;
  sent.forEach((layout) => show(layout.slice(0)));
};
