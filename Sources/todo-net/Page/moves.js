// What moving a row means: a place in a list, or in the other views the date, the priority or the tag of a section.
import { api, attempt } from "/api.js";
import { toast } from "/messages.js";
import { isDay, sectionWords } from "/words.js";

const patch = (item, fields) => () => api("PATCH", `items/${item.id}`, fields, item.tag);

// Moves an item before or after another one.
export function moveBeside({ item }, where, other, words) {
  return attempt(() => api("POST", `items/${item.id}/move`, { [where]: other.item.id }, item.tag), words);
}

// Gives an item what all items of a section have. The sections are those of the view: {id, name}.
export function moveTo({ item }, view, from, to) {
  const name = sectionWords(to.name, view);
  const words = `Moved “${item.title}” to ${name || "Items"}`;
  if (view === "priority") {
    return attempt(patch(item, { priority: to.name === "no priority" ? null : to.name }), words);
  }
  if (view === "tag") {
    const others = (item.tags ?? []).filter((tag) => tag !== from.name);
    // A tag may have the name of the section of the items without tags, but not its id.
    return attempt(patch(item, { tags: "none" in to.id ? others : [...others, to.name] }), words);
  }
  if (isDay(to.name)) return attempt(patch(item, { due: onDay(item.due, to.name) }), words);
  if (to.name === "no date") return attempt(patch(item, { due: null }), words);
  toast(`An item can't be moved to ${name}. Move it to a day.`);
}

// A due date on another day, at the same time of day.
function onDay(due, day) {
  if (!due || isDay(due)) return day;
  const date = new Date(due);
  const [year, month, number] = day.split("-").map(Number);
  date.setFullYear(year, month - 1, number);
  return date.toISOString().replace(/\.\d+/, "");
}

// Moves the selected row past its neighbour, or where that is in another section, into that section.
export function moveByKey(list, row, step) {
  if (!row) return;
  if (list.view === "done") return toast("What is done stays in the order in which it was done.");
  const rows = list.shown, other = rows[rows.indexOf(row) + step], section = list.sectionOf(row);
  if (list.view === "list") {
    if (!other) return toast(step < 0 ? "It is the first of all." : "It is the last of all.");
    const isInside = other.item.list === row.item.list;
    const where = (step > 0) === isInside ? "after" : "before";
    const words = isInside ? step > 0 ? "down" : "up" : `to ${other.item.list}`;
    return moveBeside(row, where, other, `Moved “${row.item.title}” ${words}`);
  }
  const next = list.sectionBeside(section, step);
  if (!next) return toast(step < 0 ? "It is in the first section." : "It is in the last section.");
  moveTo(row, list.view, section, next);
}
