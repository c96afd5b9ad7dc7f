"""Runs Graphviz in a process of its own, where it may crash or be killed without harm.

A script, not a module to import: it knows nothing of symgraph, so that it starts fast. DOT text
comes on standard input, the picture goes to standard output; exit code 3 says that pygraphviz
does not work here.
"""

from __future__ import annotations

import json
import os
import signal
import sys

CANNOT_IMPORT = 3


def main(prog: str, form: str, seconds: str, path: str) -> int:
    """Draw what comes on standard input.

    Parameters
    ----------
    prog : str
        Graphviz's layout engine.
    seconds : str
        When to die alone, should the parent be gone.
    path : str
        ``sys.path`` of the parent as JSON.
    """
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, float(seconds))
    # Graphviz prints where it likes: keep the picture apart.
    picture = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    text = sys.stdin.buffer.read().decode()
    sys.path[:] = json.loads(path)
    try:
        from pygraphviz import AGraph
    except Exception as error:
        print(f"pygraphviz cannot be imported: {error}", file=sys.stderr)
        return CANNOT_IMPORT
    try:
        drawn = AGraph(string=text).draw(path=None, format=form, prog=prog)
    except Exception as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    with picture:
        picture.write(drawn or b"")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
