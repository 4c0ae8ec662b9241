"""The parser's tables in the cache: data, from which the same parser comes back."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from gdsl import cache
from gdsl.frontend import tables

ROOT = Path(__file__).parents[2]
TEXTS = {"program": (ROOT / "samples" / "bfs.gdsl").read_text(), "tune_entry": "visit.direction=pull"}


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path / "cache"))


def parser(start):
    return tables.parser.__wrapped__(start)


def entry():
    [path] = cache.directory().glob("grammar/*")
    return path


@pytest.mark.parametrize("start", TEXTS)
def test_the_parser_that_is_read_parses_as_the_one_that_was_made(start, monkeypatch):
    made = parser(start)
    monkeypatch.setattr(tables, "resource_text", None)  # the grammar is not needed any more
    read = parser(start)
    assert read.parse(TEXTS[start]) == made.parse(TEXTS[start])
    assert {terminal.name for terminal in read.terminals} == {terminal.name for terminal in made.terminals}


class OpenedError(Exception):
    """Raised by what must not be executed."""


class Bomb:
    def __reduce__(self):
        return exec, ("raise OpenedError",)


BROKEN = [b"", b"{", b"[]", b"null", b'{"data": {}, "memo": {}}', pickle.dumps(Bomb())]


@pytest.mark.parametrize("data", BROKEN, ids=range(len(BROKEN)))
def test_other_data_is_not_used_and_replaced(data, monkeypatch):
    monkeypatch.setattr(cache, "get", lambda kind, key: data)
    assert parser("tune_entry").parse(TEXTS["tune_entry"]).data == "tune_entry"
    monkeypatch.undo()


def test_the_entry_is_json(tmp_path):
    parser("tune_entry")
    data = entry().read_bytes()
    text, _ = json.JSONDecoder().raw_decode(data.decode("latin-1"))
    assert set(text) == {"data", "memo"}
