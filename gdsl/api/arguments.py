"""What a caller passes for params, inputs and options, checked before anything is done with it."""

from __future__ import annotations

import difflib
import math
from collections.abc import Collection, Mapping
from typing import Any

from gdsl.api.on_workers import OF_WORKERS
from gdsl.api.signature import DefaultValue
from gdsl.backends import registry
from gdsl.backends.interface import Limits
from gdsl.diagnostics import GdslError, shown
from gdsl.ir import nodes as ir
from gdsl.memory_use import memory_use
from gdsl.numerals import is_real, is_whole

_MAPPINGS = dict, Mapping
"""`dict` first, which nearly all callers pass: Python tests for `Mapping` with a slower call."""
_LARGEST = 2**63 - 1
NO_LIMITS = Limits()


def named_values(values: object) -> Mapping[str, Any]:
    """Values for params and inputs by name; empty for None. Raises TypeError for what is not such a mapping."""
    if values is None:
        return {}
    if not isinstance(values, _MAPPINGS):
        raise TypeError(f"values for params and inputs are a mapping of names, not {shown(values)}")
    if type(values) is not dict:  # other classes may return something else at each access
        values = dict(values)
    for name in values:
        if not isinstance(name, str):
            raise TypeError(f"the name of a param or input is a str, not {shown(name)}")
    return values


def without_defaults(values: Mapping[str, Any]) -> dict[str, Any]:
    """`values` except those that stand for a default that Python has no value for."""
    return {name: value for name, value in values.items() if not isinstance(value, DefaultValue)}


def rounded_names(names: object, program: ir.Program, known: Collection[str]) -> frozenset[str]:
    """The params and inputs that the option `round` names: one, several, or (None) none. Raises TypeError for what is
    not a name, and E0602 for a name that is not `known`."""
    if names is None:
        return frozenset()
    all_names = [names] if isinstance(names, str) else names
    if not isinstance(all_names, Collection) or isinstance(all_names, Mapping | bytes):
        raise TypeError(f"round is the name of a param or an input, or a list of names, not {shown(names)}")
    unique = list(all_names)
    for name in unique:
        if not isinstance(name, str):
            raise TypeError(f"round has names of params and inputs, and {shown(name)} is not one")
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            fix = f"did you mean {close[0]!r}?" if close else None
            message = f"round: program {program.name} has no param and no input {shown(name)}"
            notes = [f"it has {', '.join(sorted(known))}"] if known else []
            raise GdslError.single("E0602", message, notes=notes, fix=fix)
    return frozenset(unique)


def take_options(names: Collection[str], keywords: dict[str, Any], known: Collection[str]) -> dict[str, Any]:
    """Remove the options of these names from the `keywords` of a call and return them. A keyword that is the name of a
    param or an input (`known`) belongs to the program."""
    return {name: keywords.pop(name) for name in names if name in keywords and name not in known}


def split_call(
    names: Collection[str], known: Collection[str], values: object, keywords: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The params and inputs, and the options `names`, of a call that may have a mapping of values. Without a mapping, a
    keyword that is `known` belongs to the program; with one, keywords are options only. Raises TypeError."""
    of_workers = next((name for name in OF_WORKERS if name in keywords and name not in known), None)
    if of_workers is not None:
        raise TypeError(f"{of_workers} is an option of a single run, program(graph, …), not of map, imap and submit")
    if values is None:
        options = take_options(names, keywords, known)
        return without_defaults(keywords), options
    options = take_options(names, keywords, frozenset())
    if keywords:
        unknown = next(iter(keywords))
        raise TypeError(f"next to a mapping of values, keywords are options, and {unknown!r} is not one")
    return without_defaults(named_values(values)), options


def with_gpus(options: dict[str, Any]) -> dict[str, Any]:
    """The options of a call, with `gpus` as a part of the name of the backend. Raises as `registry.on_gpus`."""
    gpus = options.pop("gpus", None)
    if gpus is None:
        return options
    return {**options, "backend": registry.on_gpus(options.get("backend", "auto"), gpus)}


def limits(timeout: object, max_iterations: object, memory: object = None) -> Limits:
    """The limits of a run. Raises TypeError for what is not a number or (`memory`) a size, ValueError for one out of
    range."""
    if timeout is None and max_iterations is None and memory is None:
        return NO_LIMITS
    return Limits(seconds(timeout), _passes(max_iterations), memory=memory_use(memory))


def seconds(timeout: Any) -> float | None:
    """A timeout as a number; None means no timeout. Raises as `limits`."""
    if timeout is None:
        return None
    if not is_real(timeout):
        raise TypeError(f"timeout must be a number of seconds, not {shown(timeout)}")
    try:
        number = float(timeout)
    except OverflowError:  # an integer larger than all floats
        number = math.inf if timeout > 0 else -math.inf
    if not number > 0:
        raise ValueError(f"timeout must be a positive number of seconds, not {shown(timeout)}")
    return None if math.isinf(number) else number


def _passes(max_iterations: Any) -> int | None:
    if max_iterations is None:
        return None
    if not is_whole(max_iterations):
        raise TypeError(f"max_iterations must be a whole number, not {shown(max_iterations)}")
    passes = int(max_iterations)
    if not 0 <= passes <= _LARGEST:
        raise ValueError(f"max_iterations must be from 0 to 2^63 - 1, not {shown(passes)}")
    return passes
