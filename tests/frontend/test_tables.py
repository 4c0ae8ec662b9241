"""The parser's tables, prepared or from the cache: data, from which the same parser comes back."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from gdsl import cache, prepared
from gdsl.frontend import tables

ROOT = Path(__file__).parents[2]
TEXTS = {
    "program": (ROOT / "samples" / "bfs.gdsl").read_text(),
    "library": "function twice(a: int32) -> int32 { return a + a; }",
    "tune_entry": "visit.direction=pull",
}


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def unprepared(monkeypatch):
    """As with another version of Lark, or a grammar that was changed since."""
    monkeypatch.setattr(prepared, "read", lambda name, state: None)


def parser(start):
    return tables.parser.__wrapped__(start)


def entry():
    [path] = cache.directory().glob("grammar/*")
    return path


def assert_the_same(first, second, text):
    assert first.parse(text) == second.parse(text)
    assert {terminal.name for terminal in first.terminals} == {terminal.name for terminal in second.terminals}


@pytest.mark.parametrize("start", tables.STARTS)
@pytest.mark.sampled(3)
def test_the_prepared_parser_parses_as_the_one_that_is_made(start, tmp_path, monkeypatch):
    monkeypatch.setattr(prepared, "path_of", lambda name: tmp_path / f"{name}.json.gz")
    made = tables.make(start)
    prepared.write(tables.name_of(start), tables.state(), tables.tables(made))
    monkeypatch.setattr(tables, "make", None)
    assert_the_same(parser(start), made, TEXTS[start])
    assert not cache.directory().exists()


@pytest.mark.parametrize("start", tables.STARTS)
@pytest.mark.sampled(3)
def test_the_parser_from_the_cache_parses_as_the_one_that_was_made(start, unprepared, monkeypatch):
    made = parser(start)
    monkeypatch.setattr(tables, "make", None)
    assert_the_same(parser(start), made, TEXTS[start])


class OpenedError(Exception):
    """Raised by what must not be executed."""


class Bomb:
    def __reduce__(self):
        return exec, ("raise OpenedError",)


BROKEN = [b"", b"{", b"[]", b"null", b'{"data": {}, "memo": {}}', pickle.dumps(Bomb())]


@pytest.mark.parametrize("data", BROKEN, ids=range(len(BROKEN)))
def test_other_data_is_not_used_and_replaced(data, unprepared, monkeypatch):
    monkeypatch.setattr(cache, "get", lambda kind, key: data)
    assert parser("tune_entry").parse(TEXTS["tune_entry"]).data == "tune_entry"
    monkeypatch.undo()


@pytest.mark.parametrize("content", [[], {}, 1, "text", {"data": {}, "memo": {}}], ids=repr)
def test_prepared_tables_that_are_none_are_made_anew(content, monkeypatch):
    monkeypatch.setattr(prepared, "read", lambda name, state: content)
    assert parser("tune_entry").parse(TEXTS["tune_entry"]).data == "tune_entry"
    assert entry().exists()


def test_the_entry_is_json(unprepared):
    parser("tune_entry")
    data = entry().read_bytes()
    text, _ = json.JSONDecoder().raw_decode(data.decode("latin-1"))
    assert set(text) == {"data", "memo"}
