"""The campaign of random expressions: a bounded run of it, and that it finds and shrinks what is wrong."""

from __future__ import annotations

import random

import numpy
import pytest
from fuzz import expressions
from fuzz.campaign import Finding, run
from fuzz.expressions.programs import random_data, random_program
from fuzz.expressions.running import apart, missing

from gdsl.arithmetic.operations import Arithmetic
from gdsl.operations import BinaryOperation
from gdsl.types import Type


@pytest.fixture
def backends() -> object:
    before = expressions._chosen
    yield expressions.choose_backends
    expressions._chosen = before


def clean(count: int, seed: int) -> None:
    campaign = run("expressions", expressions.case, seed=seed, count=count)
    assert not campaign.findings, "\n".join(text for _, text in campaign.findings)
    assert campaign.cases == count


@pytest.mark.slow
def test_random_expressions_are_the_same_everywhere(backends: object) -> None:
    backends(["reference"])
    clean(20, seed=1)
    backends(["cpu"])
    clean(4, seed=2000)


@pytest.mark.skipif(missing("emulator") is not None, reason="needs the checkout's emulator")
@pytest.mark.slow
def test_random_expressions_in_generated_cuda(backends: object) -> None:
    backends(["emulator"])
    clean(3, seed=100)


def test_a_case_follows_from_its_seed() -> None:
    texts = {random_program(random.Random(7), 20).text() for _ in range(2)}
    assert len(texts) == 1
    first, second = (random_data(random.Random(7), 5) for _ in range(2))
    assert repr(first.params) == repr(second.params)


def test_a_wrong_operation_is_found_and_shrunk(backends: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reference with a `>>` that forgets the sign: the finding is one small program that repeats it."""
    binary = Arithmetic.binary

    def wrong(self: Arithmetic, operation: BinaryOperation, type_: Type, right: Type | None = None) -> object:
        if operation is BinaryOperation.SHIFT_RIGHT and type_ is Type.INT32:
            return lambda a, b: binary(self, operation, type_, right)(a, b) & numpy.int32(0x7FFFFFFF)
        return binary(self, operation, type_, right)

    monkeypatch.setattr(Arithmetic, "binary", wrong)
    backends(["reference"])
    for seed in range(100):
        try:
            expressions.case(random.Random(seed))
        except Finding as finding:
            text = str(finding)
            assert ">>" in text and "the language says" in text
            assert len(text.splitlines()) < 25, text
            return
    pytest.fail("a wrong shift was not found")


def test_the_choice_of_backends_is_checked(backends: object) -> None:
    with pytest.raises(ValueError, match="there is no backend nothing"):
        backends(["nothing"])


def test_how_far_values_are_apart() -> None:
    np = numpy
    one = np.array([1.0, 0.0, -0.0, np.nan, np.inf, 5e-324, np.nan])
    two = np.array([np.nextafter(1.0, 2.0), -0.0, -0.0, np.nan, np.inf, 0.0, 1.0])
    assert apart(one, two).tolist() == [1.0, np.inf, 0.0, 0.0, 0.0, 1.0, np.inf]
