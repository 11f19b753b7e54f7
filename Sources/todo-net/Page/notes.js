// The notes of an item: shown, added, edited and removed.
import { api, attempt, quiet, save } from "/api.js";
import { element } from "/element.js";

// A field for a note. Enter saves it, Shift and Enter begin another line.
function field(label, value, submit) {
  const input = element("textarea", { "aria-label": label, placeholder: label, rows: 1, dir: "auto", maxlength: 10000 });
  input.value = input.former = value;
  const form = element("form", {
    onsubmit: (event) => {
      event.preventDefault();
      if (input.value.trim()) submit(input);
    },
  }, input, element("button", { class: "quiet" }, "Save"));
  input.onkeydown = (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  };
  return form;
}

export function newNote(row) {
  return field("Add a note", "", async (input) => {
    const text = input.value;
    const added = await attempt(() => api("POST", `items/${row.item.id}/notes`, { text }));
    if (added && input.value === text) input.value = "";
  });
}

// Shows an item's notes in a list. A line that is being edited stays, also if its note has gone, and so does what has
// the focus.
export function drawNotes(ul, row) {
  const lines = [...ul.children], texts = row.item.notes ?? [];
  texts.forEach((text, index) => {
    const former = lines[index];
    if (former?.isEditing || former?.text === text) return;
    const line = noteLine(row, index + 1, text);
    if (!former) return ul.append(line);
    const focused = [...former.children].indexOf(document.activeElement);
    former.replaceWith(line);
    line.children[focused]?.focus({ preventScroll: true });
  });
  for (const line of lines.slice(texts.length)) if (!line.isEditing) line.remove();
}

function noteLine(row, number, text) {
  const path = () => `items/${row.item.id}/notes/${number}`;
  const line = element("li", {}, element("span", { dir: "auto" }, text));
  line.append(
    quiet("Edit", () => edit(line, row, number, text), { "aria-label": `Edit note ${number}` }),
    quiet("Remove", () => attempt(() => api("DELETE", path(), undefined, row.item.tag)),
      { "aria-label": `Remove note ${number}` }));
  return Object.assign(line, { text });
}

function edit(line, row, number, text) {
  let { tag } = row.item;
  const ul = line.parentNode;
  const end = () => {
    const hadFocus = form.contains(document.activeElement);
    editing.isEditing = false;
    drawNotes(ul, row);
    if (hadFocus) (ul.children[number - 1]?.querySelector("button") ?? row).focus({ preventScroll: true });
  };
  const form = field(`Edit note ${number}`, text, async (input) => {
    const path = `items/${row.item.id}/notes/${number}`;
    const isSaved = input.value === text || await save(() => api("PUT", path, { text: input.value }, tag), async () => {
      const now = await api("GET", `items/${row.item.id}`).catch(() => null);
      if (now) ({ tag } = now);
      return now?.item.notes[number - 1];
    });
    if (isSaved) end();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    end();
  });
  const editing = Object.assign(element("li", {}, form), { isEditing: true });
  line.replaceWith(editing);
  form.firstChild.focus();
}
