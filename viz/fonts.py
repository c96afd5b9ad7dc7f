"""Fonts for Graphviz. It draws text as empty boxes, and says nothing, where there are none."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from xml.sax.saxutils import escape

FONT_FILES = {".ttf", ".otf", ".ttc", ".pfb", ".pcf", ".gz"}
WITHOUT_FONTS = {"svg", "svg_inline", "svgz", "dot", "gv", "canon", "plain", "plain-ext", "json"}
"""Formats that hold text as text; others need fonts to draw it."""

CONFIG = """<?xml version="1.0"?>
<fontconfig>
  {dirs}
  <cachedir>{cache}</cachedir>
  <match target="pattern">
    <edit name="family" mode="append_last"><string>DejaVu Sans</string></edit>
  </match>
</fontconfig>
"""


def font_environment(folder: Path, form: str) -> dict[str, str]:
    """Variables for a Graphviz process so that it finds fonts.

    Empty where the system has fonts and their configuration. Without any fonts, those that
    matplotlib brings are used; without these, a warning says what to install.

    Parameters
    ----------
    folder : Path
        Where a configuration may be written; it must outlive the process.
    form : str
        The format to be drawn.
    """
    system = os.environ
    if sys.platform in ("darwin", "win32") or "FONTCONFIG_FILE" in system:
        return {}
    if "FONTCONFIG_PATH" in system:
        return {}
    dirs = [d for d in _font_dirs() if _has_fonts(d)]
    if dirs and Path("/etc/fonts/fonts.conf").exists():
        return {}
    dirs = dirs or [d for d in _matplotlib_fonts() if _has_fonts(d)]
    if not dirs:
        if form not in WITHOUT_FONTS:
            warnings.warn(
                f"no font is installed, so text in {form} is drawn as boxes: install one "
                "(apt-get install fonts-dejavu-core, or pip install matplotlib, which brings "
                "some) or save as svg",
                stacklevel=4,  # where pipe was called
            )
        return {}
    config = folder / "fonts.conf"
    listed = "".join(f"<dir>{escape(str(d))}</dir>" for d in dirs)
    config.write_text(CONFIG.format(dirs=listed, cache=escape(str(folder))), "utf-8")
    return {"FONTCONFIG_FILE": str(config)}


def _font_dirs() -> Iterator[Path]:
    home = Path(os.environ.get("XDG_DATA_HOME") or Path("~/.local/share").expanduser())
    data = os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    yield from (Path(d) / "fonts" for d in (*data.split(":"), str(home)) if d)
    yield from (Path("~/.fonts").expanduser(), Path(sys.prefix) / "fonts")


def _matplotlib_fonts() -> Iterator[Path]:
    spec = find_spec("matplotlib")
    for place in (spec.submodule_search_locations or ()) if spec else ():
        yield Path(place) / "mpl-data" / "fonts" / "ttf"


def _has_fonts(folder: Path) -> bool:
    """Whether a font lies somewhere below; the search ends at the first."""
    return any(
        Path(name).suffix.lower() in FONT_FILES for _, _, names in os.walk(folder) for name in names
    )
