"""What may be written at a place, and the parameters of the call around it."""

from __future__ import annotations

import os
from collections.abc import Iterator

from lsprotocol import types as lsp

from gdsl import knobs
from gdsl.frontend.signatures import Kind, Parameter, Signature
from gdsl.frontend.vocabulary import TYPES
from gdsl.language_server import words
from gdsl.language_server.documents import Document
from gdsl.language_server.outline import CallAt, Declaration

_KINDS = {
    "functor": lsp.CompletionItemKind.Function,
    "function": lsp.CompletionItemKind.Function,
    "operator": lsp.CompletionItemKind.Operator,
    "procedure": lsp.CompletionItemKind.Function,
    "import": lsp.CompletionItemKind.Reference,
    "type": lsp.CompletionItemKind.TypeParameter,
    "param": lsp.CompletionItemKind.Constant,
    "frontier": lsp.CompletionItemKind.Variable,
}
_FUNCTORS = {
    Kind.FUNCTOR: ("vertex", "edge"),
    Kind.VERTEX_FUNCTOR: ("vertex",),
    Kind.EDGE_FUNCTOR: ("edge",),
    Kind.VALUE_FUNCTOR: ("edge",),
    Kind.BALLOT: ("edge",),
    Kind.VOTE_FUNCTOR: ("vote",),
    Kind.COMMON_FUNCTOR: ("common",),
}
_DECLARED = {
    Kind.SET: ("frontier",),
    Kind.VERTICES: ("frontier",),
    Kind.EDGES: ("frontier",),
    Kind.FRONTIER: ("frontier", "history", "buckets"),
    Kind.HISTORY: ("history",),
    Kind.ARRAY: ("vertex", "edge"),
    Kind.VARIABLE: ("vertex", "edge", "scalar"),
    Kind.SCALAR: ("scalar",),
}
_PARTS = {
    "program": "program ${1:name};",
    "requires": "requires ${1|symmetric,simple|};",
    "problem": "problem {\n    $0\n}",
    "vertex functor": "vertex functor ${1:name}(${2:v}) {\n    apply { $0 }\n}",
    "edge functor": "edge functor ${1:name}(${2:src}, ${3:dst}, ${4:e}) {\n    cond ${5:true};\n    apply { $0 }\n}",
    "edge functor with a value": "edge functor ${1:name}(${2:src}, ${3:dst}, ${4:e}) -> ${5:float32} { value $0; }",
    "common functor": "common functor ${1:name}(${2:u}, ${3:w}, ${4:x}) {\n    apply { $0 }\n}",
    "vote functor": "vote functor ${1:name}(${2:v}, ${3:key}, ${4:total}) -> ${5:float32} { value $0; }",
    "function": "function ${1:name}(${2:x}: ${3:float32}) -> ${4:float32} { return $0; }",
    "operator": "operator ${1:name}(${2:a} : ${3:int32}, ${4:b} : ${3:int32}) -> ${3:int32} identity 0 { return $0; }",
    "procedure": "procedure ${1:name}(${2:f}: frontier) {\n    $0\n}",
    "import": 'import ${1:name} from "${2:file.gdsl}";',
    "schedule": "schedule {\n    $0\n}",
    "tune": "tune {\n    $0\n}",
    "type": "type ${1:name} : ${2|number,integer,real|} = ${3:float32};",
}
_DATA = {
    "param": "param ${1:name} : ${2:vertex};",
    "input": "input ${1|vertex,edge,scalar|} ${2:name} : ${3:float32};",
    "vertex": "vertex ${1:name} : ${2:int32} = ${3:0};",
    "edge": "edge ${1:name} : ${2:int32} = ${3:0};",
    "scalar": "scalar ${1:name} : ${2:int64} = ${3:0};",
    "local": "local ${1|vertex,edge,scalar|} ${2:name} : ${3:int32};",
    "type": _PARTS["type"],
}
_SCHEDULE = {
    "while": "while (${1:f}) {\n    $0\n}",
    "repeat": "repeat (${1:10}) {\n    $0\n}",
    "if": "if (${1:condition}) {\n    $0\n}",
    "for": "for ${1:f} in backward(${2:levels}) {\n    $0\n}",
    "frontier": "frontier ${1:f} = { ${2:source} };",
    "edge frontier": "edge frontier ${1:e} = advance(${2:f}, ${3:functor}, to=edges);",
    "history": "history ${1:levels};",
    "buckets": "buckets ${1:b}(${2:distance}, ${3:width}) = { ${4:source} };",
    "graph": "graph ${1:h} = contract(${2:label});",
    "on": "on ${1:h} {\n    $0\n}",
}
_STATEMENTS = {
    "cond": "cond ${1:condition};",
    "apply": "apply {\n    $0\n}",
    "value": "value $0;",
    "accept": "accept ${1:condition};",
    "let": "let ${1:name} = $0;",
    "var": "var ${1:name} : ${2:int32} = $0;",
    "if": "if (${1:condition}) {\n    $0\n}",
    "for": "for ${1:u} in neighbors(${2:v}) {\n    $0\n}",
    "while": "while (${1:condition}) {\n    $0\n}",
    "changed": "changed(${1:target} ${2|min=,max=,+=|} $0)",
    "fetch": "fetch(${1:target} += ${2:1})",
    "cas": "cas(${1:target}, ${2:old}, ${3:new})",
    "return": "return $0;",
}
_LITERALS = ("true", "false", "inf", "none")
_MOST_FILES = 200


def completions(document: Document, position: lsp.Position) -> list[lsp.CompletionItem]:
    """What may stand at a position; the client selects by what is already written."""
    outline = document.outline
    offset = document.positions.offset(position)
    path = _path_before(document, offset)
    if path is not None:
        return list(_files(document))
    if outline.is_hidden(offset):
        return []
    part, before = outline.context(offset)
    if before == ".":
        return list(_members(document, offset, part))
    if before == ":" and part in ("problem", "function", "operator", "procedure", "functor", ""):
        return [*_types(document, offset), *_classes(part)]
    if before == "requires":
        return [_word(name, lsp.CompletionItemKind.EnumMember) for name in words.REQUIREMENTS]
    if before in ("->",):
        return list(_types(document, offset))
    if part == "tune":
        return list(_tuning(document, before))
    if part == "":
        return [_snippet(name, text) for name, text in _PARTS.items()]
    begins = before in ("{", ";", "}")
    items: list[lsp.CompletionItem] = []
    if part == "problem" and begins:
        return [_snippet(name, text) for name, text in _DATA.items()]
    call = outline.call_at(offset)
    if call is not None and not begins:
        items += _of_call(document, offset, call, part, before)
    if begins:
        table = _SCHEDULE if part in ("schedule", "procedure") else _STATEMENTS
        items += [_snippet(name, text) for name, text in table.items()]
    items += [_named(document, each) for each in outline.visible(offset)]
    items += _built_in(part)
    return _unique(items)


def _unique(items: list[lsp.CompletionItem]) -> list[lsp.CompletionItem]:
    by_label: dict[str, lsp.CompletionItem] = {}
    for item in items:
        by_label.setdefault(item.label, item)
    return list(by_label.values())


def _snippet(name: str, text: str) -> lsp.CompletionItem:
    return lsp.CompletionItem(
        name,
        kind=lsp.CompletionItemKind.Keyword,
        insert_text=text,
        insert_text_format=lsp.InsertTextFormat.Snippet,
        documentation=words.KEYWORDS.get(name.split()[0], ""),
        sort_text=f"2{name}",
    )


def _word(name: str, kind: lsp.CompletionItemKind, detail: str = "", sort: str = "3") -> lsp.CompletionItem:
    return lsp.CompletionItem(name, kind=kind, detail=detail or None, sort_text=f"{sort}{name}")


def _named(document: Document, declaration: Declaration) -> lsp.CompletionItem:
    kind = _KINDS.get(
        declaration.kind, lsp.CompletionItemKind.Field if declaration.is_data else lsp.CompletionItemKind.Variable
    )
    type_ = document.type_at(declaration.start)
    detail = f"{declaration.kind}{f' : {type_}' if type_ else ''}"
    return _word(declaration.name, kind, detail, "1")


def _built_in(part: str) -> Iterator[lsp.CompletionItem]:
    schedule = part in ("schedule", "procedure")
    for known in words.functions():
        shown = words.signature(known.name, schedule) or known
        if words.is_of_schedule(shown) == schedule and shown.name not in ("push", "pop", "buckets"):
            yield _call(shown)
    for name in words.VALUES:
        yield _word(name, lsp.CompletionItemKind.Constant, words.VALUES[name].partition(":")[0])
    for name in _LITERALS:
        yield _word(name, lsp.CompletionItemKind.Constant)


def _call(known: Signature) -> lsp.CompletionItem:
    """A function or an operator with its parameters."""
    required = [each for each in known.parameters if not each.optional]
    holes = ", ".join(f"${{{number}:{each.name}}}" for number, each in enumerate(required, 1))
    return lsp.CompletionItem(
        known.name,
        kind=lsp.CompletionItemKind.Function,
        detail=known.form.replace("`", ""),
        documentation=f"{known.help}; gives {words.gives(known)}",
        insert_text=f"{known.name}({holes})",
        insert_text_format=lsp.InsertTextFormat.Snippet,
        sort_text=f"3{known.name}",
    )


def _types(document: Document, offset: int) -> Iterator[lsp.CompletionItem]:
    for name in TYPES:
        yield _word(name, lsp.CompletionItemKind.Struct)
    for declaration in document.outline.visible(offset):
        if declaration.kind == "type":
            yield _word(declaration.name, lsp.CompletionItemKind.TypeParameter)


def _classes(part: str) -> Iterator[lsp.CompletionItem]:
    if part in ("problem", ""):
        yield from (_word(name, lsp.CompletionItemKind.Interface, "types to choose from") for name in words.CLASSES)


def _members(document: Document, offset: int, part: str) -> Iterator[lsp.CompletionItem]:
    if part == "tune":
        yield from (_word(name, lsp.CompletionItemKind.Property, knob.text) for name, knob in knobs.BY_NAME.items())
        return
    outline = document.outline
    number = outline.token_at(offset)
    while number >= 0 and outline.code[number].text != ".":
        number -= 1
    owner = outline.meaning(number - 1) if number > 0 else None
    if owner is not None and owner.kind in ("history", "buckets"):
        yield lsp.CompletionItem(
            "push",
            kind=lsp.CompletionItemKind.Method,
            insert_text="push(${1:f})",
            insert_text_format=lsp.InsertTextFormat.Snippet,
        )
        if owner.kind == "buckets":
            yield lsp.CompletionItem("pop", kind=lsp.CompletionItemKind.Method, insert_text="pop()")


def _tuning(document: Document, before: str) -> Iterator[lsp.CompletionItem]:
    outline = document.outline
    if before == "=":
        for knob in knobs.BY_NAME.values():
            yield from (_word(value, lsp.CompletionItemKind.EnumMember, knob.name) for value in knob.values)
        return
    yield _word("schedule", lsp.CompletionItemKind.Module, "the whole schedule")
    yield from (
        _word(each.name, lsp.CompletionItemKind.Function, each.kind)
        for each in (*outline.declarations, *outline.labels)
        if each.kind in ("functor", "label")
    )


def _of_call(document: Document, offset: int, call: CallAt, part: str, before: str) -> Iterator[lsp.CompletionItem]:
    """What the argument at the place may be."""
    known = words.signature(call.function.text, part in ("schedule", "procedure"))
    if known is None:
        return
    if before == "=" and call.keyword is not None:
        words_ = [word for each in known.keywords if each.name == call.keyword for word in each.words]
        yield from (_word(word, lsp.CompletionItemKind.EnumMember, sort="0") for word in words_)
        return
    parameter = _parameter(known, call.argument)
    if parameter is not None:
        yield from _of_parameter(document, offset, parameter)
    if call.argument >= len([each for each in known.parameters if not each.optional]):
        for keyword in known.keywords:
            if keyword.name not in call.named:
                choice = f"${{1|{','.join(keyword.words)}|}}" if keyword.words else "$0"
                item = _snippet(f"{keyword.name}=", f"{keyword.name}={choice}")
                item.documentation = words.parameter_help(keyword)
                item.sort_text = f"0{keyword.name}"
                yield item


def _of_parameter(document: Document, offset: int, parameter: Parameter) -> Iterator[lsp.CompletionItem]:
    """Its words, what the program declares of its kind, and functors without a name."""
    yield from (_word(word, lsp.CompletionItemKind.EnumMember, sort="0") for word in parameter.words)
    outline = document.outline
    for each in outline.visible(offset):
        if each.kind in _DECLARED.get(parameter.kind, ()):
            item = _named(document, each)
            item.sort_text = f"0{each.name}"
            yield item
    kinds = _FUNCTORS.get(parameter.kind, ())
    for each in outline.declarations:
        if each.kind == "functor" and outline.functor_kind(each) in kinds:
            yield _word(each.name, lsp.CompletionItemKind.Function, f"{outline.functor_kind(each)} functor", "0")
    lambdas = {"vertex": "v => $0", "edge": "(src, dst, e) => $0"}
    for kind in kinds:
        if kind in lambdas:
            item = _snippet(lambdas[kind].replace("$0", "…"), lambdas[kind])
            item.kind, item.sort_text = lsp.CompletionItemKind.Snippet, f"0~{kind}"
            yield item


def _parameter(known: Signature, number: int) -> Parameter | None:
    if number < len(known.parameters):
        return known.parameters[number]
    last = known.parameters[-1] if known.parameters else None
    return last if last is not None and last.repeated else None


def _path_before(document: Document, offset: int) -> str | None:
    """What is written of the path of an import around a place."""
    line = document.text[document.text.rfind("\n", 0, offset) + 1 : offset]
    if not line.lstrip().startswith("import") or line.count('"') != 1:
        return None
    return line.partition('"')[2]


def _files(document: Document) -> Iterator[lsp.CompletionItem]:
    """The programs next to this one."""
    folder = os.path.dirname(document.path)
    try:
        names = sorted(os.listdir(folder))[:_MOST_FILES] if folder else []
    except OSError:
        return
    own = os.path.basename(document.path)
    yield from (_word(name, lsp.CompletionItemKind.File) for name in names if name.endswith(".gdsl") and name != own)


def signature_help(document: Document, position: lsp.Position) -> lsp.SignatureHelp | None:
    """The parameters of the call around a position."""
    outline = document.outline
    offset = document.positions.offset(position)
    call = outline.call_at(offset)
    if call is None or outline.is_hidden(offset):
        return None
    number = outline.token_at(call.function.start)
    declaration = outline.meaning(number)
    if declaration is not None:
        return _own_signature(document, declaration, call)
    part, _ = outline.context(call.function.start)
    known = words.signature(call.function.text, part in ("schedule", "procedure"))
    if known is None:
        return None
    labels = [words.parameter_label(each, keyword=False) for each in known.parameters]
    labels += [words.parameter_label(each, keyword=True) for each in known.keywords]
    helps = [words.parameter_help(each) for each in (*known.parameters, *known.keywords)]
    active = min(call.argument, max(len(known.parameters) - 1, 0))
    for at, each in enumerate(known.keywords):
        if each.name == call.keyword:
            active = len(known.parameters) + at
    parameters = [lsp.ParameterInformation(label, text) for label, text in zip(labels, helps, strict=True)]
    shown = lsp.SignatureInformation(
        f"{known.name}({', '.join(labels)})", f"{known.help}; gives {words.gives(known)}", parameters
    )
    return lsp.SignatureHelp([shown], 0, active)


def _own_signature(document: Document, declaration: Declaration, call: CallAt) -> lsp.SignatureHelp | None:
    if declaration.kind not in ("function", "operator", "procedure"):
        return None
    head = " ".join(document.text[declaration.begin : declaration.whole].partition("{")[0].split())
    inside = head.partition("(")[2].rpartition(")")[0]
    parameters = [lsp.ParameterInformation(part.strip()) for part in inside.split(",") if part.strip()]
    return lsp.SignatureHelp([lsp.SignatureInformation(head, None, parameters)], 0, call.argument)
