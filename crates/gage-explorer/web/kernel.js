// The same questions as in api.js, put to a kernel: the page stands in a frame of a notebook, whose
// widget passes them on.

export const token = "kernel";

// The widget hands over one end of a channel, once. A frame gets no second one: somebody else in
// the notebook could send it.
const opened = new Promise((go) => {
  const take = (event) => {
    if (event.source !== window.parent || event.data !== "gage" || !event.ports[0]) return;
    window.removeEventListener("message", take);
    const [port] = event.ports;
    port.onmessage = ({ data }) => waiting.get(data.id)?.(data);
    go(port);
  };
  window.addEventListener("message", take);
});
window.parent.postMessage("gage", "*");

const waiting = new Map();
let last = 0;

// Sends a question; `each` is called with the pieces of the answer. Resolves after the last one.
const ask = async (method, path, params, body, signal, each) => {
  const port = await opened, id = ++last;
  const query = new URLSearchParams(params).toString();
  await new Promise((done, failed) => {
    const end = (settle, value) => { waiting.delete(id); settle(value); };
    signal?.addEventListener("abort", () => end(failed, signal.reason));
    if (signal?.aborted) { failed(signal.reason); return; }
    waiting.set(id, ({ status, body, more, error }) => {
      if (status !== 200) {
        end(failed, Object.assign(new Error(error || `status ${status}`), { status }));
        return;
      }
      if (body) each(body);
      if (!more) end(done);
    });
    port.postMessage({ id, method, path: query ? `${path}?${query}` : path, body });
  });
};

const whole = async (method, path, params, body, signal) => {
  const pieces = [];
  await ask(method, path, params, body, signal, (piece) => pieces.push(piece));
  return new Blob(pieces);
};

export const getJson = async (path, params = {}, signal) =>
  JSON.parse(await (await whole("GET", path, params, null, signal)).text());

export const getBytes = async (path, params = {}, signal) =>
  (await whole("GET", path, params, null, signal)).arrayBuffer();

export const post = async (path, nodes, params = {}) => {
  const answer = await whole("POST", path, params, Uint32Array.from(nodes).buffer);
  return { blob: async () => answer, json: async () => JSON.parse(await answer.text()) };
};

// A piece is a frame.
export const streamFrames = (path, params, signal, show) => ask("GET", path, params, null, signal, show);
