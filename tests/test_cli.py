"""The ``symgraph`` command: what it writes and prints, its exit codes, errors in one sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import symgraph as mx
from symgraph import cli, nd, sym

STARTS = {
    "pdf": b"%PDF-",
    "svg": b"<?xml",
    "png": b"\x89PNG",
    "dot": b"digraph",
    "gv": b"digraph",
    "PDF": b"%PDF-",
}


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Call ``symgraph *words`` in an empty folder: (exit code, output, errors)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")

    def call(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["symgraph", *map(str, words)])
        code: object = 0
        try:
            cli.main()
        except SystemExit as end:
            code = end.code or 0
        out, err = capsys.readouterr()
        assert isinstance(code, int)
        return code, out, err

    return call


@pytest.fixture
def net(tmp_path) -> Path:
    path = tmp_path / "net-symbol.json"
    data = sym.Variable("data")
    sym.FullyConnected(sym.relu(data, name="act"), num_hidden=3, name="out").save(str(path))
    return path


@pytest.fixture
def weights(tmp_path) -> Path:
    path = tmp_path / "net-0001.params"
    nd.save(str(path), {"arg:w": nd.ones((2, 3)), "aux:m": nd.zeros((4,), dtype="int64")})
    return path


# ---- what works ---------------------------------------------------------------------------


@pytest.mark.parametrize("form", STARTS)
def test_plot_writes_each_format(run, net, tmp_path, form):
    target = tmp_path / "new folder" / f"drawing.{form}"
    assert run("plot", net, "--out", target, "--shape", "data=(2, 5)") == (
        0,
        f"wrote {target}\n",
        "",
    )
    assert target.read_bytes().startswith(STARTS[form])
    if form == "svg":
        assert "out" in target.read_text() and "out_weight" not in target.read_text()


def test_plot_names_its_file_after_the_network(run, net, tmp_path):
    assert run("plot", net)[0] == 0
    assert (tmp_path / "net.pdf").read_bytes().startswith(b"%PDF-")


def test_plot_draws_parameters_on_request(run, net, tmp_path):
    assert run("plot", net, "-o", "net.dot", "--weights")[0] == 0
    assert "out_weight" in (tmp_path / "net.dot").read_text()


def test_summary_counts_parameters(run, net):
    code, out, err = run("summary", net, "--shape", "data=(2, 5)")
    assert (code, err) == (0, "")
    assert "out(FullyConnected)" in out and "Total params: 18" in out


def test_info_of_a_network_and_of_weights(run, net, weights):
    code, out, _ = run("info", net)
    assert code == 0
    assert out.splitlines() == [
        "operators   2: 1 relu, 1 FullyConnected",
        "arguments   3: data, out_weight, out_bias",
        "auxiliary   none",
        "outputs     1: out_output",
    ]
    code, out, _ = run("info", weights)
    assert code == 0
    assert out.splitlines() == [
        "2 arrays",
        "arg:w  float32(2, 3)  default",
        "aux:m  int64(4,)  default",
    ]


def test_info_of_the_installation(run):
    code, out, err = run("info")
    rows = dict(line.split(None, 1) for line in out.splitlines())
    assert (code, err) == (0, "")
    assert rows["symgraph"] == mx.__version__
    assert rows["numpy"] == np.__version__
    assert {"python", "drawing", "gpu", "operators"} <= rows.keys()


def test_train_leaves_pictures_curve_and_checkpoint(run, tmp_path):
    random = np.random.RandomState(0)
    rows = [f"{random.randint(9)},{random.randint(7)},{random.randint(1, 6)}" for _ in range(80)]
    Path("ratings.csv").write_text("userId,movieId,rating\n" + "\n".join(rows))
    words = ("--data", "ratings.csv", "--epochs", 1, "--out", "o", "--k", 2, "--optimizer", "sgd")
    code, out, _ = run("train", "matrix_factorization", *words)
    assert code == 0
    assert "sgd: test RMSE" in out and "after 1 epochs" in out
    written = {p.name: p.read_bytes() for p in (tmp_path / "o").iterdir()}
    for form in ("pdf", "svg", "png"):
        assert written[f"network.{form}"].startswith(STARTS[form])
    assert written["curve.csv"].startswith(b"optimizer,epoch,test_rmse\nsgd,1,")
    found = sym.load("o/matrix_factorization-symbol.json").list_arguments()
    assert set(nd.load("o/matrix_factorization-0001.params")) <= {f"arg:{n}" for n in found}


@pytest.mark.parametrize(
    "words, said",
    [
        ([], "Draw a network as PDF, SVG, PNG or DOT"),
        (["--help"], "Look at, draw and train symbolic networks"),
        (["plot", "--help"], "data=(1,3,224,224)"),
        (["train", "--help"], "adam or sgd"),
    ],
)
def test_help_is_readable(run, words, said):
    _, out, err = run(*words)
    assert said in " ".join((out + err).replace("│", " ").split())


# ---- what is refused ----------------------------------------------------------------------

REFUSED = {
    "missing network": (["plot", "none.json"], "there is no file none.json"),
    "missing network, summary": (["summary", "none.json"], "there is no file none.json"),
    "missing file": (["info", "none.params"], "there is no file none.params"),
    "folder": (["plot", "folder.json"], "folder.json: cannot be read ("),
    "folder, info": (["info", "."], "cannot read '.': "),
    "weights as a network": (["plot", "net-0001.params"], "is not JSON text"),
    "cut off network": (["summary", "half.json"], "half.json is not JSON: "),
    "cut off weights": (["info", "half.params"], "the file is truncated"),
    "text as weights": (["info", "text.txt"], "(symbol files must end in .json)"),
    "no format": (["plot", "net-symbol.json", "-o", "x"], "no ending that says the format"),
    "unknown format": (["plot", "net-symbol.json", "-o", "x.doc"], "unknown format: 'doc'"),
    "a folder to write": (["plot", "net-symbol.json", "-o", "to.svg"], "it is a folder"),
    "the network itself": (
        ["plot", "net-symbol.json", "-o", "folder.json/../net-symbol.json"],
        "is the network itself",
    ),
    "broken shape": (
        ["plot", "net-symbol.json", "-s", "data=(2,"],
        "'data=(2,' is no shape; write it like",
    ),
    "negative shape": (["summary", "net-symbol.json", "-s", "data=(-1,2)"], "is no shape"),
    "shape of code": (["summary", "net-symbol.json", "-s", "data=exit()"], "is no shape"),
    "unknown input": (["plot", "net-symbol.json", "-s", "dat=(1,2)"], "no such variable"),
    "unknown model": (["train", "lenett"], "the gallery has no model 'lenett'"),
    "module as model": (["train", "demo"], "the gallery has no model 'demo'"),
    "unknown optimizer": (
        ["train", "matrix_factorization", "--optimizer", "adm"],
        "there is no recipe for 'adm'; did you mean 'adam'",
    ),
    "no ratings": (
        ["train", "matrix_factorization", "--data", "none.csv"],
        "there are no ratings at none.csv",
    ),
    "a network as ratings": (
        ["train", "matrix_factorization", "--data", "net-symbol.json"],
        "is no table of userId,movieId,rating",
    ),
    "a file as folder": (
        ["train", "matrix_factorization", "--data", "two.csv", "--out", "text.txt"],
        "symgraph: text.txt: ",
    ),
}


@pytest.fixture
def crowd(net, weights, tmp_path):
    """Files of every wrong kind."""
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "to.svg").mkdir()
    (tmp_path / "half.json").write_bytes(net.read_bytes()[:50])
    (tmp_path / "half.params").write_bytes(weights.read_bytes()[:50])
    (tmp_path / "text.txt").write_text("nothing of ours")
    (tmp_path / "two.csv").write_text("userId,movieId,rating\n1,1,5\n1,2,3\n")
    return tmp_path


def content(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_in_one_sentence(run, crowd, case):
    words, message = REFUSED[case]
    before = content(crowd)
    code, out, err = run(*words)
    assert (code, out) == (1, "") or (code == 1 and case == "a file as folder")
    assert err.startswith("symgraph: ") and message in err
    assert err.count("\n") == 1 and "Traceback" not in err
    assert content(crowd) == before


@pytest.mark.parametrize(
    "words",
    [
        ["draw"],
        ["plot"],
        ["plot", "net.json", "--colour", "red"],
        ["train", "matrix_factorization", "--epochs", "0"],
        ["train", "matrix_factorization", "--k", "many"],
        ["train", "matrix_factorization", "--split", str(2**32)],
    ],
)
def test_wrong_usage_has_exit_code_2(run, words):
    code, _, err = run(*words)
    assert code == 2
    assert "Usage: symgraph" in err and "Traceback" not in err


def test_names_that_the_terminal_lacks_are_escaped(tmp_path):
    path = tmp_path / "net-symbol.json"
    sym.relu(sym.Variable("日本 ó"), name="r").save(str(path))
    words = [sys.executable, "-m", "symgraph.cli", "info", str(path)]
    found = subprocess.run(
        words, capture_output=True, env={**os.environ, "PYTHONIOENCODING": "latin-1"}, check=True
    )
    assert b"arguments   1: \\u65e5\\u672c \xf3" in found.stdout


def test_version(run):
    assert run("--version") == (0, f"symgraph {mx.__version__}\n", "")
