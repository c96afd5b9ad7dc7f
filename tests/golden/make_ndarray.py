"""Record what MXNet 1.9.1 answers to calls on arrays: ``ndarray.json`` beside this file.

Run with a Python that has mxnet 1.9.1 (and NumPy 1.23):

    MXNET_SUBGRAPH_BACKEND=NONE python tests/golden/make_ndarray.py

A snippet is executed with the names mx, nd and np; its answer is ``out``, or the class of the
exception. Snippets run in one process, which is started again after the one it died at.
"""

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
SHAPED = "a = nd.arange(24).reshape((2, 3, 4))"
MATRIX = "a = nd.arange(6).reshape((2, 3))"
SPARSE = (
    "c = nd.array([[0, 1, 0], [3, 0, 5], [0, 7, 0], [9, 0, 11]]).tostype('csr'); "
    "r = nd.array([[0, 0], [1, 2], [0, 0], [3, 4]]).tostype('row_sparse')"
)
TYPED = (
    "i = nd.array([1, 3, -5, 7], dtype='int32'); u = nd.array([1, 3, 250], dtype='uint8'); "
    "h = nd.array([1, 3], dtype='float16'); x = nd.array([1., -2., 5.]); "
    "d = nd.array([1, 2], dtype='float64'); b = nd.array([1, 0, 1], dtype='bool')"
)

OUT = {
    "": """
        nd.array(3) | nd.array([[1, 2], [3]]) | nd.array([1 + 2j]) | nd.array((1, 2))
        nd.array(np.ones(2, 'int16')) | nd.array(range(3)) | nd.array(np.float32(3))
        nd.array(nd.ones(2, dtype='int32')) | nd.array(nd.ones(2), dtype='int32')
        nd.array([1, 2], dtype='int8') | nd.array(nd.ones((2, 2)).tostype('csr'))
        nd.full((2,), 7, dtype='int32') | nd.full(2, 1.5) | nd.zeros(np.int64(3)) | nd.zeros('a')
        nd.zeros((2, -1)) | nd.zeros((2.0, 3)) | nd.zeros((2, 2), mx.cpu(1))
        nd.zeros((2, 2), stype='row_sparse') | nd.empty((2, 2), stype='csr')
        nd.arange(1, 10, 2) | nd.arange(3, repeat=2) | nd.arange(5, 1, -1) | nd.arange(0, 1, 0.1)
        nd.arange(5, infer_range=True) | nd.eye(3) | nd.eye(2, 3, 1)
        nd.eye(3, k=-1, dtype='int32')
        nd.linspace(0, 1, 5, endpoint=False) | nd.linspace(0, 1, 1)
        nd.linspace(0, 5, 3, dtype='int32') | str(nd.array(3)) | repr(nd.arange(3000))
        repr(nd.array([1], dtype='bool')) | repr(nd.ones((2, 2)).tostype('csr'))
        nd.concatenate([nd.ones(2), nd.zeros(3)])
        nd.concatenate([nd.ones((1, 2)), nd.zeros((3, 2))], axis=0)
        nd.concatenate([nd.ones((2, 1)), nd.zeros((2, 2))], axis=1)
        nd.moveaxis(nd.ones((2, 3, 4)), [0, 1], [1, 0]).shape
        nd.moveaxis(nd.ones((2, 3, 4)), 0, 5) | nd.moveaxis(nd.arange(6).reshape((1, 2, 3)), 2, 0)
        nd.onehot_encode(nd.array([1, 0]), nd.zeros((2, 3))) | 1 - nd.ones(2)
        1 / nd.array([2., 4.]) | 2 ** nd.array([2., 4.]) | 5 % nd.array([2., 4.])
        nd.array([2., 4.]) ** 2 | nd.add(1, 2) | nd.maximum(nd.array([1., 5.]), 3)
        nd.maximum(1, 3) | nd.minimum(3, nd.array([1., 5.])) | nd.power(2, nd.array([1., 3.]))
        nd.equal(nd.ones(2), 1) | nd.true_divide(nd.ones(2), 2) | nd.modulo(nd.ones(2) * 5, 3)
        nd.logical_and(nd.ones(2), 0) | nd.logical_or(0, nd.array([0, 2.]))
        nd.logical_xor(nd.array([1., 0]), nd.array([1., 1])) | nd.subtract(5, nd.ones(2))
        nd.lesser(1, nd.array([0, 2])) | nd.greater_equal(2, nd.array([1, 2, 3]))
        nd.not_equal(nd.array([1, 2]), nd.array([1, 3])) | nd.divide(3, 2)
        nd.add(nd.ones(2), nd.ones((3, 1))) | nd.add(nd.ones(2), 'a')
        nd.ones((1, 3, 1)).squeeze() | nd.ones((1, 3, 1)).squeeze(axis=1)
        nd.ones((1, 3, 1)).squeeze(axis=-1) | nd.ones((1, 1)).squeeze()
        nd.ones((2, 3, 4)).flatten().shape | nd.ones(3).flatten().shape
        nd.ones(3).expand_dims(0) | nd.ones(3).expand_dims(-1) | nd.ones(3).expand_dims(5)
        nd.load('nosuch.params') | nd.save('nosuch/x.params', nd.ones(1))
        nd.save('x', (nd.ones(1),)) | nd.save('x', [1]) | nd.save('x', {'a': np.ones(1)})
        nd.save('x', {1: nd.ones(1)}) | mx.random.seed('a')
        nd.random.uniform().shape | nd.random.uniform(0, 1, 3).shape
        nd.random.uniform(0, 1, (2, 3), dtype='float64').dtype.__name__
        nd.random.uniform(low=nd.array([0, 5]), high=nd.array([1, 6]), shape=3).shape
        nd.random.normal(0, 1, shape=(2, 1)).shape | nd.random.randint(0, 5).dtype.__name__
        nd.random.randint(0, 5, shape=(2,), dtype='int64').dtype.__name__
        nd.random.randint(0, 5, dtype='float32') | nd.random.randn(2, 3).shape
        nd.random.uniform(0, 1, shape=2, ctx=mx.cpu(1)).context | mx.random.uniform(0, 1, 2).shape
    """,
    TYPED: """
        i * 1.5 | i + 1.5 | i + 1.9 | i - 1.5 | i / 2 | i / 2.5 | 2 / i | i % 2 | i % 3 | i % 2.5
        -7 % i | i ** 2 | i ** 0.5 | 2 ** i | i > 1.5 | i == 1 | 1 < i | -i | abs(i) | u + 300
        u + 10 | u * 2.7 | u - 2 | -u | h + 1 | h * 70000 | b + 1 | b == 1 | b * b | b * 2.0
        x / 0 | x % 0 | i % 0 | x + np.float64(2) | np.float64(2) * x | np.ones(3) + x
        x + np.ones(3) | x + [1, 2, 3] | x + None | x == None | x > None | x + 'a' | x + True
        d + 1 | d * np.float32(2) | x + nd.array([1]) | x + nd.array([[1], [2]]) | x * 1j
        x + nd.array([1, 2, 3], ctx=mx.cpu(1)) | x + d | i + u | x.asscalar() | x.T | bool(x[0])
        bool(nd.array([])) | bool(nd.array([[0]])) | x.dtype.__name__
        len(list(x)) | x.astype('int32') | x.astype(np.float64) | x.astype('bool')
        x.astype('foo') | x.astype('float32', copy=False) is x | x.astype('float32') is x
        x.copyto(nd.zeros(2)) | x.copyto(nd.zeros(3, dtype='int32')) | x.copyto(5)
        x.as_in_context(mx.cpu(0)) is x | x.as_in_context(mx.cpu(1)) | x.stype | x.detach()
        x.tostype('default') is x
    """,
    SHAPED: """
        a[0] | a[0, 1] | a[0, 1, 2] | a[-1] | a[...] | a[..., 0] | a[0, ...] | a[:, 1] | a[1:2]
        a[::2] | a[::-1] | a[:, :2] | a[:, 1:3, 2] | a[None] | a[0, None] | a[:, None, 1]
        a[[0, 1]]
        a[[0, 1], [1, 2]] | a[:, [0, 2]] | a[[0], :, [1, 2]] | a[nd.array([0, 1])]
        a[nd.array([[0, 1]])] | a[nd.array([0, 1], dtype='int32')] | a[np.array([0, 1])]
        a[np.array([True, False])] | a[nd.array([1, 0])] | a[5] | a[0, 7] | a[[0, 5]] | a[-3]
        a[5:9] | a[True] | a[0.5] | a['a'] | a[(0, 1, 2, 3)] | a[()] | a[np.int64(1)]
        a[nd.array([1])] | a[0, :, [1, -1]] | a[:, 0:0].shape
        a.reshape(-1).shape | a.reshape(6, 4).shape | a.reshape((4, -1)).shape
        a.reshape((0, -1)).shape | a.reshape((-2,)).shape | a.reshape((2, -2)).shape
        a.reshape((-3, 0)).shape | a.reshape((0, -3)).shape | a.reshape((-4, 1, 2, -2)).shape
        a.reshape((2, -4, -1, 3, 4)).shape | a.reshape((-4, -1, 2, 0, 0)).shape
        a.reshape((0, 0, 0)).shape | a.reshape((-1, 0)).shape | a.reshape((-1, -1)).shape
        a.reshape((5, 5)).shape | a.reshape((0, 0, 0, 0)).shape | a.reshape((-2, 1, 1)).shape
        a.reshape((-3, -3)).shape | a.reshape((0, -4, 3, -1, -2)).shape | a.reshape(()).shape
        a.reshape((-5,)).shape | a.reshape('a').shape | a.reshape((-1, 0), reverse=True).shape
        a.reshape(shape=(4, -1, 2)).shape | a.reshape((0, -3), reverse=True).shape
        a.reshape((-2, 2), reverse=True).shape | a.reshape((8, 0), reverse=True).shape
        a.reshape(2, 3, 4, foo=1).shape
    """,
    SPARSE: """
        c[1:3] | c[-1] | c[2] | c[5] | c[:] | r[:] | c.data | c.indices | c.indptr | r.data
        r.indices | c.copy() | r.copy() | c.astype('float64') | r.astype('int32')
        c.tostype('default') | r.tostype('default') | c.T | r.T | c.copyto(nd.zeros((4, 3)))
        c.copyto(nd.sparse.zeros('csr', (4, 3))) | c.copyto(nd.sparse.zeros('row_sparse', (4, 3)))
        r.copyto(mx.cpu(1)) | c.as_in_context(mx.cpu(1)) | nd.zeros((4, 3)).copyto(c) | c.shape
        len(c) | c.check_format() | c + c | r + r | c * 2 | 2 * c | c + 1 | c * c | c / 2 | r * r
        r - r | -c | abs(c) | c > 1 | c == c | c + nd.ones((4, 3)) | r + nd.ones((4, 2))
        r * nd.ones((4, 2)) | nd.ones((4, 2)) * r | c.reshape((3, 4)) | c.expand_dims(0) | c % 2
        c ** 2 | repr(c) | repr(r) | bool(c) | r[0] | r[1:2] | nd.sparse.add(c, c)
        nd.sparse.multiply(c, 2) | nd.sparse.subtract(r, r) | nd.sparse.divide(c, 2)
        nd.sparse.retain(r, nd.array([1, 0])) | c.tostype('nosuch')
    """,
    "S = nd.sparse": """
        S.csr_matrix(([1., 2.], [0, 1], [0, 1, 2])) | S.csr_matrix((2, 3))
        S.csr_matrix((2, 3), dtype='int32') | S.csr_matrix([[0, 1], [2, 0]])
        S.csr_matrix(np.eye(2)) | S.csr_matrix(nd.ones((2, 2)))
        S.csr_matrix(nd.ones((2, 2)).tostype('csr')) | S.csr_matrix(np.eye(2), shape=(3, 3))
        S.csr_matrix(([1, 2], [0, 1], [0, 1, 2]), shape=(2, 3), dtype='int32')
        S.csr_matrix(([], [], [0, 0, 0]), shape=(2, 3))
        S.csr_matrix((np.array([1., 2.]), np.array([0, 1]), np.array([0, 1, 2])), shape=(2, 3))
        S.csr_matrix((nd.array([1., 2.]), nd.array([0, 1]), nd.array([0, 1, 2])), shape=(2, 3))
        S.row_sparse_array(([[1., 2.]], [1]), shape=(3, 2)) | S.row_sparse_array(([[1., 2.]], [1]))
        S.row_sparse_array((3, 2)) | S.row_sparse_array((2, 3, 4)) | S.row_sparse_array(np.eye(2))
        S.row_sparse_array([[0, 1], [0, 0]]) | S.row_sparse_array(([1., 2.], [1, 2]), shape=(4,))
        S.row_sparse_array(nd.ones((2, 2)).tostype('row_sparse'))
        S.row_sparse_array(([[1, 2]], [1]), shape=(3, 2), dtype='int32')
        S.zeros('csr', (2, 3)) | S.zeros('row_sparse', (2, 3), dtype='float64')
        S.zeros('default', (2, 3)) | S.zeros('foo', (2, 3)) | S.empty('csr', (2, 3))
        S.array(nd.ones((2, 2)).tostype('csr')) | S.array(np.ones((2, 2)))
        S.array(nd.ones((2, 2)).tostype('row_sparse'), dtype='int32') | nd.ones(3).tostype('csr')
        nd.ones((2, 3, 4)).tostype('row_sparse').indices | nd.ones(3).tostype('row_sparse')
    """,
}
"""Set-up -> expressions, whose value is the answer."""

CHANGED = {
    SHAPED: """
        a[0] = 5 | a[0] = nd.ones((3, 4)) | a[0] = np.ones(4) | a[:, 1] = [1, 2, 3, 4]
        a[0, 1, 2] = 7 | a[[0, 1]] = 1 | a[nd.array([0]), 1] = 9 | a[0] = a[1]
        a[:] = nd.ones((2, 3, 4), dtype='int32') | a[:] = np.ones((3, 4)) | a[:] = nd.ones((1, 4))
        a[:] = nd.ones((24,)) | a[0] = nd.ones((2, 2)) | a[...] = 3 | a[None] = 4 | a[0] = 'x'
        a[0] = [[1]] | a[5] = 1 | a[0:5] = 1 | a[:, :, 0] = nd.ones((2, 3, 1))
        a[0:1] = nd.ones((3, 4)) | a[0] = nd.ones((1, 1, 3, 4)) | a[()] = 2
        a += nd.ones((2, 3, 4)) | a += nd.ones((3, 1)) | a -= 0.5 | a *= 3 | a /= 2 | a %= 2
        a **= 2 | a += None | a += nd.ones((2, 3, 4), dtype='int32') | a += nd.ones((5, 2, 3, 4))
    """,
    MATRIX: """
        a[0][1] = 9 | b = a[1:2]; b[:] = 9 | b = a[:, 1]; b[:] = 9 | b = a[0:2, :]; b[:] = 9
        b = a[0, 1:2]; b[:] = 9 | b = a.T; b[:] = 9 | b = a.expand_dims(0); b[:] = 9
        b = a.flatten(); b[:] = 9 | b = a.reshape((-1,)); b[:] = 9 | b = a.squeeze(); b[:] = 9
        b = a.detach(); b[:] = 9 | b = a[None]; b[:] = 9 | b = a[::1]; b[:] = 9
        b = a.expand_dims(0, inplace=True); b[:] = 9 | b = a.flatten(inplace=True); b[:] = 9
        b = a[0]; b += 1 | b = a.copy(); b[:] = 9 | b = a.astype('float32'); b[:] = 9
        b = a.asnumpy(); b[:] = 9 | b = a.as_in_context(mx.cpu(0)); b[:] = 9
        b = a.as_in_context(mx.cpu(1)); b[:] = 9 | b = a[[0]]; b[:] = 9
    """,
    "a = np.ones(3, 'float32')": """
        b = nd.array(a); b[:] = 3 | b = nd.from_numpy(a); b[:] = 3
        b = nd.from_numpy(a, zero_copy=False); b[:] = 3
    """,
    "a = nd.ones(2, dtype='int32')": "a += 1.7 | a[:] = 2.9 | a /= 2",
    SPARSE + "; a = c": """
        a[:] = c | a[0] = 1 | a[:] = nd.ones((4, 3)) | a[:] = np.ones((4, 3)) | a += c
        a[:] = nd.ones((4, 3)).tostype('csr') | b = a.data; b[:] = 9
        a[:] = nd.ones((2, 3)).tostype('csr')
    """,
    SPARSE + "; a = r": """
        a[:] = r | a[:] = 0 | a[:] = 2 | a[0] = 1 | a[:] = nd.ones((4, 2)) | a *= 2 | a += 1
        a[:] = np.ones((4, 2)) | b = a.data; b[:] = 9
    """,
}
"""Set-up -> statements, after which the answer is ``a``."""


def snippets():
    """All of them as text; the answer is ``out``."""
    found = []
    for table, last in ((OUT, "out = {}"), (CHANGED, "{}; out = a")):
        for setup, lines in table.items():
            parts = [part.strip() for line in lines.splitlines() for part in line.split(" | ")]
            found += ["; ".join(filter(None, [setup, last.format(p)])) for p in parts if p]
    return found


def encoded(value):
    """``value`` as JSON can hold it."""
    if hasattr(value, "asnumpy"):
        parts = {}
        if value.stype != "default":
            names = ("data", "indices", "indptr") if value.stype == "csr" else ("data", "indices")
            parts = {n: getattr(value, n).asnumpy().tolist() for n in names}
        return {
            "type": type(value).__name__,
            "dtype": value.dtype.__name__.rstrip("_"),
            "shape": list(value.shape),
            "context": str(value.context),
            "values": value.asnumpy().tolist(),
            **parts,
        }
    if hasattr(value, "item") and value.ndim == 0:
        return value.item()
    if hasattr(value, "tolist"):
        return {"type": "numpy", "dtype": value.dtype.name, "values": value.tolist()}
    if isinstance(value, (tuple, list)):
        return [encoded(v) for v in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return str(value)


def answer(snippet, names):
    """What running ``snippet`` gives: ``{"result": ...}`` or ``{"exception": ...}``."""
    scope = dict(names)
    try:
        exec(snippet, scope)
    except Exception as error:
        return {"exception": type(error).__name__}
    return {"result": encoded(scope["out"])}


def _work(start):
    import mxnet as mx
    import numpy as np

    names = {"mx": mx, "nd": mx.nd, "np": np}
    for i, snippet in enumerate(snippets()[start:], start):
        print(json.dumps([i, answer(snippet, names)]), flush=True)


def _main():
    texts, answers = snippets(), {}
    while len(answers) < len(texts):
        start = len(answers)
        command = [sys.executable, "-W", "ignore", __file__, str(start)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        answers.update(json.loads(line) for line in done.stdout.splitlines() if line[:1] == "[")
        if len(answers) < len(texts):
            answers[len(answers)] = {"process_dies": True}
    lines = [json.dumps({"python": t, **answers[i]}) for i, t in enumerate(texts)]
    (HERE / "ndarray.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")


if __name__ == "__main__":
    _work(int(sys.argv[1])) if len(sys.argv) > 1 else _main()
