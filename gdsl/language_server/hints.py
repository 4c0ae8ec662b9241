"""Inlay hints and code lenses: what the compiler inferred and decided, between the lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol import types as lsp

from gdsl.explanation.facts import Facts, OperatorFact
from gdsl.language_server.documents import Document
from gdsl.profiling.last import LastTimes, OperatorTime, last_times

RUN, PROFILE, PLAN, CUDA = "gdsl.run", "gdsl.profile", "gdsl.plan", "gdsl.cuda"
LENSES = {"run on karate": RUN, "profile on karate": PROFILE, "show plan": PLAN, "show CUDA": CUDA}


def inlay_hints(document: Document, facts: Facts | None, range_: lsp.Range) -> list[lsp.InlayHint]:
    """The hints of a range: types of locals at once; directions, atomic writes and the times of the last profile where
    there are `facts` of this version."""
    hints = [*_types(document)]
    if facts is not None:
        hints += [*_decisions(document, facts), *time_hints(document, facts)]
    return [hint for hint in hints if range_.start.line <= hint.position.line <= range_.end.line]


def _types(document: Document) -> Iterator[lsp.InlayHint]:
    outline = document.outline
    for declaration in outline.declarations:
        if declaration.kind not in ("let", "var"):
            continue
        number = outline.token_at(declaration.start) + 1
        if number < len(outline.code) and outline.code[number].text == "=":
            type_ = document.type_at(declaration.start)
            if type_:
                yield lsp.InlayHint(document.positions.position(declaration.end), f" : {type_}", lsp.InlayHintKind.Type)


def _decisions(document: Document, facts: Facts) -> Iterator[lsp.InlayHint]:
    seen: set[tuple[int, str]] = set()
    for operator in facts.operators:
        if operator.directions and not operator.span.file:
            _, end = document.positions.offsets(operator.span)
            text = " | ".join(operator.directions)
            if (end, text) not in seen:
                seen.add((end, text))
                tooltip = f"`{operator.call}` runs as a {' or a '.join(operator.directions)}"
                yield lsp.InlayHint(
                    document.positions.position(end), text, padding_left=True, tooltip=markdown(tooltip)
                )
    for group in facts.writes.values():
        for write in group:
            if write.is_atomic and not write.span.file:
                start, _ = document.positions.offsets(write.span)
                if (start, "atomic") not in seen:
                    seen.add((start, "atomic"))
                    yield lsp.InlayHint(
                        document.positions.position(start),
                        "atomic",
                        padding_right=True,
                        tooltip=markdown(f"`{write.name}`: {write.how}"),
                    )


def code_lenses(document: Document) -> list[lsp.CodeLens]:
    """The commands above a program."""
    if document.is_library:
        return []
    program = next((each for each in document.outline.declarations if each.kind == "program"), None)
    if program is None:
        return []
    where = document.positions.range(program.begin, program.end)
    return [lsp.CodeLens(where, lsp.Command(title, name, arguments=[document.uri])) for title, name in LENSES.items()]


def time_hints(document: Document, facts: Facts) -> Iterator[lsp.InlayHint]:
    """The hints, where a profile of this program was made; the program of `facts` has the same sites."""
    times = last_times(document.times_key)
    if times is None:
        return
    by_site = {each.site: each for each in times.operators}
    labels = {site: operator.label for operator in facts.operators for site in operator.sites}
    places: dict[tuple[int, int], list[OperatorFact]] = {}
    for operator in facts.operators:
        if not operator.span.file:  # the body of a procedure has one hint for all calls
            places.setdefault(document.positions.offsets(operator.span), []).append(operator)
    for (_, end), operators in places.items():
        known = [by_site[site] for each in operators for site in each.sites if site in by_site]
        if known:
            runs = sum(by_site[site].runs for each in operators for site in each.ways if site in by_site)
            text = f"{_spent(known, runs, labels)} ({_place(times)})"
            tooltip = markdown(_about(times, known))
            yield lsp.InlayHint(document.positions.position(end), text, padding_left=True, tooltip=tooltip)


def _spent(known: Sequence[OperatorTime], runs: int, labels: dict[int, str]) -> str:
    """The time of all runs of the operators, which are one in the text."""
    if not runs:
        return "did not run"
    words = f"{runs:,} {'run' if runs == 1 else 'runs'}"
    measured = [each.time_ms for each in known if each.inside is None and each.time_ms is not None]
    if measured:
        return f"{duration(sum(measured))} in {words}"
    hosts = dict.fromkeys(labels[each.inside] for each in known if each.inside in labels)
    return f"{words} in the sweep of @{', @'.join(hosts)}" if hosts else words


def duration(time_ms: float) -> str:
    """A time in three digits and its unit: ``12.3 µs``."""
    for unit, scale in (("s", 1000.0), ("ms", 1.0)):
        if time_ms >= scale:
            return f"{_digits(time_ms / scale)} {unit}"
    return f"{_digits(time_ms * 1000)} µs"


def _digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 99.95 else f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"


def _place(times: LastTimes) -> str:
    return ", ".join(part for part in (times.graph, times.backend) if part)


def _about(times: LastTimes, known: Sequence[OperatorTime]) -> str:
    """Of what run the times are."""
    spent = sum(each.time_ms for each in known if each.inside is None and each.time_ms is not None)
    share = f"{spent / times.time_ms:.0%} of " if times.time_ms and spent else ""
    params = "".join(f", `{name}={value}`" for name, value in times.params.items())
    knobs = f", with {', '.join(f'`{each}`' for each in times.knobs)}" if times.knobs else ""
    return f"{share}{duration(times.time_ms)} on {times.device}{params}{knobs}. Last profile: {times.when}"


def markdown(text: str) -> lsp.MarkupContent:
    """Text with code between backticks."""
    return lsp.MarkupContent(lsp.MarkupKind.Markdown, text)
