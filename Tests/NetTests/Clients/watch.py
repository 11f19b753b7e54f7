"""Watches a list of a service on a terminal, while other commands change it and the service starts again.

Usage: watch.py FOLDER-OF-PROGRAMS FOLDER PORT. Prints ok at the end, or what was missing.
"""
import fcntl, os, pty, re, select, signal, struct, subprocess, sys, termios, time

programs, folder, port = sys.argv[1:4]
token = folder + "/token"
with open(token, "w") as file: file.write("0123456789abcdef0123\n")
os.chmod(token, 0o600)
address = f"http://127.0.0.1:{port}"
environment = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "TERM": "xterm", "TZ": "UTC"}
local = environment | {"TODO_DB": folder + "/todo.db"}

def serve():
    service = subprocess.Popen(
        [programs + "/todo-net", "serve", "--db", folder + "/todo.db", "--listen", f"127.0.0.1:{port}",
         "--token-file", token], stdout=subprocess.PIPE, env=environment)
    assert service.stdout.readline().startswith(b"http")
    return service

def todo(*arguments):
    done = subprocess.run([programs + "/todo", *arguments], env=local, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout

service = serve()
todo("add", "Milk")
todo("add", "Call Bob", "+Work")

def watch(*arguments):
    global pid, terminal, seen
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(programs + "/todo", ["todo", "--remote", address, "--token-file", token, "watch", *arguments],
                  environment)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    seen = ""

def expect(text):
    """Reads until a text was drawn; what came before it is forgotten."""
    global seen
    end = time.monotonic() + 60
    while text not in seen:
        ready = select.select([terminal], [], [], max(0, end - time.monotonic()))[0]
        try: more = os.read(terminal, 65536) if ready else b""
        except OSError: more = b""
        if not more: sys.exit(f"{text!r} never came; the last that came is {seen[-2000:]!r}")
        seen += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", more.decode(errors="replace"))
    seen = seen.split(text, 1)[1]

def press(keys): os.write(terminal, keys.encode())

def end():
    press("q")
    while True:
        try:
            if not os.read(terminal, 65536): break
        except OSError: break
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0

watch()
expect("Call Bob")
todo("add", "Bread")  # by another program
expect("Bread")
press("x")
expect('done "Milk"')
assert "Milk" in todo("list", "--done")
press("aTea !high +Work\r")
expect('"Tea" to Work')
assert "Tea" in todo("list", "+Work", "pri:high")
press("/bread\r")
expect("1 found")
press("\x1b")
expect("Call Bob")
service.send_signal(signal.SIGTERM)
service.wait()
expect("no connection to " + address)
todo("add", "Meanwhile")
service = serve()
expect("Meanwhile")
end()

todo("add", "Ink @a @b due:yesterday")
todo("add", "Jam @b due:yesterday")
todo("tag", "1", "@c")
watch("--done", "--by", "tag")
expect("c (1)")
expect("Milk")
end()
watch("overdue", "--by", "tag", "--sort", "title", "--reverse")
for text in ["a (1)", "Ink", "b (2)", "Jam", "Ink"]: expect(text)

press("\r")
expect("created")
press("u")  # the change of another program
expect("y/n")
todo("add", "Between")
press("y")
expect("another change has come in between")
# A service that answers nothing holds up no key for long.
service.send_signal(signal.SIGSTOP)
time.sleep(4)
start = time.monotonic()
press("q")
end()
assert time.monotonic() - start < 3, time.monotonic() - start
service.send_signal(signal.SIGCONT)
service.send_signal(signal.SIGTERM)
service.wait()
print("ok")
