// Gives the events of a file, as curl has written it, to the browser's client, and prints its list:
// node replay.mjs live-list.js EVENTS
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

let source;
globalThis.location = { href: "http://localhost/" };
globalThis.EventSource = class { constructor() { source = this; } addEventListener() {} close() {} };
const { LiveList } = await import(pathToFileURL(process.argv[2]));
const counts = { patches: 0, resets: 0, connections: 1 };
const list = new LiveList("/", { change: (_, changes) => { changes ? counts.patches++ : counts.resets++; } });
let name = "";  // of an event that is not a frame
for (const line of readFileSync(process.argv[3], "utf8").split("\n")) {
  if (line === "") name = "";
  if (line.startsWith("event: ")) name = line;
  if (line.startsWith("data: ") && name === "") source.onmessage({ data: line.slice(6) });
}
list.close();
console.log(JSON.stringify({ sections: list.sections, counts }));
