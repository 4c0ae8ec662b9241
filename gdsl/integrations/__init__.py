"""Graphs for other libraries; `Graph.from_scipy` and `Graph.from_networkx` are the way in."""
