"""`gdslc lsp`."""

from __future__ import annotations

import os
import sys

import click

from gdsl.extras import required


@click.command(name="lsp", short_help="Run the language server for editors.")
@click.option("--stdio", is_flag=True, help="Talk over standard input and output, as it always does.")
def command(stdio: bool) -> None:
    """Run the language server, which editors start: diagnostics, fixes, hover, completion, renaming and more.

    It speaks the Language Server Protocol over standard input and output and needs pip install 'gdsl[lsp]'. The page
    docs/editors.md says how editors are configured.

    \b
    Example:
      gdslc lsp
    """
    required("pygls", "gdsl[lsp]", "the language server")
    if sys.stdin.isatty():
        raise click.UsageError("an editor starts this command and talks to it; docs/editors.md says how")
    from gdsl.language_server.server import create

    with os.fdopen(os.dup(1), "wb") as protocol:
        os.dup2(2, 1)  # whatever else prints must not disturb the protocol
        create().start_io(sys.stdin.buffer, protocol)
