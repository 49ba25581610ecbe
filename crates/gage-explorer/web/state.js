// What a link to the page keeps: shares, node, colours and view, in the fragment of the address.

import { token } from "./api.js";

// A page in a frame of a notebook has no address.
export const linkable = location.protocol !== "about:";

const start = new URLSearchParams(location.hash.slice(1));

export const state = {
  shares: start.get("shares")?.split(",").map(Number).filter(Number.isFinite) ?? null,
  node: start.has("node") ? Number(start.get("node")) : -1,
  colour: start.get("colour") ?? "",
  column: start.get("column") ?? "",
  view: start.get("view")?.split(",").map(Number) ?? null,
};

const short = (number) => String(Number(number.toPrecision(5)));

export const remember = () => {
  if (!linkable) return;
  const kept = new URLSearchParams({ token });
  if (state.shares) kept.set("shares", state.shares.map(short).join(","));
  if (state.node >= 0) kept.set("node", state.node);
  if (state.colour) kept.set("colour", state.colour);
  if (state.column) kept.set("column", state.column);
  if (state.view) kept.set("view", state.view.map(short).join(","));
  history.replaceState(null, "", `#${kept}`);
};
