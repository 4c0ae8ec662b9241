"""The command line, `gdslc`."""

INTERRUPTED = 130
"""The exit status after Ctrl-C."""
