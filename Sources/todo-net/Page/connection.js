// The banner about the connection, and the list that is shown without one.
import { api } from "/api.js";
import { forget, keep, kept } from "/kept.js";
import { banner, problem } from "/messages.js";
import { dayWords } from "/words.js";

const patience = 800;  // milliseconds without a connection before it is worth a banner

export class Connection {
  isLive = false;
  since = null;  // when the list that is shown was right for the last time

  constructor(list) {
    this.list = list;
    setInterval(() => this.keep(), 60_000);
  }

  // The state of a block's stream, as LiveList gives it, or "refused: REASON" if that list can't be followed.
  state(text) {
    if (text === "live") return this.received();  // what has changed meanwhile follows at once
    if (text.startsWith("refused: ")) return problem("filter-problem", text.slice(9));
    if (this.isLive) [this.isLive, this.since] = [false, new Date()];
    this.losing ??= setTimeout(() => this.lose(text), patience);
  }

  // Rows have come, or nothing has changed.
  received() {
    this.isLive = true;
    clearTimeout(this.losing);
    this.losing = null;
    banner();
    this.keeping ??= setTimeout(() => { this.keeping = null; this.keep(); }, 1000);
  }

  // Another list is shown.
  listChanged() { this.since = null; }

  // Only the lists without a filter are kept: there are few of them.
  keep() {
    const { filter, view, blocks } = this.list;
    if (this.isLive && !filter && blocks[0].isAlive) keep(view, blocks[0].sections);
  }

  async lose(text) {
    this.losing = null;
    if (text.startsWith("refused") && await api("GET", "items?limit=0").catch(({ status }) => status) === 401) {
      await forget();
      return banner("The service was started again: open the address that “todo serve” printed.");
    }
    if (this.isLive) return;
    if (this.list.total === null) await this.showKept();
    if (this.isLive) return;
    const time = this.since && dayWords(this.since.toISOString()).replace("today ", "");
    banner(time ? `Offline: showing the list as of ${time}. It continues when the service can be reached.`
      : "Offline: this list isn't kept here. It comes when the service can be reached.");
  }

  async showKept() {
    const { view, filter } = this.list;
    const found = filter ? undefined : await kept(view);
    if (this.list.view !== view || this.list.total !== null) return;
    this.list.showKept(found?.sections ?? []);
    this.since = found ? new Date(found.at) : null;
  }
}
