"""Sends bytes as they are, and prints all that comes until the server closes: raw.py PORT BYTES"""
import socket
import sys

client = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 10)
client.sendall(sys.argv[2].encode("latin-1"))
client.settimeout(2)  # a server that keeps the connection open has answered by then
try:
    while part := client.recv(65536):
        sys.stdout.write(part.decode("latin-1"))
except (TimeoutError, ConnectionResetError):
    pass
