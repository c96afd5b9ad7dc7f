"""Print the public names of CuPy, read from a wheel as text: nothing of it is run or installed.

How ``cupy_names.txt`` was made::

    pip download --no-deps --only-binary=:all: cupy-cuda12x==14.2.0
    python tests/strict/list_cupy_names.py cupy_cuda12x-14.2.0-*.whl > tests/strict/cupy_names.txt

A line is a name, and after a colon the names of its parameters where the wheel tells them.
"""

from __future__ import annotations

import ast
import re
import sys
import zipfile
from collections.abc import Iterator

NAMESPACES = (
    "cupy",
    "cupy.linalg",
    "cupy.random",
    "cupy.fft",
    "cupy.lib",
    "cupy.lib.stride_tricks",
)
PARAMETERS = re.compile(rb"_ndarray_base\.(\w+)\(self(?:, )?([^()\0\n]*)\)")
MEMBERS = re.compile(rb"_ndarray_base\.([A-Za-z]\w*)(?:\.__get__)?\0")
DRAWS = re.compile(rb"(?<![A-Za-z])Generator\.([A-Za-z]\w*)\0")


def read_module(wheel: zipfile.ZipFile, module: str) -> ast.Module | None:
    stem = module.replace(".", "/")
    for path in (f"{stem}/__init__.py", f"{stem}.py"):
        if path in wheel.namelist():
            return ast.parse(wheel.read(path))
    return None


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of a module, those under ``if`` and ``try`` too."""
    for statement in body:
        yield statement
        for block in ("body", "orelse", "finalbody"):
            if isinstance(statement, ast.If | ast.Try):
                yield from statements(getattr(statement, block, []))


def bound_names(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """(name, where it comes from) of everything a module binds."""
    for statement in statements(tree.body):
        if isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                yield alias.asname or alias.name, f"{statement.module}:{alias.name}"
        elif isinstance(statement, ast.FunctionDef | ast.ClassDef):
            yield statement.name, ":" + statement.name
        elif isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    yield target.id, ""


def parameters(wheel: zipfile.ZipFile, origin: str, module: str) -> str:
    """`` : a b c`` for a function written in Python, else nothing."""
    source, _, name = origin.partition(":")
    tree = read_module(wheel, source or module)
    for node in tree.body if tree else ():
        if isinstance(node, ast.FunctionDef) and node.name == name:
            every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            if node.args.vararg is None and node.args.kwarg is None:
                return ": " + " ".join(a.arg for a in every)
    return ""


def list_names(path: str) -> Iterator[str]:
    with zipfile.ZipFile(path) as wheel:
        for module in NAMESPACES:
            tree = read_module(wheel, module)
            for name, origin in bound_names(tree) if tree else ():
                if not name.startswith("_") and name not in ("annotations", "sys", "warnings"):
                    yield f"{module}.{name}{parameters(wheel, origin, module)}"
        core = next(wheel.read(n) for n in wheel.namelist() if n.startswith("cupy/_core/core.c"))
        told = {m[1].decode(): m[2].decode() for m in PARAMETERS.finditer(core)}
        for member in {m[1].decode() for m in MEMBERS.finditer(core)}:
            words = [w.partition("=")[0].split()[-1] for w in told.get(member, "").split(", ") if w]
            known = "*" not in told.get(member, "*") and member in told
            yield f"cupy.ndarray.{member}" + (": " + " ".join(words) if known else "")
        yield from ("cupy.ndarray.dtype", "cupy.ndarray.base", "cupy.ndarray.data")
        name = next(n for n in wheel.namelist() if n.startswith("cupy/random/_generator_api.c"))
        for draw in {m[1].decode() for m in DRAWS.finditer(wheel.read(name))}:
            yield f"cupy.random.Generator.{draw}"


if __name__ == "__main__":
    print("# Public names of CuPy 14.2.0. Made by list_cupy_names.py, which says how.")
    print("\n".join(sorted(set(list_names(sys.argv[1])))))
