"""`python -m gdsl` is `gdslc`."""

from __future__ import annotations

import sys

from gdsl.cli.process import run

if __name__ == "__main__":
    sys.exit(run())
