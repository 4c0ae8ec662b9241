"""`gdslc lsp`, driven as an editor drives it: every request, and texts in every state."""

from __future__ import annotations

import asyncio
import re
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

pytest.importorskip("pygls")
pytest_lsp = pytest.importorskip("pytest_lsp")

from lsprotocol import types as lsp  # noqa: E402
from pygls.exceptions import JsonRpcException  # noqa: E402
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities  # noqa: E402

import gdsl  # noqa: E402
from gdsl.formatting import format_text  # noqa: E402
from gdsl.source import Source  # noqa: E402
from tests.support.programs import SAMPLES  # noqa: E402

ROOT = Path(__file__).parents[2]
BFS = (ROOT / "samples" / "bfs.gdsl").read_text(encoding="utf-8")
GEOLOCATION = (ROOT / "samples" / "geolocation.gdsl").read_text(encoding="utf-8")
KARATE = gdsl.Graph.read("karate")
SECONDS = 60


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[sys.executable, "-m", "gdsl", "lsp"]))
async def client(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    folder = lsp.WorkspaceFolder(tmp_path.as_uri(), "programs")
    capabilities = client_capabilities("visual-studio-code")
    assert capabilities.workspace is not None
    capabilities.workspace.inlay_hint = lsp.InlayHintWorkspaceClientCapabilities(refresh_support=True)
    lsp_client.refreshed = asyncio.Event()
    lsp_client.feature(lsp.WORKSPACE_INLAY_HINT_REFRESH)(lambda *params: lsp_client.refreshed.set())
    await lsp_client.initialize_session(lsp.InitializeParams(capabilities, workspace_folders=[folder]))
    yield
    await lsp_client.shutdown_session()


class Editor:
    """One text in an editor."""

    def __init__(self, client: LanguageClient, path: Path) -> None:
        self.client, self.uri, self.version, self.text = client, path.as_uri(), 0, ""
        self.document = lsp.TextDocumentIdentifier(self.uri)

    def open(self, text: str) -> Editor:
        self.text = text
        self.client.text_document_did_open(
            lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(self.uri, "gdsl", self.version, text))
        )
        return self

    def write(self, text: str) -> None:
        """Replace all of the text."""
        self.text, self.version = text, self.version + 1
        document = lsp.VersionedTextDocumentIdentifier(self.version, self.uri)
        change = lsp.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [change]))

    def at(self, words: str, inside: int = 0, number: int = 0) -> lsp.Position:
        """The position of the text `words`, after its first characters."""
        offset = -1
        for _ in range(number + 1):
            offset = self.text.index(words, offset + 1)
        before = self.text[: offset + inside]
        return lsp.Position(before.count("\n"), len(before) - before.rfind("\n") - 1)

    def place(self, *arguments: object) -> lsp.TextDocumentPositionParams:
        return lsp.TextDocumentPositionParams(self.document, self.at(*arguments))  # type: ignore[arg-type]

    async def diagnostics(self, version: int | None = None, *, studied: bool = False) -> list[lsp.Diagnostic]:
        """The messages about the current version; with `studied` those of the slow analysis, too."""
        wanted = self.version if version is None else version
        count = 2 if studied else 1
        ends = time.monotonic() + SECONDS
        while time.monotonic() < ends:
            current = [each for each in self.client.published.get(self.uri, []) if each.version == wanted]
            if len(current) >= count:
                return list(current[-1].diagnostics)
            await asyncio.sleep(0.01)
        pytest.fail(f"no messages within {SECONDS} seconds")

    def applied(self, edits: list[lsp.TextEdit]) -> str:
        """The text after edits."""
        lines = self.text.split("\n")
        starts = [sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines) + 1)]
        text = self.text
        for edit in sorted(edits, key=lambda each: (each.range.start.line, each.range.start.character), reverse=True):
            start = starts[edit.range.start.line] + edit.range.start.character
            end = starts[edit.range.end.line] + edit.range.end.character
            text = text[:start] + edit.new_text + text[end:]
        return text

    def whole(self) -> lsp.Range:
        return lsp.Range(lsp.Position(0, 0), lsp.Position(self.text.count("\n") + 1, 0))


@pytest.fixture
def editor(client: LanguageClient, tmp_path: Path) -> Iterator[Editor]:
    published: dict[str, list[lsp.PublishDiagnosticsParams]] = {}
    client.published = published

    def keep(params: lsp.PublishDiagnosticsParams) -> None:
        published.setdefault(params.uri, []).append(params)

    client.protocol.fm.features[lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS] = keep
    yield Editor(client, tmp_path / "p.gdsl")
    assert not [each for each in client.log_messages if "defect" in each.message], client.log_messages


pytestmark = pytest.mark.asyncio


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
    program = BFS.replace("program bfs", "program searched")
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
    text = text.replace("program betweenness", "program searched_twice")
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
    editor.write(f"program p;\n{COMMON}schedule {{ x = half(")
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
