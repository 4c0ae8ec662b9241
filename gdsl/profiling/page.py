"""The page of a profile: one file, for which a browser loads nothing else.

Its data are JSON in the page, and its script inserts every word as text, never as markup. A policy in the page allows
only its own style and script, by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

from gdsl.resources import resource_text

_POLICY = "default-src 'none'; style-src '{style}'; script-src '{script}'; base-uri 'none'; form-action 'none'"
_PIECES = ("elements", "charts", "panels", "pages")
DATA = "gdsl-profile"
"""The id of the element that holds the data."""


def page(profiles: list[dict[str, Any]], comparison: dict[str, Any] | None) -> str:
    """The page of one profile, or of two and their comparison."""
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
    """The script of the page: its pieces in the order of their dependencies, in a scope of their own."""
    pieces = (resource_text("templates", "profile", f"{piece}.js") for piece in _PIECES)
    return "\n".join(['"use strict";', "(() => {", *pieces, "})();"]) + "\n"


def _harmless(data: dict[str, Any]) -> str:
    """JSON in which nothing looks like markup, so that no text in it can end the element."""
    text = json.dumps(data, allow_nan=False, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
