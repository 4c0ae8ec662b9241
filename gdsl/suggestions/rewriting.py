"""What other languages write, rewritten: patterns over the text of one statement, and what is meant.

A rewriting may well be wrong for a text that it fits: it is only shown where the program with it has no mistake there.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdsl.suggestions.foreign_expressions import EXPRESSIONS
from gdsl.suggestions.foreign_forms import FORMS

RULES = (*EXPRESSIONS, *FORMS)
"""In the order in which they are tried; all that fit are also tried together."""


def rewritten(statement: str) -> Iterator[tuple[str, str]]:
    """What `statement` may mean, the likeliest first, each with what to say where it could not be read."""
    fitting = [rule for rule in RULES if rule.pattern.search(statement)]
    if not fitting:
        return
    together, what = statement, ""
    for rule in RULES:
        new = rule.pattern.sub(rule.new, together)
        if new != together and rule.pattern not in _ONLY_ALONE:
            together, what = new, what or rule.what
    found = {statement: ""}
    if together not in found:
        found[together] = what
        yield together, what
    for rule in fitting:
        new = rule.pattern.sub(rule.new, statement)
        if new not in found:
            found[new] = rule.what
            yield new, rule.what


_ONLY_ALONE = {
    rule.pattern
    for rule in RULES
    if isinstance(rule.new, str)
    and (rule.new in (r"\1", r"\1 none", r"\2[\1]") or rule.new.startswith("compute(\\2, v"))
}
"""Those that would change too much of what other rules mean."""
