"""Pictures of graphs and results by Matplotlib (the extra `plot`), imported when one is requested.

A small graph is drawn; of a large one the distribution of its values is. Pictures read graphs and results through their
public interface only.
"""
