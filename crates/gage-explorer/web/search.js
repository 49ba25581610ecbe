// A field that completes: names in a list below it, chosen with the arrows and Enter, or a click.

import { el } from "./dom.js";

// `find(words)` promises items with a `text`; `take(item)` is called with the chosen one.
export const completing = (input, list, find, take) => {
  let items = [], at = 0, asked = 0;
  const close = () => {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const choose = (item) => { input.value = item.text; close(); take(item); };
  const show = () => {
    list.replaceChildren(...items.map((item, rank) => el("li", {
      id: `${list.id}-${rank}`, role: "option", "aria-selected": String(rank === at),
      onpointerdown: (event) => { event.preventDefault(); choose(item); },
    }, item.text)));
    list.hidden = !items.length;
    input.setAttribute("aria-expanded", String(!list.hidden));
    if (items.length) input.setAttribute("aria-activedescendant", `${list.id}-${at}`);
  };
  const look = async () => {
    const own = ++asked;
    const found = await find(input.value).catch(() => []);
    // Answers to what was typed before are of no interest any more.
    if (own !== asked) return false;
    items = found;
    at = 0;
    show();
    return true;
  };
  input.addEventListener("input", look);
  input.addEventListener("blur", close);
  input.addEventListener("keydown", async (event) => {
    if (event.key === "Escape") { close(); return; }
    if (event.key === "Enter") {
      event.preventDefault();
      if (list.hidden || !items.length) await look();
      if (items.length) choose(items[at]);
      return;
    }
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by || !items.length) return;
    event.preventDefault();
    at = (at + by + items.length) % items.length;
    show();
  });
};
