"""The protocol: what is asked and who answers. No text may end the server: whatever fails is logged, and that request
has no answer."""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable
from typing import Any, TypeVar

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.protocol import JsonRPCProtocol

from gdsl.language_server import completion, edits, highlighting, hints, hover, structure
from gdsl.language_server.programs import Programs
from gdsl.version import __version__

Result = TypeVar("Result")
_OPTIONS: dict[str, Any] = {
    lsp.TEXT_DOCUMENT_COMPLETION: lsp.CompletionOptions(trigger_characters=list('.:(,=@" ')),
    lsp.TEXT_DOCUMENT_SIGNATURE_HELP: lsp.SignatureHelpOptions(trigger_characters=["(", ","]),
    lsp.TEXT_DOCUMENT_CODE_ACTION: lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix, edits.FIX_ALL]),
    lsp.TEXT_DOCUMENT_RENAME: lsp.RenameOptions(prepare_provider=True),
    lsp.TEXT_DOCUMENT_CODE_LENS: lsp.CodeLensOptions(resolve_provider=False),
    lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: highlighting.LEGEND,
}


def create() -> LanguageServer:
    """A server, ready to be started."""
    logging.getLogger(JsonRPCProtocol.__module__).addFilter(_in_one_line)
    server = LanguageServer("gdsl", __version__, text_document_sync_kind=lsp.TextDocumentSyncKind.Incremental)
    programs = Programs(server)
    for name, answer in {**_of_places(programs), **_of_texts(programs)}.items():
        server.feature(name, _OPTIONS.get(name))(_guarded(answer, programs))
    _listen(server, programs)
    for name in hints.LENSES.values():
        server.command(name)(_shown(programs, name))
    return server


def _in_one_line(record: logging.LogRecord) -> bool:
    """A request that is refused, as a new name that is no name, is logged without the traceback of the server."""
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, JsonRpcInvalidParams):
        record.msg, record.args, record.exc_info = str(error), None, None
    return True


def _guarded(answer: Callable[[Any], Result], programs: Programs) -> Callable[[Any], Result | None]:
    """Failures are logged and answered with nothing."""
    if inspect.iscoroutinefunction(answer):
        return _guarded_coroutine(answer, programs)

    @functools.wraps(answer)
    def guarded(params: Any) -> Result | None:
        try:
            return answer(params)
        except JsonRpcInvalidParams:
            raise
        except Exception as error:
            programs.log(error)
            return None

    guarded.__annotations__ = {}
    return guarded


def _guarded_coroutine(answer: Callable[[Any], Any], programs: Programs) -> Callable[[Any], Any]:
    async def guarded(params: Any) -> Any:
        try:
            return await answer(params)
        except Exception as error:
            programs.log(error)
            return None

    guarded.__annotations__ = {}
    return guarded


def _of_places(programs: Programs) -> dict[str, Callable[[Any], Any]]:
    """What is asked about one place of a text."""

    def hovered(params: lsp.HoverParams) -> lsp.Hover | None:
        document = programs.document(params.text_document.uri)
        return hover.hover(document, programs.facts(document), params.position)

    def referred(params: lsp.ReferenceParams) -> list[lsp.Location]:
        document = programs.document(params.text_document.uri)
        with_declaration = params.context.include_declaration
        return structure.references(document, params.position, with_declaration=with_declaration)

    def renamed(params: lsp.RenameParams) -> lsp.WorkspaceEdit:
        document = programs.document(params.text_document.uri)
        try:
            return edits.rename(
                document, params.position, params.new_name, lambda: edits.programs_beside(document, programs.open())
            )
        except edits.RenameError as error:
            raise JsonRpcInvalidParams(str(error)) from None

    def at(answer: Callable[..., Any]) -> Callable[[Any], Any]:
        return lambda params: answer(programs.document(params.text_document.uri), params.position)

    return {
        lsp.TEXT_DOCUMENT_HOVER: hovered,
        lsp.TEXT_DOCUMENT_REFERENCES: referred,
        lsp.TEXT_DOCUMENT_RENAME: renamed,
        lsp.TEXT_DOCUMENT_PREPARE_RENAME: at(edits.prepare_rename),
        lsp.TEXT_DOCUMENT_COMPLETION: at(completion.completions),
        lsp.TEXT_DOCUMENT_SIGNATURE_HELP: at(completion.signature_help),
        lsp.TEXT_DOCUMENT_DEFINITION: at(structure.definition),
        lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: at(structure.highlights),
    }


def _of_texts(programs: Programs) -> dict[str, Callable[[Any], Any]]:
    """What is asked about a whole text, or many lines of it."""

    def hinted(params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        document = programs.document(params.text_document.uri)
        findings = programs.findings(document)
        return hints.inlay_hints(document, findings.facts if findings is not None else None, params.range)

    async def offered(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        document = programs.document(params.text_document.uri)
        if params.context.trigger_kind is lsp.CodeActionTriggerKind.Invoked:
            await programs.studied(document)
        actions = edits.code_actions(document, programs.diagnostics(document), params.range)
        only = params.context.only
        return [each for each in actions if only is None or any(str(each.kind).startswith(kind) for kind in only)]

    def of(answer: Callable[..., Any]) -> Callable[[Any], Any]:
        return lambda params: answer(programs.document(params.text_document.uri))

    return {
        lsp.TEXT_DOCUMENT_INLAY_HINT: hinted,
        lsp.TEXT_DOCUMENT_CODE_ACTION: offered,
        lsp.TEXT_DOCUMENT_CODE_LENS: of(hints.code_lenses),
        lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL: of(structure.symbols),
        lsp.TEXT_DOCUMENT_FOLDING_RANGE: of(structure.folding),
        lsp.TEXT_DOCUMENT_FORMATTING: of(edits.formatting),
        lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: of(highlighting.semantic_tokens),
    }


def _listen(server: LanguageServer, programs: Programs) -> None:
    """Hear of changes."""

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        programs.changed(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def edited(params: lsp.DidChangeTextDocumentParams) -> None:
        programs.changed(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: lsp.DidSaveTextDocumentParams) -> None:
        programs.files_changed()

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        programs.closed(params.text_document.uri)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(params: lsp.DidChangeWatchedFilesParams) -> None:
        programs.files_changed()

    @server.feature(lsp.SHUTDOWN)
    def ended(*params: object) -> None:
        programs.end()


def _shown(programs: Programs, name: str) -> Callable[..., Any]:
    async def shown(uri: str) -> str | None:
        try:
            return await programs.show(name, uri)
        except Exception as error:
            programs.log(error)
            return None

    return shown
