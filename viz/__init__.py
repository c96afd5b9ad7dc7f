"""Pictures and tables of networks: ``plot_network`` and ``print_summary``."""

from symgraph.viz.engine import RenderError
from symgraph.viz.options import RenderOptions
from symgraph.viz.plot import plot_network
from symgraph.viz.summary import Summary, print_summary

__all__ = ["RenderError", "RenderOptions", "Summary", "plot_network", "print_summary"]
