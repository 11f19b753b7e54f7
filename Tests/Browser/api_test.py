"""What `todo serve` promises those who attack it, run it, and write programs for it."""
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import unittest
import urllib.parse

from harness import PRODUCTS, Server, eventually

ROOT = pathlib.Path(__file__).parent.parent.parent
FOLDER = ROOT / ".build" / "schemathesis"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class Service(Server):
    """A server with more options, whose standard error goes to a file."""

    def __init__(self, *more, token=True, url=""):
        self.more, self.known_as = more, url
        super().__init__(token)

    def start(self):
        self.port = self.port or free_port()
        self.errors = self.folder.name + "/errors"
        url = ["--url", self.known_as.format(self.port)] if self.known_as else []
        with open(self.errors, "w") as errors:
            self.process = subprocess.Popen(
                [PRODUCTS / "todo-net", "serve", "--db", self.db, "--listen", f"127.0.0.1:{self.port}", *self.words,
                 *url, *self.more], stdout=subprocess.PIPE, stderr=errors, text=True)
        self.url = self.process.stdout.readline().strip()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.stdout.close()
        return self.process.wait(60)

    def log(self):
        return pathlib.Path(self.errors).read_text()

    def send(self, text, seconds=5):
        """Sends bytes as they are. Returns all that comes until the connection is closed, or nothing comes."""
        with socket.create_connection(("127.0.0.1", self.port), seconds) as client:
            client.sendall(text if isinstance(text, bytes) else text.encode())
            answer = b""
            try:
                while part := client.recv(65536):
                    answer += part
            except (TimeoutError, ConnectionResetError):
                pass
            return answer.decode(errors="replace")

    def head(self, method="GET", path="/api/items", *lines, host=None):
        return "\r\n".join([f"{method} {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{self.port}'}",
                            f"Authorization: Bearer {self.token}", "Connection: close", *lines, "", ""])


class AttackTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Service()
        cls.server.todo("add", "Mine")

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def tearDown(self):
        self.assertIsNone(self.server.process.poll(), "the service has ended")
        self.assertIn("Mine", self.server.todo("list", "--plain"))

    def refused(self, status, text):
        self.assertRegex(text.split("\r\n")[0], rf"^HTTP/1\.1 {status} ")
        return text

    def test_other_sites_change_nothing(self):
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        for name, headers in [
            ("a form", {"Origin": "http://evil.example", **form}),
            ("a form without a site", {"Origin": "null", **form}),
            ("a fetch", {"Origin": "http://evil.example", "Content-Type": "application/json"}),
            ("a neighbour", {"Sec-Fetch-Site": "same-site", "Content-Type": "application/json"}),
            ("a name that begins like ours", {"Origin": f"http://127.0.0.1:{self.server.port}.evil.example"}),
        ]:
            for method, path in [("POST", "/api/undo"), ("DELETE", "/api/items/1"), ("POST", "/api/items/1/move")]:
                with self.subTest(name, path=path):
                    self.assertEqual(self.server.ask(method, path, b"line=x", headers)[0], 403)
        # A preflight gets no permission.
        status, _, headers = self.server.ask("OPTIONS", "/api/items", headers={
            "Origin": "http://evil.example", "Access-Control-Request-Method": "POST"})
        self.assertEqual(status, 405)
        self.assertFalse([name for name in headers if name.lower().startswith("access-control")])

    def test_no_other_name_and_no_cookie_of_another_port(self):
        for host in ("evil.example", f"evil.example:{self.server.port}", f"127.0.0.1.evil.example:{self.server.port}",
                     f"127.0.0.1:{self.server.port}@evil.example", "[::ffff:7f00:1]", "127.0.0.1", "localhost:1"):
            with self.subTest(host):
                self.refused(421, self.server.send(self.server.head(host=host)))
        self.assertIn(" 400 ", self.server.send("GET /api/items HTTP/1.1\r\nConnection: close\r\n\r\n"))
        token = self.server.token
        for cookie in (f"todo-1={token}", f"todo={token}", f"x=todo-{self.server.port}={token}"):
            with self.subTest(cookie):
                self.assertEqual(self.server.ask("GET", "/api/items", token=False, headers={"Cookie": cookie})[0], 401)

    def test_the_token_is_in_no_answer_but_its_cookie(self):
        token = self.server.token
        for path in ("/", f"/?token={token}", f"/api/items?token={token}", "/page.js", f"/{token}"):
            status, text, headers = self.server.ask("GET", path, token=False)
            self.assertNotIn(token, text if isinstance(text, str) else json.dumps(text), path)
            for name, value in headers.items():
                self.assertTrue(name == "Set-Cookie" or token not in value, path)
        self.assertEqual(self.server.ask("GET", f"/api/lists?token={token}", token=False)[0], 401)

    def test_methods(self):
        server = self.server
        self.assertEqual(server.ask("POST", "/api/items/1", headers={"X-HTTP-Method-Override": "DELETE"})[0], 405)
        self.assertEqual(server.ask("GET", "/api/items/1?_method=DELETE")[0], 200)
        for method in ("TRACE", "CONNECT", "PROPFIND", "get", "OPTIONS", "PUT"):
            with self.subTest(method):
                self.assertRegex(self.refused(405, server.send(server.head(method))), r"\nAllow: GET, HEAD, POST\r\n")
        body = server.send(server.head("HEAD", "/api/items/1")).split("\r\n\r\n", 1)
        self.assertRegex(body[0], r"^HTTP/1\.1 200 ")
        self.assertEqual(body[1], "")
        self.refused(404, server.send(server.head("OPTIONS", "*")))

    def test_an_upgrade_is_ignored(self):
        answer = self.server.send(self.server.head(
            "GET", "/api/live", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="), 1)
        self.assertNotIn(" 101 ", answer)
        self.assertIn(" 200 OK", answer)

    def test_paths_lead_nowhere_else(self):
        for path in ("/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc%2fpasswd", "//etc/passwd",
                     "/page.js/../../todo.db", "/page.js%00.html", "/api/items/%2e%2e", "/api/items/1%2fnotes",
                     "/api//items", "/API/items", "http://evil.example/api/items", "/api/items/1%0d%0aX:%20y",
                     "/api/items/9223372036854775808", "/api/items/-9223372036854775808", "/api/items/%ff%fe"):
            with self.subTest(path):
                self.refused("4[0-9]{2}", self.server.send(self.server.head("GET", path)))
        for number in ("0", "-9223372036854775808", "9223372036854775807", "x"):
            self.assertEqual(self.server.ask("DELETE", f"/api/items/1/notes/{number}")[0], 404)

    def test_text_stays_text(self):
        evil = "\r\nSet-Cookie: a=b\r\n\r\n<script>alert(1)</script>\0\u2028\u202e\"'\\"
        texts = [evil, evil.replace("\0", "")]
        for path, body in [
            *(("/api/items", {"line": text}) for text in texts), ("/api/items", {"line": "x", "list": evil}),
            *(("/api/items/1/notes", {"text": text}) for text in texts), ("/api/items/1/move", {"list": evil}),
        ]:
            status, _, headers = self.server.ask("POST", path, body)
            self.assertIn(status, (200, 201, 422))
            self.assertIn(headers["Content-Type"], ("application/json", "application/problem+json"))
            self.assertNotIn("Set-Cookie", headers)
        for field in ("title", "list", "due", "every", "wait", "priority", "line"):
            status, _, headers = self.server.ask("PATCH", "/api/items/1", {field: evil})
            self.assertIn(status, (200, 422), field)
            self.assertNotIn("Set-Cookie", headers)
        self.assertIn(self.server.ask("PATCH", "/api/items/1", {"tags": [evil]})[0], (200, 422))
        for name in ("view", "filter", "limit"):
            status, _, headers = self.server.ask(
                "GET", f"/api/items?{name}=%0d%0aSet-Cookie:%20a=b%0d%0a%0d%0a%3Cscript%3E%22")
            self.assertIn(status, (200, 422))
            self.assertNotIn("Set-Cookie", headers)
        while self.server.ask("GET", "/api/items/1")[1]["item"]["title"] != "Mine":
            self.assertEqual(self.server.ask("POST", "/api/undo")[0], 200)

    def test_sizes(self):
        server = self.server
        self.refused(431, server.send(server.head("GET", "/api/items", "X: " + "x" * 20_000)))
        self.assertRegex(server.send(server.head("GET", "/api/items?filter=" + "x" * 20_000)), r"^HTTP/1\.1 4(14|31) ")
        self.refused(413, server.send(server.head("POST", "/api/items", "Content-Length: 999999999")))
        self.refused(411, server.send(server.head("POST", "/api/items", "Transfer-Encoding: chunked") + "0\r\n\r\n"))
        json_header = {"Content-Type": "application/json"}
        for body in (b"[" * 60_000, b'{"line":' * 8_000, b'{"line":"' + b"\\ud800" * 9_000 + b'"}', b"\xff\xfe",
                     b'{"line":1e999999999}', b'{"line":null,"line":{}}'):
            self.assertIn(server.ask("POST", "/api/items", body, json_header)[0], (400, 422))

    def test_wrong_tokens_are_slowed_down(self):
        server = Service()
        self.addCleanup(server.close)

        def memory():
            status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
            return int(re.search(r"VmRSS:\s+(\d+)", status)[1])

        statuses = {}
        before = 0
        start = time.monotonic()
        for number in range(10_000):
            headers = {"Authorization": f"Bearer a-token-of-a-test-{number}"}
            status, _, answer = server.ask("GET", "/api/items", token=False, headers=headers)
            statuses[status] = statuses.get(status, 0) + 1
            if status == 429:
                self.assertGreaterEqual(int(answer["Retry-After"]), 1)
            if number == 1000:
                before = memory()
        self.assertEqual(set(statuses), {401, 429})
        self.assertLessEqual(statuses[401], 21 + time.monotonic() - start)
        self.assertLess(memory() - before, 8 << 10)
        self.assertEqual(server.ask("GET", "/api/items")[0], 429)  # the right one too: it can't be found meanwhile
        eventually(lambda: server.ask("GET", "/api/items")[0] == 200, 60)

    def test_other_sites_do_not_lock_the_user_out(self):
        server = Service()
        self.addCleanup(server.close)
        for number in range(25):
            for path, headers in [
                ("/", {}), ("/api/items", {}), ("/", {"Sec-Fetch-Site": "cross-site"}),
                (f"/?token={number}", {"Sec-Fetch-Site": "cross-site"}),
                (f"/?token={number}", {"Sec-Fetch-Site": "same-site"}),
            ]:
                self.assertIn(server.ask("GET", path, token=False, headers=headers)[0], (401, 429))
        self.assertEqual(server.ask("GET", "/api/items")[0], 200)
        # No site's name makes guessing faster.
        statuses = {server.ask("GET", "/?token=x", token=False, headers={"Sec-Fetch-Site": "cross-site"})[0]}
        self.assertEqual(statuses, {429})

    def test_a_form_of_another_type_is_refused_with_the_type_to_send(self):
        status, problem, _ = self.server.ask("POST", "/session", {"token": self.server.token}, token=False)
        self.assertEqual((status, problem["detail"]), (415, "send the token as application/x-www-form-urlencoded"))

    def test_a_code_opens_the_page_once(self):
        browser = self.server.folder.name + "/browser"
        with open(os.open(browser, os.O_CREAT | os.O_WRONLY, 0o700), "w") as file:
            file.write('#!/bin/sh\ngrep "^Sig[BI]" /proc/self/status > "$0.signals"\necho "$1" > "$0.opened"\n')
        os.environ["BROWSER"] = browser
        self.addCleanup(os.environ.pop, "BROWSER")
        server = Service("--open", token=False)
        self.addCleanup(server.close)
        opened = eventually(lambda: pathlib.Path(browser + ".opened").read_text().strip(), 60)
        self.assertNotIn(server.url.split("=")[1], opened)
        # The browser blocks and ignores no signals, though the service does. (Those from 32 on are the C library's.)
        signals = pathlib.Path(browser + ".signals").read_text().split()[1::2]
        self.assertEqual([int(mask, 16) & 0x7FFFFFFF for mask in signals], [0, 0])
        path = opened[opened.index("/?"):]
        self.assertEqual(server.ask("GET", path, token=False)[0], 200)
        self.assertEqual(server.ask("GET", path, token=False)[0], 401)


class OperationTests(unittest.TestCase):
    def serve(self, *words, url=""):
        server = Service(*words, url=url)
        self.addCleanup(server.close)
        return server

    def test_health(self):
        server = self.serve()
        self.assertEqual(server.ask("GET", "/health", token=False)[:2], (200, "ok\n"))
        self.assertEqual(server.ask("GET", "/health", token=False, headers={"Host": "evil.example"})[0], 421)
        os.rename(server.db, server.db + ".gone")
        status, text, headers = server.ask("GET", "/health", token=False)
        self.assertEqual(status, 503)
        self.assertNotIn(server.folder.name, text)
        self.assertIn("Retry-After", headers)
        os.rename(server.db + ".gone", server.db)

    def test_metrics(self):
        server = self.serve()
        server.todo("add", "One")
        self.assertEqual(server.ask("GET", "/metrics", token=False)[0], 401)
        self.assertEqual(server.ask("GET", "/api/live")[0], 200)
        server.todo("add", "Two")

        def values():
            status, text, headers = server.ask("GET", "/metrics")
            self.assertTrue(headers["Content-Type"].startswith("text/plain; version=0.0.4"))
            return self.parse(text)
        found = eventually(lambda: (now := values())['todo_evaluations_total{how="rows"}'] >= 1 and now, 60)
        self.assertGreaterEqual(found["todo_commits_total"], 1)
        self.assertEqual(found["todo_lists"], 1)
        following = values()  # the only answer between them is that of `found`
        self.assertEqual(following["todo_answer_seconds_count"], found["todo_answer_seconds_count"] + 1)
        self.assertGreater(following["todo_answer_seconds_sum"], found["todo_answer_seconds_sum"])
        self.assertGreaterEqual(found["todo_refused_total"], 1)

    def test_the_first_list_is_ready_before_a_page_asks(self):
        server = self.serve()
        eventually(lambda: self.parse(server.ask("GET", "/metrics")[1])["todo_lists"] == 1, 60)

    def test_a_bundle_has_as_many_lists_as_are_kept(self):
        server = self.serve()
        places = [{"view": "list", "filter": f"title{number}", "window": 0, "size": 9} for number in range(33)]
        path = "/api/live?lists=" + urllib.parse.quote(json.dumps(places))
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        self.addCleanup(connection.close)
        connection.request("GET", path, headers={
            "Authorization": f"Bearer {server.token}", "Accept": "text/event-stream"})
        stream, frames = connection.getresponse(), {}
        while len(frames) < 33:
            line = stream.readline()
            self.assertTrue(line, "the stream has ended")
            if line.startswith(b"data: ") and "list" in (frame := json.loads(line[6:])):
                frames[frame["list"]] = frame
        self.assertEqual([number for number in frames if "refused" in frames[number]], [32])
        # Another reader ends none of them.
        self.assertEqual(server.ask("GET", "/api/live?filter=other")[0], 200)
        server.todo("add", "title0")
        while b"title0" not in (line := stream.readline()):
            self.assertTrue(line, "the stream has ended")

    def parse(self, text):
        """The samples, after the rules of Prometheus's text format and of `promtool check metrics`."""
        self.assertTrue(text.endswith("\n"))
        found, kinds, helped = {}, {}, set()
        for line in text.splitlines():
            if match := re.fullmatch(r"# (HELP|TYPE) ([a-z_]+) (.+)", line):
                kind, name, rest = match.groups()
                names = helped if kind == "HELP" else kinds
                self.assertNotIn(name, names)
                if kind == "HELP":
                    helped.add(name)
                else:
                    self.assertIn(rest, ("counter", "gauge", "histogram"))
                    self.assertEqual(rest == "counter", name.endswith("_total"), name)
                    kinds[name] = rest
                continue
            match = re.fullmatch(r'([a-z_]+)(\{[a-z]+="(?:[^"\\\n]|\\["\\n])*"\})? ([0-9.e+-]+)', line)
            self.assertTrue(match, line)
            family = re.sub("_(bucket|sum|count)$", "", match[1]) if match[1] not in kinds else match[1]
            self.assertEqual(list(kinds)[-1], family, "samples of a family are together")
            self.assertIn(family, helped)
            self.assertNotIn(match[1] + (match[2] or ""), found)
            found[match[1] + (match[2] or "")] = float(match[3])
        for name in (name for name, kind in kinds.items() if kind == "histogram"):
            buckets = [value for key, value in found.items() if key.startswith(name + "_bucket")]
            self.assertEqual(buckets, sorted(buckets))
            self.assertEqual(buckets[-1], found[name + "_count"])
        return found

    def test_a_log_of_json(self):
        server = self.serve("--log", "json")
        server.ask("POST", "/api/items", {"line": "A secret title"})
        server.ask("GET", "/api/items?filter=secret")
        server.ask("GET", f"/?token={server.token}", token=False)
        server.ask("GET", "/no%22%0Athing")
        self.assertEqual(server.stop(), 0)
        lines = [json.loads(line) for line in server.log().splitlines()]
        requests = [line for line in lines if "path" in line]
        self.assertEqual([(line["method"], line["path"], line["status"]) for line in requests], [
            ("POST", "/api/items", 201), ("GET", "/api/items", 200), ("GET", "/", 200), ("GET", '/no"\nthing', 404)])
        for line in lines:
            self.assertRegex(line["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
            self.assertIn(line["level"], ("info", "warning", "error"))
            self.assertTrue(line["message"])
        for line in requests:
            self.assertGreaterEqual(line["ms"], 0)
            self.assertGreater(line["bytes"], 0)
        self.assertNotIn("secret", server.log())
        self.assertNotIn(server.token, server.log())

    def test_without_json_only_errors_are_logged(self):
        server = self.serve()
        server.ask("GET", "/api/items")
        server.ask("GET", "/nothing")
        self.assertEqual(server.stop(), 0)
        self.assertEqual(server.log(), "")

    def test_pages_of_a_list(self):
        server = self.serve()
        server.todo("add", "-", text="".join(f"Item {number} +List{number // 3}\n" for number in range(8)))
        _, everything, _ = server.ask("GET", "/api/items")
        wanted = [(section["name"], item["id"]) for section in everything["sections"] for item in section["items"]]
        self.assertEqual(len(wanted), 8)
        for size in (1, 2, 3, 5):
            found = []
            for offset in range(0, 10, size):
                _, page, _ = server.ask("GET", f"/api/items?limit={size}&offset={offset}")
                self.assertEqual(page["revision"], everything["revision"])
                self.assertTrue(all(section["items"] for section in page["sections"]))
                found += [(section["name"], item["id"]) for section in page["sections"] for item in section["items"]]
            self.assertEqual(found, wanted)
        for query in ("limit=-1", "limit=x", "offset=-1", "offset=", "limit=2147483648", "offset=99999999999999999999"):
            self.assertEqual(server.ask("GET", f"/api/items?{query}")[0], 422, query)

    def test_conditions(self):
        server = self.serve()
        server.todo("add", "One")
        tag = server.ask("GET", "/api/items/1")[2]["ETag"]
        self.assertEqual(server.ask("GET", "/api/items/1", headers={"If-None-Match": tag})[:2], (304, ""))
        for match, status in [(tag, 200), (tag, 412), ("*", 200), (f'{tag}, "x"', 422), ("x", 422), (f"W/{tag}", 422)]:
            self.assertEqual(server.ask("PATCH", "/api/items/1", {"title": f"Two {match}"}, {"If-Match": match})[0], status)
        self.assertEqual(server.ask("POST", "/api/items", {"line": "x"})[2]["Location"], "/api/items/2")
        for accept, status in [("application/json", 200), ("text/*;q=1, application/*;q=0.1", 200), ("*/*", 200),
                               ("text/html", 406), ("application/json;q=0, text/html", 406)]:
            self.assertEqual(server.ask("GET", "/api/lists", headers={"Accept": accept})[0], status, accept)

    def test_a_restart_keeps_cookies(self):
        server = self.serve()
        cookie = {"Cookie": server.ask("GET", f"/?token={server.token}", token=False)[2]["Set-Cookie"].split(";")[0]}
        self.assertEqual(server.stop(), 0)
        server.start()
        self.assertEqual(server.ask("GET", "/api/items", token=False, headers=cookie)[0], 200)

    def test_https_by_the_name_of_the_certificate(self):
        server = self.serve()
        port, folder = server.port, server.folder.name
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
             "2", "-subj", "/CN=todo.test", "-addext", "subjectAltName=DNS:todo.test", "-keyout", folder + "/key",
             "-out", folder + "/certificate"], check=True, capture_output=True)
        words = ["--certificate", folder + "/certificate", "--key", folder + "/key"]
        name = f"todo.test:{port}"
        server.stop()
        server.more, server.known_as = words, "https://Todo.test:{}"
        server.start()
        self.assertEqual(server.url, f"https://{name}/")
        context = ssl.create_default_context(cafile=folder + "/certificate")
        with socket.create_connection(("127.0.0.1", port), 10) as plain:
            with context.wrap_socket(plain, server_hostname="todo.test") as client:
                client.sendall(server.head("GET", f"/?token={server.token}", f"Origin: https://{name}", host=name).encode())
                answer = b"".join(iter(lambda: client.recv(65536), b"")).decode()
        self.assertIn(" 200 OK", answer)
        self.assertRegex(answer, r"Set-Cookie: .*; HttpOnly; SameSite=Strict; Secure")
        server.stop()
        os.chmod(folder + "/key", 0o640)
        for words, status, part in [
            (words[:2], 64, "belong together"), (words, 74, "chmod 600"),
            ([*words[:3], folder + "/certificate"], 74, "chmod 600"), ([words[0], "/nowhere", *words[2:]], 74, "/nowhere"),
            (["--url", "todo.test"], 64, "https://todo.example"), (["--log", "xml"], 64, "json"),
        ]:
            end = subprocess.run([PRODUCTS / "todo-net", "serve", "--db", server.db, *words], capture_output=True,
                                 text=True, timeout=60)
            self.assertEqual((end.returncode, end.stdout), (status, ""), end.stderr)
            self.assertIn(part, end.stderr)
        server.more, server.known_as = [], ""
        server.start()

    @unittest.skipUnless(shutil.which("systemd-analyze"), "SYSTEMD IS MISSING: the units of docs/Serve.md are not checked")
    def test_the_units_of_the_documentation(self):
        units = re.findall(r"```ini\n(.*?)```", (ROOT / "docs" / "Serve.md").read_text(), re.S)
        self.assertEqual(len(units), 2)
        with tempfile.TemporaryDirectory() as folder:
            for unit, scope in zip(units, ("--user", "--system")):
                path = pathlib.Path(folder) / "todo.service"
                path.write_text(re.sub(r"=\S*/bin/todo ", "=/bin/true ", unit).replace("=todo\n", "=daemon\n"))
                end = subprocess.run(["systemd-analyze", "verify", scope, path], capture_output=True, text=True,
                                     env={**os.environ, "XDG_RUNTIME_DIR": folder})
                self.assertEqual((end.returncode, end.stderr), (0, ""))

    def test_behind_a_proxy(self):
        server = self.serve(url="https://todo.example")
        self.assertEqual(server.url, "https://todo.example/")
        site = {"Host": "todo.example", "Origin": "https://todo.example"}
        self.assertEqual(server.ask("POST", "/api/items", {"line": "One"}, site)[0], 201)
        self.assertEqual(server.ask("GET", "/api/items", headers={"Host": "todo.example.evil"})[0], 421)
        self.assertEqual(server.ask("POST", "/api/undo", headers={**site, "Origin": "https://evil.example"})[0], 403)
        self.assertIn("; Secure", server.ask("GET", f"/?token={server.token}", token=False)[2]["Set-Cookie"])
        for _ in range(30):  # of one client among many
            server.ask("GET", "/api/items", token=False, headers={
                "X-Forwarded-For": "10.0.0.1", "Authorization": "Bearer wrong"})
        self.assertEqual(server.ask("GET", "/api/items", headers={"X-Forwarded-For": "10.0.0.1"})[0], 429)
        self.assertEqual(server.ask("GET", "/api/items", headers={"X-Forwarded-For": "10.0.0.1, 10.0.0.2"})[0], 200)


class DescriptionTests(unittest.TestCase):
    """The OpenAPI document, against the code and the running service."""

    def setUp(self):
        # With --url, the service lets a proxy on this machine name the clients.
        self.server = Service("--log", "json", url="http://127.0.0.1:{}")
        self.addCleanup(self.server.close)
        self.document = self.server.ask("GET", "/api/openapi.json")[1]

    def test_every_route_is_described(self):
        code = "".join(path.read_text() for path in (ROOT / "Sources" / "todo-net").glob("*.swift"))
        routes = set(re.findall(r'\bon\((?:server, )?"([A-Z]+)", "(/[^"\\]*)"', code))
        routes |= {("GET", path) for path in re.findall(r'\.feeds\("([^"]+)"', code)}
        self.assertGreater(len(routes), 14)
        described = {(method.upper(), path) for path, methods in self.document["paths"].items()
                     for method in methods if method != "parameters"}
        self.assertEqual(routes - {("GET", "/"), ("POST", "/session"), ("DELETE", "/session")}, described)
        for path in self.document["paths"]:
            status, _, headers = self.server.ask("PROPFIND", re.sub("{[a-z]+}", "1", path))
            allowed = set(headers["Allow"].split(", ")) - {"HEAD"}
            expected = {method for method, other in described if other == path}
            self.assertEqual((status, allowed), (405, expected), path)

    def test_schemathesis_finds_nothing(self):
        program = FOLDER / "bin" / "schemathesis"
        if not program.exists():
            self.skipTest("SCHEMATHESIS IS MISSING: the description is not tested; see Scripts/bootstrap-browser")
        for number in (1, 2, 3):
            self.server.todo("add", f"Item {number} +Home @tag due:2031-01-0{number}")
        here = pathlib.Path(__file__).parent
        end = subprocess.run(
            [program, "--config-file", here / "schemathesis.toml", "run", self.server.url + "api/openapi.json",
             "-H", f"Authorization: Bearer {self.server.token}", "--checks", "all", "--seed", "7", "--max-examples",
             "10", "--max-time", "60", "--no-color"],
            capture_output=True, text=True, timeout=300, cwd=self.server.folder.name,
            env={**os.environ, "SCHEMATHESIS_HOOKS": "many_clients", "PYTHONPATH": str(here)})
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)
        statuses = [json.loads(line)["status"] for line in self.server.log().splitlines() if '"status":' in line]
        self.assertGreater(len(statuses), 100)
        self.assertFalse([status for status in statuses if status >= 500 or status == 429])


if __name__ == "__main__":
    unittest.main()
