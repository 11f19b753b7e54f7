// Drags rows, with a mouse, or with a finger after a long press: before that a finger scrolls.

const longPress = 450, slack = 6;

// `target(element, y)` returns where a row would be dropped over an element: {node, where}, or null. The node is marked
// with `where`. `drop(row, target)` moves the row there.
export function drags(place, { target, drop }) {
  let row = null, found = null, pressing = null, from = null, at = null, isDragging = false;
  const ghost = document.getElementById("ghost");

  function press(event) {
    if (!event.isPrimary || event.button !== 0) return;  // a second finger doesn't drag
    if (event.target.closest("input, textarea, button, form, .details")) return;
    end();  // a press with another device replaces the former one
    row = event.target.closest(".row");
    if (!row) return;
    from = at = event;
    addEventListener("pointermove", follow);
    addEventListener("pointerup", release);
    addEventListener("pointercancel", end);
    if (event.pointerType === "touch") pressing = setTimeout(begin, longPress);
  }

  function begin() {
    if (!target(row, at.clientY)) return end();  // nothing can be moved here
    isDragging = true;
    getSelection().empty();
    ghost.textContent = row.item.title;
    ghost.hidden = false;
    row.classList.add("dragged");
    document.documentElement.classList.add("dragging");
    addEventListener("keydown", leave, true);
    show();
    requestAnimationFrame(scrollAtEdges);
  }

  function follow(event) {
    if (event.pointerId !== from.pointerId) return;
    at = event;
    if (isDragging) return show();
    if (Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY) < slack) return;
    if (event.pointerType === "touch") end();  // a finger that moves at once scrolls
    else begin();
  }

  function show() {
    ghost.style.translate = `${at.clientX + 12}px ${at.clientY + 12}px`;
    mark(target(document.elementFromPoint(at.clientX, at.clientY), at.clientY));
  }

  function mark(next) {
    found?.node.removeAttribute("data-drop");
    found = next;
    if (found) found.node.dataset.drop = found.where;
  }

  // Near the edges of the window the list scrolls, faster the nearer.
  function scrollAtEdges() {
    if (!isDragging) return;
    const top = document.querySelector("header").offsetHeight + 48, bottom = innerHeight - 64;
    const over = at.clientY < top ? at.clientY - top : Math.max(0, at.clientY - bottom);
    if (over) {
      scrollBy({ top: Math.max(-18, Math.min(18, over / 3)), behavior: "instant" });
      show();
    }
    requestAnimationFrame(scrollAtEdges);
  }

  function release(event) {
    if (event.pointerId !== from.pointerId) return;
    const [dragged, last, wasDragging] = [row, found, isDragging];
    end();
    if (!wasDragging) return;
    // The click that follows is the end of the drag.
    const stop = (click) => { click.preventDefault(); click.stopPropagation(); };
    addEventListener("click", stop, { capture: true, once: true });
    setTimeout(() => removeEventListener("click", stop, true));
    if (last && dragged.isConnected) drop(dragged, last);
  }

  function leave(event) {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    end();
  }

  function end() {
    clearTimeout(pressing);
    mark(null);
    row?.classList.remove("dragged");
    document.documentElement.classList.remove("dragging");
    ghost.hidden = true;
    [row, isDragging] = [null, false];
    removeEventListener("pointermove", follow);
    removeEventListener("pointerup", release);
    removeEventListener("pointercancel", end);
    removeEventListener("keydown", leave, true);
  }

  place.addEventListener("pointerdown", press);
  // Only a listener that was there when the finger came down can keep the browser from scrolling.
  place.addEventListener("touchmove", (event) => { if (isDragging && event.cancelable) event.preventDefault(); }, { passive: false });
  place.addEventListener("contextmenu", (event) => {
    if (isDragging || (row && from.pointerType === "touch")) event.preventDefault();
  });
}
