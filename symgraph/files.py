"""Reading files that end, writing so that a full disk or an interrupt leaves the old one whole."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from symgraph.errors import MXNetError

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


@contextmanager
def open_input(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file or pipe opened for reading bytes.

    Raises
    ------
    OSError
        If it is missing, a folder, or a device such as ``/dev/zero``, which may never end.
    """
    with Path(path).open("rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
            raise OSError(errno.EINVAL, "it is a device, but a file is required")
        yield file


def read_file(path: str | os.PathLike[str]) -> bytes:
    """The whole content of a file or pipe.

    Raises
    ------
    MXNetError
        If it cannot be read, see :func:`open_input`.
    """
    try:
        with open_input(path) as file:
            return file.read()
    except OSError as error:
        reason = error.strerror or str(error)
        raise MXNetError(f"cannot read {os.fspath(path)!r}: {reason}") from error


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A binary file to write in; its content is at ``path`` only once the block has ended.

    The content goes to a file beside ``path``, to the disk, and then under the name in one step.
    After an error, an interrupt or a crash the former file is untouched. A symbolic link stays
    one; a device or pipe is written directly, as it has no former content to keep.

    Raises
    ------
    MXNetError
        If the folder is missing, the disk is full or writing is not allowed.
    """
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not target.is_file() and not target.is_dir():
            with target.open("wb") as file:
                yield file
            return
        with _beside(target) as file:
            yield file
    except OSError as error:
        reason = error.strerror or str(error)
        raise MXNetError(f"cannot write {os.fspath(path)!r}: {reason}") from error


def write_file(path: Path, data: bytes) -> None:
    """Write ``data`` as the whole content of ``path``, making its folder; see atomic_write."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        file.write(data)


@contextmanager
def _beside(target: Path) -> Iterator[BinaryIO]:
    """A file in the folder of ``target`` that takes its place if nothing fails."""
    if target.is_dir():
        raise IsADirectoryError(21, "it is a folder")
    # The name is known before the file is there: an interrupt at any time can remove it.
    fresh = target.parent / f".writing-{os.urandom(8).hex()}"
    try:
        with os.fdopen(os.open(fresh, _CREATE, 0o600), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        fresh.chmod(_mode_of(target))
        fresh.replace(target)
    except BaseException:
        with suppress(OSError):
            fresh.unlink()
        raise
    _sync_folder(target.parent)


def _mode_of(target: Path) -> int:
    """The permissions of the file to replace, or those that a new file gets."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    # The only portable way to read the mask is to set it.
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask


def _sync_folder(folder: Path) -> None:
    """Bring the new name to the disk too, where the system can open a folder."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
