// Gives the events of a file, as curl has written it, to the browser's client, and prints its list:
// node replay.mjs live-list.js EVENTS
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

let source;
globalThis.location = { href: "http://localhost/" };
globalThis.EventSource = class { constructor() { source = this; } close() {} };
const { LiveList } = await import(pathToFileURL(process.argv[2]));
const counts = { patches: 0, resets: 0, connections: 1 };
const list = new LiveList("/", { change: (_, changes) => { changes ? counts.patches++ : counts.resets++; } });
for (const line of readFileSync(process.argv[3], "utf8").split("\n")) {
  if (line.startsWith("data: ") && !line.includes('{"end"')) source.onmessage({ data: line.slice(6) });
}
console.log(JSON.stringify({ sections: list.sections, counts }));
