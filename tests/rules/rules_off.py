"""The rules of the checker, one by one, and what to put in the place of each to switch it off."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest

from gdsl.frontend.races.levels import Level

_RACES = "gdsl.frontend.races."


def _nothing(*_: Any, **__: Any) -> None:
    """Says nothing."""


def _yes(*_: Any) -> bool:
    return True


def _no(*_: Any) -> bool:
    return False


def _same(*_: Any) -> Level:
    return Level.SAME


RULES: dict[str, tuple[str, Callable[..., Any]]] = {
    "stores of different values": ("writes.differing_stores", _nothing),
    "writes of two kinds": ("writes.mixed_writes", _nothing),
    "one winner under cas": ("writes.not_single", _nothing),
    "reads of what others write": ("reads.forbidden_read", _nothing),
    "statements of closing functors": ("closing.in_closing_functor", _nothing),
    "accept of closing functors": ("closing.accept_in_closing", _nothing),
    "one value for all": ("calls.Calls.determined", _yes),
    "a single writer": ("calls.Calls.single_writer", _yes),
    "marks of winners": ("unique.OperatorLevels._picks_a_winner", _no),
    "marks of where writes happen": ("unique.OperatorLevels.control", _same),
    "marks of conditions": ("unique.OperatorLevels._guards", _same),
    "marks of frontiers": ("unique.OperatorLevels.accepted", _same),
    "marks of what is read": ("unique.OperatorLevels._sees_one_value", _yes),
    "changes that all runs make": ("unique.OperatorLevels._change_known", _yes),
    "runs of closing functors": ("unique.OperatorLevels._unsteady", _no),
    "loops that read what is fixed": ("settle.Loop.is_fixed", _yes),
    "operands that are monotone": ("settle.Loop._is_monotone", _yes),
    "worklists that keep every change": ("settle.Loop._accepts_change", _yes),
    "flags that every change sets": ("settle.Loop.sets_flag", _yes),
    "flags that are cleared": ("settle.Loop.resets", _yes),
    "labels that are compressed": ("labels.LabelLoop.compresses", _yes),
    "labels that are hooked both ways": ("labels.LabelLoop._is_hook", _yes),
}


def switch_off(patch: pytest.MonkeyPatch, rule: str) -> None:
    """Put what allows everything in the place of a rule, wherever it is imported. Raises LookupError where the checker
    has no such rule (any more): then this list is to be renewed."""
    path, instead = RULES[rule]
    module_name, *owners, name = path.split(".")
    try:
        module = importlib.import_module(_RACES + module_name)
        owner = module
        for each in owners:
            owner = getattr(owner, each)
        getattr(owner, name)
    except (ImportError, AttributeError) as error:
        raise LookupError(f"{rule}: {error}") from None
    patch.setattr(owner, name, instead)
