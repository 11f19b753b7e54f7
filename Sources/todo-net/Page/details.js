// The details of a row: its notes, its dates, and what can be done with it. And the line that edits it.
import { api, quiet, remove, save, start } from "/api.js";
import { completes } from "/complete.js";
import { toast } from "/messages.js";
import { drawNotes, newNote } from "/notes.js";
import { element } from "/element.js";
import { momentWords, repeatWords } from "/words.js";

export function open(row) {
  const details = row.querySelector(".details");
  if (details) details.remove();
  else {
    const box = element("div", { class: "details" });
    box.append(element("ul", { class: "notes", "aria-label": "Notes", role: "list" }), newNote(row), element("dl"),
      element("div", { class: "actions" }));
    row.append(box);
    drawDetails(row);
  }
  row.parts.main.setAttribute("aria-expanded", String(!details));
}

// Shows an item's details again, if they are open.
export function drawDetails(row) {
  const box = row.querySelector(".details");
  if (!box) return;
  const { item } = row;
  const [notes, , facts, actions] = box.children;
  drawNotes(notes, row);
  const rows = [
    ["Due", item.due && momentWords(item.due)], ["Repeats", item.every && repeatWords(item.every)],
    ["List", item.list], ["Hidden until", item.wait && momentWords(item.wait)],
    ["Added", item.created && momentWords(item.created)], ["Done", item.completed && momentWords(item.completed)],
    ["Number", item.id],
  ].filter(([, text]) => text);
  facts.replaceChildren(...rows.map(([name, text]) =>
    element("div", {}, element("dt", {}, name), element("dd", { dir: "auto" }, text))));
  const focused = [...actions.children].indexOf(document.activeElement);
  actions.replaceChildren(
    quiet("Edit", () => edit(row)),
    ...(item.done ? [] : [quiet(item.started ? "Stop" : "Start", () => start(row.item))]),
    quiet("Delete", () => remove(row.item), { class: "quiet danger" }));
  actions.children[focused]?.focus({ preventScroll: true });
}

// The names of the lists and tags: fetched when a line is begun, and kept while it is typed.
let names;
const fetchNames = async () => {
  const [{ lists }, { tags }] = await Promise.all([api("GET", "lists"), api("GET", "tags")]);
  return { lists: lists.map(({ name }) => name), tags: tags.map(({ name }) => name) };
};
export const allNames = () => names ??= fetchNames();
document.addEventListener("focusin", (event) => { if (event.target.matches("#line, .edit input")) names = null; });

// Edits an item as the line that would add it.
export async function edit(row) {
  const path = `items/${row.item.id}`;
  let answer;
  try { answer = await api("GET", path); } catch (error) { return toast(error.message); }
  if (row.querySelector(".edit")) return;  // pressed twice
  let { line, tag } = answer;
  const input = element("input", { "aria-label": `Edit ${row.item.title}`, maxlength: 4000, dir: "auto" });
  input.value = line;
  const end = () => {
    const hadFocus = form.contains(document.activeElement);
    row.classList.remove("editing");
    form.remove();
    if (hadFocus && row.isConnected) row.focus({ preventScroll: true });
  };
  const form = element("form", {
    class: "edit",
    onsubmit: async (event) => {
      event.preventDefault();
      const isSaved = input.value === line || await save(() => api("PATCH", path, { line: input.value }, tag), async () => {
        const now = await api("GET", path).catch(() => null);
        if (now) [line, tag] = [now.line, now.tag];
        return now?.line;
      });
      if (isSaved) end();
    },
    onkeydown: (event) => {
      if (event.key === "Escape") { event.stopPropagation(); end(); }
    },
  }, input, element("button", { class: "quiet" }, "Save"));
  input.former = line;
  completes(input, allNames);
  row.classList.add("editing");
  row.insertBefore(form, row.parts.main);
  input.focus();
  // Behind the title, which is what is changed most.
  const { length } = line.startsWith(row.item.title) ? row.item.title : line;
  input.setSelectionRange(length, length);
  input.scrollLeft = 0;
}

// A row has gone, perhaps with what was being typed in it.
export function lost(row) {
  for (const input of row.querySelectorAll("form :is(input, textarea)")) {
    if (!input.value || input.value === input.former) continue;
    toast(`“${row.item.title}” has gone. You had typed: ${input.value}`);
  }
}
