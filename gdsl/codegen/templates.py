"""The Jinja environment of both backends, and of exported programs. Templates lay out code; what is to be laid out is
decided before."""

from __future__ import annotations

import base64
import hashlib
import marshal
import re
from functools import cache
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any

from gdsl import cache as disk_cache
from gdsl import prepared
from gdsl.resources import resource_directory, resource_text

if TYPE_CHECKING:
    from jinja2 import BytecodeCache, Environment

_LINE = re.compile(r"^(?=.)", re.MULTILINE)
BACKENDS = ("cuda", "cpu", "export")
_KIND = "templates"
"""What the entries of the cache are called."""
_PYTHON = MAGIC_NUMBER.hex()
"""The version of Python's compiled code."""


@cache
def environment(backend: str) -> Environment:
    """Templates of `backend`, relative to its directory and to `common`; an undefined name is an error. `phase is
    node("Barrier")` tests the kind of a node."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    jinja = Environment(
        loader=FileSystemLoader(_directories(backend), encoding="utf-8"),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
        bytecode_cache=_prepared_templates(backend),
    )
    jinja.tests["node"] = lambda value, kind: type(value).__name__ == kind
    jinja.filters["block"] = block
    jinja.filters["hint"] = hint
    return jinja


def hint(sweep: Any, kind: str, over: object = None) -> Any:
    """The hint of that kind of a sweep, of the walk `over` these edges; None without one."""
    return next((each for each in sweep.hints if type(each).__name__ == kind and each.over is over), None)


def block(text: str) -> str:
    """Lines as those of a block: each that is not empty is indented once more, and the last one ended."""
    indented = _LINE.sub("    ", text)
    return indented if not text or text.endswith("\n") else f"{indented}\n"


def render(backend: str, name: str, /, **context: object) -> str:
    """The template `name` of `backend` filled in. The same context gives the same bytes."""
    return environment(backend).get_template(name).render(**context)


def template_text(backend: str, *parts: str) -> str:
    """A file of the backend's templates as it is."""
    return resource_text("templates", backend, *parts)


def name_of(backend: str) -> str:
    """What the templates of a backend are called where they are prepared."""
    return f"templates.{backend}"


def state(backend: str) -> str:
    """What the Python of a backend's templates depends on: their texts, and Jinja's version."""
    import jinja2

    digest = hashlib.sha256()
    for name, text in _texts(backend).items():
        digest.update(f"{name}\0{len(text)}\0{text}".encode())
    return f"jinja2 {jinja2.__version__}, compiled templates {digest.hexdigest()}"


def as_python(backend: str) -> dict[str, Any]:
    """The Python that Jinja makes of every template of `backend`, by their names, compiled for the Python that runs."""
    templates = environment(backend)
    modules = {name: templates.compile(text, name, name, raw=True) for name, text in _texts(backend).items()}
    code = {name: marshal.dumps(_compiled(backend, name, python)) for name, python in modules.items()}
    encoded = {name: base64.b64encode(data).decode() for name, data in code.items()}
    return {"python": modules, "code": encoded, "code_of": _PYTHON}


def _compiled(backend: str, name: str, python: str) -> CodeType:
    return compile(python, f"templates/{backend}/{name}", "exec")


def _directories(backend: str) -> list[Path]:
    return [resource_directory("templates") / name for name in (backend, "common")]


def _texts(backend: str) -> dict[str, str]:
    template_paths = ((path, directory) for directory in _directories(backend) for path in directory.rglob("*.j2"))
    paths = {path.relative_to(directory).as_posix(): path for path, directory in template_paths}
    return {name: paths[name].read_text(encoding="utf-8") for name in sorted(paths)}


def _prepared_templates(backend: str) -> BytecodeCache:
    """Where Jinja finds prepared templates, and those that this checkout has compiled before: to compile them takes
    longer than all else that is done to generate a program's text."""
    import jinja2
    from jinja2 import BytecodeCache

    class PreparedTemplates(BytecodeCache):
        def __init__(self) -> None:
            self.prepared = prepared.read(name_of(backend), state(backend)) or {"python": {}}

        def get_cache_key(self, name: str, filename: str | None = None) -> str:
            return name

        def load_bytecode(self, bucket: Any) -> None:
            name = bucket.key
            if name in self.prepared["python"]:
                if self.prepared["code_of"] == _PYTHON:
                    bucket.code = marshal.loads(base64.b64decode(self.prepared["code"][name]))
                else:
                    bucket.code = _compiled(backend, name, self.prepared["python"][name])
                return
            data = disk_cache.get(_KIND, self.key_of(bucket))
            if data is not None:
                bucket.code = marshal.loads(data)

        def dump_bytecode(self, bucket: Any) -> None:
            disk_cache.put(_KIND, self.key_of(bucket), marshal.dumps(bucket.code))

        def key_of(self, bucket: Any) -> tuple[str, ...]:
            """What the code of a template depends on, beside gdsl's own code."""
            return backend, bucket.key, bucket.checksum, jinja2.__version__, _PYTHON

    return PreparedTemplates()
