"""Workers that are actors of Ray: of a Ray that is started here, or of a cluster that runs already."""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gdsl import deadline, interrupts
from gdsl.clusters.failures import Member, cluster_unusable, explained, worker_ended
from gdsl.clusters.members import Report, check_members, introduction, threads_of
from gdsl.diagnostics import GdslError, printable, shown
from gdsl.extras import first_line, required
from gdsl.graph.memory import available_memory
from gdsl.numerals import readable_bytes

if TYPE_CHECKING:
    from gdsl.clusters.ray_worker import Outcome

_LOOK = 0.25
"""Seconds between two looks whether the driver should stop or the head node is gone."""
_START = 120.0
"""Seconds within which workers must have started; a cloud may add machines meanwhile."""
_PATIENCE = 20.0
"""Seconds that Ctrl-C waits for Ray to have started."""
_GONE = ("E0802", "E0807", "E0810")
"""Errors after which workers are not asked to end: their processes are ended."""
_END = 10.0
"""Seconds that the other workers have to end after one has failed; then their processes are ended."""
_ANSWER = 60.0
"""Seconds that workers which have nothing to do have to answer, on a busy host; Ray knows earlier that one is gone."""
_CONNECT = 5.0
"""Seconds to reach a head node."""
_LEAST_MEMORY = 100_000_000
"""Bytes of a process of Ray with NumPy and gdsl, without a graph."""
_CLIENT_PORT = 10001
"""Where a head node listens for `ray://`, unless it has been told otherwise."""
_HEALTH_CHECKS = {"initial_delay_ms": "1000", "period_ms": "1000", "timeout_ms": "2000", "failure_threshold": "3"}
"""How Ray looks whether a host is still there, where gdsl starts it; by default it notices a loss after 15 seconds."""
_DEATH_NOTICES = "A worker died or was killed"
"""How Ray's own lines about a worker begin, which it prints on standard output; gdsl raises E0807."""


def ray_library() -> Any:
    """The module `ray`. Raises E0907 without it. Ray neither prints on standard output nor sends statistics about its
    use, unless the environment says otherwise."""
    os.environ.setdefault("RAY_DEDUP_LOGS_SKIP_REGEX", _DEATH_NOTICES)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    return required("ray", "gdsl[ray]", "a run with workers")


class RayCluster:
    """`size` workers. They start with the first run, stay for the next ones, and start anew after a failure."""

    def __init__(self, workers: int | None = None, address: str | None = None, *, gpus: bool = False) -> None:
        """Start a Ray of this host with that many workers, or connect to the cluster at `address` (``ray://host:port``,
        ``host:port`` or ``auto``), where the default is one worker for each host, or with `gpus` for each GPU. With
        `gpus` Ray gives each worker a GPU of its own, or an equal part of one where there are fewer. Raises E0810 if
        the cluster cannot be reached or is too small."""
        self._gpus = gpus
        with interrupts.deferred(_PATIENCE):
            self._ray = ray = ray_library()
        self._head: tuple[str, int] | None = None
        self._actors: list[Any] = []
        self._members: tuple[Member, ...] = ()
        self._runs = 0
        self.generation = 0
        """How often workers have started; new ones have no part of a graph."""
        if address is not None:
            _check_reachable(address)
        elif workers is not None:
            _check_room(workers)
        self._owns_ray = not ray.is_initialized()
        if self._owns_ray:
            self._connect(workers, address)
        elif address is None and workers is None:
            address = "auto"
        self._head = _head_of(ray, address)
        try:
            self.size = self._size(workers, local=address is None)
        except BaseException:
            self.close()
            raise

    def _connect(self, workers: int | None, address: str | None) -> None:
        options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR", "configure_logging": True}
        if address is None:
            for name, value in _HEALTH_CHECKS.items():
                os.environ.setdefault(f"RAY_health_check_{name}", value)
            options.update(address="local", num_cpus=max(workers or 1, os.cpu_count() or 1), include_dashboard=False)
        else:
            options["address"] = address
        try:
            with interrupts.deferred(_PATIENCE):  # nor does Ray's handler of SIGTERM stay, which prints a stack trace
                self._ray.init(**options)
        except GdslError:  # the deadline
            raise
        except Exception as error:  # Ray raises exceptions of many classes, also of just this one
            raise cluster_unusable(address, first_line(error)) from None

    def _size(self, workers: int | None, local: bool) -> int:
        """The number of workers. Raises E0810 if there is no room for them."""
        processors = int(self._ray.cluster_resources().get("CPU", 0))
        if workers is None:
            workers = (self._gpu_count() if self._gpus else 0) or sum(bool(node["Alive"]) for node in self._ray.nodes())
        if processors < workers and not local:
            raise GdslError.single(
                "E0810",
                f"{workers} workers need a processor each, and the cluster has {processors}",
                fix=f"use {processors} workers, or add hosts to the cluster",
            )
        return workers

    def _gpu_count(self) -> int:
        """The GPUs that Ray knows."""
        return int(self._ray.cluster_resources().get("GPU", 0))

    def _gpu_share(self) -> float:
        """How much of a GPU Ray reserves for a worker. Where it knows none, a worker says that it has none."""
        return gpu_share(self._gpu_count(), self.size) if self._gpus else 0

    @property
    def members(self) -> tuple[Member, ...]:
        """Who the workers are, by rank; empty before the first run, and after a failure."""
        return self._members

    def start(self, report: Report | None = None) -> None:
        """Start the workers that are not there yet. Raises E0808 where they have different versions of gdsl, E0810 if
        they do not start."""
        if self._actors and self._answer_all():
            return
        self.stop()
        from gdsl.clusters.ray_worker import GROUPS, RayWorker

        actor = self._ray.remote(concurrency_groups=GROUPS)(RayWorker)
        wanted = actor.options(num_cpus=1, num_gpus=self._gpu_share(), scheduling_strategy="SPREAD")
        actors = [wanted.remote(rank) for rank in range(self.size)]
        self._actors = actors
        try:
            members = tuple(self._started([each.introduce.remote() for each in actors]))
            check_members(members, introduction(-1))
            threads = threads_of(members)
            self._started([each.meet.remote(actors, members, threads[rank]) for rank, each in enumerate(actors)])
        except BaseException:
            self.stop()
            raise
        self._members = members
        self.generation += 1
        if report is not None:
            for member in members:
                report(member, "started")

    def _answer_all(self) -> bool:
        """Whether no worker has ended since the last run."""
        self._check_head()
        try:
            self._ray.get([actor.ping.remote() for actor in self._actors], timeout=_ANSWER)
        except self._ray.exceptions.RayError:
            return False
        return True

    def _started(self, references: list[Any]) -> list[Any]:
        """What the workers answer, once they run."""
        until = time.monotonic() + _START
        waiting = list(references)
        while waiting:
            try:
                done, waiting = self._ray.wait(waiting, timeout=_LOOK)
                self._ray.get(done)
            except self._ray.exceptions.RayError as error:
                raise cluster_unusable(None, f"a worker does not start: {_reason(error)}") from None
            deadline.check()
            interrupts.check()
            self._check_head()
            if time.monotonic() > until:
                message = f"{len(waiting)} of {self.size} workers have not started within {_START:g} seconds"
                raise cluster_unusable(None, message)
        return self._ray.get(references)  # type: ignore[no-any-return]

    def run(
        self, task: Callable[..., Any], arguments: Callable[[int], tuple[Any, ...]], report: Report | None = None
    ) -> list[Any]:
        """What ``task(communicator, report, *arguments(rank))`` returns on each worker, by rank. The first failure is
        raised, when the other workers have ended: E0807 for a worker that is gone, E0810 for the head node, otherwise
        what the task raised. An interrupt or the deadline stops all workers."""
        self.start(report)
        self._runs += 1
        waiting = {
            actor.run.remote(self._runs, task, arguments(rank), report is not None): rank
            for rank, actor in enumerate(self._actors)
        }
        try:
            return self._results(waiting, report)
        except GdslError as error:
            if error.code in _GONE:
                self.stop()
            else:
                self._let_end(waiting)
            raise
        except BaseException:
            self.stop()
            raise

    def _results(self, waiting: dict[Any, int], report: Report | None) -> list[Any]:
        results: list[Any] = [None] * self.size
        events = {actor.next_events.remote(): rank for rank, actor in enumerate(self._actors)} if report else {}
        while waiting:
            done = self._ray.wait([*waiting, *events], timeout=_LOOK)[0]
            if not done:
                self._check_head()
            deadline.check()
            interrupts.check()
            for reference in done:
                if reference in waiting:
                    rank = waiting.pop(reference)
                    outcome: Outcome = self._answer(reference, rank)
                    if outcome.error is not None:
                        raise outcome.error
                    results[rank] = outcome.value
                    self._tell(outcome.events, rank, report)
                else:
                    rank = events.pop(reference)
                    self._tell(self._answer(reference, rank), rank, report)
                    if rank in waiting.values():
                        events[self._actors[rank].next_events.remote()] = rank
        return results

    def _tell(self, events: Sequence[str], rank: int, report: Report | None) -> None:
        if report is not None:
            for event in events:
                report(self._members[rank], event)

    def _answer(self, reference: Any, rank: int) -> Any:
        """What a worker has answered. Raises E0807 if it is gone."""
        exceptions = self._ray.exceptions
        try:
            return self._ray.get(reference)
        except exceptions.OutOfMemoryError as error:
            raise worker_ended(self._members, rank, f"its host has too little memory: {_reason(error)}") from None
        except exceptions.RayTaskError as error:  # what a worker could not catch, such as a result that Ray cannot send
            raise explained(error.cause, self._members[rank]) from None
        except exceptions.RayError as error:
            self._check_head()
            raise worker_ended(self._members, rank, _reason(error)) from None

    def _check_head(self) -> None:
        """Raise E0810 if the head node does not answer. Ray would try for a minute, and then end this process."""
        if self._head is not None and not _answers(*self._head):
            self._head = None
            raise cluster_unusable(None, "its head node does not answer any more")

    def _let_end(self, waiting: dict[Any, int]) -> None:
        """Let the workers end a run that has failed on one of them; if that takes too long, all start anew."""
        until = time.monotonic() + _END
        try:
            while waiting and time.monotonic() < until:
                for reference in self._ray.wait(list(waiting), timeout=_LOOK)[0]:
                    self._answer(reference, waiting.pop(reference))
        except GdslError:  # the first failure is the one to raise
            self.stop()
        if waiting:
            self.stop()

    def stop(self) -> None:
        """End the processes of all workers; the next run starts new ones."""
        actors, self._actors, self._members = self._actors, [], ()
        for actor in actors:
            with contextlib.suppress(Exception):  # Ray itself may be gone
                self._ray.kill(actor)

    def close(self) -> None:
        """End the workers, and the Ray that was started here."""
        self.stop()
        if self._owns_ray and self._ray.is_initialized():
            self._ray.shutdown()


def _head_of(ray: Any, address: str | None) -> tuple[str, int] | None:
    """Host and port of the head node, or of its server for clients."""
    if address is not None and address.startswith("ray://"):
        return _host_and_port(address)
    return _host_and_port(ray.get_runtime_context().gcs_address)


def _host_and_port(address: str) -> tuple[str, int]:
    """Raises ValueError where it is not such an address."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host and address.startswith("ray://"):
        host, port = port, str(_CLIENT_PORT)
    if not host or "/" in host or not (port.isascii() and port.isdigit() and int(port) < 1 << 16):
        raise ValueError(address)
    return host.strip("[]"), int(port)


def _check_reachable(address: str) -> None:
    """Raise E0810 if nothing listens there; Ray would try for minutes."""
    if address in ("auto", "local"):
        return
    try:
        host, port = _host_and_port(address)
    except ValueError:
        message = f"{shown(address)} is not the address of a cluster"
        raise GdslError.single("E0810", message, fix="write ray://HOST:PORT, HOST:PORT or auto") from None
    if not _answers(host, port):
        raise cluster_unusable(address, f"nothing answers on {printable(host)}, port {port}")


def gpu_share(gpus: int, workers: int) -> float:
    """How much of a GPU each of `workers` gets: one of its own, or else such a part that all find room on some GPU.

    A GPU takes a whole number of workers, so with 2 GPUs each of 3 workers gets a half. Ray counts in parts of 1e-4.
    """
    if not gpus:
        return 0
    most = -(-workers // gpus)
    return 1 if most == 1 else int(10_000 / most) / 10_000


def _check_room(workers: int) -> None:
    """Raise E0810 for more processes than fit in the memory of this host, which would take hours to run out of it."""
    free = available_memory()
    if free is not None and workers * _LEAST_MEMORY > free:
        needed, fits = readable_bytes(workers * _LEAST_MEMORY), max(free // _LEAST_MEMORY, 1)
        number = f"{workers:,}" if workers < 10**15 else shown(workers)
        raise GdslError.single(
            "E0810",
            f"{number} workers are as many processes, which take at least {needed} before they read a graph; "
            f"{readable_bytes(free)} are free",
            fix=f"use one worker for each processor or less; at most {fits:,} fit",
        )


def _answers(host: str, port: int) -> bool:
    """Whether something listens there."""
    try:
        socket.create_connection((host, port), _CONNECT).close()
    except OSError:
        return False
    return True


def _reason(error: Exception) -> str:
    """Why a worker is gone, from Ray's many lines."""
    for line in str(error).splitlines():
        if "exit detail:" in line:
            return "its process was killed or crashed" if "End of file" in line else first_line(error)
    return first_line(error)
