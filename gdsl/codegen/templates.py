"""The Jinja environment of both backends. Templates lay out code; what is to be laid out is decided before."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from gdsl.resources import resource_directory, resource_text

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def environment(backend: str) -> Environment:
    """Templates of `backend` (`cpu` or `cuda`), relative to its directory; an undefined name is an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(resource_directory("templates") / backend, encoding="utf-8"),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )


def render(backend: str, name: str, **context: object) -> str:
    """The template `name` of `backend` filled in. The same context gives the same bytes."""
    return environment(backend).get_template(name).render(**context)


def template_text(backend: str, *parts: str) -> str:
    """A file of the backend's templates as it is."""
    return resource_text("templates", backend, *parts)
