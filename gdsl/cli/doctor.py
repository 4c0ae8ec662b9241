"""`gdslc doctor`."""

from __future__ import annotations

import json

import click


@click.command(name="doctor", short_help="Show what this machine has, and what to install.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(as_json: bool) -> None:
    """Show what this machine has, and what to install for what is missing.

    GPU, driver, NVRTC, compilers, the cache, and versions.

    The exit status is 1 if something is wrong, 0 if only optional parts are missing.

    \b
    Example:
      gdslc doctor
    """
    from gdsl.doctor import State, examine

    findings = examine()
    if as_json:
        rows = [{"name": f.name, "state": f.state.name.lower(), "detail": f.detail, "fix": f.fix} for f in findings]
        click.echo(json.dumps(rows, indent=2))
    else:
        width = max(len(finding.name) for finding in findings)
        for finding in findings:
            click.echo(f"{finding.state.value}  {finding.name.ljust(width)}  {finding.detail}")
            if finding.fix and finding.state is not State.GOOD:
                click.echo(f"    {''.ljust(width)}  fix: {finding.fix}")
    if any(finding.state is State.BAD for finding in findings):
        raise click.exceptions.Exit(1)
