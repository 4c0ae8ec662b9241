"""Files of arrays for inputs that cannot be used: what is said of them, and nothing that they claim believed."""

from __future__ import annotations

import io
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest

REFERENCE = ("--backend", "reference")


def head(shape: tuple[int, ...]) -> bytes:
    """How a `.npy` file begins."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": "<i4", "fortran_order": False, "shape": shape})
    return file.getvalue()


def archive(path: str, content: bytes, *names: str) -> None:
    """An archive of `content` under each of `names`."""
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w") as file:
        warnings.simplefilter("ignore")  # of names that come twice
        for name in names:
            file.writestr(name, content)


def flags() -> bytes:
    file = io.BytesIO()
    np.save(file, np.zeros(5, dtype=bool))
    return file.getvalue()


def says(gdslc, file: str, *words: str) -> None:
    """Assert that `file` is refused for the input of `sites.gdsl`."""
    answer = gdslc("run", "sites.gdsl", "path.mtx", *REFERENCE, "-p", f"is_site=@{file}")
    answer.fails(1, "E0611", file.partition(":")[0], *words)


def test_an_encrypted_archive(gdslc):
    archive("sites.npz", flags(), "is_site.npy")
    content = bytearray(Path("sites.npz").read_bytes())
    content[content.find(b"PK\x03\x04") + 6] |= 1
    content[content.find(b"PK\x01\x02") + 8] |= 1
    Path("sites.npz").write_bytes(content)
    says(gdslc, "sites.npz", "'is_site' is encrypted; save it without a password")


@pytest.mark.parametrize(("shape", "claimed"), [((10**12,), "4,000,000,000,000"), ((10**9, 10**9), "4,000,000,000")])
def test_a_head_that_claims_more_than_there_is(gdslc, shape, claimed):
    content = head(shape) + b"abc"
    Path("sites.npy").write_bytes(content)
    archive("sites.npz", content, "is_site.npy")
    for file in ("sites.npy", "sites.npz"):
        says(gdslc, file, "cut short or damaged", f"its head says {claimed}", "bytes, and 3 follow")


def test_a_size_in_the_table_of_contents_that_no_file_can_hold(gdslc):
    archive("sites.npz", head((10**9,)), "is_site.npy")
    content = bytearray(Path("sites.npz").read_bytes())
    place = content.find(b"PK\x01\x02") + 24
    content[place : place + 4] = (4_000_000_200).to_bytes(4, "little")
    Path("sites.npz").write_bytes(content)
    says(gdslc, "sites.npz", "it is damaged: it says that 'is_site' has 4,000,000,200 bytes")


def test_a_negative_length(gdslc):
    Path("sites.npy").write_bytes(head((-5,)) + bytes(20))
    says(gdslc, "sites.npy", "a negative length")


def test_names_that_come_twice(gdslc):
    archive("sites.npz", flags(), "is_site.npy", "is_site.npy", "other.npy", "other.npy")
    says(gdslc, "sites.npz", "it has 2 arrays called 'is_site'")
    says(gdslc, "sites.npz:third", "no array called 'third', only 'is_site', 'other'\n")


def test_objects_and_what_is_no_array(gdslc):
    np.save("sites.npy", np.array([{}] * 5, dtype=object), allow_pickle=True)
    says(gdslc, "sites.npy", "Python objects, which are never loaded")
    archive("sites.npz", b"some text", "is_site")
    says(gdslc, "sites.npz", "'is_site' is not an array")


@pytest.mark.parametrize(
    ("array", "fix"), [([3], "give the value alone: factor=3 (command line: -p factor=3)"), ([3, 4], "--each factor=…")]
)
def test_an_array_for_a_param(gdslc, array, fix):
    Path("scaled.gdsl").write_text(
        "program scaled; problem { param factor : int32; scalar s : int32 = factor; } schedule { }"
    )
    np.savez("factors.npz", given=np.array(array), one=np.array(7))
    run = ("run", "scaled.gdsl", "path.mtx", *REFERENCE)
    gdslc(*run, "-p", "factor=@factors.npz:given").fails(1, "E0603", "it takes one value of type int32", fix)
    assert "s: int32 = 7" in gdslc(*run, "-p", "factor=@factors.npz:one").out
    assert "1 value of factor: 7" in gdslc(*run, "--each", "factor=@factors.npz:one").out


def test_errors_of_each_speak_of_each(gdslc):
    np.save("square.npy", np.zeros((2, 2), dtype=int))
    run = ("run", "hops.gdsl", "path.mtx", *REFERENCE, "--each")
    gdslc(*run, "source=@").fails(2, "--each source=@: the name of a file is missing")
    gdslc(*run, "source=@square.npy").fails(2, "--each source: the file has the shape (2, 2)")


def test_urls_are_no_paths(gdslc):
    for arguments in (
        ("run", "file:///hops.gdsl", "path.mtx"),
        ("run", "hops.gdsl", "file:///hops.gdsl", "-p", "source=0"),
        ("run", "sites.gdsl", "path.mtx", *REFERENCE, "-p", "is_site=@file:///hops.gdsl"),
        ("run", "hops.gdsl", "path.mtx", "-o", "file:///hops.gdsl/out.npz"),
    ):
        gdslc(*arguments).fails(1, "fix: a file is named by its path: /hops.gdsl")
    gdslc("run", "hops.gdsl", "https://example.org/a.mtx", "-p", "source=0").fails(
        1, "E0701", "download this one first"
    )


@pytest.mark.parametrize(
    ("problem", "array", "fix"),
    [
        ("input vertex x : int32", np.zeros((5, 1), int), "make it one row: .reshape(-1)"),
        ("input vertex x : int32", np.array(3), "give an array with a value for each vertex"),
        ("input vertex x : int32", np.zeros(6, int), "for an input of edges: `input edge x`"),
        ("input vertex x : int32", np.zeros(9, int), "num_vertices=9 (--num-vertices)"),
        ("input edge x : int32", np.zeros(3, int), "give each undirected edge its value when the graph is made"),
        ("input edge x : int32", np.zeros(5, int), "for an input of vertices: `input vertex x`"),
    ],
)
def test_fixes_of_wrong_lengths(gdslc, problem, array, fix):
    Path("taking.gdsl").write_text(f"program taking; problem {{ {problem}; }} schedule {{ }}")
    np.save("x.npy", array)
    gdslc("run", "taking.gdsl", "path.mtx", *REFERENCE, "-p", "x=@x.npy").fails(1, "E0606", fix)


def test_a_text_says_where_its_first_bad_word_is(gdslc):
    Path("sites.txt").write_text("1 0\n\n1, 0\n1 oops x\n")
    says(gdslc, "sites.txt", "'oops' in line 4 cannot be used: expected a number")
    Path("sites.txt").write_text("0.5\r\n1e400\r\n")
    says(gdslc, "sites.txt", "'1e400' in line 2 cannot be used: it is too large for float64")


def test_a_head_that_is_cut_off(gdslc):
    Path("sites.npy").write_bytes(head((5,))[:40])
    says(gdslc, "sites.npy", "it is cut short or damaged: its head is not whole")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.txt", b"# made by numpy.savetxt\n1\n2\n", "fix: remove it: sed -i '/^#/d' a.txt"),
        ("a.csv", b"weight\n1\n2\n", "fix: remove it: sed -i 1d a.csv"),
        ("a.npz", b"PK\x03\x04cut", "it is cut short or damaged: File is not a zip file"),
        (
            "a.npy",
            b"\x93NUMPY\x01\x00\x36\x00" + b"{'descr': '<f4', 'fortran_order': f(), 'shape': (2,)}\n",
            "its head is",
        ),
    ],
)
def test_what_to_do_about_a_file(gdslc, name, content, said):
    Path(name).write_bytes(content)
    answer = gdslc("run", "sssp", "karate", "-p", "source=0", "-p", f"weight=@{name}")
    answer.fails(1, "E0611", said)


def test_other_first_lines_are_not_removed(gdslc):
    for content in ("[1, 2]\n", "hello\n", "x\ny\n"):
        Path("a.txt").write_text(content)
        answer = gdslc("run", "sssp", "karate", "-p", "source=0", "-p", "weight=@a.txt")
        assert "E0611" in answer.err and "fix:" not in answer.err
