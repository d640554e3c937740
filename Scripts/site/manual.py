"""The pages that are written in Markdown, and the files that they link to."""

import pathlib
import posixpath
import re
import subprocess
import xml.etree.ElementTree as ElementTree

from layout import escape, relative

GROUPS = [
    ("Manual", "Docs/Manual"), ("Reference", "Docs/Reference"), ("Formats", "Docs/Formats"),
    ("Design", "Docs/Design"), ("Threats", "Docs/Threats"), ("Tables", "Docs"), ("Project", ""),
]


def text_of(element):
    return "".join(element.itertext())


class Page:
    def __init__(self, path, source):
        self.source = path
        self.path = self.place(path)
        page = subprocess.run(
            ["cmark-gfm", "-e", "table", "-e", "strikethrough", "--to", "html", source],
            check=True, capture_output=True, text=True).stdout
        # Rules, breaks and images are closed, so that the page is XML.
        self.body = ElementTree.fromstring(f"<div>{page}</div>")
        heading = self.body.find("h1")
        self.title = text_of(heading) if heading is not None else posixpath.basename(path)
        self.anchors = set()
        self.name_headings()

    @staticmethod
    def place(path):
        """Where a file of the project lies in the site."""
        if path == "README.md":
            return "index.html"
        if path.endswith(".md"):
            return ("docs/" + path.removeprefix("Docs/")).removesuffix(".md") + ".html"
        return f"files/{path}.html"

    def name_headings(self):
        """Gives headings the anchors that links in Markdown expect."""
        for heading in self.body.iter():
            if heading.tag not in ("h1", "h2", "h3", "h4", "h5"):
                continue
            kept = "".join(c for c in text_of(heading).lower() if c.isalnum() or c in " -_")
            base = name = kept.replace(" ", "-")
            number = 0
            while name in self.anchors:
                number += 1
                name = f"{base}-{number}"
            self.anchors.add(name)
            heading.set("id", name)


class Manual:
    def __init__(self, root, symbols):
        self.root = root
        self.symbols = symbols
        tracked = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
            check=True, capture_output=True, text=True, cwd=root).stdout.split("\n")
        paths = sorted(p for p in tracked if p.startswith("Docs/") or (p and "/" not in p))
        self.pages = {path: Page(path, root / path) for path in paths if (root / path).exists()}
        self.files = set()
        self.chapters = self.read_chapters()

    def read_chapters(self):
        """The titles and addresses of the manual, in the order of its first page."""
        first = self.pages["Docs/Manual/README.md"]
        order = [link.get("href") for link in first.body.find("table").iter("a")]
        return [(self.pages[f"Docs/Manual/{name}"].title, f"docs/Manual/{name[:-3]}.html") for name in order
                if f"Docs/Manual/{name}" in self.pages]

    def group(self, path):
        return next(name for name, folder in GROUPS if posixpath.dirname(path) == folder)

    def members(self, name):
        if name == "Manual":
            return [("The manual", "docs/Manual/README.html")] + self.chapters
        pages = [page for path, page in self.pages.items() if self.group(path) == name]
        return [(page.title, page.path) for page in pages]

    def beside(self, page):
        name = self.group(page.source)
        items = "".join(
            f'<li class="here">{escape(title)}</li>' if address == page.path
            else f'<li><a href="{relative(address, page.path)}">{escape(title)}</a></li>'
            for title, address in self.members(name))
        return f"<strong>{name}</strong><ul>{items}</ul>"

    def write(self, layout, index):
        for path, page in self.pages.items():
            self.add_sections(page, index)
            self.link(page)
            self.wrap_tables(page.body)
            group = self.group(path)
            trail = [("Latchkey", "index.html"), (group, self.members(group)[0][1])] if path != "README.md" else []
            body = "".join(ElementTree.tostring(e, encoding="unicode", method="html") for e in page.body)
            layout.write(page.path, page.title, body, trail, self.beside(page))
        for path in sorted(self.files):
            text = (self.root / path).read_text(encoding="utf-8")
            layout.write(Page.place(path), path, f"<h1>{escape(path)}</h1><pre><code>{escape(text)}</code></pre>")
        self.write_list(layout)

    def write_list(self, layout):
        body = "<h1>All pages</h1>"
        for name, _ in GROUPS:
            items = "".join(f'<li><a href="{address}">{escape(title)}</a></li>' for title, address in self.members(name))
            body += f"<h2>{name}</h2><ul>{items}</ul>"
        layout.write("pages.html", "All pages", body)

    def add_sections(self, page, index):
        """A section is what stands below a heading, up to the next one."""
        title, anchor, words = page.title, "", []
        place = self.group(page.source)

        def add():
            address = page.path + (f"#{anchor}" if anchor else "")
            where = place if title == page.title else f"{place} › {page.title}"
            index.add(title, where, address, " ".join(words), 3 if place in ("Manual", "Project") else 1)

        for element in page.body:
            if element.get("id"):
                if anchor or words:
                    add()
                title, anchor, words = text_of(element), element.get("id"), []
            else:
                words.append(text_of(element))
        add()

    def link(self, page):
        parents = {child: parent for parent in page.body.iter() for child in parent}
        for element in list(page.body.iter("a")):
            address = self.address(element.get("href"), page)
            if address is None:
                # Elsewhere: the address is shown, for a person who wants to go there.
                outside = element.get("href")
                element.tag = "span"
                element.attrib.clear()
                if text_of(element) != outside:
                    element.tail = f" ({outside})" + (element.tail or "")
            else:
                element.set("href", relative(address, page.path))
        for element in list(page.body.iter("code")):
            parent = parents[element]
            if parent.tag in ("pre", "a", "h1", "h2", "h3", "h4", "h5"):
                continue
            address = self.code_address(text_of(element))
            if address and address != page.path:
                inner = ElementTree.Element("code")
                inner.text, element.text = element.text, None
                element.tag = "a"
                element.set("href", relative(address, page.path))
                element.append(inner)

    def code_address(self, code):
        """Where to read about a name of a module, or about a page that is named by its path."""
        if code in self.pages:
            return self.pages[code].path
        if code == "Docs/Reference":
            return self.pages["Docs/Reference/README.md"].path
        return self.symbols.address(code)

    def address(self, target, page):
        if re.match(r"[a-z]+:", target):
            return None
        path, mark, anchor = target.partition("#")
        source = posixpath.normpath(posixpath.join(posixpath.dirname(page.source), path)) if path else page.source
        if source in self.pages:
            return self.pages[source].path + mark + anchor
        if not (self.root / source).is_file():
            raise SystemExit(f"{page.source}: there is no {source}")
        self.files.add(source)
        return Page.place(source)

    @staticmethod
    def wrap_tables(body):
        """Wide tables scroll by themselves."""
        for parent in list(body.iter()):
            for number, child in enumerate(list(parent)):
                if child.tag == "table":
                    frame = ElementTree.Element("div", {"class": "table"})
                    frame.tail, child.tail = child.tail, None
                    parent.remove(child)
                    frame.append(child)
                    parent.insert(number, frame)
