"""Makes the site: `python3 Scripts/site ARCHIVES SITE VERSION`, in the project's directory."""

import pathlib
import shutil
import sys

from layout import Layout
from manual import Manual
from search import SearchIndex
from symbols import Symbols

archives, site, version = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
index = SearchIndex()
layout = Layout(site, version)
symbols = Symbols(archives)
manual = Manual(pathlib.Path("."), symbols)
manual.write(layout, index)
symbols.write(layout, index, manual)
layout.write_search_page()
index.write(site / "search-index.js")
for name in ("site.css", "search.js"):
    shutil.copyfile(pathlib.Path(__file__).parent / name, site / name)
