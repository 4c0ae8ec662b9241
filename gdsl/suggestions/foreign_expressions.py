"""Updates, sets, numbers, names, casts and choices as other languages write them."""

from __future__ import annotations

import re

from gdsl.frontend.vocabulary import FOREIGN_TYPES
from gdsl.suggestions.rule import (
    CHANGED,
    ELEMENT,
    GLOBAL,
    INSIDE,
    LIMITS,
    METHOD,
    NAME,
    TYPE,
    UPDATE,
    Rule,
    cast,
    power,
    rule,
)

EXPRESSIONS: tuple[Rule, ...] = (
    # updates
    rule(rf"\b(if|while)\s*\(\s*({ELEMENT}\s*{UPDATE}\s*{INSIDE}+?)\s*\)(?=\s*$)", r"\1 (changed(\2))", CHANGED),
    rule(rf"^(?:return|accept)\s+({ELEMENT}\s*{UPDATE}\s*{INSIDE}+?)\s*;", r"accept changed(\1);", CHANGED),
    rule(
        rf"^(any|min|max)\s+({ELEMENT})\s*=\s*({INSIDE}+?)\s*;",
        r"\2 \1= \3;",
        "the kind of an update is part of its sign",
    ),
    rule(
        rf"^({ELEMENT})\s+(any|min|max)\s+=?\s*({INSIDE}+?)\s*;",
        r"\1 \2= \3;",
        "the kind of an update is part of its sign",
    ),
    # atomics
    rule(
        rf"\b(?:if\s*\(\s*)(?:atomicMin|writeMin|write_min|atomic_min|priorityMin)\s*\(\s*&?\s*({ELEMENT})\s*,\s*({INSIDE}+?)\s*\)(?:\s*>\s*{INSIDE}+?)?\s*\)(?=\s*$)",
        r"if (changed(\1 min= \2))",
        CHANGED,
    ),
    rule(
        rf"\b(?:if\s*\(\s*)(?:atomicMax|writeMax|write_max|atomic_max|priorityMax)\s*\(\s*&?\s*({ELEMENT})\s*,\s*({INSIDE}+?)\s*\)(?:\s*<\s*{INSIDE}+?)?\s*\)(?=\s*$)",
        r"if (changed(\1 max= \2))",
        CHANGED,
    ),
    rule(
        rf"^return\s+(?:atomicMin|writeMin|write_min|atomic_min)\s*\(\s*&?\s*({ELEMENT})\s*,\s*({INSIDE}+?)\s*\)\s*;",
        r"accept changed(\1 min= \2);",
        CHANGED,
    ),
    *(
        rule(
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
    rule(
        rf"\b(?:atomicAdd|fetch_add|__sync_fetch_and_add)\s*\(\s*&?\s*({ELEMENT})\s*,\s*({INSIDE}+?)\s*\)",
        r"fetch(\1 += \2)",
    ),
    rule(
        rf"\batomicCAS\s*\(\s*&?\s*({ELEMENT})\s*,\s*({INSIDE}+?)\s*,\s*({INSIDE}+?)\s*\)\s*==\s*\2", r"cas(\1, \2, \3)"
    ),
    rule(
        rf"\b(?:CAS|compare_and_swap|compare_exchange_strong|__sync_bool_compare_and_swap)\s*\(\s*&?\s*({ELEMENT})\s*,",
        r"cas(\1,",
    ),
    rule(rf"({ELEMENT})\.fetch_add\(\s*({INSIDE}+?)\s*\)", r"fetch(\1 += \2)"),
    rule(rf"^(?:\+\+|--)\s*({ELEMENT})\s*;", lambda m: f"{m[1]} {m[0][0]}= 1;", "a step of one is an update"),
    rule(rf"^({ELEMENT})\s*(\+\+|--)\s*;", lambda m: f"{m[1]} {m[2][0]}= 1;", "a step of one is an update"),
    rule(rf"(?<=[=(,?:])(\s*)({ELEMENT})\s*\+\+", r"\1fetch(\2 += 1)", "a step of one is an update"),
    # sets and their methods
    rule(rf"(?:!|\bnot\s+)\s*({NAME})\.(?:is_?)?[eE]mpty\(\s*\)", r"\1", METHOD),
    rule(rf"({NAME})\.(?:is_?)?(?:[eE]mpty)\(\s*\)", r"size(\1) == 0", METHOD),
    rule(
        rf"\b(if|while)(\s*\(\s*)({NAME})\.(?:size|length|count|getVertexSetSize|numNonzeros|getSize)\(\s*\)(?=\s*\)\s*$)",
        r"\1\2\3",
        METHOD,
    ),
    rule(rf"\b(if|while)(\s*\(\s*)(?:len|size|length)\(\s*({NAME})\s*\)(?=\s*\)\s*$)", r"\1\2\3", METHOD),
    rule(
        rf"({NAME})\.(?:size|length|count|getVertexSetSize|numNonzeros|getSize|__len__)(?:\(\s*\))?(?!\s*\()",
        r"size(\1)",
        METHOD,
    ),
    rule(rf"\blen\(\s*({NAME})\s*\)", r"size(\1)"),
    rule(rf"(?<!\w)\|\s*({NAME})\s*\|(?!\w)", r"size(\1)", "the number of elements of a set is `size(f)`"),
    rule(
        rf"\b(if|while)\s*\(\s*({NAME})\s*!=\s*(?:\{{\s*\}}|∅|empty)\s*\)",
        r"\1 (\2)",
        "a set is true while it is not empty",
    ),
    rule(
        rf"^(?:({NAME})\s*=\s*)?edges\.from\(\s*({NAME})\s*\)(?:\.to\(\s*\w+\s*\))?\.apply\w*\(\s*({NAME})\s*(?:,[^()]*)?\)\s*;",
        lambda m: f"{m[1] or m[2]} = advance({m[2]}, {m[3]});",
        METHOD,
    ),
    rule(
        rf"^(?:var|let|vertexset)?\s*({NAME})\s*(?::\s*[\w{{}}]+\s*)?=\s*edges\.from\(\s*({NAME})\s*\)(?:\.to\(\s*\w+\s*\))?\.apply\w*\(\s*({NAME})\s*(?:,[^()]*)?\)\s*;",
        r"frontier \1 = advance(\2, \3);",
        METHOD,
    ),
    rule(rf"\bedges\.apply\w*\(\s*({NAME})\s*\)", r"compute(edges, \1)", METHOD),
    rule(
        rf"\b(?:edgeMap|edge_map|EdgeMap)\(\s*(?:[A-Z]\w*\s*,\s*)?({NAME})\s*,\s*({NAME})\s*(?:\([^()]*\))?\s*(?:,[^()]*)?\)",
        r"advance(\1, \2)",
    ),
    rule(
        rf"\b(?:vertexMap|vertex_map|VertexMap)\(\s*({NAME})\s*,\s*({NAME})\s*(?:\([^()]*\))?\s*\)", r"compute(\1, \2)"
    ),
    rule(
        rf"\b(?:vertexFilter|VertexFilter|vertex_filter)\(\s*({NAME})\s*,\s*({NAME})\s*(?:\([^()]*\))?\s*\)",
        r"filter(\1, \2)",
    ),
    rule(rf"({NAME})\.(?:apply|map|for_?[eE]ach|compute)\(\s*({NAME})\s*\)", r"compute(\1, \2)", METHOD),
    rule(rf"({NAME})\.(?:filter|where)\(\s*({NAME})\s*\)", r"filter(\1, \2)", METHOD),
    rule(rf"({NAME})\.(?:advance|expand|traverse)\(\s*({NAME})\s*\)", r"advance(\1, \2)", METHOD),
    rule(
        rf"^({NAME})\.(?:add|insert|append|addVertex|push_back|enqueue)\(\s*({NAME})\s*\)\s*;",
        r"\1 = \1 | { \2 };",
        METHOD,
    ),
    rule(rf"^({NAME})\.(?:clear|reset)\(\s*\)\s*;", r"\1 = { };", METHOD),
    rule(
        r"\bnew\s+[Vv]ertex_?[sS](?:et|ubset)(?:\s*[<{]\s*\w+\s*[>}])?\s*\(\s*(?:0\s*)?\)",
        "{ }",
        "a set is written in braces",
    ),
    rule(
        rf"\bnew\s+[Vv]ertex_?[sS](?:et|ubset)(?:\s*[<{{]\s*\w+\s*[>}}])?\s*\(\s*({NAME})\s*\)",
        r"{ \1 }",
        "a set is written in braces",
    ),
    rule(
        rf"\b(?:set|frozenset|frontier|[Vv]ertex_?[Ss](?:et|ubset))\(\s*[\[{{]?\s*({NAME})\s*[\]}}]?\s*\)",
        r"{ \1 }",
        "a set is written in braces",
    ),
    rule(r"(?<==)(\s*)\[\s*([\w\s,]*?)\s*\](?=\s*;)", r"\1{ \2 }", "a set is written in braces"),
    rule(rf"^frontier\s+({NAME})\s*\(\s*({NAME})\s*\)\s*;", r"frontier \1 = { \2 };", "a set is written in braces"),
    rule(rf"^frontier\s*<[^<>]*>\s*({NAME})", r"frontier \1", "a frontier has no type beside its name"),
    rule(
        rf"^(?:[Vv]ertex_?[Ss](?:et|ubset)|auto|var|let)\s+({NAME})\s*=\s*\{{",
        r"frontier \1 = {",
        "a set of vertices is a frontier",
    ),
    rule(
        rf"^buckets\s+({NAME})\s+(?:by|on|over|of)\s+({NAME})\s*;",
        r"buckets \1(\2, 1);",
        "buckets have an array and a width",
    ),
    rule(rf"^buckets\s+({NAME})\s*(?:=|:)\s*({NAME})\s*;", r"buckets \1(\2, 1);", "buckets have an array and a width"),
    rule(
        rf"^buckets\s+({NAME})\s*(?:=\s*new\s+\w+)?\s*\(\s*({NAME})\s*(?:,\s*([\w.]+))?\s*\)",
        lambda m: f"buckets {m[1]}({m[2]}, {m[3] or '1'})",
        "buckets have an array and a width",
    ),
    rule(rf"^({NAME})\[\s*({NAME})\s*\]\s*=\s*({INSIDE}+?)\s*;$", r"compute(\2, v => { \1[v] = \3; });"),
    rule(rf"\{{\s*({NAME})\s*\}}", r"\1"),
    rule(rf"(?<=[(,])(\s*)&\s*({NAME})(?=\s*[,)])", r"\1\2"),
    # numbers, names, casts
    rule(LIMITS, "inf"),
    rule(r"\b(\d+\.\d+(?:[eE][-+]?\d+)?)[fFdDlL]\b", r"\1", "a number has no suffix"),
    rule(r"\b(\d+)(?:[uUlL]{1,3}|_?[iu](?:32|64))\b", r"\1", "a number has no suffix"),
    rule(r"\b(\d+)\.(?![\d.\w])", r"\1.0", "a number has digits on both sides of its point"),
    rule(r"(?<![\w.)\]])\.(\d+)", r"0.\1", "a number has digits on both sides of its point"),
    rule(r"\b(\d{1,3}(?:[_']\d{3})+)\b", lambda m: re.sub(r"[_']", "", m[1]), "a number has no separators"),
    rule(r"\bTrue\b", "true"),
    rule(r"\bFalse\b", "false"),
    rule(r"\b(?:None|null|nullptr|NULL|nil|NIL|undefined|Null)\b", "none"),
    rule(r"([=!]=)\s*-1\b", r"\1 none"),
    rule(
        rf"{GLOBAL}(?:f)?(min|max|abs|sqrt|exp|log|pow|floor|ceil|sin|cos|tan)\b",
        r"\1",
        "the functions of the language have no prefix",
    ),
    rule(r"\b(?:f(min|max|abs)f?|(sqrt|exp|log|pow|floor|ceil)f)(?=\()", lambda m: m[1] or m[2]),
    rule(rf"\b({NAME})\.(?:out_?)?[dD]egree(?:\(\s*\))?", r"out_degree(\1)"),
    rule(
        rf"\b(?:[gG]\.|graph\.)?(?:get)?(?:out_?)?(?:[dD]egree|deg|outdeg)\s*[\[(]\s*({NAME})\s*[\])]",
        r"out_degree(\1)",
    ),
    rule(
        r"\|V\||\b(?:[gG]|graph)\.(?:n|num_?[vV]ertices|num_?[nN]odes|number_of_nodes|numVertices)(?:\(\s*\))?|\bnum_vertices\(\s*\)|\bvertices\.size\(\)|\blen\(vertices\)|\bsize\(vertices\)",
        "num_vertices",
    ),
    rule(r"\|E\||\b(?:[gG]|graph)\.(?:m|num_?[eE]dges|number_of_edges)(?:\(\s*\))?|\bnum_edges\(\s*\)", "num_edges"),
    rule(rf"\b(?:static_cast|reinterpret_cast)\s*<\s*(?P<type>{TYPE})\s*>\s*\(\s*(?P<value>{INSIDE}+?)\s*\)", cast),
    rule(rf"\(\s*(?P<type>{TYPE})\s*\)\s*(?P<value>{ELEMENT}|\d[\d.]*)", cast),
    rule(rf"(?P<value>{ELEMENT}|\d[\d.]*)\s+as\s+(?P<type>{TYPE})\b", cast, "a cast is a call: `float32(x)`"),
    rule(rf"\b(?P<type>{'|'.join(FOREIGN_TYPES)})\s*\(\s*(?P<value>{INSIDE}+?)\s*\)", cast),
    rule(rf"({ELEMENT}|\d[\d.]*|\([^()]*\))\s*\*\*\s*(\w[\w.]*)", power, "a power is `pow(x, y)`"),
    rule(rf"\b({NAME})\s*->\s*({NAME})\b(?!\s*\()", r"\2[\1]", "an element is written `a[v]`"),
    rule(rf"\b({NAME})\.({NAME})\b(?!\s*\()", r"\2[\1]", "an element is written `a[v]`"),
    rule(rf"\b({NAME})\(\s*({NAME})\s*\)(?=\s*[-+*&|^]?=(?!=))", r"\1[\2]", "an element is written `a[v]`"),
    # logic and choices
    rule(
        rf"(?<=[=(,])(\s*)({INSIDE}+?)\s+if\s+({INSIDE}+?)\s+else\s+({INSIDE}+?)(?=\s*[;)])",
        r"\1\3 ? \2 : \4",
        "a choice is written `c ? a : b`",
    ),
    rule(
        rf"(?<=[=(,])(\s*)if\s*\(?({INSIDE}+?)\)?\s+then\s+({INSIDE}+?)\s+else\s+({INSIDE}+?)(?=\s*[;)])",
        r"\1\2 ? \3 : \4",
        "a choice is written `c ? a : b`",
    ),
    rule(r"\bis\s+not\b", "!="),
    rule(r"\bis\b", "=="),
    rule(r"\band\b", "&&"),
    rule(r"\bor\b", "||"),
    rule(r"\bnot\s*(?=\()", "!"),
    rule(rf"\bnot\s+({ELEMENT})(?!\s*(?:[<>]|[=!]=|\())", r"!\1"),
    rule(rf"\bnot\s+({ELEMENT}\s*(?:[<>]=?|[=!]=)\s*[-\w.\[\]]+)", r"!(\1)"),
    rule(r"!==", "!="),
    rule(r"===", "=="),
    rule(r"<>", "!="),
    rule(r"=<", "<="),
    rule(rf"~\s*({ELEMENT}|\()", r"!\1"),
    rule(rf"({ELEMENT}|\d[\d.]*)\s*(<=?)\s*({ELEMENT})\s*(<=?)\s*({ELEMENT}|\d[\d.]*)", r"\1 \2 \3 && \3 \4 \5"),
)
