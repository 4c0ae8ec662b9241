"""Declarations, heads of blocks, statements and parts of a program as other languages write them."""

from __future__ import annotations

from gdsl.frontend.vocabulary import FOREIGN_TYPES
from gdsl.suggestions.rule import DECLARED, ELEMENT, INSIDE, METHOD, NAME, TYPE, Rule, included, rule, typed

FORMS: tuple[Rule, ...] = (
    # declarations
    rule(rf"^(vertex|edge)\s+({NAME})\s*;", r"\1 \2 : int32;"),
    rule(rf"^(vertex|edge)\s+({NAME})\s*=\s*(-?\d+)\s*;", r"\1 \2 : int32 = \3;"),
    rule(rf"^(vertex|edge)\s+({NAME})\s*=\s*(-?\d*\.\d+)\s*;", r"\1 \2 : float32 = \3;"),
    rule(rf"^(vertex|edge)\s+({NAME})\s*=\s*(true|false)\s*;", r"\1 \2 : bool = \3;"),
    rule(rf"^(vertex|edge)\s+({NAME})\s*=\s*(id|none)\s*;", r"\1 \2 : vertex = \3;"),
    rule(
        rf"^(?P<const>const\s+|final\s+|constexpr\s+)?(?P<type>{TYPE})\s+(?P<name>{NAME})\s*=\s*(?P<value>[^;]+?)\s*;",
        typed,
        DECLARED,
    ),
    rule(rf"^(?:const\s+)?auto\s*&?\s*({NAME})\s*=", r"let \1 =", "a local is declared with `let` or `var`"),
    rule(rf"^(?:const|final|constexpr|val)\s+({NAME})\s*=", r"let \1 =", "a local is declared with `let` or `var`"),
    rule(rf"^let\s+mut\s+({NAME})", r"var \1", "a local that changes is a `var`"),
    rule(rf"^({NAME})\s*:=", r"let \1 =", "a local is declared with `let` or `var`"),
    rule(r":=", "="),
    rule(rf":\s*(?P<type>{'|'.join(FOREIGN_TYPES)})\b", lambda m: f": {FOREIGN_TYPES[m['type']]}"),
    rule(rf"->\s*(?P<type>{'|'.join(FOREIGN_TYPES)})\b", lambda m: f"-> {FOREIGN_TYPES[m['type']]}"),
    rule(
        rf"^(?:const\s+)?({NAME})\s*:\s*vector\s*\{{\s*(Vertex|Edge)\s*\}}\s*\(\s*({TYPE})\s*\)",
        lambda m: f"{m[2].lower()} {m[1]} : {FOREIGN_TYPES.get(m[3], m[3])}",
        DECLARED,
    ),
    rule(
        rf"^(vertex|edge)\s*<\s*({TYPE})\s*>\s*({NAME})",
        lambda m: f"{m[1]} {m[3]} : {FOREIGN_TYPES.get(m[2], m[2])}",
        DECLARED,
    ),
    rule(
        rf"^(vertex|edge|scalar|param)\s+({TYPE})\s+({NAME})",
        lambda m: f"{m[1]} {m[3]} : {FOREIGN_TYPES.get(m[2], m[2])}",
        DECLARED,
    ),
    # heads
    rule(rf"^(if|while)\s+(?!\()({INSIDE}+?)\s*:?\s*$", r"\1 (\2)", "a condition is written in parentheses"),
    rule(r"^(if|while|repeat)\s*(\(.*\))\s*:\s*$", r"\1 \2", "a block is written in braces"),
    rule(r"^(?:elif|elseif|elsif)\s*(\(.*\))\s*:?\s*$", r"else if \1", "another condition is `else if (…)`"),
    rule(rf"^(?:elif|elseif|elsif)\s+({INSIDE}+?)\s*:?\s*$", r"else if (\1)", "another condition is `else if (…)`"),
    rule(r"^else\s*:\s*$", "else", "a block is written in braces"),
    rule(
        r"^repeat\s+(?!\()([\w.]+)(?:\s+times)?\s*:?\s*$",
        r"repeat (\1)",
        "the number of passes is written in parentheses",
    ),
    rule(r"^until\s*(\(.*\))\s*$", r"while (!\1)"),
    rule(r"^unless\s*(\(.*\))\s*$", r"if (!\1)"),
    rule(
        rf"^for\s*\(\s*(?:{TYPE}|auto)?\s*({NAME})\s*=\s*([^;]+?)\s*;\s*\1\s*<\s*([^;]+?)\s*;\s*(?:\+\+\s*\1|\1\s*\+\+|\1\s*\+=\s*1)\s*\)",
        r"for \1 in \2..\3",
        "a loop over numbers is `for i in 0..n`",
    ),
    rule(
        rf"^for\s*\(\s*(?:{TYPE}|auto)?\s*({NAME})\s*=\s*([^;]+?)\s*;\s*\1\s*<=\s*([^;]+?)\s*;\s*(?:\+\+\s*\1|\1\s*\+\+|\1\s*\+=\s*1)\s*\)",
        included,
        "a loop over numbers is `for i in 0..n`",
    ),
    rule(
        rf"^(?:for|foreach)\s*\(?\s*(?:(?:{TYPE}|auto|vertex|edge|Vertex)\s*&?\s+)?({NAME})\s*(?::|\bin\b|\bof\b)\s*(?:[gG]\.|graph\.)?(?:neighbors|neighbours|adj|out_neighbors|successors|getNeighbors)\s*[\[(]\s*({NAME})\s*[\])]\s*\)?\s*:?\s*$",
        r"for \1 in neighbors(\2)",
        "a loop over neighbors is `for u in neighbors(v)`",
    ),
    rule(
        rf"^(?:for|foreach)\s*\(?\s*(?:(?:{TYPE}|auto|vertex|edge|Vertex)\s*&?\s+)?({NAME})\s*(?::|\bin\b|\bof\b)\s*({NAME})\.(?:neighbors|neighbours|adj|out_neighbors|getNeighbors|getOutNgh)(?:\(\s*\))?\s*\)?\s*:?\s*$",
        r"for \1 in neighbors(\2)",
        "a loop over neighbors is `for u in neighbors(v)`",
    ),
    rule(
        rf"^for\s+({NAME})\s+in\s+range\(\s*([^(),]+)\s*\)\s*:?",
        r"for \1 in 0..\2",
        "a loop over numbers is `for i in 0..n`",
    ),
    rule(
        rf"^for\s+({NAME})\s+in\s+range\(\s*([^(),]+)\s*,\s*([^(),]+)\s*\)\s*:?",
        r"for \1 in \2..\3",
        "a loop over numbers is `for i in 0..n`",
    ),
    rule(rf"^for\s*\(\s*({NAME}\s+in\s+.*)\)\s*$", r"for \1", "`for` has no parentheses"),
    rule(
        rf"^for\s+({NAME})\s+in\s+([\w.]+)\s*\.\.=\s*([\w.]+)",
        included,
        "the end of a range does not belong to it",
    ),
    rule(
        rf"^for\s+({NAME})\s*(?:=|in)\s*([\w.]+)\s*(?:to|:)\s*([\w.]+)(?:\s+do)?\s*:?\s*$",
        included,
        "a loop over numbers is `for i in 0..n`",
    ),
    rule(r"^(cond|apply|value)\s*:\s*", r"\1 ", "a part of a functor has no `:`"),
    rule(rf"^(cond|value|accept)\s*=\s*({INSIDE}+);", r"\1 \2;", "a part of a functor has no `=`"),
    # other words of the same meaning
    rule(rf"^frontier\s+({NAME})\s*:\s*[\w{{}}<>\s]+?=", r"frontier \1 =", "a frontier has no type beside its name"),
    rule(rf"\b({NAME})\s+(?:union|or|\+)\s+(\{{)", r"\1 | \2", "sets are combined by `|`, `&` and `-`"),
    rule(
        rf"\b({NAME})\s+(?:intersect|intersection|and)\s+({NAME})\b",
        r"\1 & \2",
        "sets are combined by `|`, `&` and `-`",
    ),
    rule(rf"\b({NAME})\s+(?:except|minus|without)\s+({NAME})\b", r"\1 - \2", "sets are combined by `|`, `&` and `-`"),
    rule(
        rf"\b(?:size|count|len|sizeof)\s*\(?\s*({NAME})\s*\)?(?=\s*[;)])",
        r"size(\1)",
        "the number of elements of a set is `size(f)`",
    ),
    rule(rf"\b(min|max)\(\s*({INSIDE}+?)\s*,\s*({INSIDE}+?)\s*,\s*({INSIDE}+?)\s*\)", r"\1(\1(\2, \3), \4)"),
    rule(rf"\b({ELEMENT})\.(min|max)\(\s*({INSIDE}+?)\s*\)", r"\2(\1, \3)", "a function is called by its name"),
    rule(
        rf"^({ELEMENT})\s*=\s*(?:min|max)\s+({INSIDE}+?)\s*,\s*({INSIDE}+?)\s*;",
        lambda m: f"{m[1]} = {m[0].split('=')[1].split()[0]}({m[2]}, {m[3]});",
    ),
    rule(
        rf"^({ELEMENT})\s*=\s*(any|min|max)\s+({INSIDE}+?)\s*;",
        r"\1 \2= \3;",
        "the kind of an update is part of its sign",
    ),
    rule(rf"^({ELEMENT})\s*\|\|?=\s*1\s*;", r"\1 = true;"),
    rule(rf"^({ELEMENT})\s*(?:\|\||or)=\s*", r"\1 |= ", "an update by `or` is `|=`"),
    rule(rf"^({ELEMENT})\s*(?:&&|and)=\s*", r"\1 &= ", "an update by `and` is `&=`"),
    rule(
        rf"^({ELEMENT})\s*=\s*if\s*\(?({INSIDE}+?)\)?\s*\{{\s*({INSIDE}+?)\s*\}}\s*else\s*\{{\s*({INSIDE}+?)\s*\}}\s*;",
        r"\1 = \2 ? \3 : \4;",
        "a choice is written `c ? a : b`",
    ),
    rule(
        rf"^({ELEMENT})\s*=\s*({INSIDE}+?)\s+if\s+({INSIDE}+?)\s*;", r"if (\3) { \1 = \2; }", "a condition comes first"
    ),
    rule(rf"^(?:set|let|call|update)\s+({ELEMENT})\s*=\s*", r"\1 = ", "an assignment begins with what is assigned"),
    rule(rf"^(?:local|my|int|dim|def)\s+\$?({NAME})\s*=\s*", r"var \1 = ", "a local is declared with `let` or `var`"),
    rule(rf"^({NAME})\s*<-\s*", r"let \1 = ", "a local is declared with `let` or `var`"),
    rule(rf"^({ELEMENT})\s*<-\s*", r"\1 = ", "an assignment is `=`"),
    rule(rf"^({NAME})\s*\{{\s*({NAME})\s*\}}\s*=", r"\1[\2] =", "an element is written `a[v]`"),
    rule(rf"\b({NAME})\.({NAME})\b(?!\s*\()", r"\1[\2]", "an element is written `a[v]`"),
    rule(
        rf"^({NAME})\s*\[\s*(?::|\*|\.\.|[A-Za-z_])\s*\]\s*=\s*({INSIDE}+?)\s*;",
        r"fill(\1, \2);",
        "all elements are set by `fill`",
    ),
    rule(rf"^({NAME})\s*=\s*({INSIDE}+?)\s*;", r"compute(vertices, v => { \1[v] = \2; });"),
    rule(rf"^({NAME})\s*=\s*\1\s*([-+*/])\s*([\d.]+)\s*;", r"compute(vertices, v => { \1[v] = \1[v] \2 \3; });"),
    rule(rf"^({NAME})\s*=\s*({NAME})\s*;", r"compute(vertices, v => { \1[v] = \2[v]; });"),
    rule(
        rf"^(?:call|run|do|exec|launch|apply)\s+({NAME})\s*;", r"compute(vertices, \1);", "an operator runs a functor"
    ),
    rule(rf"^swap\s+({NAME})\s*,\s*({NAME})\s*;", r"swap(\1, \2);"),
    rule(rf"!\s*empty\(\s*({NAME})\s*\)", r"\1"),
    rule(rf"\bempty\(\s*({NAME})\s*\)", r"size(\1) == 0"),
    rule(
        rf"\b(if|while)\s*\(\s*({NAME})\s*==\s*(?:none|null|None|\{{\s*\}})\s*\)",
        r"\1 (size(\2) == 0)",
        "the number of elements of a set is `size(f)`",
    ),
    rule(
        rf"\b(filter|where)\((\s*{NAME}\s*,)?\s*({NAME})\s*(?::|->)\s*({INSIDE}+)\)",
        r"\1(\2 \3 => \4)",
        "a functor without a name is written with `=>`",
    ),
    rule(
        rf"\|\s*({NAME}(?:\s*,\s*{NAME})*)\s*\|",
        lambda m: f"{m[1]} =>" if "," not in m[1] else f"({m[1]}) =>",
        "a functor without a name is written with `=>`",
    ),
    rule(
        rf"\bcompute\(\s*({NAME})\s*,\s*({NAME}\[\s*({NAME})\s*\]\s*[-+*&|]?=\s*{INSIDE}+)\)",
        r"compute(\1, \3 => { \2; })",
        "statements of a functor without a name stand in braces",
    ),
    rule(
        rf"\b(advance|filter|compute)\(\s*({NAME})\s+({NAME})\s*\)", r"\1(\2, \3)", "arguments are separated by commas"
    ),
    rule(
        rf"\b(advance|filter|compute)\[\s*({NAME})\s*,\s*({NAME})\s*\]",
        r"\1(\2, \3)",
        "arguments are written in parentheses",
    ),
    *(
        rule(rf"\b(neighbor_reduce\([^()]*,\s*){sign}\s*\)", rf"\1{word})", "a reduction is a word, such as `sum`")
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
    rule(r"^for\s+(\w+)\s+times\s*$", r"repeat (\1)", "a block is repeated by `repeat (n)`"),
    rule(r"^loop\s*\(\s*(\w+)\s*\)", r"repeat (\1)", "a block is repeated by `repeat (n)`"),
    rule(r"^loop\s*$", "while (true)"),
    rule(
        rf"^for\s+{NAME}\s+in\s+(?:0\s*\.\.\s*|range\(\s*)([\w.]+)\s*\)?\s*:?\s*$",
        r"repeat (\1)",
        "a block is repeated by `repeat (n)`",
    ),
    rule(
        rf"^for\s*\(\s*(?:{TYPE}|auto)?\s*({NAME})\s*=\s*0\s*;\s*\1\s*<\s*([^;]+?)\s*;[^;{{}}]*\)",
        r"repeat (\2)",
        "a block is repeated by `repeat (n)`",
    ),
    rule(
        rf"^({NAME})\s*=\s*(?:size|count|len)\s*\(?\s*({NAME})\s*\)?\s*;",
        r"\1 = int32(size(\2));",
        "the number of elements of a set is `size(f)`",
    ),
    rule(rf"^({NAME})\s*=\s*({NAME})\.(?:size|length|count)\(\s*\)\s*;", r"\1 = int32(size(\2));", METHOD),
    # parts of a program
    rule(
        rf"^function\s+({NAME})\(\s*({NAME})\s*\)\s*$",
        r"function \1(\2 : int32) -> int32",
        "parameters and results have types",
    ),
    rule(r"^(problem|schedule|tune|apply)\s*:\s*$", r"\1 {", "a block is written in braces"),
    rule(
        r"^(problem|schedule|tune|apply)\s*(?:\(\s*\)|=|:)+\s*$",
        r"\1",
        "a part of a program begins with its name and `{`",
    ),
    rule(
        r"^(?:data|variables|state|globals|declarations|Problem|PROBLEM)\s*$",
        "problem",
        "data are declared in `problem { … }`",
    ),
    rule(
        r"^(?:void\s+|int\s+)?(?:main|Schedule|run|def main|fn main)\s*(?:\(\s*\))?\s*:?\s*$",
        "schedule",
        "what runs is `schedule { … }`",
    ),
    rule(
        rf"^(?:module|package|Program|PROGRAM|name|algorithm|graph)\s+({NAME})\s*;",
        r"program \1;",
        "a program begins with `program name;`",
    ),
    rule(
        rf"^function\s+({TYPE})\s+({NAME})\(\s*({TYPE})\s+({NAME})\s*\)",
        lambda m: f"function {m[2]}({m[4]} : {FOREIGN_TYPES.get(m[3], m[3])}) -> {FOREIGN_TYPES.get(m[1], m[1])}",
        DECLARED,
    ),
    rule(
        rf"^(?:__device__\s+|inline\s+|static\s+)*({TYPE})\s+({NAME})\(\s*({TYPE})\s+({NAME})\s*\)",
        lambda m: f"function {m[2]}({m[4]} : {FOREIGN_TYPES.get(m[3], m[3])}) -> {FOREIGN_TYPES.get(m[1], m[1])}",
        DECLARED,
    ),
    rule(
        rf"^(?:pub\s+)?(?:fn|def|func|fun)\s+({NAME})\(\s*({NAME})\s*:\s*({TYPE})\s*\)\s*->\s*({TYPE})\s*:?",
        lambda m: f"function {m[1]}({m[2]} : {FOREIGN_TYPES.get(m[3], m[3])}) -> {FOREIGN_TYPES.get(m[4], m[4])}",
        "a function is declared with `function`",
    ),
    rule(rf"^procedure\s+({NAME})\s*$", r"procedure \1()", "a procedure has parentheses"),
    rule(rf"^cond\s*\(({INSIDE}+)\)\s*(?=apply|value)", r"cond \1; ", "a condition ends with `;`"),
    rule(
        rf"^(?:where|when|if|filter|guard)\s+\(?({INSIDE}+?)\)?\s*;",
        r"cond \1;",
        "what must hold of a call is its `cond`",
    ),
    rule(rf"^return\s+({INSIDE}+?)\s*;", r"cond \1;"),
    rule(rf"^return\s+({INSIDE}+?)\s*;", r"value \1;"),
    # data
    rule(
        rf"^(?:var|let|int|global|static)\s+({NAME})\s*:\s*({TYPE})",
        lambda m: f"scalar {m[1]} : {FOREIGN_TYPES.get(m[2], m[2])}",
        "a single value is a `scalar`",
    ),
    rule(
        rf"^(?!vertex\b|edge\b)({TYPE})\s+({NAME})\s*(=[^;]*)?;",
        lambda m: f"scalar {m[2]} : {FOREIGN_TYPES.get(m[1], m[1])}{' ' + m[3].strip() if m[3] else ''};",
        DECLARED,
    ),
    rule(rf"^({NAME})\s*:\s*({TYPE})", lambda m: f"scalar {m[1]} : {FOREIGN_TYPES.get(m[2], m[2])}"),
    rule(
        rf"^(?:var|let|const|scalar)\s+({NAME})\s*=\s*(-?\d+)\s*;",
        r"scalar \1 : int32 = \2;",
        "a single value is a `scalar` with a type",
    ),
    rule(
        rf"^(?:var|let|const|scalar)\s+({NAME})\s*=\s*(-?\d*\.\d+)\s*;",
        r"scalar \1 : float32 = \2;",
        "a single value is a `scalar` with a type",
    ),
    rule(
        r"^(?:private|public|output|static)\s+(vertex|edge|scalar|param)\b",
        r"\1",
        "all data are results, but for `local` data",
    ),
    rule(
        r"^(vertex|edge|scalar)\s+(?:output|result|local|private)\s+",
        r"\1 ",
        "all data are results, but for `local` data",
    ),
    rule(r"^(edge|vertex)\s+input\b", r"input \1", "`input` comes first"),
    rule(rf"^(input|local)\s+({NAME})\s*:", r"\1 vertex \2 :", "data are of vertices, of edges, or one value"),
    rule(rf"^(input|local)\s+({NAME})\s*:", r"\1 edge \2 :", "data are of vertices, of edges, or one value"),
    rule(
        rf"^(vertex|edge|scalar)\s+({NAME})\s*,\s*({NAME})\s*:\s*([^;]+);",
        r"\1 \2 : \4; \1 \3 : \4;",
        "each name has a declaration of its own",
    ),
    rule(
        rf"^(vertex|edge|scalar)\s+({NAME})\s*:\s*([^,;]+),\s*({NAME})\s*:\s*([^,;]+);",
        r"\1 \2 : \3; \1 \4 : \5;",
        "each name has a declaration of its own",
    ),
    rule(
        rf"^(input\s+(?:vertex|edge)|param)\s+({NAME})\s*:\s*({NAME})\s*(?:where\s*)?([<>]=?|[=!]=)\s*([\w.]+)\s*;",
        r"\1 \2 : \3 where \2 \4 \5;",
        "a condition names the value: `where x >= 0`",
    ),
    rule(
        rf"^(param\s+{NAME})\s*:\s*(?:vertex\s*\[\s*\]|set|list|frontier|vertexset)\s*;",
        r"\1 : vertex set;",
        "a set of vertices from the caller is a `vertex set`",
    ),
    rule(
        rf"^((?:vertex|edge)\s+{NAME}\s*:\s*\w+\s*=\s*)[\[{{]\s*([-\w.]+)\s*[\]}}]\s*;",
        r"\1\2;",
        "an initial value is for each element",
    ),
    # statements
    rule(r"^return\s+(true|false|changed\(.*\))\s*;\s*$", r"accept \1;"),
    rule(r"^return\s*;\s*$", ""),
    rule(rf"^({ELEMENT})\s*=\s*({ELEMENT})\s*=\s*([^=;]+?)\s*;", r"\1 = \3; \2 = \3;", "an assignment has no value"),
    rule(r"^(?:print|printf|println|std::cout|cout|console\.log|assert)\b[^;]*;", ""),
    rule(r"\bself\.|\bthis\.", ""),
)
