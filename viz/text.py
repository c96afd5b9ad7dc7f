"""How names and shapes are written, in every format."""

from __future__ import annotations

import re

from symgraph.storage import Shape

# Control characters and half surrogates, which XML cannot hold; line and paragraph separators;
# marks that turn the direction of the text around them; and what is no character at all.
_UNREADABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]"
)


def readable(name: str) -> str:
    """``name`` with what cannot be seen written as an escape: ``"a<newline>b"`` -> ``r"a\\nb"``."""
    return _UNREADABLE.sub(lambda found: found[0].encode("unicode_escape").decode(), name)


def shape_text(shape: Shape | None) -> str:
    """``(3, 0, 5)`` -> ``"3x?x5"``; an unknown shape is empty."""
    return "x".join(str(n) if n else "?" for n in shape or ())
