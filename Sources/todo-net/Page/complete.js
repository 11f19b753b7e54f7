// Completes the words of a line as it is typed: +list, @tag, due:, pri: and every:.
import { element } from "/element.js";

const values = {
  due: ["today", "tomorrow", "mon", "tue", "wed", "thu", "fri", "sat", "sun", "next-week", "end-of-month"],
  pri: ["high", "medium", "low"],
  every: ["day", "week", "month", "year", "3days", "2weeks"],
};
const limit = 6;
let count = 0;

// `names` returns a promise of {lists, tags}, the names there are.
export function completes(input, names) {
  const id = `options-${++count}`;
  const box = element("ul", { class: "options", role: "listbox", id, hidden: true, "aria-label": "Words" });
  let word = "", active = -1, asked = 0;
  for (const [name, value] of Object.entries({
    role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": id,
  })) input.setAttribute(name, value);
  input.after(box);

  function show(options) {
    box.replaceChildren(...options.map((text, index) => element("li", {
      role: "option", id: `${id}-${index}`, dir: "auto",
      onmousedown: (event) => { event.preventDefault(); accept(index); },
    }, text)));
    box.hidden = !options.length;
    input.setAttribute("aria-expanded", String(!box.hidden));
    mark(-1);
  }

  function mark(index) {
    active = index;
    [...box.children].forEach((option, place) => option.setAttribute("aria-selected", String(place === index)));
    if (index < 0) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", `${id}-${index}`);
  }

  function accept(index) {
    const start = input.selectionStart - word.length;
    input.setRangeText(`${box.children[index].textContent} `, start, input.selectionStart, "end");
    show([]);
  }

  input.addEventListener("input", async () => {
    const turn = ++asked;
    const before = input.value.slice(0, input.selectionStart);
    word = /(?:^|\s)([+@]\S*|(?:due|pri|every):\S*)$/.exec(before)?.[1] ?? "";
    if (!word) return show([]);
    const key = /^(due|pri|every):/.exec(word)?.[1];
    let all = values[key]?.map((value) => `${key}:${value}`);
    if (!all) {
      const known = await names().catch(() => ({ lists: [], tags: [] }));
      if (turn !== asked) return;
      const isWord = (name) => /^[^\s"]+$/.test(name);
      all = word[0] === "+"
        ? known.lists.map((name) => (isWord(name) ? `+${name}` : `list:"${name.replace(/["\\]/g, "\\$&")}"`))
        : known.tags.filter(isWord).map((name) => `@${name}`);
    }
    const typed = word.slice(key ? 0 : 1).toLowerCase();
    const fits = (option) => option.replace(/^(\+|@|list:")/, "").toLowerCase().startsWith(typed) && option !== word;
    show(all.filter(fits).slice(0, limit));
  });
  input.addEventListener("blur", () => show([]));
  input.addEventListener("keydown", (event) => {
    if (box.hidden) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) mark((active + step + box.children.length) % box.children.length);
    else if (event.key === "Tab" && !event.shiftKey) accept(Math.max(0, active));
    else if (event.key === "Enter" && active >= 0) accept(active);
    else if (event.key === "Escape") show([]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
}
