// Requests to the API, and changes that are shown with a button that takes them back.
import { element } from "/element.js";
import { toast } from "/messages.js";
import { dayWords } from "/words.js";

// Dates are typed and shown in the zone of the browser, wherever the service is.
export const zone = `${Intl.DateTimeFormat().resolvedOptions().timeZone ?? "UTC"} ${-60 * new Date().getTimezoneOffset()}`;

// Returns the answer, with the tag of the item's state. Throws an Error with a sentence, the status and the answer.
export async function api(method, path, body, tag) {
  const headers = { "Time-Zone": zone };
  if (body) headers["Content-Type"] = "application/json";
  if (tag) headers["If-Match"] = `"${tag}"`;
  let response;
  try {
    response = await fetch(`/api/${path}`, { method, headers, body: body && JSON.stringify(body) });
  } catch {
    throw new Error("There is no connection to the service, so nothing was changed.");
  }
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return Object.assign(answer, { tag: response.headers.get("ETag")?.split('"')[1] });
  const text = answer.detail ?? `The answer was ${response.status}.`;
  throw Object.assign(new Error(text.charAt(0).toUpperCase() + text.slice(1)), { status: response.status, ...answer });
}

// Makes a change, and says what it was: in the words that are given, or else in those of its label.
export async function attempt(change, words) {
  try {
    const result = await change();
    const next = result.next?.[0]?.due;
    if (result.label) toast(words ?? sentence(result) + (next ? `, next ${dayWords(next)}` : ""), "Undo", undoOf(result));
    return result;
  } catch (error) {
    toast(error.message);
  }
}

const verbs = {
  done: "Done:", undone: "Open again:", edit: "Changed", remove: "Deleted", start: "Started", stop: "Stopped",
  note: "Noted on", move: "Moved", "edit note": "Changed a note of", "remove note": "Removed a note of",
};
// The label is "edit \"Milk\"".
export function sentence({ label }) {
  const cut = label.indexOf(' "');
  return `${verbs[label.slice(0, cut)] ?? label.slice(0, cut)} ${label.slice(cut + 1)}`;
}

// Takes back the last change, or makes it again: whoever's it is, or only the one with a revision.
async function takeBack(path, revision, words, action, run) {
  try {
    const result = await api("POST", path, revision && { revision });
    toast(`${words}: ${result.label}`, action, () => run(result.revision));
  } catch (error) {
    toast(error.message);
  }
}
export const undo = (revision) => takeBack("undo", revision, "Undone", "Redo", redo);
export const redo = (revision) => takeBack("redo", revision, "Done again", "Undo", undo);
// For a message about a change: the button must not take back what somebody else has done since.
export const undoOf = ({ revision }) => () => undo(revision);

export const toggle = (item) => attempt(() => api("PATCH", `items/${item.id}`, { done: !item.done }, item.tag));
export const remove = (item) => attempt(() => api("DELETE", `items/${item.id}`, undefined, item.tag));
export const start = (item) => attempt(() => api("PATCH", `items/${item.id}`, { started: !item.started }, item.tag));

// Saves what was typed over an item's former state. `read` returns what is there now, if it was changed meanwhile: that
// is shown, and the next attempt replaces it. Returns whether it is saved.
export async function save(change, read) {
  try {
    const result = await change();
    if (result.label) toast(sentence(result), "Undo", undoOf(result));
    return true;
  } catch (error) {
    if (error.status !== 412) toast(error.message);
    else toast(`It was changed meanwhile, to: ${await read() ?? "nothing"}. Enter saves yours, Escape leaves that.`);
    return false;
  }
}

export const quiet = (text, run, more = {}) =>
  element("button", { type: "button", class: "quiet", onclick: run, ...more }, text);
