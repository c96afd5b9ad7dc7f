"""plot_network: options, view, layout and text put together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from symgraph.viz import dot, layout
from symgraph.viz.facts import graph_of
from symgraph.viz.options import RenderOptions
from symgraph.viz.picture import Picture, file_stem
from symgraph.viz.view import view_of

if TYPE_CHECKING:
    import os

    from symgraph.graph.graph import Graph
    from symgraph.symbol import Symbol


def plot_network(
    symbol: Symbol | Graph | str | os.PathLike[str],
    title: str = "plot",
    save_format: str = "pdf",
    shape: Mapping[str, Any] | None = None,
    dtype: Mapping[str, Any] | None = None,
    node_attrs: Mapping[str, Any] | None = None,
    hide_weights: bool = True,
    *,
    rankdir: str = "BT",
    use_dot: bool = False,
    time_limit: float = 60.0,
) -> Picture:
    """Draw a network.

    Boxes, captions, arrows and colours are MXNet's. Boxes grow with long captions, weights are
    drawn as boxes of their own with their whole shape, every arrow has the shape of the output
    that it stands for, and names are shown as they are, whatever is in them.

    Parameters
    ----------
    symbol : Symbol
        Or a Graph, or the path of a symbol's JSON file.
    title : str
        Name of the drawing; ``render`` writes ``<title>.gv`` and ``<title>.gv.pdf``.
    save_format : str
        ``"pdf"``, ``"svg"``, ``"png"``, ``"json"``, ``"dot"``, ...
    shape : dict of str to tuple of int, optional
        Shapes of inputs. Arrows then show what follows from them, without the batch axis (all
        axes for weights); where an operator is not known, nothing.
    dtype : dict of str to dtype, optional
        Element types of inputs; arrows then show what follows from them.
    node_attrs : dict of str to str, optional
        Graphviz attributes for all boxes.
    hide_weights : bool
        Leave out variables that are called like weights (``fc_weight``, ``bn_gamma``, ...).
    rankdir : {"BT", "TB", "LR", "RL"}
        Where data flows: up, down, to the right, to the left.
    use_dot : bool
        Render with the ``dot`` program of the system rather than with pygraphviz's Graphviz.
    time_limit : float
        Seconds after which a rendering is given up.

    Returns
    -------
    graphviz.Digraph
        With ``render``, ``pipe``, ``view``, ``save`` and notebook display that need no ``dot``
        program. The text is in ``source``.

    Raises
    ------
    TypeError, ValueError
        If an argument is of another kind, or a format is not known.
    MXNetError
        If a name in ``shape`` or ``dtype`` is no variable's.
    ShapeError, DTypeError
        If shapes or types contradict each other.
    """
    options = RenderOptions(
        title=title,
        save_format=save_format,
        node_attrs={} if node_attrs is None else node_attrs,
        hide_weights=hide_weights,
        rankdir=rankdir,
        use_dot=use_dot,
        time_limit=time_limit,
    )
    graph = graph_of(symbol)
    view = view_of(graph, shape=shape, dtype=dtype, hide_weights=options.hide_weights)
    plan = layout.plan_layout(view, options.rankdir)
    graph_attr, node_attr, edge_attr = dot.defaults(options)
    picture = Picture(
        name=dot.graph_id(title),
        filename=f"{file_stem(title)}.gv",
        format=options.save_format,
        graph_attr={**graph_attr, **plan.graph_attrs},
        node_attr=node_attr,
        edge_attr=edge_attr,
        body=dot.render_body(view, options, plan.places),
    )
    picture.use_dot, picture.time_limit = options.use_dot, options.time_limit
    picture.placed = plan.places is not None
    return picture
