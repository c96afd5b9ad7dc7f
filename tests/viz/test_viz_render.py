"""Rendering: files, notebooks, Graphviz in a process of its own, and what happens without it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import warnings
import webbrowser
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import graphviz
import pytest

from symgraph import symbol as sym
from symgraph import viz
from symgraph.errors import MXNetError
from symgraph.viz import RenderError, engine, fonts, picture

NET = sym.FullyConnected(sym.Variable("data"), num_hidden=7, name="fc")

posix = pytest.mark.skipif(sys.platform == "win32", reason="stands a shell script in for dot")


@pytest.fixture
def plot(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return viz.plot_network(NET)


@pytest.fixture
def fake_dot(tmp_path, monkeypatch):
    """Puts a shell script in the place of all programs on PATH but sh's own."""

    def install(script: str) -> None:
        folder = tmp_path / "bin"
        folder.mkdir()
        (folder / "dot").write_text(f"#!/bin/sh\n{script}\n")
        (folder / "dot").chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    return install


@pytest.fixture
def no_dot(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))


@pytest.mark.parametrize(
    ("form", "start"),
    [
        ("pdf", b"%PDF-"),
        ("svg", b"<?xml"),
        ("png", b"\x89PNG\r\n"),
        ("jpg", b"\xff\xd8\xff"),
        ("json", b"{"),
        ("dot", b"digraph plot {"),
        ("plain", b"graph 1 "),
        ("eps", b"%!PS-Adobe"),
    ],
)
def test_formats(plot, no_dot, form, start):
    assert plot.pipe(form).startswith(start)


def test_the_users_process_never_loads_graphviz_itself():
    code = (
        "import sys; from symgraph import symbol, viz\n"
        "viz.plot_network(symbol.Variable('data')).pipe('svg')\n"
        "sys.exit('pygraphviz' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0


def test_a_drawing_is_a_digraph_that_can_be_changed(plot):
    assert isinstance(plot, graphviz.Digraph)
    twin = plot.copy()
    twin.time_limit = 7.0
    again = twin.copy()
    assert (again.time_limit, again.source) == (7.0, plot.source)
    twin.node("more", "one more")
    twin.edge("more", "fc")
    svg = ElementTree.fromstring(twin.pipe("svg", encoding="utf-8"))
    assert "one more" in [e.text for e in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert "more" not in plot.source


def test_pictures_repeat_byte_for_byte(plot):
    assert plot.pipe("svg") == plot.pipe("svg")
    assert plot.pipe("png") == plot.pipe("png")


def files(folder: str = ".") -> list[str]:
    return sorted(path.name for path in Path(folder).iterdir())


def test_render_writes_text_and_picture(plot):
    assert plot.render("net", view=False) == "net.pdf"
    assert Path("net").read_text("utf-8") == plot.source
    assert Path("net.pdf").read_bytes().startswith(b"%PDF-")
    assert viz.plot_network(NET, title="t", save_format="svg").render() == "t.gv.svg"


def test_render_options(plot):
    assert Path(plot.render("n", "deep/er", format="svg", cleanup=True)) == Path("deep/er/n.svg")
    assert files("deep/er") == ["n.svg"]
    plot = viz.plot_network(NET)
    assert plot.render(outfile="deep/pic.PNG") == str(Path("deep/pic.PNG"))
    assert Path("deep/pic.PNG").read_bytes().startswith(b"\x89PNG")
    assert Path("deep/pic.gv").read_text("utf-8") == plot.source
    with pytest.raises(MXNetError, match="exists"):
        plot.render(outfile="deep/pic.PNG", raise_if_result_exists=True)
    with pytest.raises(MXNetError, match="both"):
        plot.render("same.svg", ".", outfile="same.svg")


def test_save_writes_the_text(plot):
    assert plot.save("a.gv", "sub") == str(Path("sub/a.gv"))
    assert Path("sub/a.gv").read_text("utf-8") == plot.source
    Path("sub/a.gv").write_text("mine")
    plot.save(skip_existing=True)
    assert Path("sub/a.gv").read_text() == "mine"


def test_view_opens_the_picture(plot, monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    plot.view("net")
    assert opened == [Path("net.pdf").resolve().as_uri()]


def test_a_failure_leaves_former_files_whole(plot, monkeypatch):
    Path("net").write_text("old text")
    Path("net.pdf").write_text("old picture")
    with pytest.raises(RenderError, match="not recognized"):
        plot.render("net", format="nope")
    with pytest.raises(RenderError, match=r"did not finish within 0\.001 seconds"):
        plot.time_limit = 0.001
        plot.render("net")
    assert Path("net").read_text() == "old text"
    assert Path("net.pdf").read_text() == "old picture"
    assert files() == ["net", "net.pdf"]


def test_a_folder_that_cannot_be_written_is_named(plot):
    Path("file").write_text("")
    with pytest.raises(MXNetError, match="file"):
        plot.render("file/net", format="svg")


def test_notebooks_show_svg(plot):
    bundle = plot._repr_mimebundle_()
    assert list(bundle) == ["image/svg+xml"]
    assert bundle["image/svg+xml"].startswith("<?xml")
    more = plot._repr_mimebundle_(include=["image/png", "image/jpeg"], exclude=["image/jpeg"])
    assert list(more) == ["image/png"]


def test_errors_in_the_text_are_told_in_graphviz_words(plot):
    plot.body.append("fc ->")
    with pytest.raises(RenderError, match=r"cannot draw this as svg: .*syntax error"):
        plot.pipe("svg")
    with pytest.raises(RenderError, match='Layout type: "nope" not recognized'):
        viz.plot_network(NET).pipe("svg", engine="nope")


def test_other_layout_programs(plot):
    assert b"<svg" in plot.pipe("svg", engine="neato")
    placed = plot.pipe("dot", encoding="utf-8")
    assert b"<svg" in graphviz_of(placed).pipe("svg", neato_no_op=2)


def graphviz_of(text: str) -> picture.Picture:
    head, _, rest = text.partition("{")
    return picture.Picture(name=head.split()[1], body=[rest.rpartition("}")[0] + "\n"])


@posix
def test_dot_is_used_only_when_asked_for(plot, fake_dot):
    fake_dot('echo "$@"')
    assert plot.pipe("svg").startswith(b"<?xml")
    plot.use_dot = True
    assert plot.pipe("svg") == b"-Kdot -Tsvg\n"


@posix
def test_dot_is_the_way_out_where_pygraphviz_is_missing(plot, fake_dot, monkeypatch):
    fake_dot("echo drawn")
    monkeypatch.setattr(engine, "_has_pygraphviz", lambda: False)
    assert plot.pipe("svg") == b"drawn\n"


@posix
def test_dot_is_the_way_out_where_pygraphviz_is_broken(plot, fake_dot, monkeypatch, tmp_path):
    (tmp_path / "pygraphviz.py").write_text("raise ImportError('no libgvc')")
    monkeypatch.syspath_prepend(str(tmp_path))
    with monkeypatch.context() as patch:
        patch.setenv("PATH", "/nowhere")
        with pytest.raises(RenderError, match="cannot be imported: no libgvc"):
            plot.pipe("svg")
    fake_dot("echo drawn")
    assert plot.pipe("svg") == b"drawn\n"


def test_without_any_graphviz_one_sentence_says_what_to_do(plot, no_dot, monkeypatch):
    monkeypatch.setattr(engine, "_has_pygraphviz", lambda: False)
    with pytest.raises(RenderError, match="pip install pygraphviz") as caught:
        plot.render("net")
    assert "\n" not in str(caught.value)
    assert files() == []
    plot.save("net.gv")
    assert Path("net.gv").read_text("utf-8").startswith("digraph plot {")
    plot.use_dot = True
    with pytest.raises(RenderError, match="use_dot needs the dot program"):
        plot.pipe()


@posix
def test_all_that_a_hanging_graphviz_started_is_killed(plot, fake_dot, tmp_path):
    fake_dot(f'sleep 100 & echo $! > "{tmp_path}/pid"; wait')
    plot.use_dot, plot.time_limit = True, 1.0
    start = time.monotonic()
    with pytest.raises(RenderError, match="did not finish within 1 seconds"):
        plot.pipe()
    assert time.monotonic() - start < 6
    _assert_gone(int((tmp_path / "pid").read_text()))


@posix
def test_an_interrupt_kills_graphviz_too(plot, fake_dot, tmp_path, monkeypatch):
    fake_dot(f'sleep 100 & echo $! > "{tmp_path}/pid"; wait')
    plot.use_dot = True

    def interrupt(process, data, timeout):
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text().strip():
            time.sleep(0.01)
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess.Popen, "communicate", interrupt)
    with pytest.raises(KeyboardInterrupt):
        plot.pipe()
    _assert_gone(int((tmp_path / "pid").read_text()))


def _assert_gone(pid: int) -> None:
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        state = Path(f"/proc/{pid}/stat")
        if state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z":
            return  # dead, and not yet collected by the init process
        time.sleep(0.05)
    raise AssertionError(f"process {pid} lives on")


@posix
def test_a_crash_is_told_and_survived(plot, fake_dot):
    fake_dot("kill -ABRT $$")
    plot.use_dot = True
    with pytest.raises(RenderError, match=r"crashed \(SIGABRT\)"):
        plot.pipe()


@posix
def test_a_picture_made_smaller_is_told(plot, fake_dot):
    fake_dot('echo "graph is too large for cairo-renderer bitmaps. Scaling by 0.02" >&2; echo x')
    plot.use_dot = True
    with pytest.warns(UserWarning, match="too large for png and was made smaller"):
        plot.pipe("png")


def test_threads_may_draw_at_the_same_time(plot):
    found = []
    threads = [threading.Thread(target=lambda: found.append(plot.pipe("svg"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len(set(found)) == 1


def test_without_the_graphviz_package_drawings_are_the_same(plot):
    code = (
        "import sys; sys.modules['graphviz'] = None\n"
        "from symgraph import symbol, viz\n"
        "fc = symbol.FullyConnected(symbol.Variable('data'), num_hidden=7, name='fc')\n"
        "plot = viz.plot_network(fc, title='my net').copy()\n"
        "assert plot.pipe('svg').startswith(b'<?xml')\n"
        "assert '<svg' in plot._repr_mimebundle_()['image/svg+xml']\n"
        "assert plot.render(cleanup=True, format='svg') == 'my net.gv.svg'\n"
        "print(plot, end='')"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=True)
    assert run.stdout.decode() == viz.plot_network(NET, title="my net").source


class TestFonts:
    @pytest.fixture(autouse=True)
    def linux(self, monkeypatch):
        monkeypatch.setattr(sys, "platform", "linux")
        for name in ("FONTCONFIG_FILE", "FONTCONFIG_PATH"):
            monkeypatch.delenv(name, raising=False)

    def test_a_configuration_of_the_user_is_kept(self, tmp_path, monkeypatch):
        monkeypatch.setenv("FONTCONFIG_FILE", "mine")
        assert fonts.font_environment(tmp_path, "pdf") == {}

    def test_no_font_at_all_is_told(self, tmp_path, monkeypatch):
        monkeypatch.setattr(fonts, "_font_dirs", lambda: iter([tmp_path]))
        monkeypatch.setattr(fonts, "_matplotlib_fonts", lambda: iter([tmp_path]))
        with pytest.warns(UserWarning, match="text in png is drawn as boxes"):
            assert fonts.font_environment(tmp_path, "png") == {}
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert fonts.font_environment(tmp_path, "svg") == {}

    def test_fonts_of_matplotlib_are_better_than_none(self, tmp_path, monkeypatch):
        (tmp_path / "a & b").mkdir()
        (tmp_path / "a & b" / "some.ttf").write_bytes(b"")
        monkeypatch.setattr(fonts, "_font_dirs", lambda: iter([tmp_path / "nowhere"]))
        monkeypatch.setattr(fonts, "_matplotlib_fonts", lambda: iter([tmp_path / "a & b"]))
        env = fonts.font_environment(tmp_path, "pdf")
        config = ElementTree.parse(env["FONTCONFIG_FILE"])
        assert config.findtext("dir") == str(tmp_path / "a & b")
