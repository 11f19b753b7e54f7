"""Follows a feed until it has a row with an id, and prints the list: reader.py URL ID (sse|poll) [rough]

A rough reader closes its connection and falls asleep at random. It knows nothing but docs/WireFormat.md."""
import http.client, json, random, sys, time, urllib.parse

url, last, form = urllib.parse.urlsplit(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
rough, sections, coming, token, counts = len(sys.argv) > 4, [], [], None, {"patches": 0, "resets": 0, "connections": 0}


def applied(patch, old):
    of = lambda part: patch["changes"].get(part, [])
    rest = [dict(s, items=list(s["items"])) for s in old]
    moved = [old[m["from"][0]]["items"][m["from"][1]] for m in of("movedItems")]
    for section, item in sorted(of("deletedItems") + [m["from"] for m in of("movedItems")], reverse=True):
        del rest[section]["items"][item]
    gone = set(of("deletedSections")) | {m["from"] for m in of("movedSections")}
    new = [s for place, s in enumerate(rest) if place not in gone]
    arrive = [(to, dict(s, items=[])) for to, s in zip(of("insertedSections"), patch.get("insertedSections", []))]
    for to, s in sorted(arrive + [(m["to"], rest[m["from"]]) for m in of("movedSections")], key=lambda x: x[0]):
        new.insert(to, s)
    for m, s in zip(of("updatedSections"), patch.get("updatedSections", [])):
        new[m["to"]] = dict(s, items=new[m["to"]]["items"])
    rows = list(zip(of("insertedItems"), patch.get("insertedItems", [])))
    for (s, i), row in sorted(rows + list(zip([m["to"] for m in of("movedItems")], moved)), key=lambda x: x[0]):
        new[s]["items"].insert(i, row)
    for m, row in zip(of("updatedItems"), patch.get("updatedItems", [])):
        new[m["to"][0]]["items"][m["to"][1]] = row
    return new


def take(frame):
    global sections, coming, token
    token = frame["next"]
    if "patch" in frame:
        counts["patches"] += 1
        sections = applied(frame["patch"], sections)
    else:
        if frame.get("reset"):
            counts["resets"], coming = counts["resets"] + 1, []
        for s in frame["sections"]:
            if coming and coming[-1]["id"] == s["id"]:
                coming[-1]["items"] += s["items"]
            else:
                coming.append(s)
        if not frame.get("more"):
            sections, coming = coming, []
    if not frame.get("more") and any(row["id"] == last for s in sections for row in s["items"]):
        print(json.dumps({"sections": sections, "counts": counts}))
        sys.exit(0)


while True:
    connection = http.client.HTTPConnection(url.netloc, timeout=60)
    try:
        counts["connections"] += 1
        after = {"after": token} if token else {}
        if form == "sse":
            headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": token} if token else {})
            connection.request("GET", url.path, headers=headers)
        else:
            connection.request("GET", url.path + "?" + urllib.parse.urlencode(after | {"wait": 5}))
        for line in connection.getresponse():
            if line.startswith(b"data: {\"end\"") or line.startswith(b"{\"end\""):
                break
            if line == b"data: {}\n":  # that of an event `alive`
                continue
            if line.startswith(b"data: {") or line.startswith(b"{"):
                take(json.loads(line.removeprefix(b"data: ")))
                if rough and random.random() < 0.05:
                    break
                if rough and random.random() < 0.05:
                    time.sleep(random.random() / 2)
    except (OSError, http.client.HTTPException):
        time.sleep(0.05)
    finally:
        connection.close()
