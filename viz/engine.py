"""Running Graphviz: in a process of its own, with a time limit, from pygraphviz or ``dot``."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from symgraph.errors import MXNetError
from symgraph.viz.fonts import font_environment
from symgraph.viz.graphviz_child import CANNOT_IMPORT

CHILD = Path(__file__).with_name("graphviz_child.py")

GRACE = 5.0
"""Seconds for a killed process to be gone, and for one whose parent is gone to live on."""


# Windows does not know start_new_session, and opens a window for a program with text output.
if sys.platform == "win32":
    _WINDOWS_GROUP = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
else:
    _WINDOWS_GROUP = 0


class RenderError(MXNetError):
    """Graphviz is missing, failed, crashed or took too long."""


def run_graphviz(
    text: str, form: str, *, engine: str = "dot", use_dot: bool = False, time_limit: float = 60.0
) -> bytes:
    """Draw DOT text.

    Parameters
    ----------
    form : str
        ``"pdf"``, ``"svg"``, ``"png"`` or another format that Graphviz knows.
    engine : str
        Graphviz's layout program.
    use_dot : bool
        Run the system's ``dot`` program. Otherwise pygraphviz's Graphviz is used, and ``dot``
        only where pygraphviz does not work.
    time_limit : float
        Seconds; after them the process and all that it started are killed.

    Raises
    ------
    RenderError
        If no Graphviz works here, or it fails, crashes or takes too long.
    """
    tried: list[str] = []
    for command in _commands(engine, form, use_dot, time_limit):
        with tempfile.TemporaryDirectory(prefix="symgraph-viz-") as folder:
            env = {**os.environ, **font_environment(Path(folder), form)}
            code, picture, said = _run(command, text.encode(errors="replace"), time_limit, env)
        if code == 0:
            _pass_on(said, form)
            return picture
        if code != CANNOT_IMPORT or use_dot:
            raise RenderError(_failure(code, said, form))
        tried.append(_last_line(said))
    if use_dot:
        raise RenderError("use_dot needs the dot program, which is not on PATH; install Graphviz")
    raise RenderError(
        f"drawing needs Graphviz ({'; '.join(tried) or 'pygraphviz is not installed'}, and there "
        "is no dot program): pip install pygraphviz, or install Graphviz from graphviz.org; the "
        "DOT text is in .source and save() writes it"
    )


def _commands(engine: str, form: str, use_dot: bool, seconds: float) -> list[list[str]]:
    """The ways to run Graphviz here, best first."""
    dot = shutil.which("dot")
    system = [[dot, f"-K{engine}", f"-T{form}"]] if dot else []
    if use_dot or not _can_start_python() or not _has_pygraphviz():
        return system
    path = json.dumps(sys.path)
    child = [sys.executable, "-I", str(CHILD), engine, form, str(seconds + GRACE), path]
    return [child, *system]


def _can_start_python() -> bool:
    """A frozen application would start itself again."""
    return bool(sys.executable) and not getattr(sys, "frozen", False)


def _has_pygraphviz() -> bool:
    try:
        return find_spec("pygraphviz") is not None
    except (ImportError, ValueError):
        return False


def _run(
    command: list[str], data: bytes, seconds: float, env: dict[str, str]
) -> tuple[int, bytes, str]:
    """(exit code, standard output, standard error) of a command in a process group of its own."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
            start_new_session=True,
            creationflags=_WINDOWS_GROUP,
        )
    except OSError as error:
        raise RenderError(f"cannot run {command[0]}: {error.strerror or error}") from error
    try:
        picture, said = process.communicate(data, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise RenderError(
            f"Graphviz did not finish within {seconds:g} seconds and was stopped; raise "
            "time_limit, or draw a part of the network (symbol.get_internals()[name])"
        ) from None
    finally:
        _end(process)
    return process.returncode, picture, said.decode(errors="replace")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that still runs, with all that it has started, and free its pipes."""
    if process.poll() is None:
        if sys.platform == "win32":
            command = ["taskkill", "/F", "/T", "/PID", str(process.pid)]
            with suppress(OSError):
                subprocess.run(command, capture_output=True, check=False, timeout=GRACE)
            process.kill()
        else:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe:
            with suppress(OSError):
                pipe.close()


def _pass_on(said: str, form: str) -> None:
    """Warn of what Graphviz did to the picture; its other remarks are of no use here."""
    if "too large for" in said:
        warnings.warn(
            f"the picture is too large for {form} and was made smaller; svg and pdf have no limit",
            stacklevel=4,  # where pipe was called
        )


def _failure(code: int, said: str, form: str) -> str:
    if code < 0 or code > 0x80000000:
        name = signal.Signals(-code).name if code < 0 else hex(code)
        return f"Graphviz crashed ({name}) while drawing {form}; the DOT text is in .source"
    return f"Graphviz cannot draw this as {form}: {_last_line(said)}"


def _last_line(said: str) -> str:
    """What went wrong, in Graphviz's words."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("Error:")]
    return (errors or lines or ["it does not say why"])[-1].removeprefix("Error: ")
