"""What the tests and the figures of the page share: a service on a database of its own, and a browser without a window."""
import atexit
import http.client
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

PRODUCTS = pathlib.Path(os.environ.get("PRODUCTS") or pathlib.Path(__file__).parent.parent.parent / ".build" / "debug")
SCREENSHOTS = os.environ.get("SCREENSHOTS") and pathlib.Path(os.environ["SCREENSHOTS"])


def new_browser():
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))


def eventually(check, seconds=30):
    """Waits until a check gives something true, and returns it."""
    end = time.monotonic() + seconds
    while True:
        try:
            found = check()
        except Exception as error:  # an element that is not there yet, or not any more
            found, problem = None, error
        else:
            problem = None
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"never true: {problem or found!r}")
        time.sleep(0.02)


class Server:
    """A database of its own, and the service on it. Its token is in a file, so a restart keeps it."""

    def __init__(self, token=True):
        self.folder = tempfile.TemporaryDirectory()
        self.db = self.folder.name + "/todo.db"
        self.secret = self.folder.name + "/token"
        self.token = "a-token-of-a-test-1234"
        with open(os.open(self.secret, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.write(self.token + "\n")
        self.words = ["--token-file", self.secret] if token else []
        self.port = 0
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [PRODUCTS / "todo-net", "serve", "--db", self.db, "--listen", f"127.0.0.1:{self.port}", *self.words],
            stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        self.port = int(self.url.split("/")[2].split(":")[1])

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.stdout.close()
        return self.process.wait(10)

    def close(self):
        if self.process.poll() is None:
            self.stop()
        self.folder.cleanup()

    def todo(self, *words, text=""):
        """Runs a command on the same file, as in a shell."""
        return subprocess.run([PRODUCTS / "todo", "--db", self.db, *words], input=text, capture_output=True, text=True,
                              check=True).stdout

    def ask(self, method, path, body=None, headers=(), token=True):
        """Sends a request as a program. Returns the status, the JSON and the headers."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        all_headers = {"Host": f"127.0.0.1:{self.port}"}
        if token:
            all_headers["Authorization"] = f"Bearer {self.token}"
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            all_headers["Content-Type"] = "application/json"
        connection.putrequest(method, path, skip_host=True)
        for name, value in {**all_headers, **dict(headers)}.items():
            connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        is_json = answer.headers.get_content_type() in ("application/json", "application/problem+json")
        return answer.status, json.loads(text) if is_json and text else text, answer.headers


class PageCase(unittest.TestCase):
    """A service of its own for each test, and one browser for all."""

    browser = None

    @classmethod
    def setUpClass(cls):
        if PageCase.browser is None:
            PageCase.browser = new_browser()
            PageCase.first = PageCase.browser.current_window_handle
            atexit.register(PageCase.browser.quit)

    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.close)
        self.size(1280, 860)

    def tearDown(self):
        for window in self.browser.window_handles:
            if window != self.first:
                self.browser.switch_to.window(window)
                self.browser.close()
        self.browser.switch_to.window(self.first)
        # A policy that was violated, or a script that failed. A lost connection is part of the tests.
        wrong = [entry["message"] for entry in self.browser.get_log("browser") if "net::ERR" not in entry["message"]
                 and "the server responded with a status of" not in entry["message"]]
        self.browser.get("about:blank")
        self.assertEqual(wrong, [])

    def size(self, width, height, dark=False):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})

    def open(self, place=""):
        self.browser.get(f"{self.server.url}?token={self.server.token}{place}")
        eventually(lambda: self.find("#count").text)

    def find(self, selector): return self.browser.find_element(By.CSS_SELECTOR, selector)
    def run_js(self, script, *values): return self.browser.execute_script(script, *values)

    def titles(self):
        return self.run_js("return [...document.querySelectorAll('.row .title')].map((title) => title.textContent)")

    def wait_titles(self, *titles):
        eventually(lambda: self.titles() == list(titles) or self.assertEqual(self.titles(), list(titles)))

    def press(self, *keys): self.browser.switch_to.active_element.send_keys(*keys)
    def toast(self): return self.find("#toast span").text
