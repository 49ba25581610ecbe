// Colours of classes and numbers. Classes beyond the list take hues by the golden angle, lighter and
// darker in turn, so that any number of them differ.

const LIST = ["#2f6fd0", "#d9761a", "#1f915f", "#c4325a", "#7d54c4", "#8f8a12", "#1493b0", "#d45fa8",
  "#865a35", "#6fa82c", "#4e5a8c", "#d09a00"];
export const NONE = "#8a8f98";

const bytes = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

const hue = (at) => {
  const [h, s, l] = [(at * 137.508) % 360, 0.62, at % 2 ? 0.42 : 0.56];
  const part = (n) => {
    const k = (n + h / 30) % 12;
    return Math.round(255 * (l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return `#${[0, 8, 4].map((n) => part(n).toString(16).padStart(2, "0")).join("")}`;
};

export const classColour = (at) => LIST[at] ?? hue(at);

const RAMP = ["#3b3f8f", "#2b6ea6", "#1f968b", "#5db653", "#c9c12c", "#e8912d"].map(bytes);

export const rampColour = (t) => {
  const place = Math.max(0, Math.min(1, t)) * (RAMP.length - 1), low = Math.min(RAMP.length - 2, Math.floor(place));
  return RAMP[low].map((value, at) => Math.round(value + (place - low) * (RAMP[low + 1][at] - value)));
};

export const rampCss = () => `linear-gradient(90deg, ${RAMP.map((c) => `rgb(${c})`).join(", ")})`;

// Reads what the server sends: the length of a head, the head, then a class or a number per node.
export const readColour = (buffer) => {
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  if (head.kind === "classes") return { ...head, values: new Uint16Array(buffer, 4 + length) };
  return { ...head, values: new Float32Array(buffer, 4 + length) };
};

// Where a number stands between the smallest and the largest, and what these are. Counts that reach
// far are spread by their logarithm.
export const scaleOf = (values) => {
  const sorted = Float32Array.from(values.filter(Number.isFinite)).sort();
  if (!sorted.length) return { low: 0, high: 0, at: () => 0 };
  const [low, high] = [sorted[Math.floor(sorted.length * 0.005)], sorted[Math.ceil(sorted.length * 0.995) - 1]];
  const far = low >= 0 && high > 20 * Math.max(1, sorted[sorted.length >> 1]);
  const curve = far ? (value) => Math.log1p(Math.max(0, value)) : (value) => value;
  const [a, b] = [curve(low), curve(high)];
  return { low, high, at: (value) => (b > a ? (curve(value) - a) / (b - a) : 0.5) };
};

// Four bytes for every node: red, green, blue, and how much of it shows.
export const paint = (colour, hidden) => {
  const out = new Uint8Array(4 * colour.values.length);
  const none = bytes(NONE);
  if (colour.kind === "classes") {
    const looks = colour.names.map((_, at) => bytes(classColour(at)));
    colour.values.forEach((own, node) => {
      out.set(looks[own] ?? none, 4 * node);
      out[4 * node + 3] = hidden.has(own) ? 0 : 255;
    });
    return out;
  }
  colour.values.forEach((value, node) => {
    out.set(Number.isFinite(value) ? rampColour(colour.scale.at(value)) : none, 4 * node);
    out[4 * node + 3] = 255;
  });
  return out;
};
