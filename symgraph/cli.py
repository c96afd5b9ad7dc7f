"""The ``symgraph`` command."""

from __future__ import annotations

import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated

import typer

from symgraph.cli_files import describe_file, load_symbol, parse_shapes
from symgraph.errors import MXNetError
from symgraph.files import write_file

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

Net = Annotated[
    Path, typer.Argument(metavar="FILE", help="A symbol JSON file, such as net-symbol.json.")
]
Shapes = Annotated[
    list[str] | None,
    typer.Option(
        "--shape",
        "-s",
        metavar="NAME=(N,...)",
        help="Shape of an input, such as 'data=(1,3,224,224)'; repeat it for more inputs.",
    ),
]


def _say_version(wanted: bool) -> None:
    if wanted:
        from symgraph import __version__

        typer.echo(f"symgraph {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_say_version, is_eager=True, help="Say the version."),
    ] = False,
) -> None:
    """Look at, draw and train symbolic networks."""


@app.command()
def plot(
    file: Net,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="File to write; its ending says the format."),
    ] = None,
    shape: Shapes = None,
    weights: Annotated[bool, typer.Option("--weights", help="Draw the parameters too.")] = False,
    title: Annotated[str, typer.Option(help="Title inside the drawing's file.")] = "plot",
) -> None:
    """Draw a network as PDF, SVG, PNG or DOT. No Graphviz program is needed."""
    from symgraph import viz

    target = out or Path(f"{file.name.removesuffix('.json').removesuffix('-symbol')}.pdf")
    form = target.suffix.lstrip(".").lower()
    if not form:
        raise MXNetError(f"{target} has no ending that says the format; try {target}.pdf")
    if target.exists() and file.exists() and target.samefile(file):
        raise MXNetError(f"{target} is the network itself; name another file to draw it into")
    graph = viz.plot_network(
        load_symbol(file),
        title=title,
        save_format=form,
        shape=parse_shapes(shape),
        hide_weights=not weights,
    )
    data = graph.source.encode() if form in ("dot", "gv") else graph.pipe(format=form)
    write_file(target, data)
    typer.echo(f"wrote {target}")


@app.command()
def summary(file: Net, shape: Shapes = None) -> None:
    """Print the layers of a network: shapes, parameters, what feeds what."""
    from symgraph import viz

    viz.print_summary(load_symbol(file), parse_shapes(shape))


@app.command()
def train(
    model: Annotated[str, typer.Argument(help="A model of the gallery: matrix_factorization.")],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Folder for the picture, the curve and the model.")
    ] = Path("build/demo"),
    data: Annotated[
        Path | None, typer.Option(help="MovieLens ratings.csv; by default the source tree's.")
    ] = None,
    optimizer: Annotated[
        list[str] | None,
        typer.Option(help="adam or sgd; repeat it for both. By default both are compared."),
    ] = None,
    epochs: Annotated[
        int | None, typer.Option(min=1, help="Passes over the data; by default the recipe's.")
    ] = None,
    split: Annotated[
        int,
        typer.Option(
            min=0, max=2**32 - 1, help="Seed that chooses the tenth held out for testing."
        ),
    ] = 0,
    k: Annotated[int, typer.Option(min=1, help="Number of latent factors.")] = 64,
) -> None:
    """Train a model of the gallery and leave its picture, curve and checkpoint."""
    from symgraph import gallery
    from symgraph.gallery import demo

    gallery.load(model)
    demo.run(out, data, tuple(optimizer or ("adam", "sgd")), epochs, split, k)


@app.command()
def info(
    file: Annotated[
        Path | None, typer.Argument(help="A symbol JSON or .params file to describe.")
    ] = None,
) -> None:
    """Say what is installed here, or what is in a file."""
    from symgraph.cli_files import describe_installation

    typer.echo(describe_installation() if file is None else describe_file(file))


def main() -> None:
    """Run the command; what goes wrong is said in one sentence, with exit code 1."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A terminal may lack letters that names have; they are shown as escapes there.
            stream.reconfigure(errors="backslashreplace")
    try:
        app(prog_name="symgraph")
    except (MXNetError, OSError, ValueError) as error:
        typer.secho(f"symgraph: {_sentence(error)}", err=True, fg=typer.colors.RED)
        sys.exit(1)


def _sentence(error: Exception) -> str:
    """What went wrong; errors of the system without their number."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


if __name__ == "__main__":
    main()
