"""Tests of what the extras bring: each file begins with `pytest.importorskip`; `.ci/run` sees that none is skipped."""

import contextlib

with contextlib.suppress(ImportError):  # without the extra `lsp` their tests are skipped
    from tests.support.editor import client, editor  # noqa: F401
