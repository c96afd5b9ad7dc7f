"""Running graphs: ``bind`` and ``simple_bind`` in :mod:`.bind` make an :class:`.executor.Executor`."""
