"""Print the table of operators."""

import sys

from symgraph.ops.table import render_table

sys.stdout.write(render_table())
