"""Which feature selector for which data: the measurements behind docs/choosing_a_selector.md."""
