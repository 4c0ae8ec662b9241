"""The page of a profile: one file, which a browser shows without asking for anything else.

What the page shows lies in it as JSON, and its script puts every word there as text and never as markup. A policy in
the page allows its own style and script alone, by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

from gdsl.resources import resource_text

_POLICY = "default-src 'none'; style-src '{style}'; script-src '{script}'; base-uri 'none'; form-action 'none'"
_PIECES = ("elements", "words", "view", "charts", "tables", "texts", "facts", "pages", "begin")
DATA = "gdsl-profile"
"""The id of the element that holds the data."""


def page(profiles: list[dict[str, Any]], comparison: dict[str, Any] | None) -> str:
    """The page of one profile, or of two with what differs between them."""
    from jinja2 import Environment, StrictUndefined

    style, script = resource_text("templates", "profile", "page.css"), _script()
    names = " and ".join(dict.fromkeys(each["program"]["name"] for each in profiles))
    template = Environment(undefined=StrictUndefined, autoescape=True, keep_trailing_newline=True).from_string(
        resource_text("templates", "profile", "page.html.j2")
    )
    return template.render(
        title=f"{names}: where the time goes",
        policy=_POLICY.format(style=_hash(style), script=_hash(script)),
        style=style,
        script=script,
        id=DATA,
        data=_harmless({"profiles": profiles, "comparison": comparison}),
    )


def _script() -> str:
    """The script of the page: its pieces in an order in which each has what it needs, and nothing of them outside."""
    pieces = (resource_text("templates", "profile", f"{piece}.js") for piece in _PIECES)
    return "\n".join(['"use strict";', "(() => {", *pieces, "})();"]) + "\n"


def _harmless(data: dict[str, Any]) -> str:
    """JSON that ends no element, whatever the texts in it say: nothing in it looks like markup."""
    text = json.dumps(data, allow_nan=False, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
