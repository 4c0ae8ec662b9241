"""What is prepared of the grammar and the templates: it is of these and no others, and nothing else is ever used."""

from __future__ import annotations

import base64
import gzip
import marshal
import shutil
from pathlib import Path

import jinja2
import pytest

from gdsl import prepared, resources
from gdsl.codegen import templates
from gdsl.frontend import tables
from gdsl.tools import prepare
from gdsl.tools.prepare import everything

ROOT = Path(__file__).parents[1]
FILES = {each.name: each for each in everything()}


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """Another installation: grammar, templates and what is prepared of them."""
    for name in ("grammar", "templates"):
        shutil.copytree(ROOT / name, tmp_path / name)

    def directory(name):
        return tmp_path / name

    for room in (resources, prepared, templates):
        monkeypatch.setattr(room, "resource_directory", directory)
    templates.environment.cache_clear()
    prepare.main()
    yield tmp_path
    templates.environment.cache_clear()


def stale():
    return {each.name for each in everything() if not each.is_current}


@pytest.mark.slow
def test_all_of_it_is_prepared(copy):
    assert stale() == set()
    assert {path.name for path in (copy / "prepared").iterdir()} == {f"{name}.json.gz" for name in FILES}


@pytest.mark.slow
def test_templates_are_the_python_that_jinja_makes_of_them(copy):
    for backend in templates.BACKENDS:
        found = prepared.read(templates.name_of(backend), templates.state(backend))
        assert found["python"] == templates.as_python(backend)["python"]
        for name, python in found["python"].items():
            code = marshal.loads(base64.b64decode(found["code"][name]))
            assert code == compile(python, code.co_filename, "exec")


@pytest.mark.parametrize(
    ("file", "names"),
    [
        ("grammar/gdsl.lark", {tables.name_of(start) for start in tables.STARTS}),
        ("templates/cuda/operators/common.cu.j2", {"templates.cuda"}),
        ("templates/cpu/program.cpp.j2", {"templates.cpu"}),
        ("templates/cuda/another.cu.j2", {"templates.cuda"}),
        ("templates/cuda/runtime/pull.cuh", set()),
    ],
    ids=["grammar", "operator", "program", "another", "runtime"],
)
@pytest.mark.sampled(6)
@pytest.mark.slow
def test_what_changed_is_stale_until_it_is_made_again(copy, file, names, capsys):
    path = copy / file
    capsys.readouterr()
    path.write_text((path.read_text() if path.exists() else "") + "\n")
    assert stale() == names
    prepare.main()
    assert stale() == set()
    assert set(capsys.readouterr().out.split()) - {"prepared"} == names


@pytest.mark.slow
def test_a_template_that_changed_is_used_as_it_is_now(copy):
    path = copy / "templates" / "cuda" / "program.cu.j2"
    path.write_text("now: {{ word }}")
    assert templates.render("cuda", "program.cu.j2", word="this") == "now: this"


@pytest.mark.parametrize("text", ["", "{", "[]", "{}"])
@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.sampled(8)
@pytest.mark.slow
def test_a_damaged_file_counts_as_missing(copy, text, packed):
    data = gzip.compress(text.encode()) if packed else text.encode()
    for name in FILES:
        prepared.path_of(name).write_bytes(data)
    assert stale() == set(FILES)
    assert templates.environment("cuda").get_template("program.cu.j2")


@pytest.mark.slow
def test_a_file_with_any_byte_changed_counts_as_missing(copy):
    name = min(FILES, key=lambda name: prepared.path_of(name).stat().st_size)
    path, state = prepared.path_of(name), FILES[name].state
    whole, content = path.read_bytes(), prepared.read(name, state)
    for place in range(0, len(whole), max(len(whole) // 50, 1)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        assert prepared.read(name, state) in (None, content)


@pytest.mark.slow
def test_an_installation_without_any_works(copy):
    shutil.rmtree(copy / "prepared")
    assert stale() == set(FILES)
    assert templates.environment("cpu").get_template("operators.cpp.j2")


@pytest.mark.slow
def test_a_version_of_jinja_that_is_another_makes_its_own_python(copy, monkeypatch):
    import jinja2

    monkeypatch.setattr(jinja2, "__version__", "0.0")
    assert stale() == {name for name in FILES if name.startswith("templates.")}


def test_what_a_checkout_has_compiled_is_in_its_cache(tmp_path, monkeypatch):
    """Another process finds it, and another text of a template is another entry."""
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(prepared, "read", lambda *_: None)
    compiled, compile_template = [], jinja2.Environment.compile

    def counted(environment, source, name=None, *words, **options):
        compiled.append(name)
        return compile_template(environment, source, name, *words, **options)

    monkeypatch.setattr(jinja2.Environment, "compile", counted)
    shutil.copytree(ROOT / "templates", tmp_path / "templates")
    monkeypatch.setattr(templates, "resource_directory", lambda name: tmp_path / name)
    name, seen = "structs.cu.j2", []
    for text in ("first {{ 1 + 1 }}", "first {{ 1 + 1 }}", "second {{ 1 + 1 }}"):
        (tmp_path / "templates" / "cuda" / name).write_text(text)
        templates.environment.cache_clear()
        seen.append((templates.render("cuda", name), len(compiled)))
    templates.environment.cache_clear()
    assert seen == [("first 2", 1), ("first 2", 1), ("second 2", 2)]
