"""The table of common mistakes of syntax.

The parser stopped at a token (`Failure`). An entry of the table states its conditions on this token, the one before it,
the expected tokens and the text around it; the first entry that fits is shown.
"""

from __future__ import annotations

from gdsl.frontend import mistake_functions as functions
from gdsl.frontend.failures import NO_STRINGS
from gdsl.frontend.mistake_patterns import (
    ELEMENT,
    INSIDE,
    POSTFIX,
    SPELLINGS,
    TYPE,
    VALUE,
    Mistake,
    foreign,
    mistake,
    unexpected,
)
from gdsl.frontend.vocabulary import CONTEXTUAL_FUNCTIONS, FUNCTIONS, TYPES
from gdsl.types import TYPE_CLASSES

# ---------------------------------------------------------------- words and patterns

_NAMED_CALLS = FUNCTIONS | CONTEXTUAL_FUNCTIONS | TYPES.keys()
_CALLS_OPERATOR = r"\b(?:filter|where|compute|advance|neighbor_reduce|neighbor_vote|intersect|top)\s*\("
_PARAMETERS = r"\w+|\([\w\s,]*\)"
_PAIR_TYPE = r"\b(?:std::)?(?:pair|tuple|Pair|Tuple)\s*[<(\[]\s*(?P<first>\w+)\s*,\s*(?P<second>\w+)\s*[>)\]]"
_FUNCTOR_HEAD = r"^\s*(?P<kind>vertex|edge|common|vote)\s+functor\s+(?P<name>\w+)\s*\((?P<parameters>[^()]*)\)?"
_FUNCTOR = r"^\s*(?P<kind>{})\s+functor\s+(?P<name>\w+)\s*(?:\([^()]*)?$"
_LOCAL = r"^\s*(?P<word>let|var)\s+(?P<name>\w+)\s*(?::\s*(?P<type>\w+)\s*)?$"
_DATA = r"^\s*(?:(?:input|local)\s+)*(?P<kind>param|vertex|edge|scalar)\s+(?P<name>\w+)\s*$"
_A_TYPE = r"(?P<type>(?:(?:vertex|edge)\s+)?\w+|\(\s*\w+\s*,\s*\w+\s*\))"
_A_VALUE = rf"(?P<value>{VALUE})"
_TARGET = rf"(?P<target>\w+(?:\[{INSIDE}\])*)"
_UPDATED = rf"(?:min|max|[-+*&|^])=\s*{_A_VALUE};"
_FUNCTION = r"(?s)^\s*function\s+(?P<name>\w+)\s*\((?P<parameters>.*)$"
_C_LOOP = (
    r"\(\s*(?:\w+\s+)??(?P<name>\w+)\s*=\s*(?P<first>[^;]+?)\s*;\s*\w+\s*{}(?!=)\s*(?P<last>[^;]+?)\s*;"
    r"\s*(?:\+\+\s*\w+|\w+\s*(?:\+\+|\+=\s*1))\s*\)"
)
_OVER_LIST = r"\bfor\s+\w+\s*(?:,\s*\w+\s*)?\bin\s+neighbors\s*\([^;{}]*\)\s*$"
_LOOP = r"\bfor\s+\w+\s*(?:,\s*\w+\s*)?\bin\b[^;{}]*$"
_BY_FUNCTOR = "values of elements are given by a functor without a name"
_GENERATOR = rf"\b(?P<word>sum|min|max|any|all|count)\s*\(\s*(?P<value>{VALUE})$"
_COMMENT = "a comment begins with `#` and ends with the line"
_FILE = 'write `import name from "file.gdsl";`'
_EACH_VERTEX = "write `scalar $name : $type|type;` for one value, `vertex $name : $type|type;` for one at each vertex"
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
    "/*": _COMMENT,
    "*/": _COMMENT,
    "::": "the functions of the language have no prefix: write `min(…)`, `max(…)`, `abs(…)`, `inf`",
}
_FUNCTION_FORMS = (
    "a function of numbers is `function $name(x : int32) -> int32 { return x; }`; what runs at vertices or along edges "
    "is `vertex functor $name(v) { … }` or `edge functor $name(src, dst, e) { … }`; statements of the schedule are "
    "`procedure $name() { … }`"
)
_PARTS = {
    **dict.fromkeys((
        "def", "fn", "func", "fun", "proc", "void", "int", "float", "double", "bool", "long", "auto", "procedure",
        "kernel", "__global__", "__device__",
    ), _FUNCTION_FORMS),
    **dict.fromkeys(
        ("let", "var", "const", "struct", "class", "typedef", "type", "static", "global", "record"),
        "data are declared in `problem { … }`: `param`, `vertex`, `edge` or `scalar`, then a name, `:` and a type",
    ),
    **dict.fromkeys((
        "include", "using", "from", "namespace", "use", "package", "template", "public", "pub", "export", "module",
    ), "leave it out: a program is one file, and all of the language is there"),
    "main": "what runs is `schedule { … }`",
}
"""Words that begin a part of a program elsewhere."""
_DECLARATIONS = {
    **dict.fromkeys(("node", "nodes", "vertices", "array"), "write `vertex`"),
    "edges": "write `edge`",
    "matrix": "write `vertex a[n] : T` for n values at each vertex, `edge a : T` for one at each edge",
    "frontier": "declare it in the schedule, `frontier f;`; a set of the caller's is `param f : vertex set;`",
    **dict.fromkeys(("global", "static", "shared"), "write `scalar`"),
    **dict.fromkeys(("const", "parameter"), "write `param`"),
    **dict.fromkeys(("struct", "class", "record", "enum"), "declare each part by itself: `vertex a : int32;`"),
    **dict.fromkeys(("output", "result", "out"), "leave it out: all data are results, but for `local` ones"),
}
"""Words that begin a declaration elsewhere."""
_KINDS = {"triangle": "common", "node": "vertex", "link": "edge", "arc": "edge", "ballot": "vote"}
# fmt: on
# ---------------------------------------------------------------- the table
_LAMBDA = "a functor without a name is written with `=>`"
_UNTYPED = "the parameters of a functor have no types"
_PAIR_TYPES = "the type of a pair is written in parentheses"
_TYPE_FIRST = "the type is written after the name"
_NAMED_IMPORTS = "what is imported is named, one by one and as it is called there"
_BEGINS_A_VALUE = "NAME INTEGER HEXADECIMAL FLOAT TRUE FALSE INF NONE NOT VERTICES EDGES FETCH CHANGED CAS"
_ASSIGNS = "EQUAL UPDATE ANY_ASSIGN SHORT_ASSIGN"
# fmt: off
TABLE: tuple[Mistake | functions.Special, ...] = (
    functions.letter_of_another_script,
    unexpected("`$text` is written twice", "leave one out",
                when=lambda f, g: functions.is_repeated(f, g) and f.text.isalnum()),
    # functors without a name
    foreign(_LAMBDA, "write `$names|names => $body`", at="before", before="lambda",
             line=rf"lambda\s+(?P<names>[\w\s,]+?)\s*:\s*(?P<body>{VALUE})"),
    foreign(_LAMBDA, "write `$names|names => $body`", at="sign", sign="->", begun=_CALLS_OPERATOR,
             line=rf"[(,]\s*(?P<names>{_PARAMETERS})\s*->\s*(?P<body>{VALUE})"),
    foreign(_LAMBDA, "write `$names|last => $body|block`", text="[ function", begun=_CALLS_OPERATOR,
             rest=r"(?:\[[^\[\]]*\]|function)\s*\((?P<names>[^()]*)\)\s*(?:->\s*\w+\s*)?\{\s*(?:return\s+(?P<body>[^;{}]*);)?"),
    foreign(_UNTYPED, "write `$names|parameters => $body|or`", text=":",
             line=rf"\(\s*(?P<names>\w+\s*:[^()]*)\)\s*=>\s*(?P<body>{VALUE})?"),
    foreign("statements of a functor without a name are written in braces",
             "write `$names => { $target $text $value; }`", kind=_ASSIGNS,
             begun=rf"(?P<names>{_PARAMETERS})\s*=>\s*(?P<target>[^={{}}]+)$",
             after=rf"\s*(?P<value>{VALUE})"),
    # pairs and several values
    foreign("a part of a pair is written after it", "write `$value.$part`", at="sign", sign="::",
             line=rf"\b(?:std::)?get\s*<\s*(?P<part>[01])\s*>\s*\(\s*(?P<value>{VALUE})\s*\)"),
    foreign("a pair is written in parentheses", "write `($first, $second)`", at="sign", sign="::",
             line=rf"\b(?:std::)?make_(?:pair|tuple)\s*\(\s*(?P<first>{VALUE})\s*,\s*(?P<second>{VALUE})\s*\)"),
    foreign(_PAIR_TYPES, functions.pair_type_fix, at="sign", sign="::", line=_PAIR_TYPE),
    foreign("a random number is a function of its keys", "write `random(v, iteration)`, a float32 below 1",
             at="sign", sign="::", line=r"\bstd::s?rand\b"),
    foreign(_PAIR_TYPES, functions.pair_type_fix, text="< ( [", before="pair tuple Pair Tuple", line=_PAIR_TYPE),
    foreign("the parts of a pair are taken one by one",
             "write `$before $first = $value.0; $before $second = $value.1;`", text="(", before="let var",
             rest=r"\(\s*(?P<first>\w+)\s*,\s*(?P<second>\w+)\s*\)\s*=\s*(?P<value>[^;]+);"),
    unexpected("an edge functor has three parameters, both ends and the edge", functions.functor_head_fix, text=",",
                only="RPAR", begun=_FUNCTOR.format("edge")),
    unexpected("a vertex functor has one parameter, the vertex", functions.functor_head_fix, text=",", only="RPAR",
                begun=_FUNCTOR.format("vertex")),
    unexpected("a pair has two parts", "write `($first, $second)`, and store the rest in other data", text=",",
                only="RPAR", begun=rf"\(\s*(?P<first>{VALUE})\s*,\s*(?P<second>{VALUE})$"),
    unexpected("a pair has two parts", "store the rest in other data", text=",", only="RPAR"),
    functions.values_of_an_element,
    foreign("a local has one value, or a pair",
             lambda f, g: f"declare `local vertex {g['name']}[{g['count']}] : {g['type'] or 'int32'};` in `problem`, "
                          f"and write `{g['name']}[v][i]`",
             text="[", begun=r"\b(?:let|var)\s+(?P<name>\w+)\s*$",
             rest=rf"\[\s*(?P<count>\w+)\s*\]\s*(?::\s*(?P<type>{TYPE})\b)?"),
    foreign("a loop over numbers has no step",
             "write `for $name in 0..n { … }` with as many rounds, and calculate the number from `$name`", text="..",
             expects="LBRACE", begun=r"\bfor\s+(?P<name>\w+)\s+in\s+[^{}]*\.\.[^{}]*$"),
    foreign("an edge has one index", "write `$array[e]`", text=",", expects="RSQB",
             begun=r"(?P<array>\w+)\[\s*src\s*$", rest=r",\s*dst\s*\]"),
    foreign("each index has its own brackets", "write `$array[$first][$second]`", text=",", expects="RSQB",
             begun=r"(?P<array>\w+)\[(?P<first>[^\[\],]+)$", rest=r",\s*(?P<second>[^\[\],]+)\]"),
    # heads of programs
    unexpected("a program has one doc comment, before `program`", "write its text there; other comments begin with `#`",
                kind="DOC"),
    unexpected("a file holds one program", "write each into a file of its own", text="program", expects="SCHEDULE",
                lacks="PROGRAM"),
    unexpected("commas separate what a graph must be", "write `requires $first, $text;`", kind="NAME", expects="COMMA",
                begun=r"^\s*requires\s+(?P<first>\w+(?:\s*,\s*\w+)*)\s*$"),
    foreign("a knob is set by a statement of its own", "write `$subject.$knob = $value;`", text="{",
             begun=r"^\s*(?:tune\s*\{)?\s*(?P<subject>@?\w+)\s*$", lacks="SEMICOLON",
             rest=r"\{\s*(?P<knob>\w+)\s*[=:]\s*(?P<value>\w+)"),
    foreign("a knob is set by a statement of its own", "write `$subject.$knob = $value;`", text=":",
             begun=r"^\s*(?P<subject>@?\w+)\s*$", expects="EQUAL OFF", rest=r":\s*(?P<knob>\w+)\s*=\s*(?P<value>\w+)"),
    foreign("a knob is set by `=`", "write `$knob = $value;`", text="(", only="EQUAL",
             begun=r"^\s*(?P<knob>@?\w+(?:\.\w+)?)\s*$", rest=r"\(\s*(?P<value>\w+)\s*\)"),
    unexpected("a `;` ends each entry", "write `;` in place of the comma", text=",", only="LPAR SEMICOLON",
                begun=r"^\s*@?\w+(?:\.\w+)?\s*=\s*\w+\s*$"),
    # heads of functors
    foreign(_UNTYPED, "write `$kind functor $name($parameters|untyped)`", text=":", only="RPAR|COMMA|RPAR COMMA",
             line=_FUNCTOR_HEAD),
    foreign("a vote functor gives a number",
             "write `vote functor $name($parameters) -> int64 { value …; }`, or what it gives", text="{",
             line=_FUNCTOR_HEAD.replace("vertex|edge|common|vote", "vote"), begun=r"^(?:[^-]|-(?!>))*$"),
    foreign("a functor has a `value`", "write `value $value|or;`", text="return", expects_any="APPLY VALUE",
             rest=r"return(?:\s+(?P<value>[^;]+);)?"),
    foreign("there is no `$text functor`", lambda f, g: f"write `{_KINDS[f.text]} functor`", text=_KINDS,
             rest=r"\w+\s+functor\b"),
    foreign("what runs at vertices or along edges is a functor", "write `$kind functor`", at="both", text="function",
             begun=r"^\s*(?P<kind>vertex|edge|common|vote)\s*$"),
    unexpected("the parts of a functor are in braces", "put a `{` before this, and a `}` after the last part",
                text="cond apply value", expects="LBRACE", begun=r"\bfunctor\s+\w+\s*\([^()]*\)\s*(?:->[^{}]*)?$"),
    unexpected("names consist of letters, digits and `_`",
                lambda f, g: f"write `program {g['name']}{g['more'].replace('-', '_')}`", text="-", only="SEMICOLON",
                begun=r"^\s*program\s+(?P<name>\w+)\s*$", rest=r"(?P<more>(?:-\w+)+)"),
    # sets, histories and buckets
    foreign("a set has no ranges", "`where(v => v >= $first && v < $last)` selects vertices by their ids", text="..",
             line=r"\{\s*(?P<first>\w+)\s*\.\.\s*(?P<last>\w+)\s*\}"),
    foreign("a frontier is declared without a type", "write `frontier $name`, or `edge frontier $name`",
             before="frontier", rest=r"<[^<>]*>\s*(?P<name>\w+)"),
    foreign("a set is written in braces", "write `{ … }` with its vertices, or `{ }`", before="new",
             rest=r"\w*vertexset"),
    foreign(_BY_FUNCTOR, "write `$word($name => $value)`", text="for", begun=_GENERATOR,
             rest=r"for\s+(?P<name>\w+)\s+in\s+vertices\s*\)"),
    foreign(_BY_FUNCTOR, "write `$word($name => $value, $set)`", text="for", begun=_GENERATOR,
             rest=r"for\s+(?P<name>\w+)\s+in\s+(?P<set>\w+)\s*\)"),
    foreign(_BY_FUNCTOR, "write `neighbor_reduce(vertices, (src, $name, e) => $value, $word)`, in the schedule",
             text="for", begun=_GENERATOR, rest=r"for\s+(?P<name>\w+)\s+in\s+(?:out_)?neighbors\s*\("),
    foreign("a set is built by an operator", "write `filter($set, $name => $condition)`", text="for",
             line=rf"\{{\s*(?P<name>\w+)\s+for\s+(?P=name)\s+in\s+(?P<set>\w+)\s+if\s+(?P<condition>{VALUE})\}}"),
    foreign("a set is built by an operator", "write `where($name => $condition)`", text="for [",
             line=rf"[\[{{]\s*(?P<name>\w+)\s+for\s+(?P=name)\s+in\s+vertices\s+if\s+(?P<condition>{VALUE})[\]}}]"),
    foreign("a set is built by an operator", "write `filter($set, $name => $condition)`", text="[",
             line=rf"\[\s*(?P<name>\w+)\s+for\s+(?P=name)\s+in\s+(?P<set>\w+)\s+if\s+(?P<condition>{VALUE})\]"),
    foreign("a set is built by an operator", "write `where($name => $condition)`", text=":", expects="RBRACE",
             line=rf"\{{\s*(?P<name>\w+)\s*:\s*(?P<condition>(?=[^{{}}]*[<>=!\[(]){VALUE})\}}"),
    foreign("a set is built by an operator", "write `where(v => …)`, with the condition for one vertex", text="where",
             expects="SEMICOLON", begun=r"=\s*vertices\s*$"),
    foreign("a set is built by an operator", "write `filter($before, v => …)`, with the condition for one member",
             text="where", expects="SEMICOLON", begun=r"=\s*\w+\s*$"),
    unexpected("a declaration has one name", "write `$kind $name; $kind $other`", text=",", at="rest",
                begun=r"^\s*(?P<kind>(?:edge\s+)?frontier)\s+(?P<name>\w+)\s*$", rest=r",\s*(?P<other>\w+)"),
    unexpected("a functor without a name begins with its parameters", "write `v => { … }`, or `(src, dst, e) => { … }`",
                kind=_ASSIGNS, line=_CALLS_OPERATOR + r"[^;{}]*,\s*\{[^;{}=]*=", expects="RBRACE"),
    foreign("`$text=` is one word", "write `$target $text= $value;`", text="min max any",
             begun=r"(?s)^\s*(?P<target>\S.*)$", rest=rf"\w+\s+=(?!=)\s*(?P<value>{VALUE})"),
    foreign("a history begins empty", "write `history $name;`", text="< ( =", begun=r"^\s*history|\bhistory\s*$",
             line=r"\bhistory\s*(?:<[^<>]*>)?\s*(?P<name>\w+)"),
    foreign("buckets take an array and a width", "write `buckets $name(A, width) = { source };`", text="< ( =",
             begun=r"^\s*buckets|\bbuckets\s*$", line=r"\bbuckets\s*(?:<[^<>]*>)?\s*(?P<name>\w+)"),
    foreign("a worklist by levels is written as buckets", "write `buckets $name$other(A, width) = { source };`",
             before="priority_queue PriorityQueue heap Heap new >",
             line=r"^(?=.*\b(?:priority_queue|PriorityQueue|heap|Heap)\b).*?(?:(?:priority_queue|PriorityQueue)\s*"
                  r"(?:<[^<>]*>)?\s+(?P<name>\w+)|\b(?P<other>\w+)\s*=\s*new\b)"),
    functions.block_after_colon,
    functions.range_form,
    # imports and procedures
    foreign("the names come before the file", 'write `import $names from "$file.gdsl";`', text="from",
             line=r"^\s*from\s+(?P<file>[\w.]+)\s+import\s+(?P<names>[\w\s,]+)"),
    foreign("a program begins with `program name;`", functions.import_first_fix, text="import", expects="PROGRAM",
             line=r"^\s*import\b"),
    foreign("the name of the file is written in quotes", functions.import_fix, only="STRING", line=r"^\s*import\b"),
    foreign(_NAMED_IMPORTS, functions.import_fix, text="* { as", line=r"^\s*import\b"),
    foreign(_NAMED_IMPORTS, functions.import_fix, kind="STRING", before="import", line=r"^\s*import\b"),
    foreign("a procedure gives no value",
             "write `$head { … }`; store its result in a scalar or an array", text="->",
             begun=r"(?s)^\s*(?P<head>.*?)\s*-?\s*$", line=r"^\s*procedure\s+\w+"),
    foreign("the parameter `$before` has no type", "write `$before : int32`, or what it is", text=", )", only="COLON",
             line=r"^\s*(?:procedure|function|operator)\s+\w+"),
    unexpected("a `:` is missing", "write `$before : $type|type`", kind="NAME VERTEX EDGE LPAR", only="COLON",
                line=r"^\s*(?:procedure|function|operator)\s+\w+", rest=_A_TYPE, when=functions.is_type),
    unexpected("`from` is missing", _FILE, kind="STRING", expects="FROM"),
    mistake("E0102", 'unknown character `"`', NO_STRINGS, at="first", kind="STRING"),
    unexpected("the name of the file is written in quotes", _FILE, only="STRING", at_end=True),
    # numbers
    mistake("E0109", "a number ends with its point", "write `1.0`, with digits on both sides", at="before",
             before=".", not_kind="NAME", begun=r"\d\.$", at_end=True),
    functions.number_with_suffix,
    mistake("E0109", "a number begins with its point", "write `0.5`, with digits on both sides", text=".",
             rest=r"\.\d"),
    # expressions of other languages
    functions.cast_form,
    functions.step_form,
    foreign("`:=` is not an operator here", "write `let x = …` for a new name, `x = …` for one that exists",
             at="sign", sign=":="),
    foreign("`->` is not an operator here", "write `$array[$index]`", at="both",
             line=r"(?P<index>\w+)\s*->\s*(?P<array>\w+)", when=lambda f, g: f.joined == "->"),
    foreign("`->` is not an operator here", "an element is written `a[v]`", at="both",
             when=lambda f, g: f.joined == "->"),
    foreign("`=>` is written between the parameters and the body of a functor, as the argument of an operator",
             "write `f = where(v => …);`; at least as large is `>=`", at="sign", sign="=>",
             begun=r"^(?!\s*(?:if|while|cond|accept|value|return|let|var)\b)"),
    *(foreign(f"`{sign}` is not an operator here", fix, at="sign", sign=sign) for sign, fix in _SIGNS.items()),
    *(foreign(f"`{sign}` is not an operator here", f"write `{sign[::-1]}`", at="sign", sign=sign)
      for sign in ("=+", "=*", "=|")),
    functions.conditional_form,
    functions.word_operator,
    foreign("nothing asks whether a set has an element",
             "mark its members in an array, `vertex member : bool;`, and read `member[v]`", text="in", expects="PLUS"),
    foreign("`for` has no parentheses",
             "write `for $name in $first..$last { … }`; in the schedule `repeat ($last) { … }`",
             text="(", before="for", rest=_C_LOOP.format("<")),
    foreign("`for` has no parentheses",
             "write `for $name in $first..$last + 1 { … }`; in the schedule `repeat ($last + 1) { … }`",
             text="(", before="for", rest=_C_LOOP.format("<=")),
    foreign("`for` has no parentheses", "write `for $name in $set { … }`", text="(", before="for",
             rest=rf"\(\s*(?:[\w&]+\s+)*(?P<name>\w+)\s*(?::|in|of)\s*(?P<set>{INSIDE})\)"),
    foreign("`for` has no parentheses", "write `for $names in $set { … }`", text="(", before="for",
             rest=r"\(\s*(?P<names>\w+\s*,\s*\w+)\s*\)?\s*in\s+(?P<set>neighbors\s*\([^(){};]*\))"),
    foreign("`for` has no parentheses", "write `for i in 0..n { … }`", text="(", before="for"),
    foreign("the variables of a loop have no type", "write `for $name in …`", text=":", expects="IN",
             begun=r"\bfor\s+(?P<name>\w+)\s*$"),
    foreign("`each` is not a word of the language", "write `for $text in …`", at="before", kind="NAME", before="each",
             begun=r"\bfor\s+each\s*$"),
    foreign("a list has neighbors and the edges to them, and nothing else",
             "write `for $names in …`; values at an edge are elements such as `weight[e]`", text=",", only="IN",
             begun=r"\bfor\s+(?P<names>\w+\s*,\s*\w+)\s*$"),
    foreign("a loop over a list goes through all of it", "put the rest of its body under `if (…) { … }`",
             text="where if when", expects="LBRACE", begun=_OVER_LIST),
    foreign("the body of a loop follows its head", "leave out the `;`", text=";", expects="LBRACE", begun=_LOOP,
             after=r"\s*\{"),
    unexpected("a block in braces is expected here", "put the statement in braces: `{ … }`", kind="NAME",
                expects="LBRACE", begun=_LOOP, when=lambda f, g: f.text not in ("in", "where")),
    foreign(_TYPE_FIRST, functions.typed_local_fix, at="both", kind="NAME", before=SPELLINGS, expects="COLON",
            lacks="PLUS"),
    foreign("an argument is written in parentheses", "write `$before($operand)`", at="both", kind="NAME INTEGER FLOAT",
             before=_NAMED_CALLS, rest=POSTFIX, when=functions.may_be_called),
    foreign("there are no lists", "an empty set is `{ }`", at="rest", kind="LSQB", expects="LBRACE", rest=r"\[\s*\]"),
    foreign("there are no lists", "a set is written in braces: `{ $members }`", at="rest", kind="LSQB",
             expects="LBRACE", rest=r"\[(?P<members>[^\[\]]*)\]"),
    foreign("there are no addresses", functions.address_fix, text="&", before="( , ="),
    foreign("there are no functions without a name",
             "declare a function or a functor, `vertex functor f(v) { cond …; }`, and write its name",
             at="before", before="lambda", at_end=True),
    # words that begin something in other languages
    unexpected("a functor is one of vertices or of edges",
                "write `vertex functor f(v) { … }` or `edge functor f(src, dst, e) { … }`", text="functor",
                expects="SCHEDULE", lacks="LET", begun=r"^\s*$"),
    foreign("`$text` begins no part of a program", lambda f, g: _PARTS[f.text].replace("$name", g["name"] or "f"),
             text=_PARTS, expects="SCHEDULE", lacks="LET", begun=r"^\s*$", rest=r"(?:(?:\w+\s+)+?(?P<name>\w+)\s*\()?"),
    foreign(_TYPE_FIRST, _EACH_VERTEX, expects="PARAM", begun=r"^\s*$", rest=rf"(?P<type>{TYPE})\s+(?P<name>\w+)",
             when=lambda f, g: g["type"] not in _DECLARATIONS),
    foreign(_TYPE_FIRST, "write `param $text : $type`", at="both", kind="NAME",
             begun=r"^\s*(?P<type>vertex|edge)\s+param\s*$"),
    unexpected("the kind of `$name` is written before it", "write `$kind $name : $type|type`", expects="PARAM",
                at="rest", begun=r"^\s*$",
                rest=rf"(?P<name>\w+)\s*:\s*(?P<kind>vertex|edge|scalar|param)\s+(?P<type>{TYPE})\b"),
    unexpected("`$name` is declared without its kind", _EACH_VERTEX.replace("|type", ""), expects="PARAM",
                begun=r"^\s*$", rest=r"(?P<name>\w+)\s*:\s*(?P<type>\w+)"),
    foreign("`$text` declares nothing here", lambda f, g: _DECLARATIONS[f.text], text=_DECLARATIONS, expects="PARAM",
             begun=r"^\s*$"),
    functions.block_word,
    # declarations at other places
    unexpected("the type `$name` has no default, which is taken where nothing decides",
                lambda f, g: f"write `type {g['name']} : {g['class']} = {TYPE_CLASSES[g['class']][-2].name};`",
                text=";", begun=rf"\btype\s+(?P<name>\w+)\s*:\s*(?P<class>{'|'.join(TYPE_CLASSES)})\s*$"),
    foreign("types are declared by `type`",
             "write `type t : number = float32;` for a type that is the caller's, `type t = float32;` for another name",
             text="typedef using template", expects="TYPE"),
    unexpected("the type `$text` is declared among statements", "declare it in `problem { … }`", at="before",
                kind="NAME", before="type", expects="PLUS", after=r"\s*[:=]"),
    unexpected("`$before $text` is declared among statements",
                "declare it in `problem { … }`; the statements of a functor have `let` and `var`", at="before",
                kind="NAME", before="scalar vertex edge param input", after=r"\s*(?:\[[^\]]*\]\s*)?[:=;]"),
    unexpected("`$before $text $name` is declared among statements",
                "declare it in `problem { … }`; the statements of a functor have `let` and `var`", at="before",
                text="vertex edge scalar param", before="local input", after=r"\s+(?P<name>\w+)\s*(?:\[[^\]]*\]\s*)?:"),
    foreign("`local` is a word of `problem { … }`",
             "write `let $text = …;`, or `var` for a name that changes; the schedule has scalars of `problem`",
             at="before", kind="NAME", before="local", begun=r"^\s*local\s*$"),
    foreign("a label names a call for tuning, and is no set", functions.labeled_set_fix, text="@", at="rest",
             expects_any="VERTICES LBRACE NAME", lacks="AT", rest=r"@\s*(?P<label>\w+)"),
    foreign(_TYPE_FIRST, functions.let_fix, at="before", kind="NAME", before=SPELLINGS | {"auto", "const"},
             expects="PLUS"),
    # parentheses, braces and assignments
    unexpected("the condition of `$before` has no parentheses", "write `$before (…) { … }`", only="LPAR",
                before="if while repeat", at_end=True),
    unexpected("a block in braces is expected here", "put the statement in braces: `{ … }`",
                only="LBRACE|LBRACE IF", before=") else", when=lambda f, g: f.text != "elif", at_end=True),
    unexpected("a block in braces is expected here", "write `$before { … }`", only="LBRACE",
                before="problem schedule tune apply", at_end=True),
    functions.missing_first_line,
    foreign("an update has no value: `fetch(…)` returns the value before it",
             "write `$word $name = fetch($target $text $value);`", kind="UPDATE",
             begun=rf"\b(?P<word>let|var)\s+(?P<name>\w+)\s*=\s*{_TARGET}\s*$", rest=_UPDATED),
    foreign("an update has no value: `changed(…)` returns whether something changed",
             "write `$flag |= changed($target $text $value);`", kind="UPDATE",
             begun=rf"(?:^|[{{;])\s*(?P<flag>{ELEMENT})\s*\|=\s*{_TARGET}\s*$", rest=_UPDATED),
    foreign("`$text` assigns and has no value", "make it a separate statement, `x $text …;`", kind="SHORT_ASSIGN"),
    foreign("`=` assigns and has no value", "write `==` to compare", text="=", kind="EQUAL",
             begun=r"^\s*(?:cond|if|while|accept|value|return)\b"),
    unexpected("a functor inside another block", lambda f, g: f"close the block before line {f.span.line} with `}}`",
                at="before", kind="NAME", before="functor", begun=r"^\s*(?:vertex|edge) functor\s*$"),
    # something missing or too much
    unexpected("one `$word` declares one name", "write a `$word` for each", text=",", begun=_LOCAL),
    unexpected("`$name` has no value", functions.value_fix, text=";", begun=_LOCAL,
                when=lambda f, g: not g["type"] or g["type"] in TYPES),
    unexpected("a declaration has one name", "write a line for each: `$kind $name : …;`", text=",", expects="COLON",
                begun=_DATA),
    unexpected("the type is written after `:`", "write `$kind $name : $type|type;`", text="=", expects="COLON",
                begun=_DATA, rest=rf"=\s*(?P<type>{TYPE})\s*;"),
    unexpected("`$name` has no type",
                lambda f, g: f"write for example `{g['kind']} {g['name']} : int32{';' if f.text == ';' else ' = …;'}`",
                text="; =", expects="COLON", begun=_DATA),
    unexpected("a `:` is missing", "write `$kind $name$extent : $type|type`", kind="NAME VERTEX EDGE LPAR",
                expects="COLON", begun=_DATA.replace(r"\s*$", r"\s*(?P<extent>(?:\[[^\]]*\])?)\s*$"), rest=_A_TYPE,
                when=functions.is_type),
    unexpected("a `:` is missing", "write `$word $name : $type|type`", kind="NAME VERTEX EDGE LPAR",
                expects="COLON EQUAL", begun=_LOCAL, rest=_A_TYPE, when=functions.is_type),
    unexpected("`functor` is missing", "write `$kind functor $text`", only="FUNCTOR",
                begun=r"^\s*(?P<kind>vertex|edge)\s*$", when=functions.is_no_near_word, at_end=True),
    unexpected(_UNTYPED, functions.functor_head_fix, text=":", not_kind="NAME", begun=_FUNCTOR.format("vertex|edge")),
    unexpected("a vertex functor has one parameter, the vertex", functions.functor_head_fix, text=", ) { [ . <",
                begun=_FUNCTOR.format("vertex")),
    unexpected("an edge functor has three parameters, both ends and the edge", functions.functor_head_fix,
                text=", ) { [ . <", begun=_FUNCTOR.format("edge")),
    unexpected("a block before this does not end", "close it with `}` before this", text="schedule problem tune",
                kind="NAME IF FOR WHILE LET VAR ACCEPT", expects="APPLY COND", when=functions.is_no_near_word),
    unexpected("a functor consists of `cond`, `apply` and `value`", "put the statements into `apply { … }`",
                kind="NAME IF FOR WHILE LET VAR ACCEPT", expects="APPLY COND", when=functions.is_no_near_word),
    unexpected("`cond` among the statements of a block", "put it before `apply`, or decide here by `if (…) { … }`",
                at="before", not_kind="EQUAL", expects="UPDATE", begun=r"^\s*cond\s*$", at_end=True),
    unexpected("`apply` in a block", "a functor has one `apply`", at="before", text="{", before="apply",
                expects="UPDATE"),
    unexpected("`$before` has no type", "write for example `$before : int32`", only="COLON", begun=_FUNCTION,
                at_end=True),
    unexpected("the type of the result is written after `->`",
                "write for example `function $name($parameters -> int32`", text=": {",
                begun=_FUNCTION, when=lambda f, g: g["parameters"].endswith(")")),
    unexpected("a choice has two sides", functions.second_side_fix, text=";", expects="COLON", begun=r"\?"),
    unexpected("`accept` has a value", "write `accept true;`", text=";", before="accept"),
    unexpected("`return` has a value",
                "in a function give its value; in a functor put what follows under an `if`", text=";",
                before="return"),
    unexpected("an assignment has one target", "write two: `$value = …; … = $value;`", text="=", kind="EQUAL",
                begun=r"(?<![=<>!])=(?!=)\s*(?P<value>\S.*)$"),
    unexpected("a statement assigns to one thing", "write a statement for each", text=",", expects="UPDATE"),
    unexpected("a pair is written in parentheses", "write `$target = ($first, $value);`", text=",", lacks="UPDATE",
                begun=rf"(?:^|[{{;])\s*(?P<target>{ELEMENT})\s*=\s*(?P<first>{VALUE})$", rest=rf",\s*{_A_VALUE};"),
    unexpected("a `;` that ends nothing", "leave it out", text=";", begun=r"^\s*$"),
    unexpected("a `$text` that closes nothing", "leave it out", text=") ]", expects="SEMICOLON"),
    unexpected("a comma after the last", "leave it out", at="before", text=") }", before=","),
    unexpected("a `]` is missing", "close the bracket before this", text="= ; ) , : { }", expects="RSQB"),
    unexpected("a `]` is missing", "close the bracket before this", kind=_ASSIGNS, expects="RSQB"),
    functions.misspelled_keyword,
    unexpected("`$text` is written twice", "leave one out", when=functions.is_repeated),
    unexpected("an `=` is missing", "write `$word $name = $value`", kind=_BEGINS_A_VALUE, expects="EQUAL", begun=_LOCAL,
                rest=_A_VALUE),
    unexpected("an `=` is missing", "write `$type = $value`", kind=_BEGINS_A_VALUE, expects="EQUAL",
                begun=_DATA.replace(r"\s*$", r"\s*(?:\[[^\]]*\])?\s*:\s*(?P<type>\w+|\([^()]*\))\s*$"), rest=_A_VALUE),
    unexpected("an `=` is missing", "write `$target = $value`", kind=_BEGINS_A_VALUE, expects="EQUAL",
                begun=rf"^\s*(?P<target>(?:(?:edge\s+)?frontier\s+)?{ELEMENT})\s*$", rest=_A_VALUE,
                when=lambda f, g: functions.may_be_stored_in(f, g["target"])),
    foreign("an operator calls functors", functions.functor_call_fix, kind="NAME", begun=r"^\s*\w+\s*$",
            rest=r"\w+\s*(?:\(\s*\)\s*)?;", when=lambda f, g: functions.functor_domain(f) is not None),
    unexpected("`$target` is not declared, and an `=` is missing", "declare it first", kind=_BEGINS_A_VALUE,
                expects="EQUAL", begun=rf"^\s*(?P<target>{ELEMENT})\s*$", rest=_A_VALUE),
    unexpected("a `@` is missing", "write `@$text`", kind="NAME", expects="AT", before=")", after=r"\s*;"),
    unexpected("a `)` is missing", "close the parenthesis before this", text="; { }", expects="RPAR"),
    functions.missing_semicolon,
    mistake("E0203", "`$text` is a word of the language and cannot be a name here", "choose another name", only="NAME",
             when=lambda f, g: f.text.isidentifier()),
)
# fmt: on
"""The first that fits is shown."""
