"""Train the matrix factorization, show the progress, leave pictures and a checkpoint."""

from __future__ import annotations

import time
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

import symgraph as mx
from symgraph.errors import MXNetError, close_names
from symgraph.files import write_file
from symgraph.gallery import matrix_factorization as model


def run(
    out: Path,
    data: Path | None,
    optimizers: tuple[str, ...],
    epochs: int | None,
    split: int,
    k: int,
) -> None:
    """Train with each optimizer, then write everything into the folder ``out``.

    Raises
    ------
    MXNetError
        If an optimizer has no recipe.
    OSError
        If ``out`` cannot be made; it is made before training.
    """
    for name in optimizers:
        if name not in model.RECIPES:
            raise MXNetError(
                f"there is no recipe for {name!r}{close_names(name, model.RECIPES)} "
                f"(recipes: {', '.join(model.RECIPES)})"
            )
    console = Console(soft_wrap=True)
    ratings = model.load_ratings(data or model.DATA)
    console.print(
        f"{len(ratings.score):,} ratings of {ratings.num_items:,} films by "
        f"{ratings.num_users:,} users; a tenth is held out (split {split})"
    )
    out.mkdir(parents=True, exist_ok=True)
    curves: dict[str, list[float]] = {}
    modules = {}
    for name in optimizers:
        modules[name], curves[name] = _train(console, ratings, name, split, k, epochs)
    best = min(curves, key=lambda name: curves[name][-1])
    written = draw(modules[best].symbol, out)
    written += _curve(console, curves, out)
    written += _checkpoint(modules[best], len(curves[best]), out)
    console.print()
    mx.viz.print_summary(modules[best].symbol, {"user": (1,), "item": (1,), "score": (1, 1)})
    _report(console, curves, written, best)


def _train(
    console: Console,
    ratings: model.Ratings,
    name: str,
    split: int,
    k: int,
    epochs: int | None,
) -> tuple[mx.mod.SparseModule, list[float]]:
    recipe = model.RECIPES[name]
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("test RMSE {task.fields[error]}"),
    )
    start = time.perf_counter()
    with Progress(*columns, console=console) as progress:
        task = progress.add_task(name, total=epochs or recipe.epochs, error="-")

        def show(epoch: int, error: float) -> None:
            progress.update(task, completed=epoch, error=f"{error:.4f}")
            if not console.is_terminal:
                progress.console.print(f"{name} epoch {epoch}: test RMSE {error:.4f}")

        module, errors = model.train(ratings, recipe, split, k, epochs, show)
    seconds = time.perf_counter() - start
    console.print(f"{name}: test RMSE {errors[-1]:.4f} after {len(errors)} epochs, {seconds:.1f} s")
    return module, errors


def draw(symbol: mx.sym.Symbol, out: Path) -> list[tuple[str, Path]]:
    """The diagram as PDF, SVG and PNG."""
    shape = {"user": (1024,), "item": (1024,), "score": (1024, 1)}
    picture = mx.viz.plot_network(symbol, title="matrix factorization", shape=shape)
    written = []
    for form in ("pdf", "svg", "png"):
        path = out / f"network.{form}"
        write_file(path, picture.pipe(format=form))
        written.append(("diagram", path))
    return written


def _curve(console: Console, curves: dict[str, list[float]], out: Path) -> list[tuple[str, Path]]:
    """The training curve as SVG and PNG, and its numbers."""
    lines = ["optimizer,epoch,test_rmse"]
    lines += [f"{n},{i + 1},{e:.6f}" for n, errors in curves.items() for i, e in enumerate(errors)]
    table = out / "curve.csv"
    write_file(table, ("\n".join(lines) + "\n").encode())
    written = [("curve", table)]
    try:
        from matplotlib.figure import Figure
    except ImportError:
        console.print("no picture of the curve: that takes matplotlib, pip install matplotlib")
        return written
    figure = Figure(figsize=(6.4, 4), layout="constrained")
    axes = figure.subplots()
    for name, errors in curves.items():
        axes.plot(range(1, len(errors) + 1), errors, marker=".", label=name)
    axes.set(xlabel="epoch", ylabel="RMSE on the held-out tenth", title="Matrix factorization")
    axes.grid(alpha=0.3)
    axes.legend()
    for form in ("png", "svg"):
        path = out / f"curve.{form}"
        figure.savefig(path, dpi=150)
        written.append(("curve", path))
    return written


def _checkpoint(module: mx.mod.SparseModule, epochs: int, out: Path) -> list[tuple[str, Path]]:
    module.save_checkpoint(str(out / "matrix_factorization"), epochs)
    return [
        ("symbol", out / "matrix_factorization-symbol.json"),
        ("weights", out / f"matrix_factorization-{epochs:04d}.params"),
    ]


def _report(
    console: Console, curves: dict[str, list[float]], written: list[tuple[str, Path]], best: str
) -> None:
    """Errors and files, a line each: a path must not be cut, whatever the terminal's width."""
    console.print()
    for name, errors in curves.items():
        saved = ", saved" if name == best else ""
        console.print(f"test RMSE, {name:<5} {errors[-1]:.4f}{saved}", highlight=False)
    for what, path in written:
        console.print(f"{what:<8} {path}", highlight=False, markup=False)
