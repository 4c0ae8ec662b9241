"""What other languages write, rewritten: patterns over the text of one statement, and what is meant.

A rewriting may well be wrong for a text that it fits: it is only shown where the program with it has no mistake there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gdsl.frontend.vocabulary import FOREIGN_TYPES, TYPES

NAME = r"[A-Za-z_]\w*"
INSIDE = r"(?:[^()\[\]{};]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|\[(?:[^\[\]]|\[[^\[\]]*\])*\])"
ELEMENT = rf"{NAME}(?:\[{INSIDE}*?\])*"
_UPDATE = r"(?:min=|max=|\+=|-=|\*=|&=|\|=|\^=)"
_TYPE = "|".join(sorted({*FOREIGN_TYPES, *TYPES}, key=len, reverse=True))
_LIMITS = (
    r"std::numeric_limits<\w+>::(?:max|infinity)\(\)|float\(\s*['\"]inf['\"]\s*\)|(?:math|np|numpy|torch)\.inf"
    r"|Float\.POSITIVE_INFINITY|(?:Integer|Long)\.MAX_VALUE|[iuf](?:32|64)::(?:MAX|INFINITY)"
    r"|\b(?:U?INT(?:32|64)?_MAX|LONG_MAX|FLT_MAX|DBL_MAX|MAX_INT|INFINITY|Infinity|INF|Inf|infinity|maxint)\b"
)


@dataclass(frozen=True, slots=True)
class Rule:
    """`pattern` is replaced by `new` in the text of a statement; `what` is said where the text could not be read."""

    pattern: re.Pattern[str]
    new: str | Callable[[re.Match[str]], str]
    what: str = ""


def _rule(pattern: str, new: str | Callable[[re.Match[str]], str], what: str = "") -> Rule:
    return Rule(re.compile(pattern), new, what)


def _typed(found: re.Match[str]) -> str:
    word = "let" if found["const"] else "var"
    kind = FOREIGN_TYPES.get(found["type"], found["type"])
    return f"{word} {found['name']} : {kind} = {found['value']};"


def _cast(found: re.Match[str]) -> str:
    return f"{FOREIGN_TYPES.get(found['type'], found['type'])}({found['value']})"


def _included(found: re.Match[str]) -> str:
    """A range whose end belongs to it elsewhere."""
    last = str(int(found[3]) + 1) if found[3].isdigit() else f"{found[3]} + 1"
    return f"for {found[1]} in {found[2]}..{last}"


def _power(found: re.Match[str]) -> str:
    return f"{found[1]} * {found[1]}" if found[2] == "2" else f"pow({found[1]}, {found[2]})"


_CHANGED = "an update has no value: `changed(…)` says whether it changed something"
_METHOD = "sets have no methods"
_DECLARED = "the type of a name is written after it"
_GLOBAL = r"(?:std::|thrust::|cuda::|[Mm]ath\.|np\.|numpy\.|torch\.)"
RULES: tuple[Rule, ...] = (
    # updates
    _rule(rf"\b(if|while)\s*\(\s*({ELEMENT}\s*{_UPDATE}\s*{INSIDE}+?)\s*\)(?=\s*$)", r"\1 (changed(\2))", _CHANGED),
    _rule(rf"^(?:return|accept)\s+({ELEMENT}\s*{_UPDATE}\s*{INSIDE}+?)\s*;", r"accept changed(\1);", _CHANGED),
    _rule(
        rf"^(any|min|max)\s+({ELEMENT})\s*=\s*({INSIDE}+?)\s*;",
        r"\2 \1= \3;",
        "the kind of an update is part of its sign",
    ),
    _rule(
        rf"^({ELEMENT})\s+(any|min|max)\s+=?\s*({INSIDE}+?)\s*;",
        r"\1 \2= \3;",
        "the kind of an update is part of its sign",
    ),
    # atomics
    _rule(
        rf"\b(?:if\s*\(\s*)(?:atomicMin|writeMin|write_min|atomic_min|priorityMin)\s*\(\s*&?\s*({ELEMENT})\s*,\s*({INSIDE}+?)\s*\)(?:\s*>\s*{INSIDE}+?)?\s*\)(?=\s*$)",
        r"if (changed(\1 min= \2))",
        _CHANGED,
    ),
    _rule(
        rf"\b(?:if\s*\(\s*)(?:atomicMax|writeMax|write_max|atomic_max|priorityMax)\s*\(\s*&?\s*({ELEMENT})\s*,\s*({INSIDE}+?)\s*\)(?:\s*<\s*{INSIDE}+?)?\s*\)(?=\s*$)",
        r"if (changed(\1 max= \2))",
        _CHANGED,
    ),
    _rule(
        rf"^return\s+(?:atomicMin|writeMin|write_min|atomic_min)\s*\(\s*&?\s*({ELEMENT})\s*,\s*({INSIDE}+?)\s*\)\s*;",
        r"accept changed(\1 min= \2);",
        _CHANGED,
    ),
    *(
        _rule(
            rf"^(?:{names})\s*\(\s*&?\s*({ELEMENT})\s*,\s*({INSIDE}+?)\s*\)\s*;",
            rf"\1 {sign} \2;",
            "an update is a statement",
        )
        for names, sign in (
            ("atomicMin|writeMin|write_min|atomic_min|priorityMin", "min="),
            ("atomicMax|writeMax|write_max|atomic_max|priorityMax", "max="),
            ("atomicAdd|writeAdd|write_add|atomic_add|fetch_add|__sync_fetch_and_add", "+="),
            ("atomicSub|fetch_sub", "-="),
            ("atomicOr|writeOr|fetch_or", "|="),
            ("atomicAnd", "&="),
            ("atomicExch|atomicExchange", "any="),
        )
    ),
    _rule(
        rf"\b(?:atomicAdd|fetch_add|__sync_fetch_and_add)\s*\(\s*&?\s*({ELEMENT})\s*,\s*({INSIDE}+?)\s*\)",
        r"fetch(\1 += \2)",
    ),
    _rule(
        rf"\batomicCAS\s*\(\s*&?\s*({ELEMENT})\s*,\s*({INSIDE}+?)\s*,\s*({INSIDE}+?)\s*\)\s*==\s*\2", r"cas(\1, \2, \3)"
    ),
    _rule(
        rf"\b(?:CAS|compare_and_swap|compare_exchange_strong|__sync_bool_compare_and_swap)\s*\(\s*&?\s*({ELEMENT})\s*,",
        r"cas(\1,",
    ),
    _rule(rf"({ELEMENT})\.fetch_add\(\s*({INSIDE}+?)\s*\)", r"fetch(\1 += \2)"),
    _rule(rf"^(?:\+\+|--)\s*({ELEMENT})\s*;", lambda m: f"{m[1]} {m[0][0]}= 1;", "a step of one is an update"),
    _rule(rf"^({ELEMENT})\s*(\+\+|--)\s*;", lambda m: f"{m[1]} {m[2][0]}= 1;", "a step of one is an update"),
    _rule(rf"(?<=[=(,?:])(\s*)({ELEMENT})\s*\+\+", r"\1fetch(\2 += 1)", "a step of one is an update"),
    # sets and their methods
    _rule(rf"(?:!|\bnot\s+)\s*({NAME})\.(?:is_?)?[eE]mpty\(\s*\)", r"\1", _METHOD),
    _rule(rf"({NAME})\.(?:is_?)?(?:[eE]mpty)\(\s*\)", r"size(\1) == 0", _METHOD),
    _rule(
        rf"\b(if|while)(\s*\(\s*)({NAME})\.(?:size|length|count|getVertexSetSize|numNonzeros|getSize)\(\s*\)(?=\s*\)\s*$)",
        r"\1\2\3",
        _METHOD,
    ),
    _rule(rf"\b(if|while)(\s*\(\s*)(?:len|size|length)\(\s*({NAME})\s*\)(?=\s*\)\s*$)", r"\1\2\3", _METHOD),
    _rule(
        rf"({NAME})\.(?:size|length|count|getVertexSetSize|numNonzeros|getSize|__len__)(?:\(\s*\))?(?!\s*\()",
        r"size(\1)",
        _METHOD,
    ),
    _rule(rf"\blen\(\s*({NAME})\s*\)", r"size(\1)"),
    _rule(rf"(?<!\w)\|\s*({NAME})\s*\|(?!\w)", r"size(\1)", "the number of elements of a set is `size(f)`"),
    _rule(
        rf"\b(if|while)\s*\(\s*({NAME})\s*!=\s*(?:\{{\s*\}}|∅|empty)\s*\)",
        r"\1 (\2)",
        "a set is true while it is not empty",
    ),
    _rule(
        rf"^(?:({NAME})\s*=\s*)?edges\.from\(\s*({NAME})\s*\)(?:\.to\(\s*\w+\s*\))?\.apply\w*\(\s*({NAME})\s*(?:,[^()]*)?\)\s*;",
        lambda m: f"{m[1] or m[2]} = advance({m[2]}, {m[3]});",
        _METHOD,
    ),
    _rule(
        rf"^(?:var|let|vertexset)?\s*({NAME})\s*(?::\s*[\w{{}}]+\s*)?=\s*edges\.from\(\s*({NAME})\s*\)(?:\.to\(\s*\w+\s*\))?\.apply\w*\(\s*({NAME})\s*(?:,[^()]*)?\)\s*;",
        r"frontier \1 = advance(\2, \3);",
        _METHOD,
    ),
    _rule(rf"\bedges\.apply\w*\(\s*({NAME})\s*\)", r"compute(edges, \1)", _METHOD),
    _rule(
        rf"\b(?:edgeMap|edge_map|EdgeMap)\(\s*(?:[A-Z]\w*\s*,\s*)?({NAME})\s*,\s*({NAME})\s*(?:\([^()]*\))?\s*(?:,[^()]*)?\)",
        r"advance(\1, \2)",
    ),
    _rule(
        rf"\b(?:vertexMap|vertex_map|VertexMap)\(\s*({NAME})\s*,\s*({NAME})\s*(?:\([^()]*\))?\s*\)", r"compute(\1, \2)"
    ),
    _rule(
        rf"\b(?:vertexFilter|VertexFilter|vertex_filter)\(\s*({NAME})\s*,\s*({NAME})\s*(?:\([^()]*\))?\s*\)",
        r"filter(\1, \2)",
    ),
    _rule(rf"({NAME})\.(?:apply|map|for_?[eE]ach|compute)\(\s*({NAME})\s*\)", r"compute(\1, \2)", _METHOD),
    _rule(rf"({NAME})\.(?:filter|where)\(\s*({NAME})\s*\)", r"filter(\1, \2)", _METHOD),
    _rule(rf"({NAME})\.(?:advance|expand|traverse)\(\s*({NAME})\s*\)", r"advance(\1, \2)", _METHOD),
    _rule(
        rf"^({NAME})\.(?:add|insert|append|addVertex|push_back|enqueue)\(\s*({NAME})\s*\)\s*;",
        r"\1 = \1 | { \2 };",
        _METHOD,
    ),
    _rule(rf"^({NAME})\.(?:clear|reset)\(\s*\)\s*;", r"\1 = { };", _METHOD),
    _rule(
        r"\bnew\s+[Vv]ertex_?[sS](?:et|ubset)(?:\s*[<{]\s*\w+\s*[>}])?\s*\(\s*(?:0\s*)?\)",
        "{ }",
        "a set is written in braces",
    ),
    _rule(
        rf"\bnew\s+[Vv]ertex_?[sS](?:et|ubset)(?:\s*[<{{]\s*\w+\s*[>}}])?\s*\(\s*({NAME})\s*\)",
        r"{ \1 }",
        "a set is written in braces",
    ),
    _rule(
        rf"\b(?:set|frozenset|frontier|[Vv]ertex_?[Ss](?:et|ubset))\(\s*[\[{{]?\s*({NAME})\s*[\]}}]?\s*\)",
        r"{ \1 }",
        "a set is written in braces",
    ),
    _rule(r"(?<==)(\s*)\[\s*([\w\s,]*?)\s*\](?=\s*;)", r"\1{ \2 }", "a set is written in braces"),
    _rule(rf"^frontier\s+({NAME})\s*\(\s*({NAME})\s*\)\s*;", r"frontier \1 = { \2 };", "a set is written in braces"),
    _rule(rf"^frontier\s*<[^<>]*>\s*({NAME})", r"frontier \1", "a frontier has no type beside its name"),
    _rule(
        rf"^(?:[Vv]ertex_?[Ss](?:et|ubset)|auto|var|let)\s+({NAME})\s*=\s*\{{",
        r"frontier \1 = {",
        "a set of vertices is a frontier",
    ),
    _rule(
        rf"^buckets\s+({NAME})\s+(?:by|on|over|of)\s+({NAME})\s*;",
        r"buckets \1(\2, 1);",
        "buckets have an array and a width",
    ),
    _rule(rf"^buckets\s+({NAME})\s*(?:=|:)\s*({NAME})\s*;", r"buckets \1(\2, 1);", "buckets have an array and a width"),
    _rule(
        rf"^buckets\s+({NAME})\s*(?:=\s*new\s+\w+)?\s*\(\s*({NAME})\s*(?:,\s*([\w.]+))?\s*\)",
        lambda m: f"buckets {m[1]}({m[2]}, {m[3] or '1'})",
        "buckets have an array and a width",
    ),
    _rule(rf"^({NAME})\[\s*({NAME})\s*\]\s*=\s*({INSIDE}+?)\s*;$", r"compute(\2, v => { \1[v] = \3; });"),
    _rule(rf"\{{\s*({NAME})\s*\}}", r"\1"),
    _rule(rf"(?<=[(,])(\s*)&\s*({NAME})(?=\s*[,)])", r"\1\2"),
    # numbers, names, casts
    _rule(_LIMITS, "inf"),
    _rule(r"\b(\d+\.\d+(?:[eE][-+]?\d+)?)[fFdDlL]\b", r"\1", "a number has no suffix"),
    _rule(r"\b(\d+)(?:[uUlL]{1,3}|_?[iu](?:32|64))\b", r"\1", "a number has no suffix"),
    _rule(r"\b(\d+)\.(?![\d.\w])", r"\1.0", "a number has digits on both sides of its point"),
    _rule(r"(?<![\w.)\]])\.(\d+)", r"0.\1", "a number has digits on both sides of its point"),
    _rule(r"\b(\d{1,3}(?:[_']\d{3})+)\b", lambda m: re.sub(r"[_']", "", m[1]), "a number has no separators"),
    _rule(r"\bTrue\b", "true"),
    _rule(r"\bFalse\b", "false"),
    _rule(r"\b(?:None|null|nullptr|NULL|nil|NIL|undefined|Null)\b", "none"),
    _rule(r"([=!]=)\s*-1\b", r"\1 none"),
    _rule(
        rf"{_GLOBAL}(?:f)?(min|max|abs|sqrt|exp|log|pow|floor|ceil|sin|cos|tan)\b",
        r"\1",
        "the functions of the language have no prefix",
    ),
    _rule(r"\b(?:f(min|max|abs)f?|(sqrt|exp|log|pow|floor|ceil)f)(?=\()", lambda m: m[1] or m[2]),
    _rule(rf"\b({NAME})\.(?:out_?)?[dD]egree(?:\(\s*\))?", r"out_degree(\1)"),
    _rule(
        rf"\b(?:[gG]\.|graph\.)?(?:get)?(?:out_?)?(?:[dD]egree|deg|outdeg)\s*[\[(]\s*({NAME})\s*[\])]",
        r"out_degree(\1)",
    ),
    _rule(
        r"\|V\||\b(?:[gG]|graph)\.(?:n|num_?[vV]ertices|num_?[nN]odes|number_of_nodes|numVertices)(?:\(\s*\))?|\bnum_vertices\(\s*\)|\bvertices\.size\(\)|\blen\(vertices\)|\bsize\(vertices\)",
        "num_vertices",
    ),
    _rule(r"\|E\||\b(?:[gG]|graph)\.(?:m|num_?[eE]dges|number_of_edges)(?:\(\s*\))?|\bnum_edges\(\s*\)", "num_edges"),
    _rule(rf"\b(?:static_cast|reinterpret_cast)\s*<\s*(?P<type>{_TYPE})\s*>\s*\(\s*(?P<value>{INSIDE}+?)\s*\)", _cast),
    _rule(rf"\(\s*(?P<type>{_TYPE})\s*\)\s*(?P<value>{ELEMENT}|\d[\d.]*)", _cast),
    _rule(rf"(?P<value>{ELEMENT}|\d[\d.]*)\s+as\s+(?P<type>{_TYPE})\b", _cast, "a cast is a call: `float32(x)`"),
    _rule(rf"\b(?P<type>{'|'.join(FOREIGN_TYPES)})\s*\(\s*(?P<value>{INSIDE}+?)\s*\)", _cast),
    _rule(rf"({ELEMENT}|\d[\d.]*|\([^()]*\))\s*\*\*\s*(\w[\w.]*)", _power, "a power is `pow(x, y)`"),
    _rule(rf"\b({NAME})\s*->\s*({NAME})\b(?!\s*\()", r"\2[\1]", "an element is written `a[v]`"),
    _rule(rf"\b({NAME})\.({NAME})\b(?!\s*\()", r"\2[\1]", "an element is written `a[v]`"),
    _rule(rf"\b({NAME})\(\s*({NAME})\s*\)(?=\s*[-+*&|^]?=(?!=))", r"\1[\2]", "an element is written `a[v]`"),
    # logic and choices
    _rule(
        rf"(?<=[=(,])(\s*)({INSIDE}+?)\s+if\s+({INSIDE}+?)\s+else\s+({INSIDE}+?)(?=\s*[;)])",
        r"\1\3 ? \2 : \4",
        "a choice is written `c ? a : b`",
    ),
    _rule(
        rf"(?<=[=(,])(\s*)if\s*\(?({INSIDE}+?)\)?\s+then\s+({INSIDE}+?)\s+else\s+({INSIDE}+?)(?=\s*[;)])",
        r"\1\2 ? \3 : \4",
        "a choice is written `c ? a : b`",
    ),
    _rule(r"\bis\s+not\b", "!="),
    _rule(r"\bis\b", "=="),
    _rule(r"\band\b", "&&"),
    _rule(r"\bor\b", "||"),
    _rule(r"\bnot\s*(?=\()", "!"),
    _rule(rf"\bnot\s+({ELEMENT})(?!\s*(?:[<>]|[=!]=|\())", r"!\1"),
    _rule(rf"\bnot\s+({ELEMENT}\s*(?:[<>]=?|[=!]=)\s*[-\w.\[\]]+)", r"!(\1)"),
    _rule(r"!==", "!="),
    _rule(r"===", "=="),
    _rule(r"<>", "!="),
    _rule(r"=<", "<="),
    _rule(rf"~\s*({ELEMENT}|\()", r"!\1"),
    _rule(rf"({ELEMENT}|\d[\d.]*)\s*(<=?)\s*({ELEMENT})\s*(<=?)\s*({ELEMENT}|\d[\d.]*)", r"\1 \2 \3 && \3 \4 \5"),
    # declarations
    _rule(
        rf"^(?P<const>const\s+|final\s+|constexpr\s+)?(?P<type>{_TYPE})\s+(?P<name>{NAME})\s*=\s*(?P<value>[^;]+?)\s*;",
        _typed,
        _DECLARED,
    ),
    _rule(rf"^(?:const\s+)?auto\s*&?\s*({NAME})\s*=", r"let \1 =", "a local is declared with `let` or `var`"),
    _rule(rf"^(?:const|final|constexpr|val)\s+({NAME})\s*=", r"let \1 =", "a local is declared with `let` or `var`"),
    _rule(rf"^let\s+mut\s+({NAME})", r"var \1", "a local that changes is a `var`"),
    _rule(rf"^({NAME})\s*:=", r"let \1 =", "a local is declared with `let` or `var`"),
    _rule(r":=", "="),
    _rule(rf":\s*(?P<type>{'|'.join(FOREIGN_TYPES)})\b", lambda m: f": {FOREIGN_TYPES[m['type']]}"),
    _rule(rf"->\s*(?P<type>{'|'.join(FOREIGN_TYPES)})\b", lambda m: f"-> {FOREIGN_TYPES[m['type']]}"),
    _rule(
        rf"^(?:const\s+)?({NAME})\s*:\s*vector\s*\{{\s*(Vertex|Edge)\s*\}}\s*\(\s*({_TYPE})\s*\)",
        lambda m: f"{m[2].lower()} {m[1]} : {FOREIGN_TYPES.get(m[3], m[3])}",
        _DECLARED,
    ),
    _rule(
        rf"^(vertex|edge)\s*<\s*({_TYPE})\s*>\s*({NAME})",
        lambda m: f"{m[1]} {m[3]} : {FOREIGN_TYPES.get(m[2], m[2])}",
        _DECLARED,
    ),
    _rule(
        rf"^(vertex|edge|scalar|param)\s+({_TYPE})\s+({NAME})",
        lambda m: f"{m[1]} {m[3]} : {FOREIGN_TYPES.get(m[2], m[2])}",
        _DECLARED,
    ),
    # heads
    _rule(rf"^(if|while)\s+(?!\()({INSIDE}+?)\s*:?\s*$", r"\1 (\2)", "a condition is written in parentheses"),
    _rule(r"^(if|while|repeat)\s*(\(.*\))\s*:\s*$", r"\1 \2", "a block is written in braces"),
    _rule(r"^(?:elif|elseif|elsif)\s*(\(.*\))\s*:?\s*$", r"else if \1", "another condition is `else if (…)`"),
    _rule(rf"^(?:elif|elseif|elsif)\s+({INSIDE}+?)\s*:?\s*$", r"else if (\1)", "another condition is `else if (…)`"),
    _rule(r"^else\s*:\s*$", "else", "a block is written in braces"),
    _rule(
        r"^repeat\s+(?!\()([\w.]+)(?:\s+times)?\s*:?\s*$",
        r"repeat (\1)",
        "the number of passes is written in parentheses",
    ),
    _rule(r"^until\s*(\(.*\))\s*$", r"while (!\1)"),
    _rule(r"^unless\s*(\(.*\))\s*$", r"if (!\1)"),
    _rule(
        rf"^for\s*\(\s*(?:{_TYPE}|auto)?\s*({NAME})\s*=\s*([^;]+?)\s*;\s*\1\s*<\s*([^;]+?)\s*;\s*(?:\+\+\s*\1|\1\s*\+\+|\1\s*\+=\s*1)\s*\)",
        r"for \1 in \2..\3",
        "a loop over numbers is `for i in 0..n`",
    ),
    _rule(
        rf"^for\s*\(\s*(?:{_TYPE}|auto)?\s*({NAME})\s*=\s*([^;]+?)\s*;\s*\1\s*<=\s*([^;]+?)\s*;\s*(?:\+\+\s*\1|\1\s*\+\+|\1\s*\+=\s*1)\s*\)",
        _included,
        "a loop over numbers is `for i in 0..n`",
    ),
    _rule(
        rf"^(?:for|foreach)\s*\(?\s*(?:(?:{_TYPE}|auto|vertex|edge|Vertex)\s*&?\s+)?({NAME})\s*(?::|\bin\b|\bof\b)\s*(?:[gG]\.|graph\.)?(?:neighbors|neighbours|adj|out_neighbors|successors|getNeighbors)\s*[\[(]\s*({NAME})\s*[\])]\s*\)?\s*:?\s*$",
        r"for \1 in neighbors(\2)",
        "a loop over neighbors is `for u in neighbors(v)`",
    ),
    _rule(
        rf"^(?:for|foreach)\s*\(?\s*(?:(?:{_TYPE}|auto|vertex|edge|Vertex)\s*&?\s+)?({NAME})\s*(?::|\bin\b|\bof\b)\s*({NAME})\.(?:neighbors|neighbours|adj|out_neighbors|getNeighbors|getOutNgh)(?:\(\s*\))?\s*\)?\s*:?\s*$",
        r"for \1 in neighbors(\2)",
        "a loop over neighbors is `for u in neighbors(v)`",
    ),
    _rule(
        rf"^for\s+({NAME})\s+in\s+range\(\s*([^(),]+)\s*\)\s*:?",
        r"for \1 in 0..\2",
        "a loop over numbers is `for i in 0..n`",
    ),
    _rule(
        rf"^for\s+({NAME})\s+in\s+range\(\s*([^(),]+)\s*,\s*([^(),]+)\s*\)\s*:?",
        r"for \1 in \2..\3",
        "a loop over numbers is `for i in 0..n`",
    ),
    _rule(rf"^for\s*\(\s*({NAME}\s+in\s+.*)\)\s*$", r"for \1", "`for` has no parentheses"),
    _rule(
        rf"^for\s+({NAME})\s+in\s+([\w.]+)\s*\.\.=\s*([\w.]+)",
        _included,
        "the end of a range does not belong to it",
    ),
    _rule(
        rf"^for\s+({NAME})\s*(?:=|in)\s*([\w.]+)\s*(?:to|:)\s*([\w.]+)(?:\s+do)?\s*:?\s*$",
        _included,
        "a loop over numbers is `for i in 0..n`",
    ),
    _rule(r"^(cond|apply|value)\s*:\s*", r"\1 ", "a part of a functor has no `:`"),
    _rule(rf"^(cond|value|accept)\s*=\s*({INSIDE}+);", r"\1 \2;", "a part of a functor has no `=`"),
    # other words of the same meaning
    _rule(rf"^frontier\s+({NAME})\s*:\s*[\w{{}}<>\s]+?=", r"frontier \1 =", "a frontier has no type beside its name"),
    _rule(rf"\b({NAME})\s+(?:union|or|\+)\s+(\{{)", r"\1 | \2", "sets are combined by `|`, `&` and `-`"),
    _rule(
        rf"\b({NAME})\s+(?:intersect|intersection|and)\s+({NAME})\b",
        r"\1 & \2",
        "sets are combined by `|`, `&` and `-`",
    ),
    _rule(rf"\b({NAME})\s+(?:except|minus|without)\s+({NAME})\b", r"\1 - \2", "sets are combined by `|`, `&` and `-`"),
    _rule(
        rf"\b(?:size|count|len|sizeof)\s*\(?\s*({NAME})\s*\)?(?=\s*[;)])",
        r"size(\1)",
        "the number of elements of a set is `size(f)`",
    ),
    _rule(rf"\b(min|max)\(\s*({INSIDE}+?)\s*,\s*({INSIDE}+?)\s*,\s*({INSIDE}+?)\s*\)", r"\1(\1(\2, \3), \4)"),
    _rule(rf"\b({ELEMENT})\.(min|max)\(\s*({INSIDE}+?)\s*\)", r"\2(\1, \3)", "a function is called by its name"),
    _rule(
        rf"^({ELEMENT})\s*=\s*(?:min|max)\s+({INSIDE}+?)\s*,\s*({INSIDE}+?)\s*;",
        lambda m: f"{m[1]} = {m[0].split('=')[1].split()[0]}({m[2]}, {m[3]});",
    ),
    _rule(
        rf"^({ELEMENT})\s*=\s*(any|min|max)\s+({INSIDE}+?)\s*;",
        r"\1 \2= \3;",
        "the kind of an update is part of its sign",
    ),
    _rule(rf"^({ELEMENT})\s*\|\|?=\s*1\s*;", r"\1 = true;"),
    _rule(rf"^({ELEMENT})\s*(?:\|\||or)=\s*", r"\1 |= ", "an update by `or` is `|=`"),
    _rule(rf"^({ELEMENT})\s*(?:&&|and)=\s*", r"\1 &= ", "an update by `and` is `&=`"),
    _rule(
        rf"^({ELEMENT})\s*=\s*if\s*\(?({INSIDE}+?)\)?\s*\{{\s*({INSIDE}+?)\s*\}}\s*else\s*\{{\s*({INSIDE}+?)\s*\}}\s*;",
        r"\1 = \2 ? \3 : \4;",
        "a choice is written `c ? a : b`",
    ),
    _rule(
        rf"^({ELEMENT})\s*=\s*({INSIDE}+?)\s+if\s+({INSIDE}+?)\s*;", r"if (\3) { \1 = \2; }", "a condition comes first"
    ),
    _rule(rf"^(?:set|let|call|update)\s+({ELEMENT})\s*=\s*", r"\1 = ", "an assignment begins with what is assigned"),
    _rule(rf"^(?:local|my|int|dim|def)\s+\$?({NAME})\s*=\s*", r"var \1 = ", "a local is declared with `let` or `var`"),
    _rule(rf"^({NAME})\s*<-\s*", r"let \1 = ", "a local is declared with `let` or `var`"),
    _rule(rf"^({ELEMENT})\s*<-\s*", r"\1 = ", "an assignment is `=`"),
    _rule(rf"^({NAME})\s*\{{\s*({NAME})\s*\}}\s*=", r"\1[\2] =", "an element is written `a[v]`"),
    _rule(rf"\b({NAME})\.({NAME})\b(?!\s*\()", r"\1[\2]", "an element is written `a[v]`"),
    _rule(
        rf"^({NAME})\s*\[\s*(?::|\*|\.\.|[A-Za-z_])\s*\]\s*=\s*({INSIDE}+?)\s*;",
        r"fill(\1, \2);",
        "all elements are set by `fill`",
    ),
    _rule(rf"^({NAME})\s*=\s*({INSIDE}+?)\s*;", r"compute(vertices, v => { \1[v] = \2; });"),
    _rule(rf"^({NAME})\s*=\s*\1\s*([-+*/])\s*([\d.]+)\s*;", r"compute(vertices, v => { \1[v] = \1[v] \2 \3; });"),
    _rule(rf"^({NAME})\s*=\s*({NAME})\s*;", r"compute(vertices, v => { \1[v] = \2[v]; });"),
    _rule(
        rf"^(?:call|run|do|exec|launch|apply)\s+({NAME})\s*;", r"compute(vertices, \1);", "an operator runs a functor"
    ),
    _rule(rf"^swap\s+({NAME})\s*,\s*({NAME})\s*;", r"swap(\1, \2);"),
    _rule(rf"!\s*empty\(\s*({NAME})\s*\)", r"\1"),
    _rule(rf"\bempty\(\s*({NAME})\s*\)", r"size(\1) == 0"),
    _rule(
        rf"\b(if|while)\s*\(\s*({NAME})\s*==\s*(?:none|null|None|\{{\s*\}})\s*\)",
        r"\1 (size(\2) == 0)",
        "the number of elements of a set is `size(f)`",
    ),
    _rule(
        rf"\b(filter|where)\((\s*{NAME}\s*,)?\s*({NAME})\s*(?::|->)\s*({INSIDE}+)\)",
        r"\1(\2 \3 => \4)",
        "a functor without a name is written with `=>`",
    ),
    _rule(
        rf"\|\s*({NAME}(?:\s*,\s*{NAME})*)\s*\|",
        lambda m: f"{m[1]} =>" if "," not in m[1] else f"({m[1]}) =>",
        "a functor without a name is written with `=>`",
    ),
    _rule(
        rf"\bcompute\(\s*({NAME})\s*,\s*({NAME}\[\s*({NAME})\s*\]\s*[-+*&|]?=\s*{INSIDE}+)\)",
        r"compute(\1, \3 => { \2; })",
        "statements of a functor without a name stand in braces",
    ),
    _rule(
        rf"\b(advance|filter|compute)\(\s*({NAME})\s+({NAME})\s*\)", r"\1(\2, \3)", "arguments are separated by commas"
    ),
    _rule(
        rf"\b(advance|filter|compute)\[\s*({NAME})\s*,\s*({NAME})\s*\]",
        r"\1(\2, \3)",
        "arguments are written in parentheses",
    ),
    *(
        _rule(rf"\b(neighbor_reduce\([^()]*,\s*){sign}\s*\)", rf"\1{word})", "a reduction is a word, such as `sum`")
        for sign, word in (
            (r"\+", "sum"),
            (r"\*", "product"),
            (r"\|\|", "some"),
            ("&&", "every"),
            (r"\|", "or"),
            ("&", "and"),
            (r"\^", "xor"),
        )
    ),
    _rule(r"^for\s+(\w+)\s+times\s*$", r"repeat (\1)", "a block is repeated by `repeat (n)`"),
    _rule(r"^loop\s*\(\s*(\w+)\s*\)", r"repeat (\1)", "a block is repeated by `repeat (n)`"),
    _rule(r"^loop\s*$", "while (true)"),
    _rule(
        rf"^for\s+{NAME}\s+in\s+(?:0\s*\.\.\s*|range\(\s*)([\w.]+)\s*\)?\s*:?\s*$",
        r"repeat (\1)",
        "a block is repeated by `repeat (n)`",
    ),
    _rule(
        rf"^for\s*\(\s*(?:{_TYPE}|auto)?\s*({NAME})\s*=\s*0\s*;\s*\1\s*<\s*([^;]+?)\s*;[^;{{}}]*\)",
        r"repeat (\2)",
        "a block is repeated by `repeat (n)`",
    ),
    _rule(
        rf"^({NAME})\s*=\s*(?:size|count|len)\s*\(?\s*({NAME})\s*\)?\s*;",
        r"\1 = int32(size(\2));",
        "the number of elements of a set is `size(f)`",
    ),
    _rule(rf"^({NAME})\s*=\s*({NAME})\.(?:size|length|count)\(\s*\)\s*;", r"\1 = int32(size(\2));", _METHOD),
    # parts of a program
    _rule(
        rf"^function\s+({NAME})\(\s*({NAME})\s*\)\s*$",
        r"function \1(\2 : int32) -> int32",
        "parameters and results have types",
    ),
    _rule(r"^(problem|schedule|tune|apply)\s*:\s*$", r"\1 {", "a block is written in braces"),
    _rule(
        r"^(problem|schedule|tune|apply)\s*(?:\(\s*\)|=|:)+\s*$",
        r"\1",
        "a part of a program begins with its name and `{`",
    ),
    _rule(
        r"^(?:data|variables|state|globals|declarations|Problem|PROBLEM)\s*$",
        "problem",
        "data are declared in `problem { … }`",
    ),
    _rule(
        r"^(?:void\s+|int\s+)?(?:main|Schedule|run|def main|fn main)\s*(?:\(\s*\))?\s*:?\s*$",
        "schedule",
        "what runs is `schedule { … }`",
    ),
    _rule(
        rf"^(?:module|package|Program|PROGRAM|name|algorithm|graph)\s+({NAME})\s*;",
        r"program \1;",
        "a program begins with `program name;`",
    ),
    _rule(
        rf"^function\s+({_TYPE})\s+({NAME})\(\s*({_TYPE})\s+({NAME})\s*\)",
        lambda m: f"function {m[2]}({m[4]} : {FOREIGN_TYPES.get(m[3], m[3])}) -> {FOREIGN_TYPES.get(m[1], m[1])}",
        _DECLARED,
    ),
    _rule(
        rf"^(?:__device__\s+|inline\s+|static\s+)*({_TYPE})\s+({NAME})\(\s*({_TYPE})\s+({NAME})\s*\)",
        lambda m: f"function {m[2]}({m[4]} : {FOREIGN_TYPES.get(m[3], m[3])}) -> {FOREIGN_TYPES.get(m[1], m[1])}",
        _DECLARED,
    ),
    _rule(
        rf"^(?:pub\s+)?(?:fn|def|func|fun)\s+({NAME})\(\s*({NAME})\s*:\s*({_TYPE})\s*\)\s*->\s*({_TYPE})\s*:?",
        lambda m: f"function {m[1]}({m[2]} : {FOREIGN_TYPES.get(m[3], m[3])}) -> {FOREIGN_TYPES.get(m[4], m[4])}",
        "a function is declared with `function`",
    ),
    _rule(rf"^procedure\s+({NAME})\s*$", r"procedure \1()", "a procedure has parentheses"),
    _rule(rf"^cond\s*\(({INSIDE}+)\)\s*(?=apply|value)", r"cond \1; ", "a condition ends with `;`"),
    _rule(
        rf"^(?:where|when|if|filter|guard)\s+\(?({INSIDE}+?)\)?\s*;",
        r"cond \1;",
        "what must hold of a call is its `cond`",
    ),
    _rule(rf"^return\s+({INSIDE}+?)\s*;", r"cond \1;"),
    _rule(rf"^return\s+({INSIDE}+?)\s*;", r"value \1;"),
    # data
    _rule(
        rf"^(?:var|let|int|global|static)\s+({NAME})\s*:\s*({_TYPE})",
        lambda m: f"scalar {m[1]} : {FOREIGN_TYPES.get(m[2], m[2])}",
        "a single value is a `scalar`",
    ),
    _rule(
        rf"^({_TYPE})\s+({NAME})\s*(=[^;]*)?;",
        lambda m: f"scalar {m[2]} : {FOREIGN_TYPES.get(m[1], m[1])}{' ' + m[3].strip() if m[3] else ''};",
        _DECLARED,
    ),
    _rule(rf"^({NAME})\s*:\s*({_TYPE})", lambda m: f"scalar {m[1]} : {FOREIGN_TYPES.get(m[2], m[2])}"),
    _rule(
        rf"^(?:var|let|const|scalar)\s+({NAME})\s*=\s*(-?\d+)\s*;",
        r"scalar \1 : int32 = \2;",
        "a single value is a `scalar` with a type",
    ),
    _rule(
        rf"^(?:var|let|const|scalar)\s+({NAME})\s*=\s*(-?\d*\.\d+)\s*;",
        r"scalar \1 : float32 = \2;",
        "a single value is a `scalar` with a type",
    ),
    _rule(
        r"^(?:private|public|output|static)\s+(vertex|edge|scalar|param)\b",
        r"\1",
        "all data are results, but for `local` data",
    ),
    _rule(
        r"^(vertex|edge|scalar)\s+(?:output|result|local|private)\s+",
        r"\1 ",
        "all data are results, but for `local` data",
    ),
    _rule(r"^(edge|vertex)\s+input\b", r"input \1", "`input` comes first"),
    _rule(rf"^(input|local)\s+({NAME})\s*:", r"\1 vertex \2 :", "data are of vertices, of edges, or one value"),
    _rule(rf"^(input|local)\s+({NAME})\s*:", r"\1 edge \2 :", "data are of vertices, of edges, or one value"),
    _rule(
        rf"^(vertex|edge|scalar)\s+({NAME})\s*,\s*({NAME})\s*:\s*([^;]+);",
        r"\1 \2 : \4; \1 \3 : \4;",
        "each name has a declaration of its own",
    ),
    _rule(
        rf"^(vertex|edge|scalar)\s+({NAME})\s*:\s*([^,;]+),\s*({NAME})\s*:\s*([^,;]+);",
        r"\1 \2 : \3; \1 \4 : \5;",
        "each name has a declaration of its own",
    ),
    _rule(
        rf"^(input\s+(?:vertex|edge)|param)\s+({NAME})\s*:\s*({NAME})\s*(?:where\s*)?([<>]=?|[=!]=)\s*([\w.]+)\s*;",
        r"\1 \2 : \3 where \2 \4 \5;",
        "a condition names the value: `where x >= 0`",
    ),
    _rule(
        rf"^(param\s+{NAME})\s*:\s*(?:vertex\s*\[\s*\]|set|list|frontier|vertexset)\s*;",
        r"\1 : vertex set;",
        "a set of vertices from the caller is a `vertex set`",
    ),
    _rule(
        rf"^((?:vertex|edge)\s+{NAME}\s*:\s*\w+\s*=\s*)[\[{{]\s*([-\w.]+)\s*[\]}}]\s*;",
        r"\1\2;",
        "an initial value is for each element",
    ),
    # statements
    _rule(r"^return\s+(true|false)\s*;", r"accept \1;"),
    _rule(r"^return\s*;", "accept false;"),
    _rule(rf"^({ELEMENT})\s*=\s*({ELEMENT})\s*=\s*([^=;]+?)\s*;", r"\1 = \3; \2 = \3;", "an assignment has no value"),
    _rule(r"^(?:print|printf|println|std::cout|cout|console\.log|assert)\b[^;]*;", ""),
    _rule(r"\bself\.|\bthis\.", ""),
)
"""In the order in which they are tried; all that fit are also tried together."""


def rewritten(statement: str) -> Iterator[tuple[str, str]]:
    """What `statement` may mean, the likeliest first, each with what to say where it could not be read."""
    fitting = [rule for rule in RULES if rule.pattern.search(statement)]
    if not fitting:
        return
    together, what = statement, ""
    for rule in RULES:
        new = rule.pattern.sub(rule.new, together)
        if new != together and rule.pattern not in _ONLY_ALONE:
            together, what = new, what or rule.what
    found = {statement: ""}
    if together not in found:
        found[together] = what
        yield together, what
    for rule in fitting:
        new = rule.pattern.sub(rule.new, statement)
        if new not in found:
            found[new] = rule.what
            yield new, rule.what


_ONLY_ALONE = {
    rule.pattern
    for rule in RULES
    if isinstance(rule.new, str)
    and (rule.new in (r"\1", r"\1 none", r"\2[\1]") or rule.new.startswith("compute(\\2, v"))
}
"""Those that would change too much of what other rules mean."""
