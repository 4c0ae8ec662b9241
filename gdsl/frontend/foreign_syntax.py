"""Forms of other languages that do not parse here: what each means, and how that is written."""

from __future__ import annotations

import re
from collections.abc import Callable

from gdsl.diagnostics import Diagnostic
from gdsl.frontend.failures import Failure, declared_names
from gdsl.frontend.habits import ATOMICS, DECLARATIONS, LOOPS, PARTS
from gdsl.frontend.vocabulary import CONTEXTUAL_FUNCTIONS, FOREIGN_TYPES, FUNCTIONS, TYPES
from gdsl.source import Source, Span

_TYPE = "|".join(sorted({*FOREIGN_TYPES, *TYPES}))
_CAST = re.compile(rf"\(\s*(?:unsigned\s+)?({_TYPE})\s*\)\s*$")
_INSIDE = r"(?:[^()\[\]]|\([^()]*\)|\[[^\[\]]*\])*"
_POSTFIX = re.compile(rf"(?:[\w.]+|\({_INSIDE}\))(?:\({_INSIDE}\)|\[{_INSIDE}\])*")
_C_LOOP = re.compile(
    r"\(\s*(?:\w+\s+)??(\w+)\s*=\s*([^;]+?)\s*;\s*\w+\s*(<=?)\s*([^;]+?)\s*;\s*(?:\+\+\s*\w+|\w+\s*(?:\+\+|\+=\s*1))\s*\)"
)
_C_LIST = re.compile(rf"\(\s*(?:[\w&]+\s+)*(\w+)\s*(?::|in|of)\s*({_INSIDE})\)")
_ELEMENT = r"\w+(?:\[[^\[\]]*\])?"
_WORDS = {"and": "&&", "or": "||", "not": "!", "is": "==", "mod": "%", "xor": "^", "div": "//", "eq": "==", "ne": "!="}
_COMPARES = re.compile(r"\s*(if|while|cond|accept|value|return|let|var)\b")
_MEMBER = re.compile(r"(\w+)\s*->\s*(\w+)")
# fmt: off
_SIGNS = {
    "**": "write `pow(x, y)` or `x * x`",
    "<-": "write `=`",
    "===": "write `==`",
    "!==": "write `!=`",
    "<>": "write `!=`",
    "=<": "write `<=`",
    ">>>": "`>>` of an unsigned number brings zeros: cast it to `uint32` or `uint64` first",
    "=>": "write `>=` to compare",
    "/*": "a comment begins with `#` and ends with the line",
    "*/": "a comment begins with `#` and ends with the line",
    "::": "the functions of the language have no prefix: write `min(…)`, `max(…)`, `abs(…)`, `inf`",
}
# fmt: on


def foreign_form(failure: Failure, source: Source) -> Diagnostic | None:
    """The message where something of another language stands; None where nothing is known."""
    return next((found for form in _FORMS if (found := form(failure, source)) is not None), None)


def _foreign(what: str, span: Span, fix: str) -> Diagnostic:
    return Diagnostic("E0112", what, span, fix=fix)


def _behind(failure: Failure, source: Source) -> str:
    """The rest of the line, from the token on."""
    return source.line(failure.span.line)[failure.span.column - 1 :] if failure.kind != "$END" else ""


def _adjacent(failure: Failure) -> bool:
    before, here = failure.before_span, failure.span
    return (before.end_line, before.end_column) == (here.line, here.column)


def _from(start: Span, end: Span) -> Span:
    return Span(start.line, start.column, end.end_line, end.end_column)


def _wide(failure: Failure, text: str) -> Span:
    """The place of `text`, which begins with the token."""
    here = failure.span
    return Span(here.line, here.column, here.line, here.column + len(text))


# ---------------------------------------------------------------- expressions


def _cast(failure: Failure, source: Source) -> Diagnostic | None:
    cast = _CAST.search(failure.line_before)
    operand = _POSTFIX.match(_behind(failure, source)) if cast else None
    if cast is None or operand is None or "\n" in cast.group():
        return None
    here, kind = failure.span, FOREIGN_TYPES.get(cast[1], cast[1])
    value = operand.group()
    inner = value[1:-1].strip() if re.fullmatch(rf"\({_INSIDE}\)", value) else value
    span = Span(here.line, max(here.column - len(cast.group()), 1), here.line, here.column + len(value))
    return _foreign("a cast stands in front of its value in other languages", span, f"write `{kind}({inner})`")


def _step(failure: Failure, source: Source) -> Diagnostic | None:
    """`x++`, `++x` and `x--`; `--x` parses."""
    front = re.match(rf"\+\+\s*({_ELEMENT})", _behind(failure, source))
    said = failure.line_before + (failure.text if failure.text == "+" else "")
    behind = re.search(rf"({_ELEMENT})\s*(\+\+|--)\s*$", said)
    if front is None and behind is None:
        return None
    target, sign = (front[1], "++") if front else (behind[1], behind[2]) if behind else ("", "")
    span = _wide(failure, sign) if front else failure.before_span
    if front is None and failure.text == "+" and _adjacent(failure):
        span = _from(failure.before_span, failure.span)
    alone = not said.replace(target, "", 1).strip(" +-\n\t\r")
    if alone:
        fix = f"write `{target} {sign[0]}= 1;`"
    elif target.isdigit() or target == "iteration":
        fix = f"write `{target} {sign[0]} 1`"
    elif front is None:
        fix = f"write `fetch({target} {sign[0]}= 1)`, which is the value before"
    else:
        fix = f"an update is a statement of its own: `{target} {sign[0]}= 1;`"
    return _foreign(f"`{sign}` is not an operator here", span, fix)


def _sign(failure: Failure, source: Source) -> Diagnostic | None:
    rest = _behind(failure, source)
    both = failure.before + failure.text if _adjacent(failure) else failure.text
    if rest.startswith(":=") or both == ":=":
        span = _wide(failure, ":=") if rest.startswith(":=") else _from(failure.before_span, failure.span)
        fix = "write `let x = …` for a new name, `x = …` for one that exists"
        return _foreign("`:=` is not an operator here", span, fix)
    if both == "->":
        member = _MEMBER.search(source.line(failure.span.line))
        fix = f"write `{member[2]}[{member[1]}]`" if member else "an element is written `a[v]`"
        return _foreign("`->` is not an operator here", _from(failure.before_span, failure.span), fix)
    if (rest.startswith("=>") or both == "=>") and not _COMPARES.match(failure.line_before):
        span = _wide(failure, "=>") if rest.startswith("=>") else _from(failure.before_span, failure.span)
        message = "`=>` stands between the parameters of a functor and what it does, where an operator takes a functor"
        return _foreign(message, span, "write `f = where(v => …);`; at least as large is `>=`")
    for sign, fix in _SIGNS.items():
        if rest.startswith(sign):
            return _foreign(f"`{sign}` is not an operator here", _wide(failure, sign), fix)
        if both == sign:
            return _foreign(f"`{sign}` is not an operator here", _from(failure.before_span, failure.span), fix)
    if both in ("=+", "=*", "=|"):
        span = _from(failure.before_span, failure.span)
        return _foreign(f"`{both}` is not an operator here", span, f"write `{both[::-1]}`")
    return None


def _logic(failure: Failure, source: Source) -> Diagnostic | None:
    """`and`, `or`, `not`, and what is tested by a word."""
    for word in (failure.text, failure.before):
        if word not in _WORDS or "NAME" in failure.expected | {failure.kind} - {"NAME"}:
            continue
        span = failure.span if word == failure.text else failure.before_span
        rest = source.line(span.line)[span.column - 1 + len(word) :]
        return _foreign(f"`{word}` is not an operator here", span, _logical(word, _WORDS[word], rest, failure))
    if failure.text == "in" and "PLUS" in failure.expected:
        fix = "mark its members in an array, `vertex member : bool;`, and read `member[v]`"
        return _foreign("nothing asks whether a set has an element", failure.span, fix)
    return None


def _logical(word: str, sign: str, rest: str, failure: Failure) -> str:
    if word == "is" and re.match(r"\s*not\b", rest):
        return "write `!=`"
    if word == "not" and re.match(r"\s*in\b", rest):
        return "mark the members in an array, `vertex member : bool;`, and read `!member[v]`"
    if word != "not":
        return f"write `{sign}`"
    negated = re.match(r"\s*(" + _INSIDE + r"?)\s*(?:\band\b|\bor\b|&&|\|\||[;{})?,]|$)", rest)
    value = negated[1].strip() if negated else ""
    if not value:
        return "write `!`"
    simple = _POSTFIX.fullmatch(value)
    return f"write `!{value}`" if simple else f"write `!({value})`"


def _conditional(failure: Failure, source: Source) -> Diagnostic | None:
    """`a if c else b`."""
    if failure.text != "if" or "PLUS" not in failure.expected:
        return None
    begin = failure.line_before.rsplit("\n", 1)[-1].rsplit("=", 1)[-1].strip()
    begin = re.split(r"[(,](?=[^()]*$)", begin)[-1].strip()
    found = re.match(r"if\s+(.+?)\s+else\s+((?:[^;{}(),]|\([^()]*\))+)", _behind(failure, source))
    if found is None or not begin:
        return None
    fix = f"write `{found[1]} ? {begin} : {found[2].strip()}`"
    return _foreign("a choice is written with `?` and `:`", failure.span, fix)


def _call_without_parentheses(failure: Failure, source: Source) -> Diagnostic | None:
    named = failure.before in FUNCTIONS | CONTEXTUAL_FUNCTIONS | TYPES.keys()
    operand = _POSTFIX.match(_behind(failure, source))
    if not named or operand is None or failure.kind not in ("NAME", "INTEGER", "FLOAT"):
        return None
    if failure.before in TYPES and ("LPAR" not in failure.expected or failure.line_before.strip() == failure.before):
        return None
    span = _from(failure.before_span, failure.span)
    return _foreign("an argument stands in parentheses", span, f"write `{failure.before}({operand.group()})`")


def _address(failure: Failure, source: Source) -> Diagnostic | None:
    """`atomicAdd(&x, y)`."""
    if failure.text != "&" or failure.before not in ("(", ",", "="):
        return None
    line = source.line(failure.span.line)
    atomic = re.search(rf"(\w+)\s*\(\s*&\s*({_ELEMENT})\s*,\s*({_INSIDE})\)", line)
    fix = "an element is written by its name, `a[v]`"
    swapped = re.search(rf"\batomicCAS\s*\(\s*&\s*({_ELEMENT})\s*,\s*({_INSIDE})\)\s*==\s*([-\w]+)", line)
    if swapped is not None and swapped[2].partition(",")[0].strip() == swapped[3]:
        fix = f"write `cas({swapped[1]}, {swapped[2].strip()})`, which says whether it stored"
    name = re.match(r"&\s*(\w+)\s*[,)]", _behind(failure, source))
    if name is not None:
        fix = f"a functor is given by its name, `{name[1]}`"
    before = line[: atomic.start()].rstrip() if atomic is not None else ""
    if atomic is not None and atomic[1] in ATOMICS and before.endswith(("=", "(", ",")):
        fix = "what was there before an update is `fetch(x += y)`"
    elif atomic is not None and atomic[1] in ATOMICS:
        fix = f"write `{atomic[2]} {ATOMICS[atomic[1]]} {atomic[3].strip()};`"
    return _foreign("there are no addresses", failure.span, fix)


def _nameless(failure: Failure, source: Source) -> Diagnostic | None:
    if failure.before != "lambda":
        return None
    fix = "declare a function or a functor, `vertex functor f(v) { cond …; }`, and write its name"
    return _foreign("there are no functions without a name", failure.before_span, fix)


def _list(failure: Failure, source: Source) -> Diagnostic | None:
    found = re.match(r"\[([^\[\]]*)\]", _behind(failure, source))
    if failure.kind != "LSQB" or "LBRACE" not in failure.expected or found is None:
        return None
    fix = f"a set is written in braces: `{{ {found[1].strip()} }}`" if found[1].strip() else "an empty set is `{ }`"
    return _foreign("there are no lists", _wide(failure, found.group()), fix)


# ---------------------------------------------------------------- statements


def _loop(failure: Failure, source: Source) -> Diagnostic | None:
    if failure.before != "for" or failure.text != "(":
        return None
    rest = _behind(failure, source)
    counted, walked = _C_LOOP.match(rest), _C_LIST.match(rest)
    if counted is not None:
        name, first, sign, last = counted.groups()
        last = f"{last} + 1" if sign == "<=" else last
        fix = f"write `for {name} in {first}..{last} {{ … }}`; in the schedule `repeat ({last}) {{ … }}`"
    elif walked is not None:
        fix = f"write `for {walked[1]} in {walked[2].strip()} {{ … }}`"
    else:
        fix = "write `for i in 0..n { … }`"
    return _foreign("`for` has no parentheses", failure.span, fix)


def _word(failure: Failure, source: Source) -> Diagnostic | None:
    """A word that begins a statement, a declaration or a part of a program in other languages."""
    begun = re.match(r"\s*([A-Za-z_]\w*)", failure.line_before)
    at_start = not failure.line_before.strip()
    word = failure.text if at_start else begun[1] if begun else ""
    if failure.kind == "$END":
        return None
    if at_start and "SCHEDULE" in failure.expected and "LET" not in failure.expected:
        return _part(failure, source)
    if at_start and "PARAM" in failure.expected:
        return _declaration(failure, source)
    begins_a_block = failure.text == "{" or failure.kind in ("NAME", "LET") or failure.before == word
    if word in declared_names(source.text):
        return None
    if word in LOOPS and begun is not None and begins_a_block and "\n" not in failure.line_before.strip():
        column = failure.span.column - len(failure.line_before.rsplit("\n", 1)[-1].lstrip())
        line = failure.span.line
        span = Span(line, column, line, column + len(word))
        return _foreign(f"`{word}` is no word of the language", span, LOOPS[word])
    return None


def _part(failure: Failure, source: Source) -> Diagnostic | None:
    rest = _behind(failure, source)
    if failure.text == "functor":
        fix = "write `vertex functor f(v) { … }` or `edge functor f(src, dst, e) { … }`"
        return Diagnostic("E0101", "a functor is one of vertices or of edges", failure.span, fix=fix)
    if failure.text not in PARTS:
        return None
    named = re.match(r"(?:\w+\s+)+?(\w+)\s*\(", rest)
    fix = PARTS[failure.text].replace("{name}", named[1] if named else "f")
    return _foreign(f"`{failure.text}` begins no part of a program", failure.span, fix)


def _declaration(failure: Failure, source: Source) -> Diagnostic | None:
    """A line of `problem` that begins with another word."""
    rest = _behind(failure, source)
    typed = re.match(rf"({_TYPE})\s+(\w+)", rest)
    if typed is not None and typed[1] not in DECLARATIONS:
        kind = FOREIGN_TYPES.get(typed[1], typed[1])
        fix = _one_or_each(typed[2], kind)
        return _foreign("the type stands behind the name", failure.span, fix)
    bare = re.match(r"(\w+)\s*:\s*(\w+)", rest)
    if bare is not None:
        fix = _one_or_each(bare[1], bare[2])
        return Diagnostic("E0101", f"nothing says what `{bare[1]}` is", failure.span, fix=fix)
    if failure.text in DECLARATIONS:
        meant = DECLARATIONS[failure.text]
        fix = f"write `{meant}`" if meant else "leave it out: all data are results, but for `local` ones"
        return _foreign(f"`{failure.text}` declares nothing here", failure.span, fix)
    return None


def _one_or_each(name: str, type_: str) -> str:
    return f"write `scalar {name} : {type_};` for one value, `vertex {name} : {type_};` for one at each vertex"


def _typed_local(failure: Failure, source: Source) -> Diagnostic | None:
    """`let int x = 3;`, `function f(int x)`, `vertex int32 x;`."""
    if failure.kind != "NAME" or failure.before not in FOREIGN_TYPES.keys() | TYPES.keys():
        return None
    if not {"COLON"} & failure.expected or "PLUS" in failure.expected:
        return None
    kind = FOREIGN_TYPES.get(failure.before, failure.before)
    word = re.match(r"\s*(?:(?:input|local)\s+)*(let|var|vertex|edge|scalar|param)\b", failure.line_before)
    lead = f"{word[1]} " if word and "(" not in failure.line_before else ""
    fix = f"write `{lead}{failure.text} : {kind}`"
    return _foreign("the type stands behind the name", _from(failure.before_span, failure.span), fix)


_FORMS: tuple[Callable[[Failure, Source], Diagnostic | None], ...] = (
    _cast,
    _step,
    _sign,
    _conditional,
    _logic,
    _loop,
    _typed_local,
    _call_without_parentheses,
    _list,
    _address,
    _nameless,
    _word,
)
