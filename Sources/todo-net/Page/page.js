// The page: its views, its filter and the line that adds. The other modules have one purpose each.
import { api, toggle, undoOf } from "/api.js";
import { completes } from "/complete.js";
import { Connection } from "/connection.js";
import { allNames, drawDetails, lost, open } from "/details.js";
import { drags } from "/drag.js";
import { element } from "/element.js";
import { install } from "/kept.js";
import { listenToKeys } from "/keys.js";
import { problem, toast } from "/messages.js";
import { moveBeside, moveTo } from "/moves.js";
import { ListView } from "/rows.js";
import { Selection } from "/selection.js";
import { dayWords } from "/words.js";

history.replaceState(null, "", "/" + location.hash);  // the token is a cookie now

const $ = (id) => document.getElementById(id);
const views = [
  ["today", "Today", "Nothing is due today."], ["week", "Week", "Nothing is due this week."],
  ["list", "Lists", "Nothing to do."], ["due", "Dates", "Nothing to do."],
  ["priority", "Priority", "Nothing to do."], ["tag", "Tags", "Nothing to do."],
  ["done", "Done", "Nothing is done yet."],
];

// MARK: The list

let current = { view: "list", filter: "" };
const list = new ListView($("list"), {
  received: () => connection.received(),
  state: (text) => connection.state(text),
  toggle, open, lost, draw: drawDetails,
  changed(count) {
    $("count").textContent = count === 1 ? "1 item" : `${count.toLocaleString("en")} items`;
    $("nothing").hidden = count > 0;
    const [, , nothing] = views.find(([id]) => id === current.view);
    const [first, second] = $("nothing").querySelectorAll("p");
    first.textContent = current.filter ? "Nothing matches the filter." : nothing;
    second.hidden = !!current.filter || current.view === "done";
    problem("filter-problem");
  },
});
const connection = new Connection(list);
const selection = new Selection(list);

// In the view Lists a row is put beside another one, elsewhere into a section.
drags($("list"), {
  target(over, y) {
    const isInList = over && $("list").contains(over);
    if (!isInList || list.view === "done") return null;
    const section = over.closest("section"), other = over.closest(".row");
    if (list.view !== "list") return section && { node: section, where: "into" };
    if (!other) return section && { node: section.querySelector(".row"), where: "before" };
    const { top, height } = other.getBoundingClientRect();
    return { node: other, where: y < top + height / 2 ? "before" : "after" };
  },
  drop(row, { node, where }) {
    if (where !== "into") return node !== row && moveBeside(row, where, node);
    const from = list.sectionOf(row);
    if (JSON.stringify(from.id) !== JSON.stringify(node.section.id)) moveTo(row, list.view, from, node.section);
  },
});

// MARK: Views and the filter

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
    if (link.dataset.view === view) $("views").scrollLeft = link.offsetLeft - $("views").clientWidth / 2;
  }
  $("heading").textContent = name;
  document.title = `${name} · todo`;
  if ($("filter").value.trim() !== current.filter) $("filter").value = current.filter;
  problem("filter-problem");
  selection.select(null);
  connection.listChanged();
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

listenToKeys(list, selection, {
  nextView() {
    const place = views.findIndex(([id]) => id === current.view);
    location.hash = address({ ...current, view: views[(place + 1) % views.length][0] });
  },
  leaveFilter() {
    if (!$("filter").value && !current.filter) return;
    $("filter").value = "";
    applyFilter();
  },
});

// MARK: Adding

$("add").onsubmit = async (event) => {
  event.preventDefault();
  const line = $("line").value;
  if (!line.trim()) return $("line").focus();
  const only = current.filter.match(/^\+([^\s"]+)$/)?.[1];  // what is added while one list is shown is for that list
  try {
    const { items: [item], newLists, revision } = await api("POST", "items", { line, ...(only && { list: only }) });
    if ($("line").value === line) $("line").value = "";
    problem("add-problem");
    const due = item.due ? `, due ${dayWords(item.due)}` : "";
    toast(`Added “${item.title}” to ${newLists.length ? "the new list " : ""}${item.list}${due}`, "Undo", undoOf({ revision }));
  } catch (error) {
    problem("add-problem", error.message);
  }
};
completes($("line"), allNames);
$("line").oninput = () => problem("add-problem");

setInterval(() => list.redraw(), 60_000);
show();
setTimeout(install, 2000);  // it reads all files of the page again, which the first rows must not wait for
