"""The rules of the checker, one by one, and what to put in the place of each to switch it off.

Each is a place that keeps something from being allowed, or from counting as exact; what stands in for it allows all.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

import pytest

from gdsl.uniqueness.levels import EXACT, Level

_ROOMS = "gdsl."


def _nothing(*_: Any, **__: Any) -> None:
    """Says nothing."""


def _yes(*_: Any, **__: Any) -> bool:
    return True


def _exact(*_: Any, **__: Any) -> Level:
    return EXACT


def _none(*_: Any, **__: Any) -> tuple[()]:
    return ()


def _as_it_is(level: Level, *_: Any) -> Level:
    return level


RULES: dict[str, tuple[str, Callable[..., Any]]] = {
    # What is refused.
    "stores of different values": ("rules.writes.differing_stores", _nothing),
    "writes of two kinds": ("rules.writes.mixed_writes", _nothing),
    "one winner under cas": ("rules.writes.not_single", _nothing),
    "reads of what others write": ("rules.reads.forbidden_read", _nothing),
    "statements of closing functors": ("rules.closing.in_closing_functor", _nothing),
    "accept of closing functors": ("rules.closing.accept_in_closing", _nothing),
    # What lets something be allowed.
    "one value for an index": ("effects.summary.Effects.determined", _yes),
    "stores that never differ": ("rules.same_value._merged", lambda one, *_: one),
    "conditions that exclude each other": ("rules.same_value._exclude", _yes),
    "a single writer": ("rules.writers.Writers.single", _yes),
    "an element of one's own": ("rules.writers.Writers.is_own", _yes),
    "conditions that leave one call": ("rules.writers.Writers._picks_one", _yes),
    "places that leave one call": ("rules.writers.Writers._first_place", _yes),
    "a cas with one winner": ("rules.writes.shared_winners", _nothing),
    "reads that feed their reduction": ("rules.reads._feeds_only_its_reduction", _yes),
    "writes that close": ("rules.closing._made_false", lambda effects, *_: set(range(len(effects.conjuncts)))),
    "effects that are steady": ("rules.closing.shifting", _nothing),
    "guards that are steady": ("rules.closing._steady_guards", _yes),
    "a steady cas": ("rules.closing._under_steady_cas", _yes),
    "accepts that are steady": ("rules.closing.steady_accept", _yes),
    # The grades of one operator.
    "grades of winners": ("uniqueness.operators.OperatorLevels._winner", _nothing),
    "grades of where writes happen": ("uniqueness.operators.OperatorLevels.control", _exact),
    "grades of conditions": ("uniqueness.operators.OperatorLevels._guard_levels", _none),
    "grades of closing functors": ("uniqueness.operators.OperatorLevels._unsteady", _nothing),
    "grades of which calls run": ("uniqueness.operators.OperatorLevels._run", _exact),
    "grades of values": ("uniqueness.operators.OperatorLevels._value", _exact),
    "grades of what a cas asks for": ("uniqueness.operators.OperatorLevels._of_comparison", _exact),
    "grades of frontiers": ("uniqueness.operators.OperatorLevels.accepted", _exact),
    "grades of what is read": ("uniqueness.operators.OperatorLevels._sees_one_value", _yes),
    "grades of results": ("uniqueness.operators.OperatorLevels._of_result", _exact),
    "effects on the element of a result alone": ("uniqueness.operators.OperatorLevels._same_for_all", _yes),
    "results that are the same together": ("uniqueness.operators.OperatorLevels._deals_out", _yes),
    "changes that all runs make": ("uniqueness.operators.OperatorLevels._any_change_known", _yes),
    "changes that one scalar notes": ("uniqueness.operators.OperatorLevels._changes_noted", _yes),
    "elements that all runs find unwritten": ("uniqueness.operators.OperatorLevels._old_known", _yes),
    "tests for the first constant": ("uniqueness.operators.OperatorLevels._of_test", _exact),
    "what makes the first constant": ("uniqueness.operators.OperatorLevels._mark", _exact),
    # The grades of values and of the schedule.
    "decisions on rounded values": ("uniqueness.values.decision_level", _as_it_is),
    "quotients of rounded values": ("uniqueness.values.ValueLevels._divides_smoothly", _yes),
    "roots of rounded values": ("uniqueness.data.Data.stays_positive", _yes),
    "grades of steps not always made": ("uniqueness.schedule.Flow._differs", _nothing),
    "grades of swapped data": ("uniqueness.schedule.Flow._swap", _nothing),
    "arrays that are written throughout": (
        "uniqueness.schedule.Flow._overwritten",
        lambda self, step, judged, _: dict.fromkeys(judged.effects.written_names(), EXACT),
    ),
    # Loops that end alike.
    "loops that read what is fixed": ("uniqueness.relaxation.Loop.is_fixed", _yes),
    "sets that stay": ("uniqueness.relaxation.Loop.stays", _yes),
    "operands that are monotone": ("uniqueness.relaxation.Loop._is_monotone", _yes),
    "numbers that do not wrap": ("uniqueness.monotone.Monotone._fits", _yes),
    "conversions that keep the order": ("uniqueness.monotone.Monotone._keeps_order", _yes),
    "operations that are monotone": ("uniqueness.monotone.Monotone._operation", _yes),
    "worklists that read near ends": ("uniqueness.relaxation.works_off", _yes),
    "worklists that keep every change": ("uniqueness.relaxation.accepts_change", _yes),
    "worklists that accept steadily": ("uniqueness.relaxation.Loop._accepts_steadily", _yes),
    "flags that every change sets": ("uniqueness.relaxation.Loop.sets_flag", _yes),
    "flags that are cleared": ("uniqueness.relaxation.Loop.resets", _yes),
    "notes of every change": ("uniqueness.relaxation.Loop._is_note", _yes),
    "loops that begin alike": ("uniqueness.relaxation.Loop.origins", lambda *_: (frozenset(), frozenset())),
    "labels that only fall": (
        "uniqueness.schedule.label_arrays",
        lambda program, _: frozenset(array.name for array in program.arrays if array.type.is_id),
    ),
    "labels that are compressed": ("uniqueness.labels.LabelLoop.compresses", _yes),
    "labels that are flattened": ("uniqueness.labels.flattens", _yes),
    "compression that is entered": ("uniqueness.labels._sets_before", _yes),
    "labels that are hooked both ways": ("uniqueness.labels.LabelLoop._is_hook", _yes),
}


def switch_off(patch: pytest.MonkeyPatch, rule: str) -> None:
    """Put what allows everything in the place of a rule, wherever it is imported. Raises LookupError where the checker
    has no such rule (any more): then this list is to be renewed."""
    path, instead = RULES[rule]
    owner, name = _owner(path)
    original = getattr(owner, name)
    patch.setattr(owner, name, instead)
    for module in [found for key, found in sys.modules.items() if key.startswith(_ROOMS)]:
        if getattr(module, name, None) is original:
            patch.setattr(module, name, instead)


def _owner(path: str) -> tuple[Any, str]:
    """What holds a rule, and its name there."""
    *parts, name = path.split(".")
    try:
        owner: Any = importlib.import_module(_ROOMS + ".".join(parts[:2]))
        for each in parts[2:]:
            owner = getattr(owner, each)
        getattr(owner, name)
    except (ImportError, AttributeError) as error:
        raise LookupError(f"{path}: {error}") from None
    return owner, name
