"""The table of docs/performance.md with one command: `python -m bench`."""
