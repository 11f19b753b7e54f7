"""Reads a feed's snapshot with COUNT clients at once, and prints the different lists and numbers of pieces they got:
crowd.py URL COUNT"""
import asyncio, hashlib, json, sys, urllib.parse

url, count, room = urllib.parse.urlsplit(sys.argv[1]), int(sys.argv[2]), asyncio.Semaphore(200)


async def get(reader, writer, path):
    writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    if " 200 " not in head.split("\r\n")[0]:
        sys.exit(head)
    if "content-length:" in head:
        return await reader.readexactly(int(head.split("content-length:")[1].split()[0]))
    body = b""
    while size := int(await reader.readline(), 16):
        body += await reader.readexactly(size)
        await reader.readline()
    await reader.readline()
    return body


async def client():
    async with room:
        reader, writer = await asyncio.open_connection(url.hostname, url.port)
        token, rows, pieces, more = None, hashlib.sha256(), 0, True
        while more:
            body = await get(reader, writer, url.path + (f"?after={token}" if token else ""))
            for line in body.splitlines():
                frame = json.loads(line)
                token, more, pieces = frame["next"], frame.get("more", False), pieces + 1
                rows.update(json.dumps([s["items"] for s in frame["sections"]], sort_keys=True).encode())
        writer.close()
        return rows.hexdigest(), pieces


async def main():
    results = await asyncio.gather(*(client() for _ in range(count)))
    print(json.dumps({"lists": len({r for r, _ in results}), "pieces": max(p for _, p in results)}))


asyncio.run(main())
