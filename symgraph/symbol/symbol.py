"""Symbol: a network, or any part of one, as a value."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from symgraph.errors import MXNetError, NotImplementedForSymbol
from symgraph.graph.compose import copy_graph, substitute
from symgraph.graph.json import loads, save, to_json
from symgraph.symbol import attributes, inference, lookup, operators
from symgraph.symbol.base import SymbolBase, invoke, visible
from symgraph.symbol.inference import Shapes, Types
from symgraph.symbol.operators import FLUENT, NDARRAY_ONLY, binary, fluent, refused, reverse

if TYPE_CHECKING:
    import networkx as nx

    from symgraph.executor.executor import Executor


class Symbol(SymbolBase):
    """One or several outputs of a network that has not run yet.

    Operators (``mx.sym.FullyConnected(data, num_hidden=10)``), Python's own operators and
    :func:`~symgraph.symbol.Variable` make symbols; :meth:`bind` and :meth:`simple_bind` give them
    arrays. A symbol never changes, but for attributes set by :meth:`_set_attr`.

    Parameters
    ----------
    heads : iterable of Entry
        The outputs that this symbol stands for.
    """

    __slots__ = ()
    # NumPy leaves ``array * symbol`` to the symbol, which refuses it by name.
    __array_ufunc__ = None
    __array_priority__ = 1000.0
    # Comparison builds a network, so symbols cannot be looked up.
    __hash__ = None  # pyright: ignore[reportAssignmentType]

    # ---- what it is --------------------------------------------------------------------

    @property
    def name(self) -> str | None:
        """The node's name; None for outputs of several nodes."""
        names = {e.node: e.node.name for e in self.heads}
        return next(iter(names.values())) if len(names) == 1 else None

    @property
    def graph(self) -> nx.MultiDiGraph:
        """The network as a frozen networkx graph; nodes are numbered as in :meth:`tojson`."""
        return self._graph.dag

    def __repr__(self) -> str:
        if self.name is None:
            return f"<Symbol group [{', '.join(e.node.name for e in self.heads)}]>"
        return f"<Symbol {self.name}>"

    def debug_str(self) -> str:
        """All nodes with their inputs and attributes, as text."""
        return lookup.describe(self._graph)

    def list_arguments(self) -> list[str]:
        """Names of the variables that are no auxiliary states, inputs before their readers."""
        return [n.name for n in self._graph.arguments]

    def list_outputs(self) -> list[str]:
        """Names of the outputs, such as ``"fc_output"``."""
        return [e.name for e in self.heads]

    def list_auxiliary_states(self) -> list[str]:
        """Names of the variables that operators change, such as moving means."""
        return [n.name for n in self._graph.auxiliaries]

    def list_inputs(self) -> list[str]:
        """Names of all variables, auxiliary states among them."""
        return [n.name for n in self._graph.variables]

    # ---- parts of it -------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.heads)

    def __iter__(self) -> Iterator[Symbol]:
        return (Symbol([e]) for e in self.heads)

    def __getitem__(self, index: int | slice | str) -> Symbol:
        """Some of the outputs: by number, slice or name.

        A name is that of an output (``"fc_output"``), or of a layer that has one output here.

        Raises
        ------
        IndexError, ValueError, TypeError, MXNetError
        """
        return Symbol(lookup.choose(self.heads, index))

    def get_internals(self) -> Symbol:
        """All outputs of all nodes, inputs before their readers."""
        return Symbol(e for node in self._graph.order for e in visible(node))

    def get_children(self) -> Symbol | None:
        """The direct inputs of the nodes it stands for; None if there are none."""
        nodes = dict.fromkeys(e.node for e in self.heads)
        inputs = [e for node in nodes for e in node.inputs]
        return Symbol(inputs) if inputs else None

    # ---- attributes --------------------------------------------------------------------

    def attr(self, key: str) -> str | None:
        """The node's attribute ``key`` as a string, or None.

        ``lr_mult``, ``wd_mult``, ``ctx_group`` and their kin are kept as ``__lr_mult__`` and
        found under both spellings.
        """
        if self.name is None:
            return None
        return attributes.read(self.heads[0].node, key)

    def list_attr(self, recursive: bool = False) -> dict[str, str]:
        """The node's attributes; of a group, those of its first node.

        Raises
        ------
        DeprecationWarning
            With ``recursive``, as MXNet does; :meth:`attr_dict` is meant.
        """
        if recursive:
            raise DeprecationWarning("list_attr(recursive=True) is gone; use attr_dict()")
        return attributes.spelled(self.heads[0].node)

    def attr_dict(self) -> dict[str, dict[str, str]]:
        """Attributes of all nodes that have any, by node name."""
        return {n.name: attributes.spelled(n) for n in self._graph.order if n.attrs}

    def _set_attr(self, **kwargs: str) -> None:
        """Set attributes of the node, in every network that contains it.

        Raises
        ------
        ValueError
            If a value is no string or does not fit the operator.
        MXNetError
            For a group.
        """
        if self.name is None:
            raise MXNetError("attributes of a group cannot be set; choose one of its symbols")
        attributes.write(self.heads[0].node, kwargs)

    # ---- composing ---------------------------------------------------------------------

    def __call__(self, *args: Symbol, name: str | None = None, **kwargs: Symbol) -> Symbol:
        """This network with other symbols in the place of some variables.

        Parameters
        ----------
        *args
            In the order of :meth:`list_arguments`.
        name : str, optional
            A new name for the (first) output node.
        **kwargs
            By variable name; not together with ``args``.

        Raises
        ------
        TypeError, MXNetError
        """
        if args and kwargs:
            raise TypeError("compose with symbols either by position or by keyword, not both")
        replace = lookup.replacements(self._graph, args, kwargs)
        names = {self.heads[0].node: name} if name else None
        return Symbol(substitute(self._graph, replace, names).heads)

    def __copy__(self) -> Symbol:
        return Symbol(copy_graph(self._graph).heads)

    def __deepcopy__(self, _memo: Any) -> Symbol:
        return self.__copy__()

    # ---- Python's operators; the reversed ones only ever meet a number -----------------

    __add__ = __radd__ = binary("_Plus", "_PlusScalar")
    __sub__ = binary("_Minus", "_MinusScalar")
    __rsub__ = reverse("_RMinusScalar")
    __mul__ = __rmul__ = binary("_Mul", "_MulScalar")
    __truediv__ = __div__ = binary("_Div", "_DivScalar")
    __rtruediv__ = __rdiv__ = reverse("_RDivScalar")
    __mod__ = binary("_Mod", "_ModScalar")
    __rmod__ = reverse("_RModScalar")
    __pow__ = binary("_Power", "_PowerScalar")
    __rpow__ = reverse("_rpower_scalar")
    __eq__ = binary("_equal", "_equal_scalar")  # pyright: ignore[reportAssignmentType]
    __ne__ = binary("_not_equal", "_not_equal_scalar")  # pyright: ignore[reportAssignmentType]
    __gt__ = binary("_greater", "_greater_scalar")
    __ge__ = binary("_greater_equal", "_greater_equal_scalar")
    __lt__ = binary("_lesser", "_lesser_scalar")
    __le__ = binary("_lesser_equal", "_lesser_equal_scalar")
    __iadd__ = refused("__iadd__")
    __isub__ = refused("__isub__")
    __imul__ = refused("__imul__")
    __itruediv__ = __idiv__ = refused("__itruediv__")

    def __neg__(self) -> Symbol:
        return self * -1.0

    def __abs__(self) -> Symbol:
        return self._of(invoke("abs", [self], {}))

    # ---- fluent methods that differ from the operator ----------------------------------

    def diag(self, k: int = 0, **kwargs: Any) -> Symbol:
        """``mx.sym.diag`` of this symbol."""
        return self._of(invoke("diag", [self], {"k": k, **kwargs}))

    def squeeze(self, axis: Any = None, inplace: bool = False, **kwargs: Any) -> Symbol:
        """``mx.sym.squeeze`` of this symbol; ``inplace`` is meant for arrays."""
        return self._of(invoke("squeeze", [self], {"axis": axis, **kwargs}))

    def flatten(self, inplace: bool = False, **kwargs: Any) -> Symbol:
        """``mx.sym.flatten`` of this symbol; ``inplace`` is meant for arrays."""
        return self._of(invoke("flatten", [self], kwargs))

    def expand_dims(self, axis: int, inplace: bool = False, **kwargs: Any) -> Symbol:
        """``mx.sym.expand_dims`` of this symbol; ``inplace`` is meant for arrays."""
        return self._of(invoke("expand_dims", [self], {"axis": axis, **kwargs}))

    def astype(self, *args: Any, **kwargs: Any) -> Symbol:
        """``mx.sym.cast`` of this symbol."""
        return self._of(invoke("cast", [self, *args], kwargs))

    def split_v2(self, *args: Any, **kwargs: Any) -> Symbol:
        """``mx.sym.split_v2`` of this symbol."""
        return self._of(operators.split_v2(self, *args, **kwargs))

    if TYPE_CHECKING:  # the others are set below, from a list

        def __getattr__(self, name: str) -> Callable[..., Symbol]: ...

    # ---- inference ---------------------------------------------------------------------

    def infer_shape(self, *args: Any, **kwargs: Any) -> Shapes | tuple[None, None, None]:
        """Shapes of all arguments, outputs and auxiliary states, from those of some.

        Parameters
        ----------
        *args, **kwargs : tuple of int
            Known shapes, in the order of :meth:`list_arguments` or by name. A length of 0 and
            None are unknown.

        Returns
        -------
        arg_shapes, out_shapes, aux_shapes : list of tuple
            ``(None, None, None)`` and a warning that names what is missing, where more than the
            first axis of some tensors stays open.

        Raises
        ------
        ShapeError
            If shapes contradict each other; names the node and the tensor.
        MXNetError, TypeError, ValueError
            If a name is unknown or a shape is none.
        """
        return inference.shapes_of(self._graph, args, kwargs, partial=False)

    def infer_shape_partial(self, *args: Any, **kwargs: Any) -> Shapes:
        """As :meth:`infer_shape`; what stays unknown is ``()`` or has lengths of 0."""
        return inference.shapes_of(self._graph, args, kwargs, partial=True)  # pyright: ignore[reportReturnType]

    def infer_type(self, *args: Any, **kwargs: Any) -> Types | tuple[None, None, None]:
        """Element types of all arguments, outputs and auxiliary states, from those of some.

        Returns
        -------
        arg_types, out_types, aux_types : list of NumPy types
            ``(None, None, None)`` and a warning where some stay open.

        Raises
        ------
        DTypeError, MXNetError, ValueError
        """
        return inference.types_of(self._graph, args, kwargs, partial=False)

    def infer_type_partial(self, *args: Any, **kwargs: Any) -> Types:
        """As :meth:`infer_type`; what stays unknown is None."""
        return inference.types_of(self._graph, args, kwargs, partial=True)  # pyright: ignore[reportReturnType]

    # ---- running -----------------------------------------------------------------------

    def bind(
        self,
        ctx: Any,
        args: Any,
        args_grad: Any = None,
        grad_req: str | Sequence[str] | Mapping[str, str] = "write",
        aux_states: Any = None,
        group2ctx: Mapping[str, Any] | None = None,
        shared_exec: Executor | None = None,
    ) -> Executor:
        """An executor over given arrays, see :func:`symgraph.executor.bind.bind`.

        All of it runs on ``ctx``: ``group2ctx`` and ``shared_exec`` change no result.
        """
        from symgraph.executor.bind import bind

        return bind(self._graph, ctx, args, args_grad, grad_req, aux_states)

    def simple_bind(
        self,
        ctx: Any,
        grad_req: str | Sequence[str] | Mapping[str, str] = "write",
        type_dict: Mapping[str, Any] | None = None,
        stype_dict: Mapping[str, str] | None = None,
        group2ctx: Mapping[str, Any] | None = None,
        shared_arg_names: Sequence[str] | None = None,
        shared_exec: Executor | None = None,
        shared_buffer: Any = None,
        **kwargs: Any,
    ) -> Executor:
        """An executor over new arrays, whose shapes follow from those in ``kwargs``.

        See :func:`symgraph.executor.bind.simple_bind`.
        """
        from symgraph.executor.bind import simple_bind

        return simple_bind(
            self._graph,
            ctx,
            grad_req=grad_req,
            type_dict=type_dict,
            stype_dict=stype_dict,
            shapes=kwargs,
            shared_arg_names=shared_arg_names,
            shared_exec=shared_exec,
        )

    def eval(self, ctx: Any = None, **kwargs: Any) -> list[Any]:
        """The outputs for these arrays, by argument name."""
        return self.bind(ctx, kwargs, grad_req="null").forward()

    # ---- saving ------------------------------------------------------------------------

    def tojson(self, remove_amp_cast: bool = True) -> str:
        """The network in MXNet's JSON format."""
        return to_json(self._graph, remove_amp_cast=remove_amp_cast)

    def save(self, fname: str | os.PathLike[str], remove_amp_cast: bool = True) -> None:
        """Write :meth:`tojson` to a file; it is replaced only once all is written.

        Raises
        ------
        MXNetError
            If the file cannot be written.
        """
        save(self._graph, fname, remove_amp_cast=remove_amp_cast)

    def __getstate__(self) -> dict[str, str]:
        return {"handle": self.tojson(remove_amp_cast=False)}

    def __setstate__(self, state: dict[str, str]) -> None:
        self._graph = loads(state["handle"])

    def __reduce__(self) -> tuple[Any, ...]:
        return Symbol, ((),), self.__getstate__()

    # ---- MXNet's other methods ---------------------------------------------------------

    def as_np_ndarray(self) -> Symbol:
        """The symbol itself; there is one kind."""
        return self

    as_nd_ndarray = as_np_ndarray

    def gradient(self, wrt: Sequence[str]) -> Symbol:
        """Refused, as in MXNet: bind the symbol and call ``backward``."""
        raise NotImplementedForSymbol("gradient")

    def get_backend_symbol(self, backend: str) -> Symbol:
        """Refused: symgraph has no graph-rewriting backends to ask for."""
        raise MXNetError(f"there is no backend {backend!r}")

    def optimize_for(self, backend: str, *args: Any, **kwargs: Any) -> Symbol:
        """The symbol itself: optimization happens when it is bound."""
        return self


for _name in FLUENT:
    if _name not in vars(Symbol):
        setattr(Symbol, _name, fluent(_name, _name))
for _name in NDARRAY_ONLY:
    setattr(Symbol, _name, refused(_name))
