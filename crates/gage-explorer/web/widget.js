// What a notebook runs: a frame with the page, and messages between it and the kernel. The frame has
// an origin of its own, so that page and notebook cannot touch one another.

const note = (words) => {
  const made = document.createElement("p");
  made.textContent = words;
  return made;
};

const bytes = (view) => view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength);

const render = ({ model, el }) => {
  // A view of the widget; there may be several of it.
  const own = `${Date.now()}-${Math.random()}`;
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  frame.title = model.get("title");
  Object.assign(frame.style, { width: "100%", height: `${model.get("height")}px`, border: "0" });
  const send = (question, body) => model.send({ ...question, view: own }, undefined, body ? [body] : []);
  // A frame that is moved within the document starts anew, and gets a new channel.
  let port = null;
  const connect = ({ source, data }) => {
    if (source !== frame.contentWindow || data !== "gage") return;
    const channel = new MessageChannel();
    port?.close();
    port = channel.port1;
    port.onmessage = ({ data: { body, ...question } }) => send(question, body);
    source.postMessage("gage", "*", [channel.port2]);
  };
  window.addEventListener("message", connect);
  // Without a kernel nobody answers the first question.
  const late = setTimeout(() => el.replaceChildren(
    note("The explorer needs the kernel that made it: run its cell again.")), 20000);
  const hear = ({ view, ...answer }, buffers) => {
    if (view !== own) return;
    const body = buffers?.[0] && bytes(buffers[0]);
    if (answer.id !== 0) { port?.postMessage({ ...answer, body }, body ? [body] : []); return; }
    clearTimeout(late);
    frame.srcdoc = new TextDecoder().decode(body);
    el.replaceChildren(frame);
  };
  model.on("msg:custom", hear);
  send({ id: 0, method: "GET", path: "" });
  return () => {
    clearTimeout(late);
    model.off("msg:custom", hear);
    window.removeEventListener("message", connect);
    port?.close();
  };
};

export default { render };
