"""The drawing that plot_network returns: a graphviz.Digraph that needs no ``dot`` program."""

from __future__ import annotations

import os
import re
import webbrowser
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symgraph.errors import MXNetError
from symgraph.files import atomic_write
from symgraph.viz.engine import run_graphviz

if TYPE_CHECKING:
    from graphviz import Digraph as Base
else:
    try:
        from graphviz import Digraph as Base
    except ImportError:
        from symgraph.viz.plain import PlainDigraph as Base

StrPath = str | os.PathLike[str]

MIME_TYPES = {"image/svg+xml": "svg", "image/png": "png", "image/jpeg": "jpeg"}


class Picture(Base):
    """DOT text that can be saved, rendered and shown in a notebook.

    It is made of lines like any ``graphviz.Digraph``, and may be changed as such. Graphviz comes
    from pygraphviz's wheel and runs in a process of its own.

    Attributes
    ----------
    use_dot : bool
        Run the ``dot`` program of the system instead.
    time_limit : float
        Seconds after which a rendering is given up.
    placed : bool
        The text says where the boxes are; Graphviz need only draw.
    """

    use_dot: bool = False
    time_limit: float = 60.0
    placed: bool = False

    def pipe(
        self,
        format: str | None = None,
        renderer: str | None = None,
        formatter: str | None = None,
        neato_no_op: bool | int | None = None,
        quiet: bool = False,
        *,
        engine: str | None = None,
        encoding: str | None = None,
    ) -> Any:
        """The picture as bytes, or as a string if an ``encoding`` is given.

        Raises
        ------
        RenderError
            If no Graphviz works here, or it fails, crashes or takes too long.
        """
        form = format or self.format
        parts = [
            form,
            renderer or self._own_setting("renderer"),
            formatter or self._own_setting("formatter"),
        ]
        drawn = run_graphviz(
            self.source,
            ":".join(part for part in parts if part),
            engine=self._layout_program(engine, neato_no_op),
            use_dot=self.use_dot,
            time_limit=self.time_limit,
        )
        return drawn.decode(encoding) if encoding else drawn

    def _own_setting(self, name: str) -> str | None:
        return getattr(self, name, None)

    def _layout_program(self, engine: str | None, no_op: bool | int | None) -> str:
        if no_op:
            return f"nop{int(no_op)}"
        return engine or ("nop" if self.placed else self.engine)

    def save(
        self,
        filename: StrPath | None = None,
        directory: StrPath | None = None,
        *,
        skip_existing: bool | None = False,
    ) -> str:
        """Write the DOT text to a file, whole or not at all, and return its path.

        Raises
        ------
        MXNetError
            If writing fails; a former file is as it was.
        """
        self._set_paths(filename, directory)
        if not (skip_existing and Path(self.filepath).exists()):
            _write(self.filepath, self.source.encode(self.encoding))
        return self.filepath

    def _set_paths(self, filename: StrPath | None, directory: StrPath | None) -> None:
        if filename is not None:
            self.filename = os.fspath(filename)
        if directory is not None:
            self.directory = os.fspath(directory)

    def render(
        self,
        filename: StrPath | None = None,
        directory: StrPath | None = None,
        view: bool = False,
        cleanup: bool = False,
        format: str | None = None,
        renderer: str | None = None,
        formatter: str | None = None,
        neato_no_op: bool | int | None = None,
        quiet: bool = False,
        quiet_view: bool = False,
        *,
        outfile: StrPath | None = None,
        engine: str | None = None,
        raise_if_result_exists: bool = False,
        overwrite_source: bool = False,
    ) -> str:
        """Write the DOT text to ``filename`` and the picture beside it; return the picture's path.

        Parameters
        ----------
        filename, directory
            Where the text goes; by default ``<title>.gv`` in the working folder. The picture's
            name has the format appended.
        view, quiet_view : bool
            Open the picture afterwards.
        cleanup : bool
            Do not leave the text.
        format : str, optional
            Instead of ``self.format``.
        outfile : path, optional
            Where the picture goes; its ending says the format.
        raise_if_result_exists : bool
            Refuse to replace a picture.

        Raises
        ------
        RenderError
            If no Graphviz works here, or it fails, crashes or takes too long.
        MXNetError
            If writing fails or the result exists; former files are as they were.
        """
        form = format or (Path(outfile).suffix[1:].lower() if outfile else "") or self.format
        folder = os.fsdecode(self.directory if directory is None else directory)
        target = None if outfile is None else Path(folder, outfile)
        if target and filename is None:
            text = target.with_suffix(".gv")
        else:
            self._set_paths(filename, directory)
            text = Path(self.filepath)
        if target is None:
            parts = [part for part in (formatter, renderer, form) if part]
            target = Path(".".join([self.filepath, *parts]))
        _check_target(target, text, raise_if_result_exists, overwrite_source or cleanup)
        drawn = self.pipe(form, renderer, formatter, neato_no_op, quiet, engine=engine)
        if not cleanup:
            _write(text, self.source.encode(self.encoding))
        _write(target, drawn)
        if view or quiet_view:
            webbrowser.open(target.resolve().as_uri())
        return str(target)

    def view(
        self,
        filename: StrPath | None = None,
        directory: StrPath | None = None,
        cleanup: bool = False,
        quiet: bool = False,
        quiet_view: bool = False,
    ) -> str:
        """Render and open the picture; return its path."""
        return self.render(filename, directory, view=True, cleanup=cleanup, quiet=quiet)

    def copy(self) -> Picture:
        """A drawing that can be changed without changing this one."""
        twin = super().copy()
        twin.use_dot, twin.time_limit, twin.placed = self.use_dot, self.time_limit, self.placed
        return twin

    def _repr_mimebundle_(
        self, include: Iterable[str] | None = None, exclude: Iterable[str] | None = None, **_: Any
    ) -> dict[str, bytes | str]:
        """What a notebook shows: an SVG picture."""
        wanted = set(include or ["image/svg+xml"]) - set(exclude or ())
        forms = {mime: form for mime, form in MIME_TYPES.items() if mime in wanted}
        return {
            mime: self.pipe(form, encoding="utf-8" if form == "svg" else None)
            for mime, form in forms.items()
        }


def _check_target(target: Path, source: StrPath, refuse: bool, may_replace_source: bool) -> None:
    if refuse and target.exists():
        raise MXNetError(f"{target} exists, and raise_if_result_exists is set")
    if os.path.realpath(target) == os.path.realpath(source) and not may_replace_source:
        raise MXNetError(f"picture and text would both be {target}; give another outfile")


def _write(path: StrPath, data: bytes) -> None:
    folder = Path(path).parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MXNetError(f"cannot make the folder {str(folder)!r}: {error.strerror}") from error
    with atomic_write(path) as file:
        file.write(data)


def file_stem(title: str) -> str:
    """``title`` as the name of a file in the working folder, whatever it holds."""
    return re.sub(r'[\x00-\x1f\x7f/\\:*?"<>|\ud800-\udfff]', "_", title).strip(". ")[:200] or "plot"
