"""Common mistakes, and fixes of them, that take more than a pattern and a template."""

from __future__ import annotations

import re
from collections.abc import Callable

from gdsl.diagnostics import Diagnostic, Edit, Label, Suggestion
from gdsl.frontend.failures import Failure, declared_names, shown_character
from gdsl.frontend.mistake_patterns import ELEMENT, INSIDE, LONGEST_LINE, POSTFIX, SPELLINGS, TYPE, Groups, type_named
from gdsl.frontend.vocabulary import ATOMICS, KEYWORDS, TYPES, closest
from gdsl.source import Span

STATEMENT_WORDS = ("let", "var", "if", "for", "while", "repeat", "frontier", "accept", "return", "break")
PART_WORDS = ("cond", "apply", "value", "problem", "schedule", "tune", "requires", "functor", "vertex", "edge")
DATA_WORDS = ("param", "input", "local", "vertex", "edge", "scalar", "program", "function")
LETTERS = "names consist of the letters a to z and A to Z, digits and `_`"
# fmt: off
WORD_OPERATORS = {
    "and": "&&", "or": "||", "not": "!", "is": "==", "mod": "%", "xor": "^", "div": "//", "eq": "==", "ne": "!=",
}
# fmt: on
_IF_ELSE = "write `if (…) { … } else if (…) { … }`"
_FOR_EACH = (
    "in a functor write `for u in neighbors(v) { … }`; the schedule has an operator for each element: "
    "`compute(f, functor);`"
)
BLOCK_WORDS = {
    **dict.fromkeys(("foreach", "forall", "parallel", "for_each", "pfor"), _FOR_EACH),
    **dict.fromkeys(("switch", "match", "case"), _IF_ELSE),
    **dict.fromkeys(("elif", "elseif", "elsif"), "write `else if (…) { … }`"),
    "do": "test first: `while (…) { … }`",
    "loop": "write `while (…) { … }`; the schedule also has `repeat (n) { … }`",
    "until": "write `while (!(…)) { … }`",
    "unless": "write `if (!(…)) { … }`",
    "try": "leave it out: nothing in a program fails halfway",
}
"""Words that begin a block in other languages, and what to write instead."""
_ZEROS = {"bool": "false", "vertex": "none", "edge": "none"}
_AFTER_A_VALUE = re.compile(r"\s*(?:[=\[.@|&^*/%<>+]|-=|(?:min|max|any)=)")
"""What follows the name of a value, and no keyword."""
_DECLARED = re.compile(r"\b(vertex|edge|scalar)\s+(\w+)\s*:\s*(\w+)\s*(?:[<\[]\s*([\w\s]*)[>\]])?")
Special = Callable[[Failure], Diagnostic | None]
"""Gives the message for a failure; None if it knows none."""


def is_no_near_word(failure: Failure, groups: Groups) -> bool:
    """Whether the token is not a misspelled keyword."""
    return failure.near_word() is None


def is_repeated(failure: Failure, groups: Groups) -> bool:
    """Whether the token is the one before it once more, in one line; two brackets that close may well both be meant."""
    same_line = failure.span.line == failure.before_span.end_line
    return same_line and failure.text == failure.before and failure.text not in (")", "]", "}", ";")


def is_type(failure: Failure, groups: Groups) -> bool:
    """Whether the words at the token are a type, also one of another language, or a type parameter."""
    word = groups["type"].split()[-1]
    return word in SPELLINGS or word.endswith(")") or re.search(rf"\btype\s+{word}\b", failure.source.text) is not None


def characters(failure: Failure, first: int, length: int) -> Span:
    """`length` characters from column `first` on, in the line of the token."""
    return Span(failure.span.line, first, failure.span.line, first + length)


def letter_of_another_script(failure: Failure) -> Diagnostic | None:
    """A word that is followed by a letter of another script."""
    end, line = failure.span.end_column, failure.span.end_line
    letter = failure.source.line(line)[end - 1 : end]
    if not failure.text.isidentifier() or letter.isascii() or not letter.isalpha():
        return None
    return Diagnostic(
        "E0102", f"unknown character {shown_character(letter)}", Span(line, end, line, end + 1), fix=LETTERS
    )


def number_with_suffix(failure: Failure) -> Diagnostic | None:
    """`1.5f`, `1_000`, `0b1`, `1.`."""
    before, rest = failure.before, failure.text
    if not before[:1].isdigit() or not failure.adjacent or not (failure.kind == "NAME" or rest == "."):
        return None
    fix = "write the exponent, such as `1e3`" if rest in ("e", "E") else f"write `{before}`"
    if rest == ".":
        fix = "write `1.0`, with digits on both sides"
    elif re.fullmatch(r"[0-9_]+", rest):
        fix = f"write `{before}{rest.replace('_', '')}`"
    elif before == "0" and rest[0] in "xX":
        fix = "write hexadecimal digits after `0x`, such as `0xff`"
    elif before == "0" and rest[0] in "bBoO":
        fix = "write the number in decimal, or in hexadecimal such as `0xff`"
    return Diagnostic("E0109", f"`{before + rest}` is not a number", failure.with_before, fix=fix)


def values_of_an_element(failure: Failure) -> Diagnostic | None:
    """`vertex a : float32[3];` and `vertex a : vector<float>;`."""
    of_type = failure.before in SPELLINGS and failure.text == "["
    of_list = failure.before in ("vector", "array", "list", "Vector", "Array", "List") and failure.text == "<"
    if not (of_type or of_list) or "SEMICOLON" not in failure.expected or len(failure.line) > LONGEST_LINE:
        return None
    declared = [match for match in _DECLARED.finditer(failure.line) if match.start() < failure.span.column]
    if not declared:
        return None
    domain, name, word, inside = declared[-1].groups()
    kind, count = (word, inside) if of_type else (inside, "…")
    where = domain if domain != "scalar" else "vertex"
    fix = f"write `{where} {name}[{(count or '…').strip()}] : {type_named((kind or 'int32').strip())};`"
    return Diagnostic("E0112", "the number of values per element is written after the name", failure.span, fix=fix)


def block_after_colon(failure: Failure) -> Diagnostic | None:
    """`for i in range(n):`, as in Python."""
    head = re.match(r".*\b(for|if|while|repeat)\b\s*(.*)$", failure.line[: failure.span.column - 1])
    if failure.text != ":" or head is None or "LBRACE" not in failure.expected or len(failure.line) > LONGEST_LINE:
        return None
    word, rest = head[1], head[2].strip()
    numbers = re.fullmatch(r"(\w+)\s+in\s+range\s*\((.*)\)", rest)
    if word == "for" and numbers is not None:
        first, _, last = numbers[2].rpartition(",")
        rest = f"{numbers[1]} in {first.strip() or '0'}..{last.strip()}"
    elif word != "for" and not (rest.startswith("(") and rest.endswith(")")):
        rest = f"({rest})"
    return Diagnostic("E0112", "a block is written in braces", failure.span, fix=f"write `{word} {rest} {{ … }}`")


def range_form(failure: Failure) -> Diagnostic | None:
    """`for i in 0..=n`, `for i in 0 to n`."""
    loop = re.match(r".*\bfor\s+(\w+)\s+in\s+(.+)$", failure.line) if len(failure.line) <= LONGEST_LINE else None
    if loop is None or failure.kind == "$END":
        return None
    name, over = loop[1], loop[2]
    for sign, more in (("..=", " + 1"), ("...", ""), (" to ", " + 1"), (" until ", "")):
        first, separator, last = over.partition(sign)
        end = re.match(r"\s*([\w.]+(?:\([^()]*\))?)", last)
        word = sign.strip()
        here = failure.text in (word, word[-1:]) or (failure.before + failure.text).endswith(word)
        if separator and end is not None and here and re.fullmatch(r"\s*[\w.]+(?:\([^()]*\))?\s*", first):
            bound = str(int(end[1]) + 1) if more and end[1].isdigit() else f"{end[1]}{more}"
            fix = f"write `for {name} in {first.strip()}..{bound} {{ … }}`"
            message = "a range is written with `..`, and its end does not belong to it"
            return Diagnostic("E0112", message, failure.span, fix=fix)
    return None


def cast_form(failure: Failure) -> Diagnostic | None:
    """The message for a cast in C's form, `(float) x`; None for anything else."""
    cast = re.search(rf"\(\s*(?:unsigned\s+)?({TYPE})\s*\)\s*$", failure.line_before)
    operand = re.match(POSTFIX, failure.rest) if cast else None
    if cast is None or operand is None or "\n" in cast.group():
        return None
    value, column = operand.group(), max(failure.span.column - len(cast.group()), 1)
    inner = value[1:-1].strip() if re.fullmatch(rf"\({INSIDE}\)", value) else value
    message = "a cast is written as a call"
    place = characters(failure, column, failure.span.column + len(value) - column)
    return Diagnostic("E0112", message, place, fix=f"write `{type_named(cast[1])}({inner})`")


def step_form(failure: Failure) -> Diagnostic | None:
    """`x++`, `++x` and `x--`; `--x` parses."""
    front = re.match(rf"\+\+\s*({ELEMENT})", failure.rest)
    said = failure.line_before + (failure.text if failure.text == "+" else "")
    behind = re.search(rf"({ELEMENT})\s*(\+\+|--)\s*$", said)
    if front is None and behind is None:
        return None
    target, sign = (front[1], "++") if front else (behind[1], behind[2]) if behind else ("", "")
    span = characters(failure, failure.span.column, 2) if front else failure.before_span
    if front is None and failure.text == "+" and failure.adjacent:
        span = failure.with_before
    if not said.replace(target, "", 1).strip(" +-\n\t\r"):
        fix = f"write `{target} {sign[0]}= 1;`"
    elif target.isdigit() or target == "iteration":
        fix = f"write `{target} {sign[0]} 1`"
    elif front is None:
        fix = f"write `fetch({target} {sign[0]}= 1)`, which is the value before"
    else:
        fix = f"an update is a separate statement: `{target} {sign[0]}= 1;`"
    return Diagnostic("E0112", f"`{sign}` is not an operator here", span, fix=fix)


def conditional_form(failure: Failure) -> Diagnostic | None:
    """`a if c else b`."""
    if failure.text != "if" or "PLUS" not in failure.expected:
        return None
    begin = failure.line_before.rsplit("\n", 1)[-1].rsplit("=", 1)[-1].strip()
    begin = re.split(r"[(,](?=[^()]*$)", begin)[-1].strip()
    match = re.match(r"if\s+(.+?)\s+else\s+((?:[^;{}(),]|\([^()]*\))+)", failure.rest)
    if match is None or not begin:
        return None
    fix = f"write `{match[1]} ? {begin} : {match[2].strip()}`"
    return Diagnostic("E0112", "a choice is written with `?` and `:`", failure.span, fix=fix)


def word_operator(failure: Failure) -> Diagnostic | None:
    """`and`, `or`, `not` and the like."""
    for word in (failure.text, failure.before):
        if word not in WORD_OPERATORS or "NAME" in failure.expected | {failure.kind} - {"NAME"}:
            continue
        span = failure.span if word == failure.text else failure.before_span
        rest = failure.source.line(span.line)[span.column - 1 + len(word) :]
        fix = f"write `{WORD_OPERATORS[word]}`"
        if word == "is" and re.match(r"\s*not\b", rest):
            fix = "write `!=`"
        elif word == "not" and re.match(r"\s*in\b", rest):
            fix = "mark the members in an array, `vertex member : bool;`, and read `!member[v]`"
        elif word == "not":
            negated = re.match(r"\s*(" + INSIDE + r"?)\s*(?:\band\b|\bor\b|&&|\|\||[;{})?,]|$)", rest)
            value = negated[1].strip() if negated else ""
            fix = f"write `!{value}`" if not value or re.fullmatch(POSTFIX, value) else f"write `!({value})`"
        return Diagnostic("E0112", f"`{word}` is not an operator here", span, fix=fix)
    return None


def block_word(failure: Failure) -> Diagnostic | None:
    """A word that begins a block in other languages."""
    start = failure.line_before.lstrip()
    begun = re.match(r"[A-Za-z_]\w*", start)
    begins = failure.text == "{" or failure.kind in ("NAME", "LET") or (begun and failure.before == begun[0])
    if failure.kind == "$END" or begun is None or not begins or "\n" in start.rstrip():
        return None
    word = begun[0]
    if word not in BLOCK_WORDS or word in declared_names(failure.source.text):
        return None
    column = failure.span.column - len(failure.line_before.rsplit("\n", 1)[-1].lstrip())
    message = f"`{word}` is not a word of the language"
    return Diagnostic("E0112", message, characters(failure, column, len(word)), fix=BLOCK_WORDS[word])


def missing_first_line(failure: Failure) -> Diagnostic | None:
    """A program that does not begin with `program name;`."""
    if "PROGRAM" not in failure.expected or failure.kind == "$END" or failure.text not in PART_WORDS + DATA_WORDS:
        return None
    start = Edit(characters(failure, failure.span.column, 0), "program my_program;\n")
    suggestion = Suggestion("write it first, such as `program my_program;`", (start,))
    message = "a program begins with `program name;`"
    return Diagnostic("E0101", message, failure.span, fix="write it first", suggestions=(suggestion,))


def misspelled_keyword(failure: Failure) -> Diagnostic | None:
    """The token, or the first word of the statement, where a keyword is near."""
    near = failure.near_word()
    if near is not None:
        return Diagnostic("E0103", f"unknown word `{failure.text}`", failure.span, fix=f"did you mean `{near}`?")
    start = failure.line_before.lstrip()
    first = re.match(r"[A-Za-z_]\w*", start)
    if first is None or "\n" in start or _AFTER_A_VALUE.match(start, first.end()):
        return None
    word = first[0]
    if word in KEYWORDS or word in declared_names(failure.source.text):
        return None
    # The end of the text has no place: that of the last character is used.
    column = failure.span.column + (failure.kind == "$END") - len(start)
    near = closest(word, STATEMENT_WORDS + PART_WORDS + DATA_WORDS)
    looks_wrong = failure.kind == "NAME" or failure.text in ("{", ":", "functor") or failure.before == word
    if near is None or near == word or not looks_wrong:
        return None
    place = characters(failure, column, len(word))
    return Diagnostic("E0103", f"unknown word `{word}`", place, fix=f"did you mean `{near}`?")


def missing_semicolon(failure: Failure) -> Diagnostic | None:
    """A statement that ends without its `;`."""
    here, before = failure.span, failure.before_span
    same_line = here.line == before.end_line
    if "SEMICOLON" not in failure.expected or failure.kind == "$END":
        return None
    if same_line and failure.text not in ("}", "cond", "apply", "value", *STATEMENT_WORDS):
        return None
    place = Span(before.end_line, before.end_column, before.end_line, before.end_column + 1)
    labels = () if same_line else (Label(here, "before this"),)
    return Diagnostic("E0111", "a `;` is missing", place, labels, fix="write `;` here")


def pair_type_fix(failure: Failure, groups: Groups) -> str:
    """`pair<int, float>`."""
    return f"write `({type_named(groups['first'])}, {type_named(groups['second'])})`"


def import_fix(failure: Failure, groups: Groups) -> str:
    """An `import` in other words."""
    line = failure.line
    match = re.search(r"from\s+[\"']?([\w./]+?)(?:\.gdsl)?[\"']?\s*;?\s*$", line)
    match = match or re.search(r"\"([^\"]+?)(?:\.gdsl)?\"", line)
    braces = re.match(r"\s*import\s*\{?\s*([\w\s,]+?)\s*(?:\}|\bas\b|\bfrom\b)", line)
    name = braces[1] if braces is not None and match is not None else "name"
    return f'write `import {name} from "{match[1] if match is not None else "file"}.gdsl";`'


def import_first_fix(failure: Failure, groups: Groups) -> str:
    """An `import` before `program name;`."""
    return f"write it first; imports follow it: {import_fix(failure, groups).removeprefix('write ')}"


def typed_local_fix(failure: Failure, groups: Groups) -> str:
    """`let int x = 3;`, `function f(int x)`, `vertex int32 x;`."""
    word = re.match(r"\s*(?:(?:input|local)\s+)*(let|var|vertex|edge|scalar|param)\b", failure.line_before)
    lead = f"{word[1]} " if word and "(" not in failure.line_before else ""
    return f"write `{lead}{failure.text} : {type_named(failure.before)}`"


def let_fix(failure: Failure, groups: Groups) -> str:
    """`int x = 3;` among statements."""
    type_ = "" if failure.before in ("auto", "const") else f" : {type_named(failure.before)}"
    fix = f"write `let {failure.text}{type_} = …;`, or `var` for a name that changes; for the schedule declare "
    return f"{fix}a `scalar` in `problem`"


def labeled_set_fix(failure: Failure, groups: Groups) -> str:
    """`@first` in the place of a set."""
    stored = re.search(
        rf"\b(\w+)\s*=(?!=)[^;={{}}]*(?:{{[^{{}};]*}}[^;={{}}]*)?\)\s*@\s*{groups['label']}\b", failure.source.text
    )
    return f"write `{stored[1]}`" if stored is not None else "give the set a name: `frontier f = …;`"


def address_fix(failure: Failure, groups: Groups) -> str:
    """`atomicAdd(&x, y)`."""
    line = failure.line
    atomic = re.search(rf"(\w+)\s*\(\s*&\s*({ELEMENT})\s*,\s*({INSIDE})\)", line)
    if atomic is not None and atomic[1] in ATOMICS:
        if line[: atomic.start()].rstrip().endswith(("=", "(", ",")):
            return "what was there before an update is `fetch(x += y)`"
        return f"write `{atomic[2]} {ATOMICS[atomic[1]]} {atomic[3].strip()};`"
    name = re.match(r"&\s*(\w+)\s*[,)]", failure.rest)
    if name is not None:
        return f"a functor is given by its name, `{name[1]}`"
    swapped = re.search(rf"\batomicCAS\s*\(\s*&\s*({ELEMENT})\s*,\s*({INSIDE})\)\s*==\s*([-\w]+)", line)
    if swapped is not None and swapped[2].partition(",")[0].strip() == swapped[3]:
        return f"write `cas({swapped[1]}, {swapped[2].strip()})`, which returns whether it stored"
    return "an element is written by its name, `a[v]`"


def may_be_called(failure: Failure, groups: Groups) -> bool:
    """Whether the name of a function or type before the token may be a call without parentheses."""
    is_type = failure.before in TYPES
    return not is_type or ("LPAR" in failure.expected and failure.line_before.strip() != failure.before)


def may_be_stored_in(failure: Failure, target: str) -> bool:
    """Whether a set is declared here, or the text declares the name that `target` begins with."""
    name = re.match(r"\w+", target)
    return name is not None and (name[0] in ("frontier", "edge") or name[0] in declared_names(failure.source.text))


def functor_domain(failure: Failure) -> str | None:
    """`vertex` or `edge`, if the token is the name of such a functor of the program."""
    declared = re.search(rf"\b(vertex|edge)\s+functor\s+{re.escape(failure.text)}\b", failure.source.text)
    return declared[1] if declared is not None else None


def functor_call_fix(failure: Failure, groups: Groups) -> str:
    """`call settle;`."""
    if functor_domain(failure) == "vertex":
        return f"write `compute(vertices, {failure.text})`"
    return "give it to `advance`, with the set of vertices whose edges it visits"


def value_fix(failure: Failure, groups: Groups) -> str:
    """`let x;`, `var x : int32;`."""
    type_ = groups["type"]
    zero = _ZEROS.get(type_, "0.0" if type_.startswith("float") else "0")
    return f"write for example `{groups['word']} {groups['name']}{f' : {type_}' if type_ else ''} = {zero};`"


def functor_head_fix(failure: Failure, groups: Groups) -> str:
    """The head of a functor with other parameters than it has."""
    kind = groups["kind"]
    return f"write `{kind} functor {groups['name']}({'v' if kind == 'vertex' else 'src, dst, e'}) {{ … }}`"


def second_side_fix(failure: Failure, groups: Groups) -> str:
    """The fix for a choice without its second side, `a ? b;`."""
    return f"write `{failure.line_before.rsplit(chr(10), 1)[-1].strip().removeprefix('= ')} : …`"
