"""What `bench.link` has measured: rates, flows and waits; as tables, as JSON, and as constants of the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Rate:
    """Billions of operations per second of each GPU while both make them, by the slower one. far: per cent; side: those
    of a thread under way at the same time; wrong: why the result is not what it must be."""

    kind: str
    array: str
    side: int
    far: int
    billions: float
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class Flow:
    """Billions of bytes per second of each GPU."""

    what: str
    megabytes: int
    billions: float
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class Wait:
    """Nanoseconds of one step: an access that waits for the one before or goes to the same element, or a barrier."""

    what: str
    nanoseconds: float
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """All that was measured."""

    rates: tuple[Rate, ...]
    flows: tuple[Flow, ...]
    waits: tuple[Wait, ...]

    @property
    def wrong(self) -> list[str]:
        """What did not have the right result."""
        results: tuple[Rate | Flow | Wait, ...] = (*self.rates, *self.flows, *self.waits)
        return [f"WRONG: {each}" for each in results if each.wrong]


def rate_lines(rates: Sequence[Rate]) -> Iterator[str]:
    """A Markdown table for each array: a row for each kind, a column for each share."""
    shares = sorted({each.far for each in rates})
    sides = sorted({each.side for each in rates})
    found = {(each.array, each.kind, each.side, each.far): each for each in rates}
    for array in dict.fromkeys(each.array for each in rates):
        titles = [f"{far} % far" + (f", {side} a thread" if side > 1 else "") for side in sides for far in shares]
        yield f"| {array}: G/s of each GPU | {' | '.join(titles)} |"
        yield "| --- " * (len(titles) + 1) + "|"
        for kind in dict.fromkeys(each.kind for each in rates if each.array == array):
            cells = [found.get((array, kind, side, far)) for side in sides for far in shares]
            texts = [f"{each.billions:.3g}{' WRONG' * bool(each.wrong)}" if each else "" for each in cells]
            yield f"| {kind} | {' | '.join(texts)} |"
        yield ""


def flow_lines(flows: Sequence[Flow]) -> Iterator[str]:
    """A Markdown table."""
    yield "| in order, both GPUs at the same time | MB of each | GB/s of each GPU |"
    yield "| --- | --- | --- |"
    for flow in flows:
        yield f"| {flow.what} | {flow.megabytes} | {flow.billions:.4g}{' WRONG' * bool(flow.wrong)} |"
    yield ""


def wait_lines(waits: Sequence[Wait]) -> Iterator[str]:
    """A Markdown table."""
    yield "| one after the other | ns |"
    yield "| --- | --- |"
    for wait in waits:
        yield f"| {wait.what} | {wait.nanoseconds:.4g}{' WRONG' * bool(wait.wrong)} |"
    yield ""


def document(report: Report, machine: dict[str, Any]) -> dict[str, Any]:
    """For --json."""
    return {"machine": machine, **asdict(report), "constants": constants(report)}


def constants(report: Report) -> dict[str, float]:
    """Those of `gdsl.clusters.model.machine` that are measured here: of `Peers`, and as `own_…` of `Gpu`."""
    rates = {(each.kind, each.array, each.far): each.billions * 1e9 for each in report.rates if each.side == 1}
    flows = {each.what: each.billions * 1e9 for each in report.flows if each.megabytes == 256}
    waits = {each.what: each.nanoseconds * 1e-9 for each in report.waits}
    kinds = {
        "gathers": "gather",
        "stores": "store",
        "atomics": "add",
        "returns": "add, value used",
        "claims": "compare-and-swap",
    }
    far = {name: rates[kind, "2 GB", 100] for name, kind in kinds.items()}
    skewed = [rates[kind, "64 MB, skewed", 100] / far[name] for name, kind in kinds.items()]
    latencies = [seconds for what, seconds in waits.items() if what.endswith("far memory")]
    return {
        "link": flows["copied here by a kernel"],
        "engines": (flows["copied here by copy engines"] + flows["copied there by copy engines"]) / 2,
        **far,
        "skewed": sum(skewed) / len(skewed),
        "latency": sum(latencies) / len(latencies),
        "counter": waits["an add to one counter, by the warps of the other GPU"],
        "barrier": waits["a barrier of gdsl on both GPUs"],
        "launch": waits["a run of gdsl beside its operators on both GPUs"],
        "own_gathers": rates["gather", "2 GB", 0],
        "own_stores": rates["store", "2 GB", 0],
        "own_cached_stores": rates["store", "256 MB, skewed", 0],
        "own_atomics": rates["add, value used", "2 GB", 0],
        "own_cached_atomics": rates["add, value used", "256 MB, skewed", 0],
        "own_counter": waits["an add to one counter, by the warps of the GPU that has it"],
        "own_barrier": waits["a barrier of gdsl on one GPU"],
        "own_launch": waits["a run of gdsl beside its operators on one GPU"],
    }


def constant_lines(report: Report) -> Iterator[str]:
    """A Markdown table."""
    yield "| constant of the model | |"
    yield "| --- | --- |"
    yield from (f"| {name} | {value:.3g} |" for name, value in constants(report).items())
