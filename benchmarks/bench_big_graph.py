"""Seconds to build, infer, save, load, bind and draw chains of 10,000 and 20,000 nodes."""

from __future__ import annotations

import time

from harness import main


def chain(count):
    """Seconds of every stage; a linear one takes twice as long for twice the nodes."""
    import symgraph as mx

    seconds = {}

    def stage(name, work):
        start = time.perf_counter()
        result = work()
        seconds[name] = time.perf_counter() - start
        return result

    def build():
        net = mx.sym.Variable("x")
        for _ in range(count):
            net = mx.sym.relu(net)
        return net

    net = stage("build", build)
    stage("infer", lambda: net.infer_shape(x=(2, 3)))
    text = stage("save", net.tojson)
    stage("load", lambda: mx.sym.load_json(text))
    stage("bind", lambda: net.simple_bind(mx.cpu(), x=(2, 3)))
    stage("dot", lambda: mx.viz.plot_network(net).source)
    return seconds


def both(count):
    """An implementation per size; its value is the slowest stage."""

    def run():
        chain(100)
        seconds = chain(count)
        shown = ", ".join(f"{name} {s:.2f}" for name, s in seconds.items())
        return [max(seconds.values())], "s", shown

    return run


main({"symgraph": both(10_000), "symgraph, twice as long": both(20_000)})
