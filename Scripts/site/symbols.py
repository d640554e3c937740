"""The names of the modules, from what docc made of their comments and catalogues."""

import json
import re

from layout import escape, relative


def file_name(part):
    """A part of docc's address as the name of a file that every system and every address can have."""
    plain = part.replace("(", "-").replace(")", "").replace(":", "-")
    return re.sub(r"[^a-z0-9._-]", lambda found: f"x{ord(found.group()):02x}", plain)


class Symbols:
    def __init__(self, archives):
        self.pages = {}
        self.modules = []
        self.short = {}
        self.paths = {}
        for archive in sorted(archives.iterdir()):
            self.read(archive)
        self.modules.sort(key=str.lower)
        for identifier, page in self.pages.items():
            self.paths[identifier] = self.place(page)
        self.below = {}
        for identifier, page in self.pages.items():
            for path in page.get("hierarchy", {}).get("paths", []):
                if path:
                    self.below.setdefault(path[-1], []).append(identifier)
        owners = {}
        for identifier, path in self.paths.items():
            other = owners.setdefault(path, identifier)
            assert other == identifier, f"{other} and {identifier} have one page"

    def read(self, archive):
        self.modules.append(archive.name)
        for file in sorted((archive / "data" / "documentation").rglob("*.json")):
            page = json.loads(file.read_text(encoding="utf-8"))
            identifier = page["identifier"]["url"]
            page["module"] = archive.name
            self.pages[identifier] = page
            # Names that stand at the top of a module are linked to wherever they are written.
            if page["kind"] == "symbol" and page["identifier"]["url"].count("/") == 5:
                title = page["metadata"]["title"]
                base = title.split("(")[0]
                for name in {title, base, base + "()"}:
                    self.short.setdefault(name, []).append(identifier)

    @staticmethod
    def place(page):
        parts = page["variants"][0]["paths"][0].removeprefix("/documentation/").split("/")
        if len(parts) == 1:
            return f"api/{file_name(parts[0])}/index.html"
        return "api/" + "/".join(file_name(part) for part in parts) + ".html"

    def address(self, code):
        """The page of a module, or of a name if there is exactly one."""
        if code in self.modules:
            return self.paths[self.root(code)]
        found = self.short.get(code, [])
        return self.paths[found[0]] if len(found) == 1 else None

    def write(self, layout, index, manual):
        for identifier, page in self.pages.items():
            SymbolPage(self, page, self.paths[identifier], manual).write(layout, index)
        self.write_modules(layout)

    def root(self, module):
        return f"doc://org.latchkey.{module}/documentation/{module}"

    def write_modules(self, layout):
        items = ""
        for module in self.modules:
            page = self.pages[self.root(module)]
            text = SymbolPage(self, page, "api/index.html", None).inline(page.get("abstract", []))
            items += f'<li><a href="{file_name(module.lower())}/index.html"><code>{module}</code></a><p>{text}</p></li>'
        body = f"""<h1>Modules</h1><p>What apps and tests import. C programs have the functions of
<code>Security</code> as well: <a href="../docs/Manual/CPrograms.html">programs in C</a>.</p><ul class="names">{items}</ul>"""
        layout.write("api/index.html", "Modules", body, [("Latchkey", "index.html")])


class SymbolPage:
    def __init__(self, symbols, page, path, manual):
        self.symbols, self.page, self.path, self.manual = symbols, page, path, manual
        self.references = page.get("references", {})

    def write(self, layout, index):
        page = self.page
        title = page["metadata"]["title"]
        module = page["module"]
        abstract = self.inline(page.get("abstract", []))
        body = f'<p class="kind">{escape(page["metadata"].get("roleHeading", ""))}</p><h1>{escape(title)}</h1>'
        body += f"<p>{abstract}</p>" if abstract else ""
        if "deprecationSummary" in page:
            body += f'<div class="note"><strong>Deprecated</strong>{self.blocks(page["deprecationSummary"])}</div>'
        for section in page.get("primaryContentSections", []):
            body += self.section(section)
        for section in page.get("topicSections", []):
            body += self.names(section, "Topics" if section.get("generated") and not section.get("title") else None)
        listed = {name for section in page.get("topicSections", []) for name in section["identifiers"]}
        others = [name for name in self.symbols.below.get(page["identifier"]["url"], []) if name not in listed]
        if others:
            body += self.names({"identifiers": others, "title": "Others"}, None)
        for section in page.get("relationshipsSections", []):
            body += self.names(section, None)
        for section in page.get("seeAlsoSections", []):
            body += self.names(section, f"See also: {section['title']}")
        layout.write(self.path, title, body, self.trail(), self.beside())
        if page["kind"] == "symbol":
            words = re.sub("<[^>]+>", "", abstract)
            place = " › ".join(name for name, _ in self.trail()[1:]) or module
            index.add(title, place, self.path, words, 5 if len(self.trail()) <= 3 else 2)

    def trail(self):
        trail = [("Modules", "api/index.html")]
        paths = self.page.get("hierarchy", {}).get("paths", [[]])
        for identifier in paths[0] if paths else []:
            above = self.symbols.pages.get(identifier)
            if above and above is not self.page:
                trail.append((above["metadata"]["title"], self.symbols.paths[identifier]))
        return trail

    def beside(self):
        items = ""
        for module in self.symbols.modules:
            address = self.symbols.paths[self.symbols.root(module)]
            here = ' class="here"' if module == self.page["module"] else ""
            items += f'<li{here}><a href="{relative(address, self.path)}">{module}</a></li>'
        return f"<strong>Modules</strong><ul>{items}</ul>"

    def section(self, section):
        kind = section["kind"]
        if kind == "declarations":
            return "".join(
                '<pre class="declaration"><code>' + "".join(self.token(token) for token in declaration["tokens"]) + "</code></pre>"
                for declaration in section["declarations"])
        if kind == "parameters":
            rows = "".join(
                f'<dt><code>{escape(parameter["name"])}</code></dt><dd>{self.blocks(parameter["content"])}</dd>'
                for parameter in section["parameters"])
            return f"<h2>Parameters</h2><dl>{rows}</dl>"
        if kind == "content":
            return self.blocks(section["content"])
        raise SystemExit(f"{self.path}: a section of the kind {kind} is not known.")

    def token(self, token):
        address = self.symbols.paths.get(token.get("identifier"))
        text = escape(token["text"])
        return f'<a href="{relative(address, self.path)}">{text}</a>' if address and address != self.path else text

    def names(self, section, title):
        items = ""
        for identifier in section["identifiers"]:
            reference = self.references.get(identifier) or self.symbols.pages.get(identifier, {})
            address = self.symbols.paths.get(identifier)
            name = escape(reference.get("title") or reference.get("metadata", {}).get("title") or identifier.rsplit("/", 1)[-1])
            abstract = self.inline(reference.get("abstract", []))
            link = f'<a href="{relative(address, self.path)}"><code>{name}</code></a>' if address else f"<code>{name}</code>"
            items += f"<li>{link}" + (f"<p>{abstract}</p>" if abstract else "") + "</li>"
        heading = title or section.get("title") or "Topics"
        return f'<h2>{escape(heading)}</h2><ul class="names">{items}</ul>'

    def blocks(self, blocks):
        return "".join(self.block(block) for block in blocks)

    def block(self, block):
        kind = block["type"]
        if kind == "paragraph":
            return f'<p>{self.inline(block["inlineContent"])}</p>'
        if kind == "heading":
            level = min(block["level"], 5)
            return f'<h{level} id="{escape(block["anchor"])}">{escape(block["text"])}</h{level}>'
        if kind == "codeListing":
            return "<pre><code>" + escape("\n".join(block["code"])) + "</code></pre>"
        if kind in ("unorderedList", "orderedList"):
            tag = "ul" if kind == "unorderedList" else "ol"
            return f"<{tag}>" + "".join(f'<li>{self.blocks(item["content"])}</li>' for item in block["items"]) + f"</{tag}>"
        if kind == "aside":
            name = escape(block.get("name") or block["style"].capitalize())
            return f'<div class="note"><strong>{name}</strong>{self.blocks(block["content"])}</div>'
        if kind == "table":
            rows = ""
            for number, row in enumerate(block["rows"]):
                tag = "th" if number == 0 and block.get("header") in ("row", "both") else "td"
                rows += "<tr>" + "".join(f"<{tag}>{self.blocks(cell)}</{tag}>" for cell in row) + "</tr>"
            return f'<div class="table"><table>{rows}</table></div>'
        if kind == "termList":
            return "<dl>" + "".join(
                f'<dt>{self.inline(item["term"]["inlineContent"])}</dt><dd>{self.blocks(item["definition"]["content"])}</dd>'
                for item in block["items"]) + "</dl>"
        raise SystemExit(f"{self.path}: a block of the kind {kind} is not known.")

    def inline(self, parts):
        return "".join(self.part(part) for part in parts)

    def part(self, part):
        kind = part["type"]
        if kind == "text":
            return escape(part["text"])
        if kind == "codeVoice":
            code = part["code"]
            address = self.manual.code_address(code) if self.manual else None
            text = f"<code>{escape(code)}</code>"
            return f'<a href="{relative(address, self.path)}">{text}</a>' if address and address != self.path else text
        if kind in ("emphasis", "newTerm"):
            return f'<em>{self.inline(part["inlineContent"])}</em>'
        if kind in ("strong", "inlineHead"):
            return f'<strong>{self.inline(part["inlineContent"])}</strong>'
        if kind == "reference":
            reference = self.references.get(part["identifier"], {})
            address = self.symbols.paths.get(part["identifier"])
            text = f'<code>{escape(reference.get("title", part["identifier"]))}</code>'
            return f'<a href="{relative(address, self.path)}">{text}</a>' if address else text
        if kind == "link":
            return f'{escape(part.get("title", ""))} ({escape(part["destination"])})'
        raise SystemExit(f"{self.path}: text of the kind {kind} is not known.")
