"""The index of the search: a script that the search page loads, because a page from a disk may not read other files."""

import json
import re

WORD = re.compile(r"[a-z0-9_][a-z0-9_-]*[a-z0-9_]")


class SearchIndex:
    def __init__(self):
        self.entries = []
        self.words = {}

    def add(self, title, place, address, text, weight):
        """Adds a section of a page, or a name. `text` is searched; its beginning is shown. More weight comes first."""
        number = len(self.entries)
        text = " ".join(text.split())
        shown = text if len(text) <= 180 else text[:180].rsplit(" ", 1)[0] + " …"
        self.entries.append([title, place, address, shown, weight])
        for word in set(WORD.findall(f"{title} {text}".lower())):
            self.words.setdefault(word, []).append(number)

    def write(self, file):
        words = dict(sorted(self.words.items()))
        text = json.dumps({"entries": self.entries, "words": words}, ensure_ascii=False, separators=(",", ":"))
        file.write_text(f"const searchIndex = {text};\n", encoding="utf-8")
