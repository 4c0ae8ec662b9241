"""How Sphinx makes the site: of the pages that docs/make_site.py has put beside this file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from gdsl.version import __version__

sys.path.insert(0, str(Path(__file__).parent))

project = "gdsl"
author = "gdsl developers"
copyright = author  # noqa: A001 - Sphinx calls it so
release = version = __version__
extensions = ["myst_parser"]
root_doc = "index"
nitpicky = True

myst_heading_anchors = 4
suppress_warnings = ["myst.header"]  # pages of messages begin at whatever level they are of

html_theme = "furo"
html_title = f"gdsl {version}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
html_show_search_summary = False  # they are fetched, which browsers refuse to pages from the disk
pygments_style = "default"
pygments_dark_style = "github-dark"
highlight_language = "text"


def setup(app: Any) -> None:
    """Give Sphinx the languages that Pygments does not know, and those that pages shorten."""
    import lexers

    for name, lexer in lexers.LEXERS.items():
        app.add_lexer(name, lexer)
