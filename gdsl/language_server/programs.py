"""The open programs of a server, and when which of them is analyzed.

Syntax, names and types are checked at every change, at once. What takes longer (the rules, fixes, warnings, the plan)
is found out in a thread after a pause, and given up when the text changes again.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import os
import shutil
import subprocess
import sys
import tempfile
import traceback
import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path

from gdsl.diagnostics import Diagnostic
from gdsl.explanation.facts import Facts
from gdsl.ir import nodes as ir
from gdsl.language_server import edits
from gdsl.language_server.documents import Document, Findings, Superseded
from gdsl.language_server.hints import CUDA, LENSES, PLAN, PROFILE, RUN
from gdsl.profiling.last import LastTimes, last_times
from gdsl.types import Type

PAUSE = 0.15
"""Seconds without a change after which the slow part of an analysis begins."""
MOST_SECONDS = 10.0
"""The longest time for which a request for fixes waits for the analysis."""
LOOK = 1.0
"""Seconds between two looks for new profiles."""


class Programs:
    """The open programs of one server."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._documents: dict[str, Document] = {}
        self._findings: dict[str, Findings] = {}
        self._sound: dict[str, Facts] = {}
        """The facts of the last version of each program that had no mistakes."""
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._turn = asyncio.Lock()
        self._shown_times: dict[tuple[str, ...], LastTimes | None] = {}
        self._looking: asyncio.Task[None] | None = None
        self._folder: Path | None = None

    # ------------------------------------------------------------ texts

    def document(self, uri: str) -> Document:
        """The current version of a text."""
        current = self._server.workspace.get_text_document(uri)
        known = self._documents.get(uri)
        version, text = current.version or 0, current.source
        if known is None or known.version != version or known.text != text.removeprefix("\ufeff"):
            encoding = self._server.workspace.position_encoding or lsp.PositionEncodingKind.Utf16
            known = self._documents[uri] = Document(uri, version, text, encoding)
        return known

    def open(self) -> list[Document]:
        """All open programs."""
        return list(self._documents.values())

    def findings(self, document: Document) -> Findings | None:
        """What is known about this version of a text; None while it is being found out."""
        findings = self._findings.get(document.uri)
        return findings if findings is not None and findings.version == document.version else None

    async def studied(self, document: Document) -> None:
        """Wait until this version has been studied, there is a newer one, or it takes too long."""
        ends = asyncio.get_running_loop().time() + MOST_SECONDS
        while self.findings(document) is None and self._documents.get(document.uri) is document:
            if asyncio.get_running_loop().time() > ends:
                return
            await asyncio.sleep(PAUSE / 5)

    def facts(self, document: Document) -> Facts | None:
        """The facts about this version, or else about the last one without mistakes."""
        return self._sound.get(document.uri)

    def diagnostics(self, document: Document) -> tuple[Diagnostic, ...]:
        """The messages about a version, with fixes that were compiled if there was time for that."""
        findings = self.findings(document)
        return findings.diagnostics if findings is not None else ()

    # ------------------------------------------------------------ analysis

    def changed(self, uri: str) -> None:
        """A text was opened or changed: look at it once the changes that have arrived are all in."""
        if self._looking is None and self._can_refresh:
            self._looking = asyncio.get_running_loop().create_task(self._look_for_profiles())
        before = self._tasks.get(uri)
        if before is not None:
            before.cancel()
        self._tasks[uri] = asyncio.get_running_loop().create_task(self._look(uri))

    def closed(self, uri: str) -> None:
        """A text is no longer open."""
        task = self._tasks.pop(uri, None)
        if task is not None:
            task.cancel()
        for known in (self._documents, self._findings, self._sound):
            known.pop(uri, None)
        self._publish(uri, None, [])

    def files_changed(self) -> None:
        """Files changed on the disk, which open programs may import."""
        for document in self.open():
            self._documents.pop(document.uri, None)
            self.changed(document.uri)

    async def _look(self, uri: str) -> None:
        await asyncio.sleep(0)
        document = self.document(uri)
        try:
            diagnostics = [
                dataclasses.replace(each, fix=None) for each in document.analysis.diagnostics
            ]  # none was tried
            self._publish(uri, document.version, edits.published(document, diagnostics))
        except Exception as error:
            self.log(error)
        await asyncio.sleep(PAUSE)

        def check() -> None:
            if self._documents.get(uri) is not document:
                raise Superseded

        async with self._turn:  # one at a time: the threads of Python take turns anyway
            try:
                findings = await asyncio.get_running_loop().run_in_executor(None, document.study, check)
            except Superseded:
                return
            except Exception as error:
                self.log(error)
                return
        if self._documents.get(uri) is not document:
            return
        self._findings[uri] = findings
        if findings.facts is not None:
            self._sound[uri] = findings.facts
        self._publish(uri, document.version, edits.published(document, findings.diagnostics))
        self._refresh()

    def _publish(self, uri: str, version: int | None, diagnostics: list[lsp.Diagnostic]) -> None:
        self._server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, diagnostics, version))

    async def _look_for_profiles(self) -> None:
        """Show the times of each new profile of an open program."""
        while True:
            await asyncio.sleep(LOOK)
            try:
                keys = [each.times_key for each in self.open() if not each.is_library]
                found = {key: last_times(key) for key in keys}
            except Exception as error:
                self.log(error)
                return
            is_new = any(self._shown_times.get(key) != times for key, times in found.items())
            self._shown_times = found
            if is_new:
                self._refresh()

    @property
    def _can_refresh(self) -> bool:
        workspace = self._server.client_capabilities.workspace
        return workspace is not None and workspace.inlay_hint is not None and bool(workspace.inlay_hint.refresh_support)

    def _refresh(self) -> None:
        """Have the client ask again for what it has shown without the facts."""
        if self._can_refresh:
            self._server.workspace_inlay_hint_refresh(None)

    # ------------------------------------------------------------ commands

    async def show(self, command: str, uri: str) -> str:
        """Run a command, show its output as a document where the client can, and return it."""
        document = self.document(uri)
        loop = asyncio.get_running_loop()
        async with self._progress(command):
            shown = await loop.run_in_executor(None, output, command, document, self.facts(document))
        window = self._server.client_capabilities.window
        if window is not None and window.show_document is not None and window.show_document.support:
            if self._folder is None:
                self._folder = Path(tempfile.mkdtemp(prefix="gdsl-"))
            path = await loop.run_in_executor(None, write, self._folder, shown)
            self._server.window_show_document(lsp.ShowDocumentParams(from_fs_path(str(path)) or "", take_focus=True))
        return shown.text

    @contextlib.asynccontextmanager
    async def _progress(self, command: str) -> AsyncIterator[None]:
        """Show that a command runs, in clients that can: the first run of a program compiles for seconds."""
        window = self._server.client_capabilities.window
        if window is None or not window.work_done_progress:
            yield
            return
        progress, token = self._server.work_done_progress, str(uuid.uuid4())
        await progress.create_async(token)
        title = next(title for title, name in LENSES.items() if name == command)
        progress.begin(token, lsp.WorkDoneProgressBegin(f"gdsl: {title}"))
        try:
            yield
        finally:
            progress.end(token, lsp.WorkDoneProgressEnd())

    def end(self) -> None:
        """Remove what was written, and look for nothing anymore."""
        if self._looking is not None:
            self._looking.cancel()
        self._documents.clear()  # ends an analysis that runs, which the process would wait for
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def log(self, error: BaseException) -> None:
        """Tell the client's log about a defect."""
        text = "".join(traceback.format_exception(error))
        with contextlib.suppress(Exception):
            self._server.window_log_message(lsp.LogMessageParams(lsp.MessageType.Error, f"a defect of gdsl: {text}"))


# The commands of code lenses: they run `gdslc` on the text as it is in the editor.


SECONDS = 60
"""The time limit of a run."""
_SUFFIXES = {RUN: "run.txt", PROFILE: "profile.txt", PLAN: "plan.txt", CUDA: "cu"}


@dataclass(frozen=True, slots=True)
class Output:
    """What a command printed, and the file name to show it under."""

    name: str
    text: str


def output(command: str, document: Document, facts: Facts | None) -> Output:
    """Run a command; messages are output, too."""
    name = next((each.name for each in document.outline.declarations if each.kind == "program"), "program")
    words = list(_words(command, facts))
    folder = os.path.dirname(document.path)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "gdsl", *words],
            input=document.text,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=SECONDS + 30,
            cwd=folder if os.path.isdir(folder) else None,
            check=False,
        )
        text = done.stdout
    except subprocess.TimeoutExpired:
        text = f"gdslc did not end within {SECONDS + 30} seconds\n"
    shown = " ".join("PROGRAM" if word == "-" else word for word in words)
    comment = "//" if command == CUDA else "#"
    return Output(f"{name}.{_SUFFIXES[command]}", f"{comment} gdslc {shown}\n\n{text}")


def _words(command: str, facts: Facts | None) -> Iterator[str]:
    if command == PLAN:
        yield from ("compile", "-", "--emit", "plan")
    elif command == CUDA:
        yield from ("compile", "-")
    else:
        yield from ("profile" if command == PROFILE else "run", "-", "karate", "--timeout", str(SECONDS))
        if facts is not None:
            yield from _arguments(facts.program)


def _arguments(program: ir.Program) -> Iterator[str]:
    """A value for each param that must be given, and weights where the program has an input over edges."""
    for param in program.params:
        if param.default is None:
            yield from ("-p", f"{param.name}={_value(param.type)}")
    for array in program.arrays:
        if array.is_set:
            yield from ("-p", f"{array.name}=0")
    if any(array.is_input and array.name == "weight" for array in program.arrays):
        yield from ("--weights", "random:100")


def _value(type_: Type) -> str:
    return "true" if type_ is Type.BOOL else "0" if type_.is_id else "1"


def write(folder: Path, shown: Output) -> Path:
    """The file of an output, for the editor to open."""
    path = folder / shown.name
    path.write_text(shown.text, encoding="utf-8")
    return path
