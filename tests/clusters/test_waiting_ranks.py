"""How long the ranks of MPI look for messages before they sleep."""

from __future__ import annotations

import os

import pytest

from gdsl.clusters import mpi
from gdsl.clusters.failures import Member


@pytest.mark.parametrize(("hosts", "looks"), [("aab", mpi._BRISK), ("aaaa", mpi._BRISK_IF_CROWDED), ("aaabbb", 20)])
def test_ranks_that_share_processors_sleep_sooner(monkeypatch, hosts: str, looks: int) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    communicator = mpi.MpiCommunicator.__new__(mpi.MpiCommunicator)
    communicator.rank = 0
    communicator.members = tuple(Member(rank, host, rank, 2, "", "") for rank, host in enumerate(hosts))
    assert communicator._brisk == looks and len(communicator.members) == len(hosts)
