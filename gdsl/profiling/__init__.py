"""Where the time of a run goes: ``gdsl.profile("bfs", graph, source=0).to_html("bfs.html")``."""

from gdsl.profiling.measure import profile
from gdsl.profiling.report import Comparison, Profile

__all__ = ["Comparison", "Profile", "profile"]
