"""What stands in the blocks of a page, and how to run them all, from the first to the last.

A page is Markdown with blocks of code. Those of `python` share one namespace, those of `sh` one directory, in which
each program of a `gdsl` block lies as NAME.gdsl. A block of `text` that follows a block that ran, with nothing between
them, is what that printed; a line `…` there stands for any lines. `# → x` behind a line of Python says what it gives;
more words may stand behind a colon or a comma.

    <!-- sh                         a block that readers do not need: a file that the next one reads
    printf 'a,b\\n' > edges.csv
    -->
    <!-- not run: it takes a GPU -->    the next block is left out, and why
    <!-- fails -->                      the next commands end with status 1; what they say on standard error is printed
    <!-- needs: polars -->              what else must be installed for the page
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from gdsl.cli.main import main

ROOT = Path(__file__).parents[2]
RUNNABLE = ("python", "sh")
SHOWN = ("cuda", "cpp", "c", "c-header", "text", "yaml", "lua", "lisp", "toml", "json")
"""Languages of blocks that are read alone."""

_BLOCK = re.compile(r"^(?:<!-- (python|sh)\n(.*?)^-->|```([\w-]*)[^\n]*\n(.*?)^```)$", re.MULTILINE | re.DOTALL)
_NOT_RUN = re.compile(r"<!-- not run: (.+?) -->\s*\Z")
_FAILS = re.compile(r"<!-- fails -->\s*\Z")
_NEEDS = re.compile(r"<!-- needs: (.+?) -->")
_PROGRAM = re.compile(r"^program (\w+);", re.MULTILINE)
_GIVES = re.compile(r"^(.+?)  +# → (.+)$")
_COMMENT = re.compile(r"(?:^|\s+)#\s.*$")


@dataclass(frozen=True)
class Block:
    """One block: its language, its text, the line of the page where it begins, why it is not run, whether it stands
    right behind a block that ran, and whether its commands fail."""

    language: str
    text: str
    line: int
    reason: str
    follows: bool
    fails: bool

    @property
    def program(self) -> str:
        """The name of the program that it is, or nothing."""
        found = _PROGRAM.search(self.text) if self.language in ("gdsl", "refused") else None
        return found[1] if found else ""


def pages() -> list[Path]:
    """The pages whose blocks run, in order; that of messages is made, and has a test of its own."""
    found = [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "docs" / "lab").glob("*.md"),
        ROOT / "samples" / "README.md",
    ]
    return sorted(page for page in found if page.name != "errors.md")


def blocks(text: str) -> list[Block]:
    """All blocks of a page, the hidden ones too."""
    found: list[Block] = []
    end = 0
    for match in _BLOCK.finditer(text):
        before = text[: match.start()]
        reason = _NOT_RUN.search(before)
        ran = bool(found) and found[-1].language in RUNNABLE and not found[-1].reason
        follows = ran and not text[end : match.start()].strip()
        language, body = (match[1], match[2]) if match[1] else (match[3], match[4])
        fails = _FAILS.search(before) is not None
        found.append(Block(language, body, before.count("\n") + 1, reason[1] if reason else "", follows, fails))
        end = match.end()
    return found


def needs(text: str) -> list[str]:
    """The modules beside gdsl's own that the page's blocks import."""
    return [name.strip() for line in _NEEDS.findall(text) for name in line.split(",")]


def run_page(page: Path, until: str = "", in_process: bool = True) -> None:
    """All blocks of `page` in the working directory, or those before the heading `until`.

    Raises AssertionError where one does not do what the page says.
    """
    text = page.read_text(encoding="utf-8")
    session = Session(in_process)
    for block in blocks(text[: text.index(f"\n{until}\n")] if until else text):
        if block.reason:
            session.printed = ""
            continue
        try:
            session.run(block)
        except BaseException as error:
            if hasattr(error, "add_note"):  # from Python 3.11 on
                error.add_note(f"in the block at {page.name}:{block.line}")
            raise


@dataclass
class Session:
    """The run of a page in the working directory; `gdslc` runs in this process, or as the one on the path."""

    in_process: bool = True
    namespace: dict[str, object] = field(default_factory=lambda: {"__name__": "__page__"})
    printed: str = ""

    def run(self, block: Block) -> None:
        """Run `block`, or compare it with what the last one printed.

        Raises AssertionError where it does not do what the page says, or whatever its Python raises.
        """
        if block.program:
            Path(f"{block.program}.gdsl").write_text(block.text, encoding="utf-8")
        elif block.language == "sh":
            self.printed = "".join(self._command(line, block.fails) for line in commands(block.text))
        elif block.language == "python":
            self.printed = self._python(block.text)
        elif block.language == "text" and block.follows:
            assert matches(block.text, self.printed), (
                f"the page shows\n{block.text}\nand this was printed:\n{self.printed}"
            )

    def _command(self, line: str, fails: bool) -> str:
        """Run one line of a shell: commands joined by `|`, and a file behind `>`; what it prints.

        What a command `fails` with is printed, too. Raises AssertionError for a status other than 0, or 1 where it
        fails.
        """
        words = _tokens(line)
        target = None
        if len(words) > 2 and words[-2] == ">":
            target = Path(words[-1])
            words = words[:-2]
        given = b""
        while words:
            end = words.index("|") if "|" in words else len(words)
            own = self.in_process and words[0] == "gdslc"
            given = _gdslc(words[1:end], given, fails) if own else _process(words[:end], given, fails)
            words = words[end + 1 :]
        if target is None:
            return given.decode()
        target.write_bytes(given)
        return ""

    def _python(self, text: str) -> str:
        """Statement by statement, so that a comment can say what one gives; what was printed."""
        lines = text.splitlines()
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            for statement in ast.parse(text).body:
                assert statement.end_lineno is not None
                said = _GIVES.match(lines[statement.end_lineno - 1])
                if isinstance(statement, ast.Expr):
                    value = eval(compile(ast.Expression(statement.value), "<page>", "eval"), self.namespace)  # noqa: S307
                    assert said is None or re.match(rf"{re.escape(str(value))}($|[:,] )", said[2]), (
                        f"`{said and said[1]}` gives {value}"
                    )
                else:
                    assert said is None, "only an expression gives something"
                    exec(compile(ast.Module([statement], []), "<page>", "exec"), self.namespace)  # noqa: S102
        return printed.getvalue()


def matches(shown: str, printed: str) -> bool:
    """Whether `printed` is what a page shows, of which lines `…` stand for any, and `…` within a line for any text."""
    pattern = ""
    for line in shown.rstrip().split("\n"):
        any_lines = line.strip() == "…"
        pattern += "(?:.*\n)*?" if any_lines else re.escape(line.rstrip()).replace("…", ".*") + r"[ ]*\n"
    return re.fullmatch(pattern + r"\s*", printed.rstrip() + "\n") is not None


def commands(text: str) -> list[str]:
    """The commands of a block of `sh`, one a line or behind `&&`, without comments."""
    joined = re.sub(r"\\\n\s*", " ", text)
    lines = (_COMMENT.sub("", line) for line in joined.splitlines())
    return [command.strip() for line in lines for command in line.split(" && ") if command.strip()]


def _tokens(line: str) -> list[str]:
    """The words of a line as a shell has them, `|` and `>` apart."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|>")
    lexer.whitespace_split = True
    lexer.commenters = ""
    return list(lexer)


def _process(words: list[str], given: bytes, fails: bool) -> bytes:
    """What a command prints on standard output."""
    answer = subprocess.run(words, input=given, capture_output=True, check=False, timeout=120)
    assert answer.returncode == int(fails), f"{shlex.join(words)}: {answer.stderr.decode()}"
    return answer.stdout + answer.stderr if fails else answer.stdout


def _gdslc(arguments: list[str], given: bytes, fails: bool) -> bytes:
    """What the command prints on standard output, in this process."""
    streams = sys.stdin, sys.stdout, sys.stderr
    sys.stdin = io.TextIOWrapper(io.BytesIO(given), encoding="utf-8")
    out, messages = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    sys.stdout, sys.stderr = out, messages
    try:
        status = main(arguments)
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
    texts = []
    for stream in (out, messages):
        stream.flush()
        texts.append(stream.buffer.getvalue())  # type: ignore[attr-defined]
    assert status == int(fails), f"gdslc {shlex.join(arguments)}: status {status}\n{texts[1].decode()}"
    return b"".join(texts) if fails else texts[0]
