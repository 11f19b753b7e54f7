"""Whether everybody can use the page: names and roles, contrast, the order of focus; and how many bytes it has."""
import gzip
import pathlib

from selenium.webdriver.common.keys import Keys

from harness import PageCase, eventually
from page_test import FITS, SAMPLE

FILES = pathlib.Path(__file__).parent.parent.parent / "Sources" / "todo-net" / "Page"

# The texts whose contrast with what is behind them is too low, as WCAG 2 computes it.
LOW_CONTRAST = """
const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const bytes = (color) => {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = color;
  canvas.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
  return [r, g, b, a / 255];
};
const over = ([r, g, b, a], below) => [r, g, b].map((part, n) => part * a + below[n] * (1 - a)).concat(1);
const backOf = (node) => {
  if (!node) return [255, 255, 255, 1];
  const color = bytes(getComputedStyle(node).backgroundColor);
  return color[3] === 1 ? color : over(color, backOf(node.parentElement));
};
const light = (color) => color.slice(0, 3).map((part) => part / 255)
  .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  .reduce((sum, part, n) => sum + part * [0.2126, 0.7152, 0.0722][n], 0);
const low = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode.parentElement;
  if (!walker.currentNode.data.trim() || !node.checkVisibility({ visibilityProperty: true })) continue;
  const back = backOf(node);
  const [a, b] = [light(over(bytes(getComputedStyle(node).color), back)), light(back)];
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < 4.5) low.push(`${walker.currentNode.data.trim()}: ${ratio.toFixed(2)}`);
}
return low;"""

STATES = (("list", ""), ("today", "jj" + Keys.ENTER), ("tag", "j"), ("done", ""), ("priority", "je"), ("list", "?"))


class AccessTests(PageCase):
    def fill(self):
        self.server.todo("add", "-", text=SAMPLE)
        self.server.todo("note", "2", "The number is on the fridge.")
        self.server.todo("done", "10")

    def test_everything_has_a_name_and_enough_contrast(self):
        self.fill()
        roles = {"button", "link", "textbox", "searchbox", "checkbox", "combobox", "navigation", "dialog", "list"}
        for dark in (False, True):
            self.size(768, 900, dark)
            for view, keys in STATES:
                self.browser.get("about:blank")
                self.open(f"#view={view}")
                eventually(lambda: self.titles())
                if keys:
                    self.press(keys)
                # Transitions have ended when nothing is animated.
                eventually(lambda: self.run_js("return document.getAnimations().length") == 0)
                self.assertEqual(self.run_js(LOW_CONTRAST), [], (view, dark))
                tree = self.browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
                seen = {node["role"]["value"] for node in tree if "role" in node}
                self.assertLessEqual({"button", "searchbox"} if keys != "?" else {"dialog"}, seen)
                for node in tree:
                    if node.get("role", {}).get("value") in roles - {"list"} and not node["ignored"]:
                        self.assertTrue(node.get("name", {}).get("value"), (view, node))

    def test_the_tab_key_goes_through_the_page_in_the_order_of_reading(self):
        self.fill()
        self.open()
        eventually(lambda: self.titles())
        order = []
        for _ in range(13):
            self.press(Keys.TAB)
            order.append(self.run_js("""
                const { activeElement: at } = document;
                return at.className === "skip" ? "skip" : at.dataset.view ?? at.dataset.id ?? (at.id || at.textContent)"""))
            shown = self.run_js("""
                const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
                const marked = document.activeElement.matches(".row[aria-current]");
                return marked || outlineStyle !== "none" && outlineWidth !== "0px";""")
            self.assertTrue(shown, order[-1])
        self.assertEqual(order, ["skip", "today", "week", "list", "due", "priority", "tag", "done", "help-button", "line",
                                 "Add", "filter", "1"])
        self.press(Keys.ENTER)
        self.press(Keys.TAB)
        self.assertEqual(self.run_js("return document.activeElement.getAttribute('aria-label')"), "Add a note")
        self.press(Keys.ESCAPE)
        self.assertEqual(self.run_js("return document.activeElement.dataset.id"), "1")
        self.press("?")
        eventually(lambda: self.run_js("return document.activeElement.textContent") == "Close")

    def test_long_titles_other_scripts_and_big_letters_fit(self):
        for title in ("w" * 300, "A " + "long title " * 30, "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd @x", "\U0001F9E6 " * 40,
                      "\u200fabc \u202e def"):
            self.server.todo("add", title, "+" + "L" * 60, "due:tomorrow-17:00", "pri:high", "note:" + "n" * 200)
        # 360 pixels, half of 768 and half of 1280: what a zoom of 200% leaves.
        for width, height in ((360, 740), (384, 450), (640, 430)):
            self.size(width, height)
            self.browser.get("about:blank")
            self.open()
            eventually(lambda: len(self.titles()) == 5)
            self.press("jj", Keys.ENTER)
            eventually(lambda: self.find(".details"))
            self.assertTrue(self.run_js(FITS), width)
            # The header leaves more than half of the window to the rows.
            self.assertTrue(self.run_js("""
                const header = document.querySelector("header");
                return getComputedStyle(header).position === "static" || header.offsetHeight < innerHeight / 2"""))

    def test_the_page_has_at_most_sixty_kibibytes(self):
        size = sum(len(gzip.compress(file.read_bytes())) for file in FILES.iterdir())
        self.assertLessEqual(size, 60 << 10)
        self.open()
        asked = self.run_js("return performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)")
        missing = [path for path in asked if not path.startswith("/api/") and not (FILES / path[1:]).exists()]
        self.assertEqual(missing, [])
