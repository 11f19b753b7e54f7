#!/usr/bin/env python3
"""Applies every case of the files beside it with a plain client, the one of docs/WireFormat.md."""
import json, pathlib, sys


class Client:
    sections, coming, token = [], None, None

    def take(self, frame):
        if not frame.get("reset"):
            if frame["next"] == self.token: return  # the same frame again
            assert self.token and frame.get("after", self.token) == self.token, "the frame does not follow"
        if "patch" in frame:
            apply(self.sections, frame["patch"])
        else:
            self.coming = [] if frame.get("reset") else self.coming
            for section in frame["sections"]:
                if self.coming[-1:] and self.coming[-1]["id"] == section["id"]:
                    self.coming[-1]["items"] += section["items"]
                else:
                    self.coming += [section]
            if not frame.get("more"): self.sections, self.coming = list(self.coming), None
        self.token = frame["next"]

def apply(sections, patch):
    part = lambda name: patch["changes"].get(name, [])
    sources = lambda name: [move["from"] for move in part(name)]
    targets = lambda name: [move["to"] for move in part(name)]
    assert (patch["numberOfSections"], patch["numberOfItems"]) == (len(sections), sum(len(s["items"]) for s in sections))
    rows = list(zip(part("insertedItems"), patch["insertedItems"], strict=True))
    rows += zip(targets("movedItems"), [sections[s]["items"][i] for s, i in sources("movedItems")])
    for s, i in sorted(part("deletedItems") + sources("movedItems"), reverse=True): del sections[s]["items"][i]
    for s, titles in zip(sources("updatedSections"), patch["updatedSections"], strict=True):
        sections[s] = {**titles, "items": sections[s]["items"]}
    arriving = list(zip(part("insertedSections"), patch["insertedSections"], strict=True))
    arriving += zip(targets("movedSections"), [sections[s] for s in sources("movedSections")])
    for s in sorted(part("deletedSections") + sources("movedSections"), reverse=True): del sections[s]
    for s, section in sorted(arriving, key=lambda a: a[0]): sections.insert(s, section)
    for (s, i), row in sorted(rows, key=lambda r: r[0]):
        assert 0 <= i <= len(sections[s]["items"]), "no such place"
        sections[s]["items"].insert(i, row)
    for (s, i), row in zip(targets("updatedItems"), patch["updatedItems"], strict=True): sections[s]["items"][i] = row


def check(case):
    client = Client()
    if "before" in case:
        client.take({"next": "start", "reset": True, "sections": case["before"]})
        client.token = "h.0" if case.get("refused") else case["frames"][0].get("after", "start")
    try:
        for frame in case["frames"]:
            client.take(frame)
    except (AssertionError, ValueError, LookupError, TypeError) as error:
        return None if case.get("refused") else f"it was refused: {error!r}"
    if case.get("refused"):
        return "it was not refused"
    return None if client.sections == case["after"] else f"the list is {client.sections}"


def main():
    count, wrong = 0, 0
    for file in sorted(pathlib.Path(__file__).parent.glob("*.json")):
        for case in json.loads(file.read_text()):
            count += 1
            if problem := check(case):
                wrong += 1
                print(f"{file.name}: {case['name']}: {problem}", file=sys.stderr)
    print(f"{count} cases, {wrong} wrong")
    return 1 if wrong or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
