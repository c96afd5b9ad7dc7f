"""Names are shown as they are, whatever is in them: in DOT, SVG and PDF."""

from __future__ import annotations

import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
import zlib

import pytest
from dot_reader import read_dot

from symgraph import symbol as sym
from symgraph import viz
from symgraph.viz.text import readable, shape_text

SVG = "{http://www.w3.org/2000/svg}"

KEPT = [
    "sum_ reducción", "tower:0/x", "in{a|b}\"q\"", "<b>x</b>", "x y:port:n", "node", "Graph",
    "123", "-->", "日本語", 'a"', '"', "--", "[label=x]", "a;b", "//c", "/* c */", "#c", " pad ",
    '<<table><tr><td href="javascript:alert(1)">x</td></tr></table>>',
    "<script>alert(1)</script>", '<img src="file:///etc/passwd">', "a & b",
]  # fmt: skip
"""Names that are ids too."""

REPLACED = {
    "a\\b": "a\\b",
    "tail\\": "tail\\",
    "tail\\\\": "tail\\\\",
    "\\N \\G \\E \\l": "\\N \\G \\E \\l",
    "new\nline": "new\\nline",
    "tab\tand\x01": "tab\\tand\\x01",
    "&lt;x&gt; &#65;": "&lt;x&gt; &#65;",
    "%1": "%1",
    "\u202eturned": "\\u202eturned",
    "\ud800half": "\\ud800half",
}
"""Names that Graphviz would not keep as ids, and how they are read."""


def chain(names: list[str]) -> sym.Symbol:
    net = sym.Variable("data")
    for name in names:
        net = sym.relu(net, name=name)
    return net


@pytest.fixture(scope="module")
def picture():
    return viz.plot_network(chain([*KEPT, *REPLACED]), title='<b>"a\\')


@pytest.fixture(scope="module")
def svg(picture):
    return ElementTree.fromstring(picture.pipe("svg", encoding="utf-8"))


def test_ids_are_the_names_where_safe(picture):
    drawn = read_dot(picture.source)
    assert list(drawn.nodes)[1 : len(KEPT) + 1] == KEPT
    assert list(drawn.nodes)[len(KEPT) + 1 :] == [
        f"n{len(KEPT) + 1 + i}" for i in range(len(REPLACED))
    ]
    assert {end for tail, head, _ in drawn.edges for end in (tail, head)} == set(drawn.nodes)


def test_svg_shows_every_name_literally(svg):
    shown = {
        "".join(box.find(f"{SVG}title").itertext()): [t.text for t in box.iter(f"{SVG}text")]
        for box in svg.iter(f"{SVG}g")
        if box.get("class") == "node"
    }
    texts = [text for lines in shown.values() for text in lines]
    assert texts == ["data", *KEPT, *REPLACED.values()]
    assert list(shown)[1 : len(KEPT) + 1] == KEPT


def test_svg_has_an_arrow_for_each_edge_and_no_link_image_or_script(svg):
    arrows = [g for g in svg.iter(f"{SVG}g") if g.get("class") == "edge"]
    assert len(arrows) == len(KEPT) + len(REPLACED)
    assert {e.tag for e in svg.iter()} == {
        SVG + tag for tag in ("svg", "g", "title", "text", "path", "polygon", "ellipse")
    }
    assert not [key for e in svg.iter() for key in e.attrib if "href" in key or key[:2] == "on"]


@pytest.mark.skipif(not shutil.which("pdftotext"), reason="needs pdftotext of poppler")
def test_pdf_holds_the_chapters_name_as_text(tmp_path):
    picture = viz.plot_network(chain(["sum_ reducción", "<b>x</b>"]))
    path = picture.render(tmp_path / "plot")
    text = subprocess.run(["pdftotext", path, "-"], capture_output=True, check=True).stdout.decode()
    assert {"sum_ reducción", "<b>x</b>", "data"} <= set(text.splitlines())


def test_pdf_is_vector_graphics_with_text():
    data = viz.plot_network(chain(["sum_ reducción"])).pipe("pdf")
    assert data.startswith(b"%PDF-")
    streams = re.findall(rb"stream\r?\n(.*?)endstream", data, re.DOTALL)
    pages = [zlib.decompressobj().decompress(s) for s in streams if s[:1] == b"x"]
    assert any(b"BT" in page and (b"Tj" in page or b"TJ" in page) for page in pages)


def test_same_name_twice_is_two_boxes():
    net = sym.sqrt(sym.abs(sym.Variable("src"), name="mid"), name="src")
    drawn = read_dot(viz.plot_network(net).source)
    assert {key: attrs["label"] for key, attrs in drawn.nodes.items()} == {
        "n0": "src", "mid": "mid", "n2": "src",
    }  # fmt: skip
    assert [edge[:2] for edge in drawn.edges] == [("mid", "n0"), ("n2", "mid")]


def test_a_made_id_keeps_clear_of_names():
    net = sym.relu(sym.relu(sym.Variable("a\\"), name="n0"), name="n0_")
    assert list(read_dot(viz.plot_network(net).source).nodes) == ["n0__", "n0", "n0_"]


def test_an_empty_name_from_a_file_is_drawn():
    node = '{"op": "null", "name": "", "inputs": []}'
    text = f'{{"nodes": [{node}], "arg_nodes": [0], "heads": [[0, 0, 0]]}}'
    drawn = read_dot(viz.plot_network(sym.load_json(text)).source)
    assert list(drawn.nodes) == ["n0"]
    assert drawn.nodes["n0"]["label"] == ""


def test_record_boxes_do_not_split_names():
    net = chain(["{a|b}<c>"])
    picture = viz.plot_network(net, node_attrs={"shape": "record"})
    svg = ElementTree.fromstring(picture.pipe("svg", encoding="utf-8"))
    assert "{a|b}<c>" in [text.text for text in svg.iter(f"{SVG}text")]


@pytest.mark.parametrize("value", ["a\\", '"', 'a\\"b', "\\\\", "<b>", 'x" URL="y'])
def test_attributes_given_cannot_leave_their_string(value):
    net = sym.Variable("data")
    drawn = read_dot(viz.plot_network(net, node_attrs={"comment": value}).source)
    assert set(drawn.nodes) == {"data"}
    assert "URL" not in drawn.nodes["data"]
    viz.plot_network(net, node_attrs={"comment": value}).pipe("dot")


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("plot", "plot.gv"),
        ("my net", "my net.gv"),
        ("../../etc/x", "_.._etc_x.gv"),
        ("a/b\\c:d", "a_b_c_d.gv"),
        ("", "plot.gv"),
        ("..", "plot.gv"),
        ("reducción", "reducción.gv"),
    ],
)
def test_a_title_names_a_file_in_the_folder(title, name):
    assert viz.plot_network(sym.Variable("data"), title=title).filename == name


@pytest.mark.parametrize(
    "name", ["a" * 40_000, "\\" * 40_000, 'a"' * 20_000, "\U0001d54f" * 20_000]
)
def test_names_longer_than_one_word_of_graphviz(name):
    net = viz.plot_network(chain([name]), save_format="svg")
    texts = ElementTree.fromstring(net.pipe()).iter(f"{SVG}text")
    assert max((text.text or "" for text in texts), key=len) == name


def test_readable_leaves_text_alone():
    assert readable("sum_ reducción 日本語 \U0001f600 \\") == "sum_ reducción 日本語 \U0001f600 \\"
    assert readable("\x00\x7f\x85") == "\\x00\\x7f\\x85"


def test_shapes_show_what_is_unknown():
    assert shape_text((3, 0, 5)) == "3x?x5"
    assert shape_text(()) == shape_text(None) == ""
