// Follows a feed of FetchedResults: keeps a copy of its list, and tells what changed. docs/WireFormat.md describes the
// frames. No build, no dependencies:
//
//   new LiveList("/orders/live", { change: (sections, changes) => draw(sections), state: (text) => show(text) });
//
// `sections` is an array of {id, name, items}. `changes` is the difference, or null after a snapshot. A third argument
// is the number of rows of the whole list, of which a window has only some.
export class LiveList {
  constructor(url, { change, state = () => {} }) {
    Object.assign(this, { url, change, state, sections: [], coming: [], token: null });
    this.connect();
  }

  connect() {
    const url = new URL(this.url, location.href);
    if (this.token) url.searchParams.set("after", this.token);  // a browser that reconnects sends Last-Event-ID itself
    this.source = new EventSource(url);
    this.source.onopen = () => this.hear("live");
    this.source.addEventListener("alive", () => this.hear());
    this.source.onmessage = (event) => { this.hear(); this.take(JSON.parse(event.data)); };
    this.source.onerror = () => {
      const closed = this.source.readyState === EventSource.CLOSED;  // a refusal: the browser doesn't try again
      this.state(closed ? "refused, trying again" : "connecting");
      if (!closed) return;
      clearTimeout(this.timer);  // that of `hear`: `close` clears only the last one
      this.timer = setTimeout(() => this.connect(), 5000);
    };
  }

  // Something has come. After 45 silent seconds the connection is lost, whatever the browser believes.
  hear(state) {
    if (state) this.state(state);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { this.close(); this.state("connecting"); this.connect(); }, 45000);
  }

  close() {
    clearTimeout(this.timer);
    this.source.close();
  }

  take(frame) {
    if (frame.end !== undefined) return this.state(`ended: ${frame.end}`);
    if (frame.next === this.token && !frame.reset) return;  // it has come twice
    const count = this.sections.reduce((sum, section) => sum + section.items.length, 0);
    const { patch } = frame;
    if (frame.after !== undefined && frame.after !== this.token
        || patch && (patch.numberOfSections !== this.sections.length || patch.numberOfItems !== count)) {
      this.close();  // something was lost: begin with a snapshot
      this.token = null;
      return this.connect();
    }
    this.token = frame.next;
    this.total = frame.total ?? this.total;
    if (frame.patch) {
      this.sections = apply(frame.patch, this.sections);
      return this.change(this.sections, frame.patch.changes, this.total);
    }
    if (frame.reset) this.coming = [];
    for (const section of frame.sections) {
      const last = this.coming.at(-1);  // a section with the id of the one before continues it
      if (last && JSON.stringify(last.id) === JSON.stringify(section.id)) last.items.push(...section.items);
      else this.coming.push(section);
    }
    if (frame.more) return;
    [this.sections, this.coming] = [this.coming, []];
    this.change(this.sections, null, this.total);
  }
}

// The list after a patch. Places of what is deleted or moved are those before, all others those after it.
export function apply({ changes, insertedSections = [], updatedSections = [], insertedItems = [], updatedItems = [] }, old) {
  const of = (part) => changes[part] ?? [];
  const rest = old.map(({ items, ...titles }) => ({ ...titles, items: items.slice() }));
  const moved = of("movedItems").map(({ from: [section, item] }) => old[section].items[item]);
  const gone = [...of("deletedItems"), ...of("movedItems").map((move) => move.from)];
  for (const [section, item] of gone.sort((a, b) => b[0] - a[0] || b[1] - a[1])) rest[section].items.splice(item, 1);

  const sections = placed(
    rest, [...of("deletedSections"), ...of("movedSections").map((move) => move.from)],
    [...of("insertedSections").map((to, n) => [to, { ...insertedSections[n], items: [] }]),
     ...of("movedSections").map(({ from, to }) => [to, rest[from]])]);
  of("updatedSections").forEach(({ to }, n) => {
    sections[to] = { ...updatedSections[n], items: sections[to].items };
  });

  const coming = [...of("insertedItems").map((to, n) => [to, insertedItems[n]]),
                  ...of("movedItems").map(({ to }, n) => [to, moved[n]])];
  for (const [[section, item], row] of coming.sort((a, b) => a[0][0] - b[0][0] || a[0][1] - b[0][1])) {
    sections[section].items.splice(item, 0, row);
  }
  of("updatedItems").forEach(({ to: [section, item] }, n) => { sections[section].items[item] = updatedItems[n]; });
  return sections;
}

// An array without some of its places, and with what comes at places of the result.
function placed(array, gone, coming) {
  const result = array.filter((_, place) => !gone.includes(place));
  for (const [place, element] of coming.sort((a, b) => a[0] - b[0])) result.splice(place, 0, element);
  return result;
}
