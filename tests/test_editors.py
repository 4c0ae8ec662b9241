"""What editors know of the language: generated files are up to date, and name what exists."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import lark
import pytest

from editors import make
from editors.grammar import START, nodes
from gdsl.version import __version__
from tests.support.programs import LIBRARY, PROGRAMS, SAMPLES

EDITORS = Path(__file__).parents[1] / "editors"
VSCODE, TREE_SITTER = EDITORS / "vscode", EDITORS / "tree-sitter-gdsl"


@pytest.mark.parametrize("path", make.files(), ids=lambda path: path.name)
def test_generated_files_are_up_to_date(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == make.files()[path], "run `python -m editors.make`"


@pytest.mark.slow
def test_the_rules_of_tree_sitter_accept_all_programs() -> None:
    """Lark builds the same rules without a conflict, so Tree-sitter can, too."""
    parser = lark.Lark(make.grammar().lark(), parser="lalr", start=START)
    for path in (*SAMPLES, *LIBRARY, *PROGRAMS):
        parser.parse(path.read_text(encoding="utf-8"))
    parser.parse("function half(x: float32) -> float32 { return x / 2; }")
    for text in ("program p", "program p; schedule {", "program p; schedule { x = ; }", "vertex functor f(a, b) { }"):
        with pytest.raises(lark.exceptions.UnexpectedInput):
            parser.parse(text)


def test_no_rule_matches_nothing() -> None:
    """Tree-sitter allows that of the first rule alone."""
    for name, rule in make.grammar().rules.items():
        assert name == START or rule[0] not in ("optional", "repeat"), name


@pytest.mark.parametrize(
    "path",
    [*sorted((TREE_SITTER / "queries").glob("*.scm")), *sorted(EDITORS.glob("helix/queries/*.scm"))],
    ids=lambda path: str(path.relative_to(EDITORS)),
)
def test_queries_name_what_exists(path: Path) -> None:
    grammar = make.grammar()
    text = re.sub(r";[^\n\"]*\n", "\n", path.read_text(encoding="utf-8"))
    literals = {found.replace('\\"', '"') for found in re.findall(r'"((?:[^"\\]|\\.)+)"', text)}
    assert literals <= grammar.tokens, literals - grammar.tokens
    named = set(re.findall(r"\(([a-z_]+)", re.sub(r'"(?:[^"\\]|\\.)+"', '""', text)))
    assert named <= set(nodes(grammar)), named - set(nodes(grammar))


def test_every_word_of_the_grammar_has_a_color() -> None:
    text = (TREE_SITTER / "queries" / "highlights.scm").read_text(encoding="utf-8")
    missing = [word for word in make.grammar().tokens if f'"{word}"' not in text]
    assert not missing


def scopes(line: str) -> dict[str, str]:
    """By word of a line its scope in the TextMate grammar, whose patterns Python understands as well."""
    patterns = [each for each in json.loads(make.textmate())["patterns"] if "match" in each]
    found, position = {}, 0
    while position < len(line):
        matches = [(re.compile(each["match"]).match(line, position), each) for each in patterns]
        first = next(((match, each) for match, each in matches if match is not None and match[0]), None)
        if first is None:
            position += 1
            continue
        match, each = first
        captures = each.get("captures")
        for number, inside in captures.items() if captures else ():
            found[match[int(number)]] = inside["name"]
        if not captures:
            found[match[0]] = each["name"]
        position = match.end()
    return found


def test_textmate() -> None:
    found = scopes("edge functor visit(src, dst, e) { cond hops[dst] == -1; apply { parent[dst] any= src; } } # why")
    assert found["functor"] == "keyword.other.gdsl" and found["visit"] == "entity.name.function.gdsl"
    assert found["any="] == "keyword.operator.update.gdsl" and found["# why"].startswith("comment")
    assert found["1"] == "constant.numeric.integer.gdsl" and found["edge"] == "storage.type.gdsl"
    found = scopes("while (f) { f = advance(f, visit) @next; x = 0xFF + 1.5e3 + int32(inf) + iteration; }")
    assert found["while"] == "keyword.control.gdsl" and found["advance"] == "support.function.gdsl"
    assert found["@next"] == "entity.name.tag.label.gdsl" and found["0xFF"] == "constant.numeric.hex.gdsl"
    assert found["1.5e3"] == "constant.numeric.float.gdsl" and found["inf"] == "constant.language.gdsl"
    assert found["int32"] == "support.type.gdsl" and found["iteration"] == "variable.language.gdsl"


def test_versions() -> None:
    for path in (VSCODE / "package.json", TREE_SITTER / "package.json"):
        assert json.loads(path.read_text(encoding="utf-8"))["version"] == __version__, path
    metadata = json.loads((TREE_SITTER / "tree-sitter.json").read_text(encoding="utf-8"))["metadata"]
    assert metadata["version"] == __version__


def test_the_package_of_vscode(tmp_path: Path) -> None:
    target = tmp_path / "gdsl.vsix"
    subprocess.run([sys.executable, VSCODE / "package.py", target], check=True, capture_output=True)
    with zipfile.ZipFile(target) as archive:
        names = set(archive.namelist())
        package = json.loads(archive.read("extension/package.json"))
        manifest = ElementTree.fromstring(archive.read("extension.vsixmanifest"))
        types = ElementTree.fromstring(archive.read("[Content_Types].xml"))
    contributes = package["contributes"]
    files = [package["main"], contributes["grammars"][0]["path"], contributes["languages"][0]["configuration"]]
    assert {f"extension/{file.removeprefix('./')}" for file in files} <= names
    [identity] = manifest.iter("{http://schemas.microsoft.com/developer/vsx-schema/2011}Identity")
    assert (identity.get("Id"), identity.get("Version")) == ("gdsl", __version__)
    known = {each.get("Extension") for each in types}
    packed = {Path(name).suffix for name in names if "node_modules" not in name and name != "[Content_Types].xml"}
    assert packed <= known
    again = tmp_path / "again.vsix"
    subprocess.run([sys.executable, VSCODE / "package.py", again], check=True, capture_output=True)
    assert again.read_bytes() == target.read_bytes()


def test_hooks_for_pre_commit() -> None:
    text = (EDITORS.parent / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    assert re.findall(r"^  entry: (.+)$", text, re.MULTILINE) == ["gdslc fmt", "gdslc check"]
