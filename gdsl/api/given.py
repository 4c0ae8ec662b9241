"""What a caller gives for params, inputs and options, before anything of it is looked at."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from typing import Any

from gdsl.api.signature import NotGiven
from gdsl.diagnostics import GdslError, shown
from gdsl.ir import nodes as ir

_MAPPINGS = dict, Mapping
"""What nearly all give comes first: whether an object is a `Mapping`, Python finds out by a call of its own."""


def named_values(values: object) -> Mapping[str, Any]:
    """Values for params and inputs by name; None: there are none. Raises TypeError for what is no such mapping."""
    if values is None:
        return {}
    if not isinstance(values, _MAPPINGS):
        raise TypeError(f"values for params and inputs are a mapping of names, not {shown(values)}")
    if type(values) is not dict:  # of another class each look may give something else
        values = dict(values)
    for name in values:
        if not isinstance(name, str):
            raise TypeError(f"the name of a param or input is a str, not {shown(name)}")
    return values


def without_defaults(values: Mapping[str, Any]) -> dict[str, Any]:
    """`values` but for those that stand for a default, of which Python has no value."""
    return {name: value for name, value in values.items() if not isinstance(value, NotGiven)}


def rounded_names(names: object, program: ir.Program, known: Collection[str]) -> frozenset[str]:
    """The params and inputs that `round` names: one, several, or (None) none. Raises TypeError for what is no name, and
    E0602 for a name that is not among the `known`."""
    if names is None:
        return frozenset()
    listed = [names] if isinstance(names, str) else names
    if not isinstance(listed, Collection) or isinstance(listed, Mapping | bytes):
        raise TypeError(f"round is the name of a param or an input, or a list of names, not {shown(names)}")
    found = list(listed)
    for name in found:
        if not isinstance(name, str):
            raise TypeError(f"round has names of params and inputs, and {shown(name)} is none")
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            fix = f"did you mean {close[0]!r}?" if close else None
            message = f"round: program {program.name} has no param and no input {shown(name)}"
            notes = [f"it has {', '.join(sorted(known))}"] if known else []
            raise GdslError.single("E0602", message, notes=notes, fix=fix)
    return frozenset(found)


def taken_options(names: Collection[str], keywords: dict[str, Any], known: Collection[str]) -> dict[str, Any]:
    """The options of these names, which are taken out of the `keywords` of a call; a keyword that the program knows, as
    the name of a param or an input, is the program's."""
    return {name: keywords.pop(name) for name in names if name in keywords and name not in known}


def called_with(
    names: Collection[str], known: Collection[str], values: object, keywords: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Params and inputs, and the options of these `names`, of a call that may have a mapping of values. Without one a
    keyword is the program's where it is `known` there; beside one keywords are options alone. Raises TypeError."""
    if values is None:
        options = taken_options(names, keywords, known)
        return without_defaults(keywords), options
    options = taken_options(names, keywords, frozenset())
    if keywords:
        raise TypeError(f"beside a mapping of values keywords are options, and {next(iter(keywords))!r} is none")
    return without_defaults(named_values(values)), options
