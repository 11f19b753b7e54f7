// Gives the events of a file, as curl has written it, to the browser's client, and prints its list:
// node replay.mjs live-list.js EVENTS
//
// Each frame without `reset` comes twice.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

let source;
globalThis.location = { href: "http://localhost/" };
const counts = { patches: 0, resets: 0, connections: 0 };
globalThis.EventSource = class { constructor() { source = this; counts.connections++; } addEventListener() {} close() {} };
const { LiveList } = await import(pathToFileURL(process.argv[2]));
const list = new LiveList("/", { change: (_, changes) => { changes ? counts.patches++ : counts.resets++; } });
let name = "";  // of an event that is not a frame
for (const line of readFileSync(process.argv[3], "utf8").split("\n")) {
  if (line === "") name = "";
  if (line.startsWith("event: ")) name = line;
  if (!line.startsWith("data: ") || name !== "") continue;
  const data = line.slice(6);
  source.onmessage({ data });
  if (!JSON.parse(data).reset) source.onmessage({ data });
}
list.close();
console.log(JSON.stringify({ sections: list.sections, counts }));
