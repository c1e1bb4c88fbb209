"""A drawn matplotlib figure as an interactive one: what plotly's library shows in a page, with the same values.

One converter for every kind of plot, also a user's: it reads the artists of the figure and knows nothing of what they
mean. Only plain values come out, so nothing of plotly has to be installed to make them.
"""

from simulator.plots.interactive.figure import Interactive, Unsupported, interactive

__all__ = ["Interactive", "Unsupported", "interactive"]
