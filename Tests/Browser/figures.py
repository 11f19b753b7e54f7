"""The figures of the page, as lines of JSON: {"name", "value", "unit"}. Each result is checked before it is printed.

    PRODUCTS=.build/release /usr/bin/python3 Tests/Browser/figures.py [--only PREFIX]

PRODUCTS is the folder with `todo` and `todo-net`; without it, the debug build.
"""
import json
import os
import statistics
import subprocess
import sys
import time

from harness import PRODUCTS, Server, eventually, new_browser

COUNT = 100_000
ROUNDS = 5

# Runs before the page's own scripts. A frame that is requested when rows have come is the one that shows them.
WATCH_FOR_ROWS = """
new MutationObserver((_, observer) => {
  if (!document.querySelector(".row .title")?.textContent) return;
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(() => { window.shown = performance.now(); }));
}).observe(document, { childList: true, subtree: true });
"""

# Calls back with the time at which the first row has a title, on the clock of the files.
WATCH_TITLE = """
const [title, row] = [arguments[0], document.querySelector(".row")];
window.changed = null;
new MutationObserver((_, observer) => {
  if (row.querySelector(".title").textContent !== title) return;
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(() => { window.changed = performance.timeOrigin + performance.now(); }));
}).observe(row, { childList: true, subtree: true, characterData: true });
"""

# Scrolls by a number of pixels in each frame, for some seconds; calls back with the milliseconds a frame took.
SCROLL = """
const [step, seconds, done] = arguments;
let begin, frames = 0;
requestAnimationFrame(function next(now) {
  begin ??= now;
  if (now - begin >= seconds * 1000) return done((now - begin) / frames);
  frames += 1;
  scrollBy({ top: step, behavior: "instant" });
  requestAnimationFrame(next);
});
"""


def page_ms(server, browser):
    """A service that has just started, and a browser that has not been there."""
    times = []
    for _ in range(ROUNDS):
        server.stop()
        server.start()
        browser.execute_cdp_cmd("Network.clearBrowserCache", {})
        browser.get(f"{server.url}?token={server.token}")
        times.append(eventually(lambda: browser.execute_script("return window.shown"), 60))
        count = browser.find_element("id", "count").text
        assert count == f"{COUNT:,} items", count
        assert browser.find_element("css selector", ".row .title").text == "Item 0"
        browser.get("about:blank")
    return statistics.median(times)


def change_ms(server, browser):
    """From the commit, which is the last write of SQLite's log, to the frame that shows the changed row."""
    browser.get(f"{server.url}?token={server.token}")
    eventually(lambda: browser.execute_script("return window.shown"), 60)
    times = []
    for number in range(4 * ROUNDS):
        title = f"Changed {number}"
        browser.execute_script(WATCH_TITLE, title)
        server.todo("edit", "1", title)
        committed = os.stat(server.db + "-wal").st_mtime_ns / 1e6
        times.append(eventually(lambda: browser.execute_script("return window.changed"), 60) - committed)
        assert browser.find_element("css selector", ".row .title").text == title
    return statistics.median(times)


def scroll_fps(server, browser):
    """The worse of two ways: at the speed of a flick, and through the whole list as with the scroll bar."""
    browser.get(f"{server.url}?token={server.token}")
    eventually(lambda: browser.execute_script("return window.shown"), 60)
    height = browser.execute_script("return document.documentElement.scrollHeight")
    assert height > 20 * COUNT, height
    browser.set_script_timeout(60)
    frames = [browser.execute_async_script(SCROLL, step, 4) for step in (80, height / 300)]
    row = eventually(lambda: browser.execute_script("""
        return document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.closest(".row")?.dataset.id"""), 60)
    assert int(row) > COUNT / 4, row
    return max(frames) * 60 / 1000


def remote_ratio(_server, _browser):
    """A list of a service on this machine, against that of the file."""
    server = Server()
    server.todo("import", "-", "--format", "todotxt", text="".join(f"Item {n} +List\n" for n in range(1000)))
    local = [PRODUCTS / "todo", "--db", server.db, "list"]
    remote = [PRODUCTS / "todo", "--remote", server.url, "--token-file", server.secret, "list"]
    times = {False: [], True: []}
    for _ in range(6 * ROUNDS):
        outputs = []
        for is_remote in times:
            begin = time.perf_counter()
            outputs.append(subprocess.run(remote if is_remote else local, capture_output=True, check=True).stdout)
            times[is_remote].append(time.perf_counter() - begin)
        assert outputs[0] == outputs[1] and outputs[0].count(b"\n") == 1001, outputs
    server.close()
    return statistics.median(times[True]) / statistics.median(times[False])


FIGURES = (
    ("serve.page_ms", page_ms, "ms"), ("serve.change_ms", change_ms, "ms"),
    ("serve.scroll_fps", scroll_fps, "60/frames per second"), ("serve.remote_ratio", remote_ratio, "ratio"),
)


def main():
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
    chosen = [figure for figure in FIGURES if figure[0].startswith(only)]
    if not chosen:
        sys.exit(f"figures.py: no figure begins with \"{only}\"; there are {', '.join(name for name, _, _ in FIGURES)}")
    server = Server()
    browser = new_browser()
    try:
        server.todo("import", "-", "--format", "todotxt", text="".join(f"Item {n} +List\n" for n in range(COUNT)))
        browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH_FOR_ROWS})
        for name, measure, unit in chosen:
            print(json.dumps({"name": name, "value": round(measure(server, browser), 3), "unit": unit}), flush=True)
    finally:
        browser.quit()
        server.close()


main()
