"""Tests of what the extras bring: each file begins with `pytest.importorskip`; `.ci/run` sees that none is skipped."""
