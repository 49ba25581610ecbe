// Small helpers for the document. Text is always set as text, never as HTML.

export const $ = (id) => document.getElementById(id);

export const el = (kind, options = {}, ...children) => {
  const made = document.createElement(kind);
  for (const [name, value] of Object.entries(options)) {
    if (name === "style") Object.assign(made.style, value);
    else if (name.startsWith("on")) made[name] = value;
    else if (name in made && typeof value !== "string") made[name] = value;
    else made.setAttribute(name === "className" ? "class" : name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
};

const SVG = "http://www.w3.org/2000/svg";
export const svg = (kind, options = {}, ...children) => {
  const made = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(options)) made.setAttribute(name, value);
  made.append(...children);
  return made;
};

export const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export const calm = matchMedia("(prefers-reduced-motion: reduce)");
export const dark = matchMedia("(prefers-color-scheme: dark)");

export const count = (value) => value.toLocaleString("en").replaceAll(",", "\u202f");

// A table of rows; cells are text, numbers or elements.
export const table = (caption, heads, rows) => {
  const cell = (kind) => (value, at) => {
    const number = typeof value === "number";
    const options = number || heads[at].number ? { className: "number" } : {};
    return el(kind, options, number ? count(value) : value);
  };
  const head = el("tr", {}, ...heads.map((item, at) => {
    const made = cell("th")(item.title ?? item, at);
    made.scope = "col";
    return made;
  }));
  const body = rows.map((row) => el("tr", {}, ...row.map(cell("td"))));
  return el("div", { className: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    el("table", {}, el("thead", {}, head), el("tbody", {}, ...body)));
};
