"""Tests of what the extras bring: each file begins with `pytest.importorskip`, and `.ci/run` sees that none is skipped."""
