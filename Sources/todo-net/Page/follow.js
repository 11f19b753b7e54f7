// follow(place, {change, state}) follows a block of rows, and returns a function that ends it: through the worker that
// all tabs share, or where there are no shared workers (Chrome on Android) with a stream of this tab.
import { Streams } from "/streams.js";

function throughWorker() {
  // Another number for another form of the messages: an old tab keeps the worker of its own time.
  const { port } = new SharedWorker("/worker.js", { type: "module", name: "lists 1" });
  const followers = new Map();
  let count = 0;
  port.onmessage = ({ data: { id, sections, changes, total, state } }) => {
    const follower = followers.get(id);
    if (state) follower?.state(state);
    else follower?.change(sections, changes, total);
  };
  // A worker isn't told that a tab was closed.
  addEventListener("pagehide", () => port.postMessage({ isGone: true }));
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  return (place, follower) => {
    const id = ++count;
    followers.set(id, follower);
    port.postMessage({ id, place });
    return () => {
      followers.delete(id);
      port.postMessage({ id });
    };
  };
}

function alone() {
  const streams = new Streams();
  let hiding;
  document.addEventListener("visibilitychange", () => {
    clearTimeout(hiding);
    if (document.hidden) hiding = setTimeout(() => streams.pause(), 3000);
    else streams.resume();
  });
  return (place, follower) => streams.follow(place, follower);
}

export const follow = globalThis.SharedWorker ? throughWorker() : alone();
