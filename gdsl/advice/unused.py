"""W03: what is declared and never mentioned again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from gdsl.diagnostics import Diagnostic
from gdsl.frontend.failures import line_and_column, without_comments
from gdsl.frontend.syntax import Symbol, SymbolKind
from gdsl.ir import nodes
from gdsl.source import Source, Span

_WORD = re.compile(r"[A-Za-z_]\w*")
_LABEL = re.compile(r"@\s*([A-Za-z_]\w*)")
_TUNED = re.compile(r"\btune\s*\{([^{}]*)\}")


def unused(
    program: nodes.Program, symbols: Sequence[Symbol], source: Source, tune: Sequence[str]
) -> Iterator[Diagnostic]:
    """Functors, functions, params, arrays, scalars and labels that occur only at their declaration."""
    plain = without_comments(source.text)
    texts = [plain, *(without_comments(other.text) for other in source.imported or ())]
    mentions = Counter(_WORD.findall(" ".join((*texts, *tune))))
    complete = _complete_initially(program)
    for symbol in symbols:
        if not symbol.span.file and mentions[symbol.name] == 1 and symbol.name not in complete:
            message = _message(symbol)
            if message is not None:
                yield Diagnostic("W03", message[0], symbol.span, fix=message[1])
    yield from _labels(plain, tune)


def _message(symbol: Symbol) -> tuple[str, str] | None:
    name = symbol.name
    if symbol.kind is SymbolKind.FUNCTOR:
        return f"no operator runs the functor `{name}`", "call it in the schedule, or leave it out"
    if symbol.kind is SymbolKind.FUNCTION:
        return f"nothing calls `{name}`", "leave it out"
    if symbol.kind is SymbolKind.TYPE:
        return f"nothing has the type `{name}`", "use it, or leave it out"
    if symbol.kind is SymbolKind.PARAM or symbol.is_input:
        what = "param" if symbol.kind is SymbolKind.PARAM else "input"
        return f"nothing reads the {what} `{name}`", "use it, or leave it out"
    if symbol.kind in (SymbolKind.ARRAY, SymbolKind.SCALAR):
        return f"nothing reads or writes `{name}`", "leave it out"
    return None


def _complete_initially(program: nodes.Program) -> set[str]:
    """Results that are complete as they begin, such as `vertex degree : int32 = out_degree(id);`."""
    trivial = (nodes.Literal, nodes.NoneId)
    results = [data for data in program.data if not data.is_local and not data.is_input]
    return {data.name for data in results if data.initial is not None and not isinstance(data.initial, trivial)}


def _labels(plain: str, tune: Sequence[str]) -> Iterator[Diagnostic]:
    """Labels without tuning where others have some; a program without any may use them for `--tune` and `--profile`."""
    tuned = {
        name
        for block in _TUNED.findall(" ".join((plain, f"tune {{ {'; '.join(tune)} }}")))
        for name in _LABEL.findall(block)
    }
    if not _LABEL.search("".join(_TUNED.findall(plain))):
        return
    schedule = _TUNED.sub(lambda block: re.sub(r"[^\n]", " ", block.group()), plain)
    for match in _LABEL.finditer(schedule):
        if match[1] not in tuned:
            line, column = line_and_column(plain, match.start())
            span = Span(line, column, line, column + match.end() - match.start())
            fix = f"leave it out, or tune by it: `@{match[1]}.direction = …;`"
            yield Diagnostic("W03", f"`tune` does not mention the label `@{match[1]}`", span, fix=fix)
