"""The page of `todo serve` in a real browser, its API, and attacks on both."""
import http.client
import os
import signal
import subprocess
import sys
import time
import unittest

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from harness import PRODUCTS, SCREENSHOTS, PageCase, Server, eventually


class APITests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def test_attacks_are_refused(self):
        ask = self.server.ask
        cookie = f"todo-{self.server.port}"
        add = {"line": "Attack"}
        for name, status, answer in [
            ("no token", 401, ask("GET", "/api/items", token=False)),
            ("wrong token", 401, ask("GET", "/api/items", headers={"Authorization": "Bearer a-token-of-a-test-1235"})),
            ("longer token", 401, ask("GET", "/api/items", headers={"Authorization": f"Bearer {self.server.token}x"})),
            ("wrong cookie", 401, ask("GET", "/api/items", token=False, headers={"Cookie": f"{cookie}=x"})),
            ("live without a token", 401, ask("GET", "/api/live", token=False)),
            ("token in another address", 401, ask("GET", f"/api/items?token={self.server.token}", token=False)),
            ("rebound name", 421, ask("GET", "/api/items", headers={"Host": f"evil.example:{self.server.port}"})),
            ("rebound name, page", 421, ask("GET", "/", headers={"Host": f"evil.example:{self.server.port}"})),
            ("rebound name, file", 421, ask("GET", "/page.js", headers={"Host": "evil.example"})),
            ("another port", 421, ask("GET", "/api/items", headers={"Host": "127.0.0.1:1"})),
            ("another site", 403, ask("POST", "/api/items", add, {"Origin": "http://evil.example"})),
            ("another port's site", 403, ask("POST", "/api/items", add, {"Origin": "http://127.0.0.1:1"})),
            ("hidden site", 403, ask("POST", "/api/undo", headers={"Origin": "null"})),
            ("another site reads", 403, ask("GET", "/api/live", headers={"Sec-Fetch-Site": "cross-site"})),
            ("a neighbour reads", 403, ask("GET", "/api/items", headers={"Sec-Fetch-Site": "same-site"})),
            ("form of another kind", 415, ask("POST", "/api/items", b"line=Attack", {"Content-Type": "text/plain"})),
            ("no kind", 415, ask("POST", "/api/items", b'{"line":"Attack"}')),
            ("too large", 413, ask("POST", "/api/items", {"line": "x" * 70_000})),
            ("no JSON", 400, ask("POST", "/api/items", b"{", {"Content-Type": "application/json"})),
            ("no object", 400, ask("POST", "/api/items", b"[]", {"Content-Type": "application/json"})),
            ("unknown field", 422, ask("POST", "/api/items", {"titel": "Attack"})),
            ("no title", 422, ask("POST", "/api/items", {"line": " "})),
            ("wrong date", 422, ask("POST", "/api/items", {"line": "Attack due:tomorow"})),
            ("no such item", 404, ask("PATCH", "/api/items/99", {"done": True})),
            ("no such path", 404, ask("GET", "/api/../etc/passwd")),
            ("no such method", 405, ask("PUT", "/api/items", add)),
            ("wrong filter", 422, ask("GET", "/api/items?filter=due:xyz")),
            ("edit of the feed", 405, ask("POST", "/api/live", b"[]")),
        ]:
            with self.subTest(name):
                self.assertEqual(answer[0], status, answer[1])
                self.assertIn("frame-ancestors 'none'", answer[2]["Content-Security-Policy"])
                self.assertEqual(answer[2]["X-Content-Type-Options"], "nosniff")
                self.assertEqual(answer[2]["Referrer-Policy"], "same-origin")
                self.assertEqual(answer[2]["Content-Type"], "application/problem+json")
                self.assertEqual(answer[1]["status"], status)
        self.assertEqual(self.server.todo("list", "--plain"), "")

    def test_the_token_becomes_a_cookie(self):
        status, text, headers = self.server.ask("GET", f"/?token={self.server.token}", token=False)
        self.assertEqual(status, 200)
        for part in ("HttpOnly", "SameSite=Strict", f"todo-{self.server.port}="):
            self.assertIn(part, headers["Set-Cookie"])
        cookie = {"Cookie": headers["Set-Cookie"].split(";")[0]}
        self.assertEqual(self.server.ask("GET", "/api/items", token=False, headers=cookie)[0], 200)
        for path in ("/", "/?token=wrong"):
            status, text, headers = self.server.ask("GET", path, token=False)
            self.assertEqual((status, headers["Set-Cookie"]), (401, None))
            self.assertIn("locked", text)
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        self.assertEqual(self.server.ask("POST", "/session", b"token=wrong", form, token=False)[0], 401)
        status, _, headers = self.server.ask(
            "POST", "/session", f"token={self.server.token}".encode(), form, token=False)
        self.assertEqual((status, headers["Location"]), (303, "/"))

    def test_a_fresh_token_opens_the_page(self):
        server = Server(token=False)
        self.addCleanup(server.close)
        self.assertRegex(server.url, r"^http://127\.0\.0\.1:\d+/\?token=[0-9a-f]{48}$")
        status, _, headers = server.ask("GET", server.url[server.url.index("/?"):], token=False)
        self.assertEqual(status, 200)
        self.assertNotIn("Max-Age", headers["Set-Cookie"])

    def test_changes_through_the_api(self):
        server = self.server
        status, added, _ = server.ask("POST", "/api/items", {"line": "Paint fence +Garden pri:low due:2031-01-02"})
        item = added["items"][0]
        self.assertEqual((status, item["list"], added["newLists"]), (201, "Garden", ["Garden"]))
        path = f"/api/items/{item['id']}"
        _, shown, headers = server.ask("GET", path)
        self.assertEqual(shown["line"], "Paint fence +Garden pri:low due:2031-01-02")
        seen = {"If-Match": headers["ETag"]}
        server.todo("edit", str(item["id"]), "pri:high")
        status, problem, _ = server.ask("PATCH", path, {"due": None}, seen)
        self.assertEqual((status, problem["item"]["priority"]), (412, "high"))
        self.assertEqual(server.ask("DELETE", path, headers=seen)[0], 412)
        for body, field, value in [
            ({"due": "2031-03-04", "priority": None}, "due", "2031-03-04"),
            ({"title": "Paint wall"}, "title", "Paint wall"), ({"tags": ["b", "a"]}, "tags", ["b", "a"]),
            ({"line": "Paint all +Garden"}, "due", None), ({"done": True}, "done", True),
            ({"done": False}, "done", False), ({"archived": True}, "archived", True),
        ]:
            status, changed, _ = server.ask("PATCH", path, body)
            self.assertEqual((status, changed["items"][0][field]), (200, value), body)
        self.assertEqual(server.ask("PATCH", path, {"done": True, "title": "x"})[0], 422)
        self.assertEqual(server.ask("POST", "/api/undo")[1]["label"], 'archive "Paint all"')
        self.assertIn("undone", server.todo("undo"))
        self.assertEqual(server.ask("POST", "/api/redo")[0], 200)
        self.assertEqual(server.ask("POST", path + "/move", {"list": "Shed"})[1]["items"][0]["list"], "Shed")
        self.assertEqual(server.ask("POST", path + "/move", {"before": item["id"]})[0], 422)
        self.assertEqual(server.ask("POST", path + "/move", {"before": 1, "after": 2})[0], 422)
        self.assertEqual(server.ask("POST", path + "/notes", {"text": "White"})[0], 201)
        self.assertEqual(server.ask("PUT", path + "/notes/1", {"text": "Green"})[1]["items"][0]["notes"], ["Green"])
        self.assertEqual(server.ask("DELETE", path + "/notes/1")[1]["items"][0]["notes"], [])
        self.assertEqual(server.ask("GET", "/api/lists")[1]["lists"][0]["name"], "Garden")
        self.assertEqual(server.ask("DELETE", path)[1]["removed"][0]["title"], "Paint all")

    def test_readers_are_told_of_the_end(self):
        server = Server()
        self.addCleanup(server.close)
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
        connection.request("GET", "/api/live", headers={
            "Authorization": f"Bearer {server.token}", "Accept": "text/event-stream"})
        answer = connection.getresponse()
        self.assertEqual(answer.status, 200)
        answer.readline()
        self.addCleanup(connection.close)
        self.addCleanup(answer.close)
        self.assertEqual(server.stop(), 0)
        self.assertIn(b"event: end", answer.read())

    def test_other_computers_need_a_token_of_the_user(self):
        for words, status, part in [
            (["--listen", "0.0.0.0:0"], 64, "--token-file"), (["--listen", "8750"], 64, "127.0.0.1:8750"),
            (["--listn", "1"], 64, "--listen"), (["--listen", "127.0.0.1:99999"], 64, "address"),
            (["--listen", f"127.0.0.1:{self.server.port}"], 74, "--listen"),
            (["--token-file", "/nowhere"], 74, "/nowhere"), (["--db", self.server.secret], 65, "--db"),
        ]:
            file = [] if "--db" in words else ["--db", self.server.db]
            end = subprocess.run([PRODUCTS / "todo-net", "serve", *file, *words], capture_output=True, text=True,
                                 timeout=10)
            self.assertEqual(end.returncode, status, end.stderr)
            self.assertIn(part, end.stderr)
        os.chmod(self.server.secret, 0o644)
        end = subprocess.run([PRODUCTS / "todo-net", "serve", "--token-file", self.server.secret], capture_output=True,
                             text=True, timeout=10)
        os.chmod(self.server.secret, 0o600)
        self.assertIn("chmod 600", end.stderr)


class PageTests(PageCase):
    def test_the_address_loses_its_token(self):
        self.open()
        self.assertEqual(self.browser.current_url, self.server.url)
        self.browser.refresh()
        eventually(lambda: self.find("#count").text)
        self.assertEqual(self.run_js("return document.cookie"), "")

    def test_the_token_can_be_typed(self):
        self.server.todo("add", "Mine")
        for token, selector in (("wrong", "form"), (self.server.token, ".row .title")):
            self.browser.get(self.server.url)
            self.find("[name=token]").send_keys(token, Keys.ENTER)
            eventually(lambda: self.find(selector))
        self.assertEqual(self.browser.current_url, self.server.url)
        self.wait_titles("Mine")

    def test_dates_are_those_of_the_browser(self):
        for zone, typed in (("Pacific/Kiritimati", "9:15"), ("Pacific/Pago_Pago", "23:30")):
            self.browser.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": zone})
            self.addCleanup(self.browser.execute_cdp_cmd, "Emulation.setTimezoneOverride", {"timezoneId": ""})
            self.open("#view=today")
            self.find("#line").send_keys(f"In {zone} due:today {typed}", Keys.ENTER)
            row = eventually(lambda: [row.text for row in self.browser.find_elements("css selector", ".row")
                                      if zone in row.text][0])
            self.assertIn(typed, row)

    def test_two_tabs_and_a_command_see_each_other(self):
        self.open()
        self.browser.switch_to.new_window("window")
        second = self.browser.current_window_handle
        self.open("#view=due")
        self.server.todo("add", "From the shell")
        self.wait_titles("From the shell")
        self.browser.switch_to.window(self.first)
        self.wait_titles("From the shell")
        self.find("#line").send_keys("From a tab due:today pri:high +Home", Keys.ENTER)
        self.wait_titles("From the shell", "From a tab")
        eventually(lambda: "“From a tab” to the new list Home, due today" in self.toast())
        self.browser.switch_to.window(second)
        self.wait_titles("From a tab", "From the shell")
        self.find(".row .check").click()
        self.wait_titles("From the shell")
        self.browser.switch_to.window(self.first)
        self.wait_titles("From the shell")
        self.assertIn("From a tab", self.server.todo("list", "--done"))
        self.find("#toast button").click()  # it is for the item that was added, and something else was done since
        eventually(lambda: "Another change" in self.toast())
        self.wait_titles("From the shell")
        self.server.todo("undo")
        self.wait_titles("From the shell", "From a tab")

    def test_a_row_that_moves_keeps_its_node_and_the_selection(self):
        for title in ("One", "Two", "Three"):
            self.server.todo("add", title)
        self.open()
        self.wait_titles("One", "Two", "Three")
        self.press("j")
        self.run_js("document.querySelector('.row').mark = 7")
        self.server.todo("move", "1", "--last")
        self.wait_titles("Two", "Three", "One")
        self.server.todo("edit", "1", "Uno +Other")
        self.wait_titles("Two", "Three", "Uno")
        marks = self.run_js("return [...document.querySelectorAll('.row')].map((row) => row.mark ?? 0)")
        self.assertEqual(marks, [0, 0, 7])
        self.assertEqual(self.run_js("return document.activeElement.dataset.id"), "1")
        # The item that was selected goes: a key doesn't reach another one.
        self.server.todo("done", "1")
        self.wait_titles("Two", "Three")
        self.press("x")
        time.sleep(0.3)
        self.assertEqual(self.titles(), ["Two", "Three"])

    def test_what_moves_is_animated_unless_the_user_wants_no_motion(self):
        self.server.todo("add", "-", text="One\nTwo\nThree\n")
        self.open()
        self.wait_titles("One", "Two", "Three")
        self.run_js("""
            const animate = Element.prototype.animate;
            window.animated = [];
            Element.prototype.animate = function (...rest) {
              animated.push(this.dataset.id);
              return animate.apply(this, rest);
            }""")
        self.server.todo("move", "1", "--last")
        self.wait_titles("Two", "Three", "One")
        eventually(lambda: sorted(self.run_js("return animated")) == ["1", "2", "3"])
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-reduced-motion", "value": "reduce"}]})
        self.server.todo("move", "1", "--first")
        self.wait_titles("One", "Two", "Three")
        time.sleep(0.1)
        self.assertEqual(len(self.run_js("return animated")), 3)

    def test_text_is_never_markup(self):
        titles = ["<img src=x onerror=\"document.title='gone'\">", "'\"><script>document.title='gone'</script>",
                  "\u202e right to left \u05d0\u05d1\u05d2", "&lt;b&gt; {{x}} ${y}", "w" * 3000]
        for title in titles:
            self.server.todo("add", "--", title)
        self.server.todo("note", "1", "<svg onload=alert(1)>")
        self.server.todo("tag", "1", "@<b>tag</b>")
        self.server.todo("add", "In a list", "list:<i>List</i>")
        self.size(360, 740)
        self.open()
        self.wait_titles(*titles, "In a list")
        self.find(".row .main").click()
        eventually(lambda: "<svg onload" in self.find(".notes").text)
        markup = "return document.querySelectorAll('#list :is(img, script, b, i, svg)').length"
        self.assertEqual(self.run_js(markup), 0)
        self.assertIn("todo", self.browser.title)
        self.assertTrue(self.run_js(FITS))

    def test_keys_alone(self):
        self.open()
        self.press("a")
        self.press("Buy milk +Home due:tomorrow", Keys.ENTER)
        self.wait_titles("Buy milk")
        self.press("Call Ada pri:high", Keys.ENTER)
        self.wait_titles("Buy milk", "Call Ada")
        self.press("Wrong due:tomorow", Keys.ENTER)
        eventually(lambda: "tomorrow" in self.find("#add-problem").text)
        self.assertEqual(self.find("#line").get_attribute("value"), "Wrong due:tomorow")
        self.find("#line").clear()
        self.press(Keys.ESCAPE)
        self.press("jj")
        self.press("e")
        field = eventually(lambda: self.find(".edit input"))
        self.assertEqual(field.get_attribute("value"), "Call Ada +Inbox pri:high")
        field.clear()
        field.send_keys("Call Bob +Inbox @phone", Keys.ENTER)
        self.wait_titles("Buy milk", "Call Bob")
        self.press("x")
        self.wait_titles("Buy milk")
        self.press("u")
        self.wait_titles("Buy milk", "Call Bob")
        self.press("U")
        self.wait_titles("Buy milk")
        self.press("j", Keys.ENTER)
        eventually(lambda: "+Home" not in self.find(".details").text and self.find(".details textarea").is_displayed())
        self.press("/")
        self.press("mlk")
        eventually(lambda: self.find("#nothing p").text == "Nothing matches the filter.")
        self.press(Keys.ESCAPE)
        self.wait_titles("Buy milk")
        self.press("?")
        eventually(lambda: self.find("#help").is_displayed())
        self.press(Keys.ESCAPE)
        self.press("v")
        eventually(lambda: self.find("h1").text == "Dates")
        self.press("j", Keys.DELETE)
        self.wait_titles()
        eventually(lambda: "Deleted" in self.toast())

    def test_words_are_completed(self):
        self.server.todo("add", "-", text='One +Home @town\nTwo list:"Big plans" @tower\n')
        self.open()
        self.wait_titles("One", "Two")
        shown = "return [...document.querySelectorAll('.options li')].map((option) => option.textContent)"
        def wait_options(*options): eventually(lambda: self.assertEqual(self.run_js(shown), list(options)) or True)
        self.press("a")
        self.press("Three @to")
        wait_options("@tower", "@town")
        self.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ENTER)
        self.press("+b")
        wait_options('list:"Big plans"')
        self.press(Keys.TAB)
        self.press("pri:h")
        wait_options("pri:high")
        self.press(Keys.TAB)
        self.assertEqual(self.find("#line").get_attribute("value"), 'Three @town list:"Big plans" pri:high ')
        self.press("due:tom")
        wait_options("due:tomorrow")
        self.press(Keys.ESCAPE, "orrow", Keys.ENTER)
        self.wait_titles("One", "Two", "Three")
        self.assertIn("tomorrow", self.server.todo("list", 'list:Big plans', "--text", "three"))

    def test_items_are_put_in_order_by_keys_and_by_the_mouse(self):
        self.server.todo("add", "-", text="One +A\nTwo +A\nThree +B\n")
        self.open()
        self.wait_titles("One", "Two", "Three")
        self.press("j", "J")
        self.wait_titles("Two", "One", "Three")
        self.assertEqual(self.run_js("return document.activeElement.dataset.id"), "1")
        self.press("J")
        eventually(lambda: "Moved “One” to B" in self.toast())
        self.press("J")
        self.wait_titles("Two", "Three", "One")
        self.press("J")
        eventually(lambda: "the last of all" in self.toast())
        self.press("K")
        self.wait_titles("Two", "One", "Three")
        self.press("K")
        eventually(lambda: "Moved “One” to A" in self.toast())
        rows = self.browser.find_elements(By.CSS_SELECTOR, ".row")
        drag = webdriver.ActionChains(self.browser)
        drag.click_and_hold(rows[0]).move_by_offset(0, 20).move_to_element_with_offset(rows[2], 0, 12).perform()
        webdriver.ActionChains(self.browser).move_by_offset(0, 2).perform()
        eventually(lambda: self.find("[data-drop=after]"))
        webdriver.ActionChains(self.browser).release().perform()
        self.wait_titles("One", "Three", "Two")
        self.assertIn("Two", self.server.todo("list", "+B"))

    def test_a_row_has_one_line_to_edit_it_however_often_the_key_is_pressed(self):
        self.server.todo("add", "One")
        self.open()
        self.wait_titles("One")
        self.press("j")
        self.run_js("for (const key of 'ee') document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))")
        fetched = "return performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/items/1')).length"
        eventually(lambda: self.run_js(fetched) == 2 and self.find(".edit"))
        self.run_js("return new Promise(requestAnimationFrame)")
        self.assertEqual(self.run_js("return document.querySelectorAll('.edit').length"), 1)

    def test_an_edit_of_what_was_changed_meanwhile_is_kept(self):
        self.server.todo("add", "One")
        self.open()
        self.press("j", "e")
        field = eventually(lambda: self.find(".edit input"))
        self.server.todo("edit", "1", "pri:high")
        eventually(lambda: "high" in self.run_js("return document.querySelector('.meta').textContent"))
        field.clear()
        field.send_keys("Uno", Keys.ENTER)
        eventually(lambda: "meanwhile" in self.toast())
        self.assertEqual(field.get_attribute("value"), "Uno")
        field.send_keys(Keys.ENTER)
        self.wait_titles("Uno")
        self.press("j", "e")
        eventually(lambda: self.find(".edit input")).send_keys(Keys.END, " and more")
        self.server.todo("rm", "1")
        eventually(lambda: "You had typed: Uno +Inbox and more" in self.toast())

    def test_a_lost_connection_is_shown_and_resumed(self):
        self.server.todo("add", "One")
        self.size(1280, 240)
        self.open()
        self.wait_titles("One")
        self.run_js("scrollTo(0, 100)")
        self.assertEqual(self.server.stop(), 0)
        eventually(lambda: self.find("#banner").text.startswith("Offline: showing the list as of "))
        self.find("#line").send_keys("Not saved", Keys.ENTER)
        eventually(lambda: "nothing was changed" in self.find("#add-problem").text)
        self.assertEqual(self.find("#line").get_attribute("value"), "Not saved")
        # It is in sight, wherever the list is scrolled to.
        self.assertTrue(self.run_js("""
            const { left, top } = document.getElementById("banner").getBoundingClientRect();
            return document.elementFromPoint(left + 9, top + 9).id === "banner" """))
        self.server.todo("add", "Two")
        self.server.start()
        self.wait_titles("One", "Two")
        eventually(lambda: not self.find("#banner").is_displayed())
        self.server.process.send_signal(signal.SIGSTOP)
        self.server.todo("add", "Three")
        time.sleep(0.3)
        self.server.process.send_signal(signal.SIGCONT)
        self.wait_titles("One", "Two", "Three")

    def test_a_hundred_thousand_items(self):
        count = 100_000
        self.server.todo("import", "-", "--format", "todotxt",
                         text="".join(f"Item {n} +L{n // 5000}\n" for n in range(count)))
        begin = time.monotonic()
        self.open()
        eventually(lambda: self.titles()[:1] == ["Item 0"])
        print(f"first rows of {count} after {time.monotonic() - begin:.2f} s", file=sys.stderr)
        self.assertEqual(self.find("#count").text, "100,000 items")
        for part in (0.5, 0.25, 1):
            self.run_js("scrollTo(0, document.documentElement.scrollHeight * arguments[0])", part)
            eventually(lambda: self.run_js("""
                const row = document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.closest('.row');
                return row && row.querySelector('.title').textContent"""))
            eventually(lambda: len(self.titles()) <= 1000)
        eventually(lambda: self.titles()[-1] == "Item 99999")
        eventually(lambda: self.run_js("return innerHeight + scrollY >= document.documentElement.scrollHeight - 2"))
        # What changes above leaves the rows on view where they are, and the selection.
        self.run_js("scrollTo(0, 0)")
        eventually(lambda: self.titles()[0] == "Item 0")
        row = 'document.querySelector(".row[data-id=\\"90\\"]")'
        self.run_js(f"{row}.scrollIntoView({{ block: 'center' }}); {row}.focus()")
        top = f"return Math.round({row}.getBoundingClientRect().top)"
        before = self.run_js(top)
        self.server.todo("rm", "20-29")
        self.server.todo("add", "Above", "+L0")
        self.server.todo("move", "100001", "--before", "10")
        eventually(lambda: self.titles()[9:11] == ["Above", "Item 9"])
        self.assertEqual(self.find("#count").text, "99,991 items")
        self.assertAlmostEqual(before, self.run_js(top), delta=1)
        self.assertEqual(self.run_js("return document.activeElement.dataset.id"), "90")
        # What is being typed stays, however far the list is scrolled.
        self.press("e")
        eventually(lambda: self.find(".edit input")).send_keys(Keys.END, " and more")
        self.run_js("scrollTo(0, document.documentElement.scrollHeight)")
        eventually(lambda: self.titles()[-1] == "Item 99999")
        time.sleep(2.5)
        self.assertEqual(self.find(".edit input").get_attribute("value"), "Item 89 +L0 and more")

    def test_three_widths_light_and_dark(self):
        self.server.todo("add", "-", text=SAMPLE)
        self.server.todo("note", "2", "The number is on the fridge. He comes between 8 and 10.")
        self.server.todo("start", "7")
        self.server.todo("done", "10")
        for dark in (False, True):
            for width, height in ((360, 740), (768, 900), (1280, 860)):
                self.size(width, height, dark)
                for view, keys in VIEWS_AND_KEYS if SCREENSHOTS or width == 360 else VIEWS_AND_KEYS[:1]:
                    self.browser.get("about:blank")
                    self.open(f"#view={view}")
                    eventually(lambda: len(self.titles()) > 0)
                    self.press(keys)
                    self.assertTrue(self.run_js(FITS))
                    back = self.run_js("return getComputedStyle(document.documentElement).backgroundColor")
                    self.assertEqual(sum(map(int, back[4:-1].split(","))) < 200, dark, back)
                    if SCREENSHOTS:
                        time.sleep(0.4)
                        name = f"{view}{'-keys' if keys == '?' else ''}-{width}-{'dark' if dark else 'light'}.png"
                        self.browser.save_screenshot(str(SCREENSHOTS / name))


VIEWS_AND_KEYS = (("list", ""), ("today", "jj" + Keys.ENTER), ("week", "a"), ("done", ""), ("list", "?"))

FITS = "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"

SAMPLE = """\
Pay rent +Home @bank pri:high due:yesterday every:month
Call the plumber about the kitchen tap +Home due:today pri:high
Water the plants +Home due:today every:3days
Renew passport +Errands due:in-5-days @town
Buy a birthday present for Ada +Errands due:tomorrow pri:medium
Return library books +Errands @town due:fri
Finish the quarterly report +Work pri:high due:tomorrow-17:00
Review the pull request about window feeds and their block sizes before the release +Work pri:medium
Book flights for the conference in Lisbon +Work due:20-dec
Read chapter 4 +Reading
Write to grandmother pri:low
"""
