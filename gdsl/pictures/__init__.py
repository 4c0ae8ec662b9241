"""Pictures of graphs and results by Matplotlib, which the extra `plot` brings: imported when one is asked for.

A small graph is drawn, of a large one the distribution of what it has is. What is drawn is asked for by the public
interface of graphs and results.
"""
