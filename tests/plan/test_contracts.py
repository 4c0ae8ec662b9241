"""The barriers inside functions of the CUDA runtime: their contracts, what the code has, and what plans count on."""

from __future__ import annotations

import math
import re
from collections import Counter

import pytest
from support.runtime_barriers import BARRIERS, RUNTIME, Counts, Function, counts

from gdsl.codegen.cuda.generate import generate
from gdsl.plan.contracts import CONTRACTS, ENDING, ENDING_SET_STEPS
from gdsl.plan.nodes import Barrier, Directions, Phase, When, Within
from gdsl.plan.walking import own_sweeps
from gdsl.types import Widths

from .planning import ROOT, plan_of

COUNTED = counts()
WAITING = [(function, found) for function, found in COUNTED if max(found) > 0]
WORDS = {When.ALWAYS: None, When.LONG_LISTS: "there are long lists"}


def name_of(pair: tuple[Function, Counts]) -> str:
    return f"{pair[0].file}-{pair[0].name}"


@pytest.mark.parametrize("pair", WAITING, ids=name_of)
def test_a_contract_says_what_the_code_does(pair: tuple[Function, Counts]) -> None:
    function, found = pair
    assert function.contract is not None, f"{function.file}: {function.name} waits, and has no contract"
    least, most, when, _ = function.contract.groups()
    assert (math.inf if most == "some" else float(most)) == max(found)
    assert float(least or (0 if when else most)) == min(found)


def test_who_does_not_wait_has_no_contract() -> None:
    having = [function.name for function, found in COUNTED if function.contract is not None and max(found) == 0]
    assert having == []
    lines = sum(text.count("// barriers: ") for text in (path.read_text() for path in RUNTIME.glob("*.cuh")))
    assert lines == len(WAITING)


@pytest.mark.parametrize("within", list(Within))
def test_plans_count_on_what_contracts_say(within: Within) -> None:
    """Also that each function waits before it does its work: nothing is published that a later line adds to."""
    contract = CONTRACTS[within]
    for name in contract.functions:
        (function,) = (function for function, _ in WAITING if function.name == name)
        assert function.contract is not None
        _, _, when, publishes = function.contract.groups()
        assert (publishes or None) == (", ".join(each.value for each in contract.publishes) or None)
        if contract.when in WORDS:  # elsewhere the operator's template has the condition
            assert when == WORDS[contract.when]


@pytest.mark.parametrize("name", [name for names in (*ENDING.values(), *ENDING_SET_STEPS.values()) for name in names])
def test_steps_that_end_with_a_barrier_always_wait(name: str) -> None:
    assert min(least for function, found in WAITING for least in found if function.name == name) >= 1


def waits_of(body: tuple[Phase, ...]) -> Counter[When]:
    """How many barriers a body has, by when they are met."""
    return Counter(each.when for each in body if isinstance(each, Barrier))


def waits_in(function: str) -> Counter[When]:
    """The same of an operator's text."""
    conditions = {words: when for when, words in WORDS.items()}
    contracts = {function.name: function.contract for function, _ in WAITING}
    found = Counter({When.LONG_LISTS: function.count("if (cut) { synchronize(run); }")})
    found[When.ALWAYS] -= found[When.LONG_LISTS]
    for name in re.findall(r"\b(\w+)(?:<[^;(){}]*>)?\(run\b", function):
        contract = contracts.get(name)
        if name in CONTRACTS[Within.CHUNKS_OR_RESULT].functions:  # the condition of a loop
            found += Counter({When.ALWAYS: 1, When.LONG_LISTS: 1})
        elif name in CONTRACTS[Within.VISITS].functions:
            found[When.FIRST_PASS] += 1
        elif name in CONTRACTS[Within.PROPOSED].functions:
            found[When.MANY_EDGES] += 1
        elif name in BARRIERS or (contract is not None and not name.startswith("need_")):
            found[When.ALWAYS if contract is None else conditions[contract["when"]]] += 1
    return +found


@pytest.mark.parametrize("name", ["bfs", "sssp", "pagerank", "connected_components", "triangle_count", "communities"])
def test_generated_operators_wait_as_often_as_their_phases(name: str) -> None:
    """Each barrier of a plan is one in the text, in a statement or in a function of the runtime."""
    path = ROOT / "samples" / f"{name}.gdsl"
    plan = plan_of(path.read_text() if path.exists() else (ROOT / "tests" / "programs" / f"{name}.gdsl").read_text())
    text = generate(plan, Widths(32, 32)).text
    operators = text.partition("// ---- operators ----")[2].partition("// ---- enactor ----")[0]
    functions = re.split(r"^}\n", operators, flags=re.MULTILINE)[:-1]
    for operation, function in zip(own_sweeps(plan), functions, strict=True):
        bodies = [operation.body]
        if isinstance(operation.body[0], Directions):
            bodies = [operation.body[0].pull, operation.body[0].push]
        assert waits_in(function) == sum(map(waits_of, bodies), Counter()), operation.name
