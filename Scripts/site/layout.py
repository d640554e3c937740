"""The frame of every page. All addresses are relative, so that the site can lie anywhere."""

import html
import os


def relative(address, page):
    """An address of the site as it is written in a page."""
    path, mark, anchor = address.partition("#")
    return os.path.relpath(path, os.path.dirname(page) or ".") + mark + anchor


def escape(text):
    return html.escape(text, quote=True)


class Layout:
    NAVIGATION = [
        ("Manual", "docs/Manual/README.html"),
        ("Modules", "api/index.html"),
        ("Reference", "docs/Reference/README.html"),
        ("Threats", "docs/Threats/README.html"),
        ("All pages", "pages.html"),
    ]

    def __init__(self, site, version):
        self.site = site
        self.version = version
        self.written = set()

    def write(self, path, title, body, trail=(), beside=""):
        """Writes a page. `trail` has the titles and addresses above it, `beside` what stands in the margin."""
        assert path not in self.written, f"two pages are called {path}"
        self.written.add(path)
        links = "".join(
            f'<a href="{relative(address, path)}">{name}</a>' for name, address in self.NAVIGATION)
        above = "".join(f'<a href="{relative(address, path)}">{escape(name)}</a> › ' for name, address in trail)
        trail_text = f'<p class="trail">{above}{escape(title)}</p>' if trail else ""
        text = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)} · Latchkey</title>
<link rel="stylesheet" href="{relative("site.css", path)}">
</head>
<body>
<header>
<a class="name" href="{relative("index.html", path)}">Latchkey</a>
<nav>{links}</nav>
<form action="{relative("search.html", path)}"><input type="search" name="q" placeholder="Search" aria-label="Search"></form>
</header>
<div class="columns">
<aside>{beside}</aside>
<main>
{trail_text}
{body}
</main>
</div>
<footer>Latchkey {escape(self.version)}</footer>
</body>
</html>
"""
        file = self.site / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def write_search_page(self):
        body = """<h1>Search</h1>
<noscript><p>The search needs JavaScript. <a href="pages.html">All pages</a> and <a href="api/index.html">all modules</a> do not.</p></noscript>
<p id="count"></p>
<ol id="results"></ol>
<script src="search-index.js"></script>
<script src="search.js"></script>"""
        self.write("search.html", "Search", body)
