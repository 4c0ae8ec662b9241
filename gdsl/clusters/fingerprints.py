"""Whether all workers find the same graph: each has its own disk, or its own view of a shared one."""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gdsl.backends.interface import Bindings
from gdsl.clusters.failures import Member
from gdsl.communicator import Communicator
from gdsl.diagnostics import GdslError, printable
from gdsl.graph.shares import GraphShare

_WHOLE = 1 << 26
"""Bytes of a file that is hashed as a whole; of a larger one, which no worker reads as a whole, pieces are."""
_PIECES, _PIECE = 256, 1 << 16
"""How many pieces, at equal distances, and their bytes: 16 MB together."""


def file_fingerprint(path: str) -> str:
    """The size of the file and a hash of its content, of a large file of pieces of it; empty if there is no such file
    here. Raises OSError where it cannot be read."""
    if not os.path.isfile(path):
        return ""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size <= _WHOLE:
            digest.update(file.read())
        else:
            for piece in range(_PIECES):
                file.seek((size - _PIECE) * piece // (_PIECES - 1))
                digest.update(file.read(_PIECE))
    return f"{size:,} bytes, hash {digest.hexdigest()[:16]}"


def check_file(communicator: Communicator, path: str, members: Sequence[Member]) -> None:
    """Raise E0808 on all workers where some have another file, or none, at `path`. Where none has one, it is not a
    file: reading it says more."""
    try:
        own = file_fingerprint(path)
    except OSError as error:
        own = f"a file that cannot be read ({error.strerror})"
    fingerprints = [bytes(each).decode() for each in communicator.all_gather(np.frombuffer(own.encode(), np.uint8))]
    for rank, other in enumerate(fingerprints):
        if other != fingerprints[0]:
            have = f"{members[rank]} finds {other or 'no file'}, {members[0]} {fingerprints[0] or 'no file'}"
            raise GdslError.single(
                "E0808",
                f"the workers disagree about {printable(path)}: {have}",
                fix="put the graph where all hosts find the same file, such as a shared file system",
            )


def share_fingerprint(communicator: Communicator, share: GraphShare) -> str:
    """A hash of the whole graph and of how it is divided, the same on all workers."""
    digest = hashlib.sha256(pickle.dumps((share.num_vertices, share.num_edges, share.directed, share.size)))
    parts = {"boundaries": share.boundaries, "offsets": share.offsets, "columns": share.columns}
    for arrays in (parts, share.attributes, share.vertex_attributes):
        _add(digest, arrays)
    return _of_all(communicator, digest)


def bindings_fingerprint(communicator: Communicator, bindings: Bindings) -> str:
    """A hash of the params and of the inputs that are not the graph's, the same on all workers, and however the caller
    has written these values: a set of Python has no order, and is sent as it happens to be stored."""
    digest = hashlib.sha256(pickle.dumps(sorted(bindings.params.items())))
    _add(digest, {name: values for name, values in bindings.inputs.items() if name not in bindings.own})
    return _of_all(communicator, digest)


def _add(digest: Any, arrays: Mapping[str, Any]) -> None:
    """Add named arrays to a hash."""
    digest.update(str(len(arrays)).encode())
    for name in sorted(arrays):
        values = np.ascontiguousarray(arrays[name])
        digest.update(pickle.dumps((name, values.dtype.str, values.shape)))
        digest.update(values.reshape(-1).view(np.uint8).data)


def _of_all(communicator: Communicator, digest: Any) -> str:
    """The hash of the hashes of all workers."""
    parts = communicator.all_gather(np.frombuffer(digest.digest(), np.uint8))
    return hashlib.sha256(np.concatenate(parts).tobytes()).hexdigest()[:16]
