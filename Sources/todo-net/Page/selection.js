// Which row the keys are about. One row is always reachable with the Tab key.

export class Selection {
  row = null;
  #heir = null;  // the row that took the place of a selected one that has gone
  #place = 0;

  constructor(list) {
    this.list = list;
    list.place.addEventListener("focusin", (event) => {
      const row = event.target.closest(".row");
      if (!row) return;
      if (row !== this.row) this.select(row, false);
      this.#place = list.shown.indexOf(row);
    });
    // A key must never change another item than the one that was selected when it was pressed.
    new MutationObserver(() => {
      if (this.row && !this.row.isConnected) {
        const rows = list.shown, heir = rows[Math.min(this.#place, rows.length - 1)];
        this.select(null);
        this.#heir = heir ?? null;
      }
      this.#offer();
    }).observe(list.place, { childList: true, subtree: true });
  }

  select(row, scrolls = true) {
    this.row?.removeAttribute("aria-current");
    this.#heir = null;
    this.row = row;
    this.#offer();
    if (!row) return;
    row.setAttribute("aria-current", "true");
    if (document.activeElement !== row && !row.contains(document.activeElement)) row.focus({ preventScroll: true });
    if (scrolls) row.scrollIntoView({ block: "nearest" });
  }

  move(step) {
    if (this.#heir?.isConnected) return this.select(this.#heir);
    const rows = this.list.shown, place = rows.indexOf(this.row);
    const next = place < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, place + step));
    if (rows.length) this.select(rows[next]);
  }

  // The Tab key leads to the selected row, or else to the first one.
  #offer() {
    const offered = this.row ?? this.list.place.querySelector(".row");
    if (offered === this.offered) return;
    if (this.offered) this.offered.tabIndex = -1;
    this.offered = offered;
    if (offered) offered.tabIndex = 0;
  }
}
