"""Messages for other programs: gdsl's own JSON (`SCHEMA`), and SARIF 2.1.0."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from gdsl.diagnostics import Diagnostic, all_codes
from gdsl.fixes import Applied, is_certain
from gdsl.source import NOWHERE, Source, Span
from gdsl.version import __version__

SCHEMA = 1
"""The version of the JSON document. It grows when a field changes its meaning or is removed, not when one is added."""
_SARIF = "https://json.schemastore.org/sarif-2.1.0.json"


@dataclass(frozen=True, slots=True)
class FileReport:
    """What was found in one file: the text (None where it could not be read), the messages, and the fixes that were
    written."""

    path: str
    source: Source | None
    diagnostics: tuple[Diagnostic, ...]
    applied: tuple[Applied, ...] = ()


def is_error(diagnostic: Diagnostic) -> bool:
    """Whether a message is a mistake, and not a warning."""
    return not diagnostic.code.startswith("W")


def as_json(reports: Sequence[FileReport]) -> dict[str, Any]:
    """The document of `gdslc check --json`. Lines and columns count from 1, columns in Unicode characters, the end
    column is one past the last character."""
    diagnostics = [each for report in reports for each in report.diagnostics]
    return {
        "schema": SCHEMA,
        "tool": {"name": "gdslc", "version": __version__},
        "files": [_file(report) for report in reports],
        "errors": sum(map(is_error, diagnostics)),
        "warnings": sum(not is_error(each) for each in diagnostics),
        "fixed": sum(len(report.applied) for report in reports),
    }


def _file(report: FileReport) -> dict[str, Any]:
    return {
        "path": report.path,
        "diagnostics": [_diagnostic(each, report) for each in report.diagnostics],
        "fixed": [
            {"code": each.diagnostic.code, "message": each.diagnostic.message, "fix": each.suggestion.words}
            for each in report.applied
        ],
    }


def _diagnostic(diagnostic: Diagnostic, report: FileReport) -> dict[str, Any]:
    return {
        "code": diagnostic.code,
        "severity": "error" if is_error(diagnostic) else "warning",
        "message": diagnostic.message,
        "hint": diagnostic.hint,
        "location": _location(diagnostic.span, report) if _has_place(diagnostic) else None,
        "place": diagnostic.place,
        "labels": [
            {"location": _location(each.span, report), "text": each.text}
            for each in diagnostic.labels
            if each.span != NOWHERE
        ],
        "notes": list(diagnostic.notes),
        "help": diagnostic.fix,
        "fixes": [
            {
                "words": each.words,
                "certain": report.source is not None and is_certain(diagnostic, report.source),
                "edits": [{"location": _location(edit.span, report), "text": edit.text} for edit in each.edits],
            }
            for each in diagnostic.suggestions
        ],
    }


def _has_place(diagnostic: Diagnostic) -> bool:
    return diagnostic.span is not None and diagnostic.span != NOWHERE


def _location(span: Span | None, report: FileReport) -> dict[str, Any] | None:
    if span is None:
        return None
    return {
        "file": span.file or report.path,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }


# ------------------------------------------------------------ SARIF


def as_sarif(reports: Sequence[FileReport]) -> dict[str, Any]:
    """The log of `gdslc check --sarif`, which code hosts and editors read."""
    used = {each.code for report in reports for each in report.diagnostics}
    rules = [code for code in all_codes() if code.code in used]
    numbers = {code.code: number for number, code in enumerate(rules)}
    driver = {
        "name": "gdslc",
        "semanticVersion": __version__,
        "rules": [
            {
                "id": code.code,
                "shortDescription": {"text": code.title},
                "fullDescription": {"text": code.explanation},
                "defaultConfiguration": {"level": "warning" if code.code.startswith("W") else "error"},
            }
            for code in rules
        ],
    }
    results = [_result(each, report, numbers) for report in reports for each in report.diagnostics]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": _SARIF, "version": "2.1.0", "runs": [run]}


def _result(diagnostic: Diagnostic, report: FileReport, numbers: dict[str, int]) -> dict[str, Any]:
    words = [diagnostic.message, *diagnostic.notes, *([f"fix: {diagnostic.fix}"] if diagnostic.fix else [])]
    span = diagnostic.span if _has_place(diagnostic) else None
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": numbers[diagnostic.code],
        "level": "error" if is_error(diagnostic) else "warning",
        "message": {"text": "\n".join(words)},
        "locations": [{"physicalLocation": _physical(span, report)}],
    }
    related = [each for each in diagnostic.labels if each.span != NOWHERE]
    if related:
        result["relatedLocations"] = [
            {"id": number, "physicalLocation": _physical(each.span, report), "message": {"text": each.text}}
            for number, each in enumerate(related, 1)
        ]
    fixes = list(_fixes(diagnostic, report))
    if fixes:
        result["fixes"] = fixes
    return result


def _fixes(diagnostic: Diagnostic, report: FileReport) -> Iterator[dict[str, Any]]:
    for suggestion in diagnostic.suggestions:
        changes = [
            {
                "artifactLocation": {"uri": _uri(file)},
                "replacements": [
                    {"deletedRegion": _region(edit.span), "insertedContent": {"text": edit.text}}
                    for edit in suggestion.edits
                    if (edit.span.file or report.path) == file
                ],
            }
            for file in dict.fromkeys(edit.span.file or report.path for edit in suggestion.edits)
        ]
        if changes:
            yield {"description": {"text": suggestion.words}, "artifactChanges": changes}


def _physical(span: Span | None, report: FileReport) -> dict[str, Any]:
    if span is None:
        return {"artifactLocation": {"uri": _uri(report.path)}}
    return {"artifactLocation": {"uri": _uri(span.file or report.path)}, "region": _region(span)}


def _region(span: Span) -> dict[str, int]:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def _uri(path: str) -> str:
    """A path as a URI; a relative one remains relative to the working directory."""
    return ("file://" if os.path.isabs(path) else "") + quote(
        path.replace(os.sep, "/").encode("utf-8", "surrogateescape")
    )
