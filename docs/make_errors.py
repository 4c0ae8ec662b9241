"""Writes docs/errors.md from the registry of codes: `python docs/make_errors.py`."""

from __future__ import annotations

from pathlib import Path

from gdsl.diagnostics import all_codes

FAMILIES = {
    "E01": "Syntax",
    "E02": "Names and types",
    "E03": "Reads and writes of one operator",
    "E04": "Schedule, operators and tuning",
    "E06": "Params, inputs and requirements of a run",
    "E07": "Graph files and arrays",
    "E08": "Runs that were stopped",
    "E09": "The machine",
    "W0": "Warnings",
}


def errors_page() -> str:
    """The whole page."""
    lines = [
        "# Error codes",
        "",
        "Every message of gdsl carries one of these codes; `gdslc explain CODE` prints the same text.",
        "This page is made by `python docs/make_errors.py`.",
    ]
    family = ""
    for code in all_codes():
        if code.family != family:
            family = code.family
            lines += ["", f"## {family}{'xx' if family.startswith('E') else 'x'}: {FAMILIES[family]}"]
        lines += ["", f"### {code.code}: {code.title}", "", code.explanation.strip()]
        if code.example:
            lines += ["", "```", code.example.strip("\n"), "```"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (Path(__file__).parent / "errors.md").write_text(errors_page(), encoding="utf-8")
