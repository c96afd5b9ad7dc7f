"""A chain of 1000 tiny elementwise operators: what one operator costs besides its work."""

from __future__ import annotations

import numpy as np
from harness import main, measure

N, SHAPE = 1000, (4,)


def bound_chain(mx):
    """A forward pass of a bound executor."""
    net = mx.sym.Variable("x")
    turns = [
        lambda s: s + 1.5,
        lambda s: mx.sym.relu(s),
        lambda s: s * 0.5,
        lambda s: mx.sym.tanh(s),
    ]
    for i in range(N):
        net = turns[i % len(turns)](net)
    executor = net.simple_bind(mx.cpu(), x=SHAPE, grad_req="null")
    executor.arg_dict["x"][:] = mx.nd.array(np.linspace(-1, 1, SHAPE[0]))

    def step():
        executor.forward(is_train=False)
        executor.outputs[0].wait_to_read()

    return [1e3 * ms / N for ms in measure(step, 20, 100)]


def symgraph():
    import symgraph as mx

    return bound_chain(mx), "us/op", f"symgraph {mx.__version__}, executor"


def mxnet():
    import mxnet as mx

    return bound_chain(mx), "us/op", f"mxnet {mx.__version__}, executor"


def torch():
    import torch

    x = torch.linspace(-1, 1, SHAPE[0])

    def step():
        with torch.no_grad():
            y = x
            for _ in range(N // 4):
                y = torch.tanh(torch.relu(y + 1.5) * 0.5)

    return [1e3 * ms / N for ms in measure(step, 20, 100)], "us/op", f"torch {torch.__version__}"


main({"symgraph": symgraph, "mxnet": mxnet, "torch": torch})
