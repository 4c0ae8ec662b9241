"""Suggestions for names: declared where nothing declares them, called as the functor calls them, moved to `problem`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from gdsl.diagnostics import Diagnostic, Edit, Suggestion
from gdsl.frontend.vocabulary import FOREIGN_TYPES, RESERVED, TYPES, closest
from gdsl.source import Span
from gdsl.suggestions.text import Places, span_at, statements_around

_FUNCTOR = re.compile(r"\b(vertex|edge)\s+functor\s+(\w+)\s*\(([^(){};]*)\)")
_TYPE = "|".join(sorted({*FOREIGN_TYPES, *TYPES}, key=len, reverse=True))
_LOCAL = re.compile(
    rf"(?:(?:const|let|var|auto|final|local)\s+)?(?:({_TYPE})\s+)?([A-Za-z_]\w*)\s*(?::\s*(\w+)\s*)?=\s*([^=;][^;]*);"
)
_DATA = re.compile(
    r"((?:(?:local|input)\s+)?(vertex|edge|scalar)\s+(\w+)\s*(?:\[[^\]]*\]\s*)?(?::\s*\w+)?)\s*(?:=\s*([^=;][^;]*))?;"
)
_DECLARATION = re.compile(
    r"\b(?:vertex|edge|scalar|param|let|var|frontier|functor|procedure|function|operator|history|buckets|graph|type)"
    r"\s+(?!functor\b|frontier\b)([A-Za-z_]\w*)"
)
_CALLED = (["src", "source", "u", "s", "from"], ["dst", "v", "d", "target", "w", "to"], ["e", "edge"])
"""What others call the parameters of an edge functor, one after the other."""
_ANY_ELEMENT = ["n", "i", "x", "id", "node", "vertex", "self", "this", "tid", "idx", "a", "b"]
_LONGEST_HEAD = 200
_LONGEST_FUNCTOR = 10_000
_BUCKETS = "buckets have an array and a width"
_TYPES_TO_TRY = ("float32", "int32", "bool", "vertex", "float64", "int64")


def name_suggestions(diagnostic: Diagnostic, places: Places) -> Iterator[Suggestion]:
    """What `diagnostic` suggests about a name of the program."""
    assert diagnostic.span is not None
    start, end = places.range(diagnostic.span)
    plain = places.plain
    yield from _head(plain, places, start)
    if diagnostic.code in ("E0112", "E0221", "E0101"):
        yield from _local_of_schedule(plain, places, start, end)
    if diagnostic.code == "E0205" and diagnostic.message.endswith(("float32", "float64")):
        yield from _fraction(plain, places, start, end)
    if diagnostic.code == "E0201":
        yield from _declared_otherwise(diagnostic.message, plain, places)
    name = re.match(r"`(\w+)`", diagnostic.message)
    if diagnostic.code in ("E0201", "E0204") and name is not None and plain[start:end] == name[1]:
        if not diagnostic.message.endswith("is an array, not a value"):
            yield from _parameter(plain, places, diagnostic.span, name[1])
        if diagnostic.code == "E0204":
            yield from _set(plain, places, start, end, name[1])


def _declared_otherwise(message: str, plain: str, places: Places) -> Iterator[Suggestion]:
    """Another name for a declaration that nothing uses, where several places use a name almost like it."""
    missing = re.search(r"`(\w+)`", message)
    if missing is None:
        return
    name, words = missing[1], Counter(re.findall(r"\w+", plain))
    if words[name] < 2:
        return
    unused = {match[1]: match for match in _DECLARATION.finditer(plain) if words[match[1]] == 1}
    near = closest(name, unused)
    if near is not None:
        match = unused[near]
        edit = Edit(span_at(places.text, match.start(1), match.end(1)), name)
        yield Suggestion(f"line {edit.span.line} declares `{near}`: write `{name}` there", (edit,))


def declaration_suggestions(diagnostic: Diagnostic, places: Places) -> Iterator[Suggestion]:
    """A declaration of the name that nothing declares."""
    assert diagnostic.span is not None
    start, end = places.range(diagnostic.span)
    plain = places.plain
    name = re.match(r"`(\w+)`", diagnostic.message)
    if diagnostic.code == "E0201" and name is not None and plain[start:end] == name[1]:
        yield from _frontier(plain, places, start, name[1])
        yield from _array(plain, places, start, end, name[1])
    if diagnostic.code == "E0101" and plain[start:end] == "(":
        yield from _wide(plain, places, start)
    buckets = re.search(r"\bbuckets\s+(\w+)\s*$", plain[:start].rstrip())
    if buckets is not None and diagnostic.code == "E0101":
        for array in re.findall(r"\bvertex\s+(\w+)\s*:\s*(?:u?int|float)", plain)[:3]:
            code = f"buckets {buckets[1]}({array}, 1);"
            low = buckets.start()
            high = plain.find(";", low) + 1
            if high > low:
                yield Suggestion(f"write `{code}`", (Edit(span_at(places.text, low, high), code),), message=_BUCKETS)


def _functor_before(plain: str, start: int) -> re.Match[str] | None:
    """The head of the functor that a place is in."""
    matches = list(_FUNCTOR.finditer(plain, max(0, start - _LONGEST_FUNCTOR), start))
    if not matches or re.search(r"\bschedule\s*\{", plain[matches[-1].end() : start]):
        return None
    return matches[-1]


def _head(plain: str, places: Places, start: int) -> Iterator[Suggestion]:
    """A functor with more or fewer parameters than it has."""
    line = plain.rfind("\n", 0, start) + 1
    for match in _FUNCTOR.finditer(plain, line, start + _LONGEST_HEAD):
        if match.start() > start:
            return
        if match.end() < start - 1 and "{" in plain[match.end() : start]:
            continue
        names = [word for word in re.findall(r"[A-Za-z_]\w*", re.sub(r":\s*\w+", "", match[3])) if word not in TYPES]
        names = [word for word in names if word not in ("vertex", "edge", "Vertex", "Edge", "int", "auto", "const")]
        wanted = _parameters(match[1], names, plain[match.end() :])
        for parameters in wanted:
            code = f"{match[1]} functor {match[2]}({', '.join(parameters)})"
            if code != match.group():
                words = f"write `{code}`"
                yield Suggestion(words, (Edit(span_at(places.text, match.start(), match.end()), code),))


def _parameters(kind: str, names: list[str], body: str) -> list[list[str]]:
    if kind == "vertex":
        own = [[name] for name in names]
        used = re.findall(r"\[\s*([A-Za-z_]\w*)\s*\]", body[:400])
        return own or [[name] for name in dict.fromkeys([*used, "v"]) if name not in RESERVED][:3]
    defaults = ["src", "dst", "e"]
    if len(names) >= 3:
        return [names[:3]]
    if len(names) == 2:
        return [[*names, "e"]]
    return [defaults, [*names, "dst", "e"]] if names != ["e"] else [defaults]


def _parameter(plain: str, places: Places, span: Span, name: str) -> Iterator[Suggestion]:
    """The functor's own word for what others call `v`, `src` or `dst`."""
    functor = _functor_before(plain, places.range(span)[0])
    if functor is None:
        return
    parameters = re.findall(r"[A-Za-z_]\w*", functor[3])
    place = next((place for place, words in enumerate(_CALLED) if name in words), None)
    if place is None and name not in _ANY_ELEMENT:
        return
    ordered = list(parameters)
    if place is not None and place < len(ordered):
        ordered.insert(0, ordered.pop(place))
    for parameter in ordered[:2]:
        yield Suggestion(f"this functor calls it `{parameter}`", (Edit(span, parameter),))


def _wide(plain: str, places: Places, start: int) -> Iterator[Suggestion]:
    """`scalar total : wide(t);`: such a type needs a name."""
    matches = re.search(r"\bwide\s*$", plain[:start]), re.match(r"\(\s*(\w+)\s*\)", plain[start:])
    if matches[0] is None or matches[1] is None:
        return
    type_ = matches[1][1]
    declaration_suggestions = re.search(rf"\btype\s+{type_}\s*[:=][^;]*;", plain)
    if declaration_suggestions is None:
        return
    name = f"wide_{type_}"
    code = f"type {name} = wide({type_});"
    where = Edit(span_at(places.text, declaration_suggestions.end(), declaration_suggestions.end()), f" {code}")
    uses = re.finditer(rf"(?<=:)\s*wide\s*\(\s*{type_}\s*\)", plain)
    edits = [Edit(span_at(places.text, use.start(), use.end()), f" {name}") for use in uses]
    yield Suggestion(f"name it: `{code}`, and write `{name}`", (where, *edits))


def _frontier(plain: str, places: Places, start: int, name: str) -> Iterator[Suggestion]:
    """A set of the schedule that is used and nowhere declared."""
    schedule = re.search(r"\bschedule\s*\{", plain)
    if schedule is None or start < schedule.end():
        return
    for low, high in statements_around(plain, start, start):
        statement = " ".join(plain[low : max(high, plain.find(";", low) + 1)].split())
        if re.match(rf"{name}\s*=(?!=)", statement):
            shown = (
                f"declare it: `frontier {statement}`" if len(statement) < 80 else f"declare it: `frontier {name} = …;`"
            )
            yield Suggestion(shown, (Edit(span_at(places.text, low, low), "frontier "),))
        source = re.search(r"\bparam\s+(\w+)\s*:\s*vertex\s*(set)?", plain)
        members = "vertices" if source is None else source[1] if source[2] else f"{{ {source[1]} }}"
        code = f"frontier {name} = {members};"
        yield Suggestion(f"declare it before: `{code}`", (Edit(span_at(places.text, low, low), f"{code} "),))
        return


def _array(plain: str, places: Places, start: int, end: int, name: str) -> Iterator[Suggestion]:
    """An array or scalar that nothing declares."""
    problem = re.search(r"\bproblem\s*\{", plain)
    index = re.match(r"\s*\[\s*(\w+)\s*\](\s*(?:[-+*&|^]|min|max|any)?=(?!=))?", plain[end:])
    functor = _functor_before(plain, start)
    if index is None or problem is None or functor is None:
        return
    parameters = re.findall(r"[A-Za-z_]\w*", functor[3])
    on_edges = functor[1] == "edge" and len(parameters) == 3 and index[1] == parameters[2]
    written = (
        re.search(rf"\b{name}\s*\[[^\]]*\]\s*(?:[-+*&|^]|min|max|any)?=(?!=)|\b(?:cas)\(\s*{name}\b", plain) is not None
    )
    domain = "edge" if on_edges else "vertex"
    lead = domain if written else f"input {domain}"
    for type_ in _TYPES_TO_TRY:
        code = f"{lead} {name} : {type_};"
        where = span_at(places.text, problem.end(), problem.end())
        yield Suggestion(f"declare it in `problem`: `{code}`", (Edit(where, f" {code}"),))


def _set(plain: str, places: Places, start: int, end: int, name: str) -> Iterator[Suggestion]:
    """`a[sites] = x;` and `{ sites }` of a set."""
    braces = re.search(r"\{\s*$", plain[:start]), re.match(r"\s*\}", plain[end:])
    if braces[0] is not None and braces[1] is not None:
        low, high = braces[0].start(), end + braces[1].end()
        yield Suggestion(f"it is a set already: write `{name}`", (Edit(span_at(places.text, low, high), name),))
    for low, high in statements_around(plain, start, end):
        match = re.fullmatch(rf"(\w+)\[\s*{name}\s*\]\s*([-+*&|^]?=|min=|max=|any=)(?!=)\s*([^;]+);", plain[low:high])
        if match is not None:
            code = f"compute({name}, v => {{ {match[1]}[v] {match[2]} {match[3].strip()}; }});"
            yield Suggestion(f"write `{code}`", (Edit(span_at(places.text, low, high), code),))
            return


def _local_of_schedule(plain: str, places: Places, start: int, end: int) -> Iterator[Suggestion]:
    """`int64 n = 0;` in the schedule: a scalar of the problem."""
    schedule, problem = re.search(r"\bschedule\s*\{", plain), re.search(r"\bproblem\s*\{", plain)
    if schedule is None or start < schedule.end():
        return
    for low, high in statements_around(plain, start, end):
        data = _DATA.fullmatch(plain[low:high])
        if data is not None and problem is not None:
            where = span_at(places.text, problem.end(), problem.end())
            yield from _moved_to_problem(data, where, span_at(places.text, low, high))
            return
        match = _LOCAL.fullmatch(plain[low:high])
        if match is None:
            continue
        word, name, behind, value = match.groups()
        word = word or behind
        value = value.strip()
        kinds = [FOREIGN_TYPES.get(word, word)] if word in FOREIGN_TYPES.keys() | TYPES.keys() else _kinds(value)
        statement = f"{name} = {value};"
        here = Edit(span_at(places.text, low, high), statement)
        if re.search(rf"\bscalar\s+{name}\s*:", plain):
            yield Suggestion(f"`{name}` is declared already: write `{statement}`", (here,))
        if re.search(r"\{|\b(?:advance|filter|where|vertices|edges)\b", value):
            yield Suggestion(f"write `frontier {statement}`", (Edit(here.span, f"frontier {statement}"),))
        for kind in kinds:
            code = f"scalar {name} : {kind};"
            if problem is not None:
                edits = (Edit(span_at(places.text, problem.end(), problem.end()), f" {code}"), here)
            else:
                head = re.search(r"\bprogram\s+\w+\s*;", plain)
                if head is None:
                    return
                edits = (Edit(span_at(places.text, head.end(), head.end()), f" problem {{ {code} }}"), here)
            yield Suggestion(f"declare `{code}` in `problem`, and write `{statement}`", edits)
        return


def _moved_to_problem(data: re.Match[str], problem: Span, statement: Span) -> Iterator[Suggestion]:
    """`local vertex x : int32 = 0;` in the schedule: data of the problem, and a statement that stores the value."""
    declaration, kind, name, value = data.groups()
    if ":" not in declaration:
        for type_ in _kinds(value.strip()) if value is not None else _TYPES_TO_TRY:
            with_type = f"{declaration.rstrip()} : {type_}"
            typed = re.compile(_DATA.pattern).fullmatch(f"{with_type}{'' if value is None else f' = {value}'};")
            if typed is not None:
                yield from _moved_to_problem(typed, problem, statement)
        return
    declared = Edit(problem, f" {declaration};")
    if value is None:
        yield Suggestion(f"declare `{declaration};` in `problem`", (declared, Edit(statement, "")))
        return
    filled = [f"fill({name}, {value.strip()});"] if kind != "scalar" else []
    for code in (*filled, f"{name} = {value.strip()};"):
        words = f"declare `{declaration};` in `problem`, and write `{code}`"
        yield Suggestion(words, (declared, Edit(statement, code)))


def typed_local(diagnostic: Diagnostic, places: Places) -> Iterator[Suggestion]:
    """The type of a value for the `var` that it is assigned to, if that has the type of the literal it begins with."""
    found = re.fullmatch(r"`(\w+)` is \w+, and this value is (u?int\d+|float\d+|vertex|edge)", diagnostic.message)
    if found is None or diagnostic.span is None:
        return
    name, kind = found[1], found[2]
    before = places.plain[: places.range(diagnostic.span)[0]]
    declared = list(re.finditer(rf"\bvar\s+{name}()\s*=\s*(-?[\w.]+)\s*;", before))
    if declared and declared[-1][2][-1:].isdigit():
        at = declared[-1].end(1)
        words = f"declare it by `var {name} : {kind} = {declared[-1][2]};`"
        yield Suggestion(words, (Edit(span_at(places.text, at, at), f" : {kind}"),))


def _kinds(value: str) -> list[str]:
    if re.fullmatch(r"true|false", value):
        return ["bool"]
    return ["int64", "float64", "vertex", "bool"] if "." not in value else ["float64"]


def _fraction(plain: str, places: Places, start: int, end: int) -> Iterator[Suggestion]:
    """A number with a fraction in the place of an integer: no digit of it may be lost."""
    value = plain[start:end].strip().rstrip(";").strip()
    if re.fullmatch(r"-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?", value) and float(value) == int(float(value)) < 2**63:
        code = str(int(float(value)))
        yield Suggestion(f"write `{code}`", (Edit(span_at(places.text, start, end), code),))
    for low, high in statements_around(plain, start, end):
        match = re.match(
            r"(?:local\s+)?(?:vertex|edge|scalar|param)\s+\w+\s*(?:\[[^\]]*\])?\s*:\s*(u?int(?:32|64))\b",
            plain[low:high],
        )
        if match is not None:
            at = span_at(places.text, low + match.start(1), low + match.end(1))
            for kind in ("float32", "float64"):
                yield Suggestion(f"declare it as `{kind}`, which holds fractions", (Edit(at, kind),))
            return
