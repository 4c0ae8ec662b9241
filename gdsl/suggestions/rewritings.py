"""What other languages write, rewritten: patterns over the text of one statement, and what is meant.

A rewriting may be wrong for a text that it matches: it is shown only if the rewritten program has no mistake there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gdsl.frontend.vocabulary import FOREIGN_TYPES, TYPES

NAME = r"[A-Za-z_]\w*"
INSIDE = r"(?:[^()\[\]{};]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|\[(?:[^\[\]]|\[[^\[\]]*\])*\])"
ELEMENT = rf"{NAME}(?:\[{INSIDE}*?\])*"
UPDATE = r"(?:min=|max=|\+=|-=|\*=|&=|\|=|\^=)"
TYPE = "|".join(sorted({*FOREIGN_TYPES, *TYPES}, key=len, reverse=True))
LIMITS = (
    r"std::numeric_limits<\w+>::(?:max|infinity)\(\)|float\(\s*['\"]inf['\"]\s*\)|(?:math|np|numpy|torch)\.inf"
    r"|Float\.POSITIVE_INFINITY|(?:Integer|Long)\.MAX_VALUE|[iuf](?:32|64)::(?:MAX|INFINITY)"
    r"|\b(?:U?INT(?:32|64)?_MAX|LONG_MAX|FLT_MAX|DBL_MAX|MAX_INT|INFINITY|Infinity|INF|Inf|infinity|maxint)\b"
)
CHANGED = "an update has no value: `changed(…)` returns whether something changed"
METHOD = "sets have no methods"
RESULTS = "all data are results, but for `local` data"
DECLARED = "the type of a name is written after it"
GLOBAL = r"(?:std::|thrust::|cuda::|[Mm]ath\.|np\.|numpy\.|torch\.)"


def typed(match: re.Match[str]) -> str:
    """A local with its type after its name."""
    word = "let" if match["const"] else "var"
    kind = FOREIGN_TYPES.get(match["type"], match["type"])
    return f"{word} {match['name']} : {kind} = {match['value']};"


def cast(match: re.Match[str]) -> str:
    """A cast as a call."""
    return f"{FOREIGN_TYPES.get(match['type'], match['type'])}({match['value']})"


def included(match: re.Match[str]) -> str:
    """A range whose end belongs to it elsewhere."""
    last = str(int(match[3]) + 1) if match[3].isdigit() else f"{match[3]} + 1"
    return f"for {match[1]} in {match[2]}..{last}"


def power(match: re.Match[str]) -> str:
    """A power, a square as a product."""
    return f"{match[1]} * {match[1]}" if match[2] == "2" else f"pow({match[1]}, {match[2]})"


Replacement = str | Callable[[re.Match[str]], str]
# fmt: off
_TABLE: tuple[tuple[str, Replacement] | tuple[str, Replacement, str], ...] = (
    # updates
    (rf"\b(if|while)\s*\(\s*({ELEMENT}\s*{UPDATE}\s*{INSIDE}+?)\s*\)(?=\s*$)", r"\1 (changed(\2))", CHANGED),
    (rf"^(?:return|accept)\s+({ELEMENT}\s*{UPDATE}\s*{INSIDE}+?)\s*;", r"accept changed(\1);", CHANGED),
    (rf"^(any|min|max)\s+({ELEMENT})\s*=\s*({INSIDE}+?)\s*;",
     r"\2 \1= \3;", "the kind of an update is part of its sign"),
    (rf"^({ELEMENT})\s+(any|min|max)\s+=?\s*({INSIDE}+?)\s*;",
     r"\1 \2= \3;", "the kind of an update is part of its sign"),
    # atomics
    (rf"\b(?:if\s*\(\s*)(?:atomicMin|writeMin|write_min|atomic_min|priorityMin)\s*\(\s*&?\s*({ELEMENT})\s*,\s*({INSIDE}+?)\s*\)(?:\s*>\s*{INSIDE}+?)?\s*\)(?=\s*$)",
     r"if (changed(\1 min= \2))", CHANGED),
    *(
        (rf"^(?:{names})\s*\(\s*&?\s*({ELEMENT})\s*,\s*({INSIDE}+?)\s*\)\s*;",
         rf"\1 {sign} \2;", "an update is a statement")
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
    (rf"\b(?:atomicAdd|fetch_add|__sync_fetch_and_add)\s*\(\s*&?\s*({ELEMENT})\s*,\s*({INSIDE}+?)\s*\)",
     r"fetch(\1 += \2)"),
    (rf"\b(?:CAS|compare_and_swap|compare_exchange_strong|__sync_bool_compare_and_swap)\s*\(\s*&?\s*({ELEMENT})\s*,",
     r"cas(\1,"),
    (rf"({ELEMENT})\.fetch_add\(\s*({INSIDE}+?)\s*\)", r"fetch(\1 += \2)"),
    (rf"\b({NAME})\.(join|root)\(", r"\2(\1, ", "sets of vertices are those of the labels that come first"),
    (rf"^({NAME})\[({NAME}|\d+)\]\s*(\+\+|--)\s*;",
     lambda m: f"compute({{ {m[2]} }}, v => {{ {m[1]}[v] {m[3][0]}= 1; }});", "an element is updated by an operator"),
    (rf"^on\s+((?:subgraph|contract)\({INSIDE}*\))", r"graph h = \1; on h", "`on` takes the name of a graph"),
    (rf"^@\s*({NAME})\s+([^;{{}}]+\))\s*(?=;|$)", r"\2 @\1", "a label comes after its call"),
    (rf"\b({NAME})\[({NAME}|\d+)\]\[({NAME}|\d+)\](\s*:)", r"\1[\2 * \3]\4", "an element has one list of values"),
    (r"^((?:(?:input|local)\s+)?(?:vertex|edge|scalar)|param|program)\s+(\w+)-(\w+)",
     r"\1 \2_\3", "names have letters, digits and `_`"),
    (r"^((?:(?:input|local)\s+)?(?:vertex|edge|scalar)|param|program)\s+(\d+)([A-Za-z_]\w*)",
     r"\1 \3\2", "names begin with a letter"),
    (rf"^({ELEMENT})\s*({UPDATE})\s*({INSIDE}+?)\s*,\s*({INSIDE}+?)\s*;",
     r"\1 \2 (\3, \4);", "a pair is written in parentheses"),
    # sets and their methods
    (rf"(?:!|\bnot\s+)\s*({NAME})\.(?:is_?)?[eE]mpty\(\s*\)", r"\1", METHOD),
    (rf"({NAME})\.(?:size|length|count|getVertexSetSize|numNonzeros|getSize|__len__)(?:\(\s*\))?(?!\s*\()",
     r"size(\1)", METHOD),
    (rf"(?<!\w)\|\s*({NAME})\s*\|(?!\w)", r"size(\1)", "the number of elements of a set is `size(f)`"),
    (rf"\b(if|while)\s*\(\s*({NAME})\s*!=\s*(?:\{{\s*\}}|∅|empty)\s*\)",
     r"\1 (\2)", "a set is true while it is not empty"),
    (rf"^(?:({NAME})\s*=\s*)?edges\.from\(\s*({NAME})\s*\)(?:\.to\(\s*\w+\s*\))?\.apply\w*\(\s*({NAME})\s*(?:,[^()]*)?\)\s*;",
     lambda m: f"{m[1] or m[2]} = advance({m[2]}, {m[3]});", METHOD),
    (rf"\b(?:edgeMap|edge_map|EdgeMap)\(\s*(?:[A-Z]\w*\s*,\s*)?({NAME})\s*,\s*({NAME})\s*(?:\([^()]*\))?\s*(?:,[^()]*)?\)",
     r"advance(\1, \2)"),
    (r"\bnew\s+[Vv]ertex_?[sS](?:et|ubset)(?:\s*[<{]\s*\w+\s*[>}])?\s*\(\s*(?:0\s*)?\)",
     "{ }", "a set is written in braces"),
    (rf"\bnew\s+[Vv]ertex_?[sS](?:et|ubset)(?:\s*[<{{]\s*\w+\s*[>}}])?\s*\(\s*({NAME})\s*\)",
     r"{ \1 }", "a set is written in braces"),
    (rf"\b(?:set|frozenset|frontier|[Vv]ertex_?[Ss](?:et|ubset))\(\s*[\[{{]?\s*({NAME})\s*[\]}}]?\s*\)",
     r"{ \1 }", "a set is written in braces"),
    (r"(?<==)(\s*)\[\s*([\w\s,]*?)\s*\](?=\s*;)", r"\1{ \2 }", "a set is written in braces"),
    (rf"^frontier\s+({NAME})\s*\(\s*({NAME})\s*\)\s*;", r"frontier \1 = { \2 };", "a set is written in braces"),
    (rf"^(?:[Vv]ertex_?[Ss](?:et|ubset)|auto|var|let)\s+({NAME})\s*=\s*\{{",
     r"frontier \1 = {", "a set of vertices is a frontier"),
    (rf"^buckets\s+({NAME})\s*(?:\b(?:by|on|over|of)\s|=|:)\s*({NAME})\s*;",
     r"buckets \1(\2, 1);", "buckets have an array and a width"),
    (rf"^buckets\s+({NAME})\s*(?:=\s*new\s+\w+)?\s*\(\s*({NAME})\s*(?:,\s*([\w.]+))?\s*\)",
     lambda m: f"buckets {m[1]}({m[2]}, {m[3] or '1'})", "buckets have an array and a width"),
    (rf"(?<=[(,])(\s*)&\s*({NAME})(?=\s*[,)])", r"\1\2"),
    # numbers, names, casts
    (LIMITS, "inf"),
    (r"\b(?:None|null|nullptr|NULL|nil|NIL|undefined|Null)\b", "none"),
    (r"([=!]=)\s*-1\b", r"\1 none"),
    (rf"{GLOBAL}(?:f)?(min|max|abs|sqrt|exp|log|pow|floor|ceil|sin|cos|tan)\b",
     r"\1", "the functions of the language have no prefix"),
    (rf"\b(?:[gG]\.|graph\.)?(?:get)?(?:out_?)?(?:[dD]egree|deg|outdeg)\s*[\[(]\s*({NAME})\s*[\])]",
     r"out_degree(\1)"),
    (rf"\b(?:static_cast|reinterpret_cast)\s*<\s*(?P<type>{TYPE})\s*>\s*\(\s*(?P<value>{INSIDE}+?)\s*\)", cast),
    (rf"(?P<value>{ELEMENT}|\d[\d.]*)\s+as\s+(?P<type>{TYPE})\b", cast, "a cast is a call: `float32(x)`"),
    (rf"({ELEMENT}|\d[\d.]*|\([^()]*\))\s*\*\*\s*(\w[\w.]*)", power, "a power is `pow(x, y)`"),
    # logic and choices
    (rf"(?<=[=(,])(\s*)if\s*\(?({INSIDE}+?)\)?\s+then\s+({INSIDE}+?)\s+else\s+({INSIDE}+?)(?=\s*[;)])",
     r"\1\2 ? \3 : \4", "a choice is written `c ? a : b`"),
    (r"\bis\b", "=="),
    (r"\band\b", "&&"),
    (r"\bor\b", "||"),
    (r"\bnot\s*(?=\()", "!"),
    (rf"~\s*({ELEMENT}|\()", r"!\1"),
    (rf"({ELEMENT}|\d[\d.]*)\s*(<=?)\s*({ELEMENT})\s*(<=?)\s*({ELEMENT}|\d[\d.]*)", r"\1 \2 \3 && \3 \4 \5"),
    # declarations
    (rf"^(vertex|edge)\s+({NAME})\s*;", r"\1 \2 : int32;"),
    (rf"^(vertex|edge)\s+({NAME})\s*=\s*(-?\d+)\s*;", r"\1 \2 : int32 = \3;"),
    (rf"^(?P<const>const\s+|final\s+|constexpr\s+)?(?P<type>{TYPE})\s+(?P<name>{NAME})\s*=\s*(?P<value>[^;]+?)\s*;",
     typed, DECLARED),
    (rf"^(?:(?:const\s+)?auto\s*&?\s*|(?:const|final|constexpr|val)\s+)({NAME})\s*=",
     r"let \1 =", "a local is declared with `let` or `var`"),
    (rf"^let\s+mut\s+({NAME})", r"var \1", "a local that changes is a `var`"),
    (rf"^({NAME})\s*:=", r"let \1 =", "a local is declared with `let` or `var`"),
    (r":=", "="),
    (rf"^(?:const\s+)?({NAME})\s*:\s*vector\s*\{{\s*(Vertex|Edge)\s*\}}\s*\(\s*({TYPE})\s*\)",
     lambda m: f"{m[2].lower()} {m[1]} : {FOREIGN_TYPES.get(m[3], m[3])}", DECLARED),
    (rf"^(vertex|edge)\s*<\s*({TYPE})\s*>\s*({NAME})",
     lambda m: f"{m[1]} {m[3]} : {FOREIGN_TYPES.get(m[2], m[2])}", DECLARED),
    # heads
    (rf"^(if|while)\s+(?!\()({INSIDE}+?)\s*:?\s*$", r"\1 (\2)", "a condition is written in parentheses"),
    (r"^(if|while|repeat)\s*(\(.*\))\s*:\s*$", r"\1 \2", "a block is written in braces"),
    (r"^(?:elif|elseif|elsif)\s*(\(.*\))\s*:?\s*$", r"else if \1", "another condition is `else if (…)`"),
    (r"^repeat\s+(?!\()([\w.]+)(?:\s+times)?\s*:?\s*$",
     r"repeat (\1)", "the number of passes is written in parentheses"),
    (r"^until\s*(\(.*\))\s*$", r"while (!\1)"),
    (r"^unless\s*(\(.*\))\s*$", r"if (!\1)"),
    (rf"^for\s*\(\s*(?:{TYPE}|auto)?\s*({NAME})\s*=\s*([^;]+?)\s*;\s*\1\s*<\s*([^;]+?)\s*;\s*(?:\+\+\s*\1|\1\s*\+\+|\1\s*\+=\s*1)\s*\)",
     r"for \1 in \2..\3", "a loop over numbers is `for i in 0..n`"),
    (rf"^for\s*\(\s*(?:{TYPE}|auto)?\s*({NAME})\s*=\s*([^;]+?)\s*;\s*\1\s*<=\s*([^;]+?)\s*;\s*(?:\+\+\s*\1|\1\s*\+\+|\1\s*\+=\s*1)\s*\)",
     included, "a loop over numbers is `for i in 0..n`"),
    (rf"^(?:for|foreach)\s*\(?\s*(?:(?:{TYPE}|auto|vertex|edge|Vertex|let|var|each)\s*&?\s+)?({NAME})\s*(?::|\bin\b|\bof\b|=|<-|∈)\s*(?:[gG]\.|graph\.)?(?:neighbors|neighbours|adj|out_neighbors|successors|getNeighbors)\s*[\[(]\s*({NAME})\s*[\])]\s*\)?\s*:?\s*$",
     r"for \1 in neighbors(\2)", "a loop over neighbors is `for u in neighbors(v)`"),
    (rf"^for\s*\(\s*({NAME})\s*,\s*({NAME})\s*\)?\s*(?::|\bin\b|\bof\b)\s*neighbors\(\s*({NAME})\s*\)\s*\)?\s*$",
     r"for \1, \2 in neighbors(\3)", "a loop over neighbors is `for u, e in neighbors(v)`"),
    (rf"^for\s+({NAME})\s+in\s+range\(\s*([^(),]+)\s*\)\s*:?",
     r"for \1 in 0..\2", "a loop over numbers is `for i in 0..n`"),
    (rf"^for\s+({NAME})\s+in\s+range\(\s*([^(),]+)\s*,\s*([^(),]+)\s*\)\s*:?",
     r"for \1 in \2..\3", "a loop over numbers is `for i in 0..n`"),
    (rf"^for\s+({NAME})\s+in\s+([\w.]+)\s*\.\.=\s*([\w.]+)", included, "the end of a range does not belong to it"),
    (rf"^for\s+({NAME})\s*(?:=|in)\s*([\w.]+)\s*(?:to|:)\s*([\w.]+)(?:\s+do)?\s*:?\s*$",
     included, "a loop over numbers is `for i in 0..n`"),
    (r"^(cond|apply|value)\s*:\s*", r"\1 ", "a part of a functor has no `:`"),
    (rf"^(cond|value|accept)\s*=\s*({INSIDE}+);", r"\1 \2;", "a part of a functor has no `=`"),
    # other words of the same meaning
    (rf"^frontier\s+({NAME})\s*:\s*[\w{{}}<>\s]+?=", r"frontier \1 =", "a frontier is declared without a type"),
    (rf"\b({NAME})\s+(?:union|or|\+)\s+(\{{)", r"\1 | \2", "sets are combined by `|`, `&` and `-`"),
    (rf"\b(min|max)\(\s*({INSIDE}+?)\s*,\s*({INSIDE}+?)\s*,\s*({INSIDE}+?)\s*\)", r"\1(\1(\2, \3), \4)"),
    (rf"\b({ELEMENT})\.(min|max)\(\s*({INSIDE}+?)\s*\)", r"\2(\1, \3)", "a function is called by its name"),
    (rf"^({ELEMENT})\s*=\s*(?:min|max)\s+({INSIDE}+?)\s*,\s*({INSIDE}+?)\s*;",
     lambda m: f"{m[1]} = {m[0].split('=')[1].split()[0]}({m[2]}, {m[3]});"),
    (rf"^({ELEMENT})\s*=\s*(any|min|max)\s+({INSIDE}+?)\s*;",
     r"\1 \2= \3;", "the kind of an update is part of its sign"),
    (rf"^({ELEMENT})\s*(?:\|\||or)=\s*", r"\1 |= ", "an update by `or` is `|=`"),
    (rf"^({ELEMENT})\s*=\s*({INSIDE}+?)\s+if\s+({INSIDE}+?)\s*;", r"if (\3) { \1 = \2; }", "a condition comes first"),
    (rf"^(?:set|let|call|update)\s+({ELEMENT})\s*=\s*", r"\1 = ", "an assignment begins with what is assigned"),
    (rf"^(?:local|my|int|dim|def)\s+\$?({NAME})\s*=\s*", r"var \1 = ", "a local is declared with `let` or `var`"),
    (rf"^({NAME})\s*<-\s*", r"let \1 = ", "a local is declared with `let` or `var`"),
    (rf"^({ELEMENT})\s*<-\s*", r"\1 = ", "an assignment is `=`"),
    (rf"^({NAME})\s*\{{\s*({NAME})\s*\}}\s*=", r"\1[\2] =", "an element is written `a[v]`"),
    (rf"\b({NAME})\.({NAME})\b(?!\s*\()", r"\1[\2]", "an element is written `a[v]`"),
    (rf"^({NAME})\s*\[\s*(?::|\*|\.\.|[A-Za-z_])\s*\]\s*=\s*({INSIDE}+?)\s*;",
     r"fill(\1, \2);", "all elements are set by `fill`"),
    (rf"^({NAME})\s*=\s*({NAME})\s*;", r"compute(vertices, v => { \1[v] = \2[v]; });"),
    (rf"!\s*empty\(\s*({NAME})\s*\)", r"\1"),
    (rf"\b(if|while)\s*\(\s*({NAME})\s*==\s*(?:none|null|None|\{{\s*\}})\s*\)",
     r"\1 (size(\2) == 0)", "the number of elements of a set is `size(f)`"),
    (rf"\b(filter|where)\((\s*{NAME}\s*,)?\s*({NAME})\s*(?::|->)\s*({INSIDE}+)\)",
     r"\1(\2 \3 => \4)", "a functor without a name is written with `=>`"),
    (rf"\bcompute\(\s*({NAME})\s*,\s*({NAME}\[\s*({NAME})\s*\]\s*[-+*&|]?=\s*{INSIDE}+)\)",
     r"compute(\1, \3 => { \2; })", "statements of a functor without a name are written in braces"),
    (rf"\b(advance|filter|compute)\(\s*({NAME})\s+({NAME})\s*\)", r"\1(\2, \3)", "arguments are separated by commas"),
    (rf"\b(advance|filter|compute)\[\s*({NAME})\s*,\s*({NAME})\s*\]",
     r"\1(\2, \3)", "arguments are written in parentheses"),
    (r"^for\s+(\w+)\s+times\s*$", r"repeat (\1)", "a block is repeated by `repeat (n)`"),
    (r"^loop\s*\(\s*(\w+)\s*\)", r"repeat (\1)", "a block is repeated by `repeat (n)`"),
    (r"^loop\s*$", "while (true)"),
    (rf"^for\s+{NAME}\s+in\s+(?:0\s*\.\.\s*|range\(\s*)([\w.]+)\s*\)?\s*:?\s*$",
     r"repeat (\1)", "a block is repeated by `repeat (n)`"),
    (rf"^({NAME})\s*=\s*(?:size|count|len)\s*\(?\s*({NAME})\s*\)?\s*;",
     r"\1 = int32(size(\2));", "the number of elements of a set is `size(f)`"),
    (rf"^({NAME})\s*=\s*({NAME})\.(?:size|length|count)\(\s*\)\s*;", r"\1 = int32(size(\2));", METHOD),
    # parts of a program
    (rf"^function\s+({NAME})\(\s*({NAME})\s*\)\s*$",
     r"function \1(\2 : int32) -> int32", "parameters and results have types"),
    (r"^(problem|schedule|tune|apply)\s*(?:\(\s*\)|=|:)+\s*$",
     r"\1", "a part of a program begins with its name and `{`"),
    (r"^(?:data|variables|state|globals|declarations|Problem|PROBLEM)\s*$",
     "problem", "data are declared in `problem { … }`"),
    (r"^(?:void\s+|int\s+)?(?:main|Schedule|run|def main|fn main)\s*(?:\(\s*\))?\s*:?\s*$",
     "schedule", "what runs is `schedule { … }`"),
    (rf"^(?:module|package|Program|PROGRAM|name|algorithm|graph)\s+({NAME})\s*;",
     r"program \1;", "a program begins with `program name;`"),
    (rf"^(?:function\s+|__device__\s+|inline\s+|static\s+)*({TYPE})\s+({NAME})\(\s*({TYPE})\s+({NAME})\s*\)",
     lambda m: f"function {m[2]}({m[4]} : {FOREIGN_TYPES.get(m[3], m[3])}) -> {FOREIGN_TYPES.get(m[1], m[1])}",
     DECLARED),
    (rf"^(?:pub\s+)?(?:fn|def|func|fun)\s+({NAME})\(\s*({NAME})\s*:\s*({TYPE})\s*\)\s*->\s*({TYPE})\s*:?",
     lambda m: f"function {m[1]}({m[2]} : {FOREIGN_TYPES.get(m[3], m[3])}) -> {FOREIGN_TYPES.get(m[4], m[4])}",
     "a function is declared with `function`"),
    (rf"^procedure\s+({NAME})\s*$", r"procedure \1()", "a procedure has parentheses"),
    (rf"^(?:where|when|if|filter|guard)\s+\(?({INSIDE}+?)\)?\s*;",
     r"cond \1;", "what must hold of a call is its `cond`"),
    (rf"^return\s+({INSIDE}+?)\s*;", r"cond \1;"),
    # data
    (rf"^(?:var|let|int|global|static)\s+({NAME})\s*:\s*({TYPE})",
     lambda m: f"scalar {m[1]} : {FOREIGN_TYPES.get(m[2], m[2])}", "a single value is a `scalar`"),
    (rf"^({NAME})\s*:\s*({TYPE})", lambda m: f"scalar {m[1]} : {FOREIGN_TYPES.get(m[2], m[2])}"),
    (rf"^(?:var|let|const|scalar)\s+({NAME})\s*=\s*(-?\d+)\s*;",
     r"scalar \1 : int32 = \2;", "a single value is a `scalar` with a type"),
    (r"^(?:private|public|output|static)\s+(vertex|edge|scalar|param)\b", r"\1", RESULTS),
    (r"^(vertex|edge|scalar)\s+(?:output|result|local|private)\s+", r"\1 ", RESULTS),
    (r"^(edge|vertex)\s+input\b", r"input \1", "`input` comes first"),
    (rf"^(input|local)\s+({NAME})\s*:", r"\1 vertex \2 :", "data are of vertices, of edges, or one value"),
    (rf"^(vertex|edge|scalar)\s+({NAME})\s*,\s*({NAME})\s*:\s*([^;]+);",
     r"\1 \2 : \4; \1 \3 : \4;", "each name has its own declaration"),
    (rf"^(vertex|edge|scalar)\s+({NAME})\s*:\s*([^,;]+),\s*({NAME})\s*:\s*([^,;]+);",
     r"\1 \2 : \3; \1 \4 : \5;", "each name has its own declaration"),
    (rf"^(input\s+(?:vertex|edge)|param)\s+({NAME})\s*:\s*({NAME})\s*(?:where\s*)?([<>]=?|[=!]=)\s*([\w.]+)\s*;",
     r"\1 \2 : \3 where \2 \4 \5;", "a condition names the value: `where x >= 0`"),
    (rf"^(param\s+{NAME})\s*:\s*(?:vertex\s*\[\s*\]|set|list|frontier|vertexset)\s*;",
     r"\1 : vertex set;", "a set of vertices from the caller is a `vertex set`"),
    (rf"^((?:vertex|edge)\s+{NAME}\s*:\s*\w+\s*=\s*)[\[{{]\s*([-\w.]+)\s*[\]}}]\s*;",
     r"\1\2;", "an initial value is for each element"),
    # statements
    (r"^return\s+(true|false|changed\(.*\))\s*;\s*$", r"accept \1;"),
    (r"^return\s*;\s*$", ""),
    (rf"^({ELEMENT})\s*=\s*({ELEMENT})\s*=\s*([^=;]+?)\s*;", r"\1 = \3; \2 = \3;", "an assignment has no value"),
    (r"^(?:print|printf|println|std::cout|cout|console\.log|assert)\b[^;]*;",
     "", "a program has no output but its results"),
    (r"\bself\.|\bthis\.", ""),
)
"""Patterns, their replacements, and messages for text that could not be read; in the order in which they are tried."""
# fmt: on


@dataclass(frozen=True, slots=True)
class Rewriting:
    """`pattern` is replaced by `new` in the text of a statement; `message` is for text that could not be read."""

    pattern: re.Pattern[str]
    new: Replacement
    message: str = ""

    @property
    def alone(self) -> bool:
        """Whether it would change too much of what other rewritings mean, and so is only tried alone."""
        new = self.new
        return isinstance(new, str) and (new in (r"\1", r"\1 none", r"\2[\1]") or new.startswith("compute(\\2, v"))


REWRITINGS = tuple(Rewriting(re.compile(entry[0]), *entry[1:]) for entry in _TABLE)


def rewritten(statement: str) -> Iterator[tuple[str, str]]:
    """What `statement` may mean, the likeliest first, each with the message for a statement that could not be read."""
    fitting = [each for each in REWRITINGS if each.pattern.search(statement)]
    if not fitting:
        return
    together, message = statement, ""
    for each in REWRITINGS:
        new = each.pattern.sub(each.new, together)
        if new != together and not each.alone:
            together, message = new, message or each.message
    statements = {statement}
    if together not in statements:
        statements.add(together)
        yield together, message
    for each in fitting:
        new = each.pattern.sub(each.new, statement)
        if new not in statements:
            statements.add(new)
            yield new, each.message
