"""Many tabs over one stream, and a page without a connection."""
import json
from urllib.parse import quote

from selenium.webdriver.common.keys import Keys

from harness import PageCase, eventually

VIEWS = ("today", "week", "list", "due", "priority", "tag", "done", "list&filter=%2BHome")


class TabTests(PageCase):
    def readers(self):
        """How many streams the service has open."""
        return next(int(line.split()[1]) for line in self.server.ask("GET", "/metrics")[1].splitlines()
                    if line.startswith("todo_readers "))

    def test_eight_tabs_share_one_stream(self):
        self.server.todo("add", "Old", "+Home", "due:today", "pri:high", "@a")
        windows = []
        for view in VIEWS:
            if windows:
                self.browser.switch_to.new_window("window")
            self.open(f"#view={view}")
            windows.append(self.browser.current_window_handle)
            self.wait_titles(*([] if view == "done" else ["Old"]))
        self.find("#line").send_keys("New +Home due:today pri:high @a", Keys.ENTER)
        self.server.todo("add", "Third", "+Home", "due:today", "pri:high", "@a")
        self.server.todo("done", "1")
        for window, view in zip(windows, VIEWS):
            self.browser.switch_to.window(window)
            self.wait_titles(*(["Old"] if view == "done" else ["New", "Third"]))
        eventually(lambda: self.readers() == 1)  # the stream before this one ends after it
        # What one tab loses, the others keep.
        self.browser.switch_to.window(windows[3])
        self.browser.close()
        self.browser.switch_to.window(windows[0])
        self.server.todo("add", "Fourth", "+Home", "due:today")
        self.wait_titles("New", "Third", "Fourth")

    def test_a_list_that_cannot_be_followed_does_not_disturb_the_others(self):
        self.server.todo("add", "One")
        self.open()
        self.wait_titles("One")
        self.browser.switch_to.new_window("window")
        self.browser.get(f"{self.server.url}#view=list&filter=due%3Axyz")
        eventually(lambda: "xyz" in self.find("#filter-problem").text)
        self.browser.switch_to.window(self.first)
        self.server.todo("add", "Two")
        self.wait_titles("One", "Two")

    def test_a_browser_without_shared_workers_has_a_stream_for_each_tab(self):
        script = self.browser.execute_cdp_cmd(
            "Page.addScriptToEvaluateOnNewDocument", {"source": "delete globalThis.SharedWorker"})
        self.addCleanup(self.browser.execute_cdp_cmd, "Page.removeScriptToEvaluateOnNewDocument", script)
        self.server.todo("add", "One")
        self.open()
        self.assertTrue(self.run_js("return !globalThis.SharedWorker"))
        self.wait_titles("One")
        self.server.todo("add", "Two")
        self.wait_titles("One", "Two")
        self.find("#views [data-view=due]").click()
        eventually(lambda: self.find("h1").text == "Dates")
        self.wait_titles("One", "Two")


    def test_a_refused_stream_that_is_closed_never_connects_again(self):
        self.open()
        self.assertEqual(self.browser.execute_async_script("""
            const [done] = arguments, { setTimeout, clearTimeout } = globalThis, waiting = new Set();
            import("/live-list.js").then(({ LiveList }) => {
              globalThis.EventSource = class { static CLOSED = 2; readyState = 2; addEventListener() {} close() {} };
              globalThis.setTimeout = () => { const timer = {}; waiting.add(timer); return timer; };
              globalThis.clearTimeout = (timer) => waiting.delete(timer);
              const list = new LiveList("/refused", { change() {} });
              list.source.onopen();
              list.source.onerror();
              list.close();
              Object.assign(globalThis, { setTimeout, clearTimeout });
              done(waiting.size);
            });"""), 0)


class BundleTests(PageCase):
    def test_several_lists_in_one_answer(self):
        self.server.todo("add", "One", "+A", "pri:high")
        def place(view, filter=""): return f'{{"view":"{view}","filter":"{filter}","window":0,"size":9}}'
        def ask(lists, after=""): return self.server.ask("GET", f"/api/live?lists={quote(lists)}&after={after}")
        lists = f"[{place('priority')},{place('list', 'due:xyz')},{place('tag')}]"
        status, text, headers = ask(lists)
        frames = [json.loads(line) for line in text.splitlines()]
        self.assertEqual((status, [frame["list"] for frame in frames]), (200, [0, 1, 2]))
        for frame, name in ((frames[0], "high"), (frames[2], "untagged")):
            self.assertEqual([section["name"] for section in frame["frame"]["sections"]], [name])
        self.assertIn("xyz", frames[1]["refused"])
        # What follows is only what has changed.
        after = "~".join([frames[0]["frame"]["next"], "-", frames[2]["frame"]["next"]])
        self.assertEqual(ask(lists, after)[1], "")
        self.server.todo("edit", "1", "Uno")
        eventually(lambda: [json.loads(line)["list"] for line in ask(lists, after)[1].splitlines()] == [0, 2])
        self.assertEqual({json.loads(line)["list"] for line in ask(lists, "wrong")[1].splitlines()}, {0, 1, 2})
        for wrong in ("", "[]", "{}", "[1]", '[{"view":"list"}]', "[" + ",".join([place("list")] * 65) + "]"):
            self.assertEqual(ask(wrong)[0], 422, wrong)


class OfflineTests(PageCase):
    def is_kept(self, view="list"):
        return self.browser.execute_async_script("""
            const done = arguments[1];
            (async () => {
              await navigator.serviceWorker.ready;
              const kept = await (await caches.open("lists")).match(`/kept/${arguments[0]}`);
              return kept ? (await kept.text()) : "";
            })().then(done)""", view)

    def caches(self):
        return self.browser.execute_async_script("caches.keys().then(arguments[0])")

    def test_the_last_list_is_shown_without_a_connection_and_then_goes_on(self):
        self.server.todo("add", "-", text="One due:today\nTwo\n")
        self.open()
        self.wait_titles("One", "Two")
        eventually(lambda: "Two" in self.is_kept())
        self.server.stop()
        self.browser.refresh()
        eventually(lambda: self.find("#banner").text.startswith("Offline: showing the list as of "))
        self.assertRegex(self.find("#banner").text, r"as of \d?\d:\d\d\.")
        self.assertEqual(self.titles(), ["One", "Two"])
        self.find("#line").send_keys("Three", Keys.ENTER)
        eventually(lambda: "nothing was changed" in self.find("#add-problem").text)
        self.find(".check").click()
        eventually(lambda: "nothing was changed" in self.toast())
        # A view that was never open isn't kept, and says so.
        self.find("#views [data-view=done]").click()
        eventually(lambda: "isn't kept" in self.find("#banner").text)
        self.assertEqual(self.titles(), [])
        self.find("#views [data-view=list]").click()
        self.wait_titles("One", "Two")
        # The rows that stay keep their nodes: nothing flickers.
        self.run_js("document.querySelectorAll('.row').forEach((row) => { row.mark = 7; })")
        self.server.todo("add", "Four")
        self.server.start()
        self.wait_titles("One", "Two", "Four")
        eventually(lambda: not self.find("#banner").is_displayed())
        marks = self.run_js("return [...document.querySelectorAll('.row')].map((row) => row.mark ?? 0)")
        self.assertEqual(marks, [7, 7, 0])

    def test_another_token_removes_what_is_kept(self):
        self.server.todo("add", "Secret")
        self.open()
        eventually(lambda: "Secret" in self.is_kept())
        self.server.stop()
        with open(self.server.secret, "w") as file:
            file.write("another-token-of-a-test\n")
        self.server.start()
        self.browser.refresh()
        eventually(lambda: "locked" in self.find("h1").text)
        eventually(lambda: "lists" not in self.caches())

    def test_signing_out_removes_what_is_kept_in_all_tabs(self):
        self.server.todo("add", "Secret")
        self.open()
        self.browser.switch_to.new_window("window")
        self.open("#view=due")
        eventually(lambda: "Secret" in self.is_kept("due"))
        self.press("?")
        eventually(lambda: self.find("#sign-out")).click()
        eventually(lambda: "locked" in self.find("h1").text)
        self.assertEqual(self.caches(), [])
        self.browser.switch_to.window(self.first)
        eventually(lambda: "locked" in self.find("h1").text)
        self.server.stop()
        self.browser.refresh()
        # Nothing, or the empty page, if the other tab has kept its files at the same moment.
        eventually(lambda: "ERR_CONNECTION_REFUSED" in self.browser.page_source or self.find("#banner").is_displayed())
        self.assertNotIn("Secret", self.browser.page_source)

    def test_the_page_can_be_installed(self):
        self.open()
        answer = self.browser.execute_cdp_cmd("Page.getAppManifest", {})
        self.assertEqual(answer["errors"], [])
        eventually(lambda: self.is_kept())
        problems = self.browser.execute_cdp_cmd("Page.getInstallabilityErrors", {})["installabilityErrors"]
        self.assertEqual([each["errorId"] for each in problems if each["errorId"] != "in-incognito"], [])
        self.press("?")
        eventually(lambda: "can be installed" in self.find("#secure").text)


class InsecureTests(PageCase):
    def test_help_says_what_an_address_without_https_cannot_do(self):
        script = self.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {
            "source": "Object.defineProperty(globalThis, 'isSecureContext', { value: false })"})
        self.addCleanup(self.browser.execute_cdp_cmd, "Page.removeScriptToEvaluateOnNewDocument", script)
        self.open()
        self.press("?")
        eventually(lambda: "need https" in self.find("#secure").text)
        # The page would install its worker two seconds after its start.
        count = "navigator.serviceWorker.getRegistrations().then((all) => arguments[0](all.length))"
        self.assertEqual(self.browser.execute_async_script(f"setTimeout(() => {count}, 2500)"), 0)
