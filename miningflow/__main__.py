"""Runs the command line: `python -m miningflow`."""

from miningflow.cli.main import main

main()
