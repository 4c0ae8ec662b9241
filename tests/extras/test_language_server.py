"""`gdslc lsp`, driven as an editor drives it: messages, fixes, what it shows at a place, and renaming."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
from pathlib import Path

import pytest

pytest.importorskip("pygls")
pytest.importorskip("pytest_lsp")

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

import gdsl
from gdsl.language_server.server import create
from tests.support.editor import BFS, GEOLOCATION, KARATE, ROOT, SECONDS, Editor

pytestmark = pytest.mark.asyncio
NEW = secrets.token_hex(4)
"""In names of programs that have no profile yet, whatever the cache has."""


async def test_diagnostics_and_fixes(editor: Editor) -> None:
    editor.open(BFS.replace("param ", "parm "))
    [found] = await editor.diagnostics()
    assert found.code == "E0103" and found.range.start == lsp.Position(4, 4)
    await editor.diagnostics(studied=True)
    context = lsp.CodeActionContext([found])
    actions = await editor.client.text_document_code_action_async(
        lsp.CodeActionParams(editor.document, found.range, context)
    )
    fix, everything = actions
    assert fix.title == "did you mean `param`?" and fix.is_preferred
    assert everything.kind == lsp.CodeActionKind.SourceFixAll
    for action in actions:
        assert editor.applied(action.edit.changes[editor.uri]) == BFS
    editor.write(BFS)
    assert await editor.diagnostics(studied=True) == []


async def test_who_asks_for_fixes_waits_for_them(editor: Editor) -> None:
    editor.open(BFS.replace("param ", "parm "))
    context = lsp.CodeActionContext([], trigger_kind=lsp.CodeActionTriggerKind.Invoked)
    where = lsp.CodeActionParams(editor.document, lsp.Range(lsp.Position(4, 4), lsp.Position(4, 4)), context)
    fix, *_ = await editor.client.text_document_code_action_async(where)
    assert fix.title == "did you mean `param`?"


async def test_a_race_has_its_fixes(editor: Editor) -> None:
    editor.open(BFS.replace("any= src", "= src"))
    found, *_ = await editor.diagnostics(studied=True)
    assert found.code.startswith("E03")
    where = lsp.CodeActionParams(editor.document, found.range, lsp.CodeActionContext([found]))
    actions = await editor.client.text_document_code_action_async(where)
    assert any("any=" in editor.applied(each.edit.changes[editor.uri]) for each in actions)
    assert not any(each.is_preferred for each in actions)


async def test_warnings(editor: Editor) -> None:
    editor.open(BFS.replace("vertex parent", "local vertex idle : int32;\n    vertex parent"))
    [found] = await editor.diagnostics(studied=True)
    assert found.severity == lsp.DiagnosticSeverity.Warning and found.code.startswith("W")


async def test_hover(editor: Editor) -> None:
    editor.open(BFS)
    await editor.diagnostics(studied=True)

    async def shown(*words: object) -> str:
        found = await editor.client.text_document_hover_async(
            lsp.HoverParams(editor.document, editor.at(*words))  # type: ignore[arg-type]
        )
        return found.contents.value if found is not None else ""

    parent = await shown("parent[dst]")
    assert "vertex, one value for each vertex" in parent
    assert "not unique: one of several writers wins (line 14)" in parent
    assert "line 14, `visit`: `any=`, any writer wins" in parent
    distance = await shown("distance[dst]")
    assert "int32" in distance and "exact" in distance and "compare-and-swap" in distance
    assert "push or pull" in await shown("visit);")
    assert "runs a functor for the edges of a set" in await shown("advance")
    assert "finished passes" in await shown("iteration")
    assert "`while (f) { … }`" in await shown("while")
    assert await shown("# all", 3) == ""
    editor.write(BFS.replace("any= src", "any= "))  # what was known is still shown while the text is broken
    assert "not unique" in await shown("parent[dst]")


async def test_inlay_hints(editor: Editor) -> None:
    editor.open(BFS)
    await editor.diagnostics(studied=True)
    found = await editor.client.text_document_inlay_hint_async(lsp.InlayHintParams(editor.document, editor.whole()))
    labels = {(each.label, each.position.line) for each in found}
    assert ("push | pull", 20) in labels and ("atomic", 13) in labels
    editor.write(GEOLOCATION)
    found = await editor.client.text_document_inlay_hint_async(lsp.InlayHintParams(editor.document, editor.whole()))
    assert " : float64" in {each.label for each in found}


async def _times(editor: Editor) -> dict[int, str]:
    """The hints with times, by line from 0."""
    await editor.diagnostics(studied=True)
    ends = time.monotonic() + SECONDS
    while time.monotonic() < ends:  # the facts of the version come a moment after its messages
        found = await editor.client.text_document_inlay_hint_async(lsp.InlayHintParams(editor.document, editor.whole()))
        if any("push" in each.label or "gather" in each.label for each in found):
            return {each.position.line: str(each.label) for each in found if "(karate" in each.label}
        await asyncio.sleep(0.01)
    pytest.fail(f"no hints within {SECONDS} seconds")


async def test_times_of_the_last_profile(editor: Editor) -> None:
    program = BFS.replace("program bfs", f"program searched_{NEW}")
    editor.open(program)
    assert await _times(editor) == {}
    editor.client.refreshed.clear()
    gdsl.profile(gdsl.compile(program), KARATE, graph_name="karate", source=0, backend="reference")
    await asyncio.wait_for(editor.client.refreshed.wait(), 5 * SECONDS)  # the server has noticed the profile
    [(line, label)] = (await _times(editor)).items()
    assert line == 20 and re.fullmatch(r"[0-9.]+ (µs|ms|s) in 4 runs \(karate, reference\)", label)
    editor.write("# a comment\n" + program.replace("    cond", "\tcond"))
    assert list(await _times(editor)) == [21]
    editor.write(program.replace("iteration + 1", "iteration + 2"))
    assert await _times(editor) == {}
    editor.write(program)
    assert list(await _times(editor)) == [20]


async def test_times_of_operators_with_parts(editor: Editor) -> None:
    """A reduction that may send is one operator, and so are all calls of a procedure."""
    text = (ROOT / "samples" / "betweenness.gdsl").read_text(encoding="utf-8")
    text = text.replace("program betweenness", f"program searched_twice_{NEW}")
    text = text.replace("compute(f, v => { paths[v] = 1 + log(paths[v]); }) @count_on;", "use(f);")
    procedure = "procedure use(f : frontier) { compute(f, v => { paths[v] = 1 + log(paths[v]); }) @count_on; }\n"
    editor.open(text.replace("schedule {", procedure + "schedule {"))
    assert await _times(editor) == {}
    gdsl.profile(gdsl.compile(editor.text), KARATE, graph_name="karate", backend="cpu", sources=[0])
    found = await _times(editor)
    lines = editor.text.split("\n")
    shown = {lines[line].strip(): label for line, label in found.items()}
    [gathered] = [label for line, label in shown.items() if line.startswith("if (iteration < counted)")]
    assert "in 4 runs" in gathered
    [unused] = [label for line, label in shown.items() if line.startswith("procedure")]
    assert unused == "did not run (karate, cpu)"


async def test_definition_references_and_highlights(editor: Editor) -> None:
    editor.open(BFS)
    place = editor.at("visit);")
    found = await editor.client.text_document_definition_async(lsp.DefinitionParams(editor.document, place))
    assert found.range.start == editor.at("visit(src")
    context = lsp.ReferenceContext(include_declaration=True)
    uses = await editor.client.text_document_references_async(lsp.ReferenceParams(context, editor.document, place))
    assert [each.range.start.line for each in uses] == [9, 20]
    place = editor.at("distance[source]")
    marks = await editor.client.text_document_document_highlight_async(
        lsp.DocumentHighlightParams(editor.document, place)
    )
    kinds = [each.kind for each in marks]
    assert kinds.count(lsp.DocumentHighlightKind.Write) == 2 and len(kinds) == 4


async def test_renaming(editor: Editor) -> None:
    editor.open(BFS)
    place = editor.at("distance[source]")
    assert await editor.client.text_document_prepare_rename_async(lsp.PrepareRenameParams(editor.document, place))
    found = await editor.client.text_document_rename_async(lsp.RenameParams(editor.document, place, "hops"))
    assert editor.applied(found.changes[editor.uri]) == BFS.replace("distance", "hops").replace(
        "Hop hops", "Hop distance"
    )
    for new, why in (("while", "word of the language"), ("1x", "not a name"), ("parent", "declared already")):
        with pytest.raises(JsonRpcException, match=why):
            await editor.client.text_document_rename_async(lsp.RenameParams(editor.document, place, new))
    place = editor.at("while")
    nothing = await editor.client.text_document_prepare_rename_async(lsp.PrepareRenameParams(editor.document, place))
    assert nothing is None


def test_a_refused_request_is_logged_without_a_traceback(caplog: pytest.LogCaptureFixture) -> None:
    create()
    logger = logging.getLogger("pygls.protocol.json_rpc")
    for error in (JsonRpcInvalidParams("`while` is a word of the language"), ValueError("a defect")):
        try:
            raise error
        except Exception:
            logger.exception("a request failed")
    refused, defect = caplog.records
    assert refused.getMessage() == "`while` is a word of the language" and refused.exc_info is None
    assert defect.exc_info is not None


async def test_a_local_is_renamed_in_its_scope(editor: Editor) -> None:
    editor.open(BFS)
    place = editor.at("src;")
    found = await editor.client.text_document_rename_async(lsp.RenameParams(editor.document, place, "from_here"))
    text = editor.applied(found.changes[editor.uri])
    assert "visit(from_here, dst, e)" in text and "any= from_here;" in text


COMMON = "function half(x: float32) -> float32 { return x / 2; }\n"
IMPORTING = """program p;
import half from "common.gdsl";
problem { vertex rank : float32 = half(1.0); }
vertex functor shrink(v) { apply { rank[v] = half(rank[v]); } }
schedule { compute(vertices, shrink); }
"""


async def test_imports(editor: Editor, tmp_path: Path) -> None:
    (tmp_path / "common.gdsl").write_text(COMMON)
    (tmp_path / "p.gdsl").write_text(IMPORTING)
    text = IMPORTING.replace("= half(1.0)", "= 1.0")
    editor.open(text)
    assert await editor.diagnostics(studied=True) == []
    place = editor.at("half(rank")
    found = await editor.client.text_document_definition_async(lsp.DefinitionParams(editor.document, place))
    assert found.uri.endswith("common.gdsl") and found.range.start == lsp.Position(0, 9)
    changes = await editor.client.text_document_rename_async(lsp.RenameParams(editor.document, place, "halved"))
    assert {Path(uri).name for uri in changes.changes} == {"p.gdsl", "common.gdsl"}
    # the imported file changes under the server
    (tmp_path / "common.gdsl").write_text(COMMON.replace("half", "third"))
    event = lsp.FileEvent((tmp_path / "common.gdsl").as_uri(), lsp.FileChangeType.Changed)
    editor.client.published.clear()
    editor.client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([event]))
    [found] = await editor.diagnostics()
    assert "half" in found.message
    (tmp_path / "common.gdsl").unlink()
    editor.client.published.clear()
    editor.client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([event]))
    assert await editor.diagnostics()


async def test_a_library(editor: Editor) -> None:
    editor.open(COMMON)
    assert await editor.diagnostics(studied=True) == []
    assert await editor.client.text_document_code_lens_async(lsp.CodeLensParams(editor.document)) == ()
