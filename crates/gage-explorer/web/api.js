// Talking to the server of this page. The token of the run stands in the fragment of the address.

const fragment = () => new URLSearchParams(location.hash.slice(1));
export const token = fragment().get("token") ?? "";

const request = (path, params, options = {}) => {
  const query = new URLSearchParams(params).toString();
  const headers = { "X-Gage-Token": token };
  return fetch(query ? `${path}?${query}` : path, { ...options, headers, cache: "no-store" });
};

const checked = async (answer) => {
  if (answer.ok) return answer;
  const said = await answer.json().catch(() => ({}));
  throw Object.assign(new Error(said.error ?? `status ${answer.status}`), { status: answer.status });
};

export const getJson = async (path, params = {}, signal) =>
  (await checked(await request(path, params, { signal }))).json();

export const getBytes = async (path, params = {}, signal) =>
  (await checked(await request(path, params, { signal }))).arrayBuffer();

export const post = async (path, nodes, params = {}) =>
  checked(await request(path, params, { method: "POST", body: Uint32Array.from(nodes) }));

// Calls `show` with every frame of a stream of frames: a head of 32 bytes, then four for each node.
export const streamFrames = async (path, params, signal, show) => {
  const answer = await checked(await request(path, params, { signal }));
  const reader = answer.body.getReader();
  const parts = [];
  let held = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    parts.push(value);
    held += value.length;
    for (;;) {
      if (held < 32) break;
      const all = parts.length === 1 ? parts[0] : join(parts.splice(0), held);
      if (parts.length === 0) parts.push(all);
      const nodes = new DataView(all.buffer, all.byteOffset).getUint32(8, true);
      const length = 32 + 4 * nodes;
      if (held < length) break;
      show(all.slice(0, length).buffer);
      parts.splice(0, parts.length, all.subarray(length));
      held -= length;
    }
  }
};

const join = (parts, length) => {
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) { all.set(part, at); at += part.length; }
  return all;
};
