"""The papers' experiments, repeated: `python -m benchmarks.papers --quick` or `--full`."""
