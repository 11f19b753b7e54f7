"""Sends a byte of a head, of a body, or of a second head now and then. Prints the seconds until it is cut:
drip.py PORT head|body|next"""
import socket
import sys
import time

client = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 10)
start = time.monotonic()
part = sys.argv[2]
if part == "next":
    client.sendall(b"GET /list HTTP/1.1\r\nHost: x\r\n\r\n")
    client.recv(1 << 20)
if part == "body":
    client.sendall(b"POST /list HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n")
else:
    client.sendall(b"GET /list HTTP/1.1\r\nHost: x\r\nX: ")
client.settimeout(0.3)
while time.monotonic() - start < 40:
    try:
        client.sendall(b"x")
        if client.recv(65536) == b"":
            break
    except TimeoutError:
        continue
    except OSError:
        break
print(time.monotonic() - start)
