"""The command line: `miningflow`."""
