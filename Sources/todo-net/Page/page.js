// The page: views, adding, keys, details and messages. Everything goes through the API, so `todo undo` takes it back.
import { completes } from "/complete.js";
import { ListView, element } from "/rows.js";
import { dayWords, momentWords, repeatWords } from "/words.js";

history.replaceState(null, "", "/" + location.hash);  // the token is a cookie now

const $ = (id) => document.getElementById(id);
const views = [
  ["today", "Today", "Nothing is due today."], ["week", "Week", "Nothing is due this week."],
  ["list", "Lists", "Nothing to do."], ["due", "Dates", "Nothing to do."],
  ["priority", "Priority", "Nothing to do."], ["done", "Done", "Nothing is done yet."],
];

// MARK: The API

async function api(method, path, body, tag) {
  const headers = {};
  if (body) headers["Content-Type"] = "application/json";
  if (tag) headers["If-Match"] = `"${tag}"`;
  let response;
  try {
    response = await fetch(`/api/${path}`, { method, headers, body: body && JSON.stringify(body) });
  } catch {
    throw new Error("There is no connection to todo-net, so nothing was changed.");
  }
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return Object.assign(answer, { tag: response.headers.get("ETag")?.split('"')[1] });
  const text = answer.detail ?? `The answer was ${response.status}.`;
  throw Object.assign(new Error(text.charAt(0).toUpperCase() + text.slice(1)), { status: response.status, ...answer });
}

// Makes a change, and shows what it was, with a button that takes it back.
async function attempt(change) {
  try {
    const result = await change();
    const next = result.next?.[0]?.due;
    if (result.label) toast(sentence(result) + (next ? `, next ${dayWords(next)}` : ""), "Undo", undo);
    return result;
  } catch (error) {
    toast(error.message);
  }
}

const verbs = {
  done: "Done:", undone: "Open again:", edit: "Changed", remove: "Deleted", start: "Started", stop: "Stopped",
  note: "Noted on", move: "Moved", "remove note": "Removed a note of",
};
// The label is "edit \"Milk\"".
function sentence({ label }) {
  const cut = label.indexOf(' "');
  return `${verbs[label.slice(0, cut)] ?? label.slice(0, cut)} ${label.slice(cut + 1)}`;
}

// Takes back the last change, whoever made it, or makes it again.
async function takeBack(path, words, action, run) {
  try {
    toast(`${words}: ${(await api("POST", path)).label}`, action, run);
  } catch (error) {
    toast(error.message);
  }
}
const undo = () => takeBack("undo", "Undone", "Redo", redo);
const redo = () => takeBack("redo", "Done again", "Undo", undo);
const toggle = (item) => attempt(() => api("PATCH", `items/${item.id}`, { done: !item.done }, item.tag));

// MARK: Messages

let fading;
function toast(text, action, run) {
  const [span, button] = $("toast").children;
  span.textContent = text;
  button.textContent = action ?? "Close";
  button.onclick = () => { $("toast").hidden = true; run?.(); };
  $("toast").hidden = false;
  clearTimeout(fading);
  fading = setTimeout(() => { $("toast").hidden = true; }, 8000);
}

function problem(id, text = "") {
  $(id).textContent = text;
  $(id).hidden = !text;
}

let losing;
async function state(text) {
  clearTimeout(losing);
  if (text === "live") {
    $("banner").hidden = true;
    return;
  }
  losing = setTimeout(async () => {
    let words = "No connection to todo-net. The list goes on by itself when it is back.";
    if (text.startsWith("refused")) {
      const answer = await fetch(`/api/items?${new URLSearchParams({ ...current, limit: 0 })}`).catch(() => null);
      if (answer?.status === 401) words = "todo-net was started again: open the address that it printed.";
      if (answer?.status === 422) return problem("filter-problem", (await answer.json()).detail);
    }
    $("banner").textContent = words;
    $("banner").hidden = false;
  }, 800);
}

// MARK: Views and the filter

let current = { view: "list", filter: "" };
const list = new ListView($("list"), {
  state, toggle, open, lost, draw: drawDetails,
  changed(count) {
    $("count").textContent = count === 1 ? "1 item" : `${count.toLocaleString("en")} items`;
    $("nothing").hidden = count > 0;
    const [, , nothing] = views.find(([id]) => id === current.view);
    $("nothing").textContent = current.filter ? "Nothing matches the filter." : nothing;
    problem("filter-problem");
  },
});

$("views").append(...views.map(([id, name]) => element("a", { href: `#view=${id}`, "data-view": id }, name)));

const address = ({ view, filter }) => `#${new URLSearchParams({ view, ...(filter && { filter }) })}`;

function show() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  const view = views.some(([id]) => id === wanted.get("view")) ? wanted.get("view") : "list";
  current = { view, filter: wanted.get("filter") ?? "" };
  const name = views.find(([id]) => id === view)[1];
  for (const link of $("views").children) {
    if (link.dataset.view === view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    link.href = address({ ...current, view: link.dataset.view });
  }
  $("heading").textContent = name;
  document.title = `${name} · todo`;
  if ($("filter").value.trim() !== current.filter) $("filter").value = current.filter;
  problem("filter-problem");
  select(null);
  list.show(view, current.filter);
}
addEventListener("hashchange", show);

let typing;
$("filter").oninput = () => {
  clearTimeout(typing);
  typing = setTimeout(applyFilter, 250);
};
async function applyFilter() {
  clearTimeout(typing);
  const filter = $("filter").value.trim();
  if (filter === current.filter) return problem("filter-problem");
  try {
    await api("GET", `items?${new URLSearchParams({ view: current.view, filter, limit: 0 })}`);
  } catch (error) {
    return problem("filter-problem", error.message);  // an unfinished one waits for the rest
  }
  if (filter !== $("filter").value.trim()) return;
  history.replaceState(null, "", address({ ...current, filter }));
  show();
}
$("filter-form").onsubmit = (event) => {
  event.preventDefault();
  applyFilter();
  $("list").focus({ preventScroll: true });
};

// MARK: Adding

$("add").onsubmit = async (event) => {
  event.preventDefault();
  const line = $("line").value;
  if (!line.trim()) return;
  const only = current.filter.match(/^\+([^\s"]+)$/)?.[1];  // what is added while one list is shown is for that list
  try {
    const { items: [item], newLists } = await api("POST", "items", { line, ...(only && { list: only }) });
    if ($("line").value === line) $("line").value = "";
    problem("add-problem");
    const due = item.due ? `, due ${dayWords(item.due)}` : "";
    toast(`Added “${item.title}” to ${newLists.length ? "the new list " : ""}${item.list}${due}`, "Undo", undo);
  } catch (error) {
    problem("add-problem", error.message);
  }
};
// The names of the lists and tags: fetched when a line is begun, and kept while it is typed.
let names;
const fetchNames = async () => {
  const [{ lists }, { tags }] = await Promise.all([api("GET", "lists"), api("GET", "tags")]);
  return { lists: lists.map(({ name }) => name), tags: tags.map(({ name }) => name) };
};
const allNames = () => names ??= fetchNames();
document.addEventListener("focusin", (event) => { if (event.target.matches("#line, .edit input")) names = null; });
completes($("line"), allNames);
$("line").oninput = () => problem("add-problem");

// MARK: Selection

let selected = null;  // the row
let heir = null;  // the row that took the place of a selected one that has gone

function select(row, scrolls = true) {
  selected?.removeAttribute("aria-current");
  if (selected) selected.tabIndex = -1;
  selected = row;
  heir = null;
  if (!row) return;
  row.setAttribute("aria-current", "true");
  row.tabIndex = 0;
  if (document.activeElement !== row && !row.contains(document.activeElement)) row.focus({ preventScroll: true });
  if (scrolls) row.scrollIntoView({ block: "nearest" });
}

function move(step) {
  const rows = list.shown;
  if (!rows.length) return;
  if (heir?.isConnected) return select(heir);
  const place = rows.indexOf(selected);
  select(place < 0 ? rows[step > 0 ? 0 : rows.length - 1] : rows[Math.min(rows.length - 1, Math.max(0, place + step))]);
}

// A key must never change another item than the one that was selected when it was pressed.
new MutationObserver(() => {
  if (!selected || selected.isConnected) return;
  const place = Math.min(lastPlace, list.shown.length - 1), row = list.shown[place];
  select(null);
  heir = row ?? null;
}).observe($("list"), { childList: true, subtree: true });
let lastPlace = 0;
$("list").addEventListener("focusin", (event) => {
  const row = event.target.closest(".row");
  if (row && row !== selected) select(row, false);
  if (row) lastPlace = list.shown.indexOf(row);
});

// MARK: Details and editing

function open(item, row) {
  const details = row.querySelector(".details");
  if (details) details.remove();
  else {
    row.append(element("div", { class: "details" }));
    drawDetails(item, row);
  }
  row.parts.main.setAttribute("aria-expanded", String(!details));
}

function drawDetails(item, row) {
  const box = row.querySelector(".details");
  if (!box) return;
  const path = `items/${item.id}`;
  const quiet = (text, run) => element("button", { type: "button", class: "quiet", onclick: run }, text);
  if (!box.firstChild) {
    const input = element("input", { "aria-label": "Add a note", placeholder: "Add a note", dir: "auto" });
    const form = element("form", {
      onsubmit: async (event) => {
        event.preventDefault();
        const text = input.value;
        if (text.trim() && await attempt(() => api("POST", `${path}/notes`, { text }))) input.value = "";
      },
    }, input);
    box.append(element("ul", { class: "notes", "aria-label": "Notes" }), form, element("dl"),
      element("div", { class: "actions" }));
  }
  const [notes, , facts, actions] = box.children;
  notes.replaceChildren(...(item.notes ?? []).map((text, index) => element("li", {},
    element("span", { dir: "auto" }, text),
    element("button", {
      type: "button", class: "quiet", "aria-label": `Remove note ${index + 1}`,
      onclick: () => attempt(() => api("DELETE", `${path}/notes/${index + 1}`, undefined, row.item.tag)),
    }, "Remove"))));
  const rows = [
    ["Due", item.due && momentWords(item.due)], ["Repeats", item.every && repeatWords(item.every)],
    ["List", item.list], ["Hidden until", item.wait && momentWords(item.wait)],
    ["Added", item.created && momentWords(item.created)], ["Done", item.completed && momentWords(item.completed)],
    ["Number", item.id],
  ].filter(([, text]) => text);
  facts.replaceChildren(...rows.flatMap(([name, text]) =>
    [element("dt", {}, name), element("dd", { dir: "auto" }, text)]));
  const start = () => attempt(() => api("PATCH", path, { started: !row.item.started }, row.item.tag));
  actions.replaceChildren(
    quiet("Edit", () => edit(row)),
    ...(item.done ? [] : [quiet(item.started ? "Stop" : "Start", start)]),
    quiet("Delete", () => remove(row)));
}

const remove = (row) => attempt(() => api("DELETE", `items/${row.item.id}`, undefined, row.item.tag));

// Edits an item as the line that would add it.
async function edit(row) {
  if (row.querySelector(".edit")) return;
  let answer;
  try { answer = await api("GET", `items/${row.item.id}`); } catch (error) { return toast(error.message); }
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
      if (input.value === line) return end();
      try {
        const result = await api("PATCH", `items/${row.item.id}`, { line: input.value }, tag);
        end();
        if (result.label) toast(sentence(result), "Undo", undo);
      } catch (error) {
        if (error.status !== 412) return toast(error.message);
        const now = await api("GET", `items/${row.item.id}`).catch(() => null);
        if (now) [line, tag] = [now.line, now.tag];
        toast(`It was changed meanwhile, to: ${now?.line ?? "nothing"}. Enter saves yours, Escape leaves that.`);
      }
    },
    onkeydown: (event) => {
      if (event.key === "Escape") { event.stopPropagation(); end(); }
    },
  }, input);
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

// MARK: Order

const isOrdered = () => current.view === "list";  // elsewhere something else orders the items
const place = (row, where, other) =>
  attempt(() => api("POST", `items/${row.item.id}/move`, { [where]: other.item.id }, row.item.tag));

// Moves the selected item past its neighbour in its list.
function reorder(step) {
  if (!selected) return;
  if (!isOrdered()) return toast("Items are put in order in the view Lists.");
  const rows = list.shown, other = rows[rows.indexOf(selected) + step];
  if (!other || other.item.list !== selected.item.list) {
    return toast(step < 0 ? "It is the first of its list." : "It is the last of its list.");
  }
  place(selected, step < 0 ? "before" : "after", other);
}

let dragged = null;
const endDrag = () => document.querySelector("[data-drop]")?.removeAttribute("data-drop");
$("list").addEventListener("dragstart", (event) => {
  if (!isOrdered() || !event.target.classList?.contains("row")) return event.preventDefault();
  dragged = event.target;
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", dragged.item.title);
});
$("list").addEventListener("dragover", (event) => {
  const row = event.target.closest(".row");
  endDrag();
  if (!dragged || !row || row === dragged) return;
  event.preventDefault();
  const { top, height } = row.getBoundingClientRect();
  row.dataset.drop = event.clientY < top + height / 2 ? "before" : "after";
});
$("list").addEventListener("drop", (event) => {
  event.preventDefault();
  const row = document.querySelector("[data-drop]");
  if (dragged && row) place(dragged, row.dataset.drop, row);
});
$("list").addEventListener("dragend", () => { endDrag(); dragged = null; });

// A row has gone, perhaps with what was being typed in it.
function lost(row) {
  for (const input of row.querySelectorAll("form input")) {
    if (!input.value || input.value === input.former) continue;
    toast(`“${row.item.title}” has gone. You had typed: ${input.value}`);
  }
}

// MARK: Keys

const keys = [
  ["j k", "next, previous item",
    { j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1) }],
  ["x", "check off, or open again", { x: () => selected && toggle(selected.item) }],
  ["J K", "move down, up in its list", { J: () => reorder(1), K: () => reorder(-1) }],
  ["Enter", "details", { Enter: () => selected && open(selected.item, selected) }],
  ["e", "edit", { e: () => selected && edit(selected) }],
  ["Delete", "delete", { Delete: () => selected && remove(selected) }],
  ["a", "add", { a: () => $("line").focus() }],
  ["/", "filter", { "/": () => $("filter").select() }],
  ["v", "next view", { v: () => showNextView() }],
  ["u U", "undo, redo", { u: undo, U: redo }],
  ["g", "the first item", { g: () => { scrollTo(0, 0); select(list.shown[0] ?? null); } }],
  ["Escape", "leave the filter, a field, this list of keys", {}],
  ["?", "this list of keys", { "?": () => $("help").showModal() }],
];
const actions = Object.assign({}, ...keys.map(([, , pressed]) => pressed));
$("help").querySelector("dl").append(...keys.flatMap(([names, what]) => [
  element("dt", {}, ...names.split(" ").flatMap((name) => [element("kbd", {}, name), " "])), element("dd", {}, what)]));
$("help-button").onclick = () => $("help").showModal();

function showNextView() {
  const place = views.findIndex(([id]) => id === current.view);
  location.hash = address({ ...current, view: views[(place + 1) % views.length][0] });
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
  const field = event.target.closest("input:not([type=checkbox])");
  if (event.key === "Escape") {
    if (field === $("filter") || (!field && current.filter)) {
      $("filter").value = "";
      applyFilter();
    }
    if (field) $("list").focus({ preventScroll: true });
    return;
  }
  if (field || (event.key === "Enter" && event.target.closest("button, a"))) return;
  const action = actions[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

setInterval(() => list.redraw(), 60_000);
show();
