"""What E0301 and E0302 suggest, as replacements of the program's text.

They are tried before they are shown: what is here may be wrong for a program, and only has to be likely.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence

from gdsl.diagnostics import Edit, Suggestion
from gdsl.effects.summary import Effects, Read, Write, WriteKind, each
from gdsl.effects.terms import Choice, Constant, ElementTerm, Operation, Term, inside, parts
from gdsl.ir import nodes
from gdsl.operations import LARGER, SMALLER, ReduceOperation
from gdsl.rules.fixes import (
    ONE_STEP,
    UNKNOWN,
    as_update,
    branch_around,
    is_target,
    operand_of_update,
    reduced_without_test,
    value_of_store,
)
from gdsl.rules.redundant_tests import is_redundant
from gdsl.source import Source, Span
from gdsl.types import Type

_MOST_WRITES = 20
"""The most writes of one array that are considered for one read."""


class Suggested:
    """The suggestions about one functor of a program."""

    def __init__(self, effects: Effects, source: Source, initials: Mapping[str, object], in_loop: bool) -> None:
        """`initials` are the initial values of the program's data by name; `in_loop`: whether the schedule repeats the
        operator."""
        self.effects = effects
        self.source = source
        self.initials = initials
        self.in_loop = in_loop

    def words(self, span: Span) -> str:
        """The program's text at `span` on one line; `…` where it is too long."""
        return self.source.excerpt(span) or UNKNOWN

    # ------------------------------------------------------------ E0301

    def of_store(self, write: Write, taken: str) -> tuple[Suggestion, ...]:
        """For a store whose value depends on which call comes last; `taken` is a name that the program does not use."""
        suggestions = [*self._in_one_step(write), *self._without_test(write)]
        if as_update(write) is None:
            suggestions += self._of_values(write, taken)
        return tuple(one for one in suggestions if UNKNOWN not in one.words)

    def _in_one_step(self, write: Write) -> Iterator[Suggestion]:
        target = self.words(write.target)
        update = as_update(write)
        if update is not None:
            statement = f"{target} {update} {operand_of_update(self.words(write.span), target, update)};"
            statement = self._accepting(write, statement) if update in ("min=", "max=") else statement
            yield Suggestion(f"`{statement}` {ONE_STEP}", (self._edit(write.span, statement),))
        chosen = _chosen(write)
        if chosen is not None:
            value = _other_side(value_of_store(self.words(write.span), target), target)
            statement = self._accepting(write, f"{target} {chosen} {value};")
            yield Suggestion(f"`{statement}` {ONE_STEP}", (self._edit(write.span, statement),))

    def _without_test(self, write: Write) -> Iterator[Suggestion]:
        for guard in each(write.guard):
            words = reduced_without_test(self.effects, guard, self.words)
            if words is not None:
                yield from self._in_place_of_the_branch(words, write)

    def _in_place_of_the_branch(self, words: str, write: Write) -> Iterator[Suggestion]:
        """The first code of `words` in the place of the `if` around `write`, or of its condition."""
        branch = branch_around(self.effects.functor.body, write)
        code = re.search(r"`([^`]+)`", words)
        if branch is None or code is None:
            return
        changed = re.fullmatch(r"if \((changed\(.*\))\) \{ … \}", code[1])
        if changed is None:
            yield Suggestion(words, (Edit(branch.span, code[1]),))
            return
        edits = (Edit(branch.condition.span, changed[1]), self._edit(write.span, ""))
        yield Suggestion(words, edits)

    def _of_values(self, write: Write, taken: str) -> Iterator[Suggestion]:
        """`any=`, `min=` and `max=` at all stores of the functor, and a single writer by `cas`."""
        effects, target = self.effects, self.words(write.target)
        stores = effects.written(write.name)
        if any(other.kind is not WriteKind.STORE for other in stores):
            return
        picks = self._picks(write)
        relaxes = any(_reads_another(part, write) for part in inside(write.value))
        if relaxes and picks:
            yield from self._from_infinity(write)
            yield self._at_all(stores, "min=", "keeps the smallest", accepts=len(stores) == 1)
            yield from self._by_iteration(write, target)
        yield self._at_all(stores, "any=", "lets any of the writers win")
        for sign, meaning in picks:
            yield self._at_all(stores, sign, f"keeps the {meaning}", beside=True)
        if len(stores) == 1:
            yield from self._by_one(write, target, taken)

    def _picks(self, write: Write) -> list[tuple[str, str]]:
        """The reductions that can replace the value with which the data begins: `none` is the largest id."""
        if write.type is Type.BOOL:
            return []
        both = [("min=", "smallest"), ("max=", "largest")]
        value = self.initials.get(write.name)
        if isinstance(value, nodes.NoneId):
            return both[:1]
        first = value.value if isinstance(value, nodes.Literal) else None
        if isinstance(first, int | float) and not isinstance(first, bool):
            return both[:1] if first > 2**31 - 2 else both[1:] if first < 0 else both
        return both

    def _at_all(
        self, stores: Sequence[Write], sign: str, meaning: str, *, beside: bool = False, accepts: bool = False
    ) -> Suggestion:
        edits = []
        for store in stores:
            own = self.words(store.target)
            statement = f"{own} {sign} {value_of_store(self.words(store.span), own)};"
            edits.append(self._edit(store.span, self._accepting(store, statement) if accepts else statement))
        where = ", at all of its stores here," if len(stores) > 1 else ""
        unknown = UNKNOWN if any(UNKNOWN in edit.text for edit in edits) else ""
        return Suggestion(f"`{edits[0].text}`{where} {meaning}{unknown}", tuple(edits), beside=beside)

    def _from_infinity(self, write: Write) -> Iterator[Suggestion]:
        """`min=`, where the data begins with what is less than every value."""
        first = self.initials.get(write.name)
        least = isinstance(first, nodes.Literal) and not isinstance(first.value, bool) and first.value <= 0
        tested = any(write.name in _arrays(test) for test in self.effects.conjuncts)
        if isinstance(first, nodes.Literal) and least and not tested and write.type.is_numeric:
            one = self._at_all(
                (write,), "min=", accepts=True, meaning=f"keeps the smallest; let `{write.name}` begin as `inf`"
            )
            if self.words(first.span) == str(first.value):
                yield Suggestion(one.words, (*one.edits, Edit(first.span, "inf")))

    def _by_iteration(self, write: Write, target: str) -> Iterator[Suggestion]:
        """A number of hops is the same for all calls of one pass."""
        value = write.value
        if not isinstance(value, Operation) or "+" not in str(value.operation.value) or not self.in_loop:
            return
        if any(isinstance(part, Constant) for part in value.arguments):
            statement = f"{target} = iteration + 1;"
            words = f"`{statement}`, which is the same for all calls of a pass"
            yield Suggestion(words, (self._edit(write.span, statement),))

    def _by_one(self, write: Write, target: str, taken: str) -> Iterator[Suggestion]:
        problem = re.search(r"\bproblem\s*\{", self.source.text)
        if problem is None or write.span.file or not target.startswith(write.name):
            return
        index = target[len(write.name) :]
        domain = "edge" if index and write.index.type is Type.EDGE else "vertex" if index else "scalar"
        test, declared = f"if (cas({taken}{index}, false, true))", f"{domain} {taken} : bool;"
        statement = self.words(write.span)
        before = self.source.text[: problem.end()]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        edits = (
            Edit(Span(line, column, line, column), f" {declared}"),
            self._edit(write.span, f"{test} {{ {statement}; }}"),
        )
        words = f"several stores have one writer under `{test}`, with `{declared}`"
        yield Suggestion(words, edits, beside=True)

    # ------------------------------------------------------------ E0302

    def of_read(self, read: Read) -> tuple[Suggestion, ...]:
        """For a read of what other calls of the operator write."""
        suggestions: list[Suggestion] = [*self._without_condition(read)]
        for write in self.effects.written(read.name)[:_MOST_WRITES]:
            if read.term in inside(write.value):
                suggestions += self._in_one_step(write)
            suggestions += self._without_test(write)
        suggestions += self._tickets(read)
        return tuple(one for one in suggestions if UNKNOWN not in one.words)

    def of_joined(self, read: Read) -> Iterator[Suggestion]:
        """For a read of labels that the operator joins."""
        words = self.words(read.span)
        firsts = (term for loop in self.effects.joins(read.name) for term in self.effects.first_values(loop))
        if any(read.term in parts(term) for term in firsts):  # a label is a vertex of the set of its own vertex
            vertex = words
            term: Term = read.term
            while isinstance(term, ElementTerm) and term.array == read.name and vertex.startswith(read.name):
                vertex, term = vertex.removeprefix(read.name).strip()[1:-1].strip(), term.index
            yield Suggestion(f"write `{vertex}`, which is in the same set", (Edit(read.span, vertex),))
        before = Span(read.span.line, read.span.column, read.span.line, read.span.column, read.span.origin)
        yield Suggestion(f"write `now {words}`: any label from before or after", (Edit(before, "now "),))

    def _without_condition(self, read: Read) -> Iterator[Suggestion]:
        """The reduction without the tests of `cond` that it performs as well, if a call does nothing else."""
        effects, conditions = self.effects, self.effects.functor.condition
        if not read.in_condition or len(effects.writes) != 1 or len(conditions) != len(effects.conjuncts):
            return
        (write,) = effects.writes
        tests = effects.conjuncts
        form, dropped = "", [number for number, test in enumerate(tests) if is_redundant(test, write)]
        if write.kind is WriteKind.STORE and write.type is not Type.BOOL:
            for operation in (ReduceOperation.MIN, ReduceOperation.MAX):
                reduced = dataclasses.replace(write, operation=operation)
                redundant = [number for number, test in enumerate(tests) if is_redundant(test, reduced)]
                form, dropped = (operation.value, redundant) if redundant and not dropped else (form, dropped)
        if not dropped or (effects.accept is not None and effects.accept not in (effects.terms.true, write.result)):
            return
        remaining = [self.words(node.span) for number, node in enumerate(conditions) if number not in dropped]
        statement = self.words(write.span)
        if form:
            target = self.words(write.target)
            statement = f"{target} {form} {value_of_store(statement, target)}"
        collects = effects.accept is effects.terms.true and getattr(effects.operator, "result", None) is not None
        code = f"{statement};"
        if collects and write.statement is not None:
            code = f"accept changed({statement});"
        elif effects.accept is write.result is not None:
            code = f"accept {statement};"
        edits = [Edit(_with_keyword(self.source, conditions), f"cond {' && '.join(remaining)};" if remaining else "")]
        if collects or form:
            edits.append(self._edit(write.span, code))
        names = " and ".join(f"`{self.words(conditions[number].span)}`" for number in dropped)
        yield Suggestion(f"drop the test: `{code}` makes {names} itself", tuple(edits))

    def _tickets(self, read: Read) -> Iterator[Suggestion]:
        """`let i = n; n += 1;`: `fetch` gives each call a number of its own."""
        writes = self.effects.written(read.name)
        if read.in_condition or len(writes) != 1 or writes[0].outcome is not None:
            return
        (write,) = writes
        counts = write.operation is ReduceOperation.ADD and isinstance(write.value, Constant)
        if counts and (read.span.line, read.span.column) < (write.span.line, write.span.column):
            update = self.words(write.span)
            edits = (self._edit(read.span, f"fetch({update})"), self._edit(write.span, ""))
            words = f"let each call have a number of its own: `fetch({update})` in place of this and of `{update};`"
            yield Suggestion(words, edits)

    def _accepting(self, write: Write, statement: str) -> str:
        """`statement`, which accepts what it changes where a loop would go on for ever with all that it reaches."""
        effects = self.effects
        collects = isinstance(effects.operator, nodes.Advance) and effects.operator.result is not None and self.in_loop
        says = any(isinstance(node, nodes.Accept) for node in effects.functor.body)
        if not collects or says or write.statement is None or effects.accept is not effects.terms.true:
            return statement
        return f"accept changed({statement.removesuffix(';')});"

    def _edit(self, span: Span, statement: str) -> Edit:
        """`statement` in place of what is at `span`, which may be without its `;`."""
        ends = self.source.text_between(span).rstrip().endswith(";")
        return Edit(span, statement if ends or not statement.endswith(";") else statement[:-1])


def _with_keyword(source: Source, conditions: Sequence[nodes.Expression]) -> Span:
    """`cond …;` of these conditions."""
    first, last = conditions[0].span, conditions[-1].span
    lines = source.of(first).text.split("\n")
    column = lines[first.line - 1].rfind("cond", 0, first.column - 1) + 1
    end = lines[last.end_line - 1].find(";", last.end_column - 1) + 2
    return Span(first.line, max(column, 1), last.end_line, end, first.origin)


def _arrays(term: Term) -> set[str]:
    return {part.array for part in inside(term) if isinstance(part, ElementTerm)}


def _reads_another(part: Term, write: Write) -> bool:
    """Whether `part` reads another element of the array that is written."""
    return isinstance(part, ElementTerm) and part.array == write.name and part.index is not write.index


def _chosen(write: Write) -> str | None:
    """`min=` for `x = x > y ? y : x`, `max=` for `x = x > y ? x : y`, however the sides are turned."""
    value = write.value
    if write.kind is not WriteKind.STORE or not isinstance(value, Choice) or not isinstance(value.condition, Operation):
        return None
    test = value.condition
    if test.operation not in SMALLER + LARGER or len(test.arguments) != 2:
        return None
    own_first, own_yes = is_target(write, test.arguments[0]), is_target(write, value.yes)
    own_second, own_no = is_target(write, test.arguments[1]), is_target(write, value.no)
    if own_first is own_second or own_yes is own_no:
        return None
    # Whether the element stays where it is the smaller one.
    stays_smaller = ((test.operation in SMALLER) == own_first) == own_yes
    return "min=" if stays_smaller else "max="


def _other_side(text: str, target: str) -> str:
    """`y` of the text `… ? y : x` or `… ? x : y`, where `x` is `target`."""
    match = re.fullmatch(r"[^?]*\?\s*([^?:]+?)\s*:\s*([^?:]+?)\s*", text.strip().removeprefix("(").removesuffix(")"))
    if match is None:
        match = re.fullmatch(r"[^?]*\?\s*([^?:]+?)\s*:\s*([^?:]+?)\s*", text)
    sides = [side for side in match.groups() if side != target] if match is not None else []
    return sides[0] if len(sides) == 1 else UNKNOWN
