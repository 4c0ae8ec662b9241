"""`gdslc lsp` while somebody types: completion, structure and format, and texts in every state."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

pytest.importorskip("pygls")
pytest.importorskip("pytest_lsp")

from lsprotocol import types as lsp

from gdsl.formatting import format_text
from gdsl.source import Source
from tests.support.editor import BFS, Editor
from tests.support.programs import SAMPLES

pytestmark = pytest.mark.asyncio


COMPLETIONS = [
    ("f = advance(f, ", "schedule {\n    f = advance(f, ", {"visit", "(src, dst, e) => …"}),
    ("keywords", "schedule {\n    f = advance(f, visit, ", {"over=", "to="}),
    ("words", "schedule {\n    f = advance(f, visit, over=", {"in_edges", "out_edges"}),
    ("statements", "schedule {\n    ", {"while", "frontier", "compute", "distance", "neighbor_reduce"}),
    (
        "a functor",
        "vertex functor g(vv) {\n    apply {\n        ",
        {"let", "distance", "vv", "iteration", "out_degree"},
    ),
    ("types", "problem {\n    vertex x : ", {"int32", "float64", "vertex"}),
    ("data", "problem {\n    ", {"param", "vertex", "scalar", "input"}),
    ("parts", "", {"edge functor", "schedule", "problem"}),
    ("requirements", "requires ", {"symmetric", "simple"}),
    ("knobs", "tune {\n    visit.", {"direction", "balance"}),
    ("methods", "schedule {\n    history h;\n    h.", {"push"}),
]


@pytest.mark.parametrize(("start", "expected"), [(text, words) for _, text, words in COMPLETIONS])
async def test_completion(editor: Editor, start: str, expected: set[str]) -> None:
    head = (
        BFS.partition("schedule")[0] if start.startswith(("schedule", "vertex", "tune", "requires")) else "program p;\n"
    )
    editor.open(head + start)
    end = editor.text.count("\n")
    place = lsp.Position(end, len(editor.text) - editor.text.rfind("\n") - 1)
    found = await editor.client.text_document_completion_async(lsp.CompletionParams(editor.document, place))
    items = found.items if isinstance(found, lsp.CompletionList) else found
    labels = [item.label for item in items]
    assert expected <= set(labels), sorted(labels)
    assert len(labels) == len(set(labels))


async def test_what_fits_an_argument_comes_first(editor: Editor) -> None:
    editor.open(BFS.replace("advance(f, visit)", "advance(, visit)"))
    found = await editor.client.text_document_completion_async(
        lsp.CompletionParams(editor.document, editor.at("advance(", 8))
    )
    assert min(found, key=lambda each: each.sort_text).label == "f"


async def test_signature_help(editor: Editor) -> None:
    editor.open(BFS.replace("advance(f, visit)", "advance(f, visit, over="))
    place = editor.at("over=", 5)
    found = await editor.client.text_document_signature_help_async(lsp.SignatureHelpParams(editor.document, place))
    assert found.signatures[0].label.startswith("advance(f, functor, to=vertices|edges|none, over=")
    assert found.signatures[0].parameters[found.active_parameter].label.startswith("over=")
    editor.write("program p;\nfunction half(x: float32) -> float32 { return x / 2; }\nschedule { x = half(")
    place = editor.at("= half(", 7)
    found = await editor.client.text_document_signature_help_async(lsp.SignatureHelpParams(editor.document, place))
    assert found.signatures[0].label == "function half(x: float32) -> float32"


async def test_semantic_tokens_and_structure(editor: Editor) -> None:
    editor.open(BFS)
    found = await editor.client.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(editor.document))
    assert len(found.data) % 5 == 0 and len(found.data) // 5 > 60
    symbols = await editor.client.text_document_document_symbol_async(lsp.DocumentSymbolParams(editor.document))
    assert [each.name for each in symbols] == ["bfs", "source", "distance", "parent", "visit"]
    folds = await editor.client.text_document_folding_range_async(lsp.FoldingRangeParams(editor.document))
    assert (9, 14) in {(each.start_line, each.end_line) for each in folds}


async def test_formatting(editor: Editor) -> None:
    loose = BFS.replace("    cond", "  cond").replace("f = advance(f, visit)", "f=advance( f,visit )")
    editor.open(loose)
    options = lsp.FormattingOptions(tab_size=4, insert_spaces=True)
    edits = await editor.client.text_document_formatting_async(lsp.DocumentFormattingParams(editor.document, options))
    assert editor.applied(edits) == format_text(Source("p", loose)) == BFS
    editor.write("program p; schedule {")
    assert (
        await editor.client.text_document_formatting_async(lsp.DocumentFormattingParams(editor.document, options))
        is None
    )


async def test_code_lenses(editor: Editor) -> None:
    shown: list[str] = []

    def show(params: lsp.ShowDocumentParams) -> lsp.ShowDocumentResult:
        shown.append(Path(params.uri.removeprefix("file://")).read_text())
        return lsp.ShowDocumentResult(success=True)

    editor.client.protocol.fm.features[lsp.WINDOW_SHOW_DOCUMENT] = show
    editor.open(BFS)
    await editor.diagnostics(studied=True)
    lenses = await editor.client.text_document_code_lens_async(lsp.CodeLensParams(editor.document))
    assert [each.command.title for each in lenses] == ["run on karate", "profile on karate", "show plan", "show CUDA"]
    texts = []
    for lens in lenses:
        command = lsp.ExecuteCommandParams(lens.command.command, lens.command.arguments)
        texts.append(await editor.client.workspace_execute_command_async(command))
    assert "distance" in texts[0] and "-p source=0" in texts[0] and "error" not in texts[0]
    assert "visit" in texts[1] and "-p source=0" in texts[1] and "error" not in texts[1]
    assert "push from f" in texts[2] and "__global__" in texts[3]
    await asyncio.sleep(0.1)
    assert shown == texts
    begun, *_ = zip(*editor.client.progress_reports.values(), strict=True)
    assert [each.title for each in begun] == [f"gdsl: {each.command.title}" for each in lenses]


async def test_half_a_program_at_every_keystroke(editor: Editor) -> None:
    """Every request is answered at every length of a program, also in the middle of a word."""
    editor.open("")
    options = lsp.FormattingOptions(tab_size=4, insert_spaces=True)
    for end in range(0, len(BFS), 9):
        editor.write(BFS[:end])
        place = lsp.Position(editor.text.count("\n"), len(editor.text) - editor.text.rfind("\n") - 1)
        document = editor.document
        await editor.client.text_document_completion_async(lsp.CompletionParams(document, place))
        await editor.client.text_document_signature_help_async(lsp.SignatureHelpParams(document, place))
        await editor.client.text_document_hover_async(lsp.HoverParams(document, place))
        await editor.client.text_document_definition_async(lsp.DefinitionParams(document, place))
        await editor.client.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(document))
        await editor.client.text_document_document_symbol_async(lsp.DocumentSymbolParams(document))
        await editor.client.text_document_folding_range_async(lsp.FoldingRangeParams(document))
        await editor.client.text_document_inlay_hint_async(lsp.InlayHintParams(document, editor.whole()))
        await editor.client.text_document_code_lens_async(lsp.CodeLensParams(document))
        await editor.client.text_document_formatting_async(lsp.DocumentFormattingParams(document, options))
    editor.write(BFS)
    assert await editor.diagnostics(studied=True) == []


ODD = [
    "\0",
    "}}}}",
    "((((",
    '"""',
    "program \U0001f600;\r\n# \u00e9\n",
    "schedule { a = b[c[d",
    "\ufeffprogram p;",
    "x\ry",
    "=>" * 50,
]


async def test_odd_texts(editor: Editor) -> None:
    editor.open("")
    for text in ODD:
        editor.write(text)
        await editor.diagnostics(studied=True)
        for place in (lsp.Position(0, 0), lsp.Position(0, 3), lsp.Position(99, 99)):
            await editor.client.text_document_completion_async(lsp.CompletionParams(editor.document, place))
            await editor.client.text_document_hover_async(lsp.HoverParams(editor.document, place))
            await editor.client.text_document_references_async(
                lsp.ReferenceParams(lsp.ReferenceContext(True), editor.document, place)
            )
        await editor.client.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(editor.document))


async def test_places_count_in_units_of_the_client(editor: Editor) -> None:
    """UTF-16 by default: characters beyond the first 65,536 are two units."""
    text = '"""\U0001f600\U0001f600"""\nprogram p; problem { scalar x : int32; }\n# \U0001f600\nschedule { x = yy; }'
    editor.open(text.replace("# \U0001f600\n", ""))
    [found] = await editor.diagnostics()
    assert found.range.start == lsp.Position(2, 15)
    editor.write("program p; problem { scalar x : int32; } schedule { # \U0001f600\nx = yy; }")
    [found] = await editor.diagnostics()
    assert found.range.start == lsp.Position(1, 4)


async def test_typing_is_followed(editor: Editor) -> None:
    """Of many changes in a row the last one counts."""
    editor.open("")
    for end in range(len(BFS) - 60, len(BFS) + 1):
        editor.write(BFS[:end])
    assert await editor.diagnostics(studied=True) == []
    editor.client.text_document_did_close(lsp.DidCloseTextDocumentParams(editor.document))
    await asyncio.sleep(0.2)
    assert editor.client.published[editor.uri][-1].diagnostics == ()


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
async def test_samples(editor: Editor, path: Path) -> None:
    editor.open(path.read_text(encoding="utf-8"))
    assert await editor.diagnostics(studied=True) == []
