"""Commands in the fixes of files work when they are typed in, whatever the file is called and if it is compressed."""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import gdsl
from gdsl.graph.messages import collecting

PACK = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
COMMAND = re.compile(r"(?:(?:gzip|bzip2|xz) -dc|sed -i|sed -n|echo|iconv|awk) .*?(?=;? ?$|; if|, and give)")
BANNER = "%%MatrixMarket matrix coordinate "
TEXTS = [
    ("txt", "0,0\n1,1\n2,2\n\n0,1\n1,2\n", 2),
    ("txt", "0 -> 1\n1 -> 2\n", 2),
    ("txt", "(0, 1)\n(1, 2)\n", 2),
    ("txt", "'0','1'\n'1','2'\n", 2),
    ("txt", "0\u00a01\n1\u00a02\n", 2),
    ("txt", "source,target\na\tb\nb\tc\n", 2),
    ("csv", "sep=;\n0;1\n1;2\n", 2),
    ("csv", "# joined\nsource,target\n0,1\nsource,target\n1,2\nsource,target\n2,3\n", 3),
    ("csv", "source,target,weight\na,b,1\nsource,target,weight\nb,c,2\n", 2),
    ("mtx", f"{BANNER}pattern general\n3 3 2\n1 2 5\n2 3 6\n", 2),
    ("mtx", f"{BANNER}real general\n3 3 2\n1 2 1.5D0\n2 3 2.5D0\n", 2),
    ("gr", "p sp 2 1\na 1 2 5", 1),
    ("adjlist", "0: 1 2\n1: 2\n", 6),
    ("csv", "0,1\n1,2\n".encode("utf-16"), 2),
    ("g6", "Bw\nB?\n", 6),
]


@pytest.mark.parametrize(("suffix", "text", "edges"), TEXTS)
@pytest.mark.parametrize("name", ["a", "-it's a b", "it's\\ \udcff\n\x1bé"])
@pytest.mark.parametrize(
    "packed", ["", ".gz", *(pytest.param(each, marks=pytest.mark.slow) for each in (".bz2", ".xz"))]
)
def test_what_a_fix_says_can_be_typed(tmp_path, monkeypatch, name, packed, suffix, text, edges):
    if shutil.which("sed") is None or shutil.which("iconv") is None:
        pytest.skip("sed and iconv are not here")
    if suffix in ("adjlist", "g6"):
        pytest.importorskip("networkx")
    monkeypatch.chdir(tmp_path)
    path = Path(f"{name}.{suffix}{packed}")
    original = PACK[packed](text if isinstance(text, bytes) else text.encode())
    path.write_bytes(original)
    with pytest.raises(gdsl.GdslError) as caught:
        gdsl.Graph.read(str(path))
    command = COMMAND.search(caught.value.diagnostics[0].fix)
    assert command is not None, caught.value
    answer = subprocess.run(["bash", "-c", command[0]], capture_output=True, text=True, check=False)
    assert answer.returncode == 0 and not answer.stderr, (command[0], answer)
    new = Path(f"NEW.{suffix}")
    assert new.exists() == (" > NEW" in command[0])
    if packed:
        assert path.read_bytes() == original
    assert gdsl.Graph.read(str(new if new.exists() else path)).num_edges == edges


def test_a_line_of_names_may_be_an_edge(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("known.csv").write_text("source,target\n")
    with collecting() as notices:
        assert gdsl.Graph.read("known.csv").num_edges == 0
    assert notices == []
    Path("a.csv").write_text("Ann,Bob\n")
    with collecting() as notices:
        assert gdsl.Graph.read("a.csv").num_edges == 0
    assert len(notices) == 1 and "taken for the names of columns" in notices[0]
    if shutil.which("sed") is not None:
        subprocess.run(["bash", "-c", notices[0].partition("ends: ")[2]], check=True)
        assert gdsl.Graph.read("a.csv").names == ("Ann", "Bob")
