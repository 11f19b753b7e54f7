// The shared worker: it has the stream of all tabs of a browser. A tab sends {id, place} to follow a block of rows and
// {id} to end that; it gets {id, sections, changes, total} and {id, state}.
import { Streams } from "/streams.js";

const streams = new Streams();

addEventListener("connect", ({ ports: [port] }) => {
  const ends = new Map();
  port.onmessage = ({ data: { id, place, isGone } }) => {
    if (isGone) return ends.forEach((end) => end());
    if (!place) {
      ends.get(id)?.();
      return ends.delete(id);
    }
    ends.set(id, streams.follow(place, {
      change: (sections, changes, total) => port.postMessage({ id, sections, changes, total }),
      state: (state) => port.postMessage({ id, state }),
    }));
  };
});
