"""The programs of one case: drawn, run on the reference in many orders and on other ids, and then on the backends."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from fuzz.expressions.running import missing
from fuzz.programs import corpus, many_runs, running
from fuzz.programs.checks import MANY_ORDERS, ORDERS, check_backend, check_orders, check_other_ids, compared, runners
from fuzz.programs.families import shaped_text
from fuzz.programs.free import free_program
from fuzz.programs.graphs import LARGE, MIDDLE, random_pools, random_shape
from fuzz.programs.imports import misread
from fuzz.programs.mutations import mutated
from fuzz.programs.other_ids import without_numbers
from fuzz.programs.running import Place, Runner, compiled
from fuzz.programs.shrinking import shrunk
from fuzz.programs.trials import STOPS, Orders, Trial, is_compared, is_wholly_exact, under_orders
from fuzz.programs.tuning import knobs, without_knobs
from gdsl.binding import problem_data
from gdsl.diagnostics import GdslError
from gdsl.ir import nodes as ir

_PLACES = 2
"""Graphs, each with its own values, on which a program is run in many orders."""
_WHILE = re.compile(r"\bwhile \(\w+\) \{")
_FREE = 0.35
_UNCHECKED = 0.2
"""Of the refused programs, how many are run all the same."""
FREE_CHOICE = "E0427"
"""The other rule that holds programs back: a result would hang on what a run chooses freely."""
_IMPORTING = 0.2
"""Of the programs, how many are read once more with a part of them in other files."""
_LARGE = 0.25
"""On how many of them backends other than the reference get a graph of more vertices, too."""
_ON_DEVICE = 6
"""Programs of a case that the GPU gets."""


@dataclass
class Options:
    """How a campaign goes on; one for all its cases."""

    backends: tuple[str, ...] = ("reference", "cpu")
    marked: Path | None = None
    """A file for programs with a mark that never differed."""
    collected: Path | None = None
    """A file for programs that are refused or marked, and differ indeed."""
    shrinks: int = 400
    """The most trials that make a finding smaller."""
    emulated: float = 1.0
    """Programs of a case that the emulator, workers and runs together get, when they are asked for."""


def random_text(random: Random) -> str:
    """A program of either leaning."""
    if random.random() < _FREE:
        return free_program(random)
    while True:
        text = shaped_text(random)
        text += knobs(random, text[text.index("schedule {") :])
        try:
            compiled(text, refuse=False)
        except GdslError:
            continue
        return mutated(random, text, random.choice((0, 1, 1, 2, 3)))


def bounded(text: str, passes: str) -> str:
    """`text` with `repeat` for every `while` of its schedule; those of functors stay, where there is no `repeat`."""
    head, schedule, steps = text.partition("schedule {")
    return head + schedule + _WHILE.sub(f"repeat ({passes}) {{", steps)


@dataclass
class _Kept:
    """A program with one answer so far."""

    program: ir.Program
    trial: Trial
    orders: Orders


@dataclass
class Group:
    """Programs of one case, with what was found."""

    random: Random
    options: Options
    answers: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)
    kept: list[_Kept] = field(default_factory=list)

    def draw(self) -> None:
        """One program, and what the reference makes of it; again with a bounded loop where it is endless."""
        text = random_text(self.random)
        wrong = misread(self.random, text) if self.random.random() < _IMPORTING else None
        self.findings += [wrong] if wrong is not None else []
        endless = self._judged(text)
        again = bounded(text, self.random.choice("123"))
        if endless and again != text:
            self._judged(again)

    def _judged(self, text: str) -> bool:
        """Run a program in many orders, and keep it or what is wrong. Gives whether it is endless."""
        trial = Trial(text, random_shape(self.random))
        self._on_other_ids(trial)
        try:
            try:
                program = compiled(trial.text)
            except GdslError as error:
                if {each.code for each in error.diagnostics} != {"E0420"}:
                    raise
                self.answers["knobs that do not fit"] += 1
                trial = replace(trial, text=without_knobs(trial.text))
                program = compiled(trial.text)
        except GdslError as error:
            self._refused(trial, error.code)
            return False
        found: list[_Kept] = []
        differed: set[str] = set()
        for place in range(_PLACES):
            shape = random_shape(self.random) if place else trial.shape
            trial = replace(trial, shape=shape, pools=random_pools(self.random, program))
            try:
                orders = under_orders(program, trial, range(ORDERS))
            except GdslError as error:  # the graph has no vertex for a param, say
                self.answers[error.code] += 1
                continue
            if orders.conflict is not None:
                self.finds(trial, check_orders, f"order {orders.conflict[0]}: {orders.conflict[1]}")
                return False
            differed |= orders.differed
            found.append(_Kept(program, trial, orders))
        if found:
            self._count(found[0], differed)
            self.kept.append(self.random.choice(found))
        return any(isinstance(kept.orders.answer, str) and kept.orders.answer in STOPS for kept in found)

    def _on_other_ids(self, trial: Trial) -> None:
        with contextlib.suppress(GdslError):
            wrong = check_other_ids(trial)
            if wrong is not None:
                self.finds(trial, check_other_ids, wrong)
            self.answers["on other ids"] += without_numbers(trial.text) is not None

    def _refused(self, trial: Trial, code: str) -> None:
        self.answers[code] += 1
        if not code.startswith("E03") and code != FREE_CHOICE:
            self.findings.append(f"{code}: a program that is not well typed\n{trial.text}")
        elif self.random.random() < _UNCHECKED or self.options.collected is not None:
            trial = replace(trial, text=without_knobs(trial.text))  # which are looked at after the rules
            program = compiled(trial.text, refuse=False)
            trial = replace(trial, pools=random_pools(self.random, program))
            self.answers[f"{code} {'rightly' if self._differs(trial) else 'perhaps not rightly'}"] += 1

    def _differs(self, trial: Trial) -> bool:
        """Whether a program that the rules hold back has several answers indeed; it is collected where that is
        asked for."""
        entry = None
        for _ in range(_PLACES + 1):
            with contextlib.suppress(GdslError):
                entry = corpus.differing(trial, range(2 * ORDERS))
            if entry is not None:
                break
            trial = replace(trial, shape=random_shape(self.random))
        if entry is not None and self.options.collected is not None:
            smaller = corpus.tidied(entry)
            if smaller is not None and not smaller.is_missed():
                with self.options.collected.open("a", encoding="utf-8") as file:
                    file.write(smaller.text())
        return entry is not None

    def _count(self, kept: _Kept, differed: set[str]) -> None:
        program, answer = kept.program, kept.orders.answer
        if isinstance(answer, str):
            self.answers["endless" if answer in STOPS else answer] += 1
            return
        marked = {data.name for data in problem_data(program) if not is_compared(data)}
        if not marked:
            self.answers["exact" if is_wholly_exact(program) else "rounding"] += 1
            return
        if differed and self.options.collected is not None:
            self._differs(kept.trial)
        self.answers["marked, differed" if differed else "marked, never differed"] += 1
        if self.options.marked is not None and not differed:
            self._list_marked(program, kept.trial, sorted(marked))

    def _list_marked(self, program: ir.Program, trial: Trial, marked: list[str]) -> None:
        for _ in range(3):
            try:
                if under_orders(program, trial, range(MANY_ORDERS)).differed:
                    return
            except GdslError:
                return
            trial = replace(trial, shape=random_shape(self.random))
        assert self.options.marked is not None
        with self.options.marked.open("a", encoding="utf-8") as file:
            file.write(f"# marked, never differed: {', '.join(marked)}\n{trial.text}\n")

    def finds(self, trial: Trial, check: Callable[[Trial], str | None], what: str) -> None:
        """Keep a finding, as small as it gets."""
        smaller = shrunk(trial, check, self.options.shrinks) if self.options.shrinks else trial
        what = (check(smaller) if smaller is not trial else None) or what
        first = "".join(f"# {line}\n" for line in what.splitlines())
        self.findings.append(f"{first}{smaller.header()}\n{smaller.text}")

    # ------------------------------------------------------------ backends

    def on_backends(self) -> None:
        """All programs with one answer on the other backends, on their own graph and on a large one."""
        if "cpu" in self.options.backends and missing("cpu") is None:
            self._on_cpu()
        for name in ("emulator", *many_runs.RUNNERS):
            if name in self.options.backends and self.random.random() < self.options.emulated:
                self._on_some(name, max(1, round(self.options.emulated)))
        if "cuda" in self.options.backends:
            self._on_some("cuda", _ON_DEVICE)

    def _on_some(self, name: str, count: int) -> None:
        """So many programs of those that `name` can run."""
        for kept in self.random.sample(self.kept, len(self.kept)):
            count -= self._on(name, kept)
            if count <= 0:
                break

    def _on(self, name: str, kept: _Kept) -> bool:
        seed, ran = self.random.randrange(1 << 30), False
        try:
            for run, how in runners(name, kept.program, kept.trial.text, Random(seed)):
                ran = True
                self._judge(name, how, kept, run, seed)
                if self.random.random() < _LARGE:
                    self._judge_large(name, kept, run, LARGE if name == "cuda" else MIDDLE, seed)
        except Exception as error:  # what cannot be made ready is a finding, whoever says so
            self.finds(kept.trial, check_backend(name, seed), f"{name}: {type(error).__name__}: {error}")
            ran = True
        return ran

    def _on_cpu(self) -> None:
        sizes, optimized = self.random.choice(running.SMALL), self.random.random() < 0.1
        seeds = [self.random.randrange(1 << 30) for _ in self.kept]
        planned = [
            running.without_some(kept.program, Random(seed)) for kept, seed in zip(self.kept, seeds, strict=True)
        ]
        try:
            made = running.cpu_executables(planned, sizes, optimized=optimized)
        except running.CompilerRefusal as error:
            texts = "\n\n".join(kept.trial.text for kept in self.kept)
            self.findings.append(f"the C++ compiler refuses one of these:\n{error}\n{texts}")
            return
        for kept, program, seed, executable in zip(self.kept, planned, seeds, made, strict=True):
            run = running.on_executable(kept.program, executable)
            self._judge("cpu", f"{sizes}, without {program.tuning.without}", kept, run, seed)
            if self.random.random() < _LARGE:
                self._judge_large("cpu", kept, run, LARGE, seed)

    def _judge(self, name: str, how: str, kept: _Kept, run: Runner, seed: int) -> None:
        place = Place(kept.trial.shape.graph, kept.trial.pools)
        self.answers[name] += 1
        for own in range(2):
            found = compared(kept.program, place, kept.orders, run, seed + own)
            if found is not None:
                self.finds(kept.trial, check_backend(name, seed), f"{name} ({how}): {found}")
                return

    def _judge_large(self, name: str, kept: _Kept, run: Runner, counts: tuple[int, int], seed: int = 0) -> None:
        """A graph that reaches hubs, chunks and several threads; runs that take too long say nothing."""
        trial = replace(kept.trial, shape=random_shape(self.random, counts))
        try:
            orders = under_orders(kept.program, trial, range(1))
        except GdslError:
            return
        if isinstance(orders.answer, str) and orders.answer in STOPS:
            return
        self.answers[f"{name}, large"] += 1
        found = compared(kept.program, Place(trial.shape.graph, trial.pools), orders, run, 0)
        if found is not None:
            self.finds(trial, check_backend(name, seed), f"{name}, large: {found}")
