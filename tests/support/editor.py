"""A program in an editor that talks to `gdslc lsp`; import it after `pytest.importorskip`."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types as lsp
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

import gdsl

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
