"""What somebody does with the page every day: notes, tags, and moving items by mouse, finger and keys."""
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from harness import PageCase, eventually

# Whether a list that was pushed has come to rest.
SCROLL_END = "const last = window.lastY; window.lastY = scrollY; return last === scrollY"

SECTIONS = """
return Object.fromEntries([...document.querySelectorAll("section")].map((section) =>
  [section.querySelector("h2").textContent, [...section.querySelectorAll(".title")].map((title) => title.textContent)]))"""


class NotesTests(PageCase):
    def notes(self):
        return self.run_js("return [...document.querySelectorAll('.notes span')].map((note) => note.textContent)")

    def wait_notes(self, *notes):
        eventually(lambda: self.assertEqual(self.notes(), list(notes)) or True)

    def test_notes_are_added_edited_removed_and_taken_back(self):
        self.server.todo("add", "One")
        self.open()
        self.press("j", Keys.ENTER)
        field = eventually(lambda: self.find(".details textarea"))
        field.send_keys("First", Keys.SHIFT + Keys.ENTER + Keys.NULL, "and more", Keys.ENTER)
        self.wait_notes("First\nand more")
        field.send_keys("Second", Keys.ENTER)
        self.wait_notes("First\nand more", "Second")
        self.find("[aria-label='Edit note 1']").click()
        edited = eventually(lambda: self.find("[aria-label='Edit note 1']:is(textarea)"))
        self.assertEqual(edited.get_attribute("value"), "First\nand more")
        edited.clear()
        edited.send_keys("Uno", Keys.ENTER)
        self.wait_notes("Uno", "Second")
        self.assertEqual(self.run_js("return document.activeElement.getAttribute('aria-label')"), "Edit note 1")
        self.find("[aria-label='Remove note 2']").click()
        self.wait_notes("Uno")
        self.find("#toast button").click()
        self.wait_notes("Uno", "Second")
        self.find("[aria-label='Edit note 2']").click()
        eventually(lambda: self.find("textarea[aria-label='Edit note 2']")).send_keys(" more", Keys.ESCAPE)
        self.wait_notes("Uno", "Second")

    def test_a_note_that_is_being_edited_survives_changes_of_others(self):
        self.server.todo("add", "One", "note:Old")
        self.open()
        self.press("j", Keys.ENTER)
        eventually(lambda: self.find("[aria-label='Edit note 1']")).click()
        field = eventually(lambda: self.find("textarea[aria-label='Edit note 1']"))
        field.send_keys(" and mine")
        self.server.todo("edit", "1", "pri:high")
        eventually(lambda: self.find(".meta .high"))
        self.assertEqual(field.get_attribute("value"), "Old and mine")
        field.send_keys(Keys.ENTER)
        eventually(lambda: "changed meanwhile, to: Old" in self.toast())
        field.send_keys(Keys.ENTER)
        self.wait_notes("Old and mine")

    def test_the_focus_stays_in_a_row_that_others_change_and_move(self):
        self.server.todo("add", "-", text="One\nTwo pri:high\n")
        self.open("#view=priority")
        self.press("g", "j", Keys.ENTER)
        eventually(lambda: self.find(".actions button")).send_keys(Keys.NULL)
        self.server.todo("edit", "1", "pri:high")
        eventually(lambda: self.run_js("return document.querySelectorAll('section').length === 1"))
        self.assertTrue(self.run_js("return document.activeElement === document.querySelector('.actions button')"))


class MoveTests(PageCase):
    def wait_sections(self, **sections):
        eventually(lambda: self.assertEqual(self.run_js(SECTIONS), sections) or True)

    def row(self, title):
        return next(row for row in self.browser.find_elements(By.CSS_SELECTOR, ".row")
                    if row.find_element(By.CSS_SELECTOR, ".title").text == title)

    def drag(self, title, section):
        """Drags a row with the mouse onto a section, and waits until that shows where it goes."""
        target = f"section[aria-label^='{section}']"
        webdriver.ActionChains(self.browser, 50).click_and_hold(self.row(title)).move_by_offset(0, 15) \
            .move_to_element(self.find(target)).perform()
        eventually(lambda: self.find(target + "[data-drop=into]"))
        webdriver.ActionChains(self.browser).release().perform()

    def test_items_are_dragged_to_another_priority_date_and_tag(self):
        self.server.todo("add", "-", text="One pri:high @a\nTwo pri:low @b due:tomorrow\nThree\nFour @a due:today-17:00\n")
        self.open("#view=priority")
        self.wait_sections(**{"High": ["One"], "Low": ["Two"], "No priority": ["Three", "Four"]})
        self.drag("Three", "Low")
        self.wait_sections(**{"High": ["One"], "Low": ["Two", "Three"], "No priority": ["Four"]})
        eventually(lambda: "Moved “Three” to Low" in self.toast())
        self.find("#toast button").click()
        self.wait_sections(**{"High": ["One"], "Low": ["Two"], "No priority": ["Three", "Four"]})
        self.drag("Two", "No priority")
        self.wait_sections(**{"High": ["One"], "No priority": ["Two", "Three", "Four"]})
        self.assertEqual(self.run_js("return document.querySelectorAll('.details').length"), 0)  # a drag is no click

        self.open("#view=due")
        eventually(lambda: self.titles() == ["Four", "Two", "One", "Three"])
        self.drag("Four", "Tomorrow")  # keeps its time of day
        eventually(lambda: {name.split(",")[0] for name in self.run_js(SECTIONS)} == {"Tomorrow", "No date"})
        self.assertTrue(self.row("Four").text.endswith("17:00"))
        self.drag("Two", "No date")
        eventually(lambda: self.assertEqual(set(self.run_js(SECTIONS)["No date"]), {"One", "Two", "Three"}) or True)

        self.open("#view=tag")
        self.wait_sections(**{"@a": ["One", "Four"], "@b": ["Two"], "Untagged": ["Three"]})
        self.drag("One", "@b")
        self.wait_sections(**{"@a": ["Four"], "@b": ["One", "Two"], "Untagged": ["Three"]})
        self.drag("Two", "Untagged")
        self.wait_sections(**{"@a": ["Four"], "@b": ["One"], "Untagged": ["Two", "Three"]})

    def test_an_item_is_shown_under_each_of_its_tags(self):
        self.server.todo("add", "-", text="Both @a @b\nOne @b\n")
        self.open("#view=tag")
        self.wait_sections(**{"@a": ["Both"], "@b": ["Both", "One"]})
        self.server.todo("edit", "1", "Changed")
        self.wait_sections(**{"@a": ["Changed"], "@b": ["Changed", "One"]})
        self.press("j", "j", "x")
        self.wait_sections(**{"@b": ["One"]})
        self.assertEqual(self.find("#count").text, "1 item")

    def test_keys_move_an_item_into_the_next_section_and_say_so(self):
        self.server.todo("add", "-", text="One pri:high\nTwo pri:low\n")
        self.open("#view=priority")
        self.wait_sections(**{"High": ["One"], "Low": ["Two"]})
        self.press("j", "J")
        self.wait_sections(**{"Low": ["One", "Two"]})
        self.assertEqual(self.find("#toast").get_attribute("role"), "status")
        eventually(lambda: "Moved “One” to Low" in self.toast())
        self.assertEqual(self.run_js("return document.activeElement.dataset.id"), "1")
        self.press("J")
        eventually(lambda: "last section" in self.toast())

    def touch(self, kind, *places):
        points = [{"x": x, "y": y, "id": finger} for finger, (x, y) in enumerate(places)]
        self.browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def place(self, title):
        box = self.row(title).rect
        return box["x"] + 120, box["y"] + 20 - self.run_js("return scrollY")

    def test_a_finger_scrolls_and_drags_after_a_long_press(self):
        self.server.todo("add", "-", text="One +A\nTwo +A\n" + "".join(f"Item {n} +B\n" for n in range(30)))
        self.size(360, 740)
        self.browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
        self.addCleanup(self.browser.execute_cdp_cmd, "Emulation.setTouchEmulationEnabled", {"enabled": False})
        self.open()
        eventually(lambda: len(self.titles()) == 32)
        x, y = self.place("Item 3")
        self.touch("touchStart", (x, y))
        for step in range(1, 8):
            self.touch("touchMove", (x, y - 30 * step))
        self.touch("touchEnd")
        eventually(lambda: self.run_js("return scrollY") > 100)
        self.assertEqual(self.titles()[:3], ["One", "Two", "Item 0"])
        eventually(lambda: self.run_js(SCROLL_END))
        self.run_js("scrollTo({ top: 0, behavior: 'instant' })")
        (x, y), (_, to) = self.place("One"), self.place("Item 1")
        self.touch("touchStart", (x, y))
        eventually(lambda: self.find(".row.dragged"))
        for step in range(1, 9):
            self.touch("touchMove", (x, y + (to + 15 - y) * step / 8))
        eventually(lambda: self.find("[data-drop=after]"))
        self.assertEqual(self.run_js("return scrollY"), 0)
        self.touch("touchEnd")
        eventually(lambda: self.titles()[:4] == ["Two", "Item 0", "Item 1", "One"])
        # A second finger doesn't change which row is dragged.
        places = self.place("Two"), self.place("Item 1")
        self.touch("touchStart", places[0])
        self.touch("touchStart", *places)
        self.assertIn("Two", eventually(lambda: self.find(".row.dragged")).text)
        self.touch("touchCancel")
        # A short touch opens the details, as a click does.
        x, y = self.place("Two")
        self.touch("touchStart", (x, y))
        self.touch("touchEnd")
        eventually(lambda: self.find(".details"))

    def test_escape_ends_a_drag(self):
        self.server.todo("add", "-", text="One\nTwo\n")
        self.open()
        self.wait_titles("One", "Two")
        webdriver.ActionChains(self.browser, 50).click_and_hold(self.row("One")).move_to_element_with_offset(
            self.row("Two"), 0, 12).perform()
        eventually(lambda: self.find("[data-drop]"))
        webdriver.ActionChains(self.browser).send_keys(Keys.ESCAPE).perform()
        self.assertEqual(self.browser.find_elements(By.CSS_SELECTOR, "[data-drop], .dragged"), [])
        webdriver.ActionChains(self.browser).release().perform()
        self.find("#line").send_keys("Three", Keys.ENTER)
        self.wait_titles("One", "Two", "Three")
