"""Atomic writing: the old file is whole until the new one is."""

import os
import stat
import sys
import threading

import pytest

from symgraph.errors import MXNetError
from symgraph.files import atomic_write, open_input, read_file


def names(folder):
    return sorted(p.name for p in folder.iterdir())


def test_replaces_at_the_end_only(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"old")
    with atomic_write(path) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert names(tmp_path) == ["x"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, MemoryError])
def test_an_error_or_interrupt_leaves_the_old_file(tmp_path, error):
    path = tmp_path / "x"
    path.write_bytes(b"old")
    with pytest.raises(error), atomic_write(path) as file:
        file.write(b"half of the n")
        raise error
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["x"]


def test_an_interrupt_at_the_moment_of_creation_leaves_nothing(tmp_path, monkeypatch):
    create = os.open

    def interrupted(*args):
        os.close(create(*args))
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "open", interrupted)
    with pytest.raises(KeyboardInterrupt), atomic_write(tmp_path / "x"):
        pass
    assert names(tmp_path) == []


def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "x"
    path.write_bytes(b"old")

    def full(_handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    refused = pytest.raises(MXNetError, match=r"cannot write '.*x': No space left")
    with refused, atomic_write(path) as file:
        file.write(b"new")
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["x"]


def test_missing_folder_and_a_folder_in_the_way(tmp_path):
    with pytest.raises(MXNetError, match="cannot write"), atomic_write(tmp_path / "no" / "x"):
        pass
    with pytest.raises(MXNetError, match="it is a folder"), atomic_write(tmp_path):
        pass


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no permission bits")
def test_permissions_stay(tmp_path):
    path = tmp_path / "x"
    with atomic_write(path):
        pass
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask
    path.chmod(0o640)
    with atomic_write(path):
        pass
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need a privilege there")
def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    with atomic_write(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_device_is_written_directly():
    with atomic_write(os.devnull) as file:
        file.write(b"gone")


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="has no devices among its files")  # noqa: PTH110
def test_a_device_that_never_ends_is_refused():
    import symgraph as mx

    with pytest.raises(OSError, match="it is a device"), open_input("/dev/zero"):
        pass
    for read in (read_file, mx.sym.load, mx.nd.load):
        with pytest.raises(MXNetError, match=r"/dev/zero.*it is a device, but a file is required"):
            read("/dev/zero")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="has no pipes among its files")
def test_a_pipe_is_read_to_its_end(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    content = bytes(range(256)) * 1000
    writer = threading.Thread(target=pipe.write_bytes, args=(content,))
    writer.start()
    assert read_file(pipe) == content
    writer.join()
