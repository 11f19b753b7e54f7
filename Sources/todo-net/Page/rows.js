// The live list on the page: blocks of rows, of which only those near the window exist.
import { zone } from "/api.js";
import { element } from "/element.js";
import { follow } from "/follow.js";
import { dayWords, isPast, repeatWords, sectionWords, timeWords, urgency } from "/words.js";

const blockSize = 100;
const calm = matchMedia("(prefers-reduced-motion: reduce)");

export class ListView {
  // `events`: received(), state(text), changed(total), toggle(item), open(row), draw(row), lost(row).
  constructor(place, events) {
    Object.assign(this, { place, events, rows: new Map(), blocks: [], total: null, rowHeight: 45 });
    this.watcher = new IntersectionObserver((entries) => {
      // Those that come first, because the last block that lives must stay.
      for (const isNear of [true, false]) {
        for (const { target, isIntersecting } of entries) {
          if (isIntersecting === isNear) this.blocks[target.dataset.number]?.near(isNear);
        }
      }
    }, { rootMargin: "1200px 0px" });
  }

  show(view, filter) {
    this.blocks.forEach((block) => block.unfollow?.());
    this.watcher.disconnect();
    Object.assign(this, { view, filter, total: null, isNew: true });
    this.blocks = [new Block(this, 0)];
    this.blocks[0].start();
  }

  // The first rows of another list have come: until then the former list stays on view.
  begin() {
    if (!this.isNew) return;
    this.isNew = false;
    this.place.replaceChildren(this.blocks[0].box);
    this.watcher.observe(this.blocks[0].box);
    this.forgetSoon();
    scrollTo(0, 0);
  }

  // Shows rows that were kept, or none, until there is a connection.
  showKept(sections) {
    this.begin();
    this.blocks[0].apply(sections);
    if (sections.length) this.setTotal(sections.reduce((sum, { items }) => sum + items.length, 0));
  }

  setTotal(total) {
    if (total === undefined || total === this.total) return;
    this.total = total;
    const count = Math.max(1, Math.ceil(total / blockSize));
    while (this.blocks.length > count) this.blocks.pop().remove();
    while (this.blocks.length < count) {
      const block = new Block(this, this.blocks.length);
      this.blocks.push(block);
      this.place.append(block.box);
      this.watcher.observe(block.box);
    }
    this.blocks.at(-1).estimate();
    this.events.changed(total);
  }

  // Changes what is shown, while the first row on view stays where it is, and animates what has moved.
  keeping(change, animates) {
    const tops = new Map();
    let anchor = null;
    // Measuring makes the browser lay out the page, so it happens only if something may move.
    const measures = animates || scrollY > 0;
    const edge = measures && document.querySelector("header").offsetHeight;
    for (const [id, row] of measures ? this.rows : []) {
      if (!row.isConnected) continue;
      const { top, bottom } = row.getBoundingClientRect();
      if (bottom < edge || top > innerHeight) continue;
      tops.set(id, top);
      if (scrollY > 0 && (!anchor || top < tops.get(anchor))) anchor = id;
    }
    const moved = change() ?? new Set();
    if (moved.has(anchor)) anchor = [...tops.keys()].find((id) => !moved.has(id) && this.rows.get(id)?.isConnected);
    const row = this.rows.get(anchor);
    if (row?.isConnected) {
      const shift = row.getBoundingClientRect().top - tops.get(anchor);
      if (Math.abs(shift) >= 1) scrollBy({ top: shift, behavior: "instant" });
    }
    if (!animates || calm.matches) return;
    for (const [id, row] of this.rows) {
      if (!row.isConnected || !(tops.has(id) || moved.has(id))) continue;
      const { top } = row.getBoundingClientRect();
      const from = tops.get(id) ?? (top > innerHeight / 2 ? top + 80 : top - 80);
      if (Math.abs(top - from) < 1 || top > innerHeight || from > innerHeight * 2) continue;
      row.animate([{ transform: `translateY(${from - top}px)` }, { transform: "none" }],
        { duration: 220, easing: "cubic-bezier(.2,.7,.3,1)" });
    }
  }

  row(item) {
    const key = keyOf(item);
    let row = this.rows.get(key);
    if (!row) {
      const check = element("input", {
        type: "checkbox", class: "check", tabindex: -1,
        onclick: (event) => { event.preventDefault(); this.events.toggle(row.item); },
      });
      const main = element("div", {
        class: "main", role: "button", tabindex: -1, "aria-expanded": "false",
        onclick: () => this.events.open(row),
      }, element("span", { class: "title", dir: "auto" }), element("div", { class: "meta" }));
      const due = element("span", { class: "due" });
      row = element("li", { class: "row", tabindex: -1, "data-id": item.id }, check, main, due);
      Object.assign(row, { key, parts: { check, main, due } });
      this.rows.set(key, row);
    }
    const json = JSON.stringify(item) + this.view + urgency(item) + new Date().toDateString();
    if (row.json === json) return row;
    Object.assign(row, { json, item });
    this.draw(row, item);
    this.events.draw(row);
    return row;
  }

  draw(row, item) {
    const { check, main, due } = row.parts;
    check.checked = !!item.done;
    check.setAttribute("aria-label", `Done: ${item.title}`);
    row.classList.toggle("is-done", !!item.done);
    row.dataset.priority = (!item.done && item.priority) || "none";
    main.firstChild.textContent = item.title;
    const meta = [];
    if (item.started) meta.push(element("span", { class: "started" }, "started"));
    if (item.priority && this.view !== "priority") {
      meta.push(element("span", { class: `priority ${item.priority}` }, `${item.priority} priority`));
    }
    if (this.view !== "list" && this.view !== "done") meta.push(element("span", { dir: "auto" }, item.list));
    for (const tag of item.tags ?? []) meta.push(element("span", { dir: "auto" }, `@${tag}`));
    if (item.every) meta.push(element("span", {}, repeatWords(item.every)));
    if (item.notes) meta.push(element("span", {}, item.notes.length === 1 ? "1 note" : `${item.notes.length} notes`));
    main.lastChild.replaceChildren(...meta);
    if (this.view === "done") {
      due.textContent = item.completed ? dayWords(item.completed) : "";
      return;
    }
    const how = urgency(item);
    const isUnderItsDay = this.view === "due" || (["today", "week"].includes(this.view) && how !== "late");
    due.textContent = !item.due ? "" : isUnderItsDay ? timeWords(item.due) : dayWords(item.due);
    due.className = `due ${how}`;
  }

  // A row that leaves the page may be on its way to another block: its node is kept for a moment.
  forgetSoon() {
    this.forgetting ??= setTimeout(() => {
      this.forgetting = null;
      for (const [id, row] of this.rows) {
        if (row.isConnected) continue;
        this.rows.delete(id);
        this.events.lost(row);
      }
    }, 2000);
  }

  // The section of a row, {id, name}.
  sectionOf(row) { return row.closest("section").section; }

  // The section before or after another one, of those on the page.
  sectionBeside({ id }, step) {
    const sections = [...this.place.querySelectorAll("section")].map(({ section }) => section);
    const same = JSON.stringify(id), isSame = (section) => JSON.stringify(section.id) === same;
    return step < 0 ? sections[sections.findIndex(isSame) - 1] : sections[sections.findLastIndex(isSame) + 1];
  }

  // The rows on the page, in order.
  get shown() { return [...this.place.querySelectorAll(".row")]; }

  // Shows the same rows again: days have other names by now, and other items are late.
  redraw() {
    this.keeping(() => { for (const block of this.blocks) if (block.isAlive) block.apply(block.sections); });
  }
}

// An item has a row for each of its tags in the view by tag.
const keyOf = (item) => item.key ?? item.id;

// A block of rows: alive while it is near the window, and otherwise only as high as it was.
class Block {
  constructor(list, number) {
    Object.assign(this, { list, number, sections: [], unfollow: null });
    this.box = element("div", { class: "block", "data-number": number });
    this.estimate();
  }

  get isAlive() { return this.unfollow !== null; }

  estimate() {
    if (this.isAlive) return;
    const rows = Math.min(blockSize, (this.list.total ?? 0) - this.number * blockSize);
    this.box.style.height = `${Math.max(0, rows) * this.list.rowHeight}px`;
  }

  near(isNear) {
    if (isNear === this.isAlive) return;
    if (isNear) return this.start();
    // At least one block must stay to hear of the number of rows, and one in which something is being typed.
    if (this.list.blocks.filter((block) => block.isAlive).length < 2) return;
    if ([...this.box.querySelectorAll("form :is(input, textarea)")].some((input) => input.value)) return;
    this.box.style.height = `${this.box.offsetHeight}px`;
    this.stop();
    this.box.replaceChildren();
  }

  start() {
    const { list } = this;
    const place = { view: list.view, filter: list.filter, zone, window: this.number, size: blockSize };
    this.unfollow = follow(place, {
      change: (sections, changes, total) => {
        if (list.blocks[this.number] !== this || !this.isAlive) return;
        list.begin();
        const moves = !changes || Object.keys(changes).some((part) => part !== "updatedItems");
        list.keeping(() => this.apply(sections, changes), !!changes && moves);
        list.setTotal(total);
        list.events.received();
      },
      state: (text) => { if (list.blocks[this.number] === this) list.events.state(text); },
    });
  }

  stop() {
    this.unfollow?.();
    this.unfollow = null;
    this.sections = [];
    this.list.forgetSoon();
  }

  remove() {
    this.stop();
    this.list.watcher.unobserve(this.box);
    this.box.remove();
  }

  // Shows the sections. Nodes that stay in order are not touched, so focus and selection stay.
  apply(sections, changes) {
    const { list, box } = this;
    box.style.height = "";
    const rowAt = ([section, item]) => list.rows.get(keyOf(this.sections[section]?.items[item] ?? {}));
    const moved = new Set();
    const before = new Set(this.sections.flatMap((section) => section.items.map(keyOf)));
    const after = new Set();
    // Rows are drawn where they are, so that the focus stays in them, and moved afterwards.
    const rows = sections.map(({ items }) => items.map((item) => {
      const key = keyOf(item);
      after.add(key);
      const isKnown = list.rows.has(key), row = list.row(item);
      if (changes && !before.has(key)) {
        moved.add(key);
        if (!isKnown) this.welcome(row);
      }
      return row;
    }));
    const focused = document.activeElement;
    if (changes) {
      for (const { from } of changes.movedItems ?? []) moved.add(rowAt(from)?.key);
      for (const place of [...(changes.deletedItems ?? []), ...(changes.movedItems ?? []).map((move) => move.from)]) {
        const row = rowAt(place);
        if (row && box.contains(row)) row.remove();
      }
    }
    const known = new Map([...box.children].map((node) => [node.dataset.section, node]));
    const nodes = sections.map((section, place) => {
      const id = JSON.stringify(section.id);
      const node = known.get(id)
        ?? element("section", { "data-section": id }, element("h2", { dir: "auto" }), element("ul", { role: "list" }));
      node.section = section;
      const [heading, ul] = node.children;
      heading.textContent = sectionWords(section.name, list.view) || "Items";
      node.setAttribute("aria-label", heading.textContent);
      const isOfDays = ["today", "week", "due"].includes(list.view);
      node.classList.toggle("late", isOfDays && (section.name === "overdue" || isPast(section.name)));
      arrange(ul, rows[place]);
      return node;
    });
    arrange(box, nodes);
    if (focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true });
    if (changes) for (const { to: [section, item] } of changes.updatedItems ?? []) {
      this.welcome(list.rows.get(keyOf(sections[section].items[item])));
    }
    list.forgetSoon();
    this.sections = sections;
    for (const block of [this, list.blocks[this.number + 1]]) block?.join();
    if (!changes && after.size > 20) list.rowHeight = box.offsetHeight / after.size;
    return moved;
  }

  // A heading that the block before has too is only for screen readers.
  join() {
    const last = this.list.blocks[this.number - 1]?.box.lastElementChild?.dataset.section;
    const first = this.box.firstElementChild;
    first?.classList.toggle("continued", last !== undefined && last === first.dataset.section);
  }

  welcome(row) {
    row.classList.remove("arrived");
    requestAnimationFrame(() => row.classList.add("arrived"));
  }
}

// Puts nodes into a parent in order, and moves only those that are elsewhere.
function arrange(parent, nodes) {
  let place = parent.firstChild;
  for (const node of nodes) {
    if (node === place) place = place.nextSibling;
    else parent.insertBefore(node, place);
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}
