"""Running graphs: :mod:`.bind` makes an :class:`.executor.Executor` of a graph and arrays."""
