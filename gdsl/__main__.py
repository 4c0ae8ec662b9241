"""`python -m gdsl` is `gdslc`."""

from __future__ import annotations

import sys

from gdsl.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
