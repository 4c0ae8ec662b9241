"""Numbers on the command line: one rule wherever they stand, and no value that was not written."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from gdsl.diagnostics import GdslError

VALUES = """program values;
problem {
    param i : int32 = 0;
    param u : uint64 = 0;
    param x : float64 = 0.0;
    param y : float32 = 0.0;
    param b : bool = false;
    param v : vertex = 0;
    vertex a : int64;
    scalar si : int32 = i;
    scalar su : uint64 = u;
    scalar sx : float64 = x;
    scalar sy : float32 = y;
}
schedule { fill(a, 1); }
"""
OTHER_DIGITS = ["１", "١", "१", "๑", "²", "½", "Ⅷ", "𝟏"]
NO_NUMBERS = [
    "",
    " ",
    "0x10",
    "0b1",
    "0o7",
    "1_000",
    "1,5",
    "1 2",
    "--1",
    "+-1",
    "1e",
    "e1",
    ".",
    "-",
    "1L",
    "1.0f",
    "None",
    "true",
    "nan()",
    "1\n2",
]


@pytest.fixture
def run(gdslc, work):
    Path("values.gdsl").write_text(VALUES)

    def call(*arguments: str):
        return gdslc("run", "values.gdsl", "path.mtx", "--backend", "reference", "--json", *arguments)

    return call


@pytest.mark.parametrize("name", ["i", "u", "x", "y", "v"])
@pytest.mark.parametrize("word", OTHER_DIGITS + NO_NUMBERS)
def test_what_is_no_number(run, name, word):
    run("-p", f"{name}={word}").fails(1, "E0603", f"`{name}`", "expected a")


@pytest.mark.parametrize("word", ["yes", "", "2", "１", "tru"])
def test_what_is_no_bool(run, word):
    run("-p", f"b={word}").fails(1, "E0603", "expected true or false")


@pytest.mark.parametrize(
    ("assignment", "name", "value"),
    [
        ("i=-0012", "si", -12), ("i=+7", "si", 7), (f"i={'0' * 5000}3", "si", 3),
        ("u=18446744073709551615", "su", 2**64 - 1), ("x=1e308", "sx", 1e308), ("x=.5", "sx", 0.5), ("x=5.", "sx", 5.0),
        ("x=-1E-3", "sx", -0.001), ("x=Infinity", "sx", "inf"), ("x=-inf", "sx", "-inf"), ("y=NaN", "sy", "nan"),
        ("x=0e-400", "sx", 0.0), ("x= 2 ", "sx", 2.0), ("y=3", "sy", 3.0),
    ],
)  # fmt: skip
def test_what_is_one(run, assignment, name, value):
    answer = run("-p", assignment)
    assert answer.status == 0, answer.err
    assert json.loads(answer.out)["results"][name]["value"] == value


@pytest.mark.parametrize(
    "assignment",
    [
        "x=1e400",
        "x=-1e400",
        "x=1e-400",
        "y=-1e-400",
        f"x=0.{'0' * 400}1",
        "y=1e39",
        "y=1e400",
        f"x={'9' * 400}",
        "i=2147483648",
        "u=-1",
        f"i={'9' * 5000}",
        f"u=-{'9' * 5000}",
    ],
)
def test_what_no_type_holds(run, assignment):
    answer = run("-p", assignment)
    answer.fails(1, "E0603", assignment[0])
    assert max(map(len, answer.err.splitlines())) < 200


@pytest.mark.parametrize("word", ["5", "-1", "9" * 5000, "-" + "9" * 5000])
def test_vertices_out_of_range(run, word):
    run("-p", f"v={word}").fails(1, "E0604", "0 to 4")


@pytest.mark.parametrize(
    "word", [*OTHER_DIGITS, "", "1e3", "1.0", "-1", "9223372036854775808", "9" * 5000, "0x10", "nan", "True"]
)
def test_max_iterations(run, word):
    run("--max-iterations", word).fails(2, "--max-iterations")


@pytest.mark.parametrize("word", [*OTHER_DIGITS, "", "nan", "-nan", "0", "-1", "1e400", "0x10", "1_0", "ten", "-inf"])
def test_timeout(run, word):
    run("--timeout", word).fails(2, "--timeout")


@pytest.mark.parametrize(
    "arguments", [("--timeout", "inf"), ("--timeout", "1e308"), ("--max-iterations", "9223372036854775807")]
)
def test_limits_that_never_stop(run, arguments):
    assert run(*arguments).status == 0


@pytest.mark.parametrize("words", [("--weights", "random:１"), ("--weights", "random:1:٣"), ("--weights", "random:")])
def test_weights(run, words):
    run(*words).fails(2, "--weights")


def test_tuning_generators_and_architectures(run, gdslc):
    run("--tune", "schedule.ids=６４").fails(1, "error[E")
    gdslc("run", "values.gdsl", "grid:３", "--backend", "reference").fails(1, "error[E07")
    gdslc("compile", "values.gdsl", "--emit", "ptx", "--arch", "sm_７５").fails(1, "E0904")


@pytest.mark.parametrize("digit", OTHER_DIGITS)
def test_programs(gdslc, work, digit):
    Path("values.gdsl").write_text(VALUES.replace("fill(a, 1)", f"fill(a, {digit})"))
    gdslc("check", "values.gdsl").fails(1, "values.gdsl:15", "error[E01")


@pytest.mark.parametrize(
    "arguments", [("-p", "i=1", "-p", "i=1"), ("-p", "=1"), ("-p", "i"), ("-p", ""), ("-p", "i=@")]
)
def test_assignments_that_are_none(run, arguments):
    run(*arguments).fails(2, "-p")


@pytest.mark.parametrize("text", ["１ 2 3 4 5", "1_0 2 3 4 5", "0x1 2 3 4 5", "1e400 0 0 0 0", "1 2 3 4 five"])
def test_arrays_in_text_files(gdslc, work, text):
    Path("array.txt").write_text(text, encoding="utf-8")
    Path("takes.gdsl").write_text("program takes; problem { input vertex a : int64; vertex b : int64; } schedule { }")
    gdslc("run", "takes.gdsl", "path.mtx", "--backend", "reference", "-p", "a=@array.txt").fails(
        1, "E0611", "array.txt"
    )


@pytest.mark.parametrize(
    ("text", "values", "dtype"),
    [
        ("1 -2 3 4 5", [1, -2, 3, 4, 5], "int64"),
        ("0 1 2 3 18446744073709551615", [0, 1, 2, 3, 2**64 - 1], "uint64"),
        ("1,2,3,4,.5", [1, 2, 3, 4, 0.5], "float64"),
        ("inf -inf 1e-3", [float("inf"), float("-inf"), 0.001], "float64"),
    ],
)
def test_arrays_in_text_files_exactly(work, text, values, dtype):
    from gdsl.cli.arrays import read_array

    Path("array.txt").write_text(text)
    array = read_array("a", "array.txt", 5)
    assert array.tolist() == values
    assert array.dtype == dtype


def test_decimal_commas_in_text_files(gdslc, work):
    """A comma between digits separates the values of a line; where lines or blanks do, it says what it is meant to."""
    from gdsl.cli.arrays import read_array

    for text in ("1,5\n2\n3\n4\n5", "1 2 3 4 -0,5", "1.234,5\n2\n3\n4\n5", "1,5e3 2 3 4 5", "0,1\n2,3\n4,5\n"):
        Path("array.txt").write_text(text)
        with pytest.raises(
            GdslError, match=r"E0611.*one number or two.*'s/,/\./g' array.txt|sed -i s/,/\./g array.txt"
        ):
            read_array("a", "array.txt", 5)
    for text in ("1,5,2,5,3", "1,\n5,\n2,\n5,\n3\n", "1, 5, 2, 5, 3", "1.0,5.0\n2.0,5.0\n3.0"):
        Path("array.txt").write_text(text)
        assert read_array("a", "array.txt", 5).tolist() == [1, 5, 2, 5, 3]


def test_arrays_in_damaged_files(work):
    """Whatever NumPy and its helpers raise is one message."""
    from gdsl.cli.arrays import read_array

    contents = []
    for save in (np.save, lambda file, values: np.savez_compressed(file, a=values)):
        file = io.BytesIO()
        save(file, np.arange(200))
        contents.append(file.getvalue())
    contents += [contents[0].replace(b"'shape'", b"'shape(")]
    read = 0
    for content in contents:
        for place in range(0, len(content), 3):
            Path("a.bin").write_bytes(content[:place] + b"(" + content[place + 1 :])
            try:
                read += read_array("a", "a.bin", 200).size > 0
            except GdslError as error:
                assert error.code == "E0611" and "a.bin" in str(error)
    assert read > 100


def test_arrays_in_text_with_a_byte_order_mark(work):
    from gdsl.cli.arrays import read_array

    Path("array.txt").write_text("1 2 3", encoding="utf-8-sig")
    assert read_array("a", "array.txt", 5).tolist() == [1, 2, 3]


def test_arrays_of_an_archive_by_name(gdslc, work):
    """What one program has made is an input of the next one, under another name."""
    assert gdslc("run", "coloring", "karate", "--backend", "reference", "-o", "c.npz").status == 0
    fewer = ("run", "fewer_colors", "karate", "--backend", "reference", "-p")
    fix = "given=@c.npz:ARRAY, with one of these names"
    gdslc(*fewer, "given=@c.npz").fails(1, "E0611", "no array called 'given', only 'color'", fix)
    gdslc(*fewer, "given=@c.npz:hue").fails(1, "E0611", "no array called 'hue', only 'color'", fix)
    assert gdslc(*fewer, "given=@c.npz:color").status == 0
    gdslc(*fewer, "given=@d.npz:color").fails(1, "E0611", "from d.npz: No such file")
    gdslc(*fewer, "given=@c.npz:" + 5000 * "x").fails(1, "E0611", "no array called")
    with np.load("c.npz") as made:
        np.savez("many.npz", **{"a:b.npz:c": made["color"]}, **{f"x{i}": made["color"] for i in range(20)})
        np.save("one.npy", made["color"])
    assert gdslc(*fewer, "given=@many.npz:a:b.npz:c").status == 0
    gdslc(*fewer, "given=@many.npz").fails(1, "E0611", "'x8' and 11 more")
    Path("one.npy").rename("one.npz")
    gdslc(*fewer, "given=@one.npz:color").fails(1, "E0611", "it is not an archive, so it has no array called 'color'")
    Path("c.npz").rename("c.npz:hue")  # a file of the whole name is meant itself
    gdslc(*fewer, "given=@c.npz:hue").fails(1, "E0611", "no array called 'given', only 'color'")


def test_members_of_an_archive_that_are_no_arrays(work):
    from gdsl.cli.arrays import read_array

    with zipfile.ZipFile("m.npz", "w") as archive:
        archive.writestr("note.txt", "words")
    with pytest.raises(GdslError, match=r"E0611.*what it has as 'note\.txt' is not an array"):
        read_array("a", "m.npz:note.txt", 5)
    with zipfile.ZipFile("m.npz", "w"):
        pass
    with pytest.raises(GdslError, match=r"E0611.*no array called 'a', only none"):
        read_array("a", "m.npz", 5)
