"""Operators: their declarations, bodies and registry. See :mod:`symgraph.ops.op`."""
