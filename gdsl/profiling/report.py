"""The profile of a run, and what it can be made into."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from gdsl.files import whole_file
from gdsl.html import folded, heading, page

if TYPE_CHECKING:
    from gdsl.profiling.compare import Comparison


class Profile:
    """Where the time of one run went, with all that is known of the run.

    Made by `gdsl.profile`, or from a file by `Profile.read`. `as_document()` has everything; docs/profile.md says what.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        """`document` is of the form that `gdsl.profiling.reading.checked` asks for."""
        self._document = document

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Profile:
        """From a file that `to_json` or `to_html` has written. Raises GdslError E0616."""
        from gdsl.profiling.reading import read_document

        return cls(read_document(path))

    @property
    def time_ms(self) -> float:
        """Milliseconds of the run."""
        return float(self._document["time_ms"]["run"])

    def as_document(self) -> dict[str, Any]:
        """Everything as JSON has it; the caller's own copy."""
        copy: dict[str, Any] = json.loads(self.json())
        return copy

    def json(self) -> str:
        """The text of the document."""
        return json.dumps(self._document, allow_nan=False, ensure_ascii=True)

    def html(self) -> str:
        """The page as text: one document, which asks for nothing from elsewhere."""
        from gdsl.profiling import page as whole

        return whole.page([self._document], None)

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Write the document. Raises OSError; the file is whole or as it was before."""
        _write(path, self.json() + "\n")

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write the page. Raises OSError; the file is whole or as it was before."""
        _write(path, self.html())

    def compare(self, other: Profile) -> Comparison:
        """This run beside `other`, a later one. Raises GdslError E0617 where they have no operator in common."""
        from gdsl.profiling.compare import Comparison

        return Comparison(self._document, other._document)

    def text(self, *, width: int = 100) -> str:
        """A table for people, with a bar for each operator, at most `width` characters wide."""
        from gdsl.profiling.table import table

        return table(self._document, width)

    def __repr__(self) -> str:
        document = self._document
        return f"<Profile: {document['program']['name']}, {self.time_ms:.3f} ms, {document['backend']}>"

    def _repr_html_(self) -> str | None:
        return _table_page(self)


@page
def _table_page(profile: Profile) -> str:
    """The table, for a notebook: the whole page has a script, which notebooks do not run."""
    title = f"where the time of {profile._document['program']['name']} went"
    return f"<div>{folded(title, profile.text(), True)}{heading('', 'to_html(path) writes the whole page')}</div>"


def _write(path: str | os.PathLike[str], text: str) -> None:
    with whole_file(path) as file:
        file.write(text.encode("utf-8"))
