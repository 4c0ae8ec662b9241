"""The options of a call that let workers run it; `gdsl.clusters` has the workers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from gdsl.diagnostics import shown

if TYPE_CHECKING:
    from gdsl.api.result import Result


class RunsPrograms(Protocol):
    """What `gdsl.cluster` returns: workers that run a program together."""

    def run(self, program: Any, graph: object, values: Mapping[str, Any] | None = None, **options: Any) -> Result:
        """Run `program` on `graph`."""
        ...

    def resume(self, program: Any, result: Any, graph: Any, **options: Any) -> Result:
        """Go on from `result`."""
        ...


def resume_on_workers(program: Any, result: object, graph: object, workers: object, options: dict[str, Any]) -> Result:
    """`Program.resume` by `workers`. Raises TypeError for what are no workers, and for options of one process."""
    resumed: Result = _checked(workers, options).resume(program, result, graph, **options)
    return resumed


def run_on_workers(program: Any, graph: object, values: Mapping[str, Any], options: dict[str, Any]) -> Result:
    """A call with `options`, of which `workers` are those that run it. Raises TypeError for what are no workers, for
    options of checkpoints without any, and for options that such a run does not have."""
    workers = options.pop("workers", None)
    if workers is None:
        name = next(name for name in OF_WORKERS if _is_given(name, options))
        raise TypeError(f"{name} is for runs with workers=gdsl.cluster(…)")
    result: Result = _checked(workers, options).run(program, graph, values, **options)
    return result


def _checked(workers: Any, options: dict[str, Any]) -> Any:
    if not callable(getattr(workers, "run", None)):
        raise TypeError(f"workers is what gdsl.cluster returns, not {shown(workers)}")
    for name, instead in _OF_ONE_PROCESS.items():
        if options.pop(name, None) is not None:
            raise TypeError(f"{name} is for runs of one process, not for runs with workers{instead}")
    return workers


_OF_ONE_PROCESS = {"memory": "", "gpus": ': with backend="cuda" each of them uses one GPU'}
"""Options that runs with workers do not have, and what to use instead."""
OF_WORKERS: dict[str, tuple[Any, Any]] = {
    "workers": ("Workers | None", None),
    "checkpoint": ("str | PathLike[str] | None", None),
    "every": ("int | None", None),
    "resume": (bool, False),
    "parts": ("str | PathLike[str] | None", None),
}
"""The options: annotation and default by name."""


def concerns_workers(options: Mapping[str, Any]) -> bool:
    """Whether a call has one of these options."""
    return any(_is_given(name, options) for name in OF_WORKERS)


def _is_given(name: str, options: Mapping[str, Any]) -> bool:
    """Whether an option is not its default; one of another type is given, too, and is refused then."""
    return options.get(name, OF_WORKERS[name][1]) is not OF_WORKERS[name][1]
