"""Functors without a name, pairs, several values an element, ranges and imports, as other languages write them."""

from __future__ import annotations

import re
from collections.abc import Callable

from gdsl.diagnostics import Diagnostic
from gdsl.frontend.failures import Failure
from gdsl.frontend.vocabulary import FOREIGN_TYPES, TYPES
from gdsl.source import Source, Span

_INSIDE = r"(?:[^()\[\]{},;]|\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\])+"
_PARAMETERS = r"\w+|\([\w\s,]*\)"
_LAMBDA = re.compile(rf"lambda\s+([\w\s,]+?)\s*:\s*({_INSIDE})")
_ARROW = re.compile(rf"[(,]\s*({_PARAMETERS})\s*->\s*({_INSIDE})")
_CLOSURE = re.compile(r"(?:\[[^\[\]]*\]|function)\s*\(([^()]*)\)\s*(?:->\s*\w+\s*)?\{\s*(?:return\s+([^;{}]*);)?")
_TYPED = re.compile(rf"\(\s*(\w+\s*:[^()]*)\)\s*=>\s*({_INSIDE})?")
_CALLS_OPERATOR = re.compile(r"\b(?:filter|where|compute|advance|neighbor_reduce|neighbor_vote|intersect|top)\s*\(")
_PAIR_WORDS = frozenset(("pair", "tuple", "Pair", "Tuple"))
_LIST_WORDS = frozenset(("vector", "array", "list", "Vector", "Array", "List"))
_MADE_PAIR = re.compile(rf"\b(?:std::)?(?:make_pair|make_tuple|pair|tuple)\s*\(\s*({_INSIDE})\s*,\s*({_INSIDE})\s*\)")
_PART = re.compile(rf"\b(?:std::)?get\s*<\s*([01])\s*>\s*\(\s*({_INSIDE})\s*\)")
_PAIR_TYPE = re.compile(r"\b(?:std::)?(?:pair|tuple|Pair|Tuple)\s*[<(\[]\s*(\w+)\s*,\s*(\w+)\s*[>)\]]")
_DECLARED = re.compile(r"\b(vertex|edge|scalar)\s+(\w+)\s*:\s*(\w+)\s*(?:[<\[]\s*([\w\s]*)[>\]])?")
_LOOP = re.compile(r".*\bfor\s+(\w+)\s+in\s+(.+)$")
_LONGEST_LINE = 1_000
"""Longer ones nobody wrote by hand, and each of their mistakes would look through all of them."""
_TRIPLE = "a pair has two parts"
_FILE = '"{}.gdsl"'


def mistyped_form(failure: Failure, source: Source) -> Diagnostic | None:
    """The message where one of these forms stands; None where nothing is known."""
    if failure.kind == "$END":
        return None
    line = source.line(failure.span.line)
    if len(line) > _LONGEST_LINE:
        return None
    for form in _FORMS:
        found = form(failure, line)
        if found is not None:
            message, fix = found
            code = "E0101" if message == _TRIPLE else "E0112"
            return Diagnostic(code, message, _place(failure, line), fix=fix)
    return None


def _place(failure: Failure, line: str) -> Span:
    """Where the form is seen: its sign or word, whole."""
    here, before = failure.span, failure.before_span
    if failure.before == "lambda":
        return before
    if failure.before + failure.text in ("->", "::") and before.end_column == here.column:
        return Span(before.line, before.column, here.end_line, here.end_column)
    return Span(here.line, here.column, here.line, here.column + 2) if _rest(failure, line)[:2] == "::" else here


Found = tuple[str, str] | None


def _rest(failure: Failure, line: str) -> str:
    return line[failure.span.column - 1 :]


def _type(word: str) -> str:
    return FOREIGN_TYPES.get(word, word)


# ---------------------------------------------------------------- functors without a name


def _nameless(failure: Failure, line: str) -> Found:
    message = "a functor without a name is written with `=>`"
    for found in (_LAMBDA.search(line) if failure.before == "lambda" else None, _arrow(failure, line)):
        if found is not None:
            return message, f"write `{_parameters(found[1])} => {found[2].strip()}`"
    closure = _CLOSURE.match(_rest(failure, line))
    if closure is not None and failure.text in ("[", "function") and _CALLS_OPERATOR.search(failure.line_before):
        words = [part.split()[-1].strip("&*") for part in closure[1].split(",") if part.split()]
        body = closure[2] or "{ … }"
        return message, f"write `{_parameters(', '.join(words))} => {body.strip()}`"
    typed = _TYPED.search(line)
    if failure.text == ":" and typed is not None:
        names = ", ".join(part.partition(":")[0].strip() for part in typed[1].split(","))
        return (
            "the parameters of a functor have no types",
            f"write `{_parameters(names)} => {(typed[2] or '…').strip()}`",
        )
    return None


def _arrow(failure: Failure, line: str) -> re.Match[str] | None:
    if "->" not in (failure.text, failure.before + failure.text) or not _CALLS_OPERATOR.search(failure.line_before):
        return None
    return _ARROW.search(line)


def _parameters(names: str) -> str:
    words = re.findall(r"\w+", names)
    return words[0] if len(words) == 1 else f"({', '.join(words)})"


def _statement_of_a_nameless(failure: Failure, line: str) -> Found:
    """`v => a[v] = 2`."""
    if failure.kind not in ("EQUAL", "UPDATE", "ANY_ASSIGN", "SHORT_ASSIGN"):
        return None
    begun = re.search(rf"({_PARAMETERS})\s*=>\s*([^={{}}]+)$", failure.line_before)
    value = re.match(rf"\s*({_INSIDE})", _rest(failure, line)[len(failure.text) :])
    if begun is None or value is None:
        return None
    statement = f"{begun[2].strip()} {failure.text} {value[1].strip()};"
    return "statements of a functor without a name stand in braces", f"write `{begun[1]} => {{ {statement} }}`"


# ---------------------------------------------------------------- pairs and several values


def _pair(failure: Failure, line: str) -> Found:
    if "::" in (failure.before + failure.text, _rest(failure, line)[:2]):
        made, part, typed = _MADE_PAIR.search(line), _PART.search(line), _PAIR_TYPE.search(line)
        if part is not None:
            return "a part of a pair is written behind it", f"write `{part[2].strip()}.{part[1]}`"
        if made is not None and "make" in made[0]:
            return "a pair is written in parentheses", f"write `({made[1].strip()}, {made[2].strip()})`"
        if typed is not None:
            return _pair_type(typed)
        if re.search(r"\bstd::s?rand\b", line):
            return "a random number is a function of its keys", "write `random(v, iteration)`, a float32 below 1"
    typed = _PAIR_TYPE.search(line)
    if failure.before in _PAIR_WORDS and typed is not None and failure.text in ("<", "(", "["):
        return _pair_type(typed)
    if failure.text == "(" and failure.before in ("let", "var"):
        taken = re.match(r"\(\s*(\w+)\s*,\s*(\w+)\s*\)\s*=\s*([^;]+);", _rest(failure, line))
        if taken is not None:
            word, value = failure.before, taken[3].strip()
            fix = f"write `{word} {taken[1]} = {value}.0; {word} {taken[2]} = {value}.1;`"
            return "the parts of a pair are taken one by one", fix
    if failure.text == "," and failure.expected == {"RPAR"}:
        begun = re.search(rf"\(\s*({_INSIDE})\s*,\s*({_INSIDE})$", failure.line_before)
        kept = f"write `({begun[1].strip()}, {begun[2].strip()})`, and keep" if begun else "keep"
        return _TRIPLE, f"{kept} the rest in data of its own"
    return None


def _pair_type(typed: re.Match[str]) -> Found:
    return "the type of a pair is written in parentheses", f"write `({_type(typed[1])}, {_type(typed[2])})`"


def _several(failure: Failure, line: str) -> Found:
    declared = [found for found in _DECLARED.finditer(line) if found.start() < failure.span.column]
    of_type = failure.before in TYPES.keys() | FOREIGN_TYPES.keys() and failure.text == "["
    of_list = failure.before in _LIST_WORDS and failure.text == "<"
    if declared and (of_type or of_list) and "SEMICOLON" in failure.expected:
        domain, name, word, inside = declared[-1].groups()
        kind, count = (word, inside) if of_type else (inside, "…")
        where = domain if domain != "scalar" else "vertex"
        fix = f"write `{where} {name}[{(count or '…').strip()}] : {_type((kind or 'int32').strip())};`"
        return "how many values an element has stands behind the name", fix
    second = re.match(r",\s*([^\[\],]+)\]", _rest(failure, line))
    first = re.search(r"(\w+)\[([^\[\],]+)$", failure.line_before)
    if failure.text == "," and "RSQB" in failure.expected and first is not None and second is not None:
        if (first[2].strip(), second[1].strip()) == ("src", "dst"):
            return "an edge has one index", f"write `{first[1]}[e]`"
        return "each index has its own brackets", f"write `{first[1]}[{first[2].strip()}][{second[1].strip()}]`"
    return None


# ---------------------------------------------------------------- loops and blocks


def _range(failure: Failure, line: str) -> Found:
    loop = _LOOP.match(line)
    if loop is None:
        return None
    name, over = loop[1], loop[2]
    for sign, more in (("..=", " + 1"), ("...", ""), (" to ", " + 1"), (" until ", "")):
        first, found, last = over.partition(sign)
        end = re.match(r"\s*([\w.]+(?:\([^()]*\))?)", last)
        word = sign.strip()
        here = failure.text in (word, word[-1:]) or (failure.before + failure.text).endswith(word)
        if found and end is not None and here and re.fullmatch(r"\s*[\w.]+(?:\([^()]*\))?\s*", first):
            bound = str(int(end[1]) + 1) if more and end[1].isdigit() else f"{end[1]}{more}"
            message = "a range is written with `..`, and its end does not belong to it"
            return message, f"write `for {name} in {first.strip()}..{bound} {{ … }}`"
    return None


def _colon(failure: Failure, line: str) -> Found:
    """A block behind `:`, as in Python."""
    head = re.match(r".*\b(for|if|while|repeat)\b\s*(.*)$", line[: failure.span.column - 1])
    if failure.text != ":" or head is None or "LBRACE" not in failure.expected:
        return None
    word, rest = head[1], head[2].strip()
    numbers = re.fullmatch(r"(\w+)\s+in\s+range\s*\((.*)\)", rest)
    if word == "for" and numbers is not None:
        first, _, last = numbers[2].rpartition(",")
        rest = f"{numbers[1]} in {first.strip() or '0'}..{last.strip()}"
    elif word != "for" and not (rest.startswith("(") and rest.endswith(")")):
        rest = f"({rest})"
    return "a block stands in braces", f"write `{word} {rest} {{ … }}`"


# ---------------------------------------------------------------- sets, and what keeps them


def _set(failure: Failure, line: str) -> Found:
    """`frontier<vertex> f`, `new vertexset{…}(…)`, `{v for v in vertices if …}`, `x min = y`."""
    typed = re.match(r"<[^<>]*>\s*(\w+)", _rest(failure, line))
    if failure.before == "frontier" and typed is not None:
        return "a frontier has no type beside its name", f"write `frontier {typed[1]}`, or `edge frontier {typed[1]}`"
    if failure.before == "new" and "vertexset" in failure.text:
        return "a set is written in braces", "write `{ … }` with its vertices, or `{ }`"
    chosen = re.search(rf"\{{\s*(\w+)\s+for\s+\1\s+in\s+(\w+)\s+if\s+({_INSIDE})\}}", line)
    if failure.text == "for" and chosen is not None:
        return "a set is made by an operator", f"write `filter({chosen[2]}, {chosen[1]} => {chosen[3].strip()})`"
    if failure.text in ("min", "max", "any") and re.match(r"(\w+)\s+=[^=]", _rest(failure, line)):
        target = re.split(r"[;{}]", failure.line_before)[-1].strip()
        value = re.match(rf"\w+\s+=\s*({_INSIDE})", _rest(failure, line))
        if target and value is not None:
            sign = f"{failure.text}="
            return f"`{sign}` is one word", f"write `{target} {sign} {value[1].strip()};`"
    return None


def _keeper(failure: Failure, line: str) -> Found:
    """`history h();`, `buckets b = new …`, `priority_queue q(…)`."""
    declared = re.match(r".*?\b(history|buckets)\s*(?:<[^<>]*>)?\s*(\w+)", line[: failure.span.column + 60])
    begun = failure.before in ("history", "buckets") or failure.line_before.strip().startswith(("history", "buckets"))
    if begun and declared is not None and failure.text in ("<", "(", "="):
        shape = "history {};" if declared[1] == "history" else "buckets {}(A, width) = {{ source }};"
        what = "a history begins empty" if declared[1] == "history" else "buckets are made by an array and a width"
        return what, f"write `{shape.format(declared[2])}`"
    queue = re.search(r"\b(?:priority_queue|PriorityQueue|heap|Heap)\b", line)
    named = re.search(r"(?:priority_queue|PriorityQueue)\s*(?:<[^<>]*>)?\s+(\w+)|(\w+)\s*=\s*new\b", line)
    if queue is not None and named is not None and failure.before in (queue[0], "new", ">"):
        fix = f"write `buckets {named[1] or named[2]}(A, width) = {{ source }};`"
        return "what is worked off by levels are buckets", fix
    return None


# ---------------------------------------------------------------- imports and procedures


def _functor(failure: Failure, line: str) -> Found:
    head = re.match(r"\s*(vertex|edge|common|vote)\s+functor\s+(\w+)\s*\(([^()]*)\)?", line)
    if head is not None and failure.text == ":" and failure.expected <= {"RPAR", "COMMA"}:
        names = ", ".join(part.partition(":")[0].strip() for part in head[3].split(","))
        return "the parameters of a functor have no types", f"write `{head[1]} functor {head[2]}({names})`"
    if head is not None and head[1] == "vote" and failure.text == "{" and "->" not in line[: failure.span.column]:
        fix = f"write `vote functor {head[2]}({head[3]}) -> int64 {{ value …; }}`, or what it gives"
        return "a vote functor gives a number", fix
    if failure.text == "return" and {"APPLY", "VALUE"} & failure.expected:
        value = re.match(r"return\s+([^;]+);", _rest(failure, line))
        return "a functor has a `value`", f"write `value {value[1].strip() if value else '…'};`"
    kinds = {"triangle": "common", "node": "vertex", "link": "edge", "arc": "edge", "ballot": "vote"}
    if re.match(r"\w+\s+functor\b", _rest(failure, line)) and failure.text in kinds:
        return f"there is no `{failure.text} functor`", f"write `{kinds[failure.text]} functor`"
    return None


def _import(failure: Failure, line: str) -> Found:
    python = re.match(r"\s*from\s+([\w.]+)\s+import\s+([\w\s,]+)", line)
    if python is not None and failure.text == "from":
        return "the names stand before the file", f"write `import {python[2].strip()} from {_FILE.format(python[1])};`"
    if not re.match(r"\s*import\b", line):
        return None
    found = re.search(r"from\s+[\"']?([\w./]+?)(?:\.gdsl)?[\"']?\s*;?\s*$", line) or re.search(
        r"\"([^\"]+?)(?:\.gdsl)?\"", line
    )
    file = _FILE.format(found[1]) if found is not None else '"file.gdsl"'
    braces = re.match(r"\s*import\s*\{?\s*([\w\s,]+?)\s*(?:\}|\bas\b|\bfrom\b)", line)
    named = braces[1] if braces is not None and found is not None else "name"
    fix = f"write `import {named} from {file};`"
    if "PROGRAM" in failure.expected and failure.text == "import":
        return (
            "a program begins with `program name;`",
            f"write it first; imports stand behind it: {fix.removeprefix('write ')}",
        )
    if failure.expected == {"STRING"}:
        return "the name of the file stands in quotes", fix
    if failure.text in ("*", "{", "as") or (failure.kind == "STRING" and failure.before == "import"):
        return "what is imported is named, one by one and as it is called there", fix
    return None


def _procedure(failure: Failure, line: str) -> Found:
    named = re.match(r"\s*(procedure|function|operator)\s+(\w+)", line)
    if named is None:
        return None
    if named[1] == "procedure" and failure.text == "->":
        head = failure.line_before.strip().removesuffix("-").strip()
        return "a procedure gives no value", f"write `{head} {{ … }}`; what it finds goes into a scalar or an array"
    if failure.expected == {"COLON"} and failure.text in (",", ")"):
        return f"the parameter `{failure.before}` has no type", f"write `{failure.before} : int32`, or what it is"
    return None


_FORMS: tuple[Callable[[Failure, str], Found], ...] = (
    _nameless,
    _statement_of_a_nameless,
    _pair,
    _several,
    _functor,
    _set,
    _keeper,
    _colon,
    _range,
    _import,
    _procedure,
)
