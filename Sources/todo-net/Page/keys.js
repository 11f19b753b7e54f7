// The keys of the page, and the list of them.
import { redo, remove, toggle, undo } from "/api.js";
import { edit, open } from "/details.js";
import { element } from "/element.js";
import { canKeep, forget } from "/kept.js";
import { toast } from "/messages.js";
import { moveByKey } from "/moves.js";

const $ = (id) => document.getElementById(id);
const help = $("help");

// `page` has nextView() and leaveFilter().
export function listenToKeys(list, selection, page) {
  const withRow = (run) => () => selection.row && run(selection.row);
  const keys = [
    ["j k ↓ ↑", "next, previous item", {
      j: () => selection.move(1), ArrowDown: () => selection.move(1),
      k: () => selection.move(-1), ArrowUp: () => selection.move(-1),
    }],
    ["x", "check off, or open again", { x: withRow((row) => toggle(row.item)) }],
    ["Enter", "details and notes", { Enter: withRow(open) }],
    ["e", "edit", { e: withRow(edit) }],
    ["J K", "move down, up, and into the next section", {
      J: withRow((row) => moveByKey(list, row, 1)), K: withRow((row) => moveByKey(list, row, -1)),
    }],
    ["Delete", "delete", { Delete: withRow((row) => remove(row.item)) }],
    ["a", "add", { a: () => $("line").focus() }],
    ["/", "filter", { "/": () => $("filter").select() }],
    ["v", "next view", { v: () => page.nextView() }],
    ["u U", "undo, redo", { u: () => undo(), U: () => redo() }],
    ["g", "the first item", { g: () => { scrollTo(0, 0); selection.select(list.shown[0] ?? null); } }],
    ["Escape", "leave a field, the filter, a drag", {}],
    ["?", "this list of keys", { "?": () => help.showModal() }],
  ];
  const actions = Object.assign({}, ...keys.map(([, , pressed]) => pressed));
  help.querySelector("dl").append(...keys.flatMap(([names, what]) => [
    element("dt", {}, ...names.split(" ").flatMap((name) => [element("kbd", {}, name), " "])),
    element("dd", {}, what)]));

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    const field = event.target.closest("input:not([type=checkbox]), textarea");
    if (event.key === "Escape") {
      if (field === $("filter") || !field) page.leaveFilter();
      if (field) (selection.row ?? $("list")).focus({ preventScroll: true });
      return;
    }
    if (field || (event.key === "Enter" && event.target.closest("button, a"))) return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

$("help-button").onclick = () => help.showModal();
$("secure").textContent = canKeep
  ? "This page can be installed, and shows the last list without a connection."
  : "Installing this page and using it without a connection need https, or the address 127.0.0.1 on the machine itself.";

// Other tabs of this browser leave with this one.
const session = new BroadcastChannel("session");
session.onmessage = () => location.reload();
$("sign-out").onclick = async () => {
  const answer = await fetch("/session", { method: "DELETE" }).catch(() => null);
  if (!answer?.ok) return toast("There is no connection to the service, so you are still signed in.");
  await forget();
  session.postMessage("ended");
  location.reload();
};
